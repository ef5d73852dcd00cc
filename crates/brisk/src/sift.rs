//! From raw records to entries in the visitor's hands: judge, ask for metadata, hand on.
//!
//! ```text
//!   record ─► type known? ─► select ─► plan ─► statx ─┐
//!     │        (else stat)   Drop, Enter, Take        ├─► entries(…)  ─► children queued
//!     └─ … the next record …                          │   one call a chunk
//!                                                     └─► gathered until its turn (ordered walks)
//! ```
//!
//! Requests that make the worker wait are worth other workers' time: what is left of the chunk is then
//! cut into batches that go back to the queue. How much is expected to be waited is measured, request
//! by request, and inherited by the directories below.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use brisk_sys::{Dir, Links, Meta, RawEntries, RawEntry};

use crate::Visitor;
use crate::driver::Driver;
use crate::entry::bytes_to_path_buf;
use crate::pace::FIRST_SAMPLE;
use crate::queue::{Chunk, Unit};
use crate::stuck::Post;
use crate::tree::{CONDEMNED, Child, Names};
use crate::worker::{Shared, Worker, loop_error};
use crate::{Directory, Entry, Error, Fields, FileType, Flow, Operation, Select};

/// A batch is worth at least this much waiting: below it, handing it over costs more than it saves.
const WORTH_A_BATCH: Duration = Duration::from_micros(100);
/// While there are directories enough for everybody, only a chunk that would keep one worker this
/// long is split: it would be the last to end.
const WORTH_SPLITTING: Duration = Duration::from_millis(8);
/// The most entries in a batch, so that a chunk makes several.
pub(crate) const LARGEST_BATCH: usize = 256;
/// What was taken from a chunk is handed on after this time at the latest, however slow the storage.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// Chunks that batches may share at once: a reader that gets further ahead works on entries itself.
const CHUNKS_IN_FLIGHT: usize = 64;
/// Entries that are handed on at once where metadata came with the listing: with more, what they take would
/// mostly be memory that the system has yet to provide.
const TOLD_PART: usize = 256;

/// Entries that are removed between two looks at the clock.
const SLICE: usize = 8;
/// Slices that took longer than this have waited for storage.
const SLOW_SLICE: Duration = Duration::from_millis(2);

/// Nanoseconds. Whoever takes longer for an entry has waited for storage, or was interrupted.
const QUICK: u32 = 10_000;

/// No metadata.
const NONE: u32 = u32::MAX;

/// Space that a worker uses again for every chunk.
#[derive(Default)]
pub(crate) struct Scratch {
    entries: Vec<Entry<'static>>,
    metas: Vec<Meta>,
    meta_of: Vec<u32>,
    children: Names,
}

/// What is being sifted.
pub(crate) struct Sieve<'a, S> {
    pub shared: &'a Shared<S>,
    pub chunk: &'a Chunk<S>,
    dir: &'a Directory<'a>,
    pub handle: &'a Dir,
    pub metas: Vec<Meta>,
    children: Names,
    /// Records judged so far.
    records: u32,
    /// When the first request began, and about how many entries there were requests.
    asking: Option<(Instant, u32)>,
    /// When the records were read, where that was looked at: the first request begins about then.
    read_at: Option<Instant>,
    /// Requests around here were answered without waiting.
    is_quick: bool,
    /// The record that the last request was about.
    asked: u32,
    /// What this part is, to others that look while a request is out.
    whole: &'a Arc<Chunk<S>>,
    range: Range<usize>,
    post: Option<Arc<Post<S>>>,
    /// The device of the last entry that was to be asked for attributes, and what is lacking there.
    pub lacking: Option<(u64, Fields)>,
}

/// What is known of an entry once its type is.
pub(crate) struct Known<'a> {
    pub raw: RawEntry<'a>,
    pub file_type: FileType,
    /// How to ask about it and open it: as the link's target, once the link is followed.
    pub links: Links,
    followed: bool,
    pub meta: u32,
}

impl<V: Driver> Worker<'_, '_, V> {
    /// Judges the records in `range`, asks for what is missing, and hands on what was taken: all at
    /// once, or in several parts if it takes long.
    pub fn sift(&mut self, chunk: &Arc<Chunk<V::State>>, range: Range<usize>) {
        let mut rest = range;
        loop {
            let asked = self.stats.calls.total();
            rest = self.sift_part(chunk, rest);
            if rest.is_empty() || self.shared.is_stopped() {
                break;
            }
            // Parts that nothing was asked about took no time worth a look at the clock.
            if self.stats.calls.total() > asked {
                self.unit_done();
            }
        }
    }

    /// Sifts until the range ends or has taken too long; returns what is left of it.
    fn sift_part(&mut self, chunk: &Arc<Chunk<V::State>>, range: Range<usize>) -> Range<usize> {
        self.set_prefix(&chunk.reading.node);
        let prefix = self.lend_prefix();
        let (shared, node) = (Arc::clone(&self.shared), &*chunk.reading.node);
        let handle = &*chunk.reading.handle;
        let dir = Directory { prefix: &prefix, depth: node.depth(), handle: Some(handle) };
        let mut entries = self.borrow_entries();
        let mut meta_of = std::mem::take(&mut self.scratch.meta_of);
        let mut metas = std::mem::take(&mut self.scratch.metas);
        let told = chunk.buffer.told().min(TOLD_PART);
        entries.reserve(told);
        meta_of.reserve(told);
        metas.reserve(told);
        let mut sieve = Sieve {
            shared: &shared,
            chunk,
            dir: &dir,
            handle,
            metas,
            children: std::mem::take(&mut self.scratch.children),
            records: 0,
            asking: None,
            read_at: None,
            is_quick: (1..QUICK).contains(&node.expected_wait()),
            asked: 0,
            whole: chunk,
            range: 0..0,
            post: self.post.take(),
            lacking: None,
        };
        let start = range.start;
        let range = self.split_expected(chunk, range);
        let end = range.end;
        self.want_guard(end - start);
        sieve.read_at = self.read_at.take();
        sieve.range = range.clone();
        let mut records = chunk.buffer.entries_and_dots(range, shared.dots);
        while let Some(raw) = records.next() {
            sieve.records += 1;
            if let Some((entry, meta)) = self.judge(&mut sieve, raw) {
                entries.push(entry);
                meta_of.push(meta);
            }
            if told > 0 && entries.len() == told {
                break;
            }
            if sieve.asking.is_some() && self.interrupts(&sieve, chunk, end, &mut records) {
                break;
            }
        }
        if records.is_malformed() {
            self.malformed(&dir);
        }
        let mut rest = records.remaining();
        self.stats.entries += u64::from(sieve.records);
        sieve.measured();
        let kept = sieve.end();
        let Sieve { metas, mut children, post, range: part, records: judged, .. } = sieve;
        self.post = post;
        if let Some(kept) = kept {
            shared.pace.one_is_free();
            rest = 0;
            self.stats.entries -= u64::from(judged - 1);
            let mut records = chunk.buffer.entries_and_dots(part, shared.dots);
            let kept = records.nth(kept as usize - 1);
            keep_one(kept, &mut entries, &mut meta_of, &mut children);
        }
        for (entry, &meta) in entries.iter_mut().zip(&meta_of) {
            entry.meta = metas.get(meta as usize);
        }
        if let Some(unique) = &shared.unique {
            if node.is_top() {
                unique.roots_known(judged as usize, &entries);
            }
            unique.sifted(&mut entries, chunk.reading.gathering.is_some(), &mut children);
        }
        match &chunk.reading.gathering {
            Some(gathering) => {
                let at = (chunk.ordinal, start);
                gathering.gather(&self.visitor, at, &entries, shared.max_depth);
            }
            None => self.hand_on(chunk, &dir, &entries, &mut children, end - rest),
        }
        self.return_entries(entries);
        self.scratch.metas = cleared(metas);
        self.scratch.meta_of = cleared(meta_of);
        self.scratch.children = children;
        self.return_prefix(prefix);
        end - rest..end
    }

    /// Gives entries to the visitor, and queues the directories among them. Their records end at `end`.
    fn hand_on(
        &mut self,
        chunk: &Arc<Chunk<V::State>>,
        dir: &Directory<'_>,
        entries: &[Entry<'_>],
        children: &mut Names,
        end: usize,
    ) {
        let node = &chunk.reading.node;
        if self.shared.slices() {
            return self.hand_on_in_slices(chunk, dir, entries, children, end);
        }
        self.give(dir, &node.state, entries);
        self.collect_children(chunk, entries, children);
        self.queue_children(&chunk.reading, children);
    }

    /// Where entries are removed, handing them on is what takes time: directories among them need not
    /// wait for the files beside them, nor the pace for the end of the chunk. A worker that is suspended
    /// leaves the rest to others: whether fewer of them do as much shows only once it has stopped.
    ///
    /// Directories that are entered but not handed on come along as silent entries: one that stands
    /// in what is given back must not be queued here as well.
    fn hand_on_in_slices(
        &mut self,
        chunk: &Arc<Chunk<V::State>>,
        dir: &Directory<'_>,
        entries: &[Entry<'_>],
        children: &mut Names,
        end: usize,
    ) {
        let mut began = Instant::now();
        for slice in entries.chunks(SLICE) {
            if self.is_suspended() {
                self.give_back(chunk, slice, end);
                break;
            }
            for told in slice.split(|entry| entry.silent) {
                self.give(dir, &chunk.reading.node.state, told);
            }
            self.collect_children(chunk, slice, children);
            if began.elapsed() > SLOW_SLICE {
                self.queue_children(&chunk.reading, children);
                self.unit_done();
                began = Instant::now();
            }
        }
        self.queue_children(&chunk.reading, children);
    }

    /// Queues the records from that of the first entry on.
    #[cold]
    fn give_back(&mut self, chunk: &Arc<Chunk<V::State>>, entries: &[Entry<'_>], end: usize) {
        let Some(first) = entries.first() else { return };
        let all = || chunk.buffer.entries_and_dots(0..end, self.shared.dots);
        let is_before =
            |record: &RawEntry<'_>| !std::ptr::eq(record.name.as_ptr(), first.name.as_ptr());
        let before = all().take_while(is_before).count();
        let mut records = all();
        records.by_ref().take(before).for_each(drop);
        self.split(chunk, records, end, LARGEST_BATCH);
    }

    /// Adds the directories that are to be entered.
    fn collect_children(
        &self,
        chunk: &Chunk<V::State>,
        entries: &[Entry<'_>],
        children: &mut Names,
    ) {
        if chunk.reading.node.child_depth >= self.shared.max_depth {
            return;
        }
        for entry in entries.iter().filter(|entry| entry.file_type.is_dir()) {
            if !entry.pruned.get() {
                let note = if entry.condemned.get() { CONDEMNED } else { 0 };
                let child = Child::new(entry.name, entry.ino, entry.links());
                children.push(Child { note, ..child });
            }
        }
    }

    /// An empty vector that has been used before.
    pub fn borrow_entries<'a>(&mut self) -> Vec<Entry<'a>> {
        recycle(std::mem::take(&mut self.scratch.entries))
    }

    pub fn return_entries(&mut self, entries: Vec<Entry<'_>>) {
        self.scratch.entries = recycle(entries);
    }

    /// Calls the visitor.
    pub fn give(&mut self, dir: &Directory<'_>, state: &V::State, entries: &[Entry<'_>]) {
        if entries.is_empty() || self.shared.is_stopped() {
            return;
        }
        self.stats.taken += entries.len() as u64;
        if self.visitor.entries(dir, state, entries) == Flow::Stop {
            self.shared.stop();
        }
    }

    /// Judges one record. `None`: it is not handed on (and was queued if it is to be entered).
    #[inline(always)]
    fn judge<'a>(
        &mut self,
        sieve: &mut Sieve<'a, V::State>,
        raw: RawEntry<'a>,
    ) -> Option<(Entry<'a>, u32)> {
        let node = &*sieve.chunk.reading.node;
        let depth = node.child_depth;
        let links = sieve.shared.plan.links(depth);
        let mut known = Known {
            raw,
            file_type: raw.file_type,
            links: Links::NoFollow,
            followed: false,
            meta: NONE,
        };
        if depth == 0 && raw.file_type.is_dir() && links == Links::Follow {
            // A root that the caller knows to be a directory, perhaps through a link.
            known.followed = true;
            known.links = Links::Follow;
        }
        if let Some(mask) = sieve.shared.plan.type_request(raw.file_type, links) {
            self.find_type(sieve, &mut known, mask)?;
        }
        let entry = Entry::new(sieve.dir, raw.name, raw.ino, known.file_type, depth)
            .followed(known.followed)
            .hidden(raw.is_hidden);
        if sieve.shared.dots && depth > 0 && matches!(raw.name.to_bytes(), b"." | b"..") {
            entry.prune();
        }
        let mut select = self.visitor.select(&node.state, &entry);
        if depth < sieve.shared.min_depth && select != Select::Drop {
            select = Select::Enter;
        }
        match select {
            Select::Drop => None,
            Select::Enter => self.enter_only(sieve, entry, known),
            Select::Take(wanted) => {
                let request = self.ask(sieve, &mut known, wanted)?;
                if request == Wish::Pruned {
                    entry.prune();
                }
                sieve.waits_with(&known, wanted);
                Some((entry, known.meta))
            }
        }
    }

    /// A directory that is entered but not handed on.
    fn enter_only<'a>(
        &mut self,
        sieve: &mut Sieve<'a, V::State>,
        entry: Entry<'a>,
        mut known: Known<'a>,
    ) -> Option<(Entry<'a>, u32)> {
        let deep_enough = entry.depth >= sieve.shared.max_depth;
        if !known.file_type.is_dir() || deep_enough || entry.pruned.get() {
            return None;
        }
        if self.ask(sieve, &mut known, Fields::empty())? == Wish::Pruned {
            return None;
        }
        let waits = self.shared.slices() || self.shared.unique.is_some();
        if waits || sieve.chunk.reading.gathering.is_some() {
            return Some((Entry { silent: true, ..entry }, known.meta));
        }
        sieve.children.push(Child::new(entry.name, entry.ino, known.links));
        None
    }

    /// Finds out the type of an entry that the directory did not tell, or of a link's target. `None`:
    /// it is gone, or leads back up.
    #[cold]
    fn find_type(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &mut Known<'_>,
        mask: Fields,
    ) -> Option<()> {
        if known.raw.file_type == FileType::Unknown {
            match self.stat(sieve, known.raw.name, mask, Links::NoFollow) {
                Ok(meta) => self.take_type(sieve, known, meta),
                Err(error) => self.lost(sieve, known.raw.name, error)?,
            }
        }
        let is_link = known.file_type == FileType::Symlink;
        if is_link && sieve.follows() {
            self.follow(sieve, known, mask)?;
        }
        Some(())
    }

    /// Puts a link's target in the link's place. A link that leads nowhere stays what it is. One
    /// that leads back up is an entry only to a visitor that lists loops, which are then found on
    /// entering.
    fn follow(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &mut Known<'_>,
        mask: Fields,
    ) -> Option<()> {
        let Ok(target) = self.stat(sieve, known.raw.name, mask, Links::Follow) else {
            return Some(());
        };
        let is_dir = target.file_type().is_some_and(FileType::is_dir);
        if is_dir && !self.shared.needs.loops && self.leads_up(sieve, &target) {
            self.entry_failed(sieve, Operation::FollowLoop, known.raw.name, loop_error());
            return None;
        }
        known.links = Links::Follow;
        known.followed = true;
        self.take_type(sieve, known, target);
        Some(())
    }

    fn take_type(&mut self, sieve: &mut Sieve<'_, V::State>, known: &mut Known<'_>, meta: Meta) {
        known.file_type = meta.file_type().unwrap_or_default();
        sieve.replace(&mut known.meta, meta);
    }

    /// Whether a followed link leads to the directory it stands in or one above.
    fn leads_up(&mut self, sieve: &Sieve<'_, V::State>, target: &Meta) -> bool {
        let node = &*sieve.chunk.reading.node;
        let Some(ino) = target.ino() else { return false };
        let mut suspects = node.above_with(ino);
        suspects.extend((node.dot_ino == ino).then_some(node));
        let identity = target.dev().zip(target.ino());
        suspects.iter().any(|above| self.identity(above) == identity)
    }

    /// Asks for what is still missing of an entry that is wanted. `None`: it is gone.
    #[inline]
    fn ask(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &mut Known<'_>,
        wanted: Fields,
    ) -> Option<Wish> {
        let plan = &sieve.shared.plan;
        if wanted.is_empty() && !plan.asks_for_itself() {
            return Some(Wish::Granted);
        }
        self.ask_for(sieve, known, wanted)
    }

    fn ask_for(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        known: &mut Known<'_>,
        wanted: Fields,
    ) -> Option<Wish> {
        let plan = &sieve.shared.plan;
        if known.meta == NONE
            && let Some(meta) = sieve.chunk.buffer.meta(&known.raw)
        {
            known.meta = sieve.keep_told(meta, wanted | plan.every(known.file_type));
        }
        let filled = sieve.metas.get(known.meta as usize).map_or(Fields::empty(), Meta::filled);
        let request = plan.request(wanted, known.file_type, filled);
        if let Some(mask) = request.stat {
            match self.stat(sieve, known.raw.name, mask | filled, known.links) {
                Ok(meta) => sieve.replace(&mut known.meta, meta),
                Err(error) => {
                    // Whoever cannot be asked for this cannot be asked for more.
                    self.lost(sieve, known.raw.name, error)?;
                    return Some(Wish::Granted);
                }
            }
        }
        if request.goes_beyond() {
            self.ask_beyond(sieve, known, &request)?;
        }
        let elsewhere = plan.one_file_system && self.is_elsewhere(sieve, known);
        Some(if elsewhere { Wish::Pruned } else { Wish::Granted })
    }

    /// Whether a directory is on another device than its root. A root itself never is.
    fn is_elsewhere(&self, sieve: &Sieve<'_, V::State>, known: &Known<'_>) -> bool {
        let node = &*sieve.chunk.reading.node;
        let dev = sieve.metas.get(known.meta as usize).and_then(Meta::dev);
        !node.is_top() && known.file_type.is_dir() && dev.is_some_and(|dev| dev != node.root_dev)
    }

    pub fn stat(
        &mut self,
        sieve: &mut Sieve<'_, V::State>,
        name: &CStr,
        mask: Fields,
        links: Links,
    ) -> std::io::Result<Meta> {
        sieve.asked();
        self.stats.calls.stat += 1;
        sieve.handle.stat(name, mask, links, sieve.shared.plan.sync)
    }

    /// A stat failed. An entry that was removed since it was listed is gone without a word, unless the
    /// visitor wants one; any other is reported and handed on without metadata. A root that does not
    /// exist is an error.
    #[cold]
    fn lost(
        &mut self,
        sieve: &Sieve<'_, V::State>,
        name: &CStr,
        error: std::io::Error,
    ) -> Option<()> {
        let is_root = sieve.chunk.reading.node.is_top();
        let vanished = error.kind() == std::io::ErrorKind::NotFound;
        if vanished && !is_root && !self.shared.needs.vanished {
            return None;
        }
        self.entry_failed(sieve, Operation::Stat, name, error);
        (!is_root).then_some(())
    }

    #[cold]
    pub fn entry_failed(
        &mut self,
        sieve: &Sieve<'_, V::State>,
        operation: Operation,
        name: &CStr,
        error: std::io::Error,
    ) {
        let path = [sieve.dir.prefix, name.to_bytes()].concat();
        let depth = sieve.chunk.reading.node.child_depth as usize;
        self.error(Error::new(operation, bytes_to_path_buf(&path), depth, error));
    }

    #[cold]
    fn malformed(&mut self, dir: &Directory<'_>) {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidData, "malformed records");
        let path = dir.path().to_owned();
        self.error(Error::new(Operation::Read, path, dir.depth, error));
    }

    /// Cuts up a chunk whose requests are known to be slow before the first is made. What is left for
    /// this worker is returned.
    fn split_expected(
        &mut self,
        chunk: &Arc<Chunk<V::State>>,
        range: Range<usize>,
    ) -> Range<usize> {
        let nanos = u64::from(chunk.reading.node.expected_wait());
        let mut records = chunk.buffer.entries_and_dots(range.clone(), self.shared.dots);
        let Some(size) = self.batch_size(chunk, &records, nanos) else { return range };
        for _ in 0..size {
            records.next();
        }
        let mine = range.start..range.end - records.remaining();
        self.split(chunk, records, range.end, size);
        mine
    }

    /// Looks at the clock from time to time while requests are made: once they have proved slow, the
    /// rest of the chunk is cut up for others (`records` is then empty); `true` says that what was
    /// taken so far has waited long enough and shall be handed on first.
    #[inline]
    fn interrupts<'a>(
        &mut self,
        sieve: &Sieve<'a, V::State>,
        chunk: &'a Arc<Chunk<V::State>>,
        end: usize,
        records: &mut RawEntries<'a>,
    ) -> bool {
        let Some((began, count)) = sieve.asking else { return false };
        if sieve.post.as_ref().is_some_and(|post| post.is_taken()) {
            return true;
        }
        // After 1, 2, 4, 8 entries, unless quick answers are expected, then every sixteen: no clock
        // read per entry.
        let early = !sieve.is_quick && count.is_power_of_two();
        if !(early || count.is_multiple_of(16)) || records.remaining() == 0 {
            return false;
        }
        let elapsed = began.elapsed();
        let nanos = elapsed.as_nanos() as u64 / u64::from(sieve.records);
        self.start_guard(nanos > u64::from(QUICK));
        if let Some(size) = self.batch_size(chunk, records, nanos) {
            let left = end - records.remaining();
            if sieve.post.as_ref().is_some_and(|post| !post.shorten(left)) {
                return true;
            }
            let rest = std::mem::replace(records, RawEntries::new(&[]));
            self.split(chunk, rest, end, size);
            return false;
        }
        // A worker that is alone looks up as soon as it may be given help.
        elapsed > LONG_ENOUGH || (elapsed > FIRST_SAMPLE && self.shared.pace.is_alone())
    }

    /// How many entries a batch should have, if waiting this long for each is worth batches at all.
    fn batch_size(
        &self,
        chunk: &Chunk<V::State>,
        records: &RawEntries<'_>,
        nanos: u64,
    ) -> Option<usize> {
        let shared = &*self.shared;
        if nanos == 0
            || chunk.asks_in_order(nanos)
            || !shared.pace.is_parallel()
            || shared.chunks.load(Ordering::Relaxed) >= CHUNKS_IN_FLIGHT
        {
            return None;
        }
        // A record with an ordinary name has 32 to 40 bytes.
        let expected = Duration::from_nanos(nanos * (records.remaining() as u64 / 36));
        let plenty = shared.pending.load(Ordering::Relaxed) >= 2 * shared.pace.target();
        let threshold = if plenty { WORTH_SPLITTING } else { 2 * WORTH_A_BATCH };
        let size = WORTH_A_BATCH.as_nanos() as u64 / nanos.max(1);
        (expected > threshold).then_some((size as usize).clamp(1, LARGEST_BATCH))
    }

    /// Queues the rest of a range, which ends at `end` of the buffer, in batches.
    pub fn split(
        &mut self,
        chunk: &Arc<Chunk<V::State>>,
        mut records: RawEntries<'_>,
        end: usize,
        size: usize,
    ) {
        let shared = Arc::clone(&self.shared);
        if !chunk.is_split.swap(true, Ordering::Relaxed) {
            shared.chunks.fetch_add(1, Ordering::Relaxed);
        }
        while records.remaining() > 0 {
            let start = end - records.remaining();
            records.by_ref().take(size).for_each(drop);
            if records.is_malformed() {
                break;
            }
            chunk.reading.part_begins();
            shared.added(1);
            let range = start..end - records.remaining();
            shared.queue.push(&self.own, Unit::Batch(Arc::clone(chunk), range));
        }
        shared.parking.wake_all();
    }
}

/// Whether a wanted entry may be entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Granted,
    Pruned,
}

impl<S> Sieve<'_, S> {
    /// Whether links in this directory are followed.
    pub fn follows(&self) -> bool {
        self.shared.plan.links(self.chunk.reading.node.child_depth) == Links::Follow
    }

    /// A request is about to be made.
    #[inline]
    pub fn asked(&mut self) {
        if let Some(post) = &self.post {
            if self.asking.is_none() {
                post.begin(self.whole, self.range.clone());
            }
            post.ask(self.records);
        }
        let began = || (self.read_at.unwrap_or_else(Instant::now), 0);
        let (_, count) = self.asking.get_or_insert_with(began);
        *count += u32::from(self.asked != self.records);
        self.asked = self.records;
    }

    /// All requests were answered: the number of the one record that is left to this worker, if others
    /// were handed on by another worker meanwhile.
    fn end(&self) -> Option<u32> {
        self.asking.and(self.post.as_ref()).and_then(|post| post.end())
    }

    fn keep(&mut self, meta: Meta) -> u32 {
        self.metas.push(meta);
        self.metas.len() as u32 - 1
    }

    /// As `keep`, of what the enumeration told, with the device if that is wanted.
    fn keep_told(&mut self, meta: Meta, wanted: Fields) -> u32 {
        let wants_dev = wanted.contains(Fields::DEV);
        let dev = if wants_dev { self.handle.dev_of_entries() } else { None };
        self.keep(match dev {
            Some(dev) => meta.with_dev(dev),
            None => meta,
        })
    }

    /// An entry that waits for its turn takes along what was asked for, and no more.
    #[inline]
    fn waits_with(&mut self, known: &Known<'_>, wanted: Fields) {
        if self.chunk.reading.gathering.is_some()
            && let Some(meta) = self.metas.get_mut(known.meta as usize)
        {
            meta.retain(wanted | self.shared.plan.every(known.file_type));
        }
    }

    pub fn replace(&mut self, index: &mut u32, meta: Meta) {
        match self.metas.get_mut(*index as usize) {
            Some(place) => *place = meta,
            None => *index = self.keep(meta),
        }
    }

    /// Remembers how long an entry took, for this directory and those below it. Roots tell nothing of
    /// what they hold.
    fn measured(&self) {
        let node = &self.chunk.reading.node;
        if node.is_top() {
            return;
        }
        let asked = self.asking.map_or(0, |(began, _)| began.elapsed().as_nanos());
        let nanos = asked / u128::from(self.records.max(1));
        node.measured_wait(u32::try_from(nanos).unwrap_or(u32::MAX));
    }
}

impl Entry<'_> {
    /// How a directory is to be opened.
    pub(crate) fn links(&self) -> Links {
        if self.followed { Links::Follow } else { Links::NoFollow }
    }
}

/// Drops what belongs to other records than this one.
#[cold]
fn keep_one(
    kept: Option<RawEntry<'_>>,
    entries: &mut Vec<Entry<'_>>,
    meta_of: &mut Vec<u32>,
    children: &mut Names,
) {
    let is_kept = |name: &CStr| kept.is_some_and(|kept| std::ptr::eq(kept.name, name));
    let metas = std::mem::take(meta_of);
    let both = entries.iter().zip(metas).filter(|(entry, _)| is_kept(entry.name));
    meta_of.extend(both.map(|(_, meta)| meta));
    entries.retain(|entry| is_kept(entry.name));
    children.retain(|name| kept.is_some_and(|kept| kept.name == name));
}

/// An empty vector with the same space, for borrows of another lifetime.
fn recycle<'b>(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'b>> {
    entries.clear();
    // Collecting in place keeps the allocation; there is nothing to map.
    entries.into_iter().map(|_| unreachable!("BUG: the vector was cleared")).collect()
}

fn cleared<T>(mut space: Vec<T>) -> Vec<T> {
    space.clear();
    space
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recycling_keeps_the_allocation() {
        let mut entries: Vec<Entry<'_>> = Vec::with_capacity(100);
        let dir = Directory { prefix: b"", depth: 0, handle: None };
        entries.push(Entry::new(&dir, c"a", 0, FileType::File, 0));
        let place = entries.as_ptr() as usize;
        let again: Vec<Entry<'static>> = recycle(entries);
        assert_eq!((again.as_ptr() as usize, again.len()), (place, 0));
        assert!(again.capacity() >= 100);
    }
}
