//! What a tree is like: for each path everything that a change may change, with the contents. Two
//! of these, compared, are what `brisk changed` must find.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The kind of file in a mode, and the permissions.
const KIND: u32 = 0o170_000;
pub const DIRECTORY: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
pub const FILE: u32 = 0o100_000;

/// What is known of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub kind: u32,
    pub permissions: u32,
    owner: (u32, u32),
    pub inode: u64,
    size: u64,
    times: [i64; 4],
    /// The bytes of a file, or the target of a link.
    pub contents: Vec<u8>,
}

/// The entries of a tree by their paths below its top, without git's.
pub type Snapshot = BTreeMap<Vec<u8>, Record>;

/// Takes a snapshot.
pub fn taken(top: &Path) -> Snapshot {
    let mut snapshot = Snapshot::new();
    add(top, &mut Vec::new(), &mut snapshot);
    snapshot
}

fn add(dir: &Path, below: &mut Vec<u8>, snapshot: &mut Snapshot) {
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if name == ".git" {
            continue;
        }
        let length = below.len();
        if length > 0 {
            below.push(b'/');
        }
        below.extend_from_slice(name.as_bytes());
        let record = Record::of(&entry.path());
        if record.kind == DIRECTORY {
            add(&entry.path(), below, snapshot);
        }
        snapshot.insert(below.clone(), record);
        below.truncate(length);
    }
}

impl Record {
    fn of(path: &Path) -> Record {
        let told = fs::symlink_metadata(path).unwrap();
        let kind = told.mode() & KIND;
        Record {
            kind,
            permissions: told.mode() & !KIND,
            owner: (told.uid(), told.gid()),
            inode: told.ino(),
            size: if kind == DIRECTORY { 0 } else { told.size() },
            times: match kind {
                DIRECTORY => [0; 4],
                _ => [told.mtime(), told.mtime_nsec(), told.ctime(), told.ctime_nsec()],
            },
            contents: match kind {
                FILE => fs::read(path).unwrap(),
                LINK => fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec(),
                _ => Vec::new(),
            },
        }
    }

    /// The letter of the change from `self` to `now`, if there is one.
    fn letter(&self, now: &Record, trusts_inodes: bool) -> Option<char> {
        if self.kind != now.kind {
            return Some('T');
        }
        let decides = trusts_inodes && self.kind != DIRECTORY;
        let inode = if decides { now.inode } else { self.inode };
        (Record { inode: self.inode, ..now.clone() } != *self || inode != self.inode).then_some('M')
    }

    /// Whether git may not see a difference of contents: it compares whole seconds of times, unless
    /// it is built to compare more.
    fn hides_from_git(&self, now: &Record) -> bool {
        let seen = |record: &Record| {
            (record.kind, record.size, record.inode, record.times[0], record.times[2])
        };
        seen(self) == seen(now)
    }

    /// Whether git sees a difference.
    fn differs_for_git(&self, now: &Record) -> bool {
        let seen = |record: &Record| (record.kind, record.permissions & 0o100);
        seen(self) != seen(now) || self.contents != now.contents
    }
}

/// The letter of each path that changed.
pub fn changes(before: &Snapshot, now: &Snapshot, trusts_inodes: bool) -> BTreeMap<Vec<u8>, char> {
    let mut found = BTreeMap::new();
    for (path, record) in now {
        let letter = match before.get(path) {
            None => Some('A'),
            Some(before) => before.letter(record, trusts_inodes),
        };
        found.extend(letter.map(|letter| (path.clone(), letter)));
    }
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    found.extend(gone.map(|path| (path.clone(), 'D')));
    found
}

/// The paths at which git sees a difference.
pub fn changes_for_git(before: &Snapshot, now: &Snapshot) -> BTreeSet<Vec<u8>> {
    let paths: BTreeSet<&Vec<u8>> = before.keys().chain(now.keys()).collect();
    let tracked = |snapshot: &'_ Snapshot, path: &Vec<u8>| {
        snapshot.get(path).filter(|record| [FILE, LINK].contains(&record.kind)).cloned()
    };
    let differs = |path: &Vec<u8>| match (tracked(before, path), tracked(now, path)) {
        (Some(before), Some(now)) => before.differs_for_git(&now),
        (before, now) => before.is_some() != now.is_some(),
    };
    paths.into_iter().filter(|path| differs(path)).cloned().collect()
}

/// Whether git may miss that the contents at this path changed.
pub fn may_hide_from_git(before: &Snapshot, now: &Snapshot, path: &[u8]) -> bool {
    before.get(path).zip(now.get(path)).is_some_and(|(before, now)| before.hides_from_git(now))
}
