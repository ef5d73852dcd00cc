//! What a user may have meant by an unknown word.

/// The word that is most like `given`: at most one letter in three is missing, added, replaced, or
/// swapped with its neighbour, or `given` is a part of it, as `depth` is of `max-depth`. Of two such
/// words, the first; none that means the opposite.
#[cold]
pub(crate) fn nearest<'w>(given: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let is_part = |word: &str| word.split('-').any(|part| part == given);
    let is_opposite = |word: &str| {
        OPPOSITES.iter().any(|(one, other)| given.contains(one) && word.contains(other))
    };
    words
        .filter(|word| !is_opposite(word))
        .map(|word| (strsim::damerau_levenshtein(given, word), word))
        .filter(|(mistakes, word)| mistakes * 3 <= word.len() || is_part(word))
        .min_by_key(|(mistakes, _)| *mistakes)
        .map(|(_, word)| word)
}

const OPPOSITES: &[(&str, &str)] =
    &[("include", "exclude"), ("newer", "older"), ("exclude", "include"), ("older", "newer")];

#[cfg(test)]
mod tests {
    use super::*;

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
        let near = |given| nearest(given, ["exclude", "older-than"].into_iter());
        assert_eq!(
            (near("include"), near("newer-than"), near("excludes")),
            (None, None, Some("exclude"))
        );
    }
}
