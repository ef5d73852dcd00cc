//! `--explain`: what a listing asks of the file system, why, of how many entries, and which
//! LS_COLORS would make it ask for nothing; with `--explain=measure`, what each colour costs.

use std::fmt::Write;

use brisk::FileType;
use brisk_colors::{Colors, Cost};

use super::measure::Measured;
use super::plan::Plan;
use super::wants::{self, Reason};
use crate::show::fields::{limit_told, words};

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
pub(crate) fn explain(plan: &Plan, census: &Census, measured: &[Measured]) -> String {
    let mut text = requests(plan, census);
    let active = plan.colors.as_ref().map_or(Vec::new(), Colors::costs);
    for Measured { cost, each } in measured {
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
    let mut text = String::from(
        "Names and types come with each directory: openat2, getdents64, close for each.\n",
    );
    let asked = asked(plan);
    text.extend(limit_told().map(|line| line + ".\n"));
    if asked.is_empty() {
        text.push_str("Nothing else is requested for any entry.\n");
        return text;
    }
    for (Reason { what, fields }, types) in &asked {
        let count = census.of(types);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{what}: {} of {}, here {count} {}.",
            words(*fields),
            kinds(types),
            if count == 1 { "entry" } else { "entries" },
        );
    }
    text.push_str("Each entry costs one request, for all fields that one request can return.\n");
    if let Some(colors) = &plan.colors {
        explain_colors(colors, &mut text);
    }
    text
}

fn explain_colors(colors: &Colors, text: &mut String) {
    let suffix = colors.free_suffix();
    if suffix.is_empty() {
        text.push_str("The colours cost nothing.\n");
    } else {
        let value = format!("LS_COLORS=\"$LS_COLORS:{suffix}\"");
        let _ = writeln!(text, "Colours that cost nothing: {value}");
        text.push_str("The same in a file for dircolors:\n");
        for (key, code) in suffix.split(':').filter_map(|word| word.split_once('=')) {
            let _ = writeln!(text, "  {} {code}", dircolors_word(key));
        }
        let _ = writeln!(text, "For all users, in /etc/profile.d/ls-colors.sh: export {value}");
    }
}

/// What a key of `LS_COLORS` is called in the files that dircolors reads.
fn dircolors_word(key: &str) -> &str {
    match key {
        "ca" => "CAPABILITY",
        "ex" => "EXEC",
        "ln" => "LINK",
        "mh" => "MULTIHARDLINK",
        "mi" => "MISSING",
        "or" => "ORPHAN",
        "ow" => "OTHER_WRITABLE",
        "sg" => "SETGID",
        "st" => "STICKY",
        "su" => "SETUID",
        "tw" => "STICKY_OTHER_WRITABLE",
        key => key,
    }
}

/// The reasons, each with the types that it concerns.
fn asked(plan: &Plan) -> Vec<(Reason, Vec<FileType>)> {
    let mut asked: Vec<(Reason, Vec<FileType>)> = Vec::new();
    for file_type in FileType::ALL.into_iter().filter(|file_type| *file_type != FileType::Unknown) {
        for reason in wants::reasons(&plan.settings, plan.colors.as_ref(), file_type) {
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
