//! [`Rescan`]: looks at trees again and compares them with a state.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brisk::ignore::Rules;
use brisk::{Cancel, Error, FileType, Operation, Stats, Timestamp, Walk};
use brisk_sys::clock::coarse_now;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use crate::assemble::{Assembly, Blocks};
use crate::choice::{All, Choice};
use crate::gathered::{Gathered, Paths};
use crate::look::{Before, Bits, Keys, Look, Settings, Shared, Start, Volumes};
use crate::roots::{self, Root};
use crate::save::Next;
use crate::second::{self, Ticks};
use crate::state::TOP;
use crate::{Change, Place, State, Unusable, list, stamp};

/// How often racy entries are asked about again, before the state marks them: more than once only
/// where another process writes meanwhile.
const MOST_LOOKS: usize = 4;

/// How trees are looked at again.
pub struct Rescan {
    roots: Vec<PathBuf>,
    state: Result<State, Unusable>,
    settings: Settings,
    without: Vec<PathBuf>,
    renames: bool,
    accepts_new_roots: bool,
    threads: Option<NonZeroUsize>,
    cancel: Cancel,
}

/// Why a rescan gives no answer. The state stays as it is.
#[derive(Debug)]
#[non_exhaustive]
pub enum Refused {
    /// The root cannot be asked about.
    Root(PathBuf, io::Error),
    /// The root is on another file system than the state says.
    Elsewhere(PathBuf),
    /// The walk was cancelled.
    Cancelled,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Root(path, error) => write!(f, "cannot look at '{}': {error}", path.display()),
            Refused::Elsewhere(path) => {
                write!(f, "'{}' is on another file system than before", path.display())
            }
            Refused::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Refused {}

impl Rescan {
    /// A rescan of these trees. Of trees that overlap, each entry is looked at once.
    #[must_use]
    pub fn over<P: AsRef<Path>>(roots: impl IntoIterator<Item = P>) -> Rescan {
        Rescan {
            roots: roots.into_iter().map(|root| root.as_ref().to_owned()).collect(),
            state: Err(Unusable::Missing),
            settings: Settings {
                choice: Arc::new(All),
                rules: None,
                without: Vec::new(),
                ctime: true,
                content: false,
                shortcuts: true,
            },
            without: Vec::new(),
            renames: true,
            accepts_new_roots: false,
            threads: None,
            cancel: Cancel::new(),
        }
    }

    /// What to compare with. Where there is no usable state, everything is
    /// [`Added`](crate::Kind::Added), and [`Report::full`] says why.
    #[must_use]
    pub fn since(self, state: Result<State, Unusable>) -> Rescan {
        Rescan { state, ..self }
    }

    /// Which entries belong to the state; by default all.
    #[must_use]
    pub fn choice(mut self, choice: Arc<dyn Choice>) -> Rescan {
        self.settings.choice = choice;
        self
    }

    /// Which files that hold ignore rules count; by default none.
    #[must_use]
    pub fn ignoring(mut self, rules: Rules) -> Rescan {
        self.settings.rules = Some(rules);
        self
    }

    /// Leaves these files out, wherever they are: the state, its lock, what the caller writes.
    #[must_use]
    pub fn without(self, files: Vec<PathBuf>) -> Rescan {
        Rescan { without: files, ..self }
    }

    /// Whether a change of ctime alone counts as a change; it does by default.
    #[must_use]
    pub fn ctime(mut self, counts: bool) -> Rescan {
        self.settings.ctime = counts;
        self
    }

    /// Whether the contents of files decide whether they changed; off by default. The first rescan
    /// hashes each file, and later ones hash each file whose metadata changed.
    #[must_use]
    pub fn content(mut self, decides: bool) -> Rescan {
        self.settings.content = decides;
        self
    }

    /// Whether directories that did not change are read from the state; they are by default, where
    /// the file system's times can be trusted.
    #[must_use]
    pub fn shortcuts(mut self, wanted: bool) -> Rescan {
        self.settings.shortcuts = wanted;
        self
    }

    /// Whether entries with a new path are [`Renamed`](crate::Kind::Renamed), rather than deleted
    /// and added; they are by default.
    #[must_use]
    pub fn renames(self, wanted: bool) -> Rescan {
        Rescan { renames: wanted, ..self }
    }

    /// Whether roots that are on another file system than before are accepted.
    #[must_use]
    pub fn accepts_new_roots(self, accepted: bool) -> Rescan {
        Rescan { accepts_new_roots: accepted, ..self }
    }

    /// How many workers look; by default as many as the walk finds worth while.
    #[must_use]
    pub fn threads(self, threads: Option<NonZeroUsize>) -> Rescan {
        Rescan { threads, ..self }
    }

    /// Ends the rescan when the caller says so.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Rescan {
        Rescan { cancel: cancel.clone(), ..self }
    }

    /// Looks. System calls: one walk that asks each entry for its metadata (statx), where a
    /// directory that the state knows as unchanged is opened with `O_PATH` and not read; one
    /// canonicalize a root. Entries that were written to in the tick of the clock in which they
    /// were asked about are asked again one tick later.
    ///
    /// # Errors
    /// A root is missing or on another file system, or the walk was cancelled.
    pub fn run(mut self) -> Result<Report, Refused> {
        let began = coarse_now();
        let state = self.state.as_ref().ok();
        let roots = roots::find(&self.roots, state, self.accepts_new_roots)?;
        self.settings.without = roots::left_out(&self.without, &roots);
        let paths = Paths::new(state, &roots);
        let seen = Bits::new(state.map_or(0, State::len));
        let (keys, volumes) = (Keys::new(state), Volumes::new(state));
        let common = (&seen, &keys, &volumes);
        let mut gathered = Gathered::default();
        let mut stats = Stats::default();

        let mut shared = Shared::new(state, &self.settings, common);
        shared.starts = roots.iter().map(start).collect();
        self.walk(&shared, &mut gathered, began, &mut stats)?;
        for _ in 0..MOST_LOOKS {
            let ticks = Ticks::new(&volumes, self.settings.ctime);
            let racy = second::directories(&gathered, &paths, &ticks);
            if racy.is_empty() {
                break;
            }
            second::wait(&ticks);
            let starts = second::forget(&mut gathered, &racy, &paths, &seen);
            let entered = gathered.dirs.clone();
            let mut shared = Shared::new(state, &self.settings, common);
            let begins = starts.values().map(|start| (start.parent, start.name.clone()));
            shared.before = Some(Before { entered: &entered, starts: begins.collect() });
            shared.starts = starts;
            self.walk(&shared, &mut gathered, coarse_now(), &mut stats)?;
        }
        let ticks = Ticks::new(&volumes, self.settings.ctime);
        let volumes: Vec<_> = volumes.get().iter().map(|known| known.volume).collect();
        let assembly = Assembly {
            paths: &paths,
            settings: &self.settings,
            seen: &seen,
            ticks: &ticks,
            trusted: volumes.iter().map(|volume| volume.trusts_inodes()).collect(),
            renames: self.renames,
        };
        let assembled = assembly.run(&mut gathered);
        let gone = paths.gone.iter().map(|root| bytes_to_path(root).to_owned());
        let names = roots.iter().map(|root| root.name.clone()).collect();
        let roots = roots.iter().map(|root| root.path.clone()).chain(gone).collect();
        let (state, full) = match self.state {
            Ok(state) => (Some(state), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Report {
            changes: assembled.changes,
            full,
            errors: gathered.errors,
            warnings: gathered.warnings,
            began,
            roots,
            names,
            explained: Vec::new(),
            stats,
            state,
            blocks: assembled.blocks,
            volumes,
        })
    }

    fn walk(
        &self,
        shared: &Shared<'_>,
        gathered: &mut Gathered,
        began: Timestamp,
        stats: &mut Stats,
    ) -> Result<(), Refused> {
        let roots = shared.starts.keys().map(|path| bytes_to_path(path));
        let walk = Walk::over(roots).threads(self.threads).cancelled_by(&self.cancel);
        let (look, walked) = walk.visit_parallel(Look::new(shared));
        stats.add_later(&walked);
        if self.cancel.is_cancelled() {
            return Err(Refused::Cancelled);
        }
        let mut found = look.found;
        let is_missing = |error: &mut Error| {
            error.depth() == 0
                && error.operation() == Operation::Stat
                && error.io().kind() == io::ErrorKind::NotFound
        };
        let missing: Vec<Error> = found.errors.extract_if(.., is_missing).collect();
        if let Some(error) = missing.into_iter().next().filter(|_| shared.before.is_none()) {
            return Err(Refused::Root(error.path().to_owned(), error.into_io()));
        }
        gathered.add(found, began);
        Ok(())
    }
}

fn start(root: &Root) -> (Vec<u8>, Start) {
    (with_slashes(&root.path), Start { parent: TOP, name: root.name.clone(), key: None })
}

/// What a rescan found.
#[derive(Debug)]
pub struct Report {
    changes: Vec<Change>,
    full: Option<Unusable>,
    errors: Vec<Error>,
    warnings: Vec<Error>,
    began: Timestamp,
    roots: Vec<PathBuf>,
    /// The names of their records, without those that only the state knows.
    names: Vec<Box<[u8]>>,
    explained: Vec<String>,
    stats: Stats,
    state: Option<State>,
    blocks: Blocks,
    volumes: Vec<brisk_sys::volume::Volume>,
}

impl Report {
    /// The differences, sorted by root and path, component by component. A renamed entry stands
    /// where it is now.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The roots that [`Place::root`](crate::Place::root) counts: those of the rescan, without
    /// those in others, and then those that only the state knows, by their absolute paths.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Why this is a full listing instead of the differences to a state.
    #[must_use]
    pub fn full(&self) -> Option<&Unusable> {
        self.full.as_ref()
    }

    /// Each listed entry of the next state, and each directory, listed or not, sorted by root and
    /// path, component by component.
    #[must_use]
    pub fn entries(&self) -> Vec<(Place, FileType)> {
        list::entries(&self.next(), &self.names)
    }

    /// What failed. Such an entry, and each below such a directory, is
    /// [`Unknown`](crate::Kind::Unknown): its record stays.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// Rule files that could not be read, and lines in them that are no rules.
    #[must_use]
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// When the rescan began.
    #[must_use]
    pub fn began(&self) -> Timestamp {
        self.began
    }

    /// Which way was taken for each file system, and why not a faster one: lines of text.
    #[must_use]
    pub fn explained(&self) -> &[String] {
        &self.explained
    }

    /// What the rescan cost.
    #[must_use]
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Whether the next state differs from the one that was compared with. If it does not, there is
    /// nothing to write.
    #[must_use]
    pub fn is_new(&self) -> bool {
        let is_other = |(key, info): (&u32, &crate::look::DirInfo)| {
            let old = self.state.as_ref().and_then(|state| state.dir(*key));
            old.is_none_or(|old| (old.rules, old.is_whole) != (info.rules, info.is_whole))
        };
        self.state.is_none()
            || !self.blocks.new.is_empty()
            || self.blocks.infos.iter().any(is_other)
    }

    /// Writes the next state. The file replaces another at once or not at all: it is written beside
    /// it and renamed. It is not synced: a state is a cache, and a torn one is told from a whole
    /// one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        self.next().write(file)
    }

    /// Writes one line for each listed entry of the next state, sorted by path: path, type, and
    /// the digest of a file's contents ([`content`](Rescan::content) takes them; `?` without one)
    /// or the target of a link, with tabs between them. The same tree has the same lines wherever
    /// it is.
    ///
    /// # Errors
    /// `out` cannot be written to.
    pub fn stamp(&self, out: &mut dyn io::Write) -> io::Result<()> {
        stamp::write(&self.next(), out)
    }

    fn next(&self) -> Next<'_> {
        Next::new(self.state.as_ref(), &self.blocks, self.volumes.clone())
    }
}
