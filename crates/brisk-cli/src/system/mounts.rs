//! The table of mounts.

use std::path::Path;

/// The type of the file system that holds the path, from the table of mounts.
pub fn file_system(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let mounts = brisk_sys::whole::read_text("/proc/self/mounts".as_ref()).ok()?;
    let mount = |line: &str| {
        let mut words = line.split(' ');
        let place = words.nth(1)?;
        dir.starts_with(place).then_some((place.len(), words.next()?.to_owned()))
    };
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}
