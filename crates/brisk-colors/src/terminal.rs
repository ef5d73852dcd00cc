//! Terminals that GNU ls knows to have colours. GNU ls asks only where `LS_COLORS` is not set.

/// The names of terminals in the list that comes with GNU ls 9.1, as patterns of a shell. Later
/// versions know more.
const TERMS: [&[u8]; 25] = [
    b"Eterm",
    b"ansi",
    b"*color*",
    b"con[0-9]*x[0-9]*",
    b"cons25",
    b"console",
    b"cygwin",
    b"*direct*",
    b"dtterm",
    b"gnome",
    b"hurd",
    b"jfbterm",
    b"konsole",
    b"kterm",
    b"linux",
    b"linux-c",
    b"mlterm",
    b"putty",
    b"rxvt*",
    b"screen*",
    b"st",
    b"terminator",
    b"tmux*",
    b"vt100",
    b"xterm*",
];

/// Whether a terminal is known to have colours, by the values of `COLORTERM` (any value will do)
/// and `TERM` (GNU's list must have it). This never makes a system call.
pub(super) fn is_known_terminal(colorterm: Option<&[u8]>, term: Option<&[u8]>) -> bool {
    let term = term.unwrap_or_default();
    colorterm.is_some_and(|value| !value.is_empty())
        || (!term.is_empty() && TERMS.iter().any(|pattern| matches(pattern, term)))
}

/// Whether a pattern matches the text: `*` matches anything, `[0-9]` a digit, and nothing else is
/// special.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], _) => text.is_empty(),
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|at| matches(rest, &text[at..])),
        ([b'[', b'0', b'-', b'9', b']', rest @ ..], [byte, tail @ ..]) => {
            byte.is_ascii_digit() && matches(rest, tail)
        }
        ([wanted, rest @ ..], [byte, tail @ ..]) => wanted == byte && matches(rest, tail),
        (_, []) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_known_by_either_variable() {
        let known = |colorterm: Option<&str>, term: Option<&str>| {
            is_known_terminal(colorterm.map(str::as_bytes), term.map(str::as_bytes))
        };
        for term in ["xterm", "xterm-256color", "screen.linux", "con80x25", "linux", "my-color-1"] {
            assert!(known(None, Some(term)), "{term}");
        }
        for term in ["", "dumb", "linux-", "con80y25", "conx25", "vt220", "xter", "unknown"] {
            assert!(!known(None, Some(term)), "{term}");
            assert!(known(Some("1"), Some(term)), "{term}");
        }
        assert!(!known(None, None));
        assert!(!known(Some(""), None));
        assert!(known(Some("truecolor"), None));
    }
}
