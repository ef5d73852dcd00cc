//! For each file system in the trees, a line of text that says how the rescan worked there.

use std::time::Duration;

use crate::met::{Known, Volumes};
use crate::settings::Settings;

/// A line for each file system.
pub(crate) fn ways(volumes: &Volumes, settings: &Settings, is_full: bool) -> Vec<String> {
    let line = |known: &Known| {
        let way = match () {
            () if is_full => "each directory is read, because there is no state",
            () if !settings.shortcuts => "each directory is read, as --no-shortcuts says",
            () if known.volume.trusts_directory_times() => {
                "directories with unchanged times are not read"
            }
            () if known.is_told => "directories with the same names are not read",
            () => "each directory is read, because times of directories are not trusted there",
        };
        let coarse = match known.volume.granularity() {
            Some(unit) if unit < Duration::from_secs(1) => "",
            _ => "; its times are coarse: contents of files that changed lately are compared",
        };
        format!("{}: {way}{coarse}", known.volume.kind)
    };
    volumes.get().iter().filter(|known| known.dev.is_some()).map(line).collect()
}
