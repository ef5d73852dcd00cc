//! [`Scanner`]: the visitor of `brisk scan`. Each worker gathers rows of its own.

use std::io::{self, Read};

use brisk::usage::Sums;
use brisk::{
    Directory, Enter, Entry, Error, FileType, Flow, Flushed, Needs, Outcome, Parallel, Pause,
    Select, Visitor,
};
use brisk_cli_sys::signals;
use brisk_commands::internal::cannot;
use brisk_sys::threads::lock;
use brisk_table::{Below, Digest, Rows};

use crate::plan::Plan;
use crate::sums::{self, Tally};

/// Bytes that are read and hashed at once: BLAKE3's vectors want several KiB, and a read of this
/// size costs little in comparison.
const PIECE: usize = 128 << 10;

/// One worker of a scan.
pub(crate) struct Scanner<'p> {
    plan: &'p Plan,
    rows: Rows,
    /// What files are read into; empty until the first.
    piece: Vec<u8>,
    /// The device of the last file.
    device: Option<u64>,
    /// The sums of the current directory's entries, until they are passed on.
    below: Below,
    /// Entries since the last flush.
    done: Sums,
    /// Requests since the last flush.
    requests: u64,
    /// Entries and directories that were not yet charged to the budget.
    spent: u64,
}

/// What is remembered of a directory.
#[derive(Default)]
pub(crate) struct Memo {
    /// What is below, if sums are wanted.
    tally: Option<Box<Tally>>,
}

impl<'p> Scanner<'p> {
    pub fn new(plan: &'p Plan) -> Scanner<'p> {
        Scanner {
            plan,
            rows: Rows::default(),
            piece: Vec::new(),
            device: None,
            below: Below::default(),
            done: Sums::default(),
            requests: 0,
            spent: 0,
        }
    }

    /// Passes on the rows that are left.
    pub fn close(mut self) {
        if let Some(sums) = &self.plan.sums {
            for row in sums.rest() {
                self.rows.append(row);
            }
        }
        self.plan.gathering.take(&mut self.rows);
    }

    /// Adds the row of an entry.
    #[inline]
    fn add(&mut self, dir: &Directory<'_>, place: &Memo, entry: &Entry<'_>) {
        let plan = self.plan;
        if plan.is_own(entry) {
            return;
        }
        if plan.prune && entry.depth() > 0 {
            entry.prune();
        }
        if place.tally.is_some() {
            self.below += sums::of(entry);
        }
        match &plan.sums {
            Some(sums) if entry.file_type() == FileType::Directory => {
                sums.row(dir, entry, &mut self.rows);
            }
            _ => self.rows.push(entry),
        }
        if plan.hashes
            && entry.file_type() == FileType::File
            && let Some(digest) = self.digest(entry)
        {
            self.rows.set_digest(digest);
        }
    }

    /// Notes the file system of a directory. Its files are on that one; a directory in it may be
    /// another's.
    #[inline]
    fn meet(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) {
        let file = entries.iter().find(|entry| entry.file_type() != FileType::Directory);
        let device = file.and_then(|file| file.meta()?.dev());
        if let Some(device) = device.filter(|_| self.device != device) {
            self.device = Some(device);
            self.plan.meet(device, dir);
        }
    }

    /// The digest of a regular file. A file that cannot be read has none.
    fn digest(&mut self, entry: &Entry<'_>) -> Option<Digest> {
        match self.hash(entry) {
            Ok(digest) => Some(digest),
            // Another process removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let path = entry.path();
                self.plan.complain(&path, cannot("read", &path, &error));
                None
            }
        }
    }

    fn hash(&mut self, entry: &Entry<'_>) -> io::Result<Digest> {
        let mut file = entry.open_file()?;
        self.piece.resize(PIECE, 0);
        let mut hasher = blake3::Hasher::new();
        self.requests += 2;
        loop {
            self.requests += 1;
            match file.read(&mut self.piece) {
                Ok(0) => return Ok(hasher.finalize().into()),
                Ok(length) => _ = hasher.update(&self.piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if signals::interrupted() {
                return Err(io::ErrorKind::NotFound.into());
            }
        }
    }

    fn goes_on(&self, is_written: bool) -> Flow {
        let ends = signals::interrupted() && !self.plan.stop_at_boundary();
        if is_written && !ends { Flow::Continue } else { Flow::Stop }
    }
}

impl Visitor for Scanner<'_> {
    type State = Memo;

    fn needs(&self) -> Needs {
        let plan = self.plan;
        Needs { leave: plan.sums.is_some(), ..Needs::fields(plan.wanted.any()) }
    }

    fn enter(&mut self, entry: &Entry<'_>, _: &Memo) -> Enter<Memo> {
        self.spent += 1;
        if self.plan.is_own(entry) {
            return Enter::Prune;
        }
        Enter::Read(Memo { tally: self.plan.sums.is_some().then(Box::default) })
    }

    #[inline(always)]
    fn select(&mut self, _: &Memo, entry: &Entry<'_>) -> Select {
        Select::Take(self.plan.wanted.of(entry.file_type()))
    }

    fn entries(&mut self, dir: &Directory<'_>, place: &Memo, entries: &[Entry<'_>]) -> Flow {
        self.meet(dir, entries);
        self.rows.begin(dir.prefix());
        for entry in entries {
            self.add(dir, place, entry);
        }
        if let Some(tally) = &place.tally {
            *lock(tally) += std::mem::take(&mut self.below);
        }
        self.done.entries += entries.len() as u64;
        self.spent += entries.len() as u64;
        let is_written = self.plan.gathering.offer(&mut self.rows);
        self.goes_on(is_written)
    }

    fn leave(&mut self, dir: &Directory<'_>, place: &Memo, above: &Memo, _: Outcome) -> Flow {
        let (Some(sums), Some(tally)) = (&self.plan.sums, &place.tally) else {
            return Flow::Continue;
        };
        let below = *lock(tally);
        if let Some(above) = &above.tally {
            *lock(above) += below;
        }
        sums.left(dir, below, &mut self.rows);
        let is_written = self.plan.gathering.offer(&mut self.rows);
        self.goes_on(is_written)
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report_unread(&error);
        Flow::Continue
    }

    fn flush(&mut self, Pause { write_is_cheap, .. }: Pause) -> Flushed {
        if let Some(budget) = &self.plan.budget {
            budget.spend(&mut self.spent, write_is_cheap);
        }
        let done = std::mem::take(&mut self.done);
        self.plan.report.add(done.entries, done.allocated);
        let requests = std::mem::take(&mut self.requests);
        Flushed { flow: self.goes_on(true), requests, ..Flushed::default() }
    }
}

impl Parallel for Scanner<'_> {
    fn fork(&self, _: usize) -> Self {
        Scanner::new(self.plan)
    }

    fn merge(&mut self, mut other: Self) {
        self.plan.gathering.take(&mut other.rows);
    }
}
