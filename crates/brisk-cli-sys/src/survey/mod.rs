//! The ways of asking for the names, types, sizes and times of one directory's entries, side by
//! side, which `brisk bench attrs` measures; and [`child::run`], for the programs that bench and
//! changed run.

use std::io;
use std::path::Path;

use brisk_sys::{FileType, Timestamp};

#[cfg(any(target_os = "linux", target_os = "android"))]
#[path = "linux.rs"]
mod native;
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
mod native {
    pub(super) const TECHNIQUES: &[super::Technique] = &[];
}
pub mod child;
#[cfg(windows)]
#[path = "windows.rs"]
mod native;
mod standard;

/// One entry, as a technique reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit<'a> {
    /// The name's bytes, never `.` or `..`.
    pub name: &'a [u8],
    /// Its type.
    pub file_type: FileType,
    /// The size; 0 where the technique does not report it.
    pub size: u64,
    /// The time of the last modification; the epoch where the technique does not report it.
    pub mtime: Timestamp,
}

/// Receives the rows.
pub type Receive<'a> = dyn FnMut(Hit<'_>) + 'a;

/// What the techniques are compared in that bring everything.
pub const WHOLE: &str = "Name, type, size and time";

/// The same for names and types alone.
pub const NAMES: &str = "Names and types only";

/// The same for one enumeration, which brings at least names and types.
const BUFFERS: &str = "One enumeration with buffers of several sizes";

/// One way of asking.
#[derive(Clone, Copy, Debug)]
pub struct Technique {
    /// The name in the report.
    pub name: &'static str,
    /// What the technique is compared in.
    pub subject: &'static str,
    /// Asks. Returns the number of system calls, as far as it is known.
    pub run: Enumerate,
}

/// Calls the receiver with each entry of a directory.
pub type Enumerate = fn(&Path, &mut Receive<'_>) -> io::Result<u64>;

/// A way of asking for everything.
const fn whole(name: &'static str, run: Enumerate) -> Technique {
    Technique { name, subject: WHOLE, run }
}

/// All techniques of this system.
pub fn techniques() -> impl Iterator<Item = &'static Technique> {
    native::TECHNIQUES.iter().chain(standard::TECHNIQUES)
}

#[cfg(all(test, unix))]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_technique_sees_the_same() {
        let place = tempfile::tempdir().expect("a scratch directory");
        for at in 0..700_usize {
            std::fs::write(place.path().join(format!("f{at}")), "x".repeat(at)).expect("a file");
        }
        std::os::unix::fs::symlink("f1", place.path().join("l")).expect("a link");
        let mut seen = BTreeMap::new();
        for technique in techniques().filter(|technique| technique.subject == WHOLE) {
            let mut rows = Vec::new();
            let calls = (technique.run)(place.path(), &mut |row| {
                rows.push((row.name.to_vec(), row.file_type, row.size, row.mtime));
            });
            assert!(calls.expect(technique.name) > 5, "{}", technique.name);
            rows.sort();
            assert_eq!(rows.len(), 701, "{}", technique.name);
            seen.insert(technique.name, rows);
        }
        let first = seen.values().next().expect("one at least");
        for (name, rows) in &seen {
            assert!(rows == first, "{name}");
        }
    }
}
