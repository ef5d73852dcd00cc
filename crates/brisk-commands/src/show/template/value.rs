//! The words in brisk's templates: which metadata each prints, and how.

use brisk::{Entry, Fields, FileType, Meta};

use super::time::TimeFormat;
use crate::show::quoting::quoted;
use crate::show::{mode, names};
use crate::system::Owner;
use brisk_filter::Stamp;

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
    pub change: Option<EntryChange<'a>>,
}

/// What became of an entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryChange<'a> {
    /// The letter that git shows.
    pub status: char,
    /// The displayed path that a renamed entry had.
    pub from: Option<&'a [u8]>,
}

impl<'a> Facts<'a> {
    /// The facts that the entry itself holds.
    pub fn of(entry: &Entry<'a>) -> Facts<'a> {
        Facts { kind: entry.file_type(), depth: entry.depth(), meta: entry.meta(), change: None }
    }
}

/// A word of a template: the metadata that it needs, and what it prints.
#[derive(Debug)]
pub(super) struct Word {
    /// With what follows the colon, if anything does.
    name: &'static str,
    /// The narrowest mask. Type and depth need no request.
    fields: Fields,
    /// Appends the value; `None` if the file system did not return it.
    write: fn(&Facts<'_>, &mut Vec<u8>) -> Option<()>,
}

const fn word(
    name: &'static str,
    fields: Fields,
    write: fn(&Facts<'_>, &mut Vec<u8>) -> Option<()>,
) -> Word {
    Word { name, fields, write }
}

static WORDS: [Word; 14] = [
    word("size", Fields::SIZE, |facts, out| number(facts.meta?.size()?, out)),
    word("blocks", Fields::BLOCKS, |facts, out| number(facts.meta?.blocks()?, out)),
    word("nlink", Fields::NLINK, |facts, out| number(facts.meta?.nlink()?, out)),
    // The inode numbers in the directory are wrong at mount points and on overlayfs.
    word("inode", Fields::INO, |facts, out| number(facts.meta?.ino()?, out)),
    word("device", Fields::DEV, |facts, out| number(facts.meta?.dev()?, out)),
    word("uid", Fields::UID, |facts, out| number(facts.meta?.uid()?.into(), out)),
    word("gid", Fields::GID, |facts, out| number(facts.meta?.gid()?.into(), out)),
    word("user", Fields::UID, |facts, out| owner(Owner::User(facts.meta?.uid()?), out)),
    word("group", Fields::GID, |facts, out| owner(Owner::Group(facts.meta?.gid()?), out)),
    word("mode", Fields::MODE, |facts, out| octal(facts.meta?.mode()?, out)),
    word("mode:rwx", Fields::MODE, |facts, out| {
        text(&mode::letters(facts.kind, Some(facts.meta?.mode()?)), out)
    }),
    // As `--type` takes it.
    word("type", Fields::empty(), |facts, out| text(facts.kind.word()?.as_bytes(), out)),
    word("depth", Fields::empty(), |facts, out| number(facts.depth as u64, out)),
    word("target", Fields::LINK_TARGET, |facts, out| text(facts.meta?.link_target()?, out)),
];

/// Words that only changes have.
static CHANGE_WORDS: [Word; 2] = [
    word("status", Fields::empty(), |facts, out| {
        out.extend(facts.change.map(|change| change.status as u8));
        Some(())
    }),
    word("from", Fields::empty(), |facts, out| text(facts.change?.from?, out)),
];

impl PartialEq for Word {
    fn eq(&self, other: &Word) -> bool {
        self.name == other.name
    }
}

/// What stands between braces.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Word(&'static Word),
    Time(Stamp, TimeFormat),
}

/// The words that may stand between braces, for messages.
const KNOWN: &str = "size, blocks, nlink, inode, device, uid, gid, user, group, mode, mode:rwx, type, depth, \
                     name, target, mtime, atime, ctime, btime (times also as {mtime:%Y-%m-%d})";

impl Value {
    /// The value for a word, and for what follows its colon. `changes`: the words of changes are
    /// known too.
    pub(super) fn parse(word: &str, suffix: Option<&str>, changes: bool) -> Result<Value, String> {
        if let "atime" | "mtime" | "ctime" | "btime" = word {
            let stamp = Stamp::from_word(word);
            let format = TimeFormat::parse(suffix).map_err(|error| {
                let format = quoted(&format!("{{{word}:{}}}", suffix.unwrap_or_default()));
                format!("invalid time format in {format}: {error}")
            })?;
            return Ok(Value::Time(stamp, format));
        }
        let more = if changes { &CHANGE_WORDS[..] } else { &[] };
        let whole = suffix.map_or(word.to_owned(), |suffix| format!("{word}:{suffix}"));
        if let Some(found) = WORDS.iter().chain(more).find(|known| known.name == whole) {
            return Ok(Value::Word(found));
        }
        Err(match word {
            "mode" => "'{mode:…}' knows only '{mode:rwx}'".to_owned(),
            _ if word == "name" || WORDS.iter().any(|known| known.name == word) => {
                format!("'{{{word}}}' takes nothing after a colon")
            }
            _ => {
                format!("unknown field '{{{word}}}'; known are {KNOWN}. A literal brace is '{{{{'")
            }
        })
    }

    /// The metadata that this value needs.
    pub(super) fn fields(&self) -> Fields {
        match self {
            Value::Word(word) => word.fields,
            Value::Time(stamp, _) => stamp.field(),
        }
    }

    /// Appends the value, or `-` if the file system did not return it.
    pub(super) fn write(&self, facts: &Facts<'_>, out: &mut Vec<u8>) {
        let written = match self {
            Value::Word(word) => (word.write)(facts, out),
            Value::Time(stamp, format) => {
                let time = facts.meta.and_then(|meta| stamp.of(meta));
                time.map(|time| format.write(time, out))
            }
        };
        if written.is_none() {
            out.push(b'-');
        }
    }
}

fn number(number: u64, out: &mut Vec<u8>) -> Option<()> {
    text(itoa::Buffer::new().format(number).as_bytes(), out)
}

fn owner(owner: Owner, out: &mut Vec<u8>) -> Option<()> {
    names::append(owner, out);
    Some(())
}

fn text(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(text);
    Some(())
}

/// Appends permission bits as chmod takes them, without leading zeros.
fn octal(mode: u32, out: &mut Vec<u8>) -> Option<()> {
    let digits = [mode >> 9, mode >> 6, mode >> 3, mode].map(|digit| b'0' + (digit & 7) as u8);
    let first = digits.iter().position(|&digit| digit != b'0').unwrap_or(3);
    text(&digits[first..], out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_octal_without_leading_zeros() {
        let cases = [(0, "0"), (0o7, "7"), (0o644, "644"), (0o4755, "4755"), (0o1000, "1000")];
        for (mode, expected) in cases {
            let mut out = Vec::new();
            let _ = octal(mode, &mut out);
            assert_eq!(out, expected.as_bytes());
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
            let value = Value::parse(word, None, false).expect(word);
            assert_eq!(value.fields(), expected, "{word}");
            assert!(KNOWN.split(", ").any(|known| known.starts_with(word)), "{word}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        let parse = |word, suffix| Value::parse(word, suffix, false);
        let unknown = parse("sise", None).expect_err("unknown");
        assert!(unknown.contains("'{sise}'") && unknown.contains("size, blocks"), "{unknown}");
        assert!(parse("size", Some("x")).is_err());
        assert!(parse("mode", Some("x")).is_err());
        assert!(parse("mtime", Some("%!")).is_err());
        assert!(parse("from", None).is_err());
        assert!(parse("mode", Some("rwx")).is_ok());
    }
}
