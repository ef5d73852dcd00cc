//! NtQueryDirectoryFile: names and metadata of a whole directory, a buffer at a time.

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

/// What the system is asked for at once: several hundred entries. Network redirectors send no more in one
/// answer.
const ROOM: usize = 64 << 10;

/// Bytes of a record with a name of a dozen characters.
const TYPICAL_RECORD: usize = 104;

thread_local! {
    /// Space for one answer. A directory that ends within one buffer gives it back.
    static SPARE: Cell<Option<Box<[u64]>>> = const { Cell::new(None) };
}

/// How far a directory has been read.
#[derive(Debug)]
pub(super) struct Reading {
    class: Class,
    /// An answer of which not all has been handed on.
    answer: Option<Answer>,
    begun: bool,
    /// Scratch space for names.
    name: Vec<u8>,
}

#[derive(Debug)]
struct Answer {
    words: Box<[u64]>,
    length: usize,
    /// Where the next record begins.
    at: usize,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading { class: Class::IdFull, answer: None, begun: false, name: Vec::new() }
    }
}

/// Fills `buffer` until a record does not fit or the directory ends, which is when the system says so: an
/// answer that is not full says nothing.
pub(super) fn fill(dir: BorrowedHandle<'_>, reading: &Mutex<Reading>, buffer: &mut Buffer) -> Fill {
    let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
    let mut calls = 0;
    let complete = loop {
        match reading.hand_on(buffer) {
            Ok(true) => {}
            full => break full,
        }
        calls += 1;
        match reading.query(dir) {
            Ok(()) => {}
            Err(Status(STATUS_NO_MORE_FILES | STATUS_NO_SUCH_FILE)) => break Ok(true),
            // The directory was removed while it was open: it has no more entries.
            Err(Status(STATUS_DELETE_PENDING)) => break Ok(true),
            Err(status) => break Err(status.into()),
        }
    };
    if let Some(answer) = reading.answer.take_if(|_| !matches!(complete, Ok(false))) {
        SPARE.set(Some(answer.words));
    }
    Fill { calls, complete }
}

impl Reading {
    /// Moves records from the answer to the buffer; `false` if one does not fit.
    fn hand_on(&mut self, buffer: &mut Buffer) -> io::Result<bool> {
        let Some(answer) = &mut self.answer else { return Ok(true) };
        let bytes = bytes_of(&answer.words, answer.length);
        buffer.reserve_found((answer.length - answer.at) / TYPICAL_RECORD);
        let mut records = Records::new(bytes.get(answer.at..).unwrap_or(&[]), self.class);
        loop {
            let before = records.remaining();
            let Some(record) = records.next() else { break };
            self.name.clear();
            wtf8::append_utf16le(&mut self.name, record.name);
            if self.name.iter().any(|byte| b"/\\\0".contains(byte)) {
                // No name holds these; what a server sends must not lead elsewhere.
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

    /// Asks for the next answer; for one without ids where the file system has none.
    fn query(&mut self, dir: BorrowedHandle<'_>) -> Result<(), Status> {
        let spare = || SPARE.take().unwrap_or_else(|| vec![0; ROOM / 8].into_boxed_slice());
        let answer = self.answer.get_or_insert_with(|| Answer { words: spare(), length: 0, at: 0 });
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
