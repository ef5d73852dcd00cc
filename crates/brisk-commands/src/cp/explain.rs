//! `--explain`: how a copy would be made, on which file systems, and with which requests.

use std::path::{Path, PathBuf};

use brisk::Fields;
use brisk::copy::{Copy, Create, Modes, Overwriting, Update, When};
use brisk::filter::Filter;

use super::operands::{Operands, To};
use super::options::Options;
use crate::filter;
use crate::front::messages::cause;
use crate::show::fields::{ALL, READING, explained, need};
use crate::show::quoting::quoted;
use crate::system;

/// Lines for standard error.
// long: a row for each sentence
pub(super) fn explain(
    copy: &Copy,
    filter: &Filter,
    options: &Options,
    operands: &Operands,
) -> String {
    let fills = copy.create == Create::Contents;
    let replaces = copy.overwriting == Overwriting::Replace;
    let facts = [
        (true, "Nothing is copied: this is what the command does without --explain"),
        (copy.recursive, READING),
        (!copy.recursive, "A directory is refused, because -R is not given"),
        (copy.create == Create::HardLink, "--link: each file is one linkat"),
        (copy.create == Create::SymbolicLink, "--symbolic-link: each file is one symlinkat"),
        (fills, "A new file or tree gets its name when it is complete"),
        (fills && replaces, "An existing file is replaced by a new one"),
        (fills && !replaces, "An existing file is overwritten in place, and keeps its inode"),
        (fills && copy.reflink == When::Always, "--reflink: blocks are shared, by one FICLONE"),
        (
            fills && copy.reflink == When::Auto,
            "The kernel copies (copy_file_range), and shares blocks where the file system can; what \
             it refuses is read and written",
        ),
        (fills && copy.reflink == When::Never, "--reflink=never: contents are read and written"),
        (fills && copy.sparse == When::Auto, "Holes are found by SEEK_DATA, and stay holes"),
        (
            copy.preserve.mode == Modes::Preserved,
            "ACLs cost a flistxattr for each entry. Owners are set before modes, times last",
        ),
        (copy.update == Update::Contents, "--content: files of equal size and time are compared"),
        (copy.delete, "--delete: directories at the destination are read too"),
        (copy.sync, "--sync: a syncfs for each file system at the end"),
    ];
    let kept = Fields::MODE | Fields::UID | Fields::GID | Fields::ATIME | Fields::MTIME;
    let compares = !matches!(copy.update, Update::All | Update::None);
    let needs = [
        (true, "A copy", kept | Fields::TYPE | Fields::SIZE | Fields::NLINK | Fields::INO, ALL),
        (compares, "--update", Fields::SIZE | Fields::MTIME, "both sides"),
    ];
    let needs = filter::explain(filter).chain(needs).filter_map(need).collect();
    let alone = || "one worker, which asks".to_owned();
    let workers = if options.asks { alone() } else { options.common.workers() };
    let workers = format!("The work is done by {workers}; one argument after the other");
    explained(facts, needs, places(operands).into_iter().chain([workers]))
}

/// The file systems of the first sources and of their copies.
fn places(operands: &Operands) -> Vec<String> {
    let kind = |path: &Path| system::file_system(path).unwrap_or("an unknown file system".into());
    let to = match &operands.to {
        To::Directory(target) => kind(target.path()),
        To::Name(name) => kind(&Path::new(".").join(name.parent().unwrap_or(name))),
    };
    let place = |source: &PathBuf| {
        if let Err(error) = source.symlink_metadata() {
            return format!("{} cannot be copied: {}", quoted(source), cause(&error));
        }
        let shares = match kind(source) {
            from if from != to => "blocks cannot be shared",
            from if matches!(&*from, "btrfs" | "xfs" | "bcachefs" | "zfs") => {
                "blocks can be shared"
            }
            _ => "the kernel copies",
        };
        format!("{} is on {}, its copy on {to}: {shares}", quoted(source), kind(source))
    };
    operands.sources.iter().take(5).map(place).collect()
}
