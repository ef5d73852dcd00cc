//! Times as templates print them.

use brisk::Timestamp;
use brisk_cli_sys::{Category, locale};
use jiff::tz::TimeZone;

use crate::show::quoting::in_message;
use crate::show::time::format::{Format, Moment};
use crate::show::time::rfc3339;
use brisk_filter::zone;

/// How a time is printed.
#[derive(Clone, Debug, PartialEq)]
pub enum TimeFormat {
    /// No suffix: RFC 3339 with nanoseconds, in this time zone:
    /// `2026-11-20T15:04:05.123456789+01:00`.
    Rfc3339(TimeZone),
    /// `%s`: whole seconds since the epoch. They are printed by the million, so no zone is asked.
    Epoch,
    /// Any other format of GNU date, in this time zone.
    Date(Format, TimeZone),
}

impl TimeFormat {
    /// The form that the text after the colon of `{mtime:…}` means.
    ///
    /// # Errors
    /// A message about a conversion that is not known.
    pub fn parse(suffix: Option<&str>) -> Result<TimeFormat, String> {
        let format = match suffix {
            None => return Ok(TimeFormat::Rfc3339(zone::local())),
            Some("%s") => return Ok(TimeFormat::Epoch),
            Some(format) => format.as_bytes(),
        };
        if let Some(unknown) = Format::unknown(format) {
            return Err(format!("unknown conversion {}", in_message(unknown)));
        }
        // Where the environment's locale does not exist, the words are English.
        locale::adopt(Category::Time);
        Ok(TimeFormat::Date(Format::new(format), zone::local()))
    }

    /// Appends the time, or `-` if its nanoseconds are out of range.
    pub fn write(&self, time: Timestamp, out: &mut Vec<u8>) {
        let written = match self {
            TimeFormat::Epoch => {
                out.extend_from_slice(itoa::Buffer::new().format(time.secs).as_bytes());
                Some(())
            }
            TimeFormat::Rfc3339(zone) => rfc3339::write_local(time, zone, out),
            TimeFormat::Date(format, zone) => {
                Moment::new(time, zone).map(|moment| format.write(&moment, out))
            }
        };
        if written.is_none() {
            out.push(b'-');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(format: &TimeFormat, secs: i64, nanos: u32) -> String {
        let mut out = Vec::new();
        format.write(Timestamp { secs, nanos }, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_format_is_checked_when_parsed() {
        assert_eq!(TimeFormat::parse(Some("%s")), Ok(TimeFormat::Epoch));
        assert!(TimeFormat::parse(Some("%Y-%m-%d %H:%M")).is_ok());
        assert!(TimeFormat::parse(Some("%!")).is_err());
        let date = of("%Y-%m-%d", TimeZone::UTC);
        assert_eq!(printed(&date, 86_400, 0), "1970-01-02");
        assert_eq!(printed(&TimeFormat::Epoch, -5, 1), "-5");
        let far = of("%Y-%m-%d %H:%M %a", TimeZone::get("Europe/Berlin").expect("a zone"));
        assert_eq!(printed(&far, 316_516_345_200, 0), "12000-01-02 16:00 Sun");
    }

    fn of(format: &str, zone: TimeZone) -> TimeFormat {
        TimeFormat::Date(Format::new(format.as_bytes()), zone)
    }
}
