//! Patterns: what a name, or an absolute path, must match.

use brisk::filter::regex_of_glob;
use brisk::ignore::Hidden;
use brisk_sys::quoting::line;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Literal, Look};

use super::matcher::Matcher;
use crate::front::messages::Caller;
use crate::show::quoting::quoted;

/// How names are matched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matching {
    /// The pattern. Everything matches an empty one, and a dot, which users write in front of a
    /// path where they mean no pattern.
    pub(crate) pattern: String,
    /// Further patterns that must match too.
    pub(crate) and: Vec<String>,
    pub(crate) syntax: Syntax,
    pub(crate) case: Case,
    /// Whether the absolute path is matched, not the name.
    pub(crate) full_path: bool,
}

/// The syntax of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Syntax {
    #[default]
    Regex,
    Glob,
    /// A substring.
    Fixed,
    /// The whole name.
    Exact,
}

/// Whether case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Case {
    /// Case counts if a pattern has an uppercase letter.
    #[default]
    Smart,
    Sensitive,
    Insensitive,
}

impl Case {
    /// Whether patterns match in either case. They are parsed only if that decides.
    fn is_ignored(self, sources: &[String]) -> bool {
        match self {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !any_holds(sources, has_uppercase),
        }
    }
}

/// Compiles the patterns of a search, all of which must match; none if the user gave none. Where
/// hidden entries are ignored, a pattern that matches only hidden names is refused.
///
/// # Errors
/// The message for the user: bad syntax, or a pattern that can never match.
pub(super) fn all(
    matching: &Matching,
    hidden: Hidden,
    caller: Caller,
) -> Result<Vec<Matcher>, String> {
    let syntax = matching.syntax;
    let texts = || std::iter::once(&matching.pattern).chain(&matching.and);
    if !matching.full_path
        && let Some(path) = texts().find(|text| text.contains('/'))
    {
        return Err(is_a_path(path, syntax, caller));
    }
    let is_any = |text: &str| match syntax {
        Syntax::Regex => matches!(text, "" | "."),
        // No name is empty.
        Syntax::Exact => false,
        Syntax::Glob | Syntax::Fixed => text.is_empty(),
    };
    let sources: Vec<String> = texts()
        .filter(|text| !is_any(text))
        .map(|text| regex_source(text, syntax, caller))
        .collect::<Result<_, _>>()?;
    let insensitive = matching.case.is_ignored(&sources);
    if hidden == Hidden::Ignored && any_holds(&sources, begins_with_dot) {
        return Err(ONLY_HIDDEN.to_owned());
    }
    let matchers = sources.iter().map(|source| {
        Matcher::new(source, insensitive)
            .map_err(|why| not_an_expression(source, &why, IN_PLACE, caller))
    });
    matchers.collect()
}

/// Regular expressions of which one must match: `--exclude-regex`.
///
/// # Errors
/// The message for the user.
pub(super) fn alternatives(
    texts: &[String],
    case: Case,
    caller: Caller,
) -> Result<Vec<Matcher>, String> {
    let matcher = |text: &String| {
        let insensitive = case.is_ignored(std::slice::from_ref(text));
        Matcher::new(text, insensitive)
            .map_err(|why| not_an_expression(text, &why, "-E takes a glob", caller))
    };
    texts.iter().map(matcher).collect()
}

/// The message about a pattern that is no regular expression. fd's has several lines.
#[cold]
fn not_an_expression(source: &str, why: &str, in_place: &str, caller: Caller) -> String {
    if caller == Caller::Fd {
        return format!(
            "{why}\n\nNote: You can search for literal substrings with '--fixed-strings' or \
             literal strings with '--exact' options (instead of a regular expression). \
             Alternatively, you can also use the '--glob' option to match on a glob pattern."
        );
    }
    let cause = why.lines().last().unwrap_or_default();
    let cause = cause.strip_prefix("error: ").unwrap_or(cause);
    let source = quoted(source);
    format!("{source} is not a regular expression: {cause}; {in_place}")
}

/// What the user may have meant by a pattern that is no regular expression.
const IN_PLACE: &str = "use -g for a glob, -F for plain text";

const ONLY_HIDDEN: &str = "The pattern(s) seems to only match files with a leading dot, but hidden \
    files are filtered by default. Consider adding -H/--hidden to search hidden files as well or \
    adjust your search pattern(s).";

/// The message about a pattern with a slash. fd's has several lines.
#[cold]
fn is_a_path(pattern: &str, syntax: Syntax, caller: Caller) -> String {
    let shown = quoted(pattern);
    if caller == Caller::Fd {
        return format!(
            "The search pattern {shown} contains a path-separation character and will not lead to \
             any search results.\n\n\
             If you want to search for all files inside the {shown} directory, use a match-all \
             pattern:\n\n  fd . {shown}\n\n\
             Instead, if you want your pattern to match the full file path, use:\n\n  \
             fd --full-path {shown}"
        );
    }
    // --full-path compares absolute paths: a relative glob needs `**/`; --exact would never match.
    let whole = match syntax {
        Syntax::Regex => shown.clone(),
        Syntax::Glob if pattern.starts_with('/') || pattern.starts_with("**/") => {
            format!("--glob {shown}")
        }
        Syntax::Glob => format!("--glob {}", quoted(&format!("**/{pattern}"))),
        Syntax::Fixed | Syntax::Exact => format!("--fixed-strings {shown}"),
    };
    let is_dir = std::path::Path::new(pattern).is_dir();
    let list = if is_dir { format!("; to list it: brisk find . {shown}") } else { String::new() };
    format!("{shown} has a slash; names have none; to match paths: --full-path {whole}{list}")
}

/// The regular expression that means the same as a pattern in any syntax.
fn regex_source(text: &str, syntax: Syntax, caller: Caller) -> Result<String, String> {
    Ok(match syntax {
        Syntax::Regex => text.to_owned(),
        Syntax::Glob if caller != Caller::Fd => {
            regex_of_glob(text).map_err(|error| line(error.to_string().as_bytes()))?
        }
        // fd's globs match bytes.
        Syntax::Glob => globset::GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| line(error.to_string().as_bytes()))?
            .regex()
            .to_owned(),
        Syntax::Fixed => regex_syntax::escape(text),
        Syntax::Exact => format!("^{}$", regex_syntax::escape(text)),
    })
}

/// Whether `wanted` holds for the parsed form of some source. One that cannot be parsed does not
/// count.
fn any_holds(sources: &[String], wanted: fn(&Hir) -> bool) -> bool {
    let parsed = |source: &String| ParserBuilder::new().utf8(false).build().parse(source).ok();
    sources.iter().filter_map(parsed).any(|hir| wanted(&hir))
}

/// Whether a literal or a class holds an uppercase letter. The text itself may hold one that is not
/// meant (`\W`, `\P{L}`).
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

/// Whether the pattern is `^` and then a literal dot: it matches hidden names alone.
fn begins_with_dot(hir: &Hir) -> bool {
    let HirKind::Concat(parts) = hir.kind() else { return false };
    let [first, second, ..] = parts.as_slice() else { return false };
    let HirKind::Literal(Literal(bytes)) = second.kind() else { return false };
    matches!(first.kind(), HirKind::Look(Look::Start)) && bytes.starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(text: &str, change: impl Fn(&mut Matching)) -> Result<Vec<Matcher>, String> {
        let mut matching = Matching { pattern: text.to_owned(), ..Matching::default() };
        change(&mut matching);
        all(&matching, Hidden::Ignored, Caller::Fd)
    }

    fn matches(text: &str, name: &str, change: impl Fn(&mut Matching)) -> bool {
        patterns(text, change).unwrap().iter().all(|pattern| pattern.is_match(name.as_bytes()))
    }

    #[test]
    fn case_is_smart() {
        let default = |_: &mut Matching| ();
        assert!(matches("readme", "README.md", default));
        assert!(!matches("Readme", "README.md", default));
        assert!(matches("Readme", "README.md", |m| m.case = Case::Insensitive));
        assert!(!matches("readme", "README.md", |m| m.case = Case::Sensitive));
        assert!(matches(r"\Aread\z", "READ", default), "an escape is no uppercase letter");
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
        assert!(patterns("src/main", |_| ()).unwrap_err().ends_with("fd --full-path 'src/main'"));
        assert!(patterns("a", |m| m.and = vec!["b/c".into()]).is_err());
        assert!(patterns("src/main", |m| m.full_path = true).is_ok());
        assert!(patterns(r"^\.git", |_| ()).unwrap_err().contains("--hidden"));
        assert!(patterns(r"\.git", |_| ()).is_ok());
        assert!(patterns("^.git", |_| ()).is_ok());
        assert!(patterns("[a", |_| ()).unwrap_err().contains("--fixed-strings"));
        assert!(patterns("[a", |m| m.syntax = Syntax::Glob).is_err());
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
