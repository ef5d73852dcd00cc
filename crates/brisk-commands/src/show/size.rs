//! Sizes as columns show them: in a unit, or scaled for the reader; always rounded up.

use std::ffi::OsString;

use brisk_filter::numbers::{self, LETTERS, Unfit};

use crate::show::quoting::in_message;

/// The refusal of a number, for the argument of this option.
pub(crate) fn refused(why: Unfit, option: &str, argument: &[u8]) -> String {
    let shown = in_message(argument);
    match why {
        Unfit::Invalid => format!("invalid {option} argument {shown}"),
        Unfit::Suffix => format!("invalid suffix in {option} argument {shown}"),
        Unfit::TooLarge => format!("{option} argument {shown} too large"),
    }
}

/// How a size is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Bytes in a unit.
    unit: u64,
    /// 1000 or 1024, where sizes are scaled or have a suffix.
    base: u64,
    /// Whether the size is scaled so that few digits are left.
    scaled: bool,
    /// The unit's suffix: the exponent of the base, and the text after the letter.
    suffix: Option<(u32, &'static str)>,
}

impl Scale {
    /// `-h`.
    pub const BINARY: Scale = Scale { unit: 1, base: 1024, scaled: true, suffix: None };
    /// `--si`.
    pub(crate) const DECIMAL: Scale = Scale { unit: 1, base: 1000, scaled: true, suffix: None };

    /// In units of this many bytes.
    pub(crate) const fn units(unit: u64) -> Scale {
        Scale { unit, base: 1024, scaled: false, suffix: None }
    }

    /// The value of `--block-size` and its variables: `1K`, `MB`, `human-readable`. An apostrophe
    /// at the beginning asks for grouped digits; the C locale has none.
    ///
    /// # Errors
    /// The text is not a size, or the size is zero.
    pub(crate) fn parse(text: &[u8]) -> Result<Scale, Unfit> {
        let text = text.strip_prefix(b"'").unwrap_or(text);
        if !text.is_empty() && b"human-readable".starts_with(text) {
            return Ok(Scale::BINARY);
        }
        if !text.is_empty() && b"si".starts_with(text) {
            return Ok(Scale::DECIMAL);
        }
        if numbers::stored(text).is_none_or(|unit| unit == 0) {
            return Err(Unfit::Invalid);
        }
        let unit = numbers::with_unit(text)?;
        if text.iter().any(u8::is_ascii_digit) {
            return Ok(Scale::units(unit));
        }
        let (base, word): (u64, _) = match text {
            [_, b'i', b'B'] => (1024, "iB"),
            [_, b'B'] => (1000, "B"),
            [_, b'D'] => (1000, ""),
            _ => (1024, ""),
        };
        let exponent = (1..9).find(|exponent| base.saturating_pow(*exponent) >= unit).unwrap_or(8);
        Ok(Scale { unit, base, scaled: false, suffix: Some((exponent, word)) })
    }

    /// The unit that the environment sets: by the command's own variable, or by one that several
    /// programs share. Of a value that is not a size, GNU takes what was read of it.
    pub fn of_environment(own: &str, var: impl Fn(&str) -> Option<OsString>) -> Option<Scale> {
        let text = [own, "BLOCK_SIZE", "BLOCKSIZE"].into_iter().find_map(var)?;
        let text = text.as_encoded_bytes();
        let stored = || {
            let unit = numbers::stored(text.strip_prefix(b"'").unwrap_or(text));
            unit.filter(|unit| *unit > 0).map(Scale::units)
        };
        Scale::parse(text).ok().or_else(stored)
    }

    /// The unit where none is set: what POSIX prescribes, or kibibytes.
    pub(crate) fn usual(var: impl Fn(&str) -> Option<OsString>) -> Scale {
        Scale::units(if var("POSIXLY_CORRECT").is_some() { 512 } else { 1024 })
    }

    /// The same for numbers that have no unit: of a suffix only the B is left.
    pub(crate) fn without_unit(self) -> Scale {
        let suffix = self.suffix.filter(|(_, word)| word.ends_with('B'));
        Scale { unit: 1, suffix: suffix.map(|_| (0, "B")), ..self }
    }

    /// So many bytes, as text.
    pub fn text(&self, bytes: u64) -> String {
        let mut out = Vec::new();
        self.write(bytes, 1, &mut out);
        String::from_utf8(out).expect("BUG: a size is ASCII")
    }

    /// Appends `count` pieces of `piece` bytes each.
    pub(crate) fn write(&self, count: u64, piece: u64, out: &mut Vec<u8>) {
        let bytes = u128::from(count) * u128::from(piece);
        if self.scaled {
            write_scaled(bytes, u128::from(self.base), out);
            return;
        }
        push_number(bytes.div_ceil(u128::from(self.unit)), out);
        if let Some((exponent, word)) = self.suffix {
            if exponent > 0 {
                out.push(letter(u128::from(self.base), exponent));
            }
            out.extend_from_slice(word.as_bytes());
        }
    }
}

/// The letter of an exponent; the one of a thousand is lowercase.
fn letter(base: u128, exponent: u32) -> u8 {
    if base == 1000 && exponent == 1 { b'k' } else { LETTERS[exponent as usize - 1] }
}

fn push_number(number: u128, out: &mut Vec<u8>) {
    match u64::try_from(number) {
        Ok(number) => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
        Err(_) => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

/// Appends the size in the largest unit of which there is at least one, with a decimal if there are
/// less than ten.
fn write_scaled(bytes: u128, base: u128, out: &mut Vec<u8>) {
    if bytes < base {
        push_number(bytes, out);
        return;
    }
    let mut unit = base;
    let mut exponent = 1;
    while bytes / unit >= base && exponent < 8 {
        unit *= base;
        exponent += 1;
    }
    let mut tenths = (bytes * 10).div_ceil(unit);
    let mut whole = bytes.div_ceil(unit);
    if tenths >= 100 && whole == base && exponent < 8 {
        exponent += 1;
        tenths = 10;
        whole = 1;
    }
    if tenths < 100 {
        push_number(tenths / 10, out);
        out.extend_from_slice(&[b'.', b'0' + (tenths % 10) as u8]);
    } else {
        push_number(whole, out);
    }
    out.push(letter(base, exponent));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(scale: Scale, count: u64, piece: u64) -> String {
        let mut out = Vec::new();
        scale.write(count, piece, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn scaled_sizes_are_rounded_up() {
        let table = [
            (0, "0"),
            (999, "999"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10_239, "10K"),
            (10_240, "10K"),
            (10_241, "11K"),
            (1_048_575, "1.0M"),
            (1_048_576, "1.0M"),
            (5 << 30, "5.0G"),
            (u64::MAX, "16E"),
        ];
        for (bytes, expected) in table {
            assert_eq!(written(Scale::BINARY, bytes, 1), expected);
        }
        assert_eq!(written(Scale::DECIMAL, 1_000, 1), "1.0k");
        assert_eq!(written(Scale::DECIMAL, 999_999, 1), "1.0M");
        assert_eq!(written(Scale::DECIMAL, 234_000_001, 1), "235M");
    }

    #[test]
    fn units_are_written_as_they_were_given() {
        let parsed = |text: &str| Scale::parse(text.as_bytes()).expect("a size");
        assert_eq!(written(parsed("1K"), 1_500, 1), "2");
        assert_eq!(written(parsed("K"), 1_500, 1), "2K");
        assert_eq!(written(parsed("kB"), 1_500, 1), "2kB");
        assert_eq!(written(parsed("MiB"), 1_500, 1), "1MiB");
        assert_eq!(written(parsed("'1000"), 8, 512), "5");
        assert_eq!(written(Scale::units(1024), 8, 512), "4");
        assert_eq!(parsed("si"), Scale::DECIMAL);
        assert_eq!(parsed("human"), Scale::BINARY);
        assert_eq!(Scale::parse(b"0"), Err(Unfit::Invalid));
    }
}
