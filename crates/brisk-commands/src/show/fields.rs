//! The metadata that a command requests for each file type, and the names of fields in messages.

use brisk::unstable::most_requests;
use brisk::{Fields, FileType};
use brisk_colors::Colors;

/// The fields that are needed of a file, by its type.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldsByType([Fields; FileType::ALL.len()]);

impl FieldsByType {
    pub fn new(of: impl Fn(FileType) -> Fields) -> FieldsByType {
        FieldsByType(FileType::ALL.map(of))
    }

    #[inline]
    pub fn of(&self, file_type: FileType) -> Fields {
        self.0[file_type as usize]
    }

    /// The fields that a file of unknown type may need.
    pub fn any(&self) -> Fields {
        self.0.iter().fold(Fields::empty(), |sum, fields| sum | *fields)
    }
}

/// Whether an option is on, which one, and which fields of which files it needs.
pub(crate) type Need<'a> = (bool, &'a str, Fields, &'static str);

/// The line of `--explain` about an option that is on.
pub(crate) fn need((is_on, option, fields, files): Need<'_>) -> Option<String> {
    is_on.then(|| needs(option, fields, files))
}

/// The line of `--explain` about what needs these fields of these files.
pub(crate) fn needs(what: &str, fields: Fields, files: &str) -> String {
    format!("{what} needs {} of {files}", words(fields))
}

/// All files, in lines of `--explain`.
pub(crate) const ALL: &str = "all entries";
/// What `--explain` says of a command that reads directories.
pub(crate) const READING: &str =
    "Names and types come with the directory: openat2, getdents64, close for each";
/// What it says of one that works recursively, but not on `/`, or not in other file systems.
pub(crate) const ROOT_STAYS: &str =
    "'/' is refused, by one statx that says which directory that is";
pub(crate) const MOUNTS_STAY: &str =
    "Mount points below the paths stay: each is reported, and the exit code is then 1";

/// The text of `--explain`, a sentence on each line: the `facts` that are true, what `needs` which
/// fields, and then `more`.
pub(crate) fn explained<'f>(
    facts: impl IntoIterator<Item = (bool, &'f str)>,
    needs: Vec<String>,
    more: impl IntoIterator<Item = String>,
) -> String {
    let sum = match needs.is_empty() {
        true => "Nothing else is requested for any entry",
        false => {
            "Each entry that the cheaper filters keep costs one request, for all fields that one \
             request can return"
        }
    };
    let facts = facts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, line)| line.to_owned());
    let lines = facts.chain(needs).chain([sum.to_owned()]).chain(more).chain(limit_told());
    lines.map(|line| line + ".\n").collect()
}

/// The lines of `--explain` about the settings with which colours cost nothing.
pub(crate) fn free_colors(colors: &Colors) -> String {
    let suffix = colors.free_suffix();
    if suffix.is_empty() {
        return "The colours cost nothing.\n".to_owned();
    }
    let value = format!("LS_COLORS=\"$LS_COLORS:{suffix}\"");
    let codes = suffix.split(':').filter_map(|word| word.split_once('='));
    let lines: String =
        codes.map(|(key, code)| format!("  {} {code}\n", dircolors_word(key))).collect();
    format!(
        "Colours that cost nothing: {value}\nThe same in a file for dircolors:\n{lines}For all \
         users, in /etc/profile.d/ls-colors.sh: export {value}\n"
    )
}

/// What keys of `LS_COLORS` are called in the files that dircolors reads, where that differs.
const DIRCOLORS: &str = "ca=CAPABILITY ex=EXEC ln=LINK mh=MULTIHARDLINK mi=MISSING or=ORPHAN \
    ow=OTHER_WRITABLE sg=SETGID st=STICKY su=SETUID tw=STICKY_OTHER_WRITABLE";

fn dircolors_word(key: &str) -> &str {
    let mut known = DIRCOLORS.split(' ').filter_map(|known| known.split_once('='));
    known.find(|(known, _)| *known == key).map_or(key, |(_, word)| word)
}

/// The line of `--explain` about the limit on requests, if there is one.
pub(crate) fn limit_told() -> Option<String> {
    let most = Some(most_requests()).filter(|most| *most < usize::MAX)?;
    Some(format!("Requests in flight: at most {most} (max_in_flight in the configuration)"))
}

/// The names of fields: "size, link target".
pub(crate) fn words(fields: Fields) -> String {
    let word = |(name, _): (&str, _)| name.to_lowercase().replace('_', " ");
    fields.iter_names().map(word).collect::<Vec<_>>().join(", ")
}
