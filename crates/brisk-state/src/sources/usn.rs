//! NTFS: the files and directories that the volume's journal names since the state was made.
//!
//! ```text
//!   the journal   …  | write f | rename g | create h | link f | …
//!                    │ since                                  └ now: where the next search begins
//!   changed          f, g, h; the directories of g before and after, that of h, all those of f
//! ```
//!
//! A record of the journal names a file and the directory that holds its name, both by number. A
//! directory gets no record of its own when a name in it changes. So brisk reads the directory that
//! a record about a name gives. A record about a hard link may give the directory of another link
//! of the same file. So brisk asks the file for the directories of all its links.
//!
//! NTFS writes a record at the first change of each kind, and one when the file is closed. If a
//! program keeps a file open, its later writes are recorded when it closes the file.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use brisk_sys::nt::usn::{Position, UsnJournal, UsnRecord, reason};
use brisk_sys::usn;

use super::source::{ALWAYS, AskedVolume, Inodes, for_each_record};
use crate::format::index::{ChangePosition, Checkpoint};
use crate::format::state::State;

/// How many bytes of the journal may be read for each entry that need not be checked: four records
/// of files with names of usual length. (Assumed, not measured.)
const BYTES_AN_ENTRY: u64 = 400;
/// After growth by this fraction of the limit, a state with a later position is worth writing.
const WORTH_SAVING: u64 = 8;

/// Reads the journal of the volume from the state's position on.
pub(super) fn search(target: &AskedVolume<'_>) -> Result<(Inodes, String), String> {
    let failed = |error| format!("its journal cannot be read: {error}");
    let volume = usn::open_volume(target.dir).map_err(failed)?;
    let now = usn::journal_of(&volume).map_err(failed)?;
    if !target.is_same_volume()? {
        return Err("it is another volume".to_owned());
    }
    search_to(now, target, target.checkpoint()?, &volume)
}

/// Searches from the checkpoint to the end of the journal (`now`), where the next search begins.
fn search_to<R: JournalReader>(
    now: UsnJournal,
    target: &AskedVolume<'_>,
    stored: Checkpoint,
    reader: &R,
) -> Result<(Inodes, String), String> {
    let ChangePosition::Journal(since) = stored.position else {
        return Err("the state has no position in its journal".to_owned());
    };
    let state = target.search.state;
    let AskedVolume { volume_number, .. } = *target;
    let search =
        JournalSearch { state, volume_number, most: target.most_changed(), since, now, reader };
    let found = search.growth().and_then(|growth| Ok((growth, search.changed()?)));
    // A position from which searches fail is worth replacing.
    let is_worth_saving =
        found.as_ref().map_or(true, |(growth, _)| growth * WORTH_SAVING > search.limit());
    let position = ChangePosition::Journal(now.position());
    target.advance(Checkpoint { position, ..stored }, is_worth_saving);
    let (_, inodes) = found?;
    let how = format!("only what its journal names since {}: {}", since.next, inodes.len());
    Ok((Inodes::Changed(inodes), how))
}

/// Receives the changes of a journal.
type Each<'e> = &'e mut dyn FnMut(UsnRecord) -> ControlFlow<()>;

/// Reads the journal of a volume. Tests implement it for journals of their own.
trait JournalReader {
    /// Passes the changes since a position to `each`.
    fn changes(&self, since: &Position, each: Each<'_>) -> io::Result<()>;

    /// The directories that hold the names of a file.
    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>>;
}

impl JournalReader for File {
    fn changes(&self, since: &Position, each: Each<'_>) -> io::Result<()> {
        usn::changed_since(self, since, each)
    }

    fn directories_of(&self, file: u64) -> io::Result<Vec<u64>> {
        usn::directories_of(self, file)
    }
}

/// A search of a journal for the entries of a state.
struct JournalSearch<'a, R> {
    state: &'a State,
    /// The number of the volume in the state.
    volume_number: usize,
    /// See [`AskedVolume::most_changed`].
    most: usize,
    since: Position,
    now: UsnJournal,
    reader: &'a R,
}

impl<R: JournalReader> JournalSearch<'_, R> {
    /// How many bytes the journal has grown by; or why it lacks changes, or has too many.
    fn growth(&self) -> Result<u64, String> {
        let growth = self.now.growth(&self.since)?;
        if growth > self.limit() {
            return Err(format!(
                "reading {growth} bytes of its journal would take longer than a walk"
            ));
        }
        Ok(growth)
    }

    /// How many bytes can be read in the time that checking all entries takes.
    fn limit(&self) -> u64 {
        self.state.len().max(ALWAYS) as u64 * BYTES_AN_ENTRY
    }

    /// The inodes of the state that may have changed, in ascending order.
    fn changed(&self) -> Result<Vec<u64>, String> {
        let mut named = NamedFiles::default();
        let read = self.reader.changes(&self.since, &mut |change| named.add(&change));
        read.map_err(|error| format!("its journal cannot be read: {error}"))?;
        if named.is_wide {
            return Err("it numbers files by 128 bits, and the state by 64".to_owned());
        }
        if named.linked.len() > self.most {
            return Err(format!("the hard links of more than {} files changed", self.most));
        }
        for &file in &named.linked {
            let directories = self.reader.directories_of(file);
            let because = |error| format!("it does not say where the links of a file are: {error}");
            named.changed.extend(directories.map_err(because)?);
        }
        self.known(&named.changed)
    }

    /// Those of the changed files that the state has.
    fn known(&self, changed: &HashSet<u64>) -> Result<Vec<u64>, String> {
        let mut known = Vec::new();
        for_each_record(self.state, |record| {
            if record.volume_number == self.volume_number && changed.contains(&record.head.ino) {
                known.push(record.head.ino);
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

/// The files that the records of a journal name.
#[derive(Default)]
struct NamedFiles {
    /// The files and directories that changed, and the directories in which names changed.
    changed: HashSet<u64>,
    /// Existing files of which a link was made or removed.
    linked: HashSet<u64>,
    /// Whether a number has more than the 64 bits of a state.
    is_wide: bool,
}

impl NamedFiles {
    fn add(&mut self, change: &UsnRecord) -> ControlFlow<()> {
        let numbers = [change.file, change.parent].map(u64::try_from);
        let [Ok(file), Ok(parent)] = numbers else {
            self.is_wide = true;
            return ControlFlow::Break(());
        };
        self.changed.insert(file);
        if change.is_of_names() {
            self.changed.insert(parent);
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
mod rounds_tests;
#[cfg(test)]
mod tests;
