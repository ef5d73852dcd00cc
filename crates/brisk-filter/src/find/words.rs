//! Splitting a line into words as a shell does: blanks separate, quotes and backslashes keep them.
//! Nothing is expanded.

use std::ops::Range;

/// A word, and where it stands in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: Vec<u8>,
    pub at: Range<usize>,
}

/// The words of a line.
///
/// # Errors
/// The place of a quote that is not closed, or of a backslash at the end.
pub fn split(line: &[u8]) -> Result<Vec<Word>, usize> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    while at < line.len() {
        let begin = at;
        let mut piece = &line[at..=at];
        at += 1;
        match line[begin] {
            b' ' | b'\t' | b'\n' => {
                is_open = false;
                continue;
            }
            quote @ (b'\'' | b'"') => {
                let (text, end) = quoted(line, at, quote).ok_or(begin)?;
                extend(&mut words, &mut is_open, &text, begin..end);
                at = end;
                continue;
            }
            b'\\' => {
                piece = line.get(at..=at).ok_or(begin)?;
                at += 1;
            }
            _ => {}
        }
        extend(&mut words, &mut is_open, piece, begin..at);
    }
    Ok(words)
}

fn extend(words: &mut Vec<Word>, is_open: &mut bool, text: &[u8], at: Range<usize>) {
    if !std::mem::replace(is_open, true) {
        words.push(Word { text: Vec::new(), at: at.clone() });
    }
    if let Some(word) = words.last_mut() {
        word.text.extend_from_slice(text);
        word.at.end = at.end;
    }
}

/// What is between quotes, and the place behind the closing one. Between double quotes a backslash
/// keeps a quote, a backslash, `$` and a backtick; before anything else it is itself.
fn quoted(line: &[u8], from: usize, quote: u8) -> Option<(Vec<u8>, usize)> {
    let mut text = Vec::new();
    let mut at = from;
    loop {
        match *line.get(at)? {
            byte if byte == quote => return Some((text, at + 1)),
            b'\\' if quote == b'"' && matches!(line.get(at + 1)?, b'"' | b'\\' | b'$' | b'`') => {
                text.push(line[at + 1]);
                at += 2;
            }
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
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
            let found = split(line.as_bytes()).unwrap();
            let found: Vec<_> = found.iter().map(|it| str::from_utf8(&it.text).unwrap()).collect();
            assert_eq!(found, words, "{line}");
        }
    }

    #[test]
    fn words_know_their_places() {
        let places: Vec<_> = split(br#"a 'b c'd "e""#).unwrap().into_iter().map(|it| it.at).collect();
        assert_eq!(places, [0..1, 2..8, 9..12]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for (line, at) in [("a 'b", 2), ("\"a\\\"", 0), ("a\\", 1)] {
            assert_eq!(split(line.as_bytes()), Err(at), "{line}");
        }
    }
}
