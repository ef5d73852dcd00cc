//! Names that answer with an error instead of their metadata or entries.

use std::ffi::{OsStr, OsString};

/// Which names fail, and how. A name fails wherever in the tree it occurs; the root is `/`.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// EIO to lookup and getattr.
    pub eio: Vec<OsString>,
    /// EIO from readdir once half of the entries have been listed.
    pub eio_readdir: Vec<OsString>,
    /// EACCES to opendir.
    pub eacces: Vec<OsString>,
    /// EIO to unlink and rmdir.
    pub eio_remove: Vec<OsString>,
}

/// Whether `names` holds `name`, which is computed only if there is anything to compare.
pub fn listed<N: AsRef<OsStr>>(names: &[OsString], name: impl FnOnce() -> Option<N>) -> bool {
    !names.is_empty() && name().is_some_and(|name| names.iter().any(|n| n == name.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_whole() {
        let names = [OsString::from("file-001")];
        assert!(listed(&names, || Some("file-001")));
        assert!(!listed(&names, || Some("file-0011")));
        assert!(!listed(&names, || None::<&str>));
        assert!(!listed(&[], || -> Option<&str> { panic!("computed without need") }));
    }
}
