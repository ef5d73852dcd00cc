//! `--explain=measure`: what each colour that costs a request costs here, also where it is switched
//! off. Before the listing, some entries of its first directory are asked about, one after the
//! other, so that no answer is in a cache because of the listing.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use brisk::Fields;
use brisk_colors::{Colors, Cost, MetadataColors, TargetColors};
use brisk_sys::{Buffer, Dir, Freshness, Links};

use crate::front::config;

/// The most entries that are asked about for one request: a tenth of a second where a request takes
/// a millisecond.
const SAMPLE: usize = 100;

/// Every key that costs a request.
const EVERY: &[u8] = b"su=1:sg=1:ex=1:ca=1:tw=1:ow=1:st=1:or=1:mi=1:ln=target";

/// Measures in a directory: keys that cost a request, with the mean time of one. Requests that no entry of it needs are left out, and so is a directory
/// that cannot be read, which the listing reports.
pub(crate) fn measure(dir: &Path) -> Vec<(Cost, Duration)> {
    let (every, _) = Colors::from_env_value(Some(EVERY));
    let every = every.with_metadata(MetadataColors::On).with_targets(TargetColors::Shown);
    let measured = every.costs().into_iter().map(|cost| {
        let each = mean(dir, &cost).ok()??;
        Some((cost, each))
    });
    measured.flatten().collect()
}

/// The mean time of a request; `None` if the first buffer of the directory has no entry of the type.
fn mean(path: &Path, cost: &Cost) -> io::Result<Option<Duration>> {
    let dir = Dir::open(config::backend(), path, Links::Follow)?;
    let mut buffer = Buffer::with_capacity(64 << 10);
    dir.fill(&mut buffer).complete?;
    let names = buffer.entries().filter(|entry| entry.file_type == cost.file_type);
    let began = Instant::now();
    let mut count = 0;
    for entry in names.take(SAMPLE) {
        // What a request that fails takes counts as well: without extended attributes all fail.
        match cost.fields {
            Fields::CAPS => drop(dir.has_capability(entry.name, Links::NoFollow)),
            Fields::TARGET => {
                drop(dir.stat(entry.name, Fields::MODE, Links::Follow, Freshness::AsStat));
            }
            fields => drop(dir.stat(entry.name, fields, Links::NoFollow, Freshness::AsStat)),
        }
        count += 1;
    }
    Ok(began.elapsed().checked_div(count))
}
