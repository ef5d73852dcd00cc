//! Numbers in options, as C programs read them: in decimal, octal (`0…`) or hexadecimal (`0x…`),
//! with a unit where units are allowed.

use super::quoting::in_message;

/// Why a number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    Invalid,
    /// What follows the number is no unit.
    Suffix,
    TooLarge,
}

impl Unfit {
    /// The refusal, for the argument of this option.
    pub(crate) fn in_words(self, option: &str, argument: &[u8]) -> String {
        let shown = in_message(argument);
        match self {
            Unfit::Invalid => format!("invalid {option} argument {shown}"),
            Unfit::Suffix => format!("invalid suffix in {option} argument {shown}"),
            Unfit::TooLarge => format!("{option} argument {shown} too large"),
        }
    }
}

/// Splits a number off the front. Returns its value, or `None` if there are no digits, and the
/// rest.
fn leading(text: &[u8]) -> Result<(Option<u64>, &[u8]), Unfit> {
    let spaces = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let text = &text[spaces..];
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => {
            (16, rest)
        }
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let value = |byte: &u8| char::from(*byte).to_digit(radix);
    let length = digits.iter().take_while(|byte| value(byte).is_some()).count();
    let mut number = Some(0u64);
    for digit in digits[..length].iter().filter_map(value) {
        number = number
            .and_then(|number| number.checked_mul(u64::from(radix)))
            .and_then(|number| number.checked_add(u64::from(digit)));
    }
    if length == 0 {
        return Ok((None, text));
    }
    Ok((Some(number.ok_or(Unfit::TooLarge)?), &digits[length..]))
}

/// A number and nothing else.
///
/// # Errors
/// The text is no number, or the number is too large.
pub(crate) fn integer(text: &[u8]) -> Result<u64, Unfit> {
    match leading(text)? {
        (Some(number), []) => Ok(number),
        (Some(_), _) => Err(Unfit::Suffix),
        (None, _) => Err(Unfit::Invalid),
    }
}

/// A number, a unit, or both.
///
/// # Errors
/// The text is no number, its unit is unknown, or the number is too large.
pub(crate) fn with_unit(text: &[u8]) -> Result<u64, Unfit> {
    let (number, rest) = leading(text)?;
    let Some((letter, rest)) = rest.split_first() else {
        return number.ok_or(Unfit::Invalid);
    };
    let Some(power) = power_of(*letter) else {
        return Err(if number.is_some() { Unfit::Suffix } else { Unfit::Invalid });
    };
    let base: u64 = match rest {
        [] | [b'i', b'B'] => 1024,
        [b'B' | b'D'] => 1000,
        _ => return Err(Unfit::Suffix),
    };
    let unit = base.checked_pow(power).ok_or(Unfit::TooLarge)?;
    number.unwrap_or(1).checked_mul(unit).ok_or(Unfit::TooLarge)
}

/// The letters of units: the first is a thousand, or 1024; each is the next power.
pub(crate) const LETTERS: &[u8; 8] = b"KMGTPEZY";

/// The power that a letter stands for, in either case.
pub(crate) fn power_of(letter: u8) -> Option<u32> {
    let at = LETTERS.iter().position(|known| known.eq_ignore_ascii_case(&letter))?;
    Some(at as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_as_c_reads_them() {
        let table: [(&str, Result<u64, Unfit>); 9] = [
            ("80", Ok(80)),
            (" +80", Ok(80)),
            ("0x1f", Ok(31)),
            ("010", Ok(8)),
            ("0", Ok(0)),
            ("-1", Err(Unfit::Invalid)),
            ("", Err(Unfit::Invalid)),
            ("8x", Err(Unfit::Suffix)),
            ("99999999999999999999", Err(Unfit::TooLarge)),
        ];
        for (text, expected) in table {
            assert_eq!(integer(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn units() {
        let table: [(&str, Result<u64, Unfit>); 10] = [
            ("K", Ok(1024)),
            ("kB", Ok(1000)),
            ("3MiB", Ok(3 << 20)),
            ("1000", Ok(1000)),
            ("x", Err(Unfit::Invalid)),
            ("1Q", Err(Unfit::Suffix)),
            ("1kk", Err(Unfit::Suffix)),
            ("Z", Err(Unfit::TooLarge)),
            ("", Err(Unfit::Invalid)),
            ("16E", Err(Unfit::TooLarge)),
        ];
        for (text, expected) in table {
            assert_eq!(with_unit(text.as_bytes()), expected, "{text}");
        }
    }
}
