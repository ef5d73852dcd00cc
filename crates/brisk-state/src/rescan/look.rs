//! [`Look`]: the visitor that compares the entries of a tree with a state.
//!
//! An entry that equals its record costs a comparison and a mark. Any other entry gets a
//! [`NewRecord`]. After the walk, [`Merge`](super::merge::Merge) decides whether it is a change.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use brisk::ignore::Rules;
use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Meta, Needs, Operation,
    Parallel, Pause, Recalled, Select, Visitor,
};

use super::shared::{Findings, NewRecord, Shared};
use super::volumes::MountedVolume;
use crate::format::block::Head;
use crate::format::index::Listing;
use crate::format::record::{
    DIGEST, DirId, Flags, NO_SUBDIR, Record, Stamp, TOP, digest_of, is_gone,
};
use crate::sources::Changed;

/// How many bytes of a racy file are hashed beyond its size, because some servers report a size of
/// zero for small files.
const SLACK: u64 = 1 << 16;

/// A directory, while anything below it is unfinished.
#[derive(Default)]
pub(crate) struct DirState {
    /// The directory's number in the state, or a new one.
    number: DirId,
    /// A number that changes with the filter, and with the ignore rules that the directory inherits.
    rules: u64,
    volume: Option<MountedVolume>,
    is_recalled: bool,
    /// The parent's device, if a file system was mounted here when the state was made.
    mounted_on: Option<u64>,
    /// Whether some of the directory's entries are left out.
    leaves_out: bool,
    /// The position of the next entry's record, if entries come in the block's order.
    expected: AtomicU32,
}

/// An entry, and its record in the state.
struct Pair<'c, 'e> {
    dir: &'c DirState,
    entry: &'c Entry<'e>,
    name: &'c [u8],
    /// The record, and its position in the directory's block.
    old: Option<(usize, Record<'c>)>,
}

/// The visitor.
pub(crate) struct Look<'a> {
    shared: &'a Shared<'a>,
    pub findings: Findings,
    path: Vec<u8>,
}

impl<'a> Look<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Look<'a> {
        Look { shared, findings: Findings::default(), path: Vec::new() }
    }

    /// Whether an entry of this type counts by its name and type alone.
    #[inline]
    fn is_name(&self, file_type: FileType) -> bool {
        self.shared.rescan.names && !may_be_dir(file_type)
    }

    /// Whether an ignored entry has a record, though it is not listed: a directory that a name in it
    /// ([`contain`](field@brisk::ignore::Options::contain)) may have the rules ignore. The directory
    /// above it does not change when that name is removed.
    fn is_recorded(&self, entry: &Entry<'_>) -> bool {
        let rules = self.shared.rescan.rules.as_ref();
        may_be_dir(entry.file_type()) && rules.is_some_and(Rules::has_markers)
    }

    #[inline]
    fn compare(&mut self, item: &Pair<'_, '_>) {
        let Pair { dir, entry, name, old } = item;
        // If the entry cannot be statted, its record stays, and the walk reports the error.
        if let (Some((place, _)), Some(state)) = (old, self.shared.state) {
            self.shared.seen.set(state.first(dir.number) + place);
        }
        let is_name = self.is_name(entry.file_type());
        let shared = self.shared;
        let Some(meta) = entry.meta().or(is_name.then_some(&shared.unasked)) else { return };
        let mut stamp = Stamp::of(meta);
        if is_name {
            stamp.mode |= entry.file_type().mode_bits();
        }
        let is_listed = !entry.is_refused();
        let is_dir = stamp.file_type().is_dir();
        let is_elsewhere = dir.volume.is_some_and(|volume| meta.dev() != Some(volume.dev));
        if is_elsewhere && is_dir {
            self.shared.mounts.add(dir.number, name);
        }
        let is_as_recorded = |record: &Record<'_>| {
            let is_same = || {
                !record.flags.has(Flags::RACY)
                    && record.stamp == stamp
                    && meta.link_target().is_none_or(|target| target == record.more)
                    && (!shared.rescan.content || is_hashed(record))
            };
            let has_same_type = || record.stamp.file_type() == stamp.file_type();
            record.is_result() == is_listed && if is_name { has_same_type() } else { is_same() }
        };
        match old {
            Some((_, record)) if is_as_recorded(record) => {
                if is_dir && !is_elsewhere && record.subdir != NO_SUBDIR {
                    self.shared.unchanged.set(record.subdir as usize);
                }
            }
            _ => self.push(item, meta, &stamp, is_listed),
        }
    }

    /// Adds the record of an entry that is new or has changed.
    fn push(&mut self, item: &Pair<'_, '_>, meta: &Meta, stamp: &Stamp, is_listed: bool) {
        let Pair { dir, entry, name, old } = item;
        let is_file = stamp.is_file();
        // The inode number of a mounted root belongs to the mounted file system.
        let volume = dir.volume.filter(|volume| meta.dev() == Some(volume.dev));
        let tick = self.shared.racy.tick(stamp, volume).filter(|_| is_listed || !is_file);
        let old_record = old.map(|(_, record)| record);
        let digest = is_file.then(|| self.digest(entry, stamp, tick, old_record)).flatten();
        let target = || meta.link_target().unwrap_or_default();
        self.findings.records.push(NewRecord {
            parent: dir.number,
            name: (*name).into(),
            is_pruned: entry.is_pruned(),
            stamp: *stamp,
            flags: Flags::default()
                .with(Flags::RESULT, is_listed)
                .with(Flags::RACY, tick.is_some() && (!is_file || digest.is_some()))
                .with(Flags::DIGEST, digest.is_some())
                .with(Flags::UNASKED, digest.is_some() && !self.shared.rescan.content),
            more: digest.as_ref().map_or_else(target, |digest| &digest[..]).into(),
            volume: volume.map_or(u16::MAX, |volume| volume.number),
        });
    }

    /// The digest of a file. A file is hashed if contents decide, if an old digest has to be
    /// compared, or if the file is racy and can be hashed within the tick. If a racy file gets no
    /// digest, the rescan waits until the tick has passed.
    fn digest(
        &mut self,
        entry: &Entry<'_>,
        stamp: &Stamp,
        tick: Option<Duration>,
        old: Option<Record<'_>>,
    ) -> Option<[u8; DIGEST]> {
        let Shared { rescan, racy, .. } = self.shared;
        let is_marked =
            |old: Record<'_>| old.flags.has(Flags::RACY) && old.stamp.size == stamp.size;
        let is_wanted = rescan.content
            || old.is_some_and(is_marked)
            || tick.is_some_and(|tick| racy.affords(stamp.size, tick));
        // Bytes that are appended meanwhile need not be hashed: the next rescan finds another size.
        let most = if rescan.content { u64::MAX } else { stamp.size.saturating_add(SLACK) };
        let hash = || digest_of(entry.open_file()?.take(most));
        match is_wanted.then(hash) {
            // The next rescan reports a file that is gone, because its directory has changed.
            Some(Ok(digest)) => return Some(digest),
            Some(Err(error)) if rescan.content && !is_gone(&error) => {
                let path = entry.path();
                let error = Error::new(Operation::ReadFile, path, entry.depth(), error);
                self.findings.errors.push(error);
            }
            _ => {}
        }
        tick.into_iter().for_each(|tick| racy.wait_for(tick));
        None
    }

    /// The entries that have to be checked, and their number, if the directory still has the names
    /// in the state; or else `None`. All other entries are marked as seen.
    fn recall(&self, dir: &DirState) -> Option<(Recalled, usize)> {
        let Shared { state, seen, changed, rescan, unchanged, .. } = self.shared;
        let state = (*state)?;
        let volume = dir.volume?;
        let number = dir.number;
        let old = state.index.dir(number)?.listing;
        let is_searched =
            |changed: &&Changed| volume.number == old.volume && changed.is_complete(&volume);
        let changed = changed.as_ref().filter(is_searched);
        let has_same_names = rescan.shortcuts
            && state.index.volume(number)?.is_same(&volume.volume)
            && (volume.volume.trusts_directory_times() || changed.is_some())
            && old.is_whole
            && old.rules == dir.rules
            && unchanged.get(number as usize)
            // A directory that its file system reports as changed is read.
            && !changed.is_some_and(|changed| changed.has_new_names(number));
        has_same_names.then_some(())?;
        let block = state.block(number);
        let first = state.first(number);
        let wants = |at, file_type| {
            !self.is_name(file_type) && changed.is_none_or(|changed| changed.is_marked(first + at))
        };
        let heads = || block.heads().enumerate();
        let is_wanted = |(at, head): &(usize, Head)| wants(*at, head.file_type);
        let count = heads().filter(is_wanted).count();
        let mut entries = Recalled::of(state.record_of(number)?.stamp.ino, count);
        for (at, _) in heads().filter(is_wanted).take(count) {
            let record = block.record(at)?;
            let is_name = entries.push(record.stamp.ino, record.stamp.file_type(), record.name);
            is_name.then_some(())?;
        }
        // Nothing is marked before it is certain that the directory is not read.
        let unwanted = heads().filter(|head| !is_wanted(head));
        for (at, head) in unwanted.take(block.len() - count) {
            seen.set(first + at);
            if head.subdir != NO_SUBDIR {
                seen.set_below(state, head.subdir);
            }
        }
        Some((entries, count))
    }

    /// What is remembered about a directory that is about to be entered.
    fn dir_state(&mut self, entry: &Entry<'_>, parent: &DirState) -> DirState {
        let name = self.shared.name(entry, &mut self.path);
        let block = self.shared.block(parent.number);
        let old = block.find(name, 0).and_then(|at| block.record(at));
        let old = old.map(|record| record.subdir).filter(|&block| block != NO_SUBDIR);
        let number = old.unwrap_or_else(|| {
            let number = self.shared.dir_ids.next();
            self.findings.new_dirs.push((number, (parent.number, name.into())));
            number
        });
        let was_mount = self.shared.was_mount(number, parent.number);
        let mounted_on = parent.volume.filter(|_| was_mount).map(|volume| volume.dev);
        let is_mount = was_mount || self.shared.mounts.has(parent.number, name);
        let volume = parent.volume.filter(|_| !is_mount);
        let filter = self.shared.fingerprint;
        let inherited = entry.directory().rules();
        let rules = inherited.map_or(filter, |level| filter ^ level.fingerprint().rotate_left(1));
        DirState { number, rules, volume, mounted_on, ..DirState::default() }
    }

    /// Records how a directory was read.
    fn add_listing(&mut self, dir: &DirState, is_whole: bool) {
        if let Some(volume) = dir.volume.filter(|_| !dir.is_recalled) {
            let listing = Listing { rules: dir.rules, volume: volume.number, is_whole };
            self.findings.listings.push((dir.number, listing));
        }
    }
}

/// Whether the record has a digest that the user asked for, or needs none.
fn is_hashed(record: &Record<'_>) -> bool {
    let is_asked = record.digest().is_some() && !record.flags.has(Flags::UNASKED);
    !record.stamp.is_file() || is_asked
}

impl Visitor for Look<'_> {
    type State = DirState;

    fn needs(&self) -> Needs {
        Needs { refused: true, malformed_rules: true, ..Needs::fields(Stamp::FIELDS) }
    }

    fn top(&self) -> DirState {
        DirState { number: TOP, ..DirState::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &DirState) -> Enter<DirState> {
        let dir = self.dir_state(entry, parent);
        match self.recall(&dir) {
            // Nothing in it needs a check, so it is not even opened.
            Some((_, 0)) => Enter::Prune,
            Some((entries, _)) => Enter::Recall(DirState { is_recalled: true, ..dir }, entries),
            None => Enter::Read(dir),
        }
    }

    fn opened(&mut self, opened: &Directory<'_>, dir: &mut DirState) -> Enter<()> {
        dir.leaves_out = self.shared.left_out.contains_key(opened.prefix());
        if dir.volume.is_none() {
            let volume = self.shared.volumes.of(opened);
            if dir.mounted_on == Some(volume.dev) {
                self.findings.errors.push(unmounted(opened));
                return Enter::Prune;
            }
            dir.volume = Some(volume);
            // The file system of a root, or of a mounted root, is known only now.
            if let Some((entries, _)) = self.recall(dir) {
                dir.is_recalled = true;
                return Enter::Recall((), entries);
            }
        }
        self.add_listing(dir, true);
        Enter::Read(())
    }

    #[inline]
    fn select(&mut self, dir: &DirState, entry: &Entry<'_>) -> Select {
        let rules = self.shared.rescan.rules.as_ref();
        if rules.is_some_and(|rules| rules.is_rule_file(entry.c_name())) {
            self.add_listing(dir, false);
        }
        let is_ignored = entry.is_pruned() && entry.is_refused() && !self.is_recorded(entry);
        if is_ignored || dir.leaves_out && self.shared.is_left_out(entry) {
            return Select::Drop;
        }
        let fields = match entry.file_type() {
            file_type if self.is_name(file_type) => Fields::empty(),
            FileType::Symlink | FileType::Unknown => Stamp::FIELDS | Fields::LINK_TARGET,
            _ => Stamp::FIELDS,
        };
        // A directory that is not a result needs a record too, for the entries in it.
        let is_recorded = !entry.is_refused() || may_be_dir(entry.file_type());
        if is_recorded { Select::Take(fields) } else { Select::Drop }
    }

    fn entries(&mut self, _: &Directory<'_>, dir: &DirState, entries: &[Entry<'_>]) -> Flow {
        let block = self.shared.block(dir.number);
        let mut expected = dir.expected.load(Relaxed) as usize;
        for entry in entries {
            let name = self.shared.name(entry, &mut self.path);
            let place = block.find(name, expected);
            expected = place.map_or(expected, |place| place + 1);
            let old = place.and_then(|place| Some((place, block.record(place)?)));
            self.compare(&Pair { dir, entry, name, old });
        }
        dir.expected.store(expected as u32, Relaxed);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        let of_rules = error.operation() == Operation::ReadIgnoreFile;
        let findings = &mut self.findings;
        if of_rules { &mut findings.warnings } else { &mut findings.errors }.push(error);
        Flow::Continue
    }

    fn flush(&mut self, Pause { met, .. }: Pause) -> Flushed {
        self.shared.rescan.watch.iter().for_each(|watch| watch(met));
        Flushed::default()
    }
}

/// The error for a directory whose mounted file system is gone.
#[cold]
fn unmounted(dir: &Directory<'_>) -> Error {
    let why = io::Error::other("it is on another file system than before");
    Error::new(Operation::Open, dir.path().to_owned(), dir.depth(), why)
}

fn may_be_dir(file_type: FileType) -> bool {
    matches!(file_type, FileType::Directory | FileType::Unknown)
}

impl Parallel for Look<'_> {
    fn fork(&self, _: usize) -> Self {
        Look::new(self.shared)
    }

    fn merge(&mut self, other: Self) {
        self.findings.merge(other.findings);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use crate::format::state::State;
    use crate::{Report, Rescan};

    fn rescan(dir: &Path, state: &Path) -> Report {
        let since = State::load(state);
        let rescan = Rescan { names: true, ctime: false, since, ..Rescan::over([dir]) };
        rescan.run().expect("an answer")
    }

    fn names(report: &Report) -> Vec<Vec<u8>> {
        report.entries().into_iter().map(|(place, _)| place.path).collect()
    }

    #[test]
    fn a_damaged_directory_keeps_no_name_that_is_not_there() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let dir = scratch.path().join("dir");
        let file = scratch.path().join("state");
        fs::create_dir_all(dir.join("subdir")).expect("a directory");
        fs::write(dir.join("a file"), "").expect("a file");
        let old = fs::File::open(&dir).expect("the directory");
        old.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("its time");
        for (name, damaged) in [("subdir", "sub/ir"), ("subdir", "subdir")] {
            let mut report = rescan(&dir, Path::new("/nowhere"));
            assert_eq!(names(&report), [&b"a file"[..], b"subdir"]);
            // The damage is in the blocks before their checksums are computed.
            for block in report.next.dirs.values_mut().filter_map(|dir| dir.block.as_mut()) {
                for (from, to) in [(name, damaged), ("a file", "a fake")] {
                    let places = block.bytes.windows(6).position(|word| word == from.as_bytes());
                    if let Some(at) = places {
                        block.bytes[at..at + 6].copy_from_slice(to.as_bytes());
                    }
                }
            }
            report.write(&file).expect("a state");
            let is_read = name != damaged;
            let found = if is_read { &b"a file"[..] } else { b"a fake" };
            assert_eq!(names(&rescan(&dir, &file)), [found, b"subdir"], "{damaged}");
        }
    }
}
