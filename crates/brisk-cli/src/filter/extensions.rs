//! `--extension`: rules on how names end.

use regex::bytes::{Regex, RegexBuilder};

/// Names that end in any of these, with at least one byte before the dot.
#[derive(Clone, Debug)]
pub(super) struct Extensions {
    /// ASCII extensions with their dots; compared byte by byte, without ASCII case.
    suffixes: Vec<Vec<u8>>,
    /// Extensions that are not ASCII, whose case is more than one bit of a byte.
    regexes: Vec<Regex>,
}

impl Extensions {
    pub(super) fn new(extensions: &[String]) -> Result<Extensions, String> {
        let mut suffixes = Vec::new();
        let mut regexes = Vec::new();
        for extension in extensions {
            let extension = extension.trim_start_matches('.');
            if extension.is_ascii() {
                suffixes.push(format!(".{extension}").into_bytes());
            } else {
                let source = format!(r"(?s-u:.)\.{}$", regex_syntax::escape(extension));
                let regex = RegexBuilder::new(&source).case_insensitive(true).build();
                regexes.push(regex.map_err(|error| error.to_string())?);
            }
        }
        Ok(Extensions { suffixes, regexes })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.suffixes.is_empty() && self.regexes.is_empty()
    }

    pub(super) fn allow(&self, name: &[u8]) -> bool {
        self.is_empty()
            || self.suffixes.iter().any(|suffix| ends_with_ignoring_case(name, suffix))
            || self.regexes.iter().any(|regex| regex.is_match(name))
    }
}

/// Whether `name` ends with `suffix` and has at least one byte before it.
fn ends_with_ignoring_case(name: &[u8], suffix: &[u8]) -> bool {
    name.len() > suffix.len() && name[name.len() - suffix.len()..].eq_ignore_ascii_case(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(list: &[&str]) -> Extensions {
        let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
        Extensions::new(&list).unwrap()
    }

    #[test]
    fn extensions_match_after_something() {
        let rust = extensions(&["rs", ".toml"]);
        for name in ["a.rs", "A.RS", ".a.rs", "x.Toml", "..rs"] {
            assert!(rust.allow(name.as_bytes()), "{name}");
        }
        for name in [".rs", "rs", "a.rsx", "ars", ""] {
            assert!(!rust.allow(name.as_bytes()), "{name}");
        }
        assert!(extensions(&["tar.gz"]).allow(b"a.tar.gz"));
        assert!(extensions(&["é"]).allow("a.É".as_bytes()));
        assert!(extensions(&["é"]).allow(b"\xff.\xc3\xa9"));
        assert!(extensions(&[]).allow(b"anything"));
    }
}
