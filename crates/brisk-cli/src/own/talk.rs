//! What is printed of each file, in GNU's words.

use brisk::FileType;

use crate::show::mode::letters;
use crate::show::quoting::in_message;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It is changed; in a dry run, it would be.
    Changed,
    /// It is as it should be.
    Retained,
    Failed,
    /// It is a link, whose mode means nothing.
    NotApplied,
    /// Nothing is known of it.
    Unseen,
}

/// A file's state before and after, as far as they are known and to be named.
pub(super) type States = [Option<String>; 2];

/// The line about a file. `noun`: what changes.
pub(super) fn line(
    path: &[u8],
    status: Status,
    noun: &str,
    is_trial: bool,
    [before, after]: States,
) -> String {
    let path = in_message(path);
    let state = |word, state: Option<String>| {
        state.map(|state| format!(" {word} {state}")).unwrap_or_default()
    };
    let from_to = |before, after| state("from", before) + &state("to", after) + "\n";
    let is_mode = noun == "mode";
    let did = match status {
        Status::NotApplied => {
            return format!("neither symbolic link {path} nor referent has been changed\n");
        }
        Status::Unseen if is_mode => return format!("{path} could not be accessed\n"),
        Status::Retained => {
            return format!("{noun} of {path} retained{}\n", state("as", before));
        }
        Status::Changed if is_trial => "would change",
        Status::Changed if is_mode => {
            return format!("mode of {path} changed{}", from_to(before, after));
        }
        Status::Changed => "changed",
        Status::Failed | Status::Unseen => "failed to change",
    };
    format!("{did} {noun} of {path}{}", from_to(before, after))
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
pub(super) fn owners(names: &[Option<String>; 2]) -> Option<String> {
    let named: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    Some(named.join(":")).filter(|_| !named.is_empty())
}
