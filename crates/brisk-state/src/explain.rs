//! For each file system in the trees, a line of text that says how the rescan worked there.

use crate::met::{Known, Volumes};
use crate::second::Ticks;
use crate::settings::Settings;

/// A line for each file system.
pub(crate) fn ways(
    volumes: &Volumes,
    settings: &Settings,
    ticks: &Ticks,
    is_full: bool,
) -> Vec<String> {
    let line = |(number, known): (usize, &Known)| {
        let way = match () {
            () if is_full => "each directory is read, because there is no state",
            () if !settings.shortcuts => "each directory is read, as --no-shortcuts says",
            () if known.volume.trusts_directory_times() => {
                "directories with unchanged times are not read"
            }
            () if known.is_told => "directories with the same names are not read",
            () => "each directory is read, because times of directories are not trusted there",
        };
        let coarse = match ticks.are_long(number) {
            true => "; its times are coarse: contents of files that changed lately are compared",
            false => "",
        };
        format!("{}: {way}{coarse}", known.volume.kind)
    };
    let all = volumes.get();
    all.iter().enumerate().filter(|(_, known)| known.dev.is_some()).map(line).collect()
}
