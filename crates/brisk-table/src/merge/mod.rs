//! [`Merge`]: the rows of many tables in one order, in bounded memory. Any two row groups of a
//! table may overlap, and a reader of one holds some MiB, because a column of a group is a page or
//! two. So the merge does not read from all groups at once. Each group first becomes a run, a
//! sorted list of rows in a form that takes about 40 bytes a row and is read a few KiB at a time:
//!
//! ```text
//!   row group ► rows of a Chunk ► sorted ► encoded ► a run ┐
//!   row group ► rows of a Chunk ► sorted ► encoded ► a run ├► Tournament ► Merged::next
//!       one thread a row group      in a file without a name ┘
//! ```

mod chunk;
mod run;
mod tournament;

use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use brisk_sys::threads::{self, lock};
use brisk_sys::whole;

use crate::{Scan, TableEntry, Unusable};
use chunk::RowChunk;
use run::Run;
use tournament::Tournament;

/// The most threads that read a table. Each holds a row group and its rows: 25 MiB.
const THREADS: usize = 4;

/// The bytes of all runs that are held in memory, and the least and most of one of them.
const BUFFERS: usize = 64 << 20;
const LEAST: usize = 2 << 10;
const MOST: usize = 64 << 10;

/// Merges the rows of tables.
pub struct Merge {
    tables: usize,
    runs: Mutex<Runs>,
}

/// Runs, one behind the other in a file.
struct Runs {
    file: File,
    end: u64,
    /// Where each run is, and where its rows come from: of rows with the same key, the earlier one
    /// comes first.
    places: Vec<(Origin, Range<u64>)>,
}

/// The number of a table, that of its row group, and that of a run of this group.
type Origin = (usize, usize, usize);

impl Merge {
    /// The runs are in an unnamed file on the file system of `scratch`.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new(scratch: &Path) -> io::Result<Merge> {
        let file = whole::create_unnamed(scratch)?;
        Ok(Merge { tables: 0, runs: Mutex::new(Runs { file, end: 0, places: Vec::new() }) })
    }

    /// Adds the rows of a table. `key` appends the key of a record, by whose bytes the rows are
    /// ordered. It returns `false` for a record that no undamaged table has.
    ///
    /// # Errors
    /// The table is damaged or cannot be read, or the temporary file cannot be written.
    pub fn add(
        &mut self,
        scan: &Scan,
        key: impl Fn(&TableEntry<'_>, &mut Vec<u8>) -> bool + Sync,
    ) -> Result<(), Unusable> {
        let table = self.tables;
        self.tables += 1;
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), Unusable> {
            let mut chunk = RowChunk::default();
            loop {
                let group = next.fetch_add(1, Relaxed);
                if group >= scan.groups() {
                    return Ok(());
                }
                let mut number = 0;
                for batch in scan.group(group)? {
                    for record in batch?.records() {
                        if !chunk.add(&record, &key) {
                            return Err(Unusable::Damaged);
                        }
                        if chunk.is_full() {
                            self.keep((table, group, number), &mut chunk)?;
                            number += 1;
                        }
                    }
                }
                self.keep((table, group, number), &mut chunk)?;
            }
        };
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        threads::run(cores.min(THREADS).min(scan.groups()), work)
    }

    /// Writes the rows of a chunk as a run.
    fn keep(&self, origin: Origin, chunk: &mut RowChunk) -> Result<(), Unusable> {
        let bytes = chunk.encode();
        let mut runs = lock(&self.runs);
        runs.file.write_all(bytes).map_err(Unusable::Unsorted)?;
        let start = runs.end;
        runs.end += bytes.len() as u64;
        let end = runs.end;
        runs.places.push((origin, start..end));
        Ok(())
    }

    /// All rows, in the order of their keys.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn rows(self) -> io::Result<Merged> {
        let Runs { file, mut places, .. } =
            self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        places.sort_unstable_by_key(|(origin, _)| *origin);
        let piece = (BUFFERS / places.len().max(1)).clamp(LEAST, MOST);
        let runs = places.into_iter().map(|(_, place)| Run::new(place, piece));
        Merged::new(file, runs.collect())
    }
}

/// The rows of a [`Merge`] in order.
pub struct Merged {
    file: File,
    runs: Vec<Run>,
    tournament: Tournament,
    /// The run that has the row at hand.
    last: Option<usize>,
}

impl Merged {
    fn new(file: File, mut runs: Vec<Run>) -> io::Result<Merged> {
        let mut codes = Vec::with_capacity(runs.len());
        for run in &mut runs {
            codes.push(run.advance(&file)?);
        }
        let tournament = Tournament::new(codes, |run| runs[run].key());
        Ok(Merged { file, runs, tournament, last: None })
    }

    /// The next row: its key, and its record, which has no path.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an iterator's rows could not be borrowed")]
    pub fn next(&mut self) -> io::Result<Option<(&[u8], TableEntry<'_>)>> {
        if let Some(last) = self.last {
            let code = self.runs[last].advance(&self.file)?;
            self.tournament.replay(last, code, |run| self.runs[run].key());
        }
        self.last = self.tournament.winner();
        Ok(self.last.map(|run| self.runs[run].row()))
    }
}
