//! `brisk scan --from`: a table of the rows of another table, or of a data set, in order.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::Instant;

use brisk::FileType;
use brisk_cli_sys::signals;
use brisk_commands::internal::{Caller, Form, Options, Owner, Refusal, give_name, quoted};
use brisk_table::{Below, Column, Gathering, Rows, TableEntry};

use crate::plan::{self, sink};
use crate::run::{commit, unwritten};
use crate::source::{Places, Source, append_nul_separated, unsorted};
use crate::target::{self, Target};

/// Writes the table. Returns the exit code.
///
/// # Errors
/// Options that cannot be used.
pub(crate) fn scan(options: &Options, from: &Path, output: &Path) -> Result<u8, Refusal> {
    let form = target::form(options.form, output)?;
    let failed = |why: String| Refusal::failure(format!("{}: {why}", quoted(from)));
    let all: Vec<_> = Column::all().collect();
    let source = Source::open(from, &all).map_err(failed)?;
    let columns = plan::columns(options, source.columns().into_iter())?;
    write(source, columns, form, output).map_err(failed)
}

/// Writes these columns. Returns the exit code.
///
/// # Errors
/// The message for the user: what is wrong with the source.
fn write(source: Source, columns: Vec<Column>, form: Form, output: &Path) -> Result<u8, String> {
    let began = Instant::now();
    for column in &columns {
        // Names of owners are found by their numbers.
        let needed = match column {
            Column::Name | Column::Parent => &[][..],
            Column::User => &[Column::User, Column::Uid],
            Column::Group => &[Column::Group, Column::Gid],
            sum if Column::SUMS.contains(sum) => &[Column::Type, Column::Size, Column::Blocks],
            column => std::slice::from_ref(column),
        };
        needed.iter().try_for_each(|column| source.require(*column))?;
    }
    let has_sums = Column::SUMS.iter().any(|sum| columns.contains(sum));
    let places = source.places()?;
    let metadata = source.about.pairs.clone();
    let mut rows = source.merge(|record, key| {
        let depth = record.number(Column::Depth).map(|depth| depth as u32);
        let Some((root, path)) = places.find_given(record.path, depth) else { return false };
        key.extend(root.to_be_bytes());
        append_nul_separated(path, key)
    })?;
    signals::notice_interrupts();
    let begin = || {
        let target = Target::open(output)?;
        let gathering = Gathering::new(sink(form, columns, &target)?);
        Ok((target, gathering))
    };
    let (target, gathering) = match begin() {
        Ok(begun) => begun,
        Err(error) => return Ok(unwritten(output, &error)),
    };
    let mut table = TableWriter::new(&places, gathering, has_sums);
    while let Some((key, record)) = rows.next().map_err(unsorted)? {
        if !table.add(key, &record) {
            break;
        }
        if signals::interrupted() {
            Caller::Brisk.complain("interrupted: nothing was written");
            return Ok(signals::exit_code());
        }
    }
    let written = table.finish(metadata);
    let written = written.and_then(|count| commit(target, output, count, began.elapsed()));
    Ok(written.map_or_else(|error| unwritten(output, &error), |()| 0))
}

/// The table that is written.
struct TableWriter<'p> {
    places: &'p Places,
    gathering: Gathering,
    rows: Rows,
    has_sums: bool,
    /// The directories above the last row, if sums are wanted: each is written when it is left.
    above: Vec<UnsummedDir>,
    /// Users and groups whose names are known.
    owners: [BTreeSet<u64>; 2],
}

/// A directory whose sums are not known yet.
struct UnsummedDir {
    key: Vec<u8>,
    row: Rows,
    below: Below,
}

impl<'p> TableWriter<'p> {
    fn new(places: &'p Places, gathering: Gathering, has_sums: bool) -> TableWriter<'p> {
        TableWriter {
            places,
            gathering,
            rows: Rows::default(),
            has_sums,
            above: Vec::new(),
            owners: Default::default(),
        }
    }

    /// Adds the next row. Its key is the number of its root, and the path below that root. `false`:
    /// the table cannot be written.
    fn add(&mut self, key: &[u8], record: &TableEntry<'_>) -> bool {
        self.give_names(record);
        while self.above.last().is_some_and(|level| !is_above(&level.key, key)) {
            self.leave();
        }
        let is_dir = record.file_type() == Some(FileType::Directory);
        if let Some(level) = self.above.last_mut() {
            let number = |column| record.number(column).unwrap_or_default();
            let bytes = if is_dir { 0 } else { number(Column::Size) };
            level.below += Below { entries: 1, bytes, blocks: number(Column::Blocks) };
        }
        if is_dir && self.has_sums {
            let mut row = Rows::default();
            push(self.places, key, record, &mut row);
            self.above.push(UnsummedDir { key: key.to_owned(), row, below: Below::default() });
        } else {
            push(self.places, key, record, &mut self.rows);
        }
        self.gathering.offer(&mut self.rows)
    }

    /// Adds the row of the innermost directory, whose sums are known now.
    fn leave(&mut self) {
        let Some(UnsummedDir { mut row, below, .. }) = self.above.pop() else { return };
        if let Some(level) = self.above.last_mut() {
            level.below += below;
        }
        row.set_below(below);
        self.rows.append(row);
    }

    /// Owners are called as they were where the files are.
    fn give_names(&mut self, record: &TableEntry<'_>) {
        let columns = [(Column::Uid, Column::User), (Column::Gid, Column::Group)];
        for (known, (id, name)) in self.owners.iter_mut().zip(columns) {
            let Some(id) = record.number(id).filter(|id| known.insert(*id)) else { continue };
            let text = record.text(name).and_then(|name| str::from_utf8(name).ok());
            let owner = if name == Column::User { Owner::User } else { Owner::Group };
            give_name(owner(id as u32), text);
        }
    }

    /// Ends the table. Returns the number of its rows.
    fn finish(mut self, metadata: Vec<(String, String)>) -> io::Result<u64> {
        while !self.above.is_empty() {
            self.leave();
        }
        self.gathering.take(&mut self.rows);
        let count = self.gathering.taken();
        self.gathering.finish(metadata).map(|()| count)
    }
}

/// Adds a row to others.
fn push(places: &Places, key: &[u8], record: &TableEntry<'_>, rows: &mut Rows) {
    let (root, path) = key.split_first_chunk().unwrap_or((&[0; 2], &[]));
    let root = places.given(u16::from_be_bytes(*root));
    let (given, prefix) = root.expect("BUG: a root that was found is gone");
    if path.is_empty() {
        rows.begin(&[]);
        rows.push_record(given, 0, record);
        return;
    }
    let end = path.iter().rposition(|byte| *byte == 0).map_or(0, |at| at + 1);
    let (above, name) = path.split_at(end);
    let slashed = above.iter().map(|byte| if *byte == 0 { b'/' } else { *byte });
    rows.begin(&prefix.iter().copied().chain(slashed).collect::<Vec<_>>());
    let depth = 1 + above.iter().filter(|byte| **byte == 0).count();
    rows.push_record(name, depth, record);
}

/// Whether a row is below a directory, by their keys.
fn is_above(dir: &[u8], key: &[u8]) -> bool {
    match key.strip_prefix(dir) {
        Some([first, ..]) => *first == 0 || dir.len() == size_of::<u16>(),
        _ => false,
    }
}
