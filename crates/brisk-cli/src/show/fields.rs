//! The metadata that a command requests for each file type, and the names of fields in messages.

use brisk::unstable::most_requests;
use brisk::{Fields, FileType};

/// The fields that are needed of a file, by its type.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldsByType([Fields; FileType::ALL.len()]);

impl FieldsByType {
    pub fn new(of: impl Fn(FileType) -> Fields) -> FieldsByType {
        let mut all = FieldsByType::default();
        FileType::ALL.iter().for_each(|one| all.0[*one as usize] = of(*one));
        all
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
    is_on.then(|| format!("{option} needs {} of {files}", words(fields)))
}

/// The text of `--explain`, a sentence on each line: the `facts` that are true, then `more`.
pub(crate) fn explained(
    facts: impl IntoIterator<Item = (bool, &'static str)>,
    more: impl IntoIterator<Item = String>,
) -> String {
    let facts = facts.into_iter().filter(|(is_so, _)| *is_so).map(|(_, line)| line.to_owned());
    facts.chain(more).chain(limit_told()).map(|line| line + ".\n").collect()
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
