//! XFS: all inodes at once, compared with those of the state.
//!
//! ```text
//!   the state's records, by inode   131  132  133  133  140  …
//!   what a group's inodes are like  131  132  133       140  …   BULKSTAT, in ascending order
//!                                    │    │    └ two names of one file
//!                                    │    └ another time: the entry is looked at
//!                                    └ as recorded: it is not
//! ```
//!
//! The answer is compared with the fields that a walk would compare, and only says which entries
//! need not be looked at: nothing of it is kept. So it may be older than statx's in the size of a
//! file with dirty pages, and its times may be coarse: both lead to a look at most. A record is the
//! same as a later answer only if it is not racy, and a racy record is always looked at.

use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::thread;

use brisk::Meta;
use brisk_sys::volume::Volume;
use brisk_sys::xfs;

use super::target::{Answer, Searched, Target, for_each_record, text};
use crate::bits::Bits;
use crate::record::Stamp;

/// A file system may hold so many times the inodes that the state knows. BULKSTAT takes less than
/// half of the time for an inode that a walk takes for an entry.
const MOST_INODES: u64 = 2;
/// One worker for so many entries: beside them a thread costs little.
const A_WORKER: usize = 8_192;
/// So many workers also where there are fewer cores: while the inodes of one group are read from
/// the disk, those of another can be.
const WAITING: usize = 4;

/// Asks for all inodes of the file system, and compares them with the records.
pub(super) fn search(target: &Target<'_>) -> Searched<Answer> {
    let groups = check(target)?;
    let records = Records::new(target);
    let workers = workers(target).min(records.sorted.len() / A_WORKER + 1).min(groups as usize);
    let work = || records.work(groups);
    let compared = thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..workers).map_while(spawn).collect();
        let own = work();
        let others = others.into_iter().map(|other| other.join().expect("BUG: a worker panics"));
        others.fold(own, Result::and)
    });
    compared.map_err(text)?;
    let (all, same) = (records.sorted.len(), records.matched.into_inner());
    if records.differing.into_inner() > target.most() {
        return Err(format!("more than {} entries differ from its inodes", target.most()));
    }
    let how = format!("only what differs from its inodes, asked in bulk: {} of {all}", all - same);
    Ok((Answer::Same(records.same), how))
}

/// The number of allocation groups; or why the file system is not asked.
fn check(target: &Target<'_>) -> Result<u32, String> {
    let Target { dir, state, number, .. } = *target;
    xfs::check(dir).map_err(|error| format!("it does not tell its inodes in bulk: {error}"))?;
    let stored = state.volumes()[number].volume;
    if stored.fsid == 0 || stored != Volume::of(dir).map_err(text)? {
        return Err("it is another file system".to_owned());
    }
    target.basis()?;
    let of_volume = state.dirs().iter().filter(|dir| usize::from(dir.volume) == number);
    let known: u64 = of_volume.map(|dir| u64::from(dir.count)).sum();
    let inodes = xfs::inodes(dir).map_err(text)?;
    if inodes > MOST_INODES * known {
        return Err(format!("it holds {inodes} inodes, and the state {known}"));
    }
    xfs::groups(dir).map_err(text)
}

fn workers(target: &Target<'_>) -> usize {
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    target.search.pace.0.map_or_else(|| cores().max(WAITING), NonZeroUsize::get)
}

/// A record's inode, its directory, and the record's place there.
type Placed = (u64, u32, u32);

/// The records of the file system.
struct Records<'a> {
    target: &'a Target<'a>,
    /// By inode.
    sorted: Vec<Placed>,
    /// A bit for each record of the state: its inode is as recorded.
    same: Bits,
    /// How many are, and how many are not.
    matched: AtomicUsize,
    differing: AtomicUsize,
    /// The first group that no worker has taken.
    group: AtomicU32,
}

impl<'a> Records<'a> {
    fn new(target: &'a Target<'a>) -> Records<'a> {
        let mut sorted = Vec::with_capacity(target.state.len());
        for_each_record(target.state, |record| {
            if record.volume == target.number {
                sorted.push((record.brief.ino, record.dir, record.at as u32));
            }
        });
        sorted.sort_unstable_by_key(|record| record.0);
        Records {
            target,
            sorted,
            same: Bits::new(target.state.len()),
            matched: AtomicUsize::new(0),
            differing: AtomicUsize::new(0),
            group: AtomicU32::new(0),
        }
    }

    /// Asks for one group after another.
    fn work(&self, groups: u32) -> io::Result<()> {
        loop {
            match self.group.fetch_add(1, Relaxed) {
                group if group < groups => self.compare_group(group)?,
                _ => return Ok(()),
            }
        }
    }

    fn compare_group(&self, group: u32) -> io::Result<()> {
        let (most, (_, cancel)) = (self.target.most(), self.target.search.pace);
        let mut rest: Option<&[Placed]> = None;
        let mut matched = 0;
        xfs::bulkstat(self.target.dir, group, |meta| {
            let ino = meta.ino().unwrap_or(0);
            let from = rest.get_or_insert_with(|| {
                &self.sorted[self.sorted.partition_point(|record| record.0 < ino)..]
            });
            let gone = from.iter().take_while(|record| record.0 < ino).count();
            let names = from[gone..].iter().take_while(|record| record.0 == ino).count();
            matched += self.compare(&from[gone..gone + names], &meta);
            *from = &from[gone + names..];
            let is_enough = from.is_empty() || self.differing.load(Relaxed) > most;
            let ends = is_enough || cancel.is_cancelled();
            if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.matched.fetch_add(matched, Relaxed);
        Ok(())
    }

    /// Compares the names of an inode with what it is like; returns how many are the same.
    fn compare(&self, names: &[Placed], meta: &Meta) -> usize {
        let (state, stamp) = (self.target.state, Stamp::of(meta));
        let is_same = |&&(_, dir, at): &&Placed| {
            let record = state.block(dir).record(at as usize);
            let is_same = record.is_some_and(|record| record.stamp == stamp);
            if is_same {
                self.same.set(state.first(dir) + at as usize);
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
