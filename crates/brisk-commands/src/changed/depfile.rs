//! `--depfile`: a rule in the syntax of make, which ninja reads too. What make 4.3 or ninja 1.11 would
//! read as something else is refused.

use regex::bytes::RegexSetBuilder;

/// What a name may contain besides letters, digits and what is not ASCII. ninja ends a name at other
/// characters. make takes a target with `=` for an assignment, and one with `%` for a pattern.
const READABLE: &[u8] = b" !#$()+,-./:@[\\]_{}~";

/// What a name contains nowhere. make halves the backslashes before `#` and `:`, which ninja keeps;
/// ninja reads `\$` where make needs `\$$`. After `.SECONDEXPANSION` make runs what `$(…)` says. The
/// last two are parts of bracket expressions that [`pattern`] does not know.
const UNREADABLE: [&[u8]; 7] = [b"\\#", b"\\:", b"\\$", b"$(", b"${", b"[:", b".]"];

/// What a name does not end with: a member of an archive, the end of a target, an escaped blank.
const BAD_ENDS: &[u8] = b"):\\ ";

/// The rule that `target` depends on `paths`, and for each of them a rule without a recipe, so that
/// one that is gone is not an error. With each path comes whether it is a directory.
///
/// # Errors
/// A path that make or ninja would read as something else.
pub(super) fn rule(target: &[u8], paths: Vec<(Vec<u8>, bool)>) -> Result<Vec<u8>, Vec<u8>> {
    let mut names = vec![target.to_vec()];
    names.extend(paths.into_iter().map(|(mut path, is_dir)| {
        path.extend((is_dir && ends_badly(&path)).then_some(b'/'));
        path
    }));
    if let Some(name) = names.iter().find(|name| !is_readable(name)).or_else(|| globbed(&names)) {
        return Err(name.clone());
    }
    let mut out = escaped(target);
    out.push(b':');
    for name in &names[1..] {
        out.extend([b" \\\n ", &escaped(name)[..]].concat());
    }
    out.push(b'\n');
    for name in &names[1..] {
        out.extend([&escaped(name), &b":\n"[..]].concat());
    }
    Ok(out)
}

/// Whether both programs read this name as it is, provided that it matches no other name.
fn is_readable(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window == part);
    // make leaves out `./`, and then takes `~` for a home directory, and `.IGNORE` for an order.
    let mut bare = name;
    while let [b'.', b'/', rest @ ..] | [b'/', rest @ ..] = bare {
        bare = rest;
    }
    let is_upper = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'_';
    let is_special = bare.strip_prefix(b".").is_some_and(|rest| rest.iter().all(is_upper));
    let is_misread = UNREADABLE.iter().any(|part| has(part))
        || has(b"[") && has(b"\\")
        || ends_badly(name)
        || bare.starts_with(b"~")
        || is_special && bare.len() > 2;
    !is_misread && name.iter().all(|byte| is_plain(byte) || READABLE.contains(byte))
}

fn ends_badly(name: &[u8]) -> bool {
    name.last().is_some_and(|last| BAD_ENDS.contains(last))
}

/// A name with brackets that make takes for a pattern, because another name matches it.
fn globbed(names: &[Vec<u8>]) -> Option<&Vec<u8>> {
    let globs: Vec<_> = names.iter().filter(|name| name.contains(&b'[')).collect();
    let patterns = globs.iter().map(|name| pattern(name));
    let set = RegexSetBuilder::new(patterns).unicode(false).size_limit(usize::MAX).build();
    let set = set.expect("BUG: an escaped pattern that cannot be read");
    let found = |name: &Vec<u8>| {
        set.matches(name).into_iter().map(|at| globs[at]).find(|glob| *glob != name)
    };
    if globs.is_empty() { None } else { names.iter().find_map(found) }
}

/// Any character.
const ANY: &str = "(?:[\\x00-\\x7f]|[\\x80-\\xff]{1,4})";

/// What a name with brackets matches at most: any character in the place of a bracket expression.
fn pattern(name: &[u8]) -> String {
    let mut out = String::from("(?s)^");
    let mut rest = name;
    while let [byte, after @ ..] = rest {
        // A bracket that comes first in an expression does not end it.
        let end = rest.iter().skip(2).position(|byte| *byte == b']').filter(|_| *byte == b'[');
        match end {
            Some(_) => out.push_str(ANY),
            None => out.push_str(&format!("\\x{byte:02x}")),
        }
        rest = end.map_or(after, |end| &rest[end + 3..]);
    }
    out + "$"
}

/// A path as the compilers write it: a backslash before blanks, `#` and `:`, and `$` twice. Of
/// backslashes only those before a blank are escaped.
fn escaped(path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, byte) in path.iter().enumerate() {
        match byte {
            // The colon after a drive's letter.
            b':' if cfg!(windows) && at == 1 => {}
            b' ' | b'#' | b':' => {
                let before = path[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
                out.extend(std::iter::repeat_n(b'\\', before + 1));
            }
            b'$' => out.push(b'$'),
            _ => {}
        }
        out.push(*byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_for_make_and_ninja() {
        let names = ["a b", "c#d$e", "f\\g", "h\\ i", "jj:k", "x (1)", "[id].tsx", "[[...a]]"];
        let paths = names.map(|path| (path.as_bytes().to_vec(), true)).to_vec();
        let told = String::from_utf8(rule(b"t", paths).unwrap()).unwrap();
        let escaped = [
            "a\\ b",
            "c\\#d$$e",
            "f\\g",
            "h\\\\\\ i",
            "jj\\:k",
            "x\\ (1)/",
            "[id].tsx",
            "[[...a]]",
        ];
        let expected = format!("t: \\\n {}\n{}:\n", escaped.join(" \\\n "), escaped.join(":\n"));
        assert_eq!(told, expected);
    }

    #[test]
    fn what_make_or_ninja_cannot_read_is_refused() {
        let mut refused: Vec<Vec<u8>> = (1..b' ').map(|byte| vec![b'a', byte, b'b']).collect();
        refused.extend(b"\"%&'*;<=>?^`|\x7f".map(|byte| vec![b'a', byte, b'b']));
        let whole = "a) a: a\\ a\\#b a\\:b a\\$b a$(b a${b ~a ./~a .PHONY .//.IGNORE a\\[b] \
                     x=;touch${IFS}PWNED;:";
        refused.extend(whole.split(' ').map(Vec::from));
        refused.push(b"a ".to_vec());
        for name in &refused {
            let shown = String::from_utf8_lossy(name);
            assert_eq!(rule(b"t", vec![(name.clone(), false)]).as_ref(), Err(name), "{shown:?}");
            assert_eq!(rule(name, vec![]).as_ref(), Err(name), "{shown:?}");
        }
        let pair = |one: &str, other: &str| {
            let paths = [one, other].map(|name| (name.as_bytes().to_vec(), false)).to_vec();
            rule(b"out", paths).map(|_| ()).map_err(|name| String::from_utf8(name).unwrap())
        };
        assert_eq!(pair("s/[id]/x", "s/d/x"), Err("s/[id]/x".to_owned()));
        assert_eq!(pair("[]a]", "]"), Err("[]a]".to_owned()));
        assert_eq!(pair("[id]", "[x]"), Ok(()));
        assert_eq!(pair("[id", "i"), Ok(()));
    }
}
