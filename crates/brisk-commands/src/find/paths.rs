//! Paths as they are displayed: without `./` where the user wants that and it is safe, and with
//! another separator if the user names one. Also, roots as the walk takes them.

use std::io;
use std::path::{Path, PathBuf};

use crate::show::template::parts::Separator;
use crate::system;

/// How paths are displayed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paths {
    /// Whether `./` is left out, except before a dash.
    pub(crate) strip: bool,
    /// What stands in the place of `/`.
    pub(crate) separator: Separator,
}

impl Paths {
    /// The beginning that the displayed paths of a directory's entries share, or `None` if it
    /// depends on the name: a path must not begin with a dash.
    #[inline]
    pub(crate) fn shared_prefix<'a>(&self, prefix: &'a [u8]) -> Option<&'a [u8]> {
        if !self.strip {
            return Some(prefix);
        }
        match prefix.strip_prefix(b"./") {
            None => Some(prefix),
            Some([]) => None,
            Some([b'-', ..]) => Some(prefix),
            Some(rest) => Some(rest),
        }
    }

    /// What is displayed before `name`, an entry of the directory whose paths begin with `prefix`.
    pub(crate) fn prefix<'a>(&self, prefix: &'a [u8], name: &[u8]) -> &'a [u8] {
        match self.shared_prefix(prefix) {
            Some(shared) => shared,
            None if name.starts_with(b"-") => prefix,
            None => b"",
        }
    }

    /// Appends the displayed path of `name` in the directory whose paths begin with `prefix`.
    pub(crate) fn append(&self, prefix: &[u8], name: &[u8], out: &mut Vec<u8>) {
        self.separator.write(self.prefix(prefix, name), out);
        out.extend_from_slice(name);
    }
}

/// A root as the walk takes it: resolved if paths are to be absolute.
///
/// # Errors
/// Why the path cannot be resolved.
pub(crate) fn root(path: &Path, absolute: bool) -> io::Result<PathBuf> {
    if absolute {
        return system::absolute(path);
    }
    if path == Path::new(".") {
        // Also "./." and ".//", whose components are the same.
        return Ok(PathBuf::from("./"));
    }
    Ok(match path.as_os_str().as_encoded_bytes() {
        // Some programs take a dash for standard input.
        b"-" => PathBuf::from("./-"),
        _ => system::root(path),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &Paths, prefix: &str, name: &str) -> String {
        let mut out = Vec::new();
        paths.append(prefix.as_bytes(), name.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_current_directory_is_stripped_unless_a_dash_would_come_first() {
        let paths = Paths { strip: true, separator: Separator::new(b"/") };
        assert_eq!(shown(&paths, "./", "a"), "a");
        assert_eq!(shown(&paths, "./", "-a"), "./-a");
        assert_eq!(shown(&paths, "./-d/", "a"), "./-d/a");
        assert_eq!(shown(&paths, "./d/", "-a"), "d/-a");
        assert_eq!(shown(&paths, "../d/", "a"), "../d/a");
        assert_eq!(shown(&Paths { strip: false, ..paths }, "./", "a"), "./a");
    }

    #[test]
    fn separators_are_replaced_in_what_is_left() {
        let paths = Paths { strip: true, separator: Separator::new(b"::") };
        assert_eq!(shown(&paths, "./a/b/", "c"), "a::b::c");
        assert_eq!(shown(&paths, "./", "-c"), ".::-c");
    }

    #[test]
    #[cfg(unix)]
    fn roots() {
        for path in [".", "./", ".//", "./.", ".//./"] {
            assert_eq!(root(Path::new(path), false).unwrap().as_os_str(), "./", "{path}");
        }
        assert_eq!(root(Path::new("-"), false).unwrap().as_os_str(), "./-");
        assert_eq!(root(Path::new("a//b"), false).unwrap().as_os_str(), "a//b");
        assert_eq!(root(Path::new("/usr/../usr"), true).unwrap().as_os_str(), "/usr");
        assert!(root(Path::new("/no/such/file"), true).is_err());
    }
}
