//! The directories in which changes are searched for, and how paths in them are displayed: the
//! directory as the user spelled it, joined with the path below it.

use std::path::{Path, PathBuf};

use brisk_state::RootedPath;
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed;

/// The current directory, as the walk takes it.
pub(crate) const CURRENT: &str = ".";

/// How the paths of changes are displayed.
pub(crate) struct DisplayedPaths {
    /// Whether a path may begin with a dash.
    may_begin_with_dash: bool,
    roots: Vec<Vec<u8>>,
    /// What the displayed paths of their entries begin with.
    prefixes: Vec<Vec<u8>>,
}

impl DisplayedPaths {
    /// `roots` are those of the report, whose numbers changes have. If the list `is_bare`, because
    /// the user named no directory, the entries of the current one are displayed without `./`.
    pub(crate) fn new(roots: &[PathBuf], is_bare: bool) -> DisplayedPaths {
        let prefix = |root: &PathBuf| match is_bare && root == Path::new(CURRENT) {
            true => Vec::new(),
            false => slashed::prefix(with_slashes(root)),
        };
        DisplayedPaths {
            may_begin_with_dash: false,
            roots: roots.iter().map(|root| with_slashes(root)).collect(),
            prefixes: roots.iter().map(prefix).collect(),
        }
    }

    /// One root, below which all paths are: they are displayed as they are.
    pub(crate) fn below() -> DisplayedPaths {
        let roots = vec![CURRENT.into()];
        let prefixes = vec![Vec::new()];
        DisplayedPaths { may_begin_with_dash: true, roots, prefixes }
    }

    /// The displayed path. One that would begin with a dash begins with `./`, so that no
    /// program takes the path for an option.
    pub(crate) fn path(&self, place: &RootedPath) -> Vec<u8> {
        // The root itself is displayed as the user spelled it.
        let all = if place.path.is_empty() { &self.roots } else { &self.prefixes };
        let mut path = [&all[place.root][..], &place.path].concat();
        if !self.may_begin_with_dash && path.starts_with(b"-") {
            path.splice(0..0, *b"./");
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(roots: &[&str], root: usize, path: &str) -> String {
        let is_bare = roots.is_empty();
        let roots = if is_bare { &[CURRENT] } else { roots };
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let place = RootedPath { root, path: path.into() };
        String::from_utf8(DisplayedPaths::new(&roots, is_bare).path(&place)).unwrap()
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
        let below =
            |path: &str| DisplayedPaths::below().path(&RootedPath { root: 0, path: path.into() });
        assert_eq!((below("-a"), below("")), (b"-a".to_vec(), b".".to_vec()));
    }
}
