//! GNU cp's words: the message for each failure, and the questions.

use brisk::FileType;
use brisk::copy::{NotCopied, Overwrite, Step};

use super::options::Options;
use crate::front::messages::{cause, failure};
use crate::show::mode::letters;
use crate::show::quoting::{in_message, leading};
use crate::show::safe::path_bytes;

/// The message about a failure.
// long: a line for each step
pub(super) fn message(what: &NotCopied, options: &Options) -> String {
    let [source, destination] = [&what.source, &what.destination].map(path_bytes);
    let [from, to] = [source, destination].map(in_message);
    let why = what.error.as_ref().map(|error| format!(": {}", cause(error))).unwrap_or_default();
    let about = |verb: &str, path: &str| format!("{verb} {path}{why}");
    match what.step {
        Step::Stat => about("cannot stat", &from),
        Step::Open => format!("cannot open {from} for reading{why}"),
        Step::StatOpen => about("cannot fstat", &from),
        Step::ReadDirectory => about("cannot access", &from),
        Step::Read => about("error reading", &from),
        Step::ReadLink => about("cannot read symbolic link", &from),
        Step::StatDestination => about("cannot stat", &to),
        Step::OpenDirectory => about("cannot open directory", &to),
        Step::MakeDirectory => about("cannot create directory", &to),
        Step::CreateFile => about("cannot create regular file", &to),
        Step::CreateFifo => about("cannot create fifo", &to),
        Step::CreateSpecial => about("cannot create special file", &to),
        Step::CreateLink if options.symbolic_links => {
            format!("cannot create symbolic link {to} to {from}{why}")
        }
        Step::CreateLink => about("cannot create symbolic link", &to),
        Step::CreateHardLink => format!("cannot create hard link {to} to {from}{why}"),
        Step::Write => about("error writing", &to),
        Step::Clone => format!("failed to clone {to} from {from}{why}"),
        Step::Remove => about("cannot remove", &to),
        Step::Backup => about("cannot backup", &to),
        Step::Times => about("preserving times for", &to),
        Step::Owners => about("failed to preserve ownership for", &to),
        Step::Mode => about("preserving permissions for", &to),
        Step::Attributes => about("setting attributes for", &to),
        Step::OmitDirectory => about("-r not specified; omitting directory", &from),
        Step::SameFile => format!("{from} and {to} are the same file"),
        Step::IntoItself => format!("cannot copy a directory, {from}, into itself, {to}"),
        Step::DirectoryInTheWay => format!("cannot overwrite directory {to} with non-directory"),
        Step::NoDirectoryInTheWay => {
            format!("cannot overwrite non-directory {to} with directory {from}")
        }
        Step::JustCreated => format!("will not overwrite just-created {to} with {from}"),
        Step::JustCreatedLink => {
            format!("will not copy {from} through just-created symlink {to}")
        }
        Step::BackupIsSource => {
            format!("backing up {to} might destroy source;  {from} not copied")
        }
        Step::DanglingLink => about("not writing through dangling symlink", &to),
        Step::LinkInTheWay => about("not writing through symlink", &to),
        Step::RelativeLink => {
            let name = leading(destination);
            format!("{name}: can make relative symbolic links only in current directory")
        }
        Step::Replaced => format!("skipping file {from}, as it was replaced while being copied"),
        Step::UnknownType => format!("{from} has unknown file type"),
        Step::Loop => format!("cannot copy cyclic symbolic link {from}"),
        // The path of the earlier copy stands for the source.
        Step::DirectoryAgain => format!("will not create hard link {to} to directory {from}"),
        Step::DirectoryGivenTwice => {
            format!("warning: source directory {from} specified more than once")
        }
        Step::GivenTwice => format!("warning: source file {from} specified more than once"),
        _ => format!("{what}"),
    }
}

/// The message about a directory of `--parents`.
pub(super) fn parent_message(what: &NotCopied) -> String {
    let destination = path_bytes(&what.destination);
    match (what.step, &what.error) {
        (Step::MakeDirectory, Some(error)) => failure("cannot make directory", destination, error),
        (_, Some(error)) => failure("failed to get attributes of", path_bytes(&what.source), error),
        (_, None) => format!("{} exists but is not a directory", in_message(destination)),
    }
}

/// The question whether a file may be overwritten.
pub(super) fn question(asked: &Overwrite<'_>, options: &Options) -> String {
    let name = in_message(asked.paths.destination());
    if asked.is_writable {
        return format!("overwrite {name}?");
    }
    let mode = asked.meta.mode().unwrap_or_default() & 0o7777;
    let shown = letters(FileType::File, Some(mode));
    let shown = String::from_utf8_lossy(&shown[1..]);
    if options.copy.remove_destination || options.copy.force {
        return format!("replace {name}, overriding mode {mode:04o} ({shown})?");
    }
    format!("unwritable {name} (mode {mode:04o}, {shown}); try anyway?")
}
