//! `--depfile`: a rule in the syntax of make, which ninja reads too.

/// The rule that `target` depends on `paths`, and for each of them a rule without a recipe, so that
/// one that is gone is no error. A path with a newline is left out: make cannot read one.
pub(super) fn rule(target: &[u8], paths: impl Iterator<Item = Vec<u8>> + Clone) -> Vec<u8> {
    let mut out = Vec::new();
    escape(target, &mut out);
    out.push(b':');
    let paths = paths.filter(|path| !path.contains(&b'\n'));
    for path in paths.clone() {
        out.extend_from_slice(b" \\\n ");
        escape(&path, &mut out);
    }
    out.push(b'\n');
    for path in paths {
        escape(&path, &mut out);
        out.extend_from_slice(b":\n");
    }
    out
}

/// Appends a path as the compilers do: a backslash before blanks and `#`, `$` twice. Of backslashes
/// only those before a blank or `#` are escaped.
fn escape(path: &[u8], out: &mut Vec<u8>) {
    for (at, byte) in path.iter().enumerate() {
        match byte {
            b' ' | b'\t' | b'#' => {
                let before = path[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
                out.extend(std::iter::repeat_n(b'\\', before + 1));
            }
            b'$' => out.push(b'$'),
            _ => {}
        }
        out.push(*byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_for_make() {
        let paths = ["a b", "c#d$e", "f\\g", "h\\ i", "j\nk"].map(|path| path.as_bytes().to_vec());
        let told = String::from_utf8(rule(b"t", paths.into_iter())).unwrap();
        let escaped = ["a\\ b", "c\\#d$$e", "f\\g", "h\\\\\\ i"];
        let expected = format!("t: \\\n {}\n{}:\n", escaped.join(" \\\n "), escaped.join(":\n"));
        assert_eq!(told, expected);
    }
}
