//! `brisk bench rm`: removing a tree, by brisk and by other programs. Each run removes a fresh copy
//! of the tree's shape ([`Scratch`]); the tree itself is only read.

use super::machine;
use super::options::Options;
use super::programs;
use super::report::Report;
use super::rivals::{Rival, removers};
use super::scratch::{Scratch, Shape};

const GROUP: &str = "Removing the whole tree";

/// Measures. After each run, checks that the program left nothing.
///
/// # Errors
/// There is no place or no room for a copy, a copy cannot be made, or the user interrupted.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    let shape = match options.files.first() {
        Some(entries) => Shape::of_packages(entries.get()),
        None => Shape::of(dir)?,
    };
    let entries = shape.entries();
    let unread = shape.unread;
    let scratch = Scratch::new(dir, options.scratch.as_deref(), shape)?;
    let (programs, not_installed) = programs(&scratch)?;
    let mut notes = vec![
        "each run removes a fresh copy of the tree with empty files: contents would take longer"
            .to_owned(),
    ];
    notes.extend(not_installed);
    if unread > 0 {
        notes.push(format!(
            "{unread} directories could not be read, and the copy lacks their contents"
        ));
    }
    let machine = machine::facts(scratch.place());
    let lines = programs::measure(&programs, options, Some(&scratch), &mut notes)?;
    Ok(Report { machine, ..Report::new("rm", dir, Some(entries), lines, notes) })
}

/// The programs: brisk with its own choice, then brisk's other ways, then the others. All are
/// started beside the copy. A note names those that are not installed.
fn programs(scratch: &Scratch) -> Result<(Vec<Rival>, Option<String>), String> {
    let place = scratch.place();
    let mut programs = Vec::new();
    for (name, words) in [
        ("brisk rm -rf", &["rm", "-rf", "tree"][..]),
        ("brisk rm -rf --threads=1", &["rm", "-rf", "--threads=1", "tree"]),
        ("brisk rm -rf --threads=2", &["rm", "-rf", "--threads=2", "tree"]),
        ("brisk rm -rf --threads=4", &["rm", "-rf", "--threads=4", "tree"]),
    ] {
        programs.push(Rival::own(GROUP, name, words, place)?);
    }
    let (others, not_installed) = removers(GROUP);
    programs.extend(others);
    for program in &mut programs {
        program.place = Some(place.to_owned());
    }
    Ok((programs, not_installed))
}
