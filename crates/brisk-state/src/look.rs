//! [`Look`]: the visitor that compares the entries of a tree with a state.
//!
//! An entry that is the same as its record costs a comparison and a bit. Any other entry is stored
//! as [`Fresh`]. After the walk it becomes a change, or only a new record.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use brisk::ignore::{Level, Rules};
use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Listing, Meta, Needs, Operation,
    Parallel, Recalled, Select, Visitor,
};

use crate::found::{DirInfo, Found, Fresh, Key};
use crate::hash;
use crate::met::Live;
use crate::record::{DIGEST, Flags, NO_BLOCK, Record, Stamp};
use crate::shared::Shared;
use crate::state::TOP;
use crate::written::Written;

/// How much more of a racy file is hashed than its size says: some servers give small files none.
const SLACK: u64 = 1 << 16;

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
    /// Some of its entries are left out.
    leaves_out: bool,
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
    fn compare(
        &mut self,
        here: &Here,
        (entry, name): (&Entry<'_>, &[u8]),
        old: Option<(usize, Record<'_>)>,
    ) {
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
        self.shared.note_mount(here.key, name, is_elsewhere && is_dir);
        self.see(here, old.map(|(place, _)| place));
        match &old {
            Some((_, record)) if self.is_as_recorded(record, meta, &stamp, is_listed) => {
                if is_dir && !is_elsewhere && record.block != NO_BLOCK {
                    self.shared.unchanged.set(record.block as usize);
                }
            }
            _ => self.push(here, (entry, name), (stamp, is_listed), old),
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
        record.flags.has(Flags::LISTED) == is_listed
            && !record.flags.has(Flags::RACY)
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
        (entry, name): (&Entry<'_>, &[u8]),
        (stamp, is_listed): (Stamp, bool),
        old: Option<(usize, Record<'_>)>,
    ) {
        let is_file = stamp.file_type() == FileType::File;
        // The number of a mount's root counts on the file system that is mounted there.
        let dev = entry.meta().and_then(|meta| meta.dev());
        let live = here.volume.filter(|live| dev == Some(live.dev));
        let tick = self.shared.racy.tick(&stamp, live).filter(|_| is_listed || !is_file);
        let digest = is_file.then(|| self.digest(entry, &stamp, tick, old.map(|(_, old)| old)));
        let digest = digest.flatten();
        let target = || entry.meta().and_then(|meta| meta.link_target()).unwrap_or_default();
        self.found.fresh.push(Fresh {
            parent: here.key,
            name: name.into(),
            stamp,
            flags: Flags::default()
                .with(Flags::LISTED, is_listed)
                .with(Flags::RACY, tick.is_some() && (!is_file || digest.is_some()))
                .with(Flags::DIGEST, digest.is_some())
                .with(Flags::UNASKED, digest.is_some() && !self.shared.settings.content),
            more: digest.as_ref().map_or_else(target, |digest| &digest[..]).into(),
            old: old.map(|(place, _)| place as u32),
            volume: live.map_or(u16::MAX, |live| live.number),
        });
    }

    /// The digest of a file: if contents decide, if there is an old one to compare with, or if the
    /// file is racy and can be hashed within the tick. A racy file without one is waited for.
    fn digest(
        &mut self,
        entry: &Entry<'_>,
        stamp: &Stamp,
        tick: Option<Duration>,
        old: Option<Record<'_>>,
    ) -> Option<[u8; DIGEST]> {
        let Shared { settings, racy, .. } = self.shared;
        let is_marked =
            |old: Record<'_>| old.flags.has(Flags::RACY) && old.stamp.size == stamp.size;
        let is_wanted = settings.content
            || old.is_some_and(is_marked)
            || tick.is_some_and(|tick| racy.affords(stamp.size, tick));
        // A file that grows meanwhile is not followed: it has another size the next time.
        let most = if settings.content { u64::MAX } else { stamp.size.saturating_add(SLACK) };
        let hash = || hash::of(entry.open_file()?.take(most));
        match is_wanted.then(hash) {
            Some(Ok(digest)) => return Some(digest),
            Some(Err(error)) if settings.content && !hash::is_gone(&error) => {
                let (path, depth) = (entry.path(), entry.depth());
                self.found.errors.push(Error::new(Operation::ReadFile, path, depth, error));
            }
            _ => {}
        }
        tick.into_iter().for_each(|tick| racy.wait_for(tick));
        None
    }

    /// The entries of a directory whose names are those that the state has: those that have to be
    /// asked about, and how many they are. The others count as seen.
    fn recall(&self, here: &Here) -> Option<(Recalled, usize)> {
        let Shared { settings, unchanged, .. } = self.shared;
        let (number, state, live) = (here.old?, self.shared.state?, here.volume?);
        let dir = state.dir(number)?;
        let volume = &state.volumes().get(usize::from(dir.volume))?.volume;
        let is_told = |written: &&Written| live.number == dir.volume && written.says_all(&live);
        let written = self.shared.written.filter(is_told);
        let has_same_names = settings.shortcuts
            && (live.volume.trusts_directory_times() || written.is_some())
            && dir.is_whole
            && dir.rules == here.rules
            && unchanged.get(number as usize)
            && live.volume.is_same(volume)
            // The system says of the directory itself that it was written: then it is read.
            && !written.is_some_and(|written| written.is_relisted(number));
        has_same_names.then_some(())?;
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
    fn here(&mut self, entry: &Entry<'_>, parent: &Here) -> Here {
        let name = self.shared.name(entry, &mut self.path);
        let block = self.shared.block(parent.old);
        let old = block.find(name, 0).and_then(|at| block.record(at));
        let old = old.map(|record| record.block).filter(|&block| block != NO_BLOCK);
        let key = old.unwrap_or_else(|| {
            let (parent, key) = (parent.key, self.shared.keys.next());
            self.found.new_dirs.push((key, (parent, name.into())));
            key
        });
        let was_mount = self.shared.was_mount(old, parent.old);
        let mounted_on = parent.volume.filter(|_| was_mount).map(|live| live.dev);
        let is_mount = was_mount || self.shared.is_mount(parent.key, name);
        let volume = parent.volume.filter(|_| !is_mount);
        let level = parent.level.as_ref().map(|level| level.enter(entry));
        let rules = self.rules(level.as_ref());
        Here { key, old, level, rules, volume, mounted_on, ..Here::default() }
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

/// Whether the record has a digest that was asked for, if its contents have one.
fn is_hashed(record: &Record<'_>) -> bool {
    let is_asked = record.digest().is_some() && !record.flags.has(Flags::UNASKED);
    record.stamp.file_type() != FileType::File || is_asked
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
        Here { key: TOP, old: self.shared.state.map(|_| TOP), level, rules, ..Here::default() }
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Here) -> Enter<Here> {
        let here = self.here(entry, parent);
        match self.recall(&here) {
            Some((_, 0)) => Enter::Prune,
            Some((entries, _)) => Enter::Recall(Here { is_recalled: true, ..here }, entries),
            None => Enter::Read(here),
        }
    }

    fn opened(&mut self, dir: &Directory<'_>, here: &mut Here) -> Enter<()> {
        here.leaves_out = self.shared.settings.left_out.contains_key(dir.prefix());
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
        if is_ignored() || here.leaves_out && self.shared.is_left_out(entry) {
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
        for entry in entries {
            let name = self.shared.name(entry, &mut self.path);
            let place = block.find(name, expected);
            expected = place.map_or(expected, |place| place + 1);
            let old = place.and_then(|place| Some((place, block.record(place)?)));
            self.compare(here, (entry, name), old);
        }
        here.expected.store(expected as u32, Relaxed);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.found.errors.push(error);
        Flow::Continue
    }
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
