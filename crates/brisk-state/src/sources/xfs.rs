//! XFS: all inodes, returned in bulk, are compared with those of the state.
//!
//! ```text
//!   the state's records, by inode   131  132  133  133  140  …
//!   the inodes of a group           131  132  133       140  …   BULKSTAT, in ascending order
//!                                    │    │    └ two names of one file
//!                                    │    └ another time: the entry is checked
//!                                    └ as recorded: the entry is not checked
//! ```
//!
//! The answer is compared in the fields that a walk would compare. It only says which entries need
//! not be checked: no field of it is kept. BULKSTAT may return an older size than statx for a file
//! with dirty pages, and coarser times: at worst such an entry is checked. A racy record may be
//! equal to a later answer, so its entry is always checked.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::thread;

use brisk::Meta;
use brisk_sys::{threads, xfs};

use super::source::{AskedVolume, Inodes, for_each_record, text};
use crate::format::index::IndexedDir;
use crate::format::record::{Attrs, DirId};
use crate::rescan::marks::Marks;

/// How many inodes the file system may hold for each entry of the state. BULKSTAT takes less than
/// half as long for an inode as a walk takes for an entry.
const MAX_INODES: u64 = 2;
/// The least number of entries for each worker, so that starting it costs little in comparison.
const A_WORKER: usize = 8_192;
/// How many workers are wanted at least, even on fewer cores: while one waits for the disk to
/// return the inodes of its group, others read theirs.
const WAITING: usize = 4;

/// Reads all inodes of the file system, and compares them with the records.
pub(super) fn search(target: &AskedVolume<'_>) -> Result<(Inodes, String), String> {
    let groups = check(target)?;
    let records = RecordsOnVolume::new(target);
    let workers = workers(target).min(records.sorted.len() / A_WORKER + 1).min(groups as usize);
    threads::run(workers, || records.work(groups)).map_err(text)?;
    if records.differing.into_inner() > target.most_changed() {
        return Err(format!("more than {} entries differ from its inodes", target.most_changed()));
    }
    let all = records.sorted.len();
    let differing = all - records.matched.into_inner();
    let how = format!("only what differs from its inodes, read in bulk: {differing} of {all}");
    Ok((Inodes::Unchanged(records.same), how))
}

/// The number of allocation groups; or why a search is not possible.
fn check(target: &AskedVolume<'_>) -> Result<u32, String> {
    let AskedVolume { search, volume_number, dir } = *target;
    xfs::check(dir).map_err(|error| format!("it cannot list its inodes in bulk: {error}"))?;
    if !target.is_same_volume()? {
        return Err("it is another file system".to_owned());
    }
    target.checkpoint()?;
    let is_own = |dir: &IndexedDir| usize::from(dir.listing.volume_number) == volume_number;
    let own = search.state.index.dirs().filter(|(_, dir)| is_own(dir));
    let known: u64 = own.map(|(_, dir)| u64::from(dir.count)).sum();
    let inodes = xfs::inodes(dir).map_err(text)?;
    if inodes > MAX_INODES * known {
        return Err(format!("it holds {inodes} inodes, and the state {known}"));
    }
    xfs::groups(dir).map_err(text)
}

fn workers(target: &AskedVolume<'_>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let wanted =
        target.search.rescan.threads.map_or_else(|| cores().max(WAITING), NonZeroUsize::get);
    wanted.min(brisk::unstable::most_requests())
}

/// A record: its inode, its directory, and its position in the directory's block.
#[derive(Clone, Copy)]
struct InodeRecord {
    ino: u64,
    parent: DirId,
    at: u32,
}

/// The records of the entries on the file system.
struct RecordsOnVolume<'a> {
    target: &'a AskedVolume<'a>,
    /// Sorted by inode.
    sorted: Vec<InodeRecord>,
    /// For each record of the state, whether its inode equals the record.
    same: Marks,
    /// How many records equal their inodes, and how many differ.
    matched: AtomicUsize,
    differing: AtomicUsize,
    /// The first group that no worker has taken.
    group: AtomicU32,
}

impl<'a> RecordsOnVolume<'a> {
    fn new(target: &'a AskedVolume<'a>) -> RecordsOnVolume<'a> {
        let state = target.search.state;
        let mut sorted = Vec::with_capacity(state.len());
        for_each_record(state, |record| {
            if record.volume_number == target.volume_number {
                let at = record.at as u32;
                sorted.push(InodeRecord { ino: record.head.ino, parent: record.parent, at });
            }
        });
        sorted.sort_unstable_by_key(|record| record.ino);
        RecordsOnVolume {
            target,
            sorted,
            same: Marks::new(state.len()),
            matched: AtomicUsize::new(0),
            differing: AtomicUsize::new(0),
            group: AtomicU32::new(0),
        }
    }

    /// Reads one group after another, until all are taken.
    fn work(&self, groups: u32) -> io::Result<()> {
        loop {
            match self.group.fetch_add(1, Relaxed) {
                group if group < groups => self.compare_group(group)?,
                _ => return Ok(()),
            }
        }
    }

    fn compare_group(&self, group: u32) -> io::Result<()> {
        let most = self.target.most_changed();
        let cancel = &self.target.search.rescan.cancel;
        let mut rest: Option<&[InodeRecord]> = None;
        let mut matched = 0;
        xfs::bulkstat(self.target.dir, group, |meta| {
            let ino = meta.ino().unwrap_or(0);
            let from = rest.get_or_insert_with(|| {
                &self.sorted[self.sorted.partition_point(|record| record.ino < ino)..]
            });
            let gone = from.iter().take_while(|record| record.ino < ino).count();
            let names = from[gone..].iter().take_while(|record| record.ino == ino).count();
            matched += self.compare(&from[gone..gone + names], &meta);
            *from = &from[gone + names..];
            let is_enough = from.is_empty() || self.differing.load(Relaxed) > most;
            let ends = is_enough || cancel.is_cancelled();
            if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.matched.fetch_add(matched, Relaxed);
        Ok(())
    }

    /// Compares an inode with the records of its names. Returns how many are equal.
    fn compare(&self, names: &[InodeRecord], meta: &Meta) -> usize {
        let state = self.target.search.state;
        let attrs = Attrs::of(meta);
        let is_same = |&&InodeRecord { parent, at, .. }: &&InodeRecord| {
            let record = state.block(parent).record(at as usize);
            let is_same = record.is_some_and(|record| record.attrs == attrs);
            if is_same {
                self.same.set(state.record_number(parent, at as usize));
            }
            is_same
        };
        let same = names.iter().filter(is_same).count();
        if same < names.len() {
            self.differing.fetch_add(names.len() - same, Relaxed);
        }
        same
    }
}
