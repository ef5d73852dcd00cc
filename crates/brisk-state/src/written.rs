//! [`Written`]: the inodes that btrfs reports as written since the state was made, so that the
//! rescan needs to look at nothing else.
//!
//! ```text
//!   Began::note     the generation in which the next change falls, before anything is read
//!   Written::find   sync; that generation again; the inodes written since the state's generation
//!   the walk        in a directory that was not written: only entries that were written, and
//!                   directories with such entries below
//!   the next state  the generation from before the search or, without one, before the walk
//! ```
//!
//! A directory is read in the ordinary way if anything is uncertain: if it is on another file
//! system or subvolume than the search, if it was not read to its end, or if one of its entries is
//! racy. A mount does not change a file system's generation, so the mounts below the roots must be
//! the same as before. (Tests: `tests/rescan/written.rs`.)

use std::io;
use std::ops::ControlFlow;

use brisk_sys::btrfs::{self, Subvolume};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::volume::VolumeKind;
use brisk_sys::{Backend, BorrowedHandle, Dir, handle_of, memory};

use crate::bits::Bits;
use crate::gathered::{Gathered, Paths};
use crate::met::Volumes;
use crate::record::{Brief, Flags, NO_BLOCK};
use crate::settings::Settings;
use crate::state::{State, TOP};
use crate::volumes::Generation;

/// How many dirty bytes are committed for each entry that need not be looked at: a disk writes 100
/// MB in a second, and a walk looks at a million entries.
const DIRTY_AN_ENTRY: u64 = 100;
/// How many entries a walk looks at while btrfs commits a transaction with nothing in it, which
/// takes 8 ms.
const COMMIT: u64 = 8_000;
/// One entry in so many may have been written. With more, looking at all is as fast.
const WRITTEN: usize = 4;
/// As many may have been written in any case.
const ALWAYS: usize = 1_000;

/// With one entry in so many written, a state with a later generation is worth writing.
const STALE: usize = 32;
/// It is not with so few.
const FEW: usize = 100;

/// What was written since the state was made.
pub(crate) struct Written {
    /// A bit for each record: the entry, or one below, has to be looked at.
    touched: Bits,
    /// A bit for each directory of the state: it was written, so its names may be others.
    relisted: Bits,
    /// For each file system of the state: whether the two above say all of it.
    volumes: Vec<bool>,
}

/// What the search of one file system says.
#[derive(Default)]
struct Search {
    /// The inodes that were written, in ascending order.
    inodes: Vec<u64>,
    is_done: bool,
}

impl Written {
    /// Searches each file system of the state that has generations. Adds to `explained` which way
    /// is taken for each. `None` if none of them says what was written.
    pub fn find(
        paths: &Paths<'_>,
        settings: &Settings,
        volumes: &Volumes,
        explained: &mut Vec<String>,
    ) -> Option<Written> {
        let is_wanted = settings.shortcuts && settings.choice.is_steady();
        let state = paths.state.filter(|_| is_wanted)?;
        let mut searches = Vec::new();
        for number in 0..state.volumes().len() {
            let mut search = Search::default();
            let is_btrfs = state.volumes()[number].volume.kind == VolumeKind::Btrfs;
            if let Some(top) = top_of(paths, state, number).filter(|_| is_btrfs) {
                let told = search.run((state, number), &top, settings, volumes);
                explained.push(match told {
                    Ok(since) => format!(
                        "btrfs: only what was written since generation {since}: {} inodes",
                        search.inodes.len()
                    ),
                    Err(why) => format!("btrfs: walked, because {why}"),
                });
            }
            searches.push(search);
        }
        let is_any = searches.iter().any(|search| search.is_done);
        is_any.then(|| Written::of(state, &searches, settings.content))
    }

    fn of(state: &State, searches: &[Search], content: bool) -> Written {
        let written = Written {
            touched: Bits::new(state.len()),
            relisted: Bits::new(state.dirs().len()),
            volumes: searches.iter().map(|search| search.is_done).collect(),
        };
        for (number, dir) in (0..).zip(state.dirs()).filter(|(_, dir)| dir.is_there) {
            let own = usize::from(dir.volume);
            for (at, record) in state.block(number).briefs().enumerate() {
                let below = state.dir(record.block).filter(|_| record.block != NO_BLOCK);
                let volume = below.map_or(own, |below| usize::from(below.volume));
                let search = searches.get(volume).filter(|search| search.is_done);
                let is_written = search.is_some_and(|search| search.has(record.ino));
                let is_known = search.is_some() && !is_open(&record, content);
                let is_whole = below.map_or(!record.is_dir, |below| below.is_whole);
                let is_boundary = volume != own && number != TOP;
                if is_written || is_boundary || !is_whole || !is_known {
                    written.touch(state, number, at);
                }
                if is_written {
                    written.relisted.set(record.block as usize);
                }
            }
        }
        written
    }

    /// Marks a record and those of the directories above.
    fn touch(&self, state: &State, mut dir: u32, mut at: usize) {
        while !self.touched.get(state.first(dir) + at) {
            self.touched.set(state.first(dir) + at);
            let Some(above) = state.dir(dir).filter(|_| dir != TOP) else { return };
            (dir, at) = (above.parent, above.place as usize);
        }
    }

    /// Whether all that was written on a file system of the state is known.
    pub fn says_all(&self, volume: u16) -> bool {
        self.volumes.get(usize::from(volume)).is_some_and(|&all| all)
    }

    /// Whether a directory of the state was written.
    pub fn is_relisted(&self, dir: u32) -> bool {
        self.relisted.get(dir as usize)
    }

    /// Whether a record in a directory on such a file system has to be looked at, or one below.
    pub fn is_touched(&self, record: usize) -> bool {
        self.touched.get(record)
    }
}

/// Whether what the state holds of an entry does not settle what it was like.
fn is_open(record: &Brief, content: bool) -> bool {
    let lacks_digest = content && record.is_file && !record.flags.has(Flags::DIGEST);
    record.flags.has(Flags::RACY) || lacks_digest
}

impl Search {
    fn has(&self, inode: u64) -> bool {
        self.inodes.binary_search(&inode).is_ok()
    }

    /// Searches the file system with this number in the state, of which `top` is a directory; the
    /// generation from which on, or why not.
    fn run(
        &mut self,
        (state, number): (&State, usize),
        top: &[u8],
        settings: &Settings,
        volumes: &Volumes,
    ) -> Result<u64, String> {
        let stored = state.volumes()[number].generation.ok_or("the state has no generation")?;
        let dir = Dir::open_place(Backend::Native, bytes_to_path(top)).map_err(text)?;
        let dir = handle_of(&dir).ok_or("it has no handle")?;
        check(dir, &stored, volumes.began.mounts)?;
        let dirty = memory::dirty().unwrap_or(u64::MAX);
        let worth = (state.len() as u64).saturating_sub(COMMIT) * DIRTY_AN_ENTRY;
        if dirty >= worth && !settings.commits {
            return Err(format!("committing {dirty} dirty bytes would take longer"));
        }
        btrfs::sync(dir).map_err(text)?;
        // From here on: what was committed is found, and what was not is in a later generation.
        let now = Generation { subvolume: Subvolume::of(dir).map_err(text)?, ..stored };
        let most = (state.len() / WRITTEN).max(ALWAYS);
        self.collect(dir, stored.subvolume.next, most).map_err(text)?;
        let is_stale = self.inodes.len() > (state.len() / STALE).max(FEW);
        if let Some(known) = volumes.get().get_mut(number) {
            (known.generation, known.is_stale) = (Some(now), is_stale);
        }
        if self.inodes.len() > most {
            return Err(format!("more than {most} inodes were written"));
        }
        self.is_done = true;
        Ok(stored.subvolume.next)
    }

    /// Finds what was written since a generation: up to one inode more than `most`.
    fn collect(&mut self, dir: BorrowedHandle<'_>, since: u64, most: usize) -> io::Result<()> {
        btrfs::changed_since(dir, since, |inode| {
            self.inodes.push(inode);
            let is_full = self.inodes.len() > most;
            if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    }
}

fn text(error: io::Error) -> String {
    error.to_string()
}

/// Why a search from the state's generation on is of no use here.
fn check(dir: BorrowedHandle<'_>, stored: &Generation, mounts: u64) -> Result<(), String> {
    if !Subvolume::of(dir).map_err(text)?.continues(&stored.subvolume) {
        return Err("it is another subvolume, or was mounted again".to_owned());
    }
    if mounts != stored.mounts {
        return Err("something was mounted or unmounted in it".to_owned());
    }
    // No inode is that new: this asks whether the caller may search.
    let allowed = btrfs::changed_since(dir, u64::MAX, |_| ControlFlow::Break(()));
    allowed.map_err(|error| format!("it cannot be searched: {error}"))
}

/// The path of a directory of this file system: the first one in the state.
fn top_of(paths: &Paths<'_>, state: &State, number: usize) -> Option<Vec<u8>> {
    let mut dirs = (0..).zip(state.dirs()).filter(|(_, dir)| dir.is_there);
    let (dir, entry) =
        dirs.find(|(dir, entry)| *dir != TOP && usize::from(entry.volume) == number)?;
    let name = state.record_of(dir)?.name;
    Some(paths.spelled(&Gathered::default().place(paths, entry.parent, name)))
}
