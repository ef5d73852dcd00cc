//! statx through io_uring, for comparison: a ring of its own, as many requests in flight as it holds.
//!
//! ```text
//!   submission entries ──► tail += n ──► io_uring_enter(n, wait for 1) ──► completions ──► head += m
//! ```

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{Statx, StatxFlags};

/// Requests in flight.
const DEPTH: u32 = 256;
const OP_STATX: u64 = 21;
const GET_EVENTS: u32 = 1;
/// Where the kernel's answer to the setup holds the offsets of the two rings, in words of 32 bits.
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
        // SAFETY: aligned, within the mapping, which lives as long as `self`; the kernel too touches it
        // as one atomic word.
        unsafe { AtomicU32::from_ptr(place.cast()) }
    }

    fn write(&self, offset: usize, words: &[u64; ENTRY / 8]) {
        let place = self.place(offset, ENTRY);
        // SAFETY: within the mapping and apart from `words`; the kernel reads the entry only after the
        // tail has passed it.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), place, ENTRY) };
    }

    fn read(&self, offset: usize) -> [u64; ANSWER / 8] {
        let place = self.place(offset, ANSWER);
        // SAFETY: within the mapping; the kernel has finished with the entry, since its tail has passed.
        unsafe { place.cast::<[u64; ANSWER / 8]>().read_unaligned() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: this mapping, which nothing refers to any more.
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

    /// A number of the submission ring: 0 head, 1 tail, 2 mask.
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

    /// Hands over what was pushed, and waits for one answer at least.
    fn enter(&self, pushed: u32) -> io::Result<()> {
        let number = libc::SYS_io_uring_enter;
        let ring = self.ring.as_raw_fd();
        let none = null_mut::<libc::c_void>();
        // SAFETY: entries refer to names, a directory and answers that outlive the ring (`statx_all`).
        let done = unsafe { libc::syscall(number, ring, pushed, 1, GET_EVENTS, none, 0) };
        if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// The next answer: whose it is, and its result.
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

/// Asks about all names in a directory; returns how many system calls that took.
pub(super) fn statx_all(
    dir: &OwnedFd,
    names: &[CString],
    mask: StatxFlags,
    mut tell: impl FnMut(&CStr, &Statx),
) -> io::Result<u64> {
    let mut answers: Vec<std::mem::MaybeUninit<Statx>> = Vec::new();
    answers.resize_with(names.len(), std::mem::MaybeUninit::zeroed);
    let places = answers.as_mut_ptr();
    let ring = Ring::new()?;
    let (mut next, mut in_flight, mut calls) = (0, 0_u32, 4);
    while next < names.len() || in_flight > 0 {
        let mut pushed = 0;
        while next < names.len() && in_flight < DEPTH {
            let flags = libc::AT_SYMLINK_NOFOLLOW as u64;
            ring.push(&[
                OP_STATX | (dir.as_raw_fd() as u64) << 32,
                places.wrapping_add(next).expose_provenance() as u64,
                names[next].as_ptr().expose_provenance() as u64,
                u64::from(mask.bits()) | flags << 32,
                next as u64,
                0,
                0,
                0,
            ]);
            next += 1;
            in_flight += 1;
            pushed += 1;
        }
        ring.enter(pushed)?;
        calls += 1;
        while let Some((who, result)) = ring.pop() {
            in_flight -= 1;
            if result < 0 {
                // Nothing may be in flight when the answers' places are freed.
                drain(&ring, in_flight);
                return Err(io::Error::from_raw_os_error(-result));
            }
            let at = usize::try_from(who).unwrap_or(usize::MAX);
            let place = places.wrapping_add(at.min(names.len().saturating_sub(1)));
            // SAFETY: a place among the answers, with which the kernel is done.
            let answer = unsafe { place.read() };
            // SAFETY: zeroed memory is a valid `Statx`, and so is what the kernel wrote.
            let answer = unsafe { answer.assume_init() };
            tell(&names[at], &answer);
        }
    }
    Ok(calls)
}

fn drain(ring: &Ring, mut in_flight: u32) {
    while in_flight > 0 && ring.enter(0).is_ok() {
        while ring.pop().is_some() {
            in_flight = in_flight.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::techniques;

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
