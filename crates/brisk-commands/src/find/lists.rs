//! `--parts`, `--part-size`, `--part-files`: the results as several lists, for programs that copy.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use brisk::Flow;
use brisk_sys::output::{Output, Readers, Temporary, directory};

use crate::show::quoting::quoted;
use crate::show::safe::path_bytes;
use crate::write::out::{Descriptor, PIECE, forgive_broken_pipe};
use brisk_sys::threads::lock;

/// The bytes after which a worker hands over its results.
const SHARE: usize = 4 << 10;

/// When a list is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// At the end of the search. There are this many lists, and each result goes to the list whose
    /// files have the fewest bytes.
    Lists(u64),
    /// When its files would have more than this many bytes with the next one.
    Bytes(u64),
    /// When it has this many results.
    Results(u64),
}

/// The lists of a search. A list gets its name when it is complete, so every list that exists is
/// complete.
pub(crate) struct Lists {
    limit: Limit,
    /// What stands before the number in the name of a list.
    prefix: PathBuf,
    /// Whether lists of an earlier search are replaced.
    overwrites: bool,
    /// The byte that ends a line.
    end: u8,
    lists: Mutex<OpenLists>,
}

/// Results of one worker that are in no list yet.
#[derive(Default)]
pub(crate) struct NewResults {
    pub(crate) lines: Vec<u8>,
    /// Where each line ends, and the size of its file.
    ends: Vec<(usize, u64)>,
}

#[derive(Default)]
struct OpenLists {
    open: Vec<OpenList>,
    /// The bytes of each list in `open`, and its place there. The least comes first.
    least: BinaryHeap<Reverse<(u64, usize)>>,
    /// How many lists there are.
    count: u64,
    failed: Option<io::Error>,
}

struct OpenList {
    path: PathBuf,
    output: Output,
    /// Lines that are not written yet.
    lines: Vec<u8>,
    results: u64,
    /// The sum of the sizes of its files. Anything else counts as one byte, and so does an empty
    /// file, so that lists of these are equal too.
    bytes: u64,
}

impl NewResults {
    /// Notes the end of a line that was appended to `lines`.
    pub(crate) fn end_line(&mut self, size: u64) {
        self.ends.push((self.lines.len(), size.max(1)));
    }
}

impl Lists {
    pub(crate) fn new(limit: Limit, prefix: PathBuf, overwrites: bool, end: u8) -> Lists {
        Lists { limit, prefix, overwrites, end, lists: Mutex::default() }
    }

    /// A list of an earlier search that stands in the way.
    pub(crate) fn in_the_way(&self) -> Option<PathBuf> {
        let first = self.path(1);
        let stem = first.file_name()?.as_encoded_bytes().strip_suffix(b"1")?;
        let is_list = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            let number = name.strip_prefix(stem).filter(|number| !number.is_empty());
            number.is_some_and(|number| number.iter().all(u8::is_ascii_digit))
        };
        let entries = fs::read_dir(directory(&first)).ok().filter(|_| !self.overwrites)?;
        entries.flatten().map(|entry| entry.path()).find(is_list)
    }

    /// Where lists are replaced: the list of an earlier search whose number comes after those of
    /// this search.
    pub(crate) fn left_over(&self) -> Option<PathBuf> {
        let next = self.path(lock(&self.lists).count + 1);
        Some(next).filter(|next| self.overwrites && next.symlink_metadata().is_ok())
    }

    /// The name of the list with this number.
    fn path(&self, number: u64) -> PathBuf {
        let mut name = OsString::from(&self.prefix);
        name.push(format!(".{number}"));
        name.into()
    }

    /// Checks that a list may get its name. A link is not followed: it may be another user's.
    fn check(&self, path: &Path) -> io::Result<()> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(meta) if self.overwrites && meta.is_file() => Ok(()),
            Ok(_) => Err(io::Error::other(format!("{} is there", quoted(path)))),
            Err(error) => Err(error),
        }
    }

    /// Whether the sizes of files matter.
    pub(crate) fn by_size(&self) -> bool {
        !matches!(self.limit, Limit::Results(_))
    }

    /// Takes the results, if they are many or `all` are wanted. Prints the names of lists that are
    /// full.
    pub(crate) fn take(&self, piece: &mut NewResults, all: bool) -> Flow {
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
    fn list_for<'l>(&self, lists: &'l mut OpenLists, size: u64) -> io::Result<&'l mut OpenList> {
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

    fn begin(&self, lists: &mut OpenLists) -> io::Result<()> {
        lists.count += 1;
        let path = self.path(lists.count);
        self.check(&path)?;
        let output = Output::File(Temporary::beside(&path, Readers::All)?, path.clone());
        lists.open.push(OpenList { path, output, lines: Vec::new(), results: 0, bytes: 0 });
        Ok(())
    }

    /// Gives the open lists their names, and prints these at once: a list that is full can be used
    /// while the search goes on.
    fn close(&self, lists: &mut OpenLists) -> io::Result<()> {
        for mut list in lists.open.drain(..) {
            list.write()?;
            self.check(&list.path)?;
            list.output.commit()?;
            let line = [path_bytes(&list.path), &[self.end]].concat();
            Descriptor::default().write_all(&line).or_else(forgive_broken_pipe)?;
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

impl OpenList {
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
