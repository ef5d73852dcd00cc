//! The syntax of `LS_COLORS`: `key=sequence` and `*suffix=sequence`, separated by colons.
//!
//! Both sides may hold the escapes of dircolors: `\e` and the like, `\033`, `\x1b`, `^[`. A value
//! that GNU ls refuses is refused here, for the same two reasons.

use crate::Refusal;
use crate::suffixes::Rule;

/// The keys that a regular file's mode decides.
pub(super) const FILE_MODES: [Key; 3] = [Key::SetUid, Key::SetGid, Key::Executable];
/// The keys that a directory's mode decides.
pub(super) const DIRECTORY_MODES: [Key; 3] =
    [Key::StickyOtherWritable, Key::OtherWritable, Key::Sticky];

/// The keys of `LS_COLORS` that are not suffixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Left,
    Right,
    End,
    Reset,
    Normal,
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    Block,
    Char,
    Missing,
    Orphan,
    Executable,
    Door,
    SetUid,
    SetGid,
    Sticky,
    OtherWritable,
    StickyOtherWritable,
    Capability,
    MultiLink,
    ClearLine,
}

/// Each key in the order of the enum: its two letters, and its default sequence.
const KEYS: [(&str, Key, &[u8]); 24] = [
    ("lc", Key::Left, b"\x1b["),
    ("rc", Key::Right, b"m"),
    ("ec", Key::End, b""),
    ("rs", Key::Reset, b"0"),
    ("no", Key::Normal, b""),
    ("fi", Key::File, b""),
    ("di", Key::Directory, b"01;34"),
    ("ln", Key::Link, b"01;36"),
    ("pi", Key::Fifo, b"33"),
    ("so", Key::Socket, b"01;35"),
    ("bd", Key::Block, b"01;33"),
    ("cd", Key::Char, b"01;33"),
    ("mi", Key::Missing, b""),
    ("or", Key::Orphan, b""),
    ("ex", Key::Executable, b"01;32"),
    ("do", Key::Door, b"01;35"),
    ("su", Key::SetUid, b"37;41"),
    ("sg", Key::SetGid, b"30;43"),
    ("st", Key::Sticky, b"37;44"),
    ("ow", Key::OtherWritable, b"34;42"),
    ("tw", Key::StickyOtherWritable, b"30;42"),
    ("ca", Key::Capability, b""),
    ("mh", Key::MultiLink, b""),
    ("cl", Key::ClearLine, b"\x1b[K"),
];

/// Keys before this one are codes that surround a sequence; the others paint files (and `cl`).
const FIRST_STYLE: usize = Key::Normal as usize;

/// Whether a sequence changes nothing: GNU's "not coloured".
pub(super) fn is_plain(sequence: &[u8]) -> bool {
    matches!(sequence, b"" | b"0" | b"00")
}

/// A sequence for each key that has one.
#[derive(Clone, Debug)]
pub(super) struct Sequences([Option<Box<[u8]>>; KEYS.len()]);

impl Key {
    /// The two letters.
    pub(super) fn letters(self) -> &'static str {
        KEYS[self as usize].0
    }
}

impl Sequences {
    /// Whether the key's sequence changes anything: GNU's "coloured".
    pub(super) fn is_colored(&self, key: Key) -> bool {
        self.get(key).is_some_and(|sequence| !is_plain(sequence))
    }

    pub(super) fn empty() -> Sequences {
        Sequences([const { None }; KEYS.len()])
    }

    fn defaults() -> Sequences {
        let mut sequences = Sequences::empty();
        for (_, key, default) in KEYS {
            if !default.is_empty() {
                sequences.set(key, Box::from(default));
            }
        }
        sequences
    }

    pub(super) fn get(&self, key: Key) -> Option<&[u8]> {
        self.0[key as usize].as_deref()
    }

    pub(super) fn set(&mut self, key: Key, sequence: Box<[u8]>) {
        self.0[key as usize] = Some(sequence);
    }

    /// The sequences that paint files, without the codes around them.
    pub(super) fn styles_mut(&mut self) -> impl Iterator<Item = &mut Option<Box<[u8]>>> {
        self.0[FIRST_STYLE..Key::ClearLine as usize].iter_mut()
    }
}

/// Reads the value of `LS_COLORS`: the defaults, overridden by the value, and the rules for suffixes in
/// the order of the value.
pub(super) fn parse(value: &[u8]) -> Result<(Sequences, Vec<Rule>), Refusal> {
    let mut sequences = Sequences::defaults();
    let mut suffixes = Vec::new();
    // The environment cannot hold a zero byte. In a value from elsewhere, a zero byte is the end.
    let mut rest = value.split(|&byte| byte == 0).next().unwrap_or_default();
    loop {
        match rest {
            [] => return Ok((sequences, suffixes)),
            [b':', tail @ ..] => rest = tail,
            [b'*', tail @ ..] => {
                rest = tail;
                let suffix = text(&mut rest, EqualsSide::Key).ok_or(Refusal::Syntax)?;
                let Some((b'=', tail)) = rest.split_first() else { return Err(Refusal::Syntax) };
                rest = tail;
                let style = text(&mut rest, EqualsSide::Sequence).ok_or(Refusal::Syntax)?;
                suffixes.push(Rule { suffix, style: Some(style) });
            }
            [first, second, b'=', tail @ ..] => {
                rest = tail;
                let letters = [*first, *second];
                let key = KEYS.iter().find(|(name, ..)| name.as_bytes() == letters);
                let (_, key, _) = key.ok_or(Refusal::Key(letters))?;
                let sequence =
                    text(&mut rest, EqualsSide::Sequence).ok_or(Refusal::Key(letters))?;
                sequences.set(*key, sequence);
            }
            _ => return Err(Refusal::Syntax),
        }
    }
}

/// Which side of `=` a text stands on: an equals sign ends a key and is part of a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EqualsSide {
    Key,
    Sequence,
}

/// Takes a text off the front of `rest`, up to the colon or equals sign that ends it, and resolves
/// its escapes. `None` if an escape is broken.
fn text(rest: &mut &[u8], side: EqualsSide) -> Option<Box<[u8]>> {
    let mut out = Vec::new();
    while let [first, tail @ ..] = *rest {
        match first {
            b':' => break,
            b'=' if side == EqualsSide::Key => break,
            b'\\' => {
                let (byte, tail) = backslash(tail)?;
                out.push(byte);
                *rest = tail;
            }
            b'^' => {
                let (&control, after) = tail.split_first()?;
                (*rest, _) = match control {
                    b'@'..=b'~' => (after, out.push(control & 0o37)),
                    // GNU ls reads on at the question mark, which so becomes part of the text.
                    b'?' => (tail, out.push(0o177)),
                    _ => return None,
                };
            }
            _ => {
                out.push(*first);
                *rest = tail;
            }
        }
    }
    Some(out.into_boxed_slice())
}

/// The byte that a backslash and the text after it stand for, and the rest.
fn backslash(after: &[u8]) -> Option<(u8, &[u8])> {
    let (&first, tail) = after.split_first()?;
    Some(match first {
        b'0'..=b'7' => number(after, 8),
        b'x' | b'X' => number(tail, 16),
        b'a' => (0x07, tail),
        b'b' => (0x08, tail),
        b'e' => (0x1b, tail),
        b'f' => (0x0c, tail),
        b'n' => (b'\n', tail),
        b'r' => (b'\r', tail),
        b't' => (b'\t', tail),
        b'v' => (0x0b, tail),
        b'?' => (0x7f, tail),
        b'_' => (b' ', tail),
        other => (other, tail),
    })
}

/// Reads digits as far as they go. The value wraps, like C's char.
fn number(digits: &[u8], radix: u8) -> (u8, &[u8]) {
    let mut value = 0u8;
    let mut rest = digits;
    while let [first, tail @ ..] = rest
        && let Some(digit) = char::from(*first).to_digit(u32::from(radix))
    {
        value = value.wrapping_mul(radix).wrapping_add(digit as u8);
        rest = tail;
    }
    (value, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn directory(value: &[u8]) -> Option<Vec<u8>> {
        let (sequences, _) = parse(value).expect("well formed");
        sequences.get(Key::Directory).map(<[u8]>::to_vec)
    }

    #[test]
    fn the_table_stands_in_the_order_of_the_enum() {
        for (index, (_, key, _)) in KEYS.iter().enumerate() {
            assert_eq!(index, *key as usize);
        }
    }

    #[test]
    fn escapes_are_resolved() {
        let cases: [(&[u8], &[u8]); 11] = [
            (b"di=01;34:", b"01;34"),
            (b"di=\\e[1m", b"\x1b[1m"),
            (b"di=\\033[1m", b"\x1b[1m"),
            (b"di=\\x1b[1m", b"\x1b[1m"),
            (b"di=^[[1m", b"\x1b[1m"),
            (b"di=a\\_b\\:c\\=d=e", b"a b:c=d=e"),
            (b"di=\\a\\b\\f\\n\\r\\t\\v\\?", b"\x07\x08\x0c\n\r\t\x0b\x7f"),
            (b"di=^?", b"\x7f?"),
            (b"di=^a^A", b"\x01\x01"),
            (b"di=\\xg", b"\0g"),
            (b"di=1:::di=2", b"2"),
        ];
        for (value, expected) in cases {
            assert_eq!(directory(value).as_deref(), Some(expected), "{}", value.escape_ascii());
        }
    }

    #[test]
    fn suffixes_keep_their_order_and_their_escapes() {
        let (_, suffixes) = parse(b"*.a=1:*b\\=c=2:*=3").expect("well formed");
        let rules: Vec<_> =
            suffixes.iter().map(|rule| (&*rule.suffix, rule.style.as_deref())).collect();
        let expected: [(&[u8], Option<&[u8]>); 3] =
            [(b".a", Some(b"1")), (b"b=c", Some(b"2")), (b"", Some(b"3"))];
        assert_eq!(rules, expected);
    }

    #[test]
    fn what_gnu_ls_refuses_is_refused() {
        let cases: [(&[u8], Refusal); 9] = [
            (b"zz=1", Refusal::Key(*b"zz")),
            (b"di=1:z", Refusal::Syntax),
            (b"zz", Refusal::Syntax),
            (b"dir=1", Refusal::Syntax),
            (b"*.a", Refusal::Syntax),
            (b"*.a:*.b=1", Refusal::Syntax),
            (b"di=\\", Refusal::Key(*b"di")),
            (b"di=^ ", Refusal::Key(*b"di")),
            (b"*.a=^", Refusal::Syntax),
        ];
        for (value, expected) in cases {
            assert_eq!(parse(value).err(), Some(expected), "{}", value.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn no_value_panics(value in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = parse(&value);
        }

        #[test]
        fn a_value_of_plain_pieces_is_read_back(
            pieces in proptest::collection::vec(("[a-zA-Z.]{0,6}", "[0-9;]{0,6}"), 0..8),
        ) {
            let value: String =
                pieces.iter().map(|(suffix, style)| format!("*{suffix}={style}:")).collect();
            let (_, suffixes) = parse(value.as_bytes()).expect("well formed");
            prop_assert_eq!(suffixes.len(), pieces.len());
            for (rule, (suffix, style)) in suffixes.iter().zip(&pieces) {
                prop_assert_eq!(&*rule.suffix, suffix.as_bytes());
                prop_assert_eq!(rule.style.as_deref(), Some(style.as_bytes()));
            }
        }
    }
}
