//! Globs as the libraries take them: for names or, if a glob has a slash, for paths below the root.

use std::collections::HashSet;
use std::path::is_separator;

use brisk::FileType;
use brisk::filter::{Expr, PathOf, Test, Types};
use brisk::ignore::{GlobError, regex_of_glob};

use crate::matcher::Matcher;

/// Entries that match any of these globs; `None` if there are no globs. A glob must match the name
/// or, if it has a slash, the path below the root, where `**` is any number of directories. `?` and
/// `[…]` stand for a character (a byte that belongs to no character counts as one), and `{a,b}` for
/// `a` or `b`.
///
/// # Errors
/// One of them is not a valid glob.
pub fn expr<G: AsRef<str>>(globs: &[G]) -> Result<Option<Expr>, String> {
    let globs = globs.iter().map(AsRef::as_ref);
    let (paths, names) = globs.partition::<Vec<&str>, _>(|glob| glob.contains('/'));
    let mut any = Vec::new();
    if let Some((key, matcher)) = compiled("-name", &names)? {
        any.push(Test::name(key, move |name| matcher.is_match(name)).into());
    }
    if let Some((key, matcher)) = compiled("-path", &paths)? {
        any.push(Test::path(key, PathOf::BelowRoot, move |path| matches(&matcher, path)).into());
    }
    Ok((!any.is_empty()).then_some(Expr::Any(any)))
}

/// Everything except these paths below the roots, and what is below them; `None` if there are no
/// paths.
pub fn except(paths: impl IntoIterator<Item = Vec<u8>>) -> Option<Expr> {
    let paths: HashSet<Vec<u8>> = paths.into_iter().collect();
    let is_one = !paths.is_empty();
    // A test that a program passes has no text.
    let test = Test::path("paths", PathOf::BelowRoot, move |path| paths.contains(path)).unsteady();
    is_one.then(|| !Expr::All(vec![test.into(), Expr::Prune]))
}

/// Does not enter directories that match any of these globs. Roots are always entered.
///
/// # Errors
/// One of them is not a valid glob.
pub fn pruning<G: AsRef<str>>(globs: &[G]) -> Result<Option<Expr>, String> {
    let directory = Test::types("-type d", Types::of([FileType::Directory])).into();
    let below = Test::path("-below-root", PathOf::BelowRoot, |path| !path.is_empty()).into();
    let prunes = |any| Expr::Any(vec![!Expr::All(vec![directory, any, below]), Expr::Prune]);
    Ok(expr(globs)?.map(prunes))
}

fn matches(matcher: &Matcher, path: &[u8]) -> bool {
    if is_separator('\\') && path.contains(&b'\\') {
        let slashed: Vec<u8> =
            path.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
        return matcher.is_match(&slashed);
    }
    matcher.is_match(path)
}

/// The globs as one pattern, with its text; `None` if there are no globs.
fn compiled(word: &str, globs: &[&str]) -> Result<Option<(String, Matcher)>, String> {
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
        let globs = globs.iter().copied();
        let (paths, names) = globs.partition::<Vec<&str>, _>(|glob| glob.contains('/'));
        let is_match = |set: Option<(String, Matcher)>, subject: &str| {
            set.is_some_and(|(_, matcher)| matches(&matcher, subject.as_bytes()))
        };
        is_match(compiled("", &names).unwrap(), path.rsplit('/').next().unwrap())
            || is_match(compiled("", &paths).unwrap(), path)
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
