//! What a state remembers of the options that chose its entries: a text. A run with other options
//! would report the entries that it leaves out as deleted, and accept that.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::Path;

use brisk_state::{State, Unusable};

use super::compare::CompareOptions;
use super::files::index_refusal;
use super::flags;
use super::flags::Options;
use crate::filter::Selecting;
use crate::show::quoting::{quoted, retypable};
use crate::show::safe::os_str;

/// The text begins with this version. The words of the options follow, each after a null byte.
const VERSION: &[u8] = b"1";

/// The filters of a state without a text, which holds everything. The libraries make such states.
const ALL: &str = "--unrestricted";

/// The text for these words.
pub(super) fn text(words: &[OsString]) -> Vec<u8> {
    if words == [ALL] {
        return Vec::new();
    }
    // Order matters only among ignore files: a later one overrules an earlier one.
    let is_file = |word: &[u8]| word.starts_with(b"--ignore-file=");
    let mut words: Vec<_> = words.iter().map(|word| word.as_encoded_bytes()).collect();
    words.sort_by(|a, b| if is_file(a) && is_file(b) { Ordering::Equal } else { a.cmp(b) });
    words.dedup();
    words.insert(0, VERSION);
    words.join(&0)
}

/// The words of a text; `None` if it is of another version.
fn words_of(text: &[u8]) -> Option<Vec<OsString>> {
    if text.is_empty() {
        return Some(vec![ALL.into()]);
    }
    let mut parts = text.split(|byte| *byte == 0);
    (parts.next() == Some(VERSION)).then(|| parts.map(|word| os_str(word).to_owned()).collect())
}

/// The options with which the state was made, if they choose other entries than these.
///
/// # Errors
/// The message for the user: the filters differ, and this is not a dry run, or is a watch; the file
/// is that of `brisk find --index`; or this brisk does not know the filters of the state.
pub(super) fn other_options(
    options: &Options,
    state: &Result<State, Unusable>,
) -> Result<Option<Options>, String> {
    let shown = quoted(&options.state);
    let names_only = match state {
        Ok(state) => state.names_only(),
        Err(Unusable::Damaged) => State::names_only_at(&options.state) == Some(true),
        Err(_) => false,
    };
    if names_only {
        return Err(index_refusal(&options.state));
    }
    let Ok(state) = state else { return Ok(None) };
    let made = made(&shown, state.made_with())?;
    if is_same(&options.filter_words, &made) {
        return Ok(None);
    }
    let Options { compare: CompareOptions { selecting, .. }, filter_words, .. } = made;
    let is_watch = options.watching.is_on;
    if options.dry_run && !is_watch {
        let compare = CompareOptions { selecting, ..options.compare.clone() };
        return Ok(Some(Options { compare, filter_words, ..options.clone() }));
    }
    let without = if is_watch { " without --watch" } else { "" };
    Err(format!(
        "{}: use --dry-run{without} to look, --state for another state, or start over with: \
         brisk rm {}",
        made_with_others(&shown, &filter_words),
        retypable(&options.state)
    ))
}

/// The filters with which a directory is read that is compared with a state: the state's own.
/// `given`: the words of the filters that the user gave.
///
/// # Errors
/// The message for the user: the user's filters differ, or this brisk does not know the state's.
pub(crate) fn filters_of(
    state: &Path,
    made_with: &[u8],
    given: &[OsString],
) -> Result<Selecting, String> {
    let shown = quoted(state);
    let made = made(&shown, made_with)?;
    if given.is_empty() || is_same(given, &made) {
        return Ok(made.compare.selecting);
    }
    Err(format!("{}: leave them out", made_with_others(&shown, &made.filter_words)))
}

/// Whether these filters, if any, leave something out.
pub(crate) fn leave_something_out(words: &[OsString]) -> bool {
    let all = read(b"").filter(|_| !words.is_empty());
    all.is_some_and(|all| !is_same(words, &all))
}

/// The options with which a state was made.
fn made(shown: &str, text: &[u8]) -> Result<Options, String> {
    read(text).ok_or_else(|| {
        format!("{shown} was made with filters that this brisk does not know; name another state")
    })
}

fn read(text: &[u8]) -> Option<Options> {
    flags::read(&words_of(text)?).ok()
}

/// Whether these words choose the same entries as those with which a state was made.
fn is_same(words: &[OsString], made: &Options) -> bool {
    // Both texts are in order, so the same filters are equal.
    let ours = read(&text(words));
    ours.is_some_and(|ours| ours.compare.selecting == made.compare.selecting)
}

fn made_with_others(shown: &str, words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(retypable).collect();
    let with = if words.is_empty() { "no filters".to_owned() } else { words.join(" ") };
    format!("{shown} was made with {with}, not with these filters")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(line: &str) -> Vec<u8> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        text(&flags::read(&words).unwrap().filter_words)
    }

    /// A later version reads the texts that this one has written.
    #[test]
    fn the_text_is_versioned_and_each_filter_is_in_it() {
        let written = text_of("src -t f -e rs -e c -m x -o 7 --json --output out --save s");
        let words = "1 --extension=c --extension=rs --match=x --output=out --owner=7 --type=f";
        assert_eq!(written, words.replace(' ', "\0").as_bytes());
        assert_eq!(text_of("src"), b"1");
        assert_eq!(text_of("-u src"), b"", "as states that libraries make");
        let files = "1 --ignore-file=b --ignore-file=a";
        assert_eq!(text_of("--ignore-file b --ignore-file a"), files.replace(' ', "\0").as_bytes());
        assert_eq!(words_of(b"2\0--new"), None);
    }

    #[test]
    fn a_text_gives_the_options_again() {
        for line in [
            "src",
            "-u",
            "-HI -E a=b -E c --exclude-regex ^x --ignore-contain y",
            "-t d -t x -S +1k -S -4k --changed-within 1d --ctime-before 2w --created-within 3d",
            "-s -g -p -m *.rs --and a --no-ignore-vcs --no-require-git --no-ignore-parent",
            "-F -m -x --no-global-ignore-file --ignore-file r",
        ] {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let made = flags::read(&words).unwrap();
            let again = flags::read(&words_of(&text(&made.filter_words)).unwrap()).unwrap();
            assert_eq!(text(&again.filter_words), text(&made.filter_words), "{line}");
            assert!(again.compare.selecting == made.compare.selecting, "{line}");
        }
    }
}
