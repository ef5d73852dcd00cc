//! [`Classifier`]: makes entries with all wanted metadata of a part of a chunk's records. For each
//! record it finds the type, lets the visitor select, and makes the requests that the plan wants.
//!
//! ```text
//!   record ─► type known? ─► rules, ─► select ─► plan ─► fetch ─► filter ─┐
//!     │        (else fetch)  filter    Drop, Enter, Take       once more  ├─► entries of a part
//!     └─ … the next record …                                              │
//!                                                                         └─► children to be entered
//! ```

use std::ffi::CStr;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use brisk_sys::{Links, Meta, RawEntry};

use crate::drive::shared::Shared;
use crate::drive::task::{Chunk, Classified, WalkKind};
use crate::drive::worker::{Worker, WorkerMemory};
use crate::entry::{Directory, Entry, bytes_to_path_buf};
use crate::read::admit::{Admission, admit, by_rules, passes};
use crate::read::batches::should_stop_part;
use crate::read::fetch::{Fetch, PartProgress, is_missing};
use crate::read::in_flight::InFlight;
use crate::stats::Calls;
use crate::tree::{Child, EmitState, PackedNames};
use crate::visitor::{Select, Visitor};
use crate::{Error, Fields, FileType, Operation, filter};

/// The most entries with metadata that are delivered at once. More would take memory that the
/// system has yet to provide, which is slower than using the same memory again; and each of a
/// hundred workers would keep it.
const LARGEST_PART: usize = 256;
/// The most entries that are delivered at once. An ordinary buffer has fewer; a grown one may have
/// sixteen times as many, and a hundred workers would keep memory for all of them.
const MAX_ENTRIES: usize = 4096;

/// The index of an entry without metadata.
const NONE: u32 = u32::MAX;

/// A part of a directory's records that is being classified.
pub(crate) struct Classifier<'a, K: WalkKind> {
    pub(super) shared: &'a Shared<K>,
    pub(super) chunk: &'a Arc<Chunk<K>>,
    dir: &'a Directory<'a>,
    pub(super) fetch: Fetch<'a>,
    entries: Vec<Entry<'a>>,
    meta_of: Vec<u32>,
    metas: Vec<Meta>,
    child_names: PackedNames,
    errors: Vec<(u32, Error)>,
}

/// A record, and what is known of its file so far.
pub(super) struct Candidate<'a> {
    pub raw: RawEntry<'a>,
    pub file_type: FileType,
    /// Whether the name is followed as a link, by requests and when it is opened.
    pub follow: Links,
    /// The index of its metadata, or [`NONE`].
    pub meta: u32,
}

/// Whether the entry may be entered, if it is a directory. Of any other entry, `Yes` says only that
/// no request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Descend {
    Yes,
    /// The directory is on another device, and the walk stays on one.
    No,
    /// The request for its metadata failed.
    Unknown,
}

impl<'a, K: WalkKind> Classifier<'a, K> {
    pub fn new(
        shared: &'a Shared<K>,
        chunk: &'a Arc<Chunk<K>>,
        dir: &'a Directory<'a>,
        memory: &mut WorkerMemory,
        in_flight: Option<&'a InFlight<K>>,
    ) -> Self {
        let node = &*chunk.reading.node;
        let plan = &shared.settings.plan;
        let progress = PartProgress::new(in_flight.map(|in_flight| &in_flight.at));
        let fetch = Fetch {
            handle: &chunk.reading.handle,
            root_handles: node.root_handles.as_deref(),
            freshness: plan.freshness,
            follows: plan.follow_at(node.child_depth) == Links::Follow,
            lacking: &shared.lacking,
            dir_dev: (!node.is_above_roots()).then_some(&node.dev),
            lacking_on: None,
            storing: None,
            progress,
            calls: Calls::default(),
            failed: Vec::new(),
        };
        let mut classifier = Classifier {
            shared,
            chunk,
            dir,
            fetch,
            entries: memory.borrow_entries(),
            meta_of: std::mem::take(&mut memory.meta_of),
            metas: std::mem::take(&mut memory.metas),
            child_names: std::mem::take(&mut memory.child_names),
            errors: Vec::new(),
        };
        let prefetched = chunk.buffer.prefetched().min(LARGEST_PART);
        classifier.entries.reserve(prefetched);
        classifier.meta_of.reserve(prefetched);
        classifier.metas.reserve(prefetched);
        classifier
    }

    /// Classifies records until the range ends, is large enough for a part, or has taken too long.
    pub fn run<V: Visitor<State = K::State>>(
        mut self,
        worker: &mut Worker<'_, V, K>,
        range: Range<usize>,
    ) -> Classified<'a> {
        let mut end = range.end;
        self.fetch.progress.read_at = worker.buffers.read_at.take();
        let mut records = self.chunk.buffer.entries_and_dots(range, self.shared.settings.dots);
        while let Some(raw) = records.next() {
            self.fetch.progress.record_count += 1;
            if self.chunk.reading.node.emit_state.was_met_before(raw.name) {
                continue;
            }
            if let Some((entry, meta)) = self.classify(worker, raw) {
                self.entries.push(entry);
                self.meta_of.push(meta);
            }
            // In an ordered walk, errors are told where their records are among the others.
            let ends_here = K::IN_ORDER && !self.errors.is_empty();
            if ends_here || self.metas.len() >= LARGEST_PART || self.entries.len() >= MAX_ENTRIES {
                break;
            }
            let progress = &self.fetch.progress;
            if progress.begun.is_some()
                && should_stop_part(worker, progress, self.chunk, &mut end, &mut records)
            {
                break;
            }
        }
        if records.is_malformed() {
            let why = io::Error::new(io::ErrorKind::InvalidData, "malformed records");
            worker.report(Operation::Read, &self.chunk.reading.node, why);
        }
        worker.stats.calls.add(&self.fetch.calls);
        self.end(end - records.bytes_left()..end)
    }

    fn end(self, unclassified: Range<usize>) -> Classified<'a> {
        let Classifier { chunk, fetch, entries, meta_of, metas, child_names, errors, .. } = self;
        // The time of requests about roots says nothing about entries below them.
        if !chunk.reading.node.is_above_roots() {
            chunk.reading.node.measured_wait(fetch.progress.nanos_each());
        }
        let record_count = fetch.progress.record_count as usize;
        Classified { entries, meta_of, metas, child_names, errors, unclassified, record_count }
    }

    /// Classifies one record. `None` if it does not become one of the entries. See
    /// `add_undelivered` for a directory that is entered without being delivered.
    #[inline(always)]
    fn classify<V: Visitor<State = K::State>>(
        &mut self,
        worker: &mut Worker<'_, V, K>,
        raw: RawEntry<'a>,
    ) -> Option<(Entry<'a>, u32)> {
        let settings = &self.shared.settings;
        let node = &*self.chunk.reading.node;
        let depth = node.child_depth;
        let follow = settings.plan.follow_at(depth);
        // `listed` returns no `Option`: moving `candidate` out of one took 2 % of a warm walk.
        let mut candidate = self.listed(raw, follow);
        if let Some(mask) = settings.plan.type_request(raw.file_type, follow) {
            self.find_type(worker, &mut candidate, mask)?;
        }
        if settings.finds_loops && candidate.file_type.is_dir() {
            self.no_loop(worker, &candidate)?;
        }
        let entry = || {
            Entry::new(self.dir, raw.name, raw.ino, candidate.file_type, depth)
                .followed(candidate.follow == Links::Follow)
                .hidden(raw.is_hidden)
        };
        let mut admission = Admission::default();
        if settings.may_refuse {
            let rules = node.rules.as_ref();
            admission = if settings.needs_entry {
                admit(settings, rules, &entry(), &mut worker.memory.filter)
            } else {
                by_rules(rules, self.dir, &raw, candidate.file_type)
            };
            if admission.is_refused && !settings.needs.refused {
                if !candidate.file_type.is_dir() {
                    return None;
                }
                return self.check_undelivered(admission.apply_to(entry()), &mut candidate);
            }
        }
        let entry = admission.apply_to(entry());
        let mut select = worker.visitor.select(&node.state, &entry);
        if depth < settings.min_depth && select != Select::Drop {
            select = Select::Enter;
        }
        match select {
            Select::Drop => None,
            Select::Enter => self.check_undelivered(entry, &mut candidate),
            Select::Take(wanted) => {
                let scratch = &mut worker.memory.filter;
                self.take(entry, &mut candidate, (wanted, admission.fields), scratch)
            }
        }
    }

    /// Requests the fields that visitor and filter want, and evaluates the filter once more.
    #[inline(always)]
    fn take(
        &mut self,
        mut entry: Entry<'a>,
        candidate: &mut Candidate<'a>,
        (wanted, needed): (Fields, Fields),
        scratch: &mut filter::Scratch,
    ) -> Option<(Entry<'a>, u32)> {
        let settings = &self.shared.settings;
        match self.request(candidate, wanted | needed)? {
            Descend::Yes => {}
            Descend::Unknown if settings.needs.vanished && needed.is_empty() => {}
            Descend::No | Descend::Unknown => entry.prune(),
        }
        entry.file_type = candidate.file_type;
        if settings.has_second_pass {
            let meta = self.metas.get(candidate.meta as usize);
            entry.refused.set(!passes(settings, &entry, meta, scratch));
            for error in scratch.failed.drain(..).filter(|_| settings.needs.links) {
                self.failed(Operation::Open, entry.name, error);
            }
            if entry.is_refused() && !settings.needs.refused {
                return self.add_undelivered(entry, candidate.meta);
            }
        }
        if K::IN_ORDER {
            // The visitor evaluates a filter with actions.
            let needed = if settings.filter_has_actions { needed } else { Fields::empty() };
            self.keep_only(candidate, wanted | needed);
        }
        Some((entry, candidate.meta))
    }

    /// What the record itself gives: all that is known of an entry before any request.
    #[inline(always)]
    fn listed(&self, raw: RawEntry<'a>, may_follow: Links) -> Candidate<'a> {
        let node = &*self.chunk.reading.node;
        // The caller knows that this root is a directory, perhaps through a link.
        let is_followed = node.child_depth == 0
            && raw.file_type.is_dir()
            && may_follow == Links::Follow
            && node.root_handle(raw.name).is_none();
        let follow = Links::followed(is_followed);
        Candidate { raw, file_type: raw.file_type, follow, meta: NONE }
    }

    /// Checks whether a directory that is not delivered is entered. The result is that of
    /// `add_undelivered`, and `None` for one that is not entered.
    fn check_undelivered(
        &mut self,
        entry: Entry<'a>,
        candidate: &mut Candidate<'a>,
    ) -> Option<(Entry<'a>, u32)> {
        if !self.will_enter(&entry) {
            return None;
        }
        match self.request(candidate, Fields::empty())? {
            Descend::Yes => {}
            Descend::No => return None,
            // Opening the directory will be denied too, and the walk reports that instead.
            Descend::Unknown => drop(self.errors.pop_if(is_denied)),
        }
        self.add_undelivered(entry, candidate.meta)
    }

    fn will_enter(&self, entry: &Entry<'a>) -> bool {
        let at_limit = entry.depth >= self.shared.settings.max_depth;
        entry.file_type.is_dir() && !at_limit && !entry.pruned.get()
    }

    /// A directory that is entered but not delivered. In a walk that gathers, acts slice by slice,
    /// or delivers each file once, it stays among the entries, as `undelivered`. Otherwise it goes
    /// straight to `child_names`, and the result is `None`.
    fn add_undelivered(&mut self, entry: Entry<'a>, meta: u32) -> Option<(Entry<'a>, u32)> {
        if !self.will_enter(&entry) {
            return None;
        }
        if K::IN_ORDER || self.shared.acts_in_slices() || self.shared.unique.is_some() {
            return Some((Entry { undelivered: true, ..entry }, meta));
        }
        self.child_names.push(Child::of(&entry).pack());
        None
    }

    /// Requests the metadata that an entry still lacks, of what is wanted and what the walk needs
    /// itself. `None` if the entry is gone; otherwise whether it is entered if it is a directory.
    #[inline]
    fn request(&mut self, candidate: &mut Candidate<'_>, wanted: Fields) -> Option<Descend> {
        if wanted.is_empty() && !self.shared.settings.plan.needs_walk_fields() {
            return Some(Descend::Yes);
        }
        if candidate.file_type == FileType::Unknown && candidate.follow == Links::Follow {
            // The link's target cannot be reached, which is reported.
            return Some(Descend::Unknown);
        }
        self.request_missing(candidate, wanted)
    }

    fn request_missing(
        &mut self,
        candidate: &mut Candidate<'_>,
        wanted: Fields,
    ) -> Option<Descend> {
        let plan = &self.shared.settings.plan;
        if candidate.meta == NONE
            && let Some(meta) = self.chunk.buffer.meta(&candidate.raw)
        {
            let wanted = wanted | plan.walk_fields(candidate.file_type);
            let wants_dev = wanted.contains(Fields::DEV);
            let dev = if wants_dev { self.fetch.handle.dev_of_entries() } else { None };
            candidate.meta = self.keep(match dev {
                Some(dev) => meta.with_dev(dev),
                None => meta,
            });
        }
        let filled = self.metas.get(candidate.meta as usize).map_or(Fields::empty(), Meta::filled);
        let request = plan.request(wanted, candidate.file_type, filled);
        if let Some(mask) = request.stat {
            match self.fetch.stat(candidate.raw.name, mask | filled, candidate.follow) {
                Ok(meta) => {
                    // A file may be mounted on another, and the listing does not show that. Which
                    // entries are directories, and so are entered, remains as listed.
                    candidate.file_type = match meta.file_type() {
                        Some(now) if !now.is_dir() && !candidate.file_type.is_dir() => now,
                        _ => candidate.file_type,
                    };
                    self.replace(&mut candidate.meta, meta);
                }
                Err(error) => {
                    // After a failed stat, other requests about the entry would fail as well.
                    self.stat_failed(candidate.raw.name, error)?;
                    return Some(Descend::Unknown);
                }
            }
        }
        if request.needs_more_than_stat() {
            let mut meta = self.metas.get_mut(candidate.meta as usize).map(std::mem::take);
            let name = candidate.raw.name;
            let fresh = meta.get_or_insert_default();
            let filled =
                self.fetch.fill(name, candidate.follow, candidate.file_type, &request, fresh);
            for (operation, error) in std::mem::take(&mut self.fetch.failed) {
                self.failed(operation, name, error);
            }
            filled?;
            self.replace(&mut candidate.meta, meta.unwrap_or_default());
        }
        let elsewhere = plan.one_device && self.is_on_other_device(candidate);
        Some(if elsewhere { Descend::No } else { Descend::Yes })
    }

    /// Whether a directory is on another device than its root. A root itself never is.
    fn is_on_other_device(&self, candidate: &Candidate<'_>) -> bool {
        let node = &*self.chunk.reading.node;
        let dev = self.metas.get(candidate.meta as usize).and_then(Meta::dev);
        let is_below_root = !node.is_above_roots() && candidate.file_type.is_dir();
        is_below_root && dev.is_some_and(|dev| dev != node.root_dev)
    }

    /// A stat failed. If another process has removed the entry since it was listed, or replaced its
    /// directory by a file on a server that goes by paths, the failure is not reported, unless the
    /// visitor needs that. Any other failure is reported, and the entry is delivered without
    /// metadata. A root whose stat fails is reported and not delivered.
    #[cold]
    pub(super) fn stat_failed(&mut self, name: &CStr, error: io::Error) -> Option<()> {
        let is_root = self.chunk.reading.node.is_above_roots();
        if is_missing(&error) && !is_root && !self.shared.settings.needs.vanished {
            return None;
        }
        self.failed(Operation::Stat, name, error);
        (!is_root).then_some(())
    }

    /// Keeps the error of a failed operation on the entry that is being classified.
    #[cold]
    pub(super) fn failed(&mut self, operation: Operation, name: &CStr, error: io::Error) {
        let path = [self.dir.prefix, name.to_bytes()].concat();
        let depth = self.chunk.reading.node.child_depth as usize;
        let error = Error::new(operation, bytes_to_path_buf(&path), depth, error);
        self.errors.push((self.fetch.progress.record_count, error));
    }

    fn keep(&mut self, meta: Meta) -> u32 {
        self.metas.push(meta);
        self.metas.len() as u32 - 1
    }

    /// Drops the fields that neither the visitor nor the plan wanted, from an entry that waits for
    /// its turn.
    #[inline]
    fn keep_only(&mut self, candidate: &Candidate<'_>, wanted: Fields) {
        if let Some(meta) = self.metas.get_mut(candidate.meta as usize) {
            meta.retain(wanted | self.shared.settings.plan.walk_fields(candidate.file_type));
        }
    }

    pub(super) fn replace(&mut self, index: &mut u32, meta: Meta) {
        match self.metas.get_mut(*index as usize) {
            Some(place) => *place = meta,
            None => *index = self.keep(meta),
        }
    }
}

/// Whether permission was denied.
fn is_denied(error: &mut (u32, Error)) -> bool {
    error.1.io().kind() == io::ErrorKind::PermissionDenied
}
