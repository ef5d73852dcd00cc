//! `--explain`: what a listing asks of the file system, why, of how many entries, and which
//! LS_COLORS would make it ask for nothing.
//!
//! `--explain=measure`: what each colour that costs a request costs here, also where it is switched
//! off. Before the listing, some entries of its first directory are asked about, one after the
//! other, so that no answer is in a cache because of the listing.

use std::fmt::Write;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use brisk::{Fields, FileType};
use brisk_colors::{Colors, Cost, MetadataColors, TargetColors};
use brisk_sys::{Buffer, Dir, Freshness, Links};

use super::plan::{Plan, Reason, reasons};
use crate::front::config;
use crate::front::progress::counted;
use crate::show::fields::{READING, explained, free_colors, needs, words};

/// How many entries of each type were listed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Census([u64; FileType::ALL.len()]);

impl Census {
    pub(crate) fn note(&mut self, file_type: FileType) {
        self.0[file_type as usize] += 1;
    }

    fn of(&self, types: &[FileType]) -> u64 {
        types.iter().map(|file_type| self.0[*file_type as usize]).sum()
    }
}

/// The explanation of a listing that met these entries, and what was measured before it.
pub(crate) fn explain(plan: &Plan, census: &Census, measured: &[(Cost, Duration)]) -> String {
    let mut text = requests(plan, census);
    let active = plan.colors.as_ref().map_or(Vec::new(), Colors::costs);
    for (cost, each) in measured {
        let same = |one: &Cost| one.file_type == cost.file_type && one.fields == cost.fields;
        let off = if active.iter().any(same) { "" } else { ", switched off" };
        let count = census.of(&[cost.file_type]);
        let _ = writeln!(
            text,
            "Measured: {}{off}: {} of {}, {count} × {:.4} ms = {:.3} s, one after the other.",
            cost.keys.join(", "),
            words(cost.fields),
            kinds(&[cost.file_type]),
            each.as_secs_f64() * 1e3,
            each.as_secs_f64() * count as f64,
        );
    }
    text
}

/// What the listing requests, and which colours would cost nothing.
fn requests(plan: &Plan, census: &Census) -> String {
    let need = |((what, fields), types): &(Reason, Vec<FileType>)| {
        let here = counted(census.of(types), "entry", "entries");
        needs(what, *fields, &format!("{}, here {here}", kinds(types)))
    };
    let asked: Vec<_> = asked(plan).iter().map(need).collect();
    let colors = plan.colors.as_ref().filter(|_| !asked.is_empty());
    explained([(true, READING)], asked, None) + &colors.map_or(String::new(), free_colors)
}

/// The reasons, each with the types that it concerns.
fn asked(plan: &Plan) -> Vec<(Reason, Vec<FileType>)> {
    let mut asked: Vec<(Reason, Vec<FileType>)> = Vec::new();
    for file_type in FileType::ALL.into_iter().filter(|file_type| *file_type != FileType::Unknown) {
        for reason in reasons(plan, file_type) {
            match asked.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, types)) => types.push(file_type),
                None => asked.push((reason, vec![file_type])),
            }
        }
    }
    asked
}

fn kinds(types: &[FileType]) -> String {
    let word = |file_type: &FileType| match file_type {
        FileType::File => "files",
        FileType::Directory => "directories",
        FileType::Symlink => "links",
        FileType::Fifo => "pipes",
        FileType::Socket => "sockets",
        FileType::CharDevice | FileType::BlockDevice => "devices",
        _ => "others",
    };
    if types.len() >= FileType::ALL.len() - 1 {
        return "every entry".to_owned();
    }
    if types.len() >= FileType::ALL.len() - 2 && !types.contains(&FileType::Symlink) {
        return "every entry but links".to_owned();
    }
    let mut words: Vec<&str> = types.iter().map(word).collect();
    words.dedup();
    words.join(", ")
}

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
    dir.fill(&mut buffer).at_end?;
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
