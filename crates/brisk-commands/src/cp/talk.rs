//! GNU cp's words: the message for each failure, and the questions.

use brisk::FileType;
use brisk::copy::{NotCopied, Overwrite, Step};

use super::options::Options;
use crate::front::messages::{cause, failure};
use crate::show::mode::letters;
use crate::show::quoting::{in_message, leading};
use crate::show::safe::path_bytes;

/// The message about a failure.
pub(super) fn message(what: &NotCopied, options: &Options) -> String {
    let [source, destination] = [&what.source, &what.destination].map(path_bytes);
    match (what.step, &what.error) {
        (Step::CreateLink, Some(error)) if options.symbolic_links => {
            let verb = format!("cannot create symbolic link {} to", in_message(destination));
            failure(&verb, source, error)
        }
        (Step::RelativeLink, _) => {
            let name = leading(destination);
            format!("{name}: can make relative symbolic links only in current directory")
        }
        _ => what.words(in_message, cause),
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
