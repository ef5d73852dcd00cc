//! Long listings: a line of columns for each entry. Each column is as wide as its widest value.

use std::io::Write;

use brisk::{Access, FileType, Meta};

use super::clock::Clock;
use super::item::{Item, Page};
use super::pen::Pen;
use crate::show::size::Scale;
use crate::show::text::{self, Charset};
use crate::show::{mode, names};
use crate::system;
use brisk_filter::Stamp;

/// Bytes of a block as metadata counts blocks.
const BLOCK: u64 = 512;

/// Which columns a long listing has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) inode: bool,
    pub(crate) blocks: bool,
    /// Whether Windows's attributes are shown instead of mode and number of links.
    pub(crate) attributes: bool,
    pub(crate) without_owner: bool,
    pub(crate) without_group: bool,
    pub(crate) author: bool,
    pub(crate) context: bool,
    pub(crate) numeric: bool,
}

/// What the columns show, and how.
#[derive(Clone)]
pub(crate) struct Sheet {
    pub(crate) columns: Columns,
    pub(crate) block_scale: Scale,
    pub(crate) size_scale: Scale,
    pub(crate) time: Stamp,
    pub(crate) charset: Charset,
    /// The format of times; only long listings have one.
    pub(crate) clock: Option<Clock>,
}

/// A column that is as wide as its widest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Inode,
    Blocks,
    Context,
    Links,
    Owner,
    Group,
    /// The size, or the number of a device.
    Size,
    /// The parts of a device's number.
    Major,
    Minor,
}

use Column::{Blocks, Context, Group, Inode, Links, Major, Minor, Owner, Size};

/// The widths of the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths {
    columns: [usize; Minor as usize + 1],
    /// Whether any entry has a mark after its mode.
    marked: bool,
}

impl Widths {
    fn of(&self, column: Column) -> usize {
        let width = self.columns[column as usize];
        match column {
            Size if self.of(Major) > 0 => width.max(self.of(Major) + 2 + self.of(Minor)),
            _ => width,
        }
    }

    fn note(&mut self, column: Column, width: usize) {
        let widest = &mut self.columns[column as usize];
        *widest = width.max(*widest);
    }

    /// Makes the columns as wide as those of `other` at least.
    pub(crate) fn widen(&mut self, other: &Widths) {
        for (own, other) in self.columns.iter_mut().zip(other.columns) {
            *own = other.max(*own);
        }
        self.marked |= other.marked;
    }
}

/// The device number of a device file.
fn device(item: &Item<'_>) -> Option<(u64, u64)> {
    if !matches!(item.file_type, FileType::BlockDevice | FileType::CharDevice) {
        return None;
    }
    Some(system::device_numbers(item.meta?.rdev()?))
}

/// Appends a number; `?` where it is not known.
fn number(number: Option<u64>, out: &mut Vec<u8>) {
    match number {
        Some(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        None => out.push(b'?'),
    }
}

impl Sheet {
    fn is_long(&self) -> bool {
        self.clock.is_some()
    }

    fn shows(&self, column: Column) -> bool {
        let columns = &self.columns;
        match column {
            Inode => columns.inode,
            Blocks => columns.blocks,
            Context => columns.context,
            Links => self.is_long() && !columns.attributes,
            Owner => self.is_long() && (!columns.without_owner || columns.author),
            Group => self.is_long() && !columns.without_group,
            Size => self.is_long(),
            Major | Minor => false,
        }
    }

    /// Widens the columns for one more entry. `text` is room for their texts.
    pub(crate) fn note(&self, item: &Item<'_>, widths: &mut Widths, text: &mut Vec<u8>) {
        for column in [Inode, Blocks, Context, Links, Owner, Group, Size] {
            if self.shows(column) {
                text.clear();
                self.write(column, item, widths, text);
                widths.note(column, text::width(text, self.charset));
            }
        }
        if let Some(meta) = item.meta.filter(|_| self.is_long() && !item.failed) {
            widths.marked |= meta.access().is_some_and(|access| access != Access::Plain);
            if let Some((major, minor)) = device(item) {
                for (column, part) in [(Major, major), (Minor, minor)] {
                    widths.note(column, part.checked_ilog10().unwrap_or(0) as usize + 1);
                }
            }
        }
    }

    /// Appends what stands in a column. Returns whether it stands at the column's left.
    fn write(&self, column: Column, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) -> bool {
        let meta = item.meta.filter(|_| !item.failed);
        match column {
            // The inode from a stat: the directory's own number is another one at mount points and
            // on overlayfs.
            Inode => number(meta.and_then(Meta::ino), out),
            Blocks if item.meta.is_some() => self.block_scale.write(item.blocks(), BLOCK, out),
            Links => number(meta.map(|meta| meta.nlink().unwrap_or(0)), out),
            Context => {
                out.extend_from_slice(item.meta.and_then(Meta::context).unwrap_or(b"?"));
                return self.is_long();
            }
            Owner | Group => {
                let Some(meta) = meta else {
                    out.push(b'?');
                    return true;
                };
                return self.write_owner(column, meta, out);
            }
            Size if meta.is_some() => match device(item) {
                Some((major, minor)) => {
                    let width = widths.of(Minor);
                    // Writing to a Vec cannot fail.
                    let _ = write!(out, "{major}, {minor:>width$}");
                }
                None => self.size_scale.write(item.size(), 1, out),
            },
            Blocks | Size | Major | Minor => out.push(b'?'),
        }
        false
    }

    /// Appends a name, or a number if there is none or numbers are asked for. Returns whether it is
    /// a name.
    fn write_owner(&self, column: Column, meta: &Meta, out: &mut Vec<u8>) -> bool {
        let is_user = column == Owner;
        let id = if is_user { meta.uid() } else { meta.gid() }.unwrap_or(0);
        if self.columns.numeric {
            number(Some(id.into()), out);
            return false;
        }
        names::append(if is_user { system::Owner::User(id) } else { system::Owner::Group(id) }, out)
    }

    /// Appends a column and a space.
    fn aligned(&self, column: Column, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        let start = out.len();
        let is_left = self.write(column, item, widths, out);
        let end = out.len();
        let width = widths.of(column);
        if width > end - start || is_left {
            let missing = width.saturating_sub(text::width(&out[start..], self.charset));
            out.resize(end + missing, b' ');
            if !is_left {
                out.copy_within(start..end, start + missing);
                out[start..start + missing].fill(b' ');
            }
        }
        out.push(b' ');
    }

    /// The columns that every format can have before the name.
    #[inline]
    fn frill_columns(&self) -> impl Iterator<Item = Column> {
        let columns = &self.columns;
        let has_context = columns.context && !self.is_long();
        let all = [(columns.inode, Inode), (columns.blocks, Blocks), (has_context, Context)];
        all.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column))
    }

    /// Appends the columns that every format can have before the name: inode, blocks, and in short
    /// formats the context. Columns of width 0 are not aligned.
    #[inline]
    pub(crate) fn frills(&self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        self.frill_columns().for_each(|column| self.aligned(column, item, widths, out));
    }

    /// The number of screen columns that [`frills`](Sheet::frills) takes.
    pub(crate) fn frills_width(&self, item: &Item<'_>, widths: Option<&Widths>) -> usize {
        if let Some(widths) = widths {
            return self.frill_columns().map(|column| widths.of(column) + 1).sum();
        }
        let mut text = Vec::new();
        self.frills(item, &Widths::default(), &mut text);
        text.len()
    }

    /// Appends "total" and the sum of all entries' blocks.
    pub(crate) fn total(&self, page: &Page, end: u8, out: &mut Vec<u8>) {
        out.extend_from_slice(b"total ");
        let blocks = page.iter().fold(0, |sum: u64, item| sum.saturating_add(item.blocks()));
        self.block_scale.write(blocks, BLOCK, out);
        out.push(end);
    }

    /// Appends a whole line without its end. `branch` stands before the name.
    pub(crate) fn line(
        &mut self,
        item: &Item<'_>,
        widths: &Widths,
        branch: &str,
        pen: &mut Pen<'_>,
        out: &mut Vec<u8>,
    ) {
        self.frills(item, widths, out);
        let mut began = out.len();
        self.mode(item, widths, out);
        let columns = self.columns;
        let owners = [
            (!columns.without_owner, Owner),
            (!columns.without_group, Group),
            (columns.author, Owner),
            (columns.context, Context),
        ];
        for (_, column) in owners.into_iter().filter(|(is_shown, _)| *is_shown) {
            self.aligned(column, item, widths, out);
            // GNU counts the columns of the line from here on.
            began = out.len();
        }
        self.aligned(Size, item, widths, out);
        if let Some(clock) = &mut self.clock {
            clock.write(item.time(self.time), out);
            out.push(b' ');
        }
        out.extend_from_slice(branch.as_bytes());
        let at = out.len() - began;
        let length = pen.name(item, at, out);
        match item.link() {
            Some(_) => pen.target(item, at + length + 4, out),
            None if item.file_type == FileType::Symlink => {}
            None => out.extend(pen.mark(item)),
        }
    }

    /// Appends type, permission bits, the mark after them, and the number of links; or type and
    /// attributes.
    fn mode(&self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        let meta = item.meta.filter(|_| !item.failed);
        if self.columns.attributes {
            let attributes = meta.and_then(Meta::attributes);
            out.extend_from_slice(&mode::attribute_letters(item.file_type, attributes));
            out.push(b' ');
            return;
        }
        out.extend_from_slice(&mode::letters(item.file_type, meta.map(|m| m.mode().unwrap_or(0))));
        if widths.marked {
            out.push(match meta.map(Meta::access) {
                Some(Some(Access::Acl)) => b'+',
                Some(Some(Access::Context)) => b'.',
                Some(_) => b' ',
                None => b'?',
            });
        }
        out.push(b' ');
        self.aligned(Links, item, widths, out);
    }
}
