//! NTFS: the files and directories that the volume's journal names since the state was made.
//!
//! ```text
//!   the journal   …  | write f | rename g | create h | link f | …
//!                    │ since                                  └ now: where the next search begins
//!   written          f, g, h; the directories of g before and after, that of h, all those of f
//! ```
//!
//! A record of the journal names a file and the directory that holds its name, both by number. A
//! directory gets no record of its own when a name in it changes. So brisk lists the directory that a
//! record about a name gives. A record about a hard link may give the directory of another link of
//! the same file. So brisk asks the file for the directories of all its links.
//!
//! NTFS writes a record at the first change of each kind, and one when the file is closed. If a
//! program keeps a file open, its later writes are recorded when it closes the file.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use brisk_sys::nt::usn::{Change, Journal, Lost, Position, reason};
use brisk_sys::usn;
use brisk_sys::volume::Volume;

use super::target::{ALWAYS, Answer, Searched, Target, for_each_record, text};
use crate::state::State;
use crate::volumes::{Basis, Progress};

/// How many bytes of the journal are read for each entry that need not be checked: four records of
/// files with names of usual length. (Assumed, not measured.)
const BYTES_AN_ENTRY: u64 = 400;
/// Once the journal has grown by the limit divided by this number, a state with a later position is
/// worth writing.
const STALE: u64 = 8;

/// Reads the journal of the volume from the state's position on.
pub(super) fn search(target: &Target<'_>) -> Searched<Answer> {
    let refused = |error| format!("its journal cannot be read: {error}");
    let volume = usn::open_volume(target.dir).map_err(refused)?;
    let now = usn::journal_of(&volume).map_err(refused)?;
    let (stored, since) = check(target)?;
    ask(target, stored, (since, now), &volume)
}

/// Asks what was written between a position and the end of the journal, where the next search goes
/// on.
fn ask<S: Source>(
    target: &Target<'_>,
    stored: Basis,
    (since, now): (Position, Journal),
    source: &S,
) -> Searched<Answer> {
    let (state, number, most) = (target.state, target.number, target.most());
    let asked = Asked { state, number, most, since, now, source };
    let found = asked.growth().and_then(|growth| Ok((growth, asked.written()?)));
    if let Some(known) = target.search.volumes.get().get_mut(target.number) {
        known.basis = Some(Basis { progress: Progress::Journal(now.position()), ..stored });
        // A position of which nothing can be learned is worth replacing.
        known.is_stale = found.as_ref().map_or(true, |(growth, _)| growth * STALE > asked.limit());
    }
    let (_, written) = found?;
    let how = format!("only what its journal names since {}: {}", since.next, written.len());
    Ok((Answer::Written(written), how))
}

/// What the state says for the search; or why that is of no use here.
fn check(target: &Target<'_>) -> Result<(Basis, Position), String> {
    let stored = target.state.volumes()[target.number].volume;
    if stored.fsid == 0 || stored != Volume::of(target.dir).map_err(text)? {
        return Err("it is another volume".to_owned());
    }
    let basis = target.basis()?;
    match basis.progress {
        Progress::Journal(since) => Ok((basis, since)),
        _ => Err("the state has no position in its journal".to_owned()),
    }
}

/// What a volume tells.
trait Source {
    /// Hands on the changes since a position.
    fn changes(
        &self,
        since: &Position,
        each: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> io::Result<()>;

    /// The directories in which a file's names are.
    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>>;
}

impl Source for File {
    fn changes(
        &self,
        since: &Position,
        each: &mut dyn FnMut(Change) -> ControlFlow<()>,
    ) -> io::Result<()> {
        usn::changed_since(self, since, each)
    }

    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>> {
        usn::directories_of(self, file)
    }
}

/// A journal, and the state whose entries are looked for in it.
struct Asked<'a, S> {
    state: &'a State,
    /// The number of the volume in the state.
    number: usize,
    /// With more entries written, looking at all is as fast.
    most: usize,
    since: Position,
    now: Journal,
    source: &'a S,
}

impl<S: Source> Asked<'_, S> {
    /// How many bytes the journal has grown by since; or why it does not tell, or not fast.
    fn growth(&self) -> Result<u64, String> {
        let growth = self.now.growth(&self.since).map_err(|lost| match lost {
            Lost::Another => "its journal was deleted and created again".to_owned(),
            Lost::Dropped => "its journal has dropped changes made since the state".to_owned(),
            Lost::SetBack => {
                "its journal ends before the state's position: the volume was restored".to_owned()
            }
        })?;
        if growth > self.limit() {
            return Err(format!(
                "reading {growth} bytes of its journal would take longer than a walk"
            ));
        }
        Ok(growth)
    }

    /// So many bytes take as long to read as looking at all entries.
    fn limit(&self) -> u64 {
        self.state.len().max(ALWAYS) as u64 * BYTES_AN_ENTRY
    }

    /// The inodes of the state that may have been written, in ascending order.
    fn written(&self) -> Result<Vec<u64>, String> {
        let mut named = Named::default();
        let read = self.source.changes(&self.since, &mut |change| named.take(&change));
        read.map_err(|error| format!("its journal cannot be read: {error}"))?;
        if named.is_wide {
            return Err("it numbers files by 128 bits, and the state by 64".to_owned());
        }
        if named.linked.len() > self.most {
            return Err(format!("the hard links of more than {} files changed", self.most));
        }
        for &file in &named.linked {
            let directories = self.source.directories_of(file);
            let because =
                |error| format!("it does not tell where the links of a file are: {error}");
            named.written.extend(directories.map_err(because)?);
        }
        self.known(&named.written)
    }

    /// Those of these files that the state has.
    fn known(&self, written: &HashSet<u64>) -> Result<Vec<u64>, String> {
        let mut known = Vec::new();
        for_each_record(self.state, |record| {
            if record.volume == self.number && written.contains(&record.brief.ino) {
                known.push(record.brief.ino);
            }
        });
        if known.len() > self.most {
            return Err(format!("more than {} entries were written", self.most));
        }
        known.sort_unstable();
        known.dedup();
        Ok(known)
    }
}

/// What the records of a journal name.
#[derive(Default)]
struct Named {
    /// The files and directories that changed, and the directories whose names did.
    written: HashSet<u64>,
    /// Files of which a link was made or removed, and which are there still.
    linked: HashSet<u64>,
    /// A number does not fit into those of the state.
    is_wide: bool,
}

impl Named {
    fn take(&mut self, change: &Change) -> ControlFlow<()> {
        let numbers = [change.file, change.parent].map(u64::try_from);
        let [Ok(file), Ok(parent)] = numbers else {
            self.is_wide = true;
            return ControlFlow::Break(());
        };
        self.written.insert(file);
        if change.is_of_names() {
            self.written.insert(parent);
        }
        if change.reason & reason::LINK != 0 {
            self.linked.insert(file);
        }
        if change.reason & reason::DELETE != 0 {
            self.linked.remove(&file);
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod rounds;
#[cfg(test)]
mod tests;
