//! Why values of filters are refused, in brisk's words or, under its name, in fd's.

use std::ops::RangeInclusive;
use std::path::Path;

use brisk_filter::pattern::{Refused, Syntax};
use brisk_filter::{NotOwner, NotTime, OwnerRule};

use crate::front::messages::Caller;
use crate::front::{Refusal, texts};
use crate::show::quoting::quoted;

/// What the user may have meant by a pattern that is no regular expression.
pub(super) const IN_PLACE: &str = "use -g for a glob, -F for plain text";

const ONLY_HIDDEN: &str = "The pattern(s) seems to only match files with a leading dot, but hidden \
    files are filtered by default. Consider adding -H/--hidden to search hidden files as well or \
    adjust your search pattern(s).";

/// The size of `--size`, as `read` reads it.
///
/// # Errors
/// The text is not a size.
pub(crate) fn size_range(
    text: &str,
    read: fn(&str) -> Option<RangeInclusive<u64>>,
) -> Result<RangeInclusive<u64>, Refusal> {
    let refusal = || Refusal::hinted(format!("{} is not a valid size constraint", quoted(text)));
    read(text).ok_or_else(refusal)
}

/// The rule of `--owner`.
///
/// # Errors
/// The text is not a rule.
pub(crate) fn owner(text: &str) -> Result<Option<OwnerRule>, Refusal> {
    OwnerRule::parse(text).map_err(|why| match why {
        NotOwner::Colons => {
            let shown = quoted(text);
            Refusal::hinted(format!("more than one ':' present in owner string {shown}"))
        }
        NotOwner::User(name) => format!("{} is not a recognized user name", quoted(&name)).into(),
        NotOwner::Group(name) => format!("{} is not a recognized group name", quoted(&name)).into(),
    })
}

/// The message about a limit on times.
#[cold]
pub(super) fn time(text: &str, why: NotTime, caller: Caller) -> String {
    let shown = quoted(text);
    match why {
        NotTime::Future => format!("{shown} lies in the future: {}", texts::TIME),
        NotTime::MinutesOrMonths => shown + texts::MINUTES_OR_MONTHS,
        NotTime::Unreadable if caller == Caller::Fd => {
            format!("{shown} is not a valid date or duration. See 'fd --help'.")
        }
        NotTime::Unreadable => format!(
            "{shown} is neither a date nor an age: {} (--where '-newer FILE' compares with a file)",
            texts::TIME
        ),
    }
}

/// The message about a pattern. fd's have several lines.
#[cold]
pub(super) fn pattern(why: Refused, syntax: Syntax, in_place: &str, caller: Caller) -> String {
    match why {
        Refused::Path(pattern) if caller == Caller::Fd => {
            let shown = quoted(&pattern);
            format!(
                "The search pattern {shown} contains a path-separation character and will not lead \
                 to any search results.\n\n\
                 If you want to search for all files inside the {shown} directory, use a match-all \
                 pattern:\n\n  fd . {shown}\n\n\
                 Instead, if you want your pattern to match the full file path, use:\n\n  \
                 fd --full-path {shown}"
            )
        }
        Refused::Path(pattern) => is_a_path(&pattern, syntax),
        Refused::Regex(_, why) if caller == Caller::Fd => format!(
            "{why}\n\nNote: You can search for literal substrings with '--fixed-strings' or \
             literal strings with '--exact' options (instead of a regular expression). \
             Alternatively, you can also use the '--glob' option to match on a glob pattern."
        ),
        Refused::Regex(source, why) => {
            let cause = why.lines().last().unwrap_or_default();
            let cause = cause.strip_prefix("error: ").unwrap_or(cause);
            let source = quoted(&source);
            format!("{source} is not a regular expression: {cause}; {in_place}")
        }
        Refused::Glob(why) => why,
        Refused::OnlyHidden => ONLY_HIDDEN.to_owned(),
    }
}

fn is_a_path(pattern: &str, syntax: Syntax) -> String {
    let shown = quoted(pattern);
    // --full-path compares absolute paths: a relative glob needs `**/`; --exact would never match.
    let whole = match syntax {
        // As a regular expression it would match, and mean something else.
        Syntax::Regex if pattern.contains("/*") => {
            return is_a_path(pattern, Syntax::Glob);
        }
        Syntax::Regex => shown.clone(),
        Syntax::Glob if pattern.starts_with('/') || pattern.starts_with("**/") => {
            format!("--glob {shown}")
        }
        Syntax::Glob => format!("--glob {}", quoted(&format!("**/{pattern}"))),
        Syntax::Fixed | Syntax::Exact => format!("--fixed-strings {shown}"),
    };
    let is_dir = Path::new(pattern).is_dir();
    let list = if is_dir { format!("; to list it: brisk find . {shown}") } else { String::new() };
    format!("{shown} has a slash; names have none; to match paths: --full-path {whole}{list}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Selecting;

    #[test]
    fn refusals_are_in_the_words_of_the_program() {
        let told = |pattern: &str, caller| {
            let mut selecting = Selecting::default();
            selecting.matching.pattern = pattern.to_owned();
            selecting.filter(caller).unwrap_err()
        };
        assert!(told("src/main", Caller::Fd).ends_with("fd --full-path 'src/main'"));
        assert!(told("src/main", Caller::Brisk).ends_with("paths: --full-path 'src/main'"));
        assert!(told("src/*.rs", Caller::Brisk).ends_with("--full-path --glob '**/src/*.rs'"));
        assert!(told(r"^\.git", Caller::Fd).contains("--hidden"));
        assert!(told("[a", Caller::Fd).contains("--fixed-strings"));
        assert!(told("[a", Caller::Brisk).ends_with("-F for plain text"));
    }
}
