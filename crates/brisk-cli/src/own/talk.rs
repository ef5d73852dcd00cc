//! What is printed of each file, in GNU's words.

use std::fmt::Write;

use brisk::FileType;

use crate::show::mode::letters;
use crate::show::quoting::in_message;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Changed,
    /// It would be changed.
    WouldChange,
    /// It is as it should be.
    Retained,
    Failed,
    /// It is a link, whose mode means nothing.
    NotApplied,
    /// Nothing is known of it.
    Unseen,
}

/// The line about a file. `noun`: what changes; then its state before and after, as far as they are
/// known and to be named.
pub(super) fn line(
    path: &[u8],
    status: Status,
    noun: &str,
    (before, after): (Option<String>, Option<String>),
) -> String {
    let path = in_message(path);
    let is_mode = noun == "mode";
    let mut line = match status {
        Status::NotApplied => {
            return format!("neither symbolic link {path} nor referent has been changed\n");
        }
        Status::Unseen if is_mode => return format!("{path} could not be accessed\n"),
        Status::Retained => {
            let kept = before.map(|before| format!(" as {before}")).unwrap_or_default();
            return format!("{noun} of {path} retained{kept}\n");
        }
        Status::Changed if is_mode => format!("mode of {path} changed"),
        Status::Changed => format!("changed {noun} of {path}"),
        Status::WouldChange => format!("would change {noun} of {path}"),
        Status::Failed | Status::Unseen => format!("failed to change {noun} of {path}"),
    };
    // Writing to memory cannot fail.
    for (word, state) in [("from", before), ("to", after)] {
        if let Some(state) = state {
            let _ = write!(line, " {word} {state}");
        }
    }
    line + "\n"
}

/// A mode as a number and in letters: `0644 (rw-r--r--)`.
pub(super) fn mode(mode: u32) -> String {
    format!("{mode:04o} ({})", permissions(mode))
}

/// A mode in letters.
pub(super) fn permissions(mode: u32) -> String {
    String::from_utf8_lossy(&letters(FileType::File, Some(mode))[1..]).into_owned()
}

/// Two owners, as far as they are to be named: `ann:users`.
pub(super) fn owners([user, group]: &[Option<String>; 2]) -> Option<String> {
    match (user, group) {
        (Some(user), Some(group)) => Some(format!("{user}:{group}")),
        (user, group) => user.clone().or_else(|| group.clone()),
    }
}
