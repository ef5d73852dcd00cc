//! NtQueryDirectoryFile: reading names and metadata of a whole directory, one answer at a time.

use std::cell::Cell;
use std::io;
use std::os::windows::io::BorrowedHandle;
use std::sync::{Mutex, PoisonError};

use windows_sys::Wdk::Storage::FileSystem::{
    FileFullDirectoryInformation, FileIdFullDirectoryInformation,
};

use super::call::{
    STATUS_DELETE_PENDING, STATUS_NO_MORE_FILES, STATUS_NO_SUCH_FILE, Status, bytes_of,
    query_directory,
};
use crate::nt::records::{Class, Records};
use crate::nt::wtf8;
use crate::{Buffer, Fill};

/// The size of one answer, in bytes: room for several hundred entries. Network redirectors send no
/// more in one answer.
const ROOM: usize = 64 << 10;

/// The size, in bytes, of a record whose name has a dozen characters: an estimate of how many
/// records an answer holds.
const TYPICAL_RECORD: usize = 104;

thread_local! {
    /// Space for one answer, for the next directory that this thread reads. Directories that have
    /// been read to their end put it here.
    static SPARE: Cell<Option<Box<[u64]>>> = const { Cell::new(None) };
}

/// How far a directory has been read.
#[derive(Debug)]
pub(super) struct Reading {
    class: Class,
    /// The last answer. Its records from [`BulkAnswer::at`] on have not been moved to a buffer yet.
    answer: Option<BulkAnswer>,
    begun: bool,
    /// The name of the current record, in WTF-8; reused for every record.
    name: Vec<u8>,
}

#[derive(Debug)]
struct BulkAnswer {
    words: Box<[u64]>,
    length: usize,
    /// The byte at which the next record begins.
    at: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { class: Class::IdFull, answer: None, begun: false, name: Vec::new() }
    }
}

/// Fills `buffer` until a record does not fit or the directory ends. The directory ends when the
/// system answers that there are no more files; an answer that is not full does not mean the end.
pub(super) fn fill(dir: BorrowedHandle<'_>, reading: &Mutex<Reading>, buffer: &mut Buffer) -> Fill {
    let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
    let mut calls = 0;
    let at_end = loop {
        match reading.deliver(buffer) {
            Ok(true) => {}
            full => break full,
        }
        calls += 1;
        match reading.query(dir) {
            Ok(()) => {}
            Err(Status(STATUS_NO_MORE_FILES | STATUS_NO_SUCH_FILE)) => break Ok(true),
            // The directory was removed while it was open, and has no more entries.
            Err(Status(STATUS_DELETE_PENDING)) => break Ok(true),
            Err(status) => break Err(status.into()),
        }
    };
    if let Some(answer) = reading.answer.take_if(|_| !matches!(at_end, Ok(false))) {
        SPARE.set(Some(answer.words));
    }
    Fill { calls, at_end }
}

impl Reading {
    /// Moves records from the answer to the buffer. `false`: a record does not fit.
    fn deliver(&mut self, buffer: &mut Buffer) -> io::Result<bool> {
        let Some(answer) = &mut self.answer else { return Ok(true) };
        let bytes = bytes_of(&answer.words, answer.length);
        buffer.reserve_found((answer.length - answer.at) / TYPICAL_RECORD);
        let mut records = Records::new(bytes.get(answer.at..).unwrap_or(&[]), self.class);
        loop {
            let before = records.bytes_left();
            let Some(record) = records.next() else { break };
            self.name.clear();
            wtf8::append_utf16le(&mut self.name, record.name);
            if self.name.iter().any(|byte| b"/\\\0".contains(byte)) {
                // No name may contain these: a name that a server made up must not lead out of the
                // directory.
                return Err(malformed());
            }
            if !buffer.push_found(&record.found, &self.name) {
                answer.at = answer.length - before;
                return Ok(false);
            }
        }
        answer.at = answer.length;
        if records.is_malformed() {
            return Err(malformed());
        }
        Ok(true)
    }

    /// Asks for the next answer. If the file system has no ids, for records without them.
    fn query(&mut self, dir: BorrowedHandle<'_>) -> Result<(), Status> {
        let spare = || SPARE.take().unwrap_or_else(|| vec![0; ROOM / 8].into_boxed_slice());
        let answer =
            self.answer.get_or_insert_with(|| BulkAnswer { words: spare(), length: 0, at: 0 });
        let restart = !self.begun;
        let mut answered = query_directory(dir, class(self.class), restart, &mut answer.words);
        if restart && self.class == Class::IdFull && answered.is_err_and(Status::is_unsupported) {
            self.class = Class::Full;
            answered = query_directory(dir, class(self.class), restart, &mut answer.words);
        }
        self.begun = true;
        answer.at = 0;
        answer.length = answered.unwrap_or(0);
        answered.map(|_| ())
    }
}

#[cold]
fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed records")
}

fn class(class: Class) -> i32 {
    match class {
        Class::IdFull => FileIdFullDirectoryInformation,
        Class::Full => FileFullDirectoryInformation,
    }
}
