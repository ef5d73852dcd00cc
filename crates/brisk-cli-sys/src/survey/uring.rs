//! statx through io_uring, for comparison: a ring of its own, with as many requests in flight as
//! the ring holds.
//!
//! ```text
//!   submission entries ──► tail += n ──► io_uring_enter(n, wait for 1) ──► completions ──► head += m
//! ```

use std::ffi::{CStr, CString};
use std::io::{self, ErrorKind::Interrupted};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{Statx, StatxFlags};

use crate::signals::interrupted;

/// The most requests in flight: entries of the ring.
const DEPTH: u32 = 256;
const OP_STATX: u64 = 21;
const GET_EVENTS: u32 = 1;
/// The indexes, in words of 32 bits, at which the kernel's answer to the setup holds the offsets of
/// the two rings.
const SUBMISSION: usize = 10;
const COMPLETION: usize = 20;
const PARAMETERS: usize = 30;
/// mmap's offsets for the rings and the submission entries.
const AT_SUBMISSION: i64 = 0;
const AT_COMPLETION: i64 = 0x0800_0000;
const AT_ENTRIES: i64 = 0x1000_0000;
const ENTRY: usize = 64;
const ANSWER: usize = 16;

/// Memory that is shared with the kernel.
struct Shared {
    at: *mut u8,
    length: usize,
}

impl Shared {
    fn map(ring: &OwnedFd, offset: i64, length: usize) -> io::Result<Shared> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a new mapping at a place that the kernel chooses, of a descriptor that is open.
        let at =
            unsafe { libc::mmap(null_mut(), length, protection, flags, ring.as_raw_fd(), offset) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Shared { at: at.cast(), length })
    }

    fn place(&self, offset: usize, size: usize) -> *mut u8 {
        assert!(offset + size <= self.length && offset.is_multiple_of(4), "BUG: beyond the ring");
        // SAFETY: the offset was just checked against the mapping's length.
        unsafe { self.at.add(offset) }
    }

    /// A number that both sides read and write.
    fn number(&self, offset: usize) -> &AtomicU32 {
        let place = self.place(offset, 4);
        // SAFETY: aligned, and within the mapping, which lives as long as `self`. The kernel too
        // accesses the word as one atomic.
        unsafe { AtomicU32::from_ptr(place.cast()) }
    }

    fn write(&self, offset: usize, words: &[u64; ENTRY / 8]) {
        let place = self.place(offset, ENTRY);
        // SAFETY: within the mapping and apart from `words`. The kernel reads the entry only after
        // the tail has passed it.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), place, ENTRY) };
    }

    fn read(&self, offset: usize) -> [u64; ANSWER / 8] {
        let place = self.place(offset, ANSWER);
        // SAFETY: within the mapping. The kernel has finished with the entry, since its tail has
        // passed.
        unsafe { place.cast::<[u64; ANSWER / 8]>().read_unaligned() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: this mapping, to which no reference is left.
        unsafe { libc::munmap(self.at.cast(), self.length) };
    }
}

struct Ring {
    ring: OwnedFd,
    parameters: [u32; PARAMETERS],
    submission: Shared,
    completion: Shared,
    entries: Shared,
}

impl Ring {
    fn new() -> io::Result<Ring> {
        let mut parameters = [0_u32; PARAMETERS];
        // SAFETY: the kernel fills the 120 bytes of `parameters`.
        let ring =
            unsafe { libc::syscall(libc::SYS_io_uring_setup, DEPTH, parameters.as_mut_ptr()) };
        let ring = i32::try_from(ring).ok().filter(|ring| *ring >= 0);
        let ring = ring.ok_or_else(io::Error::last_os_error)?;
        // SAFETY: a descriptor that the call has just opened.
        let ring = unsafe { OwnedFd::from_raw_fd(ring) };
        let (slots, answers) = (parameters[0] as usize, parameters[1] as usize);
        let array = parameters[SUBMISSION + 6] as usize;
        let cqes = parameters[COMPLETION + 5] as usize;
        Ok(Ring {
            submission: Shared::map(&ring, AT_SUBMISSION, array + 4 * slots)?,
            completion: Shared::map(&ring, AT_COMPLETION, cqes + ANSWER * answers)?,
            entries: Shared::map(&ring, AT_ENTRIES, ENTRY * slots)?,
            ring,
            parameters,
        })
    }

    /// A number of the submission ring. `which`: 0 head, 1 tail, 2 mask.
    fn submitted(&self, which: usize) -> &AtomicU32 {
        self.submission.number(self.parameters[SUBMISSION + which] as usize)
    }

    fn completed(&self, which: usize) -> &AtomicU32 {
        self.completion.number(self.parameters[COMPLETION + which] as usize)
    }

    fn push(&self, words: &[u64; ENTRY / 8]) {
        let tail = self.submitted(1).load(Ordering::Relaxed);
        let slot = tail & self.submitted(2).load(Ordering::Relaxed);
        self.entries.write(slot as usize * ENTRY, words);
        let array = self.parameters[SUBMISSION + 6] as usize;
        self.submission.number(array + 4 * slot as usize).store(slot, Ordering::Relaxed);
        self.submitted(1).store(tail.wrapping_add(1), Ordering::Release);
    }

    /// Hands the pushed requests to the kernel, and waits for at least one answer.
    fn enter(&self) -> io::Result<()> {
        let number = libc::SYS_io_uring_enter;
        let ring = self.ring.as_raw_fd();
        let none = null_mut::<libc::c_void>();
        // SAFETY: entries refer to names, which the kernel copies in this call, and to places for
        // answers, which stay until all of them have come (`Flight`).
        let done = unsafe { libc::syscall(number, ring, self.pushed(), 1, GET_EVENTS, none, 0) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// The number of requests that were pushed and that the kernel has not taken.
    fn pushed(&self) -> u32 {
        let taken = self.submitted(0).load(Ordering::Acquire);
        self.submitted(1).load(Ordering::Relaxed).wrapping_sub(taken)
    }

    /// The number of requests that the kernel has taken and whose answers were not popped.
    fn in_flight(&self) -> u32 {
        let popped = self.completed(0).load(Ordering::Relaxed);
        self.submitted(0).load(Ordering::Acquire).wrapping_sub(popped)
    }

    /// The next answer: the index of its request, and the result.
    fn pop(&self) -> Option<(u64, i32)> {
        let head = self.completed(0).load(Ordering::Relaxed);
        if head == self.completed(1).load(Ordering::Acquire) {
            return None;
        }
        let slot = head & self.completed(2).load(Ordering::Relaxed);
        let cqes = self.parameters[COMPLETION + 5] as usize;
        let [who, result] = self.completion.read(cqes + ANSWER * slot as usize);
        self.completed(0).store(head.wrapping_add(1), Ordering::Release);
        Some((who, result as i32))
    }
}

/// Requests in flight, and the places where the kernel writes their answers.
///
/// The kernel may write to a place until the answer has come. So before the places are freed all
/// answers are waited for, whether an error, a signal or a panic of the caller ends the flight.
struct Flight<'r, E: FnMut(&Ring) -> io::Result<()>> {
    ring: &'r Ring,
    answers: Vec<MaybeUninit<Statx>>,
    /// [`Ring::enter`], or a test's stand-in.
    enter: E,
}

impl<'r, E: FnMut(&Ring) -> io::Result<()>> Flight<'r, E> {
    fn new(ring: &'r Ring, count: usize, enter: E) -> Self {
        let mut answers = Vec::new();
        answers.resize_with(count, MaybeUninit::zeroed);
        Flight { ring, answers, enter }
    }

    fn has_room(&self) -> bool {
        self.ring.in_flight() + self.ring.pushed() < DEPTH
    }

    /// Pushes the request about the name at `index`.
    fn push(&mut self, dir: &OwnedFd, name: &CStr, mask: StatxFlags, index: usize) {
        let flags = libc::AT_SYMLINK_NOFOLLOW as u64;
        let place = self.answers.as_mut_ptr().wrapping_add(index);
        self.ring.push(&[
            OP_STATX | (dir.as_raw_fd() as u64) << 32,
            place.expose_provenance() as u64,
            name.as_ptr().expose_provenance() as u64,
            u64::from(mask.bits()) | flags << 32,
            index as u64,
            0,
            0,
            0,
        ]);
    }

    /// Waits for at least one answer. Goes on after a signal, unless the signal ends the program.
    fn wait(&mut self) -> io::Result<()> {
        loop {
            match (self.enter)(self.ring) {
                Err(error) if error.kind() == Interrupted && !interrupted() => {}
                done => return done,
            }
        }
    }

    /// The next answer that has come, with the index of its request.
    fn pop(&mut self) -> Option<io::Result<(usize, Statx)>> {
        let (who, result) = self.ring.pop()?;
        if result < 0 {
            return Some(Err(io::Error::from_raw_os_error(-result)));
        }
        let index = usize::try_from(who).unwrap_or(usize::MAX);
        // SAFETY: zeroed memory is a valid `Statx`, and the kernel, which has finished with this
        // place, has written a valid `Statx` over it.
        Some(Ok((index, unsafe { self.answers[index].assume_init() })))
    }

    /// Waits for all answers. Signals do not end this wait.
    fn drain(&mut self) -> io::Result<()> {
        loop {
            while self.ring.pop().is_some() {}
            if self.ring.in_flight() == 0 {
                return Ok(());
            }
            match (self.enter)(self.ring) {
                Err(error) if error.kind() != Interrupted => return Err(error),
                _ => {}
            }
        }
    }
}

impl<E: FnMut(&Ring) -> io::Result<()>> Drop for Flight<'_, E> {
    fn drop(&mut self) {
        if self.drain().is_err() {
            // The kernel may still write to these places at any time, so they are never freed.
            std::mem::forget(std::mem::take(&mut self.answers));
        }
    }
}

/// Asks about all names of a directory. Returns the number of system calls.
pub(super) fn statx_all(
    dir: &OwnedFd,
    names: &[CString],
    mask: StatxFlags,
    tell: impl FnMut(&CStr, &Statx),
) -> io::Result<u64> {
    let mut calls = 4;
    let enter = |ring: &Ring| {
        calls += 1;
        ring.enter()
    };
    let ring = Ring::new()?;
    ask_all(Flight::new(&ring, names.len(), enter), dir, names, mask, tell)?;
    Ok(calls)
}

fn ask_all<E: FnMut(&Ring) -> io::Result<()>>(
    mut flight: Flight<'_, E>,
    dir: &OwnedFd,
    names: &[CString],
    mask: StatxFlags,
    mut tell: impl FnMut(&CStr, &Statx),
) -> io::Result<()> {
    let (mut next, mut told) = (0, 0);
    while told < names.len() {
        while next < names.len() && flight.has_room() {
            flight.push(dir, &names[next], mask, next);
            next += 1;
        }
        flight.wait()?;
        while let Some(answer) = flight.pop() {
            let (index, answer) = answer?;
            told += 1;
            tell(&names[index], &answer);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::super::techniques;
    use super::*;

    const FILES: usize = 700;

    /// Asks about 700 files, each as large as its number, and enters the kernel by `enter`, which
    /// is told how often it was called before. Returns the result, and the number of requests that
    /// were left in flight.
    fn ask(
        ring: &Ring,
        mut enter: impl FnMut(u32, &Ring) -> io::Result<()>,
        mut tell: impl FnMut(u64),
    ) -> io::Result<()> {
        let place = tempfile::tempdir().expect("a scratch directory");
        let mut names = Vec::new();
        for at in 0..FILES {
            std::fs::write(place.path().join(format!("f{at}")), "x".repeat(at)).expect("a file");
            names.push(CString::new(format!("f{at}")).expect("no null byte"));
        }
        let dir = OwnedFd::from(std::fs::File::open(place.path()).expect("the directory"));
        let mut calls = 0;
        let enter = |ring: &Ring| {
            calls += 1;
            enter(calls - 1, ring)
        };
        let flight = Flight::new(ring, FILES, enter);
        ask_all(flight, &dir, &names, StatxFlags::SIZE, |_, answer| tell(answer.stx_size))
    }

    /// A ring, where the system lets this user have one.
    fn ring() -> Option<Ring> {
        Ring::new().inspect_err(|error| println!("left out: {error}")).ok()
    }

    fn fails(number: i32) -> io::Result<()> {
        Err(io::Error::from_raw_os_error(number))
    }

    #[test]
    fn a_signal_while_answers_are_waited_for_loses_none() {
        let Some(ring) = ring() else { return };
        let mut sizes = Vec::new();
        let enter = |call: u32, ring: &Ring| match call % 3 {
            1 => ring.enter(),
            _ => fails(libc::EINTR),
        };
        ask(&ring, enter, |size| sizes.push(size)).expect("all answers");
        sizes.sort_unstable();
        assert_eq!(sizes, (0..FILES as u64).collect::<Vec<_>>());
        assert_eq!(ring.in_flight(), 0);
    }

    #[test]
    fn no_memory_is_freed_that_the_kernel_may_still_write_to() {
        let Some(ring) = ring() else { return };
        // An error while requests are in flight; the wait for them is interrupted.
        let enter = |call, ring: &Ring| match call {
            0 => ring.enter().and_then(|()| fails(libc::EBUSY)),
            1 | 2 => fails(libc::EINTR),
            _ => ring.enter(),
        };
        let error = ask(&ring, enter, |_| ()).expect_err("busy");
        assert_eq!(error.raw_os_error(), Some(libc::EBUSY));
        assert_eq!(ring.in_flight(), 0);
    }

    #[test]
    fn a_panic_waits_for_what_is_in_flight_too() {
        let Some(ring) = ring() else { return };
        let tell = |_| panic!("on purpose");
        let asked = catch_unwind(AssertUnwindSafe(|| ask(&ring, |_, ring| ring.enter(), tell)));
        assert!(asked.is_err());
        assert_eq!(ring.in_flight(), 0);
    }

    #[test]
    fn every_technique_sees_the_same() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for at in 0..700_usize {
            std::fs::write(place.path().join(format!("f{at}")), "x".repeat(at)).expect("a file");
        }
        std::os::unix::fs::symlink("f1", place.path().join("l")).expect("a link");
        let mut seen = BTreeMap::new();
        for technique in techniques().filter(|technique| technique.is_whole) {
            let mut rows = Vec::new();
            let told = (technique.run)(place.path(), &mut |row| {
                rows.push((row.name.to_vec(), row.file_type, row.size, row.mtime));
            });
            match told {
                Ok(calls) => assert!(calls > 5, "{}", technique.name),
                Err(error) => {
                    println!("left out: {}: {error}", technique.name);
                    continue;
                }
            }
            rows.sort();
            assert_eq!(rows.len(), 701, "{}", technique.name);
            seen.insert(technique.name, rows);
        }
        let first = seen.values().next().expect("one at least");
        for (name, rows) in &seen {
            assert!(rows == first, "{name}");
        }
    }
}
