//! Names, lookup and directory entries, from shape and look.
//!
//! Directories are called `dir-000`, regular files `file-000`, links `link-000`. The number is the
//! position in the directory, with as many digits as the directory's largest number, but at least
//! three.

use std::ffi::OsStr;

use crate::look::{Kind, Look};
use crate::shape::{Level, Place, ROOT, Shape, Slot};

/// A synthetic tree, computed from inode numbers.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Directories and files by depth.
    pub shape: Shape,
    /// Sizes, times, modes, links.
    pub look: Look,
}

/// One entry as a directory lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Inode number.
    pub ino: u64,
    /// What it is.
    pub kind: Kind,
    /// Its name; `.` and `..` are entries too.
    pub name: String,
}

/// How many entries are searched for a regular file that a link can lead to.
const NEIGHBOURS: u64 = 64;

impl Tree {
    /// The entry's kind, or `None` if there is no such inode.
    pub fn kind(&self, ino: u64) -> Option<Kind> {
        Some(self.look.kind(ino, self.shape.place(ino)?.slot))
    }

    /// The entry's name; `/` for the root.
    pub fn name(&self, ino: u64) -> Option<String> {
        if ino == ROOT {
            return Some("/".to_owned());
        }
        let place = self.shape.place(ino)?;
        Some(self.name_at(ino, place, self.shape.level(place.parent)?))
    }

    /// The name of an entry whose place and directory are known already.
    fn name_at(&self, ino: u64, place: Place, level: Level) -> String {
        let (stem, count) = match self.look.kind(ino, place.slot) {
            Kind::Dir => ("dir", level.dirs),
            Kind::Regular => ("file", level.files),
            _ => ("link", level.files),
        };
        format!("{stem}-{:0width$}", place.ordinal, width = digits(count))
    }

    /// The inode called `name` in directory `dir`.
    pub fn lookup(&self, dir: u64, name: &OsStr) -> Option<u64> {
        let text = name.to_str()?;
        let (stem, number) = text.split_once('-')?;
        let slot = match stem {
            "dir" => Slot::Dir,
            "file" | "link" => Slot::File,
            _ => return None,
        };
        let ino = self.shape.child(dir, slot, number.parse().ok()?)?;
        // The number alone would also accept `file-1`, `file-+01` and a link called `file-`.
        (self.name(ino)? == text).then_some(ino)
    }

    /// The entry at `position` of directory `dir`: `.`, `..`, the directories, then the rest.
    pub fn entry(&self, dir: u64, position: u64) -> Option<Entry> {
        let level = self.shape.level(dir)?;
        let (slot, ordinal) = match position {
            0 => return Some(Entry { ino: dir, kind: Kind::Dir, name: ".".to_owned() }),
            1 => {
                let ino = self.shape.place(dir)?.parent;
                return Some(Entry { ino, kind: Kind::Dir, name: "..".to_owned() });
            }
            position if position - 2 < level.dirs => (Slot::Dir, position - 2),
            position => (Slot::File, position - 2 - level.dirs),
        };
        let ino = self.shape.child(dir, slot, ordinal)?;
        let place = Place { slot, depth: 0, parent: dir, ordinal };
        let kind = self.look.kind(ino, slot);
        Some(Entry { ino, kind, name: self.name_at(ino, place, level) })
    }

    /// Where the link `ino` leads; `None` if it is not a link.
    pub fn target(&self, ino: u64) -> Option<String> {
        match self.kind(ino)? {
            Kind::Dir | Kind::Regular => None,
            Kind::Dangling => Some("missing".to_owned()),
            Kind::LinkToDir => Some(".".to_owned()),
            Kind::LinkToFile => Some(self.regular_near(ino).unwrap_or_else(|| ".".to_owned())),
        }
    }

    /// The name of a regular file that follows `ino` in its directory, wrapping at the end.
    fn regular_near(&self, ino: u64) -> Option<String> {
        let place = self.shape.place(ino)?;
        let files = self.shape.level(place.parent)?.files;
        (1..files.min(NEIGHBOURS)).find_map(|step| {
            let near =
                self.shape.child(place.parent, Slot::File, (place.ordinal + step) % files)?;
            if self.kind(near)? == Kind::Regular { self.name(near) } else { None }
        })
    }
}

/// The digits of the largest ordinal below `count`, at least three.
fn digits(count: u64) -> usize {
    count.saturating_sub(1).checked_ilog10().map_or(3, |log| (log as usize + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(shape: Result<Shape, String>, links: u8) -> Tree {
        Tree { shape: shape.expect("a small tree"), look: Look { links, ..Look::default() } }
    }

    #[test]
    fn names() {
        let grid = tree(Shape::grid(1_001, 10), 0);
        let first = grid.lookup(ROOT, OsStr::new("dir-0000")).expect("padded to four digits");
        let file = grid.lookup(first, OsStr::new("file-009")).expect("three digits at least");
        assert_eq!(grid.name(file).as_deref(), Some("file-009"));
        assert!(grid.lookup(ROOT, OsStr::new("dir-1000")).is_some());
        for wrong in ["dir-1001", "dir-000", "dir-+001", "file-0000", "link-000", "dir", ".", ""] {
            assert_eq!(grid.lookup(ROOT, OsStr::new(wrong)), None, "{wrong}");
        }
    }

    #[test]
    fn listed_entries_are_found_by_name() {
        let tree = tree(Shape::nested(2, 3, 40), 30);
        let mut dirs = vec![ROOT];
        let mut seen = 1;
        while let Some(dir) = dirs.pop() {
            let entries: Vec<_> = (2..).map_while(|at| tree.entry(dir, at)).collect();
            for entry in entries {
                assert_eq!(tree.lookup(dir, OsStr::new(&entry.name)), Some(entry.ino));
                assert_eq!(tree.kind(entry.ino), Some(entry.kind));
                if entry.kind == Kind::Dir {
                    dirs.push(entry.ino);
                }
                seen += 1;
            }
        }
        assert_eq!(seen, tree.shape.total());
    }

    #[test]
    fn links_lead_where_their_kind_says() {
        let tree = tree(Shape::flat(500), 30);
        let mut links = 0;
        for entry in (2..).map_while(|at| tree.entry(ROOT, at)).filter(|e| e.kind.is_link()) {
            links += 1;
            let target = tree.target(entry.ino).expect("a link has a target");
            let found = tree.lookup(ROOT, OsStr::new(&target)).and_then(|ino| tree.kind(ino));
            match entry.kind {
                Kind::LinkToFile => assert_eq!(found, Some(Kind::Regular)),
                Kind::LinkToDir => assert_eq!(target, "."),
                _ => assert_eq!(found, None),
            }
        }
        assert!((100..200).contains(&links), "{links}");
    }
}
