//! A result's path, cut where fd's placeholders cut it: where `std::path` does.
//!
//! The path is the walk's, with `/` between its components. Another separator takes its place when a
//! piece is written, as with fd, so it may be any text, even one that occurs in names.

use std::ffi::OsString;

use brisk_sys::paths::bytes_to_path as as_path;

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

    /// Whether paths are displayed as the walk spells them.
    pub(crate) fn is_slash(&self) -> bool {
        *self.0 == *b"/"
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Appends a path with this separator in the place of each `/`.
    pub(crate) fn write(&self, path: &[u8], out: &mut Vec<u8>) {
        if self.is_slash() {
            return out.extend_from_slice(path);
        }
        for byte in path {
            out.extend_from_slice(if *byte == b'/' { &self.0 } else { std::slice::from_ref(byte) });
        }
    }
}

/// `{/}`: the last component. The name of the root directory is the root itself.
pub fn name(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(at) if at + 1 < path.len() => &path[at + 1..],
        _ => path,
    }
}

/// `{//}`: the part before the name, or `.` if there is none. The root's parent is the root.
pub fn parent(path: &[u8]) -> &[u8] {
    match as_path(path).parent().map(|dir| dir.as_os_str().as_encoded_bytes()) {
        None => path,
        Some(b"") => b".",
        Some(dir) => dir,
    }
}

/// `{.}`: appends the path without the name's extension, and without `./` in front.
pub fn without_extension(path: &[u8], separator: &Separator, out: &mut Vec<u8>) {
    if *path == *b"/" {
        return separator.write(path, out);
    }
    let stem = stem(name(path));
    let parent = as_path(parent(path));
    let below = parent.strip_prefix(".").ok();
    let dir = below.unwrap_or(parent).as_os_str().as_encoded_bytes();
    separator.write(dir, out);
    // A path without its `./` loses a trailing `/.` as well: `..x` comes out empty. So does a path
    // whose separators are replaced.
    if stem == b"." && (below.is_some() || !separator.is_slash()) {
        return;
    }
    if !dir.is_empty() && *dir != *b"/" {
        separator.write(b"/", out);
    }
    out.extend_from_slice(stem);
}

/// `{/.}`: the name without its extension. A stem of `.` (the name is `..x`) comes out empty.
pub fn stem_alone(path: &[u8]) -> &[u8] {
    match stem(name(path)) {
        b"." => b"",
        stem => stem,
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
        let path = path.as_bytes();
        let replaced = |piece: &[u8]| {
            let mut out = Vec::new();
            separator.write(piece, &mut out);
            out
        };
        let mut without = Vec::new();
        without_extension(path, separator, &mut without);
        let name = replaced(name(path));
        [replaced(path), name, replaced(parent(path)), without, replaced(stem_alone(path))]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
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
            let path = line.split('|').next().unwrap_or_default().replace("##", "/");
            assert_eq!(cut(&path, &Separator::new(b"##")).join("|"), line);
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
