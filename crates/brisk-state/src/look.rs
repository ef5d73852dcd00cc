//! [`Look`]: the visitor that compares the entries of a tree with a state.
//!
//! An entry that is the same as its record costs a comparison and a bit. Any other entry is stored
//! as [`Fresh`]. After the walk it becomes a change, or only a new record.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use brisk::ignore::{Level, Rules};
use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Listing, Meta, Needs, Operation,
    Parallel, Recalled, Select, Timestamp, Visitor,
};

use crate::found::{DirInfo, Found, Fresh, Key, NEVER, NewDir, Start};
use crate::hash;
use crate::met::Live;
use crate::record::{Flags, NO_BLOCK, Record, Stamp};
use crate::shared::Shared;
use crate::state::{State, TOP};

/// What is remembered of a directory while anything below it is unfinished.
#[derive(Default)]
pub(crate) struct Here {
    key: Key,
    /// The number of its block in the state.
    old: Option<u32>,
    level: Option<Level>,
    rules: u64,
    volume: Option<Live>,
    is_recalled: bool,
    /// If the state has a mount here: the device of the directory above.
    mounted_on: Option<u64>,
    /// Some of its entries are roots.
    has_roots: bool,
    /// The place of the next entry, if entries come in the order of the block.
    expected: AtomicU32,
}

/// The visitor.
pub(crate) struct Look<'a> {
    shared: &'a Shared<'a>,
    pub found: Found,
    path: Vec<u8>,
}

impl<'a> Look<'a> {
    pub fn new(shared: &'a Shared<'a>) -> Look<'a> {
        Look { shared, found: Found::default(), path: Vec::new() }
    }

    /// Where the walk began with this entry, if it did.
    fn start(&mut self, entry: &Entry<'_>) -> Option<&'a Start> {
        if entry.depth() > 0 {
            return None;
        }
        self.path.clear();
        entry.path_into(&mut self.path);
        self.shared.starts.get(&self.path)
    }

    /// Whether the choice lists an entry whose metadata is known.
    fn lists(&mut self, entry: &Entry<'_>) -> bool {
        let choice = &*self.shared.settings.choice;
        if self.shared.settings.takes_all {
            return true;
        }
        matches!(choice.by_name(entry, &mut self.path), Select::Take(_))
            && choice.by_metadata(entry, &mut self.path)
    }

    /// Compares an entry with its record, if it has one.
    #[inline]
    fn compare(&mut self, here: &Here, entry: &Entry<'_>, old: Option<(usize, Record<'_>)>) {
        let Some(meta) = entry.meta() else {
            // It could not be asked about, which is an error of the walk: its record stays.
            self.see(here, old.map(|(place, _)| place));
            return;
        };
        let stamp = Stamp::of(meta);
        let is_listed = self.lists(entry);
        let here_dev = here.volume.map(|live| live.dev);
        let is_elsewhere = here_dev.is_some() && meta.dev() != here_dev;
        let is_dir = stamp.file_type().is_dir();
        self.shared.note_mount(here.key, entry.name(), is_elsewhere && is_dir);
        self.see(here, old.map(|(place, _)| place));
        let asked = self.asked(here, entry, &stamp, old.map(|(_, record)| record.block));
        let is_known = asked != NEVER;
        match &old {
            Some((_, record))
                if is_known && self.is_as_recorded(record, meta, &stamp, is_listed) =>
            {
                if is_dir && !is_elsewhere && record.block != NO_BLOCK {
                    self.shared.unchanged.set(record.block as usize);
                }
            }
            _ => self.push(here, entry, (stamp, asked), is_listed, old),
        }
    }

    /// A time before the entry was asked about and, if it is a directory, before its names were
    /// read. [`NEVER`] if an earlier walk read it, and it has changed since or was not there.
    #[inline]
    fn asked(&self, here: &Here, entry: &Entry<'_>, stamp: &Stamp, old: Option<u32>) -> Timestamp {
        let began = self.shared.began;
        match &self.shared.before {
            Some(before) if entry.depth() > 0 && stamp.file_type().is_dir() => {
                let named = (here.key, entry.name().into());
                let old = old.filter(|&block| block != NO_BLOCK);
                let is_visited = before.is_visited(&named, old);
                if is_visited { before.read_at(&named, stamp) } else { began }
            }
            _ => began,
        }
    }

    #[inline]
    fn is_as_recorded(
        &self,
        record: &Record<'_>,
        meta: &Meta,
        stamp: &Stamp,
        is_listed: bool,
    ) -> bool {
        let is_settled = record.flags.with(Flags::DIGEST, false)
            == Flags::default().with(Flags::LISTED, is_listed);
        is_settled
            && record.stamp == *stamp
            && meta.link_target().is_none_or(|target| target == record.more)
            && (!self.shared.settings.content || is_hashed(record))
    }

    fn see(&self, here: &Here, place: Option<usize>) {
        if let Some((place, (state, number))) = place.zip(self.shared.state.zip(here.old)) {
            self.shared.seen.set(state.first(number) + place);
        }
    }

    /// Notes an entry that is new or has changed.
    fn push(
        &mut self,
        here: &Here,
        entry: &Entry<'_>,
        (stamp, asked): (Stamp, Timestamp),
        is_listed: bool,
        old: Option<(usize, Record<'_>)>,
    ) {
        let (more, is_digest) = self.more(entry, &stamp);
        let flags = Flags::default().with(Flags::LISTED, is_listed);
        let flags = flags.with(Flags::DIGEST, is_digest);
        let (parent, name) = match self.start(entry) {
            Some(start) => (start.parent, start.name.clone()),
            None => (here.key, entry.name().into()),
        };
        // The number of a mount's root counts on the file system that is mounted there.
        let dev = entry.meta().and_then(|meta| meta.dev());
        let volume = here.volume.filter(|live| dev == Some(live.dev));
        let volume = volume.map_or(u16::MAX, |live| live.number);
        let old = old.map(|(place, _)| place as u32);
        self.found.fresh.push(Fresh { parent, name, stamp, asked, flags, more, old, volume });
    }

    /// The target of a link, or the digest of a file's contents if contents decide; and whether it
    /// is a digest.
    fn more(&mut self, entry: &Entry<'_>, stamp: &Stamp) -> (Box<[u8]>, bool) {
        if let Some(target) = entry.meta().and_then(|meta| meta.link_target()) {
            return (target.into(), false);
        }
        if !self.shared.settings.content || stamp.file_type() != FileType::File {
            return (Box::default(), false);
        }
        match hash::digest(&entry.path()) {
            Ok(digest) => (Box::new(digest), true),
            Err(error) => {
                self.found.errors.push(hash::error(entry, error));
                (Box::default(), false)
            }
        }
    }

    /// Whether the names of a directory are those that the state has.
    fn has_same_names(&self, here: &Here, state: &State, number: u32) -> Option<bool> {
        let (dir, live) = (state.dir(number)?, here.volume?);
        let volume = &state.volumes().get(usize::from(dir.volume))?.volume;
        // The system says of the directory itself that it was written: then it is read.
        let written = self.shared.written.filter(|_| live.number == dir.volume);
        let is_told = written.is_some_and(|written| written.says_all(&live));
        let is_trusted = self.shared.settings.shortcuts
            && (live.trusts_times || is_told)
            && dir.is_whole
            && dir.rules == here.rules
            && self.shared.unchanged.get(number as usize)
            && self.shared.volumes.get().get(usize::from(live.number))?.volume.is_same(volume);
        Some(is_trusted && !written.is_some_and(|written| written.is_relisted(number)))
    }

    /// The entries of a directory that is as its record says, if it may be recalled: those that
    /// have to be asked about, and how many they are. The others count as seen.
    fn recall(&self, here: &Here) -> Option<(Recalled, usize)> {
        let (number, state) = here.old.zip(self.shared.state)?;
        self.has_same_names(here, state, number)?.then_some(())?;
        let dir = state.dir(number)?;
        let written = self.shared.written;
        let live = here.volume.filter(|live| live.number == dir.volume);
        let written = written.zip(live).filter(|(written, live)| written.says_all(live));
        let written = written.map(|(written, _)| written);
        let (block, first) = (state.block(number), state.first(number));
        let wants = |at| written.is_none_or(|written| written.is_touched(first + at));
        let count = (0..block.len()).filter(|&at| wants(at)).count();
        let mut entries = Recalled::of(state.record_of(number)?.stamp.ino, count);
        for (at, child) in block.children().enumerate() {
            if wants(at) {
                let record = block.record(at)?;
                let is_name = entries.push(record.stamp.ino, record.stamp.file_type(), record.name);
                is_name.then_some(())?;
                continue;
            }
            self.shared.seen.set(first + at);
            if child != NO_BLOCK {
                self.shared.seen.set_below(state, child);
            }
        }
        Some((entries, count))
    }

    /// What is remembered of a directory that is about to be entered.
    fn here(&mut self, entry: &Entry<'_>, parent: &Here) -> Option<Here> {
        let start = self.start(entry).cloned();
        let (above, name) = match &start {
            Some(start) => (start.parent, start.name.clone()),
            None => (parent.key, Box::from(entry.name())),
        };
        let old_above = if start.is_some() { self.old(above) } else { parent.old };
        let block = self.shared.block(old_above);
        let old = block.find(&name, 0).and_then(|at| block.record(at));
        let old = old.map(|record| record.block).filter(|&block| block != NO_BLOCK);
        let given = start.as_ref().and_then(|start| start.key);
        if given.is_none() && entry.depth() > 0 && self.is_visited(above, &name, old) {
            return None;
        }
        let key = given.or(old).unwrap_or_else(|| {
            let key = self.shared.keys.next();
            self.found.new_dirs.push(NewDir { parent: above, name: name.clone(), key });
            key
        });
        let was_mount = self.shared.was_mount(old, old_above);
        let mounted_on = parent.volume.filter(|_| was_mount).map(|live| live.dev);
        let is_mount = start.is_some() || was_mount || self.shared.is_mount(above, &name);
        let volume = parent.volume.filter(|_| !is_mount);
        let here = Here { key, old: old.or(self.old(key)), volume, mounted_on, ..Here::default() };
        Some(self.below(entry, parent, here))
    }

    /// Adds to a directory the rules that are in force in it.
    fn below(&self, entry: &Entry<'_>, parent: &Here, here: Here) -> Here {
        let level = parent.level.as_ref().map(|level| level.enter(entry));
        Here { rules: self.rules(level.as_ref()), level, ..here }
    }

    /// Whether a walk before this one has read the directory.
    fn is_visited(&self, parent: Key, name: &[u8], old: Option<u32>) -> bool {
        let before = self.shared.before.as_ref();
        before.is_some_and(|before| before.is_visited(&(parent, name.into()), old))
    }

    /// Whether the walk begins with an entry that it meets as another's child.
    fn is_start(&self, parent: Key, entry: &Entry<'_>) -> bool {
        let before = self.shared.before.as_ref();
        before.is_some_and(|before| before.is_start(&(parent, entry.name().into())))
    }

    /// The number of a directory's block in the state, if it has one.
    fn old(&self, key: Key) -> Option<u32> {
        self.shared.state?.dir(key).map(|_| key)
    }

    fn rules(&self, level: Option<&Level>) -> u64 {
        let choice = self.shared.settings.fingerprint;
        level.map_or(choice, |level| choice ^ level.fingerprint().rotate_left(1))
    }

    fn note(&mut self, here: &Here, is_whole: bool) {
        if let Some(live) = here.volume.filter(|_| !here.is_recalled) {
            let info = DirInfo { key: here.key, rules: here.rules, volume: live.number, is_whole };
            self.found.infos.push(info);
        }
    }
}

/// Whether the record has a digest, if its contents have one.
fn is_hashed(record: &Record<'_>) -> bool {
    record.stamp.file_type() != FileType::File || record.digest().is_some()
}

impl Visitor for Look<'_> {
    type State = Here;

    fn needs(&self) -> Needs {
        let rules = self.shared.settings.rules.as_ref();
        Needs::fields(Stamp::FIELDS).listing(rules.is_some_and(Rules::wants_listing))
    }

    fn top(&self) -> Here {
        let level = self.shared.settings.rules.as_ref().map(Rules::top);
        let rules = self.rules(level.as_ref());
        Here { key: TOP, old: self.old(TOP), level, rules, ..Here::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Here) -> Enter<Here> {
        let Some(here) = self.here(entry, parent) else { return Enter::Prune };
        match self.recall(&here) {
            Some((_, 0)) => Enter::Prune,
            Some((entries, _)) => Enter::Recall(Here { is_recalled: true, ..here }, entries),
            None => Enter::Read(here),
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, here: &mut Here) -> Enter<()> {
        here.has_roots = self.shared.settings.inner.contains_key(dir.prefix());
        if here.volume.is_none() {
            let live = self.shared.volumes.of(dir);
            if here.mounted_on == Some(live.dev) {
                self.found.errors.push(unmounted(dir));
                return Enter::Prune;
            }
            here.volume = Some(live);
            // Of a root, and of another's mount, the file system is known only now.
            if let Some((entries, _)) = self.recall(here) {
                here.is_recalled = true;
                return Enter::Recall((), entries);
            }
        }
        self.note(here, true);
        Enter::Read(())
    }

    fn listed(&mut self, dir: &Directory<'_>, names: &Listing<'_>, here: &mut Here) {
        let (Some(level), Some(rules)) = (&mut here.level, &self.shared.settings.rules) else {
            return;
        };
        self.found.warnings.extend(level.listed(dir, names));
        if !names.is_complete() || names.names().any(|name| rules.is_rule_file(name)) {
            self.note(here, false);
        }
    }

    #[inline]
    fn select(&mut self, here: &Here, entry: &Entry<'_>) -> Select {
        let is_ignored = || here.level.as_ref().is_some_and(|level| level.is_ignored(entry));
        let is_root = here.has_roots && self.shared.is_root(entry);
        if is_root || is_ignored() || self.shared.is_left_out(entry) {
            return Select::Drop;
        }
        let is_link = matches!(entry.file_type(), FileType::Symlink | FileType::Unknown);
        let target = if is_link { Fields::LINK_TARGET } else { Fields::empty() };
        let fields = Stamp::FIELDS | target;
        if self.shared.settings.takes_all {
            return Select::Take(fields);
        }
        match self.shared.settings.choice.by_name(entry, &mut self.path) {
            // A directory that is no result has a record all the same, for what is in it.
            Select::Enter if may_be_dir(entry) => Select::Take(fields),
            Select::Enter | Select::Drop => Select::Drop,
            Select::Take(extra) => Select::Take(fields | extra),
        }
    }

    fn entries(&mut self, _: &Directory<'_>, here: &Here, entries: &[Entry<'_>]) -> Flow {
        let block = self.shared.block(here.old);
        let mut expected = here.expected.load(Relaxed) as usize;
        let mut has_fractions = false;
        for entry in entries {
            if let Some(start) = self.start(entry).cloned() {
                self.compare_start(entry, &start);
                continue;
            }
            let place = block.find(entry.name(), expected);
            expected = place.map_or(expected, |place| place + 1);
            if self.is_start(here.key, entry) {
                continue;
            }
            let old = place.and_then(|place| Some((place, block.record(place)?)));
            has_fractions |= has_fraction(entry);
            self.compare(here, entry, old);
        }
        here.expected.store(expected as u32, Relaxed);
        self.note_fractions(here, has_fractions);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.found.errors.push(error);
        Flow::Continue
    }
}

impl Look<'_> {
    /// Compares an entry that the walk began with.
    fn compare_start(&mut self, entry: &Entry<'_>, start: &Start) {
        let number = self.old(start.parent);
        let block = self.shared.block(number);
        let place = block.find(&start.name, 0);
        let old = place.and_then(|place| Some((place, block.record(place)?)));
        let dev = entry.meta().and_then(|meta| meta.dev());
        let volume = self.shared.volumes.met(dev);
        let above = Here { key: start.parent, old: number, volume, ..Here::default() };
        self.compare(&above, entry, old);
    }

    fn note_fractions(&self, here: &Here, has_fractions: bool) {
        let Some(live) = here.volume.filter(|_| has_fractions) else { return };
        if let Some(known) = self.shared.volumes.get().get_mut(usize::from(live.number)) {
            known.has_fractions = true;
        }
    }
}

/// Whether the time of the entry's last change is no whole second.
fn has_fraction(entry: &Entry<'_>) -> bool {
    entry.meta().and_then(|meta| meta.ctime()).is_some_and(|time| time.nanos > 0)
}

/// The error of a directory that nothing is mounted on any more.
#[cold]
fn unmounted(dir: &Directory<'_>) -> Error {
    let why = io::Error::other("it is on another file system than before");
    Error::new(Operation::Open, dir.path().to_owned(), dir.depth(), why)
}

fn may_be_dir(entry: &Entry<'_>) -> bool {
    matches!(entry.file_type(), FileType::Directory | FileType::Unknown)
}

impl Parallel for Look<'_> {
    fn fork(&self, _: usize) -> Self {
        Look::new(self.shared)
    }

    fn merge(&mut self, other: Self) {
        let Found { fresh, new_dirs, infos, errors, warnings } = other.found;
        self.found.fresh.extend(fresh);
        self.found.new_dirs.extend(new_dirs);
        self.found.infos.extend(infos);
        self.found.errors.extend(errors);
        self.found.warnings.extend(warnings);
    }
}
