//! Suggestions for an unknown option or command.

/// The suggestion for `given`: the word with its meaning in other programs or, failing that, the
/// most similar word. A word is similar if its edit distance from `given` is at most a third of its
/// length, or if `given` is one of its parts, as `depth` is of `max-depth`. The first of equally
/// similar words wins; a word with the opposite meaning is never suggested.
#[cold]
pub(crate) fn nearest<'w>(given: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let is_part = |word: &str| word.split('-').any(|part| part == given);
    let is_opposite = |word: &str| {
        OPPOSITES.iter().any(|(one, other)| given.contains(one) && word.contains(other))
    };
    words
        .filter(|word| !is_opposite(word))
        .map(|word| {
            let is_same = ELSEWHERE.contains(&(given, word));
            (if is_same { 0 } else { strsim::damerau_levenshtein(given, word) }, word)
        })
        .filter(|(mistakes, word)| mistakes * 3 <= word.len() || is_part(word))
        .min_by_key(|(mistakes, _)| *mistakes)
        .map(|(_, word)| word)
}

const OPPOSITES: &[(&str, &str)] =
    &[("include", "exclude"), ("newer", "older"), ("exclude", "include"), ("older", "newer")];

/// Options and letters of other programs, each with the option that means the same here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("all", "unrestricted"),
    ("c", "content"),
    ("checksum", "content"),
    ("exclude-dir", "exclude"),
    ("head", "max-results"),
    ("iname", "glob"),
    ("jobs", "threads"),
    ("level", "max-depth"),
    ("limit", "max-results"),
    ("limit", "top"),
    ("long", "list-details"),
    ("max-count", "max-results"),
    ("mtime", "changed-within"),
    ("n", "dry-run"),
    ("n", "top"),
    ("name", "glob"),
    ("newer-than", "changed-within"),
    ("reverse", "sort"),
    ("user", "owner"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::messages::Caller;

    #[test]
    fn a_misspelt_word_is_recognised() {
        let near = |given| nearest(given, ["all", "almost-all", "color", "recursive"].into_iter());
        assert_eq!(near("colr"), Some("color"));
        assert_eq!(near("colour"), Some("color"));
        assert_eq!(near("recusrive"), Some("recursive"));
        assert_eq!(near("al"), Some("all"));
        assert_eq!(near("almost"), Some("almost-all"));
        assert_eq!(near("x"), None);
        assert_eq!(near("threads"), None);
        let elsewhere = |given| nearest(given, ["part-name", "glob", "max-results"].into_iter());
        assert_eq!(elsewhere("name"), Some("glob"), "other programs' meaning comes first");
        assert_eq!((elsewhere("limit"), elsewhere("checksum")), (Some("max-results"), None));
        let commands =
            [crate::find::flags::command, crate::du::flags::command, crate::cp::flags::command];
        let commands = commands.map(|command| command(Caller::Brisk));
        for (_, here) in ELSEWHERE {
            let mut args = commands.iter().flat_map(clap::Command::get_arguments);
            assert!(args.any(|arg| arg.get_long() == Some(here)), "{here}");
        }
        let near = |given| nearest(given, ["exclude", "older-than"].into_iter());
        assert_eq!(
            (near("include"), near("newer-than"), near("excludes")),
            (None, None, Some("exclude"))
        );
    }
}
