//! Globs as the libraries take them: of names and, where a glob has a slash, of paths below the root.

use std::path::is_separator;

use brisk::FileType;
use brisk::filter::{Expr, PathOf, Test, Types};
use brisk::ignore::{GlobError, regex_of_glob};
use brisk_sys::slashed::last;

use crate::matcher::Matcher;

/// Entries that match any of these globs; `None` if there are none. A glob is matched with the name
/// or, if it has a slash, with the path below the root, where `**` is any number of directories. `?`
/// and `[…]` stand for a character, a byte of no character counts as one, and `{a,b}` is an
/// alternative.
///
/// # Errors
/// One of them is no glob.
pub fn expr<G: AsRef<str>>(globs: &[G]) -> Result<Option<Expr>, String> {
    let Globs { names, paths } = Globs::new(globs)?;
    let mut any = Vec::new();
    if let Some((key, matcher)) = names {
        any.push(Test::name(key, move |name| matcher.is_match(name)).into());
    }
    if let Some((key, matcher)) = paths {
        any.push(of_path(key, move |path| matches(&matcher, path)));
    }
    Ok((!any.is_empty()).then_some(Expr::Any(any)))
}

/// Does not enter directories that match any of these globs. Roots are always entered.
///
/// # Errors
/// One of them is no glob.
pub fn pruning<G: AsRef<str>>(globs: &[G]) -> Result<Option<Expr>, String> {
    let Globs { names, paths } = Globs::new(globs)?;
    let mut any = Vec::new();
    if let Some((key, matcher)) = names {
        let is_named = move |path: &[u8]| !path.is_empty() && matches(&matcher, last(path));
        any.push(of_path(key, is_named));
    }
    if let Some((key, matcher)) = paths {
        any.push(of_path(key, move |path| !path.is_empty() && matches(&matcher, path)));
    }
    let directory = Test::types("-type d", Types::of([FileType::Directory])).into();
    let prunes = |any| Expr::Any(vec![!Expr::All(vec![directory, Expr::Any(any)]), Expr::Prune]);
    Ok((!any.is_empty()).then(|| prunes(any)))
}

fn of_path(key: String, matches: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Expr {
    Test::path(key, PathOf::BelowRoot, matches).into()
}

fn matches(matcher: &Matcher, path: &[u8]) -> bool {
    if is_separator('\\') && path.contains(&b'\\') {
        let slashed: Vec<u8> =
            path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
        return matcher.is_match(&slashed);
    }
    matcher.is_match(path)
}

/// Some globs as one pattern, with its text.
type Set = Option<(String, Matcher)>;

struct Globs {
    names: Set,
    paths: Set,
}

impl Globs {
    fn new<G: AsRef<str>>(globs: &[G]) -> Result<Globs, String> {
        let globs = globs.iter().map(AsRef::as_ref);
        let (paths, names) = globs.partition::<Vec<&str>, _>(|glob| glob.contains('/'));
        Ok(Globs { names: set("-name", &names)?, paths: set("-path", &paths)? })
    }
}

fn set(word: &str, globs: &[&str]) -> Result<Set, String> {
    let told = |error: GlobError| error.to_string();
    let mut sources: Vec<String> =
        globs.iter().map(|glob| regex_of_glob(glob)).collect::<Result<_, _>>().map_err(told)?;
    sources.sort();
    let any: Vec<String> = sources.iter().map(|source| format!("(?:{source})")).collect();
    let matcher = Matcher::new(&any.join("|"), false)?;
    Ok((!globs.is_empty()).then(|| (format!("{word}={sources:?}"), matcher)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::filter::Filter;

    /// Whether a glob matches the path, or the name in it.
    fn found(globs: &[&str], path: &str) -> bool {
        let Globs { names, paths } = Globs::new(globs).unwrap();
        names.is_some_and(|(_, names)| names.is_match(last(path.as_bytes())))
            || paths.is_some_and(|(_, paths)| matches(&paths, path.as_bytes()))
    }

    #[test]
    fn globs_are_of_names_or_of_paths() {
        for (globs, path, expected) in [
            (&["*.rs"][..], "a/b.rs", true),
            (&["*.rs"], "b.rsx", false),
            (&["a", "*.{c,h}"], "x/y.h", true),
            (&["a", "b?"], "bé", true),
            (&["a/*.rs"], "a/b.rs", true),
            (&["a/*.rs"], "a/b/c.rs", false),
            (&["**/b/*"], "a/b/c", true),
            (&["x", "a/**"], "a/b/c", true),
        ] {
            assert_eq!(found(globs, path), expected, "{globs:?} {path}");
        }
        assert!(expr::<&str>(&[]).unwrap().is_none() && expr(&["[a"]).is_err());
    }

    #[test]
    fn pruning_has_its_text() {
        let filter = Filter::new(pruning(&["b", "a/b"]).unwrap().unwrap());
        let key = filter.key();
        assert!(
            key.starts_with("( ! ( -type d ( -name=") && key.ends_with(" -o -prune )"),
            "{key}"
        );
    }
}
