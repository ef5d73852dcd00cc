//! [`Written`]: what file systems report as written since the state was made, so that the rescan
//! needs to check nothing else. Each has its own method: [`btrfs`] remembers when it wrote an inode,
//! NTFS keeps a journal of its changes ([`usn`]), and [`xfs`] reports all inodes at once, which are
//! compared with the state.
//!
//! ```text
//!   Began::note     the mounts, and what the next rescan asks the file system about, before
//!                   anything is read
//!   Written::find   each file system of the state is searched
//!   the walk        in a directory that was not written: only entries that were written, and
//!                   directories with such entries below
//! ```
//!
//! A directory is read in the ordinary way if anything is uncertain: if it is on another file system
//! than the search, if it was not read to its end, if one of its entries is racy, or at a mount. A
//! mount is no change of a file system, so the mounts below the roots must be the same as before.
//! (Tests: `tests/rescan/written.rs`.)

mod btrfs;
mod target;
mod usn;
mod xfs;

use brisk_sys::paths::bytes_to_path;
use brisk_sys::volume::VolumeKind;
use brisk_sys::{Backend, Dir, handle_of};

use crate::bits::Bits;
use crate::gathered::Gathered;
use crate::met::Live;
use crate::record::{Brief, Flags};
use crate::state::{State, TOP};

pub(crate) use target::Search;
use target::{Answer, Searched, Target, for_each_record, text};

/// What was written since the state was made.
pub(crate) struct Written {
    /// A bit for each record: the entry, or one below, has to be looked at.
    touched: Bits,
    /// A bit for each directory of the state: it was written, so its names may be others.
    relisted: Bits,
    /// For each file system of the state: its device number, if the two above say all of it.
    devices: Vec<Option<u64>>,
}

/// What the search of a file system says, and its device number.
struct Told {
    answer: Answer,
    dev: u64,
}

impl Written {
    /// Searches each file system of the state that can be searched. Adds to `explained` which way
    /// is taken for each. `None` if none of them says what was written.
    pub fn find(search: &Search<'_>, explained: &mut Vec<String>) -> Option<Written> {
        let settings = search.settings;
        let is_wanted = settings.shortcuts && settings.choice.is_steady();
        let state = search.paths.state.filter(|_| is_wanted)?;
        let numbers = 0..state.volumes().len();
        let searched: Vec<_> = numbers.map(|at| search.run(state, at, explained)).collect();
        let is_any = searched.iter().any(Option::is_some);
        let written = is_any.then(|| Written::of(state, &searched, settings.content))?;
        // What a mount covers is of another file system, whose inodes are not told.
        for place in search.volumes.began.mounts.iter().flat_map(|mounts| &mounts.places) {
            if let Some((dir, at, _)) = search.paths.record_at(place) {
                written.touch(state, dir, at);
            }
        }
        Some(written)
    }

    /// What was written, by what was told of each file system of the state. `content`: a file
    /// without a digest has to be looked at.
    fn of(state: &State, searched: &[Option<Told>], content: bool) -> Written {
        let written = Written {
            touched: Bits::new(state.len()),
            relisted: Bits::new(state.dirs().len()),
            devices: searched.iter().map(|told| Some(told.as_ref()?.dev)).collect(),
        };
        for_each_record(state, |record| {
            let told = searched.get(record.volume).and_then(Option::as_ref);
            let (dir, at, brief) = (record.dir, record.at, &record.brief);
            let is_written =
                told.is_some_and(|told| told.answer.has(state.first(dir) + at, brief.ino));
            let is_known = told.is_some() && !is_open(brief, content);
            if is_written || record.is_boundary || !record.is_whole || !is_known {
                written.touch(state, dir, at);
            }
            if is_written {
                written.relisted.set(brief.block as usize);
            }
        });
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

    /// Whether all that was written on a file system that the walk has met is known.
    pub fn says_all(&self, live: &Live) -> bool {
        self.devices.get(usize::from(live.number)).is_some_and(|dev| *dev == Some(live.dev))
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

impl Search<'_> {
    /// Searches a file system of the state, if its type has a way.
    fn run(&self, state: &State, number: usize, explained: &mut Vec<String>) -> Option<Told> {
        let kind = state.volumes()[number].volume.kind;
        let way = match kind {
            VolumeKind::Btrfs => btrfs::search,
            VolumeKind::Xfs => xfs::search,
            VolumeKind::Ntfs => usn::search,
            _ => return None,
        };
        let top = self.top_of(state, number)?;
        let told = self.target((state, number), &top, way);
        explained.push(match &told {
            Ok((_, how)) => format!("{kind}: {how}"),
            Err(why) => format!("{kind}: walked, because {why}"),
        });
        let (told, _) = told.ok()?;
        if let Some(known) = self.volumes.get().get_mut(number) {
            known.is_told = true;
        }
        Some(told)
    }

    /// Searches the file system with this number in the state, of which `top` is a directory.
    fn target(
        &self,
        (state, number): (&State, usize),
        top: &[u8],
        way: fn(&Target<'_>) -> Searched<Answer>,
    ) -> Searched<Told> {
        let dir = Dir::open_place(Backend::Native, bytes_to_path(top)).map_err(text)?;
        let (dev, _) = dir.identity().map_err(text)?;
        let dir = handle_of(&dir).ok_or("it has no handle")?;
        let (answer, how) = way(&Target { search: self, state, number, dir })?;
        Ok((Told { answer, dev }, how))
    }

    /// The path of a directory of this file system: the first one in the state.
    fn top_of(&self, state: &State, number: usize) -> Option<Vec<u8>> {
        let mut dirs = (0..).zip(state.dirs()).filter(|(_, dir)| dir.is_there);
        let (dir, entry) =
            dirs.find(|(dir, entry)| *dir != TOP && usize::from(entry.volume) == number)?;
        let name = state.record_of(dir)?.name;
        Some(self.paths.spelled(&Gathered::default().place(self.paths, entry.parent, name)))
    }
}
