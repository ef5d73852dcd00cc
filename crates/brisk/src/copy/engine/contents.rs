//! Passing on the contents of a file. The kernel copies where it can (copy_file_range); where it
//! cannot, or something fails on the way, reading and writing go on from the offset that was
//! reached, and say which side failed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use brisk_sys::volume::VolumeKind;
use brisk_sys::{borrow_handle, copy, storage};

use super::copier::Copier;
use super::job::{Refusal, at};
use crate::copy::report::{Step, Way};
use crate::copy::settings::When;
use crate::{FileType, Meta};

/// The bytes that the kernel copies at once: between two such pieces the copy can be stopped, and
/// tells its progress.
const PIECE: u64 = 64 << 20;
/// The bytes that are read at once.
const ROOM: usize = 256 << 10;
/// The bytes of a block that may become a hole.
const BLOCK: usize = 4096;

/// A source that is open for reading.
pub(super) struct Source<'a> {
    pub file: &'a File,
    pub meta: &'a Meta,
    pub device: u64,
}

impl Copier<'_> {
    /// Copies the contents to an empty file, or to what is no regular file (`to_file` is false);
    /// returns how many bytes.
    pub fn contents(
        &mut self,
        from: &Source<'_>,
        (to, to_file): (&File, bool),
        device: u64,
    ) -> Result<u64, Refusal> {
        let copy = self.route.job.copy;
        let size = from.meta.size().unwrap_or(0);
        let is_regular = from.meta.file_type() == Some(FileType::File);
        let way = self.way(from.device, device);
        if copy.reflink == When::Always {
            copy::clone(from.file, to).map_err(at(Step::Clone))?;
            self.ways[way].cloned += 1;
            return Ok(size);
        }
        // Files of /proc say that they are empty.
        if !is_regular || size == 0 || !to_file {
            let makes_holes = to_file && copy.sparse == When::Always;
            let copied = self.read_and_write(from.file, to, u64::MAX, makes_holes)?;
            self.ways[way].read_written += u64::from(copied > 0);
            if makes_holes {
                to.set_len(copied).map_err(at(Step::Write))?;
            }
            return Ok(copied);
        }
        let has_holes = from.meta.blocks().is_some_and(|blocks| blocks * 512 < size);
        if has_holes && copy.sparse != When::Never && tells_holes(from.file) {
            return self.extents(from, to, size, way);
        }
        let in_kernel = copy.reflink != When::Never && copy.sparse == When::Auto;
        let copied = self.range(from.file, to, size, way, in_kernel)?;
        if copy.sparse == When::Always {
            to.set_len(copied).map_err(at(Step::Write))?;
        }
        Ok(copied)
    }

    /// The number of what is known of two devices.
    fn way(&mut self, from: u64, to: u64) -> usize {
        let known = self.ways.iter().rposition(|way| (way.from, way.to) == (from, to));
        known.unwrap_or_else(|| {
            self.ways.push(Way { from, to, ..Way::default() });
            self.ways.len() - 1
        })
    }

    /// Copies what is between holes.
    fn extents(
        &mut self,
        from: &Source<'_>,
        to: &File,
        size: u64,
        way: usize,
    ) -> Result<u64, Refusal> {
        let mut copied = 0;
        let mut offset = 0;
        let in_kernel = self.route.job.copy.sparse == When::Auto;
        while let Some((begin, end)) =
            copy::next_data(from.file, offset).map_err(at(Step::Read))?.filter(|it| it.0 < size)
        {
            (&*to).seek(SeekFrom::Start(begin)).map_err(at(Step::Write))?;
            let end = end.min(size);
            let moved = self.range(from.file, to, end - begin, way, in_kernel)?;
            copied += moved;
            offset = begin + moved;
            if offset < end {
                // The source has become shorter.
                break;
            }
        }
        to.set_len(size).map_err(at(Step::Write))?;
        Ok(copied)
    }

    /// Copies this many bytes from one position to the other; fewer if the source ends before.
    fn range(
        &mut self,
        from: &File,
        to: &File,
        length: u64,
        way: usize,
        in_kernel: bool,
    ) -> Result<u64, Refusal> {
        let mut copied = 0;
        let tries = in_kernel && self.ways[way].refused.is_none();
        while tries && copied < length {
            match copy::copy_range(from, to, (length - copied).min(PIECE) as usize) {
                // Some file systems answer so although there are bytes.
                Ok(0) => break,
                Ok(count) => copied += count as u64,
                Err(error) => {
                    if copied == 0 && is_refusal(&error) {
                        self.ways[way].refused = error.raw_os_error();
                    }
                    break;
                }
            }
            if copied < length {
                self.pause()?;
            }
        }
        if copied == length {
            self.ways[way].in_kernel += 1;
            return Ok(copied);
        }
        self.ways[way].read_written += 1;
        let makes_holes = self.route.job.copy.sparse == When::Always;
        Ok(copied + self.read_and_write(from, to, length - copied, makes_holes)?)
    }

    /// Ends the copy of a large file if the whole copy is to end.
    fn pause(&mut self) -> Result<(), Refusal> {
        if self.route.job.is_stopped() {
            return Err((Step::Write, Some(io::ErrorKind::Interrupted.into())));
        }
        Ok(())
    }

    fn read_and_write(
        &mut self,
        mut from: &File,
        mut to: &File,
        most: u64,
        makes_holes: bool,
    ) -> Result<u64, Refusal> {
        let mut room = std::mem::take(&mut self.room);
        room.resize(ROOM, 0);
        let mut copied = 0;
        while copied < most {
            let wanted = usize::try_from(most - copied).unwrap_or(ROOM).min(ROOM);
            let count = match from.read(&mut room[..wanted]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Ok(0) => break,
                count => count.map_err(at(Step::Read))?,
            };
            let bytes = &room[..count];
            let written =
                if makes_holes { write_around_holes(to, bytes) } else { to.write_all(bytes) };
            written.map_err(at(Step::Write))?;
            copied += count as u64;
            self.pause()?;
        }
        self.room = room;
        Ok(copied)
    }

    /// Whether two files have the same bytes.
    pub fn are_equal(&mut self, mut one: &File, mut other: &File) -> io::Result<bool> {
        self.room.resize(2 * ROOM, 0);
        let (first, second) = self.room.split_at_mut(ROOM);
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
}

/// Whether the source's file system can be asked where data is. ZFS has reported holes where data
/// had just been written.
fn tells_holes(file: &File) -> bool {
    let magic = storage::magic_at(borrow_handle(file));
    magic.map(VolumeKind::from_magic) != Some(VolumeKind::Zfs)
}

/// Whether an error says that the kernel does not copy between two file systems.
fn is_refusal(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, InvalidInput, PermissionDenied, Unsupported};
    matches!(error.kind(), CrossesDevices | InvalidInput | PermissionDenied | Unsupported)
}

/// Writes bytes, and leaves out blocks of zeros.
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
