//! Wrong listings of directories.
//!
//! A listing is a row of positions: `.` and `..`, then the entries, each once or twice. A request
//! names the position where it goes on, and each entry comes with the position after it:
//!
//! ```text
//! honest         0 1 2 3 4 … end
//! --duplicates   0 1 2 2 3 3 4 4 … end     (places count on: 2 3 4 5 …)
//! --live-offsets 0 1 2 3 4 … end, where a position counts the entries that are left before it
//! --endless      0 1 2 3 4 … end, then more-1 more-2 …
//! --endless-same 0 1 2 3 4 … end, then place 2 again
//! ```

use std::ffi::{OsStr, OsString};

use crate::look::Kind;
use crate::tree::{Entry, Tree};

/// The first inode number of entries that only an endless directory has; no tree has so many.
pub const ENDLESS: u64 = 1 << 62;

/// The position of the first entry: before it are `.` and `..`.
const FIRST: u64 = 2;

/// What is wrong with listings.
#[derive(Clone, Debug, Default)]
pub struct Lies {
    /// Types differ from those that stat reports: directories are files, all else is a directory.
    pub types: bool,
    /// Every inode number is 0.
    pub zero_inodes: bool,
    /// Each entry is listed twice.
    pub duplicates: bool,
    /// A position counts the entries that are left before it, so that a removal shifts all that
    /// come later.
    pub live_offsets: bool,
    /// Names of files begin with a slash.
    pub slash_names: bool,
    /// Directories that go on with new names for ever; the root is `/`.
    pub endless: Vec<OsString>,
    /// Directories that begin again at their end.
    pub endless_same: Vec<OsString>,
}

/// A directory as it is listed.
pub struct Listing<'a> {
    lies: &'a Lies,
    tree: &'a Tree,
    dir: u64,
    /// The number of entries that the directory really has.
    entries: u64,
    endless: bool,
    endless_same: bool,
}

impl Lies {
    /// The listing of a directory; `None` if `dir` is none.
    pub fn listing<'a>(&'a self, tree: &'a Tree, dir: u64) -> Option<Listing<'a>> {
        let level = tree.shape.level(dir)?;
        Some(Listing {
            lies: self,
            tree,
            dir,
            entries: level.dirs + level.files,
            endless: self.is_endless(tree, dir),
            endless_same: named(&self.endless_same, tree, dir),
        })
    }

    /// Whether a directory goes on with ever new names.
    pub fn is_endless(&self, tree: &Tree, dir: u64) -> bool {
        named(&self.endless, tree, dir)
    }

    /// The inode of a name that only an endless directory has.
    pub fn lookup(&self, tree: &Tree, dir: u64, name: &OsStr) -> Option<u64> {
        let number = name.to_str()?.strip_prefix("more-")?.parse::<u64>().ok()?;
        let there = number < ENDLESS && self.is_endless(tree, dir) && name == &*more(number);
        there.then_some(ENDLESS + number)
    }
}

/// Whether the name of `dir` is in `names`.
fn named(names: &[OsString], tree: &Tree, dir: u64) -> bool {
    !names.is_empty() && tree.name(dir).is_some_and(|name| names.iter().any(|n| *n == *name))
}

/// A name that only an endless directory has.
fn more(number: u64) -> OsString {
    format!("more-{number}").into()
}

impl<'a> Listing<'a> {
    /// How often each entry is listed.
    fn copies(&self) -> u64 {
        1 + u64::from(self.lies.duplicates)
    }

    /// The position at which a directory with an end ends.
    pub fn end(&self) -> u64 {
        FIRST + self.entries * self.copies()
    }

    /// The entries from a position on, each with the position after it.
    pub fn from(self, place: u64) -> impl Iterator<Item = (u64, Entry)> + 'a {
        // A reply never goes round a directory more than once: all of its entries may be removed.
        let limit = if self.endless { usize::MAX } else { self.end() as usize };
        let mut at = place;
        let entry = move || {
            let entry = self.at(at)?;
            at = if self.endless_same && at + 1 == self.end() { FIRST } else { at + 1 };
            Some((at, entry))
        };
        std::iter::from_fn(entry).take(limit)
    }

    /// The entry at a position.
    fn at(&self, place: u64) -> Option<Entry> {
        if place < FIRST {
            return self.tree.entry(self.dir, place);
        }
        let number = (place - FIRST) / self.copies();
        if number < self.entries {
            return self.tree.entry(self.dir, FIRST + number).map(|entry| self.changed(entry));
        }
        let number = number - self.entries;
        let name = format!("more-{number}");
        self.endless
            .then(|| self.changed(Entry { ino: ENDLESS + number, kind: Kind::Regular, name }))
    }

    /// An entry as it is listed wrongly.
    fn changed(&self, mut entry: Entry) -> Entry {
        if self.lies.slash_names && entry.kind != Kind::Dir {
            entry.name.insert(0, '/');
        }
        if self.lies.types {
            entry.kind = if entry.kind == Kind::Dir { Kind::Regular } else { Kind::Dir };
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::Look;
    use crate::shape::{ROOT, Shape};

    fn tree() -> Tree {
        Tree { shape: Shape::grid(1, 2).expect("a small tree"), look: Look::default() }
    }

    fn names(lies: &Lies, dir: u64, place: u64, count: usize) -> Vec<(u64, String)> {
        let tree = tree();
        let listing = lies.listing(&tree, dir).expect("a directory").from(place);
        listing.map(|(next, entry)| (next, entry.name)).take(count).collect()
    }

    fn owned(names: &[(u64, &str)]) -> Vec<(u64, String)> {
        names.iter().map(|(next, name)| (*next, (*name).to_owned())).collect()
    }

    #[test]
    fn twice_and_going_on_in_the_middle() {
        let lies = Lies { duplicates: true, ..Lies::default() };
        let dir = ROOT + 1;
        let all = owned(&[(3, "file-000"), (4, "file-000"), (5, "file-001"), (6, "file-001")]);
        assert_eq!(names(&lies, dir, 2, 9), all);
        assert_eq!(names(&lies, dir, 3, 9), all[1..]);
    }

    #[test]
    fn endless_names_are_found() {
        let lies = Lies { endless: vec!["/".into()], ..Lies::default() };
        let listed = names(&lies, ROOT, 2, 3);
        assert_eq!(listed, owned(&[(3, "dir-000"), (4, "more-0"), (5, "more-1")]));
        let tree = tree();
        let found = |dir, name: &str| lies.lookup(&tree, dir, OsStr::new(name));
        assert_eq!(found(ROOT, "more-1"), Some(ENDLESS + 1));
        assert_eq!((found(ROOT, "more-01"), found(ROOT + 1, "more-1")), (None, None));
    }

    #[test]
    fn the_same_names_again() {
        let lies = Lies { endless_same: vec!["dir-000".into()], ..Lies::default() };
        let dir = ROOT + 1;
        let round = [(3, "file-000"), (2, "file-001")];
        assert_eq!(names(&lies, dir, 2, 4), owned(&[round, round].concat()));
        assert_eq!(names(&lies, ROOT, 2, 4), owned(&[(3, "dir-000")]), "only the named one");
    }

    #[test]
    fn types_and_slashes() {
        let lies = Lies { types: true, slash_names: true, ..Lies::default() };
        let tree = tree();
        let kinds = |dir, place| {
            let listing = lies.listing(&tree, dir).expect("a directory");
            let (_, entry) = listing.from(place).next().expect("an entry");
            (entry.kind, entry.name)
        };
        assert_eq!(kinds(ROOT, 2), (Kind::Regular, "dir-000".to_owned()));
        assert_eq!(kinds(ROOT + 1, 2), (Kind::Dir, "/file-000".to_owned()));
        assert_eq!(kinds(ROOT, 0), (Kind::Dir, ".".to_owned()));
    }
}
