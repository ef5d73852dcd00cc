//! The words in brisk's templates: which metadata each prints, and how.

use brisk::{Entry, Fields, FileType, Meta};

use super::time::TimeFormat;
use crate::show::json;
use crate::show::mode;
use crate::show::names;
use crate::show::quoting::quoted;
use crate::show::time::Stamp;

/// What is known of an entry besides its path.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The type; the target's if the walk follows the link.
    pub kind: FileType,
    /// The entry's depth; a root's is 0.
    pub depth: usize,
    /// The requested metadata, if the file system returned it.
    pub meta: Option<&'a Meta>,
    /// What became of the entry, where changes are listed.
    pub change: Option<Change<'a>>,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The letter that git shows.
    pub status: char,
    /// The displayed path that a renamed entry had.
    pub from: Option<&'a [u8]>,
}

impl<'a> Facts<'a> {
    /// The facts that the entry itself holds.
    #[must_use]
    pub fn of(entry: &Entry<'a>) -> Facts<'a> {
        Facts { kind: entry.file_type(), depth: entry.depth(), meta: entry.meta(), change: None }
    }
}

/// A number that metadata holds.
#[derive(Debug)]
pub(super) struct Number {
    word: &'static str,
    field: Fields,
    get: fn(&Meta) -> Option<u64>,
}

const fn number(word: &'static str, field: Fields, get: fn(&Meta) -> Option<u64>) -> Number {
    Number { word, field, get }
}

static NUMBERS: [Number; 7] = [
    number("size", Fields::SIZE, Meta::size),
    number("blocks", Fields::BLOCKS, Meta::blocks),
    number("nlink", Fields::NLINK, Meta::nlink),
    // The inode numbers in the directory are wrong at mount points and on overlayfs.
    number("inode", Fields::INO, Meta::ino),
    number("device", Fields::DEV, Meta::dev),
    number("uid", Fields::UID, |meta| meta.uid().map(u64::from)),
    number("gid", Fields::GID, |meta| meta.gid().map(u64::from)),
];

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.word == other.word
    }
}

/// One `{word}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(&'static Number),
    Depth,
    /// A word, as `--type` takes it.
    Type,
    /// `644`, `4755`
    OctalMode,
    /// `-rw-r--r--`
    SymbolicMode,
    UserName,
    GroupName,
    Time(Stamp, TimeFormat),
    LinkTarget,
    /// `M`: what became of the entry.
    Status,
    /// The path that a renamed entry had.
    From,
}

/// The words that may stand between braces, for messages.
const WORDS: &str = "size, blocks, nlink, inode, device, uid, gid, user, group, mode, mode:rwx, type, depth, \
                     name, target, mtime, atime, ctime, btime (times also as {mtime:%Y-%m-%d})";

impl Value {
    /// The value for a word, and for what follows its colon.
    pub(super) fn parse(word: &str, suffix: Option<&str>) -> Result<Value, String> {
        if let Some(stamp) = stamp_of(word) {
            return match TimeFormat::parse(suffix) {
                Ok(format) => Ok(Value::Time(stamp, format)),
                Err(error) => {
                    let suffix = suffix.unwrap_or_default();
                    let format = quoted(&format!("{{{word}:{suffix}}}"));
                    Err(format!("invalid time format in {format}: {error}"))
                }
            };
        }
        let number = NUMBERS.iter().find(|number| number.word == word);
        let value = match (word, number) {
            (_, Some(number)) => Value::Number(number),
            ("depth", _) => Value::Depth,
            ("type", _) => Value::Type,
            ("mode", _) if suffix == Some("rwx") => return Ok(Value::SymbolicMode),
            ("mode", _) => Value::OctalMode,
            ("user", _) => Value::UserName,
            ("group", _) => Value::GroupName,
            ("target", _) => Value::LinkTarget,
            ("name", _) => return Err("'{name}' takes nothing after a colon".to_owned()),
            _ => {
                return Err(format!(
                    "unknown field '{{{word}}}'; known are {WORDS}. A literal brace is '{{{{'"
                ));
            }
        };
        match suffix {
            None => Ok(value),
            Some(_) if word == "mode" => Err("'{mode:…}' knows only '{mode:rwx}'".to_owned()),
            Some(_) => Err(format!("'{{{word}}}' takes nothing after a colon")),
        }
    }

    /// The narrowest mask that this value needs. Type and depth need no request.
    pub(super) fn fields(&self) -> Fields {
        match self {
            Value::Number(number) => number.field,
            Value::Depth | Value::Type | Value::Status | Value::From => Fields::empty(),
            Value::OctalMode | Value::SymbolicMode => Fields::MODE,
            Value::UserName => Fields::UID,
            Value::GroupName => Fields::GID,
            Value::Time(stamp, _) => stamp.field(),
            Value::LinkTarget => Fields::LINK_TARGET,
        }
    }

    /// Appends the value, or `-` if the file system did not return it. Only a link has a target:
    /// for all other types `{target}` is empty.
    pub(super) fn write(&self, facts: &Facts<'_>, out: &mut Vec<u8>) {
        match (self, facts.kind) {
            (Value::Depth, _) => write_number(facts.depth as u64, out),
            (Value::Type, kind) => {
                out.extend_from_slice(json::type_word(kind).unwrap_or("-").as_bytes());
            }
            (Value::LinkTarget, kind) if kind != FileType::Symlink => {}
            (Value::Status, _) => out.extend(facts.change.map(|change| change.status as u8)),
            (Value::From, _) => {
                out.extend_from_slice(facts.change.and_then(|change| change.from).unwrap_or(b"-"));
            }
            (_, kind) => {
                let written = facts.meta.and_then(|meta| self.write_meta(kind, meta, out));
                if written.is_none() {
                    out.push(b'-');
                }
            }
        }
    }

    /// Appends a value from the metadata.
    fn write_meta(&self, kind: FileType, meta: &Meta, out: &mut Vec<u8>) -> Option<()> {
        match self {
            Value::Number(number) => write_number((number.get)(meta)?, out),
            Value::OctalMode => write_octal(meta.mode()?, out),
            Value::SymbolicMode => out.extend_from_slice(&mode::letters(kind, meta.mode()?)),
            Value::UserName => names::append_user(meta.uid()?, out),
            Value::GroupName => names::append_group(meta.gid()?, out),
            Value::Time(stamp, format) => format.write(stamp.of(meta)?, out),
            Value::LinkTarget => out.extend_from_slice(meta.link_target()?),
            Value::Depth | Value::Type | Value::Status | Value::From => return None,
        }
        Some(())
    }
}

/// Which time a word names.
fn stamp_of(word: &str) -> Option<Stamp> {
    match word {
        "atime" => Some(Stamp::Accessed),
        "mtime" => Some(Stamp::Modified),
        "ctime" => Some(Stamp::Changed),
        "btime" => Some(Stamp::Born),
        _ => None,
    }
}

fn write_number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends permission bits as chmod takes them, without leading zeros.
fn write_octal(mode: u32, out: &mut Vec<u8>) {
    let digits = [mode >> 9, mode >> 6, mode >> 3, mode].map(|digit| b'0' + (digit & 7) as u8);
    let first = digits.iter().position(|&digit| digit != b'0').unwrap_or(3);
    out.extend_from_slice(&digits[first..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn modes_are_octal_without_leading_zeros() {
        let cases = [(0, "0"), (0o7, "7"), (0o644, "644"), (0o4755, "4755"), (0o1000, "1000")];
        for (mode, expected) in cases {
            assert_eq!(text(|out| write_octal(mode, out)), expected);
        }
    }

    #[test]
    fn a_word_asks_for_its_own_field_alone() {
        let cases = [
            ("size", Fields::SIZE),
            ("blocks", Fields::BLOCKS),
            ("nlink", Fields::NLINK),
            ("inode", Fields::INO),
            ("device", Fields::DEV),
            ("uid", Fields::UID),
            ("user", Fields::UID),
            ("gid", Fields::GID),
            ("group", Fields::GID),
            ("mode", Fields::MODE),
            ("mtime", Fields::MTIME),
            ("atime", Fields::ATIME),
            ("ctime", Fields::CTIME),
            ("btime", Fields::BTIME),
            ("target", Fields::LINK_TARGET),
            ("type", Fields::empty()),
            ("depth", Fields::empty()),
        ];
        for (word, expected) in cases {
            let value = Value::parse(word, None).expect(word);
            assert_eq!(value.fields(), expected, "{word}");
            assert!(WORDS.split(", ").any(|known| known.starts_with(word)), "{word}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let unknown = Value::parse("sise", None).expect_err("unknown");
        assert!(unknown.contains("'{sise}'") && unknown.contains("size, blocks"), "{unknown}");
        assert!(Value::parse("size", Some("x")).is_err());
        assert!(Value::parse("mode", Some("x")).is_err());
        assert!(Value::parse("mtime", Some("%!")).is_err());
        assert_eq!(Value::parse("mode", Some("rwx")), Ok(Value::SymbolicMode));
    }
}
