//! The filters that make an entry a result. Cheap ones come first: [`Filters::by_name`] knows only
//! what the directory itself says (name, type), and names the metadata that is still missing;
//! [`Filters::by_metadata`] has that metadata.

use brisk::{Entry, Fields, FileType, Meta};
use regex::bytes::{Regex, RegexBuilder};

use super::flags::{Filtering, Options, TypeName};
use super::owner::OwnerRule;
use super::pattern::{self, Hidden, Patterns};
use super::probe;
use super::size::SizeRule;
use super::time::TimeRules;
use crate::common::messages::{Caller, cause};
use crate::system;

/// All filters of a search.
#[derive(Debug)]
pub(crate) struct Filters {
    patterns: Patterns,
    /// The current directory with a separator at its end, if patterns are matched against absolute
    /// paths: relative paths begin there.
    base: Vec<u8>,
    extensions: Extensions,
    excluded: Vec<Regex>,
    types: Types,
    sizes: Vec<SizeRule>,
    times: TimeRules,
    owner: Option<OwnerRule>,
    /// Whether links are followed: a link can then turn out to be of any type, which only a stat
    /// tells.
    follow: bool,
}

impl Filters {
    /// Compiles what the flags say.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn new(options: &Options, caller: Caller) -> Result<Filters, String> {
        let Options { matching, ignoring, filtering, walking, .. } = options;
        let hidden = if ignoring.hidden { Hidden::Listed } else { Hidden::LeftOut };
        if filtering.owner.is_some() && !system::HAS_OWNERS {
            return Err("--owner: files have no numeric owners on this system".to_owned());
        }
        Ok(Filters {
            patterns: Patterns::new(matching, hidden, caller)?,
            base: if matching.full_path { current_directory()? } else { Vec::new() },
            extensions: Extensions::new(&filtering.extensions)?,
            excluded: pattern::alternatives(&ignoring.exclude_regex, matching.case)?,
            types: Types::new(filtering),
            sizes: filtering.sizes.clone(),
            times: TimeRules::new(&filtering.times, caller, jiff::Zoned::now)?,
            owner: filtering.owner,
            follow: walking.follow,
        })
    }

    /// Whether every entry is a result.
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
            && self.extensions.is_empty()
            && self.excluded.is_empty()
            && self.types.is_all()
            && !self.needs_metadata()
    }

    fn needs_metadata(&self) -> bool {
        !self.sizes.is_empty() || !self.times.fields().is_empty() || self.owner.is_some()
    }

    /// Whether [`by_metadata`](Filters::by_metadata) can still refuse an entry.
    pub(crate) fn has_late_filters(&self) -> bool {
        self.needs_metadata() || !self.types.is_all()
    }

    /// Whether `--exclude-regex` leaves the entry out, with everything below it.
    pub(crate) fn excludes(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        if self.excluded.is_empty() {
            return false;
        }
        scratch.clear();
        entry.path_into(scratch);
        let path = below_root(scratch, entry.depth());
        self.excluded.iter().any(|regex| regex.is_match(path))
    }

    /// Decides by name and type. `None`: the entry is no result. Otherwise: the fields that the
    /// remaining filters need. Paths are built in `scratch`.
    pub(crate) fn by_name(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> Option<Fields> {
        let file_type = self.known_type(entry);
        if file_type.is_some_and(|known| !self.type_may_pass(known))
            || !self.extensions.allow(entry.name())
            || !self.patterns_match(entry, scratch)
        {
            return None;
        }
        Some(self.fields(file_type))
    }

    fn patterns_match(&self, entry: &Entry<'_>, scratch: &mut Vec<u8>) -> bool {
        if self.patterns.is_empty() {
            return true;
        }
        if !self.patterns.full_path {
            return self.patterns.match_all(entry.name());
        }
        scratch.clear();
        self.absolute_into(entry, scratch);
        self.patterns.match_all(scratch)
    }

    fn absolute_into(&self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        let prefix = entry.directory().prefix();
        if !prefix.starts_with(b"/") {
            out.extend_from_slice(&self.base);
        }
        let mut rest = prefix;
        while let Some(shorter) = rest.strip_prefix(b"./") {
            rest = shorter;
        }
        out.extend_from_slice(rest);
        out.extend_from_slice(entry.name());
    }

    /// The entry's type, or `None` if only a stat can tell.
    fn known_type(&self, entry: &Entry<'_>) -> Option<FileType> {
        match entry.file_type() {
            FileType::Unknown => None,
            FileType::Symlink if self.follow => None,
            known => Some(known),
        }
    }

    /// Whether files of this type can be results at all.
    fn type_may_pass(&self, file_type: FileType) -> bool {
        self.types.contain(file_type) && (self.sizes.is_empty() || file_type == FileType::File)
    }

    /// The fields that [`by_metadata`](Filters::by_metadata) needs of a file of this type (`None`:
    /// not known yet).
    fn fields(&self, file_type: Option<FileType>) -> Fields {
        let mut fields = self.times.fields();
        let file = file_type.is_none_or(|known| known == FileType::File);
        if file_type.is_none() && self.has_late_filters() {
            fields |= Fields::TYPE;
        }
        if file && (!self.sizes.is_empty() || self.types.empty_only) {
            fields |= Fields::SIZE;
        }
        if file && self.types.executable_only {
            fields |= Fields::MODE;
        }
        if self.owner.is_some() {
            fields |= Fields::UID | Fields::GID;
        }
        fields
    }

    /// The fields that [`by_name`](Filters::by_name) may ask for, whatever the type.
    pub(crate) fn likely_fields(&self) -> Fields {
        self.fields(None)
    }

    /// Decides by type and metadata about an entry that passed [`by_name`](Filters::by_name). Adds
    /// the system calls that this takes to `calls`.
    pub(crate) fn by_metadata(&self, entry: &Entry<'_>, calls: &mut u64) -> bool {
        let file_type = entry.file_type();
        if !self.type_may_pass(file_type) {
            return false;
        }
        if self.needs_metadata() && !entry.meta().is_some_and(|meta| self.metadata_passes(meta)) {
            return false;
        }
        (!self.types.empty_only || probe::is_empty(entry, calls))
            && (!self.types.executable_only || probe::is_executable(entry, calls))
    }

    fn metadata_passes(&self, meta: &Meta) -> bool {
        let size = || meta.size();
        let ids = || Some((meta.uid()?, meta.gid()?));
        self.sizes.iter().all(|rule| size().is_some_and(|size| rule.allows(size)))
            && self.times.allow(meta)
            && self.owner.is_none_or(|rule| ids().is_some_and(|(uid, gid)| rule.allows(uid, gid)))
    }

    /// Which option needs which fields of which files: for `--explain`.
    pub(crate) fn explain(&self) -> Vec<(&'static str, Fields, &'static str)> {
        let mut lines = Vec::new();
        if !self.sizes.is_empty() {
            lines.push(("--size", Fields::SIZE, "regular files"));
        }
        if !self.times.fields().is_empty() {
            lines.push(("limits on times", self.times.fields(), "all entries"));
        }
        if self.owner.is_some() {
            lines.push(("--owner", Fields::UID | Fields::GID, "all entries"));
        }
        if self.types.executable_only {
            lines.push(("--type x", Fields::MODE, "regular files"));
        }
        if self.types.empty_only {
            lines.push(("--type e", Fields::SIZE, "regular files"));
        }
        lines
    }
}

/// The last `depth` components of a path.
fn below_root(path: &[u8], depth: usize) -> &[u8] {
    let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    match slashes.map(|(at, _)| at).nth(depth.saturating_sub(1)) {
        Some(at) => &path[at + 1..],
        None => path,
    }
}

fn current_directory() -> Result<Vec<u8>, String> {
    let path = std::env::current_dir().map_err(|error| {
        format!(
            "Could not determine current directory. This is required for --full-path: {}",
            cause(&error)
        )
    })?;
    let mut bytes = brisk_sys::paths::with_slashes(&path);
    if !bytes.ends_with(b"/") {
        bytes.push(b'/');
    }
    Ok(bytes)
}

/// The types that `--type` names.
#[derive(Clone, Copy, Debug)]
struct Types {
    /// A bit for each wanted `FileType`.
    wanted: u16,
    executable_only: bool,
    empty_only: bool,
}

impl Types {
    const ALL: u16 = u16::MAX;

    fn new(filtering: &Filtering) -> Types {
        let names = &filtering.types;
        let mut wanted = names.iter().fold(0, |bits, name| bits | Types::bits(*name));
        let empty_only = names.contains(&TypeName::Empty);
        let narrowed = Types::bit(FileType::File) | Types::bit(FileType::Directory);
        if empty_only && wanted & narrowed == 0 {
            wanted |= narrowed;
        }
        if names.is_empty() {
            wanted = Types::ALL;
        }
        Types { wanted, executable_only: names.contains(&TypeName::Executable), empty_only }
    }

    fn bits(name: TypeName) -> u16 {
        match name {
            TypeName::File | TypeName::Executable => Types::bit(FileType::File),
            TypeName::Directory => Types::bit(FileType::Directory),
            TypeName::Symlink => Types::bit(FileType::Symlink),
            TypeName::Socket => Types::bit(FileType::Socket),
            TypeName::Pipe => Types::bit(FileType::Fifo),
            TypeName::BlockDevice => Types::bit(FileType::BlockDevice),
            TypeName::CharDevice => Types::bit(FileType::CharDevice),
            TypeName::Empty => 0,
        }
    }

    fn bit(file_type: FileType) -> u16 {
        1 << (file_type as u16)
    }

    fn is_all(self) -> bool {
        self.wanted == Types::ALL && !self.executable_only && !self.empty_only
    }

    fn contain(self, file_type: FileType) -> bool {
        self.wanted & Types::bit(file_type) != 0
    }
}

/// `--extension`: names that end in any of these, with at least one byte before the dot.
#[derive(Clone, Debug)]
struct Extensions {
    /// ASCII extensions with their dots; compared byte by byte, without ASCII case.
    suffixes: Vec<Vec<u8>>,
    /// Extensions that are not ASCII, whose case is more than one bit of a byte.
    regexes: Vec<Regex>,
}

impl Extensions {
    fn new(extensions: &[String]) -> Result<Extensions, String> {
        let (mut suffixes, mut regexes) = (Vec::new(), Vec::new());
        for extension in extensions {
            let extension = extension.trim_start_matches('.');
            if extension.is_ascii() {
                suffixes.push(format!(".{extension}").into_bytes());
            } else {
                let source = format!(r"(?s-u:.)\.{}$", regex_syntax::escape(extension));
                let regex = RegexBuilder::new(&source).case_insensitive(true).build();
                regexes.push(regex.map_err(|error| error.to_string())?);
            }
        }
        Ok(Extensions { suffixes, regexes })
    }

    fn is_empty(&self) -> bool {
        self.suffixes.is_empty() && self.regexes.is_empty()
    }

    fn allow(&self, name: &[u8]) -> bool {
        self.is_empty()
            || self.suffixes.iter().any(|suffix| ends_with_ignoring_case(name, suffix))
            || self.regexes.iter().any(|regex| regex.is_match(name))
    }
}

/// Whether `name` ends with `suffix` and has at least one byte before it.
fn ends_with_ignoring_case(name: &[u8], suffix: &[u8]) -> bool {
    name.len() > suffix.len() && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(list: &[&str]) -> Extensions {
        let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
        Extensions::new(&list).unwrap()
    }

    #[test]
    fn extensions_match_after_something() {
        let rust = extensions(&["rs", ".toml"]);
        for name in ["a.rs", "A.RS", ".a.rs", "x.Toml", "..rs"] {
            assert!(rust.allow(name.as_bytes()), "{name}");
        }
        for name in [".rs", "rs", "a.rsx", "ars", ""] {
            assert!(!rust.allow(name.as_bytes()), "{name}");
        }
        assert!(extensions(&["tar.gz"]).allow(b"a.tar.gz"));
        assert!(extensions(&["é"]).allow("a.É".as_bytes()));
        assert!(extensions(&["é"]).allow(b"\xff.\xc3\xa9"));
        assert!(extensions(&[]).allow(b"anything"));
    }

    #[test]
    fn empty_and_executable_narrow_the_types() {
        use TypeName::{Directory, Empty, Executable, File, Symlink};
        let types = |names: &[TypeName]| {
            Types::new(&Filtering { types: names.to_vec(), ..Filtering::default() })
        };
        assert!(types(&[]).is_all());
        let empty = types(&[Empty]);
        assert!(empty.contain(FileType::File) && empty.contain(FileType::Directory));
        assert!(!types(&[Empty, File]).contain(FileType::Directory));
        let linked = types(&[Empty, Symlink]);
        assert!(linked.contain(FileType::Symlink) && linked.contain(FileType::File));
        let executable = types(&[Executable, Directory]);
        assert!(executable.contain(FileType::File) && executable.contain(FileType::Directory));
        assert!(!executable.contain(FileType::Symlink));
    }

    #[test]
    fn the_path_below_the_root_has_depth_components() {
        assert_eq!(below_root(b"./a/b", 2), b"a/b");
        assert_eq!(below_root(b"/usr/lib/a", 1), b"a");
        assert_eq!(below_root(b"x//a/b", 2), b"a/b");
        assert_eq!(below_root(b"a", 1), b"a");
    }
}
