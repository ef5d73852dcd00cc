//! Patterns: what a name, or an absolute path, must match.

use brisk::filter::{Expr, PathOf, Test};
use brisk::ignore::{Hidden, regex_of_glob};
use brisk_sys::quoting::line;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Literal, Look};

use crate::Dialect;
use crate::matcher::Matcher;

/// How names are matched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// The pattern. An empty one matches everything, and so does a dot, which users write before a
    /// path if they want no pattern.
    pub pattern: String,
    /// Further patterns that must match too.
    pub and: Vec<String>,
    /// The syntax of all of them.
    pub syntax: Syntax,
    /// Whether case counts.
    pub case: Case,
    /// Whether the absolute path is matched, not the name.
    pub full_path: bool,
}

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// A regular expression.
    #[default]
    Regex,
    /// A glob, which must match the whole name.
    Glob,
    /// A substring.
    Fixed,
    /// The whole name.
    Exact,
}

/// Whether case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Case counts if a pattern has an uppercase letter.
    #[default]
    Smart,
    /// Case counts.
    Sensitive,
    /// Case does not count.
    Insensitive,
}

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It has a slash, and names have none.
    Path(String),
    /// It is not a valid regular expression: the parser's message, of several lines.
    Regex(String, String),
    /// It is not a valid glob: why.
    Glob(String),
    /// It matches only hidden names, and they are left out.
    OnlyHidden,
}

impl Case {
    /// Whether case does not count. The patterns are parsed only if they decide this.
    fn is_ignored(self, sources: &[String]) -> bool {
        match self {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !any_holds(sources, has_uppercase),
        }
    }
}

impl Matching {
    /// The test that all patterns match; `None` if the user gave none. Relative paths are made
    /// absolute with `base`: the working directory, with a separator at its end. If hidden entries
    /// are left out, a pattern that matches only hidden names is refused.
    ///
    /// # Errors
    /// Bad syntax, or a pattern that can never match.
    pub fn test(
        &self,
        hidden: Hidden,
        dialect: Dialect,
        base: Vec<u8>,
    ) -> Result<Option<Test>, Refused> {
        let (mut sources, insensitive) = self.sources(hidden, dialect)?;
        if sources.is_empty() {
            return Ok(None);
        }
        let matchers = compiled(&sources, insensitive)?;
        let matches = move |subject: &[u8]| matchers.iter().all(|one| one.is_match(subject));
        sources.sort();
        let case = if insensitive { "i" } else { "" };
        Ok(Some(match self.full_path {
            true => {
                let key = format!("-{case}regex={sources:?} {:?}", line(&base));
                Test::path(key, PathOf::Absolute(base), matches)
            }
            false => Test::name(format!("-{case}name={sources:?}"), matches),
        }))
    }

    /// The regular expressions of all patterns, and whether case does not count.
    fn sources(&self, hidden: Hidden, dialect: Dialect) -> Result<(Vec<String>, bool), Refused> {
        let texts = || std::iter::once(&self.pattern).chain(&self.and);
        if !self.full_path
            && let Some(path) = texts().find(|text| text.contains('/'))
        {
            return Err(Refused::Path(path.clone()));
        }
        let sources: Vec<String> = texts()
            .filter(|text| !self.syntax.is_any(text))
            .map(|text| regex_source(text, self.syntax, dialect))
            .collect::<Result<_, _>>()?;
        let insensitive = self.case.is_ignored(&sources);
        if hidden == Hidden::Ignored && any_holds(&sources, begins_with_dot) {
            return Err(Refused::OnlyHidden);
        }
        Ok((sources, insensitive))
    }
}

impl Syntax {
    /// Whether every name matches the pattern.
    fn is_any(self, text: &str) -> bool {
        match self {
            Syntax::Regex => matches!(text, "" | "."),
            // No name is empty.
            Syntax::Exact => false,
            Syntax::Glob | Syntax::Fixed => text.is_empty(),
        }
    }
}

fn compiled(sources: &[String], insensitive: bool) -> Result<Vec<Matcher>, Refused> {
    let matcher = |source: &String| {
        Matcher::new(source, insensitive).map_err(|why| Refused::Regex(source.clone(), why))
    };
    sources.iter().map(matcher).collect()
}

/// Leaves out entries whose path below the root matches any of these regular expressions, and
/// everything below them; `None` if there are no expressions.
///
/// # Errors
/// One of them is not a valid regular expression.
pub fn excluding(texts: &[String], case: Case) -> Result<Option<Expr>, Refused> {
    let mut matchers = Vec::new();
    let mut keys = Vec::new();
    for text in texts {
        let text = std::slice::from_ref(text);
        let insensitive = case.is_ignored(text);
        matchers.extend(compiled(text, insensitive)?);
        keys.push((insensitive, text));
    }
    keys.sort();
    let matches = move |path: &[u8]| matchers.iter().any(|matcher| matcher.is_match(path));
    let test = Test::path(format!("--exclude-regex={keys:?}"), PathOf::NameOrBelowRoot, matches);
    Ok((!texts.is_empty()).then(|| !Expr::All(vec![test.into(), Expr::Prune])))
}

/// The regular expression that means the same as a pattern in any syntax.
fn regex_source(text: &str, syntax: Syntax, dialect: Dialect) -> Result<String, Refused> {
    let refused = |why: &dyn ToString| Refused::Glob(line(why.to_string().as_bytes()));
    Ok(match syntax {
        Syntax::Regex => text.to_owned(),
        Syntax::Glob if dialect == Dialect::Brisk => {
            regex_of_glob(text).map_err(|error| refused(&error))?
        }
        Syntax::Glob => globset::GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| refused(&error))?
            .regex()
            .to_owned(),
        Syntax::Fixed => regex_syntax::escape(text),
        Syntax::Exact => format!("^{}$", regex_syntax::escape(text)),
    })
}

/// Whether `wanted` holds for the parsed form of any source. A source that cannot be parsed does
/// not count.
fn any_holds(sources: &[String], wanted: fn(&Hir) -> bool) -> bool {
    let parsed = |source: &String| ParserBuilder::new().utf8(false).build().parse(source).ok();
    sources.iter().filter_map(parsed).any(|hir| wanted(&hir))
}

/// Whether a literal or a class has an uppercase letter. The text may have one that is not meant
/// (`\W`, `\P{L}`).
fn has_uppercase(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(Literal(bytes)) => match str::from_utf8(bytes) {
            Ok(text) => text.chars().any(char::is_uppercase),
            Err(_) => bytes.iter().any(|byte| char::from(*byte).is_uppercase()),
        },
        HirKind::Class(Class::Unicode(class)) => class
            .ranges()
            .iter()
            .any(|range| range.start().is_uppercase() || range.end().is_uppercase()),
        HirKind::Class(Class::Bytes(class)) => class.ranges().iter().any(|range| {
            char::from(range.start()).is_uppercase() || char::from(range.end()).is_uppercase()
        }),
        kind => kind.subs().iter().any(has_uppercase),
    }
}

/// Whether the pattern is `^` and then a literal dot, so that it matches only hidden names.
fn begins_with_dot(hir: &Hir) -> bool {
    let HirKind::Concat(parts) = hir.kind() else { return false };
    let [first, second, ..] = parts.as_slice() else { return false };
    let HirKind::Literal(Literal(bytes)) = second.kind() else { return false };
    matches!(first.kind(), HirKind::Look(Look::Start)) && bytes.starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(text: &str, change: impl Fn(&mut Matching)) -> Result<Vec<Matcher>, Refused> {
        let mut matching = Matching { pattern: text.to_owned(), ..Matching::default() };
        change(&mut matching);
        let (sources, insensitive) = matching.sources(Hidden::Ignored, Dialect::Fd)?;
        compiled(&sources, insensitive)
    }

    fn matches(text: &str, name: &str, change: impl Fn(&mut Matching)) -> bool {
        patterns(text, change).unwrap().iter().all(|one| one.is_match(name.as_bytes()))
    }

    #[test]
    fn case_is_smart() {
        let default = |_: &mut Matching| ();
        assert!(matches("readme", "README.md", default));
        assert!(!matches("Readme", "README.md", default));
        assert!(matches("Readme", "README.md", |m| m.case = Case::Insensitive));
        assert!(!matches("readme", "README.md", |m| m.case = Case::Sensitive));
        assert!(matches(r"\Aread\z", "READ", default), "an escape is not an uppercase letter");
        assert!(!matches("[A-Z]", "readme", default), "a class is");
        assert!(!matches("md", "README.MD", |m| m.and = vec!["R".into(), "x".into()]));
        assert!(!matches("md", "readme.md", |m| m.and = vec!["R".into()]), "any pattern counts");
    }

    #[test]
    fn syntaxes_differ() {
        let with = |syntax| move |m: &mut Matching| m.syntax = syntax;
        assert!(matches("a.c", "xabcx", with(Syntax::Regex)));
        assert!(!matches("a.c", "xabcx", with(Syntax::Fixed)));
        assert!(matches("a.c", "xa.cx", with(Syntax::Fixed)));
        assert!(!matches("a.c", "xa.cx", with(Syntax::Exact)));
        assert!(matches("a.c", "a.c", with(Syntax::Exact)));
        assert!(matches("*.c", "a.c", with(Syntax::Glob)));
        assert!(!matches("*.c", "a.cc", with(Syntax::Glob)));
        assert!(matches("a.b", "a\nb", with(Syntax::Regex)), "a dot matches a newline");
        let path = |m: &mut Matching| {
            m.syntax = Syntax::Glob;
            m.full_path = true;
        };
        assert!(!matches("/a/*.c", "/a/b/x.c", path));
        assert!(matches("/a/**/*.c", "/a/b/x.c", path));
    }

    #[test]
    fn mistakes_are_refused() {
        let path = |text: &str| Refused::Path(text.to_owned());
        assert_eq!(patterns("src/main", |_| ()).unwrap_err(), path("src/main"));
        assert_eq!(patterns("a", |m| m.and = vec!["b/c".into()]).unwrap_err(), path("b/c"));
        assert!(patterns("src/main", |m| m.full_path = true).is_ok());
        assert_eq!(patterns(r"^\.git", |_| ()).unwrap_err(), Refused::OnlyHidden);
        assert!(patterns(r"\.git", |_| ()).is_ok());
        assert!(patterns("^.git", |_| ()).is_ok());
        assert!(matches!(patterns("[a", |_| ()), Err(Refused::Regex(source, _)) if source == "[a"));
        assert!(matches!(patterns("[a", |m| m.syntax = Syntax::Glob), Err(Refused::Glob(_))));
        assert!(patterns("[a", |m| m.syntax = Syntax::Fixed).is_ok());
    }

    #[test]
    fn no_pattern_compiles_nothing() {
        assert!(patterns("", |_| ()).unwrap().is_empty());
        assert!(patterns(".", |_| ()).unwrap().is_empty(), "each name has a byte");
        assert!(!patterns(".", |m| m.syntax = Syntax::Fixed).unwrap().is_empty());
        assert!(patterns("", |m| m.syntax = Syntax::Glob).unwrap().is_empty());
    }

    #[test]
    fn no_name_is_exactly_empty() {
        assert!(!matches("", "a", |m| m.syntax = Syntax::Exact));
        let and = |m: &mut Matching| {
            m.syntax = Syntax::Exact;
            m.and = vec![String::new()];
        };
        assert!(!matches("a", "a", and));
    }
}
