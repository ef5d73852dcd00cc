//! [`Unique`]: in a walk that delivers each file once, which files were met before, by device and
//! inode.
//!
//! A file that can be met only once is neither looked up nor remembered:
//!
//! | entry | remembered |
//! |---|---|
//! | a file with several links | always |
//! | a file with one link | where links are followed, and while a root may turn out to be a file |
//! | a directory | where links are followed, there are several roots, or mounts are entered |
//!
//! A directory that was met before is not entered again, so that files with one link in it are met
//! once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::inodes::Inodes;
use crate::sched::lock;
use crate::tree::{Child, PackedNames};
use crate::{Entry, FileType, Meta};

/// The numbers of files that were met: a directory that was entered but not delivered, and any other
/// file.
const ENTERED: u32 = 1;
const HANDED_ON: u32 = 2;

/// What a walk that visits once remembers.
#[derive(Debug)]
pub(crate) struct Unique {
    /// Links are followed: any name may lead to any file.
    follows: bool,
    /// There are several roots, which may lead to the same directories.
    may_overlap: bool,
    /// Mount points are entered, so that a directory may have a second path.
    crosses_mounts: bool,
    /// The number of roots that are not known to be directories, if there are several roots. Never
    /// 0 if one of them is a file.
    open_roots: AtomicUsize,
    /// The files that were met.
    seen: Mutex<Inodes>,
}

impl Unique {
    /// For a walk over this many roots.
    pub fn new(roots: usize, follows: bool, crosses_mounts: bool) -> Unique {
        let may_overlap = roots > 1;
        Unique {
            follows,
            may_overlap,
            crosses_mounts,
            open_roots: AtomicUsize::new(if may_overlap { roots } else { 0 }),
            seen: Mutex::default(),
        }
    }

    /// The device and inode by which a file is looked up; `None` if the file cannot be met twice,
    /// or its device or inode is unknown.
    fn key(&self, file_type: FileType, meta: Option<&Meta>) -> Option<(u64, u64)> {
        let meta = meta?;
        let is_remembered = if file_type.is_dir() {
            self.follows || self.may_overlap || self.crosses_mounts
        } else {
            meta.nlink() != Some(1) || self.follows || self.open_roots.load(Ordering::Relaxed) > 0
        };
        if is_remembered { meta.identity() } else { None }
    }

    /// Whether this is the first time that a file is met. A directory that was entered before, but
    /// not delivered, is pruned and counts as new.
    pub fn is_first(&self, entry: &Entry<'_>) -> bool {
        let key = self.key(entry.file_type, entry.meta);
        key.is_none_or(|key| is_new(&mut lock(&self.seen), key, entry))
    }

    /// Of the entries that `which` chooses, removes those that were met before. Takes one lock at
    /// most.
    pub fn keep_first(&self, entries: &mut Vec<Entry<'_>>, which: fn(&Entry<'_>) -> bool) {
        let mut seen = None;
        entries.retain(|entry| {
            let key = which(entry).then(|| self.key(entry.file_type, entry.meta)).flatten();
            key.is_none_or(|key| is_new(seen.get_or_insert_with(|| lock(&self.seen)), key, entry))
        });
    }

    /// Removes classified entries that were met before. Entries that wait for their turn are looked
    /// up when it comes, except those that are only entered, which are looked up here. In other
    /// walks these become `child_names` here.
    pub fn classified(
        &self,
        entries: &mut Vec<Entry<'_>>,
        gathers: bool,
        child_names: &mut PackedNames,
    ) {
        if gathers {
            return self.keep_first(entries, |entry| entry.undelivered);
        }
        self.keep_first(entries, |_| true);
        entries.retain(|entry| {
            if entry.undelivered {
                child_names.push(Child::of(entry).pack());
            }
            !entry.undelivered
        });
    }

    /// `count` roots were classified, and these are their entries.
    pub fn roots_known(&self, count: usize, entries: &[Entry<'_>]) {
        if self.may_overlap {
            let files = entries.iter().filter(|entry| !entry.file_type.is_dir()).count();
            self.open_roots.fetch_sub(count.saturating_sub(files), Ordering::Relaxed);
        }
    }
}

fn is_new(seen: &mut Inodes, key: (u64, u64), entry: &Entry<'_>) -> bool {
    let number = if entry.undelivered { ENTERED } else { HANDED_ON };
    match seen.add(key, number) {
        None => true,
        Some(ENTERED) if !entry.undelivered => {
            seen.set(key, HANDED_ON);
            entry.prune();
            true
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Directory, Fields};

    const DIR: Directory<'static> = Directory::new(b"", 0, None);

    /// The metadata of a scratch file with this many links.
    fn meta(links: u32) -> Meta {
        let place = tempfile::tempdir().expect("a scratch directory");
        let path = place.path().join("file");
        std::fs::write(&path, "").expect("a file");
        for link in 1..links {
            let other = place.path().join(link.to_string());
            std::fs::hard_link(&path, other).expect("a link");
        }
        let wanted = Fields::DEV | Fields::INO | Fields::NLINK;
        let native = brisk_sys::Backend::Native;
        let links = brisk_sys::Links::NoFollow;
        brisk_sys::stat_path(native, &path, wanted, links).expect("it exists")
    }

    fn entry(file_type: FileType, meta: &Meta) -> Entry<'_> {
        Entry { meta: Some(meta), ..Entry::new(&DIR, c"name", 7, file_type, 1) }
    }

    #[test]
    fn only_what_can_be_met_twice_is_remembered() {
        use FileType::{Directory, File, Symlink};
        let one = meta(1);
        let two = meta(2);
        // roots, links followed, mounts entered, type, links → remembered
        let table = [
            (1, false, true, File, &one, false),
            (1, false, true, Symlink, &one, false),
            (1, false, true, Directory, &two, true),
            (1, false, false, Directory, &two, false),
            (1, false, false, File, &two, true),
            (1, true, false, File, &one, true),
            (1, true, false, Directory, &two, true),
            (2, false, false, Directory, &two, true),
            (2, false, false, File, &two, true),
            // A root may be this very file.
            (2, false, false, File, &one, true),
        ];
        for (roots, follows, mounts, file_type, meta, expected) in table {
            let unique = Unique::new(roots, follows, mounts);
            let entry = entry(file_type, meta);
            assert!(unique.is_first(&entry));
            assert_eq!(
                !unique.is_first(&entry),
                expected,
                "{roots} {follows} {mounts} {file_type:?}"
            );
        }
        let unique = Unique::new(3, false, true);
        let directory = entry(Directory, &two);
        // One root does not exist.
        unique.roots_known(3, &[directory]);
        let file = entry(File, &one);
        assert!(unique.is_first(&file) && unique.is_first(&file));
        let unique = Unique::new(2, false, true);
        unique.roots_known(2, std::slice::from_ref(&file));
        assert!(unique.is_first(&file) && !unique.is_first(&file));
    }

    /// If the thread took the lock, which this test holds, it would not end.
    #[test]
    fn no_lock_is_taken_for_files_with_one_link() {
        let unique = Unique::new(1, false, true);
        let meta = meta(1);
        std::thread::scope(|scope| {
            let held = lock(&unique.seen);
            let done = scope.spawn(|| {
                let mut entries: Vec<_> =
                    (0..1_000).map(|_| entry(FileType::File, &meta)).collect();
                unique.keep_first(&mut entries, |_| true);
                entries.len()
            });
            let began = std::time::Instant::now();
            while !done.is_finished() && began.elapsed().as_secs() < 20 {
                std::thread::yield_now();
            }
            let is_done = done.is_finished();
            drop(held);
            assert!(is_done);
            assert_eq!(done.join().expect("no panic"), 1_000);
            assert!(lock(&unique.seen).bytes() == 0);
        });
    }
}
