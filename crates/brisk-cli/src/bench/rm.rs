//! `brisk bench rm`: removing a tree, by brisk and by other programs. Each run removes a fresh copy
//! of the tree's shape ([`Scratch`]); the tree itself is only read.

use std::path::Path;

use super::machine;
use super::options::Options;
use super::programs;
use super::report::Report;
use super::rivals::{Known, Lists, Rival, installed, not_installed};
use super::scratch::{Scratch, Shape};

const GROUP: &str = "Removing the whole tree";

/// Other programs that remove `tree`.
#[cfg(not(windows))]
const OTHERS: &[Known] = &[
    (GROUP, "rm", &["-rf", "tree"], Lists::Other),
    (GROUP, "find", &["tree", "-delete"], Lists::Other),
    (GROUP, "bfs", &["tree", "-delete"], Lists::Other),
    (GROUP, "rmz", &["-f", "tree"], Lists::Other),
    (GROUP, "python3", &["-c", "import shutil; shutil.rmtree('tree')"], Lists::Other),
    (GROUP, "node", &["-e", "fs.rmSync('tree', { recursive: true })"], Lists::Other),
    (GROUP, "rimraf", &["tree"], Lists::Other),
];

/// Other programs that remove `tree`. Beside it is an empty directory `empty`, for robocopy.
#[cfg(windows)]
const OTHERS: &[Known] = &[
    (GROUP, "cmd", &["/d", "/c", "rd", "/s", "/q", "tree"], Lists::Other),
    (
        GROUP,
        "cmd",
        &["/d", "/c", "del", "/f", "/s", "/q", "tree", "&", "rd", "/s", "/q", "tree"],
        Lists::Other,
    ),
    (GROUP, "robocopy", &["empty", "tree", "/MIR"], Lists::Other),
    (GROUP, "node", &["-e", "fs.rmSync('tree', { recursive: true })"], Lists::Other),
];

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
    let programs = programs(&scratch)?;
    let mut notes = vec![
        "each run removes a fresh copy of the tree with empty files: contents would take longer"
            .to_owned(),
    ];
    notes.extend(not_installed(OTHERS));
    if unread > 0 {
        notes.push(format!(
            "{unread} directories could not be read, and the copy lacks their contents"
        ));
    }
    let machine = machine::facts(scratch.place());
    let lines = programs::measure(&programs, options, Some(&scratch), &mut notes)?;
    Ok(Report { machine, ..Report::new("rm", dir, Some(entries), lines, notes) })
}

/// The programs: brisk with its own choice, then brisk's other ways, then the others. All run
/// in the directory that holds the copy.
fn programs(scratch: &Scratch) -> Result<Vec<Rival>, String> {
    let place = scratch.place();
    let own = |threads: &[&str]| {
        let words = [&["rm", "-rf"], threads].concat();
        let name = format!("brisk {}", words.join(" "));
        Rival::own(GROUP, &name, &[&words[..], &["tree"]].concat(), place)
    };
    let mut programs = vec![own(&[])?];
    for threads in ["--threads=1", "--threads=2", "--threads=4"] {
        programs.push(own(&[threads])?);
    }
    programs.extend(installed(OTHERS, Path::new("tree")));
    for program in &mut programs {
        program.place = Some(place.to_owned());
    }
    Ok(programs)
}
