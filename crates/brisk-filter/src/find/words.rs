//! Splitting a line into words as a shell does: blanks separate words, unless quotes or a backslash
//! protect them. Nothing is expanded.

/// A word, and where it begins: how many characters of the line precede it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub at: usize,
}

/// The words of a line.
///
/// # Errors
/// The place of a quote that is not closed, or of a backslash at the end.
pub fn split(line: &str) -> Result<Vec<Word>, usize> {
    let mut words = Vec::new();
    let mut open: Option<Word> = None;
    let mut chars = line.chars().enumerate();
    while let Some((at, c)) = chars.next() {
        if matches!(c, ' ' | '\t' | '\n') {
            words.extend(open.take());
            continue;
        }
        let text = &mut open.get_or_insert_with(|| Word { text: String::new(), at }).text;
        let mut next = || chars.next().map(|(_, c)| c).ok_or(at);
        match c {
            '\\' => text.push(next()?),
            '\'' | '"' => loop {
                match next()? {
                    end if end == c => break,
                    // Between double quotes, a backslash protects only these.
                    '\\' if c == '"' => match next()? {
                        kept @ ('"' | '\\' | '$' | '`') => text.push(kept),
                        other => text.extend(['\\', other]),
                    },
                    other => text.push(other),
                }
            },
            other => text.push(other),
        }
    }
    words.extend(open);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_a_shell_does() {
        for (line, words) in [
            ("", &[][..]),
            ("  a\t b\n", &["a", "b"]),
            (r"a\ b \'", &["a b", "'"]),
            (r#"'a "b' "c \" \d" ''"#, &[r#"a "b"#, r#"c " \d"#, ""]),
            (r#"a'b'"c"d"#, &["abcd"]),
            (r"( -name \*.rs )", &["(", "-name", "*.rs", ")"]),
        ] {
            let found = split(line).unwrap();
            let found: Vec<_> = found.iter().map(|word| &*word.text).collect();
            assert_eq!(found, words, "{line}");
        }
    }

    #[test]
    fn words_know_their_places() {
        let places: Vec<_> = split("a 'é c'd \"e\"").unwrap().iter().map(|word| word.at).collect();
        assert_eq!(places, [0, 2, 9]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for (line, at) in [("a 'b", 2), ("\"a\\\"", 0), ("a\\", 1)] {
            assert_eq!(split(line), Err(at), "{line}");
        }
    }
}
