//! Spans of time as the flags write them: `1ms`, `250us`, `2s`, `0`; times rounded to them.

use std::time::Duration;

/// The units, longest suffix first where one is the end of another (`ms` ends in `s`).
const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// Reads a whole number followed by `ns`, `us`, `ms` or `s`; a bare `0` needs no unit.
///
/// # Errors
/// A sentence naming what is accepted.
pub fn parse(text: &str) -> Result<Duration, String> {
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    UNITS
        .iter()
        .find_map(|(suffix, nanos)| Some((text.strip_suffix(suffix)?, nanos)))
        .and_then(|(digits, nanos)| digits.parse::<u64>().ok()?.checked_mul(*nanos))
        .map(Duration::from_nanos)
        .ok_or_else(|| "expected a whole number and ns, us, ms or s, such as 250us".to_owned())
}

/// Rounds a time since 1970 down to a multiple of `step`; a step of zero leaves the time as it is.
pub fn truncate(time: Duration, step: Duration) -> Duration {
    match step.as_nanos() {
        0 => time,
        // 64 bits of nanoseconds reach 584 years.
        step => Duration::from_nanos((time.as_nanos() / step * step) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_zero() {
        assert_eq!(parse("0"), Ok(Duration::ZERO));
        assert_eq!(parse("7ns"), Ok(Duration::from_nanos(7)));
        assert_eq!(parse("250us"), Ok(Duration::from_micros(250)));
        assert_eq!(parse("1ms"), Ok(Duration::from_millis(1)));
        assert_eq!(parse("2s"), Ok(Duration::from_secs(2)));
    }

    #[test]
    fn refusals() {
        for text in ["", "1", "ms", "-1ms", "1.5ms", "1h", "1 ms", "99999999999999999999s"] {
            assert!(parse(text).is_err(), "{text:?} was accepted");
        }
    }
}
