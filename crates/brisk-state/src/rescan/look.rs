//! [`Look`]: the visitor that compares the entries of a tree with a state.
//!
//! If a record proves its entry unchanged, the entry costs a comparison, and the record is carried
//! over. Any other entry gets a [`NewRecord`], unless the entry could not be examined: then its old
//! record is carried over too. [`merge`](super::merge::merge) then decides which are changes.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use brisk::ignore::Rules;
use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Flushed, Meta, Needs, Operation,
    Parallel, Pause, Select, Visitor,
};

use super::shared::{Findings, NewRecord, Shared};
use super::volumes::DirVolume;
use crate::format::index::{ListingInfo, NO_VOLUME};
use crate::format::record::{
    Attrs, DIGEST, DirId, Flags, NO_DIR, Record, TOP, digest_of, has_vanished,
};

/// How many bytes of a racy file are hashed beyond its size, because some servers report a size of
/// zero for small files.
const SLACK: u64 = 1 << 16;

/// A directory, while anything below it is unfinished.
#[derive(Default)]
pub(crate) struct DirState {
    /// The directory's id in the state, or a new one.
    pub(super) id: DirId,
    pub(super) parent: DirId,
    /// [`Shared::fingerprint`] (the filter, the files that are omitted), combined with the ignore
    /// rules that the directory inherits.
    pub(super) fingerprint: u64,
    /// The file system; `None` for a root or a mount point that is not open yet.
    pub(super) volume: Option<DirVolume>,
    is_recalled: bool,
    /// Whether the directory has to be watched before it is read.
    pub(super) needs_watch: bool,
    /// If a file system was mounted here when the state was made: the parent's device, which the
    /// directory has if nothing is mounted now.
    dev_if_unmounted: Option<u64>,
    /// Whether names in the directory are omitted.
    has_omitted: bool,
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
    pub(super) shared: &'a Shared<'a>,
    pub findings: Findings,
}

impl<'a> Look<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Look<'a> {
        Look { shared, findings: Findings::default() }
    }

    /// Whether an entry of this type counts by its name and type alone.
    #[inline]
    pub(super) fn counts_by_name(&self, file_type: FileType) -> bool {
        self.shared.rescan.names_only && !may_be_dir(file_type)
    }

    /// Whether an entry gets a record even if it is ignored. A directory may be ignored because of a
    /// name in it ([`contain`](field@brisk::ignore::Options::contain)). When that name goes, the
    /// directory above does not change, and would not be read.
    fn needs_record_for_markers(&self, entry: &Entry<'_>) -> bool {
        let rules = self.shared.rescan.rules.as_ref();
        may_be_dir(entry.file_type()) && rules.is_some_and(Rules::has_markers)
    }

    #[inline]
    fn compare(&mut self, item: &Pair<'_, '_>) {
        if !self.compare_known(item) {
            self.compare_target(item);
        }
    }

    /// Compares what is known of an entry with its record. `false`: call `compare_target`.
    // If this called `compare_target` itself, the two would be recursive, and the compiler could not
    // inline this into the loop of `entries`.
    // long: one entry against its record, inlined as a whole
    #[inline(always)]
    fn compare_known(&mut self, item: &Pair<'_, '_>) -> bool {
        let Pair { dir, entry, name, old } = item;
        let counts_by_name = self.counts_by_name(entry.file_type());
        let shared = self.shared;
        let Some(meta) = entry.meta().or(counts_by_name.then_some(&shared.no_meta)) else {
            // The walk reports the error.
            self.carry_over(item);
            return true;
        };
        let mut attrs = Attrs::of(meta);
        if counts_by_name {
            attrs.mode |= entry.file_type().mode_bits();
        }
        let is_result = !entry.is_refused();
        let is_dir = attrs.file_type().is_dir();
        if shared.watched.is_some() && meta.nlink().is_some_and(|links| links > 1) && !is_dir {
            self.findings.linked.push(((dir.id, (*name).into()), attrs.ino));
        }
        let is_on_other_volume = dir.volume.is_some_and(|volume| meta.dev() != Some(volume.dev));
        if is_on_other_volume && is_dir {
            self.shared.mounts.add(dir.id, name);
        }
        let is_proved_unchanged = |record: &Record<'_>| {
            let is_same = || {
                !record.flags.has(Flags::RECHECK)
                    && record.attrs == attrs
                    && meta.link_target().is_none_or(|target| target == record.target_or_digest)
                    && (!shared.rescan.content || !is_result || is_hashed(record))
            };
            let has_same_type = || record.attrs.file_type() == attrs.file_type();
            record.is_result() == is_result
                && if counts_by_name { has_same_type() } else { is_same() }
        };
        // A directory without a `dir_id` was not entered when the state was made. If it is now (it is
        // not pruned), it needs a new record.
        let was_entered =
            |record: &Record<'_>| !is_dir || record.dir_id != NO_DIR || entry.is_pruned();
        match old {
            Some((_, record)) if is_proved_unchanged(record) && was_entered(record) => {
                if is_dir && !is_on_other_volume && record.dir_id != NO_DIR {
                    self.shared.unchanged_dirs.set(record.dir_id as usize);
                }
            }
            _ if attrs.file_type().is_symlink()
                && meta.link_target().is_none()
                && self.may_prove_links(dir) =>
            {
                return false;
            }
            _ => self.push(item, meta, &attrs, is_result),
        }
        self.carry_over(item);
        true
    }

    /// Marks the old record of an entry that was met: `merge` keeps it, unless there is a new one.
    #[inline]
    fn carry_over(&self, Pair { dir, old, .. }: &Pair<'_, '_>) {
        if let (Some((at, _)), Some(state)) = (old, self.shared.state) {
            self.shared.carried_over_records.set(state.record_number(dir.id, *at));
        }
    }

    /// Whether a link with the inode and the times of its record has the recorded target, because
    /// no system call gives an existing link another one.
    fn may_prove_links(&self, dir: &DirState) -> bool {
        let is_stable = dir.volume.is_some_and(|volume| volume.volume.trusts_inodes());
        self.shared.state.is_some() && self.shared.rescan.ctime && is_stable
    }

    /// Reads the target of a link that its record does not prove unchanged, and compares again.
    #[cold]
    fn compare_target(&mut self, item: &Pair<'_, '_>) {
        let entry = item.entry;
        let stat = || entry.stat(Attrs::FIELDS | Fields::LINK_TARGET);
        let is_other = |error: &io::Error| error.kind() == io::ErrorKind::InvalidInput;
        let found = match stat() {
            // Another entry, which is not a link, has taken the name since the stat.
            Err(error) if is_other(&error) => stat(),
            found => found,
        };
        match found {
            Ok(meta) => {
                self.compare_known(&Pair { entry: &entry.with_meta(&meta), ..*item });
            }
            // Another process has removed the link since it was listed.
            Err(error) if has_vanished(&error) => self.note_if_no_longer_dir(item),
            Err(error) => {
                let error = Error::new(Operation::ReadLink, entry.path(), entry.depth(), error);
                self.findings.errors.push(error);
                self.carry_over(item);
            }
        }
    }

    /// Notes an entry that is not a directory, or gone, if it was a directory. The walk may still
    /// enter this name, and find another directory there. `merge` discards what it finds.
    fn note_if_no_longer_dir(&mut self, Pair { dir, entry, name, old }: &Pair<'_, '_>) {
        if entry.file_type().is_dir() || old.is_some_and(|(_, old)| old.is_dir()) {
            self.findings.no_longer_dirs.push((dir.id, (*name).into()));
        }
    }

    /// Adds the new record of an entry.
    fn push(&mut self, item: &Pair<'_, '_>, meta: &Meta, attrs: &Attrs, is_result: bool) {
        let Pair { dir, entry, name, old } = item;
        let is_file = attrs.is_file();
        if let Some((_, old)) =
            old.filter(|(_, old)| old.attrs.ino != attrs.ino && old.dir_id != NO_DIR)
        {
            self.shared.dirs_with_new_inode.set(old.dir_id as usize);
        }
        // The inode number of a mount point belongs to the mounted file system.
        let volume = dir.volume.filter(|volume| meta.dev() == Some(volume.dev));
        let racy_tick = self.shared.racy.racy_tick(attrs, volume).filter(|_| is_result || !is_file);
        let old_record = old.map(|(_, record)| record);
        if !attrs.file_type().is_dir() {
            self.note_if_no_longer_dir(item);
        }
        let may_hash = is_file && is_result;
        let digest =
            if may_hash { self.digest(entry, attrs, racy_tick, old_record) } else { Ok(None) };
        let is_unread = digest.is_err();
        let digest = digest.map_err(|error| self.findings.errors.push(error)).unwrap_or_default();
        if is_unread && old_record.is_some_and(|old| old.attrs.is_file()) {
            // The old record is carried over, and compared once the file can be read.
            return;
        }
        let target = || meta.link_target().unwrap_or_default();
        self.findings.records.push(NewRecord {
            parent: dir.id,
            name: (*name).into(),
            is_pruned: entry.is_pruned(),
            attrs: *attrs,
            flags: Flags::default()
                .with(Flags::RESULT, is_result)
                .with(
                    Flags::RECHECK,
                    is_unread || racy_tick.is_some() && (!is_file || digest.is_some()),
                )
                .with(Flags::DIGEST, digest.is_some())
                .with(Flags::HASHED_AS_RACY, digest.is_some() && !self.shared.rescan.content),
            target_or_digest: digest.as_ref().map_or_else(target, |digest| &digest[..]).into(),
            volume_number: volume.map_or(NO_VOLUME, |volume| volume.volume_number),
        });
    }

    /// The digest of a file. A file is hashed if contents decide, if an old digest has to be
    /// compared, or if the file is racy and can be hashed within the tick; `racy_tick` is `None` if
    /// it is not racy. If a racy file gets no digest, the rescan waits until the tick has passed.
    ///
    /// # Errors
    /// Contents decide, and the file cannot be read.
    fn digest(
        &mut self,
        entry: &Entry<'_>,
        attrs: &Attrs,
        racy_tick: Option<Duration>,
        old: Option<Record<'_>>,
    ) -> Result<Option<[u8; DIGEST]>, Error> {
        let Shared { rescan, racy, .. } = self.shared;
        let was_racy =
            |old: Record<'_>| old.flags.has(Flags::RECHECK) && old.attrs.size == attrs.size;
        let is_wanted = rescan.content
            || old.is_some_and(was_racy)
            || racy_tick.is_some_and(|tick| racy.affords(attrs.size, tick));
        // Bytes that are appended meanwhile need not be hashed: the next rescan finds another size.
        let most = if rescan.content { u64::MAX } else { attrs.size.saturating_add(SLACK) };
        let hash = || digest_of(entry.open_file()?.take(most));
        match is_wanted.then(hash) {
            // The next rescan reports a file that is gone, because its directory has changed.
            Some(Ok(digest)) => return Ok(Some(digest)),
            Some(Err(error)) if rescan.content && !has_vanished(&error) => {
                return Err(Error::new(Operation::ReadFile, entry.path(), entry.depth(), error));
            }
            _ => {}
        }
        racy_tick.into_iter().for_each(|tick| racy.wait_for(tick));
        Ok(None)
    }

    /// What is remembered about a directory that is about to be entered.
    fn dir_state(&mut self, entry: &Entry<'_>, parent: &DirState) -> DirState {
        let name = self.shared.name(entry);
        let block = self.shared.block(parent.id);
        let record = block.find(name, 0).and_then(|at| block.record(at));
        let old_id = record.map(|record| record.dir_id).filter(|&id| id != NO_DIR);
        let id = old_id.unwrap_or_else(|| {
            let id = self.shared.dir_ids.next();
            self.findings.new_dirs.push((id, (parent.id, name.into())));
            id
        });
        let was_mount = self.shared.was_mount(id, parent.id);
        let dev_if_unmounted = parent.volume.filter(|_| was_mount).map(|volume| volume.dev);
        let is_mount = was_mount || self.shared.mounts.has(parent.id, name);
        let volume = parent.volume.filter(|_| !is_mount);
        let filter = self.shared.fingerprint;
        let has_other_inode = |record: Record<'_>| record.attrs.ino != entry.ino();
        let may_be_other = record.is_none_or(|record| entry.depth() > 0 && has_other_inode(record))
            || self.shared.dirs_with_new_inode.get(id as usize)
            || self.shared.is_touched(parent.id, name);
        let needs_watch = self.shared.watched.is_some_and(|all| may_be_other || !all.has(id));
        let inherited = entry.directory().rules();
        let fingerprint =
            inherited.map_or(filter, |level| filter ^ level.fingerprint().rotate_left(1));
        let own = DirState { id, parent: parent.id, fingerprint, volume, ..DirState::default() };
        DirState { needs_watch, dev_if_unmounted, ..own }
    }

    /// Records how a directory was read.
    fn add_listing(&mut self, dir: &DirState, may_be_recalled: bool) {
        if let Some(volume) = dir.volume.filter(|_| !dir.is_recalled) {
            let DirState { id, fingerprint, .. } = *dir;
            let listing =
                ListingInfo { fingerprint, volume_number: volume.volume_number, may_be_recalled };
            self.findings.listings.push((id, listing));
        }
    }
}

/// Whether the record has a digest that the user asked for, or needs none.
fn is_hashed(record: &Record<'_>) -> bool {
    let is_asked = record.digest().is_some() && !record.flags.has(Flags::HASHED_AS_RACY);
    !record.attrs.is_file() || is_asked
}

impl Visitor for Look<'_> {
    type State = DirState;

    fn needs(&self) -> Needs {
        Needs { refused: true, malformed_rules: true, ..Needs::fields(Attrs::FIELDS) }
    }

    fn top(&self) -> DirState {
        DirState { id: TOP, ..DirState::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &DirState) -> Enter<DirState> {
        let dir = self.dir_state(entry, parent);
        if dir.needs_watch {
            return Enter::Read(dir);
        }
        match self.recall(&dir) {
            Some(Enter::Recall((), entries)) => {
                Enter::Recall(DirState { is_recalled: true, ..dir }, entries)
            }
            // Nothing in it must be checked, so it is not even opened.
            Some(_) => Enter::Prune,
            None => Enter::Read(dir),
        }
    }

    fn opened(&mut self, opened: &Directory<'_>, dir: &mut DirState) -> Enter<()> {
        self.shared.opened_dirs.set(dir.id as usize);
        dir.has_omitted = self.shared.omitted.contains_key(opened.prefix());
        let is_new_volume = dir.volume.is_none();
        if is_new_volume {
            let volume = self.shared.volumes.of(opened);
            if dir.dev_if_unmounted == Some(volume.dev) {
                self.findings.errors.push(unmounted(opened));
                return Enter::Prune;
            }
            dir.volume = Some(volume);
        }
        let watched = self.shared.watched.filter(|_| dir.needs_watch);
        watched.iter().for_each(|watched| self.watch(opened, dir, watched));
        // The file system of a root, or of a mount point, is known only now.
        if (is_new_volume || watched.is_some())
            && let Some(recalled) = self.recall(dir)
        {
            dir.is_recalled = true;
            return recalled;
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
        let is_ignored =
            entry.is_pruned() && entry.is_refused() && !self.needs_record_for_markers(entry);
        if is_ignored || dir.has_omitted && self.shared.is_omitted(entry) {
            return Select::Drop;
        }
        let links = if self.shared.watched.is_some() { Fields::NLINK } else { Fields::empty() };
        let fields = match entry.file_type() {
            file_type if self.counts_by_name(file_type) => Fields::empty(),
            FileType::Symlink | FileType::Unknown if !self.may_prove_links(dir) => {
                Attrs::FIELDS | Fields::LINK_TARGET | links
            }
            _ => Attrs::FIELDS | links,
        };
        // A directory that is not a result needs a record too, for the entries in it.
        let is_wanted = !entry.is_refused() || may_be_dir(entry.file_type());
        if is_wanted { Select::Take(fields) } else { Select::Drop }
    }

    fn entries(&mut self, _: &Directory<'_>, dir: &DirState, entries: &[Entry<'_>]) -> Flow {
        let block = self.shared.block(dir.id);
        let mut expected = dir.expected.load(Relaxed) as usize;
        for entry in entries {
            let name = self.shared.name(entry);
            let found = block.find(name, expected);
            expected = found.map_or(expected, |at| at + 1);
            let old = found.and_then(|at| Some((at, block.record(at)?)));
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
        self.shared.rescan.on_progress.iter().for_each(|told| told(met));
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
        let old = State::load(state);
        let rescan = Rescan { names_only: true, ctime: false, old, ..Rescan::over([dir]) };
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
                    let found = block.bytes.windows(6).position(|word| word == from.as_bytes());
                    if let Some(at) = found {
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
