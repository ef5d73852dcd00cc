//! Counting: the [`Observer`] of each worker reports what it has found, at most once per
//! [`PICTURE`].

use std::path::Path;
use std::time::{Duration, Instant};

use brisk::usage::{Apparent, HardLinks, Observer, Sums, Total, Usage};
use brisk::{
    Directory, Entry, Error, Fields, Flow, Flushed, Meta, Operation, Pause, Timestamp, Walk,
};
use brisk_commands::internal::error_text;
use brisk_sys::Identity;

use crate::listing::{is_linked, sums_of};

/// The shortest time between two pictures of what threads have found: some 30 a second.
pub const PICTURE: Duration = Duration::from_millis(34);

/// What a count has found. A depth is that below the root of the count.
#[derive(Debug)]
pub enum Counted {
    /// The sums of a directory itself, or of some of its entries, or of both.
    Entries { path: Box<[u8]>, depth: usize, sums: Sums },
    /// A name, in this directory, of a file with several hard links that counts once.
    Linked { path: Box<[u8]>, depth: usize, file: Identity, sums: Sums },
    /// A root that is not a directory.
    Root { path: Box<[u8]>, sums: Sums },
    /// The sums of a directory with everything below it, from a saved count. Subdirectories come
    /// first.
    Total { path: Box<[u8]>, depth: usize, all: Sums },
    /// What could not be read, with the message.
    Failed { path: Box<[u8]>, why: String },
}

/// Counts these roots with the settings of `usage`, which names no roots.
pub fn run(usage: &Usage, roots: &[&Path], tell: impl Fn(Vec<Counted>) + Clone + Send) {
    let mut usage = usage.clone();
    usage.walk = roots.iter().fold(usage.walk, Walk::root);
    // With reflinks, the walk decides which extents of a file count, in the order in which it meets
    // the file's names.
    let counts_once = usage.links != HardLinks::Each && !usage.reflinks;
    let counter = Counter {
        tell,
        counts_once,
        apparent: usage.apparent,
        held: Vec::new(),
        told: Instant::now(),
    };
    let (counter, _) = usage.run(counter);
    (counter.tell)(counter.held);
}

/// One worker of a count.
struct Counter<T> {
    tell: T,
    /// Whether a file with several names counts once. The tree then chooses the directory.
    counts_once: bool,
    apparent: Apparent,
    /// What was found since `told`, the time of the last report.
    held: Vec<Counted>,
    told: Instant,
}

impl<T> Counter<T> {
    fn hold(&mut self, dir: &Path, depth: usize, more: Sums) {
        let dir = dir.as_os_str().as_encoded_bytes();
        match self.held.last_mut() {
            Some(Counted::Entries { path, sums, .. }) if **path == *dir => *sums += more,
            _ => self.held.push(Counted::Entries { path: dir.into(), depth, sums: more }),
        }
    }
}

impl<T: Fn(Vec<Counted>) + Clone + Send> Observer for Counter<T> {
    fn directory(&mut self, _: &Total<'_>) -> Flow {
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        if error.operation() != Operation::FollowLoop {
            let path = error.path().as_os_str().as_encoded_bytes().into();
            self.held.push(Counted::Failed { path, why: error_text(&error) });
        }
        Flow::Continue
    }

    fn fields(&self) -> Fields {
        Fields::MTIME
    }

    fn time(&self, meta: &Meta) -> Option<Timestamp> {
        meta.mtime()
    }

    fn opened(&mut self, dir: &Directory<'_>, sums: Sums) {
        self.hold(dir.path(), dir.depth(), sums);
    }

    fn file(&mut self, entry: &Entry<'_>, sums: Sums) -> Flow {
        let dir = entry.directory().path();
        let file_type = entry.file_type();
        let linked = |meta: &&Meta| self.counts_once && is_linked(file_type, meta);
        let linked = entry.meta().filter(linked).and_then(|meta| Some((meta.identity()?, meta)));
        if entry.depth() == 0 {
            let path = entry.path().as_os_str().as_encoded_bytes().into();
            self.held.push(Counted::Root { path, sums });
        } else if let Some((file, meta)) = linked {
            let path = dir.as_os_str().as_encoded_bytes().into();
            let sums = sums_of(file_type, meta, self.apparent);
            self.held.push(Counted::Linked { path, depth: entry.depth() - 1, file, sums });
        } else {
            self.hold(dir, entry.depth() - 1, sums);
        }
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        if !self.held.is_empty() && self.told.elapsed() >= PICTURE {
            (self.tell)(std::mem::take(&mut self.held));
            self.told = Instant::now();
        }
        Flushed::default()
    }

    fn fork(&self, _: usize) -> Counter<T> {
        let Counter { ref tell, counts_once, apparent, told, .. } = *self;
        Counter { tell: tell.clone(), counts_once, apparent, held: Vec::new(), told }
    }

    fn merge(&mut self, other: Counter<T>) {
        self.held.extend(other.held);
    }
}
