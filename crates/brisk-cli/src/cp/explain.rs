//! `--explain`: how a copy would be made, on which file systems, and what it would ask of them.

use std::path::Path;

use brisk::Fields;
use brisk::copy::{Copy, Create, Modes, Overwriting, Update, When};

use super::operands::{Operands, To};
use super::options::{Existing, Options};
use crate::filter;
use crate::show::fields::{ALL, READING, explained, need};
use crate::show::quoting::quoted;
use crate::system;

/// Lines for standard error.
pub(super) fn explain(copy: &Copy, options: &Options, operands: &Operands) -> String {
    let kept = copy.preserve;
    let compares = matches!(copy.update, Update::Older | Update::Changed | Update::Contents);
    let attributes = Fields::MODE | Fields::UID | Fields::GID | Fields::ATIME | Fields::MTIME;
    let needs = [
        (true, "A copy", Fields::TYPE | Fields::MODE | Fields::SIZE | Fields::INO, ALL),
        (kept.ownership || kept.timestamps, "--preserve", attributes, ALL),
        (kept.links, "--preserve=links", Fields::NLINK | Fields::INO | Fields::DEV, ALL),
        (compares, "--update", Fields::SIZE | Fields::MTIME, "both sides"),
    ];
    let filter = options.selecting.filter(crate::front::messages::Caller::Brisk);
    let filter = filter.unwrap_or_default();
    let needs = filter::explain(&filter).chain(needs).filter_map(need).collect();
    let asks = options.existing == Existing::Asked;
    let workers = if asks { "one worker, which asks".to_owned() } else { options.run.workers() };
    let workers =
        format!("The work is done by {workers}; each argument is finished before the next");
    explained(facts(copy, options), needs, places(operands).into_iter().chain([workers]))
}

/// What the command does: how files are made, filled and put in place.
// long: a row for each sentence
fn facts(copy: &Copy, options: &Options) -> [(bool, &'static str); 16] {
    let kept = copy.preserve;
    let fills = copy.create == Create::Contents;
    let replaces = copy.overwriting == Overwriting::Replace;
    [
        (true, "Nothing is copied: this is what the command does without --explain"),
        (options.recursive, READING),
        (!options.recursive, "A directory is refused, because -R is not given"),
        (copy.create == Create::HardLink, "--link: each file is one linkat"),
        (copy.create == Create::SymbolicLink, "--symbolic-link: each file is one symlinkat"),
        (
            fills,
            "A new file is written without a name where the file system can (O_TMPFILE), else under \
             a temporary one, and gets its name when it is whole",
        ),
        (fills && replaces, "An existing file is replaced by a new one"),
        (fills && !replaces, "An existing file is overwritten in place, and keeps its inode"),
        (
            fills && copy.reflink == When::Always,
            "--reflink: blocks are shared (FICLONE), or it fails",
        ),
        (
            fills && copy.reflink != When::Never,
            "The kernel copies (copy_file_range), and shares blocks where the file system can; what \
             it refuses is read and written",
        ),
        (
            fills && copy.reflink == When::Never,
            "--reflink=never: contents are read and written, and share no blocks",
        ),
        (fills && copy.sparse == When::Auto, "Holes are found by SEEK_DATA, and stay holes"),
        (
            kept.mode == Modes::Preserved,
            "Owners are set before modes, times last; access lists cost a flistxattr for each entry",
        ),
        (
            copy.update == Update::Contents,
            "--content: files of one size and time are read and compared",
        ),
        (copy.delete, "--delete: directories at the destination are read too"),
        (copy.sync, "--sync: a syncfs for each file system at the end"),
    ]
}

/// On which file systems the copies are made.
fn places(operands: &Operands) -> Vec<String> {
    let kind = |path: &Path| system::file_system(path).unwrap_or("an unknown file system".into());
    let target = match &operands.to {
        To::Directory(target) => target.path(),
        To::Name(name) => {
            name.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
        }
    };
    let to = kind(target);
    let place = |source: &std::path::PathBuf| {
        let from = kind(source);
        let shown = quoted(source);
        let shares = match (from == to, &*to) {
            (true, "btrfs" | "xfs" | "bcachefs" | "zfs") => "copies can share blocks",
            (true, _) => "the kernel copies",
            (false, _) => "blocks cannot be shared",
        };
        format!("{shown} is on {from}, its copy on {to}: {shares}")
    };
    operands.sources.iter().take(5).map(place).collect()
}
