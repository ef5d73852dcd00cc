//! A displayed path, cut where fd's placeholders cut it.
//!
//! fd takes its pieces from `std::path`, and so does brisk as long as the separator is `/`. A path
//! with other separators is cut by length: its name is the entry's, and the separator stands before
//! the name.

use std::ffi::OsString;

use brisk_sys::paths::bytes_to_path as as_path;

use super::Item;
use crate::system;

/// What stands between the components of displayed paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separator(Box<[u8]>);

impl Default for Separator {
    fn default() -> Separator {
        Separator::new(system::SEPARATOR.as_bytes())
    }
}

impl Separator {
    /// A separator of any length, as `--path-separator` gives it.
    pub fn new(bytes: &[u8]) -> Separator {
        Separator(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What a path in the current directory may begin with: `./`.
    pub(super) fn below_current(&self) -> impl Iterator<Item = u8> {
        std::iter::once(b'.').chain(self.0.iter().copied())
    }

    fn is_default(&self) -> bool {
        *self.0 == *system::SEPARATOR.as_bytes()
    }
}

/// A displayed path and where its last component begins.
#[derive(Clone, Copy, Debug)]
pub struct PathParts<'a> {
    path: &'a [u8],
    name_at: usize,
}

impl<'a> PathParts<'a> {
    /// Cuts a result's path. The entry knows its name (unless it is a root), so the separator may
    /// be any text, even one that occurs in names.
    pub fn of_item(item: &Item<'a>, separator: &Separator) -> PathParts<'a> {
        let name = item.entry.name();
        if item.entry.depth() > 0 && item.path.ends_with(name) {
            return PathParts { path: item.path, name_at: item.path.len() - name.len() };
        }
        PathParts::of_path(item.path, separator)
    }

    /// Cuts a path after its last separator. The name of the root directory is the root itself.
    pub fn of_path(path: &'a [u8], separator: &Separator) -> PathParts<'a> {
        let len = separator.0.len();
        let last = match len {
            0 => None,
            1 => path.iter().rposition(|&byte| byte == separator.0[0]),
            _ => path.windows(len).rposition(|window| *window == *separator.0),
        };
        let name_at = last.map_or(0, |at| at + len);
        PathParts { path, name_at: if name_at < path.len() { name_at } else { 0 } }
    }

    /// The parts from a path and what [`cut`](PathParts::cut) returned for it.
    pub fn new(path: &'a [u8], name_at: usize) -> PathParts<'a> {
        PathParts { path, name_at: name_at.min(path.len()) }
    }

    /// Where the name begins.
    pub fn cut(&self) -> usize {
        self.name_at
    }

    /// `{}`: the whole path.
    pub fn path(&self) -> &'a [u8] {
        self.path
    }

    /// `{/}`: the last component.
    pub fn name(&self) -> &'a [u8] {
        &self.path[self.name_at..]
    }

    /// `{//}`: the part before the name, or `.` if there is none. The root's parent is the root.
    pub fn parent(&self, separator: &Separator) -> &'a [u8] {
        let dir = &self.path[..self.name_at];
        if *self.path == *separator.0 {
            return self.path;
        }
        if dir.is_empty() {
            return b".";
        }
        if separator.is_default() {
            return as_path(self.path)
                .parent()
                .map_or(dir, |dir| dir.as_os_str().as_encoded_bytes());
        }
        match dir.strip_suffix(&*separator.0) {
            None | Some(b"") => dir,
            Some(parent) => parent,
        }
    }

    /// `{.}`: appends the path without the name's extension, and without `./` in front.
    pub fn without_extension(&self, separator: &Separator, out: &mut Vec<u8>) {
        let parent = self.parent(separator);
        let stem = stem(self.name());
        if *self.path == *separator.0 {
            out.extend_from_slice(stem);
            return;
        }
        let below = match below_current_dir(parent, separator) {
            // A path without its `./` loses a trailing `/.` as well: `..x` comes out empty.
            Some(below) if stem == b"." => return out.extend_from_slice(below),
            Some(below) => below,
            // So does a path whose separators were replaced.
            None if stem == b"." && !separator.is_default() => {
                return out.extend_from_slice(parent);
            }
            None => parent,
        };
        out.extend_from_slice(below);
        if !below.is_empty() && *below != *separator.0 {
            out.extend_from_slice(&separator.0);
        }
        out.extend_from_slice(stem);
    }

    /// `{/.}`: the name without its extension. A stem of `.` (the name is `..x`) comes out empty.
    pub fn stem_alone(&self) -> &'a [u8] {
        match stem(self.name()) {
            b"." => b"",
            stem => stem,
        }
    }
}

/// A directory's path without a leading `.`; `None` if there is no such component.
fn below_current_dir<'a>(dir: &'a [u8], separator: &Separator) -> Option<&'a [u8]> {
    if separator.is_default() {
        let below = as_path(dir).strip_prefix(".").ok()?;
        return Some(below.as_os_str().as_encoded_bytes());
    }
    match dir.strip_prefix(b".")? {
        b"" => Some(b""),
        rest => rest.strip_prefix(&*separator.0),
    }
}

/// A name up to its last dot. A dot in front begins no extension.
fn stem(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|&byte| byte == b'.') {
        Some(dot) if dot > 0 && name != b".." => &name[..dot],
        _ => name,
    }
}

/// A command's argument from bytes.
pub fn os_string(bytes: &[u8]) -> OsString {
    as_path(bytes).as_os_str().to_owned()
}

/// What follows the last dot of a name, if there is something before and behind that dot.
pub(crate) fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|at| *at > 0)?;
    Some(&name[dot + 1..]).filter(|extension| !extension.is_empty())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::{Path, PathBuf};

    fn cut(path: &str, separator: &Separator) -> [String; 5] {
        let parts = PathParts::of_path(path.as_bytes(), separator);
        let mut without = Vec::new();
        parts.without_extension(separator, &mut without);
        [parts.path(), parts.name(), parts.parent(separator), &without, parts.stem_alone()]
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The output of fd 10.5 for `--format '{}|{/}|{//}|{.}|{/.}'`.
    #[test]
    fn pieces_are_what_fd_prints() {
        let lines = "\
...z|...z|.|..|..
..x|..x|.||
./-q.x|-q.x|.|-q|-q
.a.b|.a.b|.|.a|.a
.hid|.hid|.|.hid|.hid
a.tar.gz|a.tar.gz|.|a.tar|a.tar
d.d/-m.x|-m.x|d.d|d.d/-m|-m
d.d/.g|.g|d.d|d.d/.g|.g
d.d/f|f|d.d|d.d/f|f
d.d|d.d|.|d|d
x..|x..|.|x.|x.
x.|x.|.|x|x
./d.d/-m.x|-m.x|./d.d|d.d/-m|-m
/tmp/d.d//f|f|/tmp/d.d|/tmp/d.d/f|f
/bin|bin|/|/bin|bin
/a.json|a.json|/|/a|a";
        for line in lines.lines() {
            let path = line.split('|').next().unwrap_or_default();
            assert_eq!(cut(path, &Separator::default()).join("|"), line);
        }
    }

    /// The output of fd 10.5 with `--path-separator '##'`.
    #[test]
    fn replaced_separators_are_what_fd_prints() {
        let lines = "\
##tmp##d.d##-m.x|-m.x|##tmp##d.d|##tmp##d.d##-m|-m
.##d.d##-m.x|-m.x|.##d.d|d.d##-m|-m
.##-q.x|-q.x|.|-q|-q
.##..x|..x|.||
sub##..y|..y|sub|sub|
...z|...z|.|..|..
##bin|bin|##|##bin|bin";
        for line in lines.lines() {
            let path = line.split('|').next().unwrap_or_default();
            assert_eq!(cut(path, &Separator::new(b"##")).join("|"), line);
        }
    }

    #[test]
    fn the_root_is_its_own_name_and_parent() {
        assert_eq!(cut("/", &Separator::default()), ["/"; 5].map(str::to_owned));
    }

    /// fd's pieces in the terms of `std::path`.
    fn reference(path: &Path) -> [OsString; 4] {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => path,
        };
        let strip = |dir: &Path, path: &Path| {
            let joined: PathBuf = dir.join(path.file_stem().unwrap_or(path.as_os_str()));
            joined.strip_prefix(".").unwrap_or(&joined).as_os_str().to_owned()
        };
        let stem = strip(Path::new("."), Path::new(name));
        [name.to_owned(), parent.as_os_str().to_owned(), strip(parent, path), stem]
    }

    proptest! {
        #[test]
        fn pieces_agree_with_std_path(path in "(/|\\./|[ab./-]{0,6}/)?([ab.-]{1,5}/){0,2}[ab.-]{1,6}") {
            let name = path.rsplit('/').next().unwrap_or_default();
            prop_assume!(name != "." && name != "..");
            let [_, name, parent, without, stem] = cut(&path, &Separator::default());
            let expected = reference(Path::new(&path));
            prop_assert_eq!([name, parent, without, stem].map(OsString::from), expected, "{}", path);
        }
    }
}
