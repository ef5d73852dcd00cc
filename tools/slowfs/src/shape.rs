//! The shape of the tree, and the arithmetic between inode numbers and places in it.
//!
//! All directories of one depth hold the same number of directories and files. Inode numbers run
//! depth by depth, at each depth first the directories and then the files:
//!
//! ```text
//! depth 0   1                              the root
//!           2 .. 2+files                   its files
//! depth 1   next ..                        all directories of depth 1, in order of their parents
//!           next ..                        all their files
//! ```
//!
//! So the number of an inode gives its depth and position, and the position gives parent and
//! ordinal by one division. No table of entries is needed.

/// The root's inode number, fixed by FUSE.
pub const ROOT: u64 = 1;

/// What each directory of one depth holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Directories in each directory of this depth.
    pub dirs: u64,
    /// Files (links among them) in each directory of this depth.
    pub files: u64,
}

/// A level with its inode numbers.
#[derive(Clone, Copy, Debug)]
struct Placed {
    level: Level,
    /// Inode of the first directory of this depth.
    first_dir: u64,
    /// Inode of the first file in a directory of this depth; the directories end here.
    first_file: u64,
}

/// Directory or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A directory.
    Dir,
    /// A file or link.
    File,
}

/// Where an inode is in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Directory or file.
    pub slot: Slot,
    /// Depth of the entry itself; the root is 0.
    pub depth: usize,
    /// Inode of its directory; the root is its own.
    pub parent: u64,
    /// Position among its directory's entries of the same slot.
    pub ordinal: u64,
}

/// The whole tree's shape.
#[derive(Clone, Debug)]
pub struct Shape {
    levels: Vec<Placed>,
    /// One past the last inode number.
    end: u64,
}

impl Shape {
    /// One directory of `files` files.
    ///
    /// # Errors
    /// When inode numbers would overflow.
    pub fn flat(files: u64) -> Result<Shape, String> {
        Shape::new(&[Level { dirs: 0, files }])
    }

    /// `dirs` directories of `files` files each in the root.
    ///
    /// # Errors
    /// When inode numbers would overflow.
    pub fn grid(dirs: u64, files: u64) -> Result<Shape, String> {
        Shape::new(&[Level { dirs, files: 0 }, Level { dirs: 0, files }])
    }

    /// `fanout` directories in every directory down to `depth`, and `files` files in each
    /// directory, the root included.
    ///
    /// # Errors
    /// When inode numbers would overflow.
    pub fn nested(depth: usize, fanout: u64, files: u64) -> Result<Shape, String> {
        let mut levels = vec![Level { dirs: fanout, files }; depth];
        levels.push(Level { dirs: 0, files });
        Shape::new(&levels)
    }

    /// A tree of these levels, the root's first; the last must hold no directories.
    ///
    /// # Errors
    /// When inode numbers would overflow.
    fn new(levels: &[Level]) -> Result<Shape, String> {
        let mut shape = Shape { levels: Vec::with_capacity(levels.len()), end: ROOT };
        let mut dirs_here = 1;
        for &level in levels {
            dirs_here = shape.push(level, dirs_here).ok_or("the tree has too many entries")?;
        }
        Ok(shape)
    }

    /// Appends a level of `dirs_here` directories; returns how many the next level has.
    fn push(&mut self, level: Level, dirs_here: u64) -> Option<u64> {
        let first_file = self.end.checked_add(dirs_here)?;
        self.levels.push(Placed { level, first_dir: self.end, first_file });
        // A quarter of the range stays free, so readdir offsets and signed casts need no further
        // check.
        self.end = first_file
            .checked_add(dirs_here.checked_mul(level.files)?)
            .filter(|&end| end < u64::MAX / 4)?;
        dirs_here.checked_mul(level.dirs)
    }

    /// The place of `ino`, if there is such an entry.
    pub fn place(&self, ino: u64) -> Option<Place> {
        if ino == 0 || ino >= self.end {
            return None;
        }
        if ino == ROOT {
            return Some(Place { slot: Slot::Dir, depth: 0, parent: ROOT, ordinal: 0 });
        }
        // Levels without directories (below a fanout of 0) are empty ranges, and are never found.
        let depth = self.levels.partition_point(|placed| placed.first_dir <= ino) - 1;
        let placed = &self.levels[depth];
        let (slot, index, each, holder, depth) = if ino < placed.first_file {
            let holder = &self.levels[depth - 1];
            (Slot::Dir, ino - placed.first_dir, holder.level.dirs, holder, depth)
        } else {
            (Slot::File, ino - placed.first_file, placed.level.files, placed, depth + 1)
        };
        Some(Place { slot, depth, parent: holder.first_dir + index / each, ordinal: index % each })
    }

    /// The contents of directory `dir`; `None` if `dir` is not a directory.
    pub fn level(&self, dir: u64) -> Option<Level> {
        let place = self.place(dir).filter(|place| place.slot == Slot::Dir)?;
        Some(self.levels[place.depth].level)
    }

    /// The inode of the entry in `dir` at this slot and ordinal; `None` if there is none.
    pub fn child(&self, dir: u64, slot: Slot, ordinal: u64) -> Option<u64> {
        let place = self.place(dir).filter(|place| place.slot == Slot::Dir)?;
        let here = &self.levels[place.depth];
        let (first, each) = match slot {
            Slot::Dir => (self.levels.get(place.depth + 1)?.first_dir, here.level.dirs),
            Slot::File => (here.first_file, here.level.files),
        };
        (ordinal < each).then(|| first + (dir - here.first_dir) * each + ordinal)
    }

    /// All entries, the root included.
    pub fn total(&self) -> u64 {
        self.end - ROOT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks down by `child` and checks that `place` agrees; returns the entries seen.
    fn walk(shape: &Shape, dir: u64, depth: usize, seen: &mut Vec<u64>) {
        let level = shape.level(dir).expect("a directory");
        for (slot, count) in [(Slot::Dir, level.dirs), (Slot::File, level.files)] {
            for ordinal in 0..count {
                let ino = shape.child(dir, slot, ordinal).expect("an entry");
                let place = Place { slot, depth: depth + 1, parent: dir, ordinal };
                assert_eq!(shape.place(ino), Some(place));
                seen.push(ino);
                if slot == Slot::Dir {
                    walk(shape, ino, depth + 1, seen);
                }
            }
            assert_eq!(shape.child(dir, slot, count), None);
        }
    }

    #[test]
    fn numbers_and_places_agree() {
        let shapes = [
            Shape::flat(0),
            Shape::flat(25),
            Shape::grid(7, 3),
            Shape::grid(0, 3),
            Shape::nested(3, 4, 2),
            Shape::nested(60, 1, 1),
            Shape::nested(3, 0, 2),
        ];
        for shape in shapes.map(|shape| shape.expect("a small tree")) {
            let mut seen = vec![ROOT];
            walk(&shape, ROOT, 0, &mut seen);
            seen.sort_unstable();
            assert_eq!(seen, (ROOT..=shape.total()).collect::<Vec<_>>(), "{shape:?}");
            assert_eq!(shape.place(shape.total() + 1), None);
            assert_eq!(shape.place(0), None);
        }
    }

    #[test]
    fn overflow_is_refused() {
        assert!(Shape::nested(64, 10, 1).is_err());
        assert!(Shape::grid(u64::MAX, 1).is_err());
        assert!(Shape::flat(u64::MAX / 4).is_err());
    }
}
