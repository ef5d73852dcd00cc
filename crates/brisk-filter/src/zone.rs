//! [`local`]: the user's time zone, as GNU's programs find it: `TZ` is a rule or the name of a
//! zone's file; if `TZ` is not set, /etc/localtime counts.
//!
//! brisk reads the file itself, because jiff would read whatever `TZ` leads to, even a device
//! without an end, and would list all zones of the system to find one.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use brisk_sys::whole;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Where the system keeps the zones, unless `TZDIR` names another directory.
const ZONES: &str = "/usr/share/zoneinfo";
/// The zone of the machine.
const MACHINE: &str = "/etc/localtime";

/// The user's time zone; UTC if `TZ` names none.
pub fn local() -> TimeZone {
    static LOCAL: OnceLock<TimeZone> = OnceLock::new();
    LOCAL.get_or_init(|| find(env::var_os("TZ"), env::var_os("TZDIR"))).clone()
}

/// The time now, in the user's time zone.
pub fn now() -> Zoned {
    Timestamp::now().to_zoned(local())
}

/// The zone that these values of `TZ` and `TZDIR` mean.
fn find(name: Option<OsString>, zones: Option<OsString>) -> TimeZone {
    let Some(name) = name else { return machine() };
    let Some(name) = name.to_str() else { return TimeZone::UTC };
    let name = name.strip_prefix(':').unwrap_or(name);
    // An absolute name replaces the directory.
    let file = zones.map_or_else(|| PathBuf::from(ZONES), PathBuf::from).join(name);
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let rule = |text: &str| TimeZone::posix(text).ok();
    read(name, &file)
        .or_else(|| rule(name))
        // As in the C library, summer time begins and ends as in the United States unless the rule
        // says when, and a name without an offset means UTC.
        .or_else(|| rule(&format!("{name},M3.2.0,M11.1.0")))
        .or_else(|| bundled(name))
        .or_else(|| rule(&format!("{}0", &name[..letters])))
        .unwrap_or(TimeZone::UTC)
}

fn machine() -> TimeZone {
    if cfg!(windows) {
        TimeZone::system()
    } else {
        read("", MACHINE.as_ref()).unwrap_or(TimeZone::UTC)
    }
}

/// The zone in a file, if it is a regular file of bounded size.
fn read(name: &str, file: &Path) -> Option<TimeZone> {
    TimeZone::tzif(name, &whole::read(file).ok()?).ok()
}

/// On Windows the zones are part of the program.
fn bundled(name: &str) -> Option<TimeZone> {
    if cfg!(windows) { TimeZone::get(name).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(name: &str) -> i32 {
        let zone = find(Some(name.into()), None);
        zone.to_offset(Timestamp::from_second(1_700_000_000).unwrap()).seconds()
    }

    #[test]
    fn a_zone_is_a_file_or_a_rule() {
        for name in ["", "UTC", "UTC0", "no/such", "../../../../../dev/zero", "/dev/zero", "/"] {
            assert_eq!(offset(name), 0, "{name}");
        }
        assert_eq!(offset("NST3:30"), -12_600);
        assert_eq!(offset("CET-1CEST,M3.5.0,M10.5.0/3"), 3600);
        assert_eq!(offset("CET-1CEST"), 3600);
        if Path::new(ZONES).join("Asia/Tokyo").exists() {
            for name in ["Asia/Tokyo", ":Asia/Tokyo", "/usr/share/zoneinfo/Asia/Tokyo"] {
                assert_eq!(offset(name), 32_400, "{name}");
            }
            assert_eq!(
                find(Some("Tokyo".into()), Some("/usr/share/zoneinfo/Asia".into())),
                find(Some("Tokyo".into()), Some("/usr/share/zoneinfo/Asia/".into()))
            );
        }
    }
}
