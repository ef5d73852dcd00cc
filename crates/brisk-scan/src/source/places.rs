//! [`Places`]: where the rows of a table are: below which root, and at which path.

use std::borrow::Cow;

use brisk_sys::slashed::{below, by_component, components, prefix};

/// The roots of a table.
#[derive(Debug)]
pub(crate) struct Places {
    /// The absolute paths of the roots, without those in others, in the order of a walk.
    roots: Vec<Vec<u8>>,
    /// In the order of their paths.
    given: Vec<GivenRoot>,
}

/// A root as the user gave it.
#[derive(Debug)]
struct GivenRoot {
    path: Vec<u8>,
    /// What the paths of entries begin with.
    prefix: Vec<u8>,
    /// The number of the root that holds this one, and the path of this one below it.
    root: u16,
    below: Vec<u8>,
}

impl Places {
    /// The roots of these two lists: as they were given, and their absolute paths. `None` if they
    /// are not that.
    pub fn new(given: &[Vec<u8>], absolute: &[Vec<u8>]) -> Option<Places> {
        if given.is_empty() || given.len() != absolute.len() {
            return None;
        }
        let is_inner = |path: &Vec<u8>| {
            absolute.iter().any(|above| above != path && below(path, above).is_some())
        };
        let mut roots: Vec<_> = absolute.iter().filter(|path| !is_inner(path)).cloned().collect();
        roots.sort_by(|a, b| components(a).cmp(components(b)));
        roots.dedup();
        let given = given.iter().zip(absolute).map(|(path, absolute)| {
            let holds = |root: &Vec<u8>| below(absolute, root);
            let (root, below) =
                (0..).zip(&roots).find_map(|(at, root)| Some((at, holds(root)?.to_vec())))?;
            Some(GivenRoot { path: path.clone(), prefix: prefix(path.clone()), root, below })
        });
        let mut given = given.collect::<Option<Vec<_>>>()?;
        given.sort_by(|a, b| by_component(&a.path, &b.path));
        Some(Places { roots, given })
    }

    /// The absolute paths of the roots.
    pub fn roots(&self) -> &[Vec<u8>] {
        &self.roots
    }

    /// The root of a row, and the path below it.
    pub fn find<'a>(&self, path: &'a [u8], depth: Option<u32>) -> Option<(u16, Cow<'a, [u8]>)> {
        let (given, rest) = self.find_given(path, depth)?;
        let given = &self.given[usize::from(given)];
        Some(match rest {
            rest if given.below.is_empty() => (given.root, rest.into()),
            [] => (given.root, given.below.clone().into()),
            rest => (given.root, [&given.below, &b"/"[..], rest].concat().into()),
        })
    }

    /// The root of a row as the user gave it, by its number, and the path below it. If several
    /// roots were given, the depth says which of them the path begins with.
    pub fn find_given<'a>(&self, path: &'a [u8], depth: Option<u32>) -> Option<(u16, &'a [u8])> {
        let rest = |given: &GivenRoot| {
            if path == given.path { Some(&[][..]) } else { path.strip_prefix(&given.prefix[..]) }
        };
        let fits =
            |rest: &[u8]| depth.is_none_or(|depth| components(rest).count() == depth as usize);
        match &self.given[..] {
            [given] => Some((0, rest(given)?)),
            all => {
                let places = (0..).zip(all).filter_map(|(at, given)| Some((at, rest(given)?)));
                places.filter(|(_, rest)| fits(rest)).min_by_key(|(_, rest)| rest.len())
            }
        }
    }

    /// A root as the user gave it, and what the paths of entries below it begin with.
    pub fn given(&self, number: u16) -> Option<(&[u8], &[u8])> {
        let given = self.given.get(usize::from(number))?;
        Some((&given.path, &given.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(pairs: &[(&str, &str)]) -> Places {
        let (given, absolute): (Vec<_>, Vec<_>) =
            pairs.iter().map(|(given, absolute)| (Vec::from(*given), Vec::from(*absolute))).unzip();
        Places::new(&given, &absolute).unwrap()
    }

    fn found(places: &Places, path: &str, depth: u32) -> Option<(u16, String)> {
        let (root, path) = places.find(path.as_bytes(), Some(depth))?;
        Some((root, String::from_utf8(path.into_owned()).unwrap()))
    }

    #[test]
    fn the_root_of_each_row_is_found() {
        let of = |root, path: &str| Some((root, path.to_owned()));
        for (given, row) in [("t", "t/a/b"), ("t/", "t/a/b"), (".", "./a/b"), ("/", "/a/b")] {
            let places = places(&[(given, "/x")]);
            assert_eq!(found(&places, row, 2), of(0, "a/b"));
            assert_eq!(found(&places, given, 0), of(0, ""));
            assert_eq!(found(&places, "elsewhere", 0), None);
        }
        let places = places(&[("b", "/p/b"), ("a", "/p/a"), ("a/l", "/p/b/c"), ("a//", "/p/a")]);
        assert_eq!(places.roots(), [b"/p/a", b"/p/b"]);
        assert_eq!(found(&places, "a/l", 1), of(0, "l"));
        // By this root the directory that a link leads to was given.
        assert_eq!(found(&places, "a/l", 0), of(1, "c"));
        assert_eq!(found(&places, "a/l/x", 1), of(1, "c/x"));
        assert_eq!(found(&places, "a//x", 1), of(0, "x"));
    }

    #[test]
    fn each_root_has_an_absolute_path() {
        assert!(Places::new(&[b"a".to_vec()], &[]).is_none());
    }
}
