//! `--size`: rules on a file's size in bytes.

use crate::front::Refusal;
use crate::show::numbers::power_of;
use crate::show::quoting::quoted;

/// The power of the largest unit, as in fd.
const TERA: u32 = 4;

/// A limit on the size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeRule {
    AtLeast(u64),
    AtMost(u64),
    Exactly(u64),
}

impl SizeRule {
    /// Parses `[+-]<NUM><UNIT>`. The unit is `b`, or `k`, `m`, `g` or `t`, which `i` (powers of
    /// 1024) and `b` may follow; case does not count.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn parse(text: &str) -> Result<SizeRule, Refusal> {
        let refusal = || format!("{} is not a valid size constraint", quoted(text));
        SizeRule::parse_parts(text).ok_or_else(|| Refusal::option(refusal()))
    }

    fn parse_parts(text: &str) -> Option<SizeRule> {
        let (rule, rest): (fn(u64) -> SizeRule, &str) = match text.as_bytes().first()? {
            b'+' => (SizeRule::AtLeast, &text[1..]),
            b'-' => (SizeRule::AtMost, &text[1..]),
            _ => (SizeRule::Exactly, text),
        };
        let unit_at = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = rest.split_at(unit_at);
        let number: u64 = number.parse().ok()?;
        number.checked_mul(unit_size(&unit.to_ascii_lowercase())?).map(rule)
    }

    /// Whether a file of `size` bytes obeys the rule.
    pub(crate) fn allows(self, size: u64) -> bool {
        match self {
            SizeRule::AtLeast(limit) => size >= limit,
            SizeRule::AtMost(limit) => size <= limit,
            SizeRule::Exactly(limit) => size == limit,
        }
    }
}

/// A number with or without a unit: `100G`, `1M`, `4`. `None`: it is none, or 0.
pub(crate) fn amount(text: &str) -> Option<u64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let unit = if unit.is_empty() { Some(1) } else { unit_size(&unit.to_ascii_lowercase()) };
    number.parse::<u64>().ok()?.checked_mul(unit?).filter(|amount| *amount > 0)
}

/// Bytes in a lowercase unit.
fn unit_size(unit: &str) -> Option<u64> {
    let (base, letter): (u64, u8) = match *unit.as_bytes() {
        [b'b'] => return Some(1),
        [letter] | [letter, b'b'] => (1000, letter),
        [letter, b'i'] | [letter, b'i', b'b'] => (1024, letter),
        _ => return None,
    };
    base.checked_pow(power_of(letter).filter(|power| *power <= TERA)?)
}

#[cfg(test)]
mod tests {
    use super::SizeRule::{AtLeast, AtMost, Exactly};
    use super::*;

    #[test]
    fn rules_parse() {
        for (text, rule) in [
            ("+1b", AtLeast(1)),
            ("-10B", AtMost(10)),
            ("0b", Exactly(0)),
            ("+1k", AtLeast(1_000)),
            ("1KB", Exactly(1_000)),
            ("-2ki", AtMost(2_048)),
            ("-2KiB", AtMost(2_048)),
            ("3m", Exactly(3_000_000)),
            ("3mi", Exactly(3 << 20)),
            ("1g", Exactly(1_000_000_000)),
            ("1Gi", Exactly(1 << 30)),
            ("1t", Exactly(1_000_000_000_000)),
            ("1tib", Exactly(1 << 40)),
        ] {
            assert_eq!(SizeRule::parse(text), Ok(rule), "{text}");
        }
    }

    #[test]
    fn what_is_no_rule() {
        for text in ["", "+", "1", "k", "+k", "1x", "1kk", "1bb", "1ib", "1 k", "++1k", "99999999t"]
        {
            assert!(SizeRule::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_inclusive() {
        assert!(AtLeast(5).allows(5) && !AtLeast(5).allows(4));
        assert!(AtMost(5).allows(5) && !AtMost(5).allows(6));
        assert!(Exactly(5).allows(5) && !Exactly(5).allows(6));
    }
}
