//! [`Long`]: the lines of -ls and -fls. Each column begins with GNU's width, and stays as wide as
//! the widest value so far.

use std::time::SystemTime;

use brisk::unstable::append;
use brisk::{Entry, Fields, FileType, Meta, Timestamp};
use brisk_cli_sys::{Text, locale};
use brisk_filter::zone;
use brisk_sys::quoting::escape;
use jiff::tz::TimeZone;

use super::times::append_seconds;
use crate::show::time::format::Format;
use crate::show::{mode, names};
use crate::system::{Owner, device_numbers};

/// Seconds into the past whose times are shown without a year.
const RECENT: i64 = 180 * 24 * 60 * 60;
/// The same of the future: a server's clock may be ahead.
const AHEAD: i64 = 60 * 60;

/// What a line needs of files of all types.
const COMMON: Fields = Fields::INO
    .union(Fields::BLOCKS)
    .union(Fields::MODE)
    .union(Fields::NLINK)
    .union(Fields::UID)
    .union(Fields::GID)
    .union(Fields::MTIME);

/// What all -ls and -fls of a run share.
#[derive(Debug)]
pub(crate) struct Long {
    /// The widths of inode, blocks, links, owner, group, size, major and minor number of a device.
    widths: [usize; 8],
    /// How many blocks of 512 bytes are a block here.
    unit: u64,
    recent: Format,
    old: Format,
    zone: TimeZone,
    /// When the run began, in seconds since the epoch.
    begun: i64,
}

impl Long {
    /// Reads the clock, the time zone and the environment.
    pub(crate) fn new() -> Long {
        let months: Vec<_> = (0..12).map(|month| locale::text(Text::ShortMonth(month))).collect();
        Long {
            widths: [9, 6, 3, 8, 8, 8, 3, 3],
            unit: if std::env::var_os("POSIXLY_CORRECT").is_some() { 1 } else { 2 },
            recent: Format::new(b"%b %e %H:%M").with_padded_months(&months),
            old: Format::new(b"%b %e  %1Y").with_padded_months(&months),
            zone: zone::local(),
            begun: Timestamp::from(SystemTime::now()).secs,
        }
    }

    /// The metadata that a line about a file of this type needs.
    pub(crate) fn fields(file_type: FileType) -> Fields {
        COMMON
            | match file_type {
                FileType::BlockDevice | FileType::CharDevice => Fields::DEV,
                FileType::Symlink => Fields::SIZE | Fields::LINK_TARGET,
                FileType::Unknown => Fields::SIZE | Fields::DEV | Fields::LINK_TARGET,
                _ => Fields::SIZE,
            }
    }

    /// Appends the entry's line. Returns `false`, and appends nothing, if its metadata are missing.
    pub(crate) fn append(&mut self, entry: &Entry<'_>, out: &mut Vec<u8>) -> bool {
        let at = out.len();
        let Some(meta) = entry.meta().filter(|meta| self.columns(entry, meta, out).is_some())
        else {
            out.truncate(at);
            return false;
        };
        append_escaped(entry.directory().prefix(), out);
        append_escaped(entry.name(), out);
        if let Some(target) = meta.link_target() {
            out.extend_from_slice(b" -> ");
            append_escaped(target, out);
        }
        out.push(b'\n');
        true
    }

    /// Appends everything before the name; `None` if a value is missing.
    fn columns(&mut self, entry: &Entry<'_>, meta: &Meta, out: &mut Vec<u8>) -> Option<()> {
        let file_type = entry.file_type();
        let [inode, blocks, links, owner, group, size, major, minor] = &mut self.widths;
        number(meta.ino()?, inode, out);
        number(meta.blocks()?.div_ceil(self.unit), blocks, out);
        out.extend_from_slice(&mode::letters(file_type, Some(meta.mode()?)));
        out.push(b' ');
        number(meta.nlink()?, links, out);
        let is_odd = true;
        name(Owner::User(meta.uid()?), is_odd, owner, out);
        name(Owner::Group(meta.gid()?), !is_odd, group, out);
        if let FileType::BlockDevice | FileType::CharDevice = file_type {
            let (major_number, minor_number) = device_numbers(meta.rdev()?);
            number(major_number, major, out);
            out.insert(out.len() - 1, b',');
            number(minor_number, minor, out);
        } else {
            number(meta.size()?, size, out);
        }
        self.time(meta.mtime()?, out);
        out.push(b' ');
        Some(())
    }

    fn time(&self, time: Timestamp, out: &mut Vec<u8>) {
        let is_recent = (self.begun - RECENT..=self.begun + AHEAD).contains(&time.secs);
        let format = if is_recent { &self.recent } else { &self.old };
        if format.write_time(time, &self.zone, out).is_none() {
            append_seconds(time, out);
        }
    }
}

/// Appends a number at the right of its column, and a blank.
fn number(number: u64, column: &mut usize, out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(number).as_bytes();
    *column = digits.len().max(*column);
    out.extend(std::iter::repeat_n(b' ', *column - digits.len()));
    out.extend_from_slice(digits);
    out.push(b' ');
}

/// Appends the name of an owner at the left of its column, or the number if there is no name, and a
/// blank. Where `is_odd`, a number is aligned in 8 columns, and GNU counts its blank as well.
fn name(owner: Owner, is_odd: bool, column: &mut usize, out: &mut Vec<u8>) {
    let at = out.len();
    let is_odd = !names::append(owner, out) && is_odd;
    let width = if is_odd { 8 } else { *column };
    out.resize(out.len().max(at + width), b' ');
    out.push(b' ');
    *column = (out.len() - at - usize::from(!is_odd)).max(*column);
}

/// Appends a name with C's escapes.
fn append_escaped(name: &[u8], out: &mut Vec<u8>) {
    let is_harmless = |byte: u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'"' | b'\\');
    if name.iter().all(|byte| is_harmless(*byte)) {
        return append(out, name);
    }
    for byte in name {
        match byte {
            byte if is_harmless(*byte) => out.push(*byte),
            b' ' | b'"' => out.extend_from_slice(&[b'\\', *byte]),
            // These two have letters in C.
            0o7 => out.extend_from_slice(b"\\007"),
            0o13 => out.extend_from_slice(b"\\013"),
            _ => escape(&[*byte], out),
        }
    }
}
