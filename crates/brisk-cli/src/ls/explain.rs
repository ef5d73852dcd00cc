//! `--explain`: what a listing asks of the file system, why, of how many entries, and which
//! LS_COLORS would make it ask for nothing; with `--explain=measure`, what each colour costs.

use std::fmt::Write;
use std::time::Duration;

use brisk::FileType;
use brisk_colors::{Colors, Cost};

use super::plan::{Plan, Reason, reasons};
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
