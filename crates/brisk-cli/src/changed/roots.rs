//! Where the changes are looked for, and how paths there are displayed: as the user spelled the
//! directory, joined with the way from it.

use std::path::{Path, PathBuf};

use brisk_state::Place;
use brisk_sys::paths::with_slashes;

/// The directories that the user named.
pub(super) struct Roots {
    pub(super) walked: Vec<PathBuf>,
    /// What the displayed paths of their entries begin with.
    prefixes: Vec<Vec<u8>>,
}

impl Roots {
    /// Of no paths: the current directory, whose entries are displayed without `./`.
    pub(super) fn new(paths: &[PathBuf]) -> Roots {
        if paths.is_empty() {
            return Roots { walked: vec![PathBuf::from(".")], prefixes: vec![Vec::new()] };
        }
        Roots { walked: paths.to_vec(), prefixes: paths.iter().map(|path| prefix(path)).collect() }
    }

    /// The roots as they are displayed.
    pub(super) fn shown(&self) -> impl Iterator<Item = Vec<u8>> {
        self.walked.iter().map(|path| with_slashes(path))
    }

    /// Appends the displayed path. One that would begin with a dash begins with `./`, so that no
    /// program takes the path for an option.
    pub(super) fn append(&self, place: &Place, out: &mut Vec<u8>) {
        let prefix = self.prefixes.get(place.root).map_or(&b""[..], Vec::as_slice);
        let at = out.len();
        if place.path.is_empty() {
            // The root itself, as the user spelled it.
            out.extend(
                self.walked.get(place.root).map(|path| with_slashes(path)).unwrap_or_default(),
            );
        } else {
            out.extend_from_slice(prefix);
            out.extend_from_slice(&place.path);
        }
        if out[at..].starts_with(b"-") {
            out.splice(at..at, *b"./");
        }
    }

    /// The displayed path.
    pub(super) fn path(&self, place: &Place) -> Vec<u8> {
        let mut out = Vec::new();
        self.append(place, &mut out);
        out
    }
}

fn prefix(path: &Path) -> Vec<u8> {
    let mut prefix = with_slashes(path);
    if !prefix.ends_with(b"/") {
        prefix.push(b'/');
    }
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(roots: &[&str], root: usize, path: &str) -> String {
        let paths: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let place = Place { root, path: path.into() };
        String::from_utf8(Roots::new(&paths).path(&place)).unwrap()
    }

    #[test]
    fn paths_are_spelled_as_the_user_spelled_the_directory() {
        assert_eq!(shown(&[], 0, "a/b"), "a/b");
        assert_eq!(shown(&[], 0, "-a"), "./-a");
        assert_eq!(shown(&[], 0, ""), ".");
        assert_eq!(shown(&["."], 0, "a"), "./a");
        assert_eq!(shown(&["src", "/x//"], 0, "a"), "src/a");
        assert_eq!(shown(&["src", "/x//"], 1, "a"), "/x//a");
        assert_eq!(shown(&["src/"], 0, ""), "src/");
        assert_eq!(shown(&["../s"], 0, "a"), "../s/a");
    }
}
