//! [`Printf`]: the format of -printf and -fprintf, parsed once; [`Formatting`]: what entries that
//! are printed share.

use std::io;
use std::sync::Arc;

use brisk::unstable::append;
use brisk::{Entry, Fields, FileType, Meta, Target};
use brisk_filter::Stamp;
use brisk_sys::is_link_loop;

use super::mounted::FileSystems;
use super::shape::Conversion;
use super::times::TimeFormat;
use crate::front::messages::cause;
use crate::show::mode;
use crate::show::names;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::show::text::{self, Charset};
use crate::system::Owner;

#[cfg(all(test, target_os = "linux"))]
mod tests;

/// Takes a warning, without the program's name.
type Warn<'w> = &'w mut dyn FnMut(String);

/// A format, parsed.
#[derive(Debug)]
pub(crate) struct Printf {
    parts: Vec<PrintfPart>,
    /// Whether `?` stands for characters of names that cannot be shown.
    question_marks: bool,
}

#[derive(Debug)]
enum PrintfPart {
    Text(Vec<u8>),
    /// What the directive with this letter prints.
    Value(u8, Conversion),
    Time(Stamp, TimeFormat, Conversion),
}

impl Printf {
    /// Parses a format. `is_terminal`: what is printed goes to a terminal.
    ///
    /// # Errors
    /// A message, without the program's name, about a directive that cannot be printed.
    pub(crate) fn parse(text: &[u8], is_terminal: bool, warn: Warn<'_>) -> Result<Printf, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let plain = rest.iter().take_while(|byte| !b"\\%".contains(byte)).count();
            push_text(&rest[..plain], &mut parts);
            rest = &rest[plain..];
            // What follows \c is not printed.
            if rest.is_empty() || rest.starts_with(b"\\c") {
                return Ok(Printf { parts, question_marks: is_terminal });
            }
            let read = if rest[0] == b'%' { directive } else { escape };
            rest = &rest[read(rest, &mut parts, warn)?..];
        }
    }

    /// The metadata that the format needs of the entry.
    pub(crate) fn fields(&self, entry: &Entry<'_>) -> Fields {
        self.fields_of(entry.file_type(), has_listed_inode(entry))
    }

    /// `is_listed`: the entry's inode number is the one that its directory lists.
    fn fields_of(&self, file_type: FileType, is_listed: bool) -> Fields {
        let fields = self.parts.iter().map(|part| match part {
            PrintfPart::Text(_) => Fields::empty(),
            PrintfPart::Value(letter, _) => fields_of(*letter, file_type, is_listed),
            PrintfPart::Time(stamp, ..) => stamp.field(),
        });
        fields.fold(Fields::empty(), Fields::union)
    }

    /// Appends what the format prints of an entry. Returns `false`, and appends nothing, if the
    /// entry's metadata are missing.
    pub(crate) fn append(&self, entry: &Entry<'_>, cx: &mut Formatting, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        for part in &self.parts {
            let written = match part {
                PrintfPart::Text(text) => {
                    append(out, text);
                    Some(())
                }
                PrintfPart::Value(letter @ (b'd' | b'm' | b'S'), shape) => {
                    shaped_number(*letter, *shape, entry, out)
                }
                PrintfPart::Value(letter, shape) => self.value(*letter, *shape, entry, cx, out),
                PrintfPart::Time(stamp, format, shape) => time(*stamp, format, *shape, entry, out),
            };
            if written.is_none() {
                out.truncate(start);
                return false;
            }
        }
        true
    }

    /// Appends a value; `None` if metadata are missing.
    // long: an arm for each directive
    fn value(
        &self,
        letter: u8,
        shape: Conversion,
        entry: &Entry<'_>,
        cx: &mut Formatting,
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let at = out.len();
        match letter {
            b'p' => entry.path_into(out),
            b'f' if entry.depth() > 0 => append(out, entry.name()),
            b'f' => append(out, last_component(entry.name())),
            b'h' => append(out, above(entry)),
            b'H' => append(out, cx.root_of(entry)),
            b'P' if entry.depth() > 0 => {
                append(out, &entry.directory().prefix()[root_length(entry)..]);
                append(out, entry.name());
            }
            b'P' => {}
            b'l' => append(out, entry.meta().and_then(Meta::link_target).unwrap_or_default()),
            b'F' => cx.file_systems.append(entry.meta()?.dev()?, out),
            b'y' => out.push(entry.file_type().letter() as u8),
            b'Y' => out.push(cx.type_behind(entry)),
            b'M' => append(out, &mode::letters(entry.file_type(), Some(entry.meta()?.mode()?))),
            b'Z' => append(out, cx.context(entry, entry.meta()?)),
            b'u' => append_owner(Owner::User(entry.meta()?.uid()?), out),
            b'g' => append_owner(Owner::Group(entry.meta()?.gid()?), out),
            b'i' => append_number(inode(entry)?, out),
            _ => append_number(number(letter, entry.meta()?)?, out),
        }
        if self.question_marks && b"pfhPlF".contains(&letter) {
            let whole = out.split_off(at);
            text::with_question_marks(&whole, Charset::current(), out);
        }
        shape.fit(at, out);
        Some(())
    }
}

fn push_text(text: &[u8], parts: &mut Vec<PrintfPart>) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(PrintfPart::Text(before)) => before.extend_from_slice(text),
        _ => parts.push(PrintfPart::Text(text.to_vec())),
    }
}

/// Reads the directive at the beginning of `text`; returns its length. Text that is no directive is
/// printed as it stands.
fn directive(text: &[u8], parts: &mut Vec<PrintfPart>, warn: Warn<'_>) -> Result<usize, String> {
    if text.len() == 1 {
        return Err("error: % at end of format string".to_owned());
    }
    let (shape, at) = Conversion::read(text)
        .ok_or_else(|| "error: a width or precision in the format is too large".to_owned())?;
    // GNU's message has the NUL byte that ends the format.
    let letter = text.get(at).copied().unwrap_or(0);
    let shown = String::from_utf8_lossy(&text[at..text.len().min(at + 1)]);
    let stamp = match letter {
        b'a' | b'A' => Stamp::Accessed,
        b'B' => Stamp::Born,
        b'c' | b'C' => Stamp::Changed,
        _ => Stamp::Modified,
    };
    match letter {
        // Whatever stands between the two signs is printed.
        b'%' => push_text(&text[..at], parts),
        b'a' | b'c' | b't' => parts.push(PrintfPart::Time(stamp, TimeFormat::ctime(), shape)),
        b'A' | b'B' | b'C' | b'T' => {
            if let Some(kind) = text.get(at + 1) {
                parts.push(PrintfPart::Time(stamp, TimeFormat::of(*kind), shape));
                return Ok(at + 2);
            }
            warn(format!(
                "warning: format directive `%{shown}' should be followed by another character"
            ));
            push_text(text, parts);
        }
        _ if b"bdDfFgGhHiklmMnpPsSuUyYZ".contains(&letter) => {
            parts.push(PrintfPart::Value(letter, shape));
        }
        0 | b'{' | b'[' | b'(' => {
            let letter = char::from(letter);
            return Err(format!(
                "error: the format directive `%{letter}' is reserved for future use"
            ));
        }
        _ => {
            warn(format!("warning: unrecognized format directive `%{shown}'"));
            push_text(&text[..=at], parts);
        }
    }
    Ok(at + 1)
}

/// Reads the escape at the beginning of `text`; returns its length.
fn escape(text: &[u8], parts: &mut Vec<PrintfPart>, warn: Warn<'_>) -> Result<usize, String> {
    let Some(letter) = text.get(1) else {
        warn("warning: escape `\\' followed by nothing at all".to_owned());
        push_text(text, parts);
        return Ok(1);
    };
    let octal = text[1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let byte = match letter {
        b'0'..=b'7' => {
            let digits = &text[1..=octal];
            // Of three digits, the byte is what eight bits hold.
            digits.iter().fold(0u8, |sum, digit| (sum << 3) | (digit - b'0'))
        }
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' => b'\\',
        _ => {
            let shown = String::from_utf8_lossy(&text[1..2]);
            warn(format!("warning: unrecognized escape `\\{shown}'"));
            push_text(&text[..2], parts);
            return Ok(2);
        }
    };
    push_text(&[byte], parts);
    Ok(1 + octal.max(1))
}

/// The metadata that the directive with this letter needs.
fn fields_of(letter: u8, file_type: FileType, is_listed: bool) -> Fields {
    let if_link = |fields: Fields| match file_type {
        FileType::Symlink | FileType::Unknown => fields,
        _ => Fields::empty(),
    };
    match letter {
        b'b' | b'k' => Fields::BLOCKS,
        b'D' | b'F' => Fields::DEV,
        b'g' | b'G' => Fields::GID,
        // The listed number is another one where a file system is mounted.
        b'i' if !is_listed || matches!(file_type, FileType::Directory | FileType::Unknown) => {
            Fields::INO
        }
        b'l' => if_link(Fields::LINK_TARGET),
        b'm' | b'M' => Fields::MODE,
        b'n' => Fields::NLINK,
        b's' => Fields::SIZE,
        b'S' => Fields::SIZE | Fields::BLOCKS,
        b'u' | b'U' => Fields::UID,
        b'Y' => if_link(Fields::TARGET),
        b'Z' => Fields::CONTEXT,
        _ => Fields::empty(),
    }
}

/// Appends a time: nothing where the file system keeps no time of birth.
fn time(
    stamp: Stamp,
    format: &TimeFormat,
    shape: Conversion,
    entry: &Entry<'_>,
    out: &mut Vec<u8>,
) -> Option<()> {
    let at = out.len();
    match stamp.of(entry.meta()?) {
        Some(time) => format.append(time, out),
        None if stamp == Stamp::Born => {}
        None => return None,
    }
    shape.fit(at, out);
    Some(())
}

/// Appends one of the numbers that have signs and zeros.
fn shaped_number(
    letter: u8,
    shape: Conversion,
    entry: &Entry<'_>,
    out: &mut Vec<u8>,
) -> Option<()> {
    match letter {
        b'd' => shape.decimal(entry.depth() as u64, out),
        b'm' => shape.octal(entry.meta()?.mode()?, out),
        _ => shape.general(sparseness(entry.meta()?)?, out),
    }
    Some(())
}

/// The numbers that are printed like texts.
fn number(letter: u8, meta: &Meta) -> Option<u64> {
    match letter {
        b'b' => meta.blocks(),
        b'k' => Some(meta.blocks()?.div_ceil(2)),
        b'D' => meta.dev(),
        b'G' => meta.gid().map(u64::from),
        b'U' => meta.uid().map(u64::from),
        b'n' => meta.nlink(),
        _ => meta.size(),
    }
}

fn append_owner(owner: Owner, out: &mut Vec<u8>) {
    names::append(owner, out);
}

fn append_number(number: u64, out: &mut Vec<u8>) {
    append(out, itoa::Buffer::new().format(number).as_bytes());
}

/// The inode's number: the listed one if no stat was needed.
fn inode(entry: &Entry<'_>) -> Option<u64> {
    let listed = || has_listed_inode(entry).then(|| entry.ino());
    entry.meta().and_then(Meta::ino).or_else(listed)
}

/// Whether the entry's directory lists the number of its inode: no directory lists a root, and of a
/// link that is followed, the number is the link's own.
fn has_listed_inode(entry: &Entry<'_>) -> bool {
    entry.depth() > 0 && !entry.is_followed_link()
}

/// The part of the size that has blocks.
fn sparseness(meta: &Meta) -> Option<f64> {
    let size = meta.size()?;
    let blocks = meta.blocks()?;
    Some(match (size, blocks) {
        (0, 0) => 1.0,
        (0, _) => f64::INFINITY,
        _ => 512.0 * blocks as f64 / size as f64,
    })
}

/// The last component of a starting point, with one of the slashes that follow it.
fn last_component(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let begin = path[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    &path[begin..path.len().min(end + 1)]
}

/// What stands before the last slash of the path; `.` if there is none.
fn above<'e>(entry: &Entry<'e>) -> &'e [u8] {
    if entry.depth() > 0 {
        let prefix = entry.directory().prefix();
        return prefix.strip_suffix(b"/").unwrap_or(prefix);
    }
    let path = entry.name();
    // GNU keeps the slashes behind a name of one byte.
    let kept = path.iter().rposition(|byte| *byte != b'/').filter(|last| *last > 0);
    let path = kept.map_or(path, |last| &path[..=last]);
    path.iter().rposition(|byte| *byte == b'/').map_or(&b"."[..], |slash| &path[..slash])
}

/// The length of the starting point in the entry's path, with the slash behind it.
fn root_length(entry: &Entry<'_>) -> usize {
    let mut path = entry.directory().prefix();
    for _ in 1..entry.depth() {
        let name = path.strip_suffix(b"/").unwrap_or(path);
        let slash = name.iter().rposition(|byte| *byte == b'/');
        path = &name[..slash.map_or(0, |slash| slash + 1)];
    }
    path.len()
}

/// What the entries that are printed share.
#[derive(Debug)]
pub(crate) struct Formatting {
    /// The starting points that end with a slash.
    slashed: Vec<Vec<u8>>,
    file_systems: Arc<FileSystems>,
    /// What is to be said on standard error, without the program's name.
    pub(crate) messages: Vec<String>,
    /// Whether one of the messages makes the exit code 1.
    pub(crate) has_failed: bool,
}

impl Formatting {
    /// `roots`: the starting points, as they were given.
    pub(crate) fn new<'r>(
        roots: impl IntoIterator<Item = &'r [u8]>,
        file_systems: Arc<FileSystems>,
    ) -> Formatting {
        let slashed = roots.into_iter().filter(|root| root.ends_with(b"/"));
        let slashed = slashed.map(<[u8]>::to_vec).collect();
        Formatting { slashed, file_systems, messages: Vec::new(), has_failed: false }
    }

    /// The starting point that led to the entry.
    fn root_of<'e>(&self, entry: &Entry<'e>) -> &'e [u8] {
        if entry.depth() == 0 {
            return entry.name();
        }
        let root = &entry.directory().prefix()[..root_length(entry)];
        let is_given = self.slashed.iter().any(|given| given == root);
        root.strip_suffix(b"/").filter(|_| !is_given).unwrap_or(root)
    }

    /// The letter of the type that a link leads to: N if it leads to nothing, L if it leads back to
    /// itself, `?` if it cannot be followed.
    fn type_behind(&mut self, entry: &Entry<'_>) -> u8 {
        match entry.meta().and_then(Meta::target) {
            _ if !entry.file_type().is_symlink() => entry.file_type().letter() as u8,
            Some(Target::Mode(mode)) => FileType::from_mode(mode).letter() as u8,
            _ => self.why_unreachable(entry),
        }
    }

    /// System calls: one stat by the entry's path.
    #[cold]
    fn why_unreachable(&mut self, entry: &Entry<'_>) -> u8 {
        use io::ErrorKind::{NotADirectory, NotFound};
        let path = entry.path();
        match std::fs::metadata(&path) {
            Err(error) if is_link_loop(&error) => b'L',
            Err(error) if !matches!(error.kind(), NotFound | NotADirectory) => {
                let path = as_argument(path_bytes(&path));
                self.messages.push(format!("{path}: {}", cause(&error)));
                b'?'
            }
            _ => b'N',
        }
    }

    /// The security context: empty, and a failure, if the file has none.
    fn context<'m>(&mut self, entry: &Entry<'_>, meta: &'m Meta) -> &'m [u8] {
        meta.context().unwrap_or_else(|| {
            let path = as_argument(path_bytes(&entry.path()));
            self.messages.push(format!("getfilecon failed: {path}: No data available"));
            self.has_failed = true;
            b""
        })
    }
}
