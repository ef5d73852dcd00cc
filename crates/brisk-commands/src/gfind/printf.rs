//! [`Printf`]: the format of -printf and -fprintf, parsed once; [`Formatting`]: what entries that
//! are printed share.

use std::io::{self, Write};
use std::sync::Arc;

use brisk::unstable::append;
use brisk::{Entry, Fields, FileType, Meta, Target};
use brisk_cli_sys::printf::Directive;
use brisk_sys::is_link_loop;
use brisk_sys::quoting::line;

use super::exec::split;
use super::long::Long;
use super::outputs::failed;
use super::times::TimeFormat;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::show::text::{self, Charset};
use crate::show::{mode, names};
use crate::system::{FileSystems, Owner};

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
    Time(TimeFormat, Directive),
    /// A line of -ls.
    Line,
    /// What the directive with this letter prints.
    Value(u8, Directive),
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

    /// What -ls prints.
    pub(crate) fn long() -> Printf {
        Printf { parts: vec![PrintfPart::Line], question_marks: false }
    }

    /// The metadata that the format needs of the entry.
    pub(crate) fn fields(&self, entry: &Entry<'_>) -> Fields {
        self.fields_of(entry.file_type(), has_listed_inode(entry))
    }

    /// `is_listed`: the entry's inode number is the one that its directory lists.
    pub(crate) fn fields_of(&self, file_type: FileType, is_listed: bool) -> Fields {
        self.parts.iter().fold(Fields::empty(), |sum, part| match part {
            PrintfPart::Text(_) => sum,
            PrintfPart::Line => sum | Long::fields(file_type),
            PrintfPart::Time(time, _) => sum | time.stamp.field(),
            PrintfPart::Value(letter, _) => sum | fields_of(*letter, file_type, is_listed),
        })
    }

    /// Whether entries may be printed in any order, without a message.
    pub(crate) fn can_be_drafted(&self) -> bool {
        let in_order = |part: &PrintfPart| match part {
            PrintfPart::Value(letter, _) => matches!(letter, b'Y' | b'Z'),
            part => matches!(part, PrintfPart::Line),
        };
        !self.question_marks && !self.parts.iter().any(in_order)
    }

    /// Appends what the format prints of an entry. Returns `false`, and appends nothing, if the
    /// entry's metadata are missing.
    pub(crate) fn append(&self, entry: &Entry<'_>, cx: &mut Formatting, out: &mut Vec<u8>) -> bool {
        let is_unknown = entry.file_type() == FileType::Unknown && entry.meta().is_none();
        if is_unknown && !self.fields(entry).is_empty() {
            return false;
        }
        let start = out.len();
        let written = self.parts.iter().try_for_each(|part| {
            let at = out.len();
            match part {
                PrintfPart::Text(text) => append(out, text),
                PrintfPart::Line => {
                    let long = cx.long.get_or_insert_with(Long::new);
                    return long.append(entry, out).then_some(());
                }
                PrintfPart::Time(time, conversion) => {
                    time.append(entry.meta()?, out)?;
                    conversion.fit(at, out);
                }
                PrintfPart::Value(b'S', conversion) => {
                    conversion.general(sparseness(entry.meta()?)?, out);
                }
                PrintfPart::Value(b'd', conversion) if !conversion.is_plain() => {
                    conversion.decimal(entry.depth(), out);
                }
                PrintfPart::Value(b'm', conversion) if !conversion.is_plain() => {
                    conversion.octal(entry.meta()?.mode()?, out);
                }
                PrintfPart::Value(letter, conversion) => {
                    cx.value(*letter, entry, out)?;
                    if self.question_marks && b"pfhPlF".contains(letter) {
                        let whole = out.split_off(at);
                        text::with_question_marks(&whole, Charset::current(), out);
                    }
                    conversion.fit(at, out);
                }
            }
            Some(())
        });
        if written.is_none() {
            out.truncate(start);
        }
        written.is_some()
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
    let (conversion, at) = Directive::read(text)
        .ok_or_else(|| "error: a width or precision in the format is too large".to_owned())?;
    // GNU's message has the NUL byte that ends the format.
    let letter = text.get(at).copied().unwrap_or(0);
    let shown = line(&[letter]);
    let kind = text.get(at + 1).copied();
    match letter {
        // Whatever stands between the two signs is printed.
        b'%' => push_text(&text[..at], parts),
        b'a' | b'c' | b't' => {
            parts.push(PrintfPart::Time(TimeFormat::new(letter, None), conversion));
        }
        b'A' | b'B' | b'C' | b'T' if kind.is_some() => {
            parts.push(PrintfPart::Time(TimeFormat::new(letter, kind), conversion));
            return Ok(at + 2);
        }
        _ if b"bdDfFgGhHiklmMnpPsSuUyYZ".contains(&letter) => {
            parts.push(PrintfPart::Value(letter, conversion));
        }
        0 | b'{' | b'[' | b'(' => {
            let why = "is reserved for future use";
            return Err(format!("error: the format directive `%{shown}' {why}"));
        }
        _ => {
            warn(match letter {
                b'A' | b'B' | b'C' | b'T' => format!(
                    "warning: format directive `%{shown}' should be followed by another character"
                ),
                _ => format!("warning: unrecognized format directive `%{shown}'"),
            });
            push_text(&text[..=at], parts);
        }
    }
    Ok(at + 1)
}

/// The letters of escapes, and the bytes that they mean.
const ESCAPES: (&[u8], &[u8]) = (b"abfnrtv\\", b"\x07\x08\x0c\n\r\t\x0b\\");

/// Reads the escape at the beginning of `text`; returns its length.
fn escape(text: &[u8], parts: &mut Vec<PrintfPart>, warn: Warn<'_>) -> Result<usize, String> {
    let octal = text[1..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let digits = octal.clone().count();
    if digits > 0 {
        // Of three digits, the byte is what eight bits hold.
        let byte = octal.fold(0u8, |sum, digit| (sum << 3) | (digit - b'0'));
        push_text(&[byte], parts);
        return Ok(1 + digits);
    }
    let whole = &text[..text.len().min(2)];
    match ESCAPES.0.iter().position(|letter| whole[1..] == [*letter]) {
        Some(index) => push_text(&ESCAPES.1[index..=index], parts),
        None => {
            let shown = line(&whole[1..]);
            warn(match whole.len() {
                1 => "warning: escape `\\' followed by nothing at all".to_owned(),
                _ => format!("warning: unrecognized escape `\\{shown}'"),
            });
            push_text(whole, parts);
        }
    }
    Ok(whole.len())
}

/// The metadata that the directive with this letter needs.
fn fields_of(letter: u8, file_type: FileType, is_listed: bool) -> Fields {
    use FileType::{Directory, Symlink, Unknown};
    match (letter, file_type) {
        (b'b' | b'k', _) => Fields::BLOCKS,
        (b'D' | b'F', _) => Fields::DEV,
        (b'g' | b'G', _) => Fields::GID,
        // The listed number is another one where a file system is mounted.
        (b'i', Directory | Unknown) => Fields::INO,
        (b'i', _) if !is_listed => Fields::INO,
        (b'l', Symlink | Unknown) => Fields::LINK_TARGET,
        (b'y', Unknown) => Fields::TYPE,
        (b'm' | b'M', _) => Fields::MODE,
        (b'n', _) => Fields::NLINK,
        (b's', _) => Fields::SIZE,
        (b'S', _) => Fields::SIZE | Fields::BLOCKS,
        (b'u' | b'U', _) => Fields::UID,
        (b'Y', Symlink | Unknown) => Fields::TARGET,
        (b'Z', _) => Fields::CONTEXT,
        _ => Fields::empty(),
    }
}

/// Whether the entry's directory lists the number of its inode: no directory lists a root, and of a
/// link that is followed, the number is the link's own. Where a FUSE server knows no numbers, 0 or
/// what libfuse says instead (sshfs) is listed.
fn has_listed_inode(entry: &Entry<'_>) -> bool {
    const UNKNOWN: u64 = 0xffff_ffff;
    entry.depth() > 0 && !entry.is_followed_link() && !matches!(entry.ino(), 0 | UNKNOWN)
}

/// The part of the size that has blocks.
fn sparseness(meta: &Meta) -> Option<f64> {
    Some(match (meta.size()?, meta.blocks()?) {
        (0, 0) => 1.0,
        (size, blocks) => 512.0 * blocks as f64 / size as f64,
    })
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

/// The directory's path in two parts: the starting point with the slash behind it, and what is
/// below.
fn split_at_root<'e>(entry: &Entry<'e>) -> (&'e [u8], &'e [u8]) {
    let prefix = entry.directory().prefix();
    let mut names = prefix.rsplitn(entry.depth() + 1, |byte| *byte == b'/');
    let above = names.nth(entry.depth()).map_or(0, |above| above.len() + 1);
    prefix.split_at(above)
}

/// What the entries that are printed share.
#[derive(Debug, Default)]
pub(crate) struct Formatting {
    /// Whether the starting points end with slashes: all do, or none.
    pub(crate) slashed: bool,
    pub(crate) file_systems: Arc<FileSystems>,
    /// The columns of all -ls and -fls, which grow together.
    long: Option<Long>,
    /// What is to be said on standard error, without the program's name.
    pub(crate) messages: Vec<String>,
    /// Whether one of the messages makes the exit code 1.
    pub(crate) has_failed: bool,
}

impl Formatting {
    /// What another worker needs that prints.
    pub(crate) fn fork(&self) -> Formatting {
        let file_systems = Arc::clone(&self.file_systems);
        Formatting { slashed: self.slashed, file_systems, ..Formatting::default() }
    }

    /// Appends a value; `None` if metadata are missing.
    fn value(&mut self, letter: u8, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<()> {
        let meta = entry.meta();
        let number = match letter {
            b'b' => meta?.blocks()?,
            b'k' => meta?.blocks()?.div_ceil(2),
            b'd' => entry.depth() as u64,
            b'D' => meta?.dev()?,
            b'G' => meta?.gid()?.into(),
            b'i' if has_listed_inode(entry) => meta.and_then(Meta::ino).unwrap_or(entry.ino()),
            b'i' => meta?.ino()?,
            b'n' => meta?.nlink()?,
            b's' => meta?.size()?,
            b'U' => meta?.uid()?.into(),
            _ => return self.text(letter, entry, out),
        };
        append(out, itoa::Buffer::new().format(number).as_bytes());
        Some(())
    }

    fn text(&mut self, letter: u8, entry: &Entry<'_>, out: &mut Vec<u8>) -> Option<()> {
        let meta = entry.meta();
        match letter {
            b'p' => entry.path_into(out),
            b'f' if entry.depth() == 0 => append(out, split(entry.name()).1),
            b'f' => append(out, entry.name()),
            b'h' => append(out, above(entry)),
            b'H' => append(out, self.root_of(entry)),
            b'P' if entry.depth() == 0 => {}
            b'P' => {
                append(out, split_at_root(entry).1);
                append(out, entry.name());
            }
            b'l' if entry.file_type().is_symlink() => {
                append(out, meta?.link_target().unwrap_or_default());
            }
            b'l' => {}
            b'F' => self.file_systems.with_type(meta?.dev()?, |name| append(out, name.as_bytes())),
            b'y' => out.push(entry.file_type().letter() as u8),
            b'Y' => out.push(self.type_behind(entry)),
            b'm' => write!(out, "{:o}", meta?.mode()?).ok()?,
            b'M' => append(out, &mode::letters(entry.file_type(), Some(meta?.mode()?))),
            b'u' => _ = names::append(Owner::User(meta?.uid()?), out),
            b'g' => _ = names::append(Owner::Group(meta?.gid()?), out),
            _ => append(out, self.context(entry, meta?)),
        }
        Some(())
    }

    /// The starting point that led to the entry.
    fn root_of<'e>(&self, entry: &Entry<'e>) -> &'e [u8] {
        if entry.depth() == 0 {
            return entry.name();
        }
        let root = split_at_root(entry).0;
        if self.slashed { root } else { root.strip_suffix(b"/").unwrap_or(root) }
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
                self.messages.push(failed(path.as_os_str(), &error));
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
