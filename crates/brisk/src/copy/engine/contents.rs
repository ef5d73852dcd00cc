//! Copies the contents of a file. The kernel copies where it can (copy_file_range). Where it
//! cannot, or fails on the way, the worker reads and writes from the offset that was reached, and
//! so finds out which side fails.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::atomic::Ordering;

use brisk_sys::volume::VolumeKind;
use brisk_sys::{borrow_handle, copy, storage};

use super::job::{Denied, at};
use super::work::Work;
use crate::copy::report::{Step, Way};
use crate::copy::settings::When;
use crate::{FileType, Meta};

/// How many bytes the kernel copies per call. Between two calls the copy can be stopped, and
/// reports its progress.
const PIECE: u64 = 64 << 20;
/// How many bytes are read per call.
const ROOM: usize = 256 << 10;
/// The size in bytes of a block that may become a hole.
const BLOCK: usize = 4096;

/// A copy of contents: an open source, and a destination that is empty or not a regular file.
pub(super) struct Transfer<'a> {
    pub from: &'a File,
    pub meta: &'a Meta,
    /// What [`begin_reading`] returned.
    pub begun: Option<usize>,
    pub to: &'a File,
    pub is_to_file: bool,
    /// The source's device, and the destination's.
    pub devices: (u64, u64),
}

/// Reads the first bytes of a regular file of size 0 into the worker's buffer: files of /proc have
/// this size, and other files grow. Returns how many; `None` for any other file.
pub(super) fn begin_reading(
    work: &mut Work<'_>,
    mut from: &File,
    meta: &Meta,
) -> io::Result<Option<usize>> {
    let clones = work.route.job.copy.reflink == When::Always;
    if clones || meta.file_type() != Some(FileType::File) || meta.size() != Some(0) {
        return Ok(None);
    }
    work.room.resize(ROOM, 0);
    loop {
        match from.read(&mut work.room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            count => return count.map(Some),
        }
    }
}

/// Copies the contents.
pub(super) fn contents(work: &mut Work<'_>, it: &Transfer<'_>) -> Result<(), Denied> {
    let size = it.meta.size().unwrap_or(0);
    let bytes = it.meta.blocks().map_or(size, |blocks| size.min(blocks * 512));
    if bytes <= PIECE {
        return fill(work, it, size);
    }
    let left = &work.route.job.left;
    work.left = bytes;
    left.fetch_add(bytes, Ordering::Relaxed);
    let filled = fill(work, it, size);
    left.fetch_sub(std::mem::take(&mut work.left), Ordering::Relaxed);
    filled
}

fn fill(work: &mut Work<'_>, it: &Transfer<'_>, size: u64) -> Result<(), Denied> {
    let copy = work.route.job.copy;
    let makes_holes = it.is_to_file && copy.sparse == When::Always;
    if copy.reflink == When::Always {
        return clone(work, it, size);
    }
    if it.meta.file_type() != Some(FileType::File) || size == 0 || !it.is_to_file {
        if read_and_write(work, it, u64::MAX, makes_holes)? > 0 {
            way(work, it.devices).read_written += 1;
        }
    } else if it.meta.blocks().is_some_and(|blocks| blocks * 512 < size)
        && copy.sparse != When::Never
        && tells_holes(work, it)
    {
        let (end, in_kernel) = extents(work, it, size)?;
        count_file(work, it, in_kernel);
        return it.to.set_len(end).map_err(at(Step::Write));
    } else {
        let (_, in_kernel) = range(work, it, size)?;
        count_file(work, it, Some(in_kernel));
    }
    if makes_holes { end_here(it.to).map_err(at(Step::Write)) } else { Ok(()) }
}

/// Ends a file at its position, even in a hole.
fn end_here(mut file: &File) -> io::Result<()> {
    let end = file.stream_position()?;
    file.set_len(end)
}

fn clone(work: &mut Work<'_>, it: &Transfer<'_>, size: u64) -> Result<(), Denied> {
    copy::clone(it.from, it.to).map_err(at(Step::Clone))?;
    way(work, it.devices).cloned += 1;
    work.counts.bytes += size;
    Ok(())
}

/// The counts of copies from one device to another.
fn way<'w>(work: &'w mut Work<'_>, (from, to): (u64, u64)) -> &'w mut Way {
    let known = work.ways.iter().rposition(|way| (way.from, way.to) == (from, to));
    let at = known.unwrap_or_else(|| {
        work.ways.push(Way { from, to, ..Way::default() });
        work.ways.len() - 1
    });
    &mut work.ways[at]
}

fn count_file(work: &mut Work<'_>, it: &Transfer<'_>, in_kernel: Option<bool>) {
    match in_kernel {
        Some(true) => way(work, it.devices).in_kernel += 1,
        Some(false) => way(work, it.devices).read_written += 1,
        None => {}
    }
}

/// Copies the data between holes. Returns where the copy ends (at the source's size, or earlier if
/// the source has become shorter), and whether the kernel has copied everything, if there was data.
fn extents(
    work: &mut Work<'_>,
    it: &Transfer<'_>,
    size: u64,
) -> Result<(u64, Option<bool>), Denied> {
    let mut offset = 0;
    let mut in_kernel = None;
    while offset < size {
        let Some((begin, end)) = copy::next_data(it.from, offset).map_err(at(Step::Read))? else {
            let mut from = it.from;
            let end = from.seek(SeekFrom::End(0)).map_err(at(Step::Read))?.min(size);
            return Ok((end, in_kernel));
        };
        let length = end.min(size).saturating_sub(begin);
        let mut to = it.to;
        to.seek(SeekFrom::Start(begin)).map_err(at(Step::Write))?;
        let mut copied = 0;
        if length > 0 {
            let by_kernel;
            (copied, by_kernel) = range(work, it, length)?;
            in_kernel = Some(in_kernel.unwrap_or(true) & by_kernel);
        }
        if copied < length {
            return Ok((begin + copied, in_kernel));
        }
        offset = end;
    }
    Ok((size, in_kernel))
}

/// Copies this many bytes at the current offsets, fewer if the source ends earlier. Returns how many,
/// and whether the kernel has copied them all.
fn range(work: &mut Work<'_>, it: &Transfer<'_>, length: u64) -> Result<(u64, bool), Denied> {
    let copy = work.route.job.copy;
    let in_kernel = copy.reflink != When::Never && copy.sparse == When::Auto;
    let copied = if in_kernel { range_in_kernel(work, it, length)? } else { 0 };
    if copied == length {
        return Ok((copied, true));
    }
    let makes_holes = copy.sparse == When::Always;
    Ok((copied + read_and_write(work, it, length - copied, makes_holes)?, false))
}

/// Has the kernel copy as many of the bytes as it can.
fn range_in_kernel(work: &mut Work<'_>, it: &Transfer<'_>, length: u64) -> Result<u64, Denied> {
    let mut copied = 0;
    while copied < length && way(work, it.devices).refused.is_none() {
        match copy::copy_range(it.from, it.to, (length - copied).min(PIECE) as usize) {
            // Some file systems return 0 although there are bytes left.
            Ok(0) => break,
            Ok(count) => {
                copied += count as u64;
                advance(work, count, copied < length)?;
            }
            Err(error) => {
                if copied == 0 && is_refusal(&error) {
                    way(work, it.devices).refused = error.raw_os_error();
                }
                break;
            }
        }
    }
    Ok(copied)
}

/// Notes that bytes of a file were copied. If there are more, reports the progress, and ends the
/// copy of a large file if the whole copy is to end.
fn advance(work: &mut Work<'_>, count: usize, has_more: bool) -> Result<(), Denied> {
    work.counts.bytes += count as u64;
    if has_more {
        let done = work.left.min(count as u64);
        work.left -= done;
        work.route.job.left.fetch_sub(done, Ordering::Relaxed);
        work.route.job.add(&mut work.counts);
        return end_if_stopped(work);
    }
    Ok(())
}

/// Ends the copy of a file if the whole copy is to end.
pub(super) fn end_if_stopped(work: &Work<'_>) -> Result<(), Denied> {
    if work.route.job.is_stopped() {
        return Err((Step::Write, Some(io::ErrorKind::Interrupted.into())));
    }
    Ok(())
}

fn read_and_write(
    work: &mut Work<'_>,
    it: &Transfer<'_>,
    most: u64,
    makes_holes: bool,
) -> Result<u64, Denied> {
    let mut room = std::mem::take(&mut work.room);
    room.resize(ROOM, 0);
    let mut copied = 0;
    let mut begun = it.begun;
    while copied < most {
        let wanted = usize::try_from(most - copied).unwrap_or(ROOM).min(ROOM);
        let count = match begun.take() {
            None => read(work, it, &mut room[..wanted])?,
            begun => begun,
        };
        let Some(count) = count else { break };
        let bytes = &room[..count];
        match makes_holes {
            true => write_around_holes(it.to, bytes).map_err(at(Step::Write))?,
            false => write(work, it.to, bytes)?,
        }
        copied += count as u64;
        advance(work, count, count == ROOM || count == 0)?;
    }
    work.room = room;
    Ok(copied)
}

/// Reads bytes; `None` at the end, and 0 if there are none yet. Waits for a pipe or a device, until
/// the copy is stopped.
fn read(work: &Work<'_>, it: &Transfer<'_>, room: &mut [u8]) -> Result<Option<usize>, Denied> {
    use io::ErrorKind::{Interrupted, WouldBlock};
    if it.meta.file_type() != Some(FileType::File) {
        while !copy::wait_to_read(it.from).map_err(at(Step::Read))? {
            end_if_stopped(work)?;
        }
    }
    let mut from = it.from;
    match from.read(room) {
        Err(error) if matches!(error.kind(), Interrupted | WouldBlock) => Ok(Some(0)),
        count => Ok(Some(count.map_err(at(Step::Read))?).filter(|count| *count > 0)),
    }
}

/// Writes bytes. Waits for the reader of a pipe, until the copy is stopped.
fn write(work: &Work<'_>, mut to: &File, mut bytes: &[u8]) -> Result<(), Denied> {
    use io::ErrorKind::{Interrupted, WouldBlock};
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err((Step::Write, Some(io::ErrorKind::WriteZero.into()))),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == Interrupted => end_if_stopped(work)?,
            Err(error) if error.kind() == WouldBlock => {
                while !copy::wait_to_write(to).map_err(at(Step::Write))? {
                    end_if_stopped(work)?;
                }
            }
            Err(error) => return Err((Step::Write, Some(error))),
        }
    }
    Ok(())
}

/// Whether two files have the same bytes.
pub(super) fn are_equal(work: &mut Work<'_>, mut one: &File, mut other: &File) -> io::Result<bool> {
    work.room.resize(2 * ROOM, 0);
    let (first, second) = work.room.split_at_mut(ROOM);
    loop {
        let count = one.read(first)?;
        if count == 0 {
            return Ok(other.read(second)? == 0);
        }
        match other.read_exact(&mut second[..count]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            read => read?,
        }
        if first[..count] != second[..count] {
            return Ok(false);
        }
    }
}

/// Whether the source's file system says reliably where data is. ZFS may report a hole where data
/// has just been written.
fn tells_holes(work: &mut Work<'_>, it: &Transfer<'_>) -> bool {
    let device = it.devices.0;
    if let Some((_, tells)) = work.tells_holes.filter(|known| known.0 == device) {
        return tells;
    }
    let magic = storage::magic_at(borrow_handle(it.from));
    let tells = magic.map(VolumeKind::from_magic) != Some(VolumeKind::Zfs);
    work.tells_holes = Some((device, tells));
    tells
}

/// Whether an error says that the kernel does not copy between two file systems.
fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, InvalidInput, PermissionDenied, Unsupported};
    matches!(error.kind(), CrossesDevices | InvalidInput | PermissionDenied | Unsupported)
}

/// Writes bytes, and makes holes of blocks of zeros.
fn write_around_holes(mut to: &File, bytes: &[u8]) -> io::Result<()> {
    for block in bytes.chunks(BLOCK) {
        if block.iter().all(|&byte| byte == 0) {
            to.seek(SeekFrom::Current(block.len() as i64))?;
        } else {
            to.write_all(block)?;
        }
    }
    Ok(())
}
