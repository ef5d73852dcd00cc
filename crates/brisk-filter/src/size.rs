//! `--size`: limits on a file's size in bytes.

use std::ops::RangeInclusive;

use brisk::Fields;
use brisk::filter::{Expr, Test};

use crate::numbers::{power_of, with_unit};
use crate::types;

/// The power of the largest unit, as in fd.
const TERA: u32 = 4;

/// The sizes in bytes that `[+-]<NUM><UNIT>` allows; `None` if the text has another form. The unit
/// is `b`, or `k`, `m`, `g` or `t`, which `i` (powers of 1024) and `b` may follow; case does not
/// count.
pub fn range(text: &str) -> Option<RangeInclusive<u64>> {
    signed(text, |size| bytes(size).filter(|_| size.ends_with(|c: char| !c.is_ascii_digit())))
}

/// As [`range`], in du's units: `K`, `M` and so on are powers of 1024, `KB` and `MB` of 1000. A
/// number without a unit is in bytes.
pub fn range_of_du(text: &str) -> Option<RangeInclusive<u64>> {
    let is_number = |size: &str| size.starts_with(|first: char| first.is_ascii_digit());
    signed(text, |size| with_unit(size.as_bytes()).ok().filter(|_| is_number(size)))
}

fn signed(text: &str, bytes: impl Fn(&str) -> Option<u64>) -> Option<RangeInclusive<u64>> {
    let size = bytes(text.strip_prefix(['+', '-']).unwrap_or(text))?;
    Some(match text.as_bytes()[0] {
        b'+' => size..=u64::MAX,
        b'-' => 0..=size,
        _ => size..=size,
    })
}

/// Regular files of these sizes.
pub fn expr(sizes: RangeInclusive<u64>) -> Expr {
    let most = Some(sizes.end()).filter(|most| **most < u64::MAX).map(u64::to_string);
    let key = format!("--size={}-{}", sizes.start(), most.unwrap_or_default());
    let size = Test::meta(key, types::of_files(Fields::SIZE), move |_, meta| {
        meta.size().is_some_and(|size| sizes.contains(&size))
    });
    Expr::All(vec![types::files(), size.into()])
}

/// A number with or without a unit: `100G`, `1M`, `4`. `None`: the text is not a number, or it is
/// 0.
pub fn amount(text: &str) -> Option<u64> {
    bytes(text).filter(|amount| *amount > 0)
}

fn bytes(text: &str) -> Option<u64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    number.parse::<u64>().ok()?.checked_mul(unit_size(&unit.to_ascii_lowercase())?)
}

/// The number of bytes in a unit, which is in lower case.
fn unit_size(unit: &str) -> Option<u64> {
    let (base, letter): (u64, u8) = match *unit.as_bytes() {
        [] | [b'b'] => return Some(1),
        [letter] | [letter, b'b'] => (1000, letter),
        [letter, b'i'] | [letter, b'i', b'b'] => (1024, letter),
        _ => return None,
    };
    base.checked_pow(power_of(letter).filter(|power| *power <= TERA)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_parse() {
        for (text, sizes) in [
            ("+1b", 1..=u64::MAX),
            ("-10B", 0..=10),
            ("0b", 0..=0),
            ("+1k", 1_000..=u64::MAX),
            ("1KB", 1_000..=1_000),
            ("-2ki", 0..=2_048),
            ("-2KiB", 0..=2_048),
            ("3m", 3_000_000..=3_000_000),
            ("3mi", (3 << 20)..=(3 << 20)),
            ("1g", 1_000_000_000..=1_000_000_000),
            ("1Gi", (1 << 30)..=(1 << 30)),
            ("1t", 1_000_000_000_000..=1_000_000_000_000),
            ("1tib", (1 << 40)..=(1 << 40)),
        ] {
            assert_eq!(range(text), Some(sizes), "{text}");
        }
    }

    #[test]
    fn du_has_its_own_units() {
        for (text, sizes) in [
            ("+10M", (10 << 20)..=u64::MAX),
            ("-10m", 0..=(10 << 20)),
            ("1KB", 1_000..=1_000),
            ("1KiB", 1_024..=1_024),
            ("+5", 5..=u64::MAX),
        ] {
            assert_eq!(range_of_du(text), Some(sizes), "{text}");
        }
        for text in ["", "+", "M", "+M", "10b", "10Q", "++1"] {
            assert!(range_of_du(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_no_rule() {
        for text in ["", "+", "1", "k", "+k", "1x", "1kk", "1bb", "1ib", "1 k", "++1k", "99999999t"]
        {
            assert!(range(text).is_none(), "{text}");
        }
    }
}
