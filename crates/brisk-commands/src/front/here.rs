//! What the program says if it is called without a command on a terminal: three commands that do
//! something in the current directory.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::Path;

/// The most entries that are looked at.
const MAX_LOOK: usize = 1000;

/// Directories that programs make and that can be made again.
const MADE: [&str; 6] = ["target", "node_modules", "build", "dist", "__pycache__", ".venv"];

/// The program's help, with these examples in place of its own.
pub(crate) fn help_for_here(help: &str) -> String {
    let own = help.split_once("Examples:").zip(help.split_once("\nCommands:"));
    let Some(((above, _), (_, below))) = own else { return help.to_owned() };
    let here = fs::read_dir(".").into_iter().flatten().take(MAX_LOOK);
    let entries: Vec<DirEntry> = here.filter_map(Result::ok).collect();
    let width = 31;
    let examples = [size(), listing(&entries), removal()];
    let line =
        |(words, does): (String, &str)| format!("  {:width$}{does}\n", format!("brisk {words}"));
    let lines: String = examples.into_iter().map(line).collect();
    format!("{above}In this directory:\n{lines}\nCommands:{below}")
}

fn size() -> (String, &'static str) {
    ("du --top 10".to_owned(), "Show what takes the most space")
}

/// Finds the files of the most frequent extension.
fn listing(entries: &[DirEntry]) -> (String, &'static str) {
    let mut numbers = BTreeMap::<String, usize>::new();
    for entry in entries.iter().filter(|entry| entry.file_type().is_ok_and(|it| it.is_file())) {
        let name = entry.file_name();
        let extension = Path::new(&name).extension().and_then(|it| it.to_str());
        let is_plain = |it: &&str| it.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if let Some(extension) = extension.filter(is_plain) {
            *numbers.entry(extension.to_owned()).or_default() += 1;
        }
    }
    let most = numbers.iter().max_by_key(|(_, number)| **number);
    match most {
        Some((extension, _)) => (format!("find -e {extension}"), "List the files of this kind"),
        None => ("ls --tree --max-depth 2".to_owned(), "Show the tree, two levels deep"),
    }
}

fn removal() -> (String, &'static str) {
    match MADE.into_iter().find(|name| fs::symlink_metadata(name).is_ok_and(|it| it.is_dir())) {
        Some(name) => (format!("rm -r --dry-run {name}"), "Show what would be removed"),
        None => ("changed".to_owned(), "Record this tree; from then on, show what changed"),
    }
}
