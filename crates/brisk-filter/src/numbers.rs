//! Numbers in options, as C programs read them: decimal, octal (`0…`) or hexadecimal (`0x…`), with
//! a unit where units are allowed.

/// Why a number is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// There is no number.
    Invalid,
    /// What follows the number is not a unit.
    Suffix,
    /// It does not fit in 64 bits.
    TooLarge,
}

/// Splits a number off the front. Returns its value and the rest. `None`: there are no digits;
/// `None` inside: the number is too large.
fn leading(text: &[u8]) -> (Option<Option<u64>>, &[u8]) {
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
    let length = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (digits, rest) = digits.split_at(length);
    let number = str::from_utf8(digits).ok().and_then(|it| u64::from_str_radix(it, radix).ok());
    if length == 0 { (None, text) } else { (Some(number), rest) }
}

/// A number and nothing else.
///
/// # Errors
/// The text is not a number, or the number is too large.
pub fn integer(text: &[u8]) -> Result<u64, Unfit> {
    whole(leading(text))
}

/// A number, a unit, or both.
///
/// # Errors
/// The text is not a number, its unit is unknown, or the number is too large.
pub fn with_unit(text: &[u8]) -> Result<u64, Unfit> {
    whole(scaled(text))
}

/// The number at the start of a text, if nothing follows it.
fn whole(parts: (Option<Option<u64>>, &[u8])) -> Result<u64, Unfit> {
    match parts {
        (Some(number), []) => number.ok_or(Unfit::TooLarge),
        (Some(_), _) => Err(Unfit::Suffix),
        (None, _) => Err(Unfit::Invalid),
    }
}

/// The number that C stores even if it refuses the text: the number and unit at its start, or the
/// largest number if that is too large. `None`: the text begins with neither a number nor a unit.
pub fn stored(text: &[u8]) -> Option<u64> {
    let (number, _) = scaled(text);
    number.map(|number| number.unwrap_or(u64::MAX))
}

/// Splits a number, a unit, or both off the front; the result is that of [`leading`].
fn scaled(text: &[u8]) -> (Option<Option<u64>>, &[u8]) {
    let (number, rest) = leading(text);
    let unit =
        rest.split_first().and_then(|(letter, rest)| Some((letter, power_of(*letter)?, rest)));
    let Some((letter, power, after)) = unit else { return (number, rest) };
    let number = number.unwrap_or(Some(1));
    // C accepts these letters only in upper case.
    if b"epzy".contains(letter) {
        return (Some(number), rest);
    }
    let (base, rest): (u64, _) = match after {
        [b'i', b'B', rest @ ..] => (1024, rest),
        [b'B' | b'D', rest @ ..] => (1000, rest),
        _ => (1024, after),
    };
    let times = |number: Option<u64>, _| number?.checked_mul(base);
    (Some((0..power).fold(number, times)), rest)
}

/// The letters of units: the first means 1000 or 1024, and each further one the next power.
pub const LETTERS: &[u8; 8] = b"KMGTPEZY";

/// The power that a letter stands for, in either case.
pub fn power_of(letter: u8) -> Option<u32> {
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
        let table: [(&str, Result<u64, Unfit>); 14] = [
            ("1e", Err(Unfit::Suffix)),
            ("y", Err(Unfit::Suffix)),
            ("0Y", Ok(0)),
            ("99999999999999999999x", Err(Unfit::Suffix)),
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

    #[test]
    fn what_c_stores_of_a_refused_text() {
        let table = [
            ("1Kx", Some(1024)),
            ("1KiBx", Some(1024)),
            ("5x", Some(5)),
            ("1Q", Some(1)),
            ("e", Some(1)),
            ("Y", Some(u64::MAX)),
            ("99999999999999999999x", Some(u64::MAX)),
            ("x", None),
            ("-1", None),
        ];
        for (text, expected) in table {
            assert_eq!(stored(text.as_bytes()), expected, "{text}");
        }
    }
}
