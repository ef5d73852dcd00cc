//! Long listings: a line of columns for each entry. Each column is as wide as its widest value.

use brisk::{Access, FileType, Meta};

use super::clock::Clock;
use super::item::{Item, Page};
use super::pen::Pen;
use crate::show::mode;
use crate::show::names;
use crate::show::size::Scale;
use crate::show::text::{self, Charset};
use crate::show::time::Stamp;

/// Bytes of a block as metadata counts blocks.
const BLOCK: u64 = 512;

/// Which columns a long listing has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) inode: bool,
    pub(crate) blocks: bool,
    /// Whether Windows's attributes are shown instead of mode and number of links.
    pub(crate) attributes: bool,
    pub(crate) owner: bool,
    pub(crate) group: bool,
    pub(crate) author: bool,
    pub(crate) context: bool,
    pub(crate) numeric: bool,
}

/// What the columns show, and how.
pub(crate) struct Sheet {
    pub(crate) columns: Columns,
    pub(crate) block_scale: Scale,
    pub(crate) size_scale: Scale,
    pub(crate) time: Stamp,
    pub(crate) charset: Charset,
    /// The format of times; only long listings have one.
    pub(crate) clock: Option<Clock>,
}

/// The widths of the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Widths {
    pub(crate) inode: usize,
    pub(crate) blocks: usize,
    pub(crate) context: usize,
    links: usize,
    owner: usize,
    group: usize,
    size: usize,
    major: usize,
    minor: usize,
    /// Whether any entry has a mark after its mode.
    marked: bool,
}

impl Widths {
    /// Widens the columns for one more entry.
    pub(crate) fn note(&mut self, item: &Item<'_>, sheet: &Sheet) {
        let columns = &sheet.columns;
        if columns.inode {
            self.inode = self.inode.max(inode(item).map_or(1, digits));
        }
        if columns.context {
            self.context = self.context.max(context(item).len());
        }
        let long = sheet.clock.is_some();
        let Some(meta) = item.meta.filter(|_| !item.failed) else { return };
        if columns.blocks || long {
            let width = scaled(sheet.block_scale, item.blocks(), BLOCK);
            self.blocks = self.blocks.max(width);
        }
        if long {
            self.note_long(item, meta, sheet);
        }
    }

    /// Makes the columns as wide as those of `other` at least.
    pub(crate) fn widen(&mut self, other: &Widths) {
        for (own, other) in self.all().into_iter().zip(other.clone().all()) {
            *own = (*own).max(*other);
        }
        self.marked |= other.marked;
    }

    fn all(&mut self) -> [&mut usize; 9] {
        let Widths { inode, blocks, context, links, owner, group, size, major, minor, .. } = self;
        [inode, blocks, context, links, owner, group, size, major, minor]
    }

    fn note_long(&mut self, item: &Item<'_>, meta: &Meta, sheet: &Sheet) {
        let columns = &sheet.columns;
        if columns.owner || columns.author {
            let uid = meta.uid().unwrap_or(0);
            self.owner =
                self.owner.max(user(uid, sheet, |name| who_width(name, uid, sheet.charset)));
        }
        if columns.group {
            let gid = meta.gid().unwrap_or(0);
            self.group =
                self.group.max(group(gid, sheet, |name| who_width(name, gid, sheet.charset)));
        }
        self.marked |= meta.access().is_some_and(|access| access != Access::Plain);
        self.links = self.links.max(digits(meta.nlink().unwrap_or(0)));
        let size = match device(item) {
            Some((major, minor)) => {
                self.major = self.major.max(digits(major));
                self.minor = self.minor.max(digits(minor));
                self.major + 2 + self.minor
            }
            None => scaled(sheet.size_scale, item.size(), 1),
        };
        self.size = self.size.max(size);
    }
}

/// The device number of a device file.
fn device(item: &Item<'_>) -> Option<(u64, u64)> {
    if !matches!(item.file_type, FileType::BlockDevice | FileType::CharDevice) {
        return None;
    }
    let device = item.meta?.rdev()?;
    // The bit layout of makedev.
    let major = (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000);
    let minor = (device & 0xff) | (device >> 12 & 0xffff_ff00);
    Some((major, minor))
}

/// The inode from a stat: the directory's own number is another one at mount points and on
/// overlayfs.
fn inode(item: &Item<'_>) -> Option<u64> {
    item.meta.filter(|_| !item.failed)?.ino()
}

fn context<'a>(item: &Item<'a>) -> &'a [u8] {
    item.meta.and_then(Meta::context).unwrap_or(b"?")
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

fn scaled(scale: Scale, count: u64, piece: u64) -> usize {
    let mut text = Vec::with_capacity(16);
    scale.write(count, piece, &mut text);
    text.len()
}

/// Appends type, permission bits, the mark after them, and the number of links.
fn mode_and_links(item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
    match item.meta.filter(|_| !item.failed) {
        Some(meta) => {
            let letters = mode::letters(item.file_type, meta.mode().unwrap_or(0));
            out.extend_from_slice(&letters);
            if widths.marked {
                out.push(match meta.access() {
                    Some(Access::Acl) => b'+',
                    Some(Access::Context) => b'.',
                    Some(Access::Plain) | None => b' ',
                });
            }
            out.push(b' ');
            number(meta.nlink().unwrap_or(0), widths.links, out);
        }
        None => {
            out.push(mode::letter(item.file_type));
            out.extend_from_slice(b"?????????");
            if widths.marked {
                out.push(b'?');
            }
            out.push(b' ');
            right(b"?", widths.links, out);
        }
    }
}

/// Calls `use_name` with the user's name, or with `None` where the number is shown.
fn user<R>(uid: u32, sheet: &Sheet, use_name: impl FnOnce(Option<&str>) -> R) -> R {
    if sheet.columns.numeric { use_name(None) } else { names::with_user(uid, use_name) }
}

fn group<R>(gid: u32, sheet: &Sheet, use_name: impl FnOnce(Option<&str>) -> R) -> R {
    if sheet.columns.numeric { use_name(None) } else { names::with_group(gid, use_name) }
}

fn who_width(name: Option<&str>, id: u32, charset: Charset) -> usize {
    name.map_or_else(|| digits(id.into()), |name| text::width(name.as_bytes(), charset))
}

/// Appends a text at the right of its column, and a space.
fn right(text: &[u8], width: usize, out: &mut Vec<u8>) {
    out.extend(std::iter::repeat_n(b' ', width.saturating_sub(text.len())));
    out.extend_from_slice(text);
    out.push(b' ');
}

/// Appends a text at the left of its column, and a space.
fn left(text: &[u8], width: usize, charset: Charset, out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    let missing = width.saturating_sub(text::width(text, charset));
    out.extend(std::iter::repeat_n(b' ', missing + 1));
}

fn number(number: u64, width: usize, out: &mut Vec<u8>) {
    right(itoa::Buffer::new().format(number).as_bytes(), width, out);
}

/// Appends a size at the right of its column, and a space.
fn size(scale: Scale, count: u64, piece: u64, width: usize, out: &mut Vec<u8>) {
    let at = out.len();
    scale.write(count, piece, out);
    let missing = width.saturating_sub(out.len() - at);
    if missing > 0 {
        out.splice(at..at, std::iter::repeat_n(b' ', missing));
    }
    out.push(b' ');
}

impl Sheet {
    /// Appends the columns that every format can have before the name: inode, blocks, and in short
    /// formats the context. Columns of width 0 are not aligned.
    pub(crate) fn frills(&self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        if self.columns.inode {
            match inode(item) {
                Some(inode) => number(inode, widths.inode, out),
                None => right(b"?", widths.inode, out),
            }
        }
        if self.columns.blocks {
            self.blocks(item, widths, out);
        }
        if self.columns.context && self.clock.is_none() {
            right(context(item), widths.context, out);
        }
    }

    fn blocks(&self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        if item.meta.is_none() {
            right(b"?", widths.blocks, out);
        } else {
            size(self.block_scale, item.blocks(), BLOCK, widths.blocks, out);
        }
    }

    /// The number of screen columns that [`frills`](Sheet::frills) takes.
    pub(crate) fn frills_width(&self, item: &Item<'_>, widths: Option<&Widths>) -> usize {
        if let Some(widths) = widths {
            let columns = &self.columns;
            return [
                (columns.inode, widths.inode),
                (columns.blocks, widths.blocks),
                (columns.context, widths.context),
            ]
            .iter()
            .map(|(shown, width)| if *shown { width + 1 } else { 0 })
            .sum();
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
        if self.columns.attributes {
            let meta = item.meta.filter(|_| !item.failed);
            let attributes = meta.and_then(Meta::attributes);
            out.extend_from_slice(&mode::attribute_letters(item.file_type, attributes));
            out.push(b' ');
        } else {
            mode_and_links(item, widths, out);
        }
        let columns = self.columns;
        if columns.owner || columns.group || columns.author || columns.context {
            self.owners(item, widths, out);
            // GNU counts the columns of the line from here on.
            began = out.len();
        }
        self.size_and_time(item, widths, out);
        out.extend_from_slice(branch.as_bytes());
        let at = out.len() - began;
        let length = pen.name(item, at, out);
        match item.link() {
            Some(_) => pen.target(item, at + length + 4, out),
            None if item.file_type == FileType::Symlink => {}
            None => pen.mark_after(item, out),
        }
    }

    fn owners(&self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        let charset = self.charset;
        let who = |name: Option<&str>, id: u32, width: usize, out: &mut Vec<u8>| match name {
            Some(name) => left(name.as_bytes(), width, charset, out),
            None => number(id.into(), width, out),
        };
        let meta = item.meta.filter(|_| !item.failed);
        let owner = |out: &mut Vec<u8>| match meta {
            Some(meta) => {
                let uid = meta.uid().unwrap_or(0);
                user(uid, self, |name| who(name, uid, widths.owner, out));
            }
            None => left(b"?", widths.owner, charset, out),
        };
        if self.columns.owner {
            owner(out);
        }
        if self.columns.group {
            match meta {
                Some(meta) => {
                    let gid = meta.gid().unwrap_or(0);
                    group(gid, self, |name| who(name, gid, widths.group, out));
                }
                None => left(b"?", widths.group, charset, out),
            }
        }
        if self.columns.author {
            owner(out);
        }
        if self.columns.context {
            left(context(item), widths.context, charset, out);
        }
    }

    fn size_and_time(&mut self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        if item.failed || item.meta.is_none() {
            right(b"?", widths.size, out);
        } else if let Some((major, minor)) = device(item) {
            let blank = widths.size.saturating_sub(widths.major + 2 + widths.minor);
            let mut text = itoa::Buffer::new();
            let shown = text.format(major).as_bytes();
            out.extend(std::iter::repeat_n(
                b' ',
                (widths.major + blank).saturating_sub(shown.len()),
            ));
            out.extend_from_slice(shown);
            out.extend_from_slice(b", ");
            number(minor, widths.minor, out);
        } else {
            size(self.size_scale, item.size(), 1, widths.size, out);
        }
        if let Some(clock) = &mut self.clock {
            clock.write(item.time(self.time), out);
            out.push(b' ');
        }
    }
}
