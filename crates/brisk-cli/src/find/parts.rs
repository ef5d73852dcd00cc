//! `--parts`, `--part-size`, `--part-files`: the results as several lists, for programs that copy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Mutex;

use brisk::Flow;
use brisk_sys::output::Output;

use crate::show::safe::path_bytes;
use crate::write::file;
use crate::write::stream::{Descriptor, PIECE, forgive_leaving};
use brisk_sys::threads::lock;

/// The bytes after which a worker hands over its results.
const SHARE: usize = 4 << 10;

/// When a list is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// At the end: there are this many lists, and each result goes to the one with the least bytes.
    Lists(u64),
    /// When one more file would make it longer than this many bytes.
    Bytes(u64),
    /// When it has this many results.
    Results(u64),
}

/// The lists of a search. Each gets its name when it is full, so that a list that is there is whole.
pub(crate) struct Parts {
    limit: Limit,
    /// What stands before the number in the name of a list.
    prefix: PathBuf,
    /// The byte that ends a line.
    end: u8,
    lists: Mutex<Lists>,
}

/// Results of one worker that are in no list yet.
#[derive(Default)]
pub(crate) struct Piece {
    pub(crate) lines: Vec<u8>,
    /// Where each line ends, and the size of its file.
    ends: Vec<(usize, u64)>,
}

#[derive(Default)]
struct Lists {
    open: Vec<List>,
    /// The bytes of each list in `open`, and its place there. The least comes first.
    least: BinaryHeap<Reverse<(u64, usize)>>,
    /// How many lists there are.
    count: u64,
    failed: Option<io::Error>,
}

struct List {
    path: PathBuf,
    output: Output,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    results: u64,
    /// The sum of the sizes of its files. Anything else counts as one byte, and so does an empty
    /// file, so that lists of these are equal too.
    bytes: u64,
}

impl Piece {
    /// Notes the end of a line that was appended to `lines`.
    pub(crate) fn end_line(&mut self, size: u64) {
        self.ends.push((self.lines.len(), size.max(1)));
    }
}

impl Parts {
    pub(crate) fn new(limit: Limit, prefix: PathBuf, end: u8) -> Parts {
        Parts { limit, prefix, end, lists: Mutex::default() }
    }

    /// Whether the sizes of files matter.
    pub(crate) fn by_size(&self) -> bool {
        !matches!(self.limit, Limit::Results(_))
    }

    /// Takes the results, if they are many or `all` are wanted. Prints the names of lists that are
    /// full.
    pub(crate) fn take(&self, piece: &mut Piece, all: bool) -> Flow {
        if piece.ends.is_empty() || piece.lines.len() < SHARE && !all {
            return Flow::Continue;
        }
        let mut lists = lock(&self.lists);
        let mut start = 0;
        for (end, size) in piece.ends.drain(..) {
            let line = &piece.lines[start..end];
            start = end;
            let list = self.list_for(&mut lists, size);
            if let Err(error) = list.and_then(|list| list.add(line, size)) {
                lists.failed.get_or_insert(error);
                return Flow::Stop;
            }
        }
        piece.lines.clear();
        Flow::Continue
    }

    /// The list that takes the next result.
    fn list_for<'l>(&self, lists: &'l mut Lists, size: u64) -> io::Result<&'l mut List> {
        let needs_one = match (self.limit, lists.open.last()) {
            (Limit::Lists(count), _) => lists.count < count,
            (_, None) => true,
            (Limit::Bytes(most), Some(list)) => list.bytes.saturating_add(size) > most,
            (Limit::Results(most), Some(list)) => list.results >= most,
        };
        if needs_one && matches!(self.limit, Limit::Lists(_)) {
            lists.least.push(Reverse((size, lists.open.len())));
            self.begin(lists)?;
        } else if needs_one {
            self.close(lists)?;
            self.begin(lists)?;
        }
        let at = match lists.least.peek_mut() {
            Some(mut least) if !needs_one => {
                least.0.0 = least.0.0.saturating_add(size);
                least.0.1
            }
            _ => lists.open.len() - 1,
        };
        Ok(&mut lists.open[at])
    }

    fn begin(&self, lists: &mut Lists) -> io::Result<()> {
        lists.count += 1;
        let mut name = OsString::from(&self.prefix);
        name.push(format!(".{}", lists.count));
        let path = PathBuf::from(name);
        let output = file::open(&path)?;
        lists.open.push(List { path, output, lines: Vec::new(), results: 0, bytes: 0 });
        Ok(())
    }

    /// Gives the open lists their names, and prints these at once: a list that is full can be used
    /// while the search goes on.
    fn close(&self, lists: &mut Lists) -> io::Result<()> {
        for mut list in lists.open.drain(..) {
            list.write()?;
            list.output.commit()?;
            let line = [path_bytes(&list.path), &[self.end]].concat();
            Descriptor::default().write_all(&line).or_else(forgive_leaving)?;
        }
        Ok(())
    }

    /// Closes the last lists, which are complete then.
    ///
    /// # Errors
    /// What was not written, here or before.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut lists = lock(&self.lists);
        match lists.failed.take() {
            Some(error) => Err(error),
            None => self.close(&mut lists),
        }
    }
}

impl List {
    fn add(&mut self, line: &[u8], size: u64) -> io::Result<()> {
        self.results += 1;
        self.bytes = self.bytes.saturating_add(size);
        self.lines.extend_from_slice(line);
        if self.lines.len() < PIECE { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> io::Result<()> {
        self.output.file().write_all(&self.lines)?;
        self.lines.clear();
        Ok(())
    }
}
