//! `--extension`: how names must end.

use brisk::filter::Test;

use crate::matcher::Matcher;

/// Names that end in any of these extensions, with at least one byte before the dot; `None` if there
/// are no extensions. ASCII extensions are compared byte by byte, without ASCII case. Others
/// are compared by a regular expression, which knows Unicode's cases.
///
/// # Errors
/// An extension that is not ASCII is too long for a regular expression.
pub fn test(extensions: &[String]) -> Result<Option<Test>, String> {
    let undotted = extensions.iter().map(|extension| extension.trim_start_matches('.'));
    let mut all: Vec<String> = undotted.map(str::to_ascii_lowercase).collect();
    all.sort();
    all.dedup();
    let matches = any_of(&all)?;
    Ok((!all.is_empty()).then(|| Test::name(format!("--extension={all:?}"), matches)))
}

fn any_of(extensions: &[String]) -> Result<impl Fn(&[u8]) -> bool + use<>, String> {
    let (ascii, others): (Vec<_>, Vec<_>) = extensions.iter().partition(|one| one.is_ascii());
    let suffixes: Vec<_> = ascii.iter().map(|one| format!(".{one}").into_bytes()).collect();
    let matchers = others.iter().map(|one| matcher(one)).collect::<Result<Vec<_>, _>>()?;
    Ok(move |name: &[u8]| {
        suffixes.iter().any(|suffix| ends_with_ignoring_case(name, suffix))
            || matchers.iter().any(|matcher| matcher.is_match(name))
    })
}

fn matcher(extension: &str) -> Result<Matcher, String> {
    Matcher::new(&format!(r"(?s-u:.)\.{}$", regex_syntax::escape(extension)), true)
}

/// Whether `name` ends with `suffix` and has at least one byte before it. Most names differ in the
/// last byte.
#[inline(always)]
fn ends_with_ignoring_case(name: &[u8], suffix: &[u8]) -> bool {
    let last_is_same = match (name, suffix) {
        ([.., one], [.., other]) => one.eq_ignore_ascii_case(other),
        _ => false,
    };
    let is_longer = last_is_same && name.len() > suffix.len();
    is_longer && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(extensions: &[&str], name: &[u8]) -> bool {
        let list: Vec<String> = extensions.iter().map(|text| (*text).to_owned()).collect();
        any_of(&list).unwrap()(name)
    }

    #[test]
    fn extensions_match_after_something() {
        let rust = ["rs", "toml"];
        for name in ["a.rs", "A.RS", ".a.rs", "x.Toml", "..rs"] {
            assert!(allows(&rust, name.as_bytes()), "{name}");
        }
        for name in [".rs", "rs", "a.rsx", "ars", ""] {
            assert!(!allows(&rust, name.as_bytes()), "{name}");
        }
        assert!(allows(&["tar.gz"], b"a.tar.gz"));
        assert!(allows(&["é"], "a.É".as_bytes()));
        assert!(allows(&["é"], b"\xff.\xc3\xa9"));
        assert!(test(&[]).unwrap().is_none());
        let key = |test: Option<Test>| test.unwrap().key().to_owned();
        let same = [".RS", "c", "rs"].map(str::to_owned);
        assert_eq!(key(test(&same).unwrap()), r#"--extension=["c", "rs"]"#);
    }
}
