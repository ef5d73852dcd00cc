//! One compiled pattern. Where a pattern allows any character (`.`, `[^x]`, `\W`), it also allows
//! any byte of a name that is not UTF-8.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, Hir, HirKind};

/// One pattern, compiled.
#[derive(Debug)]
pub struct Matcher {
    regex: Regex,
    /// What is tried on a name that is not UTF-8 and that `regex` refuses, compiled for the first
    /// such name; `None` if no part of the pattern allows any character.
    wide: Option<LazyLock<Option<Regex>, Compile>>,
}

/// Compiles a pattern when it is needed.
type Compile = Box<dyn FnOnce() -> Option<Regex> + Send>;

impl Matcher {
    /// Compiles a regular expression.
    ///
    /// # Errors
    /// What the parser says, in several lines.
    pub fn new(source: &str, insensitive: bool) -> Result<Matcher, String> {
        let regex = builder(source, insensitive).build().map_err(|error| {
            // The message shows the pattern, which is to be one line.
            let shown = builder(&source.replace('\n', r"\n"), insensitive).build();
            shown.err().unwrap_or(error).to_string()
        })?;
        let hir = parse(source, insensitive).filter(allows_any);
        let wide = hir.map(|hir| LazyLock::new(Box::new(|| wide(hir)) as Compile));
        Ok(Matcher { regex, wide })
    }

    #[inline]
    pub fn is_match(&self, subject: &[u8]) -> bool {
        self.regex.is_match(subject)
            || self.wide.as_ref().is_some_and(|wide| {
                str::from_utf8(subject).is_err()
                    && wide.as_ref().is_some_and(|regex| regex.is_match(subject))
            })
    }
}

/// The pattern that names which are not UTF-8 are matched with.
#[cold]
fn wide(hir: Hir) -> Option<Regex> {
    // The source itself kept within the limits, and this adds little to it.
    let mut builder = builder(&widened(hir).to_string(), false);
    builder.size_limit(usize::MAX).nest_limit(u32::MAX).build().ok()
}

fn builder(source: &str, insensitive: bool) -> RegexBuilder {
    let mut builder = RegexBuilder::new(source);
    // A name may hold newlines, and '.' matches any character of a name.
    builder.case_insensitive(insensitive).dot_matches_new_line(true);
    builder
}

/// The parsed form; `None` if the source is no regular expression.
fn parse(source: &str, insensitive: bool) -> Option<Hir> {
    let mut builder = ParserBuilder::new();
    builder.utf8(false).case_insensitive(insensitive).dot_matches_new_line(true);
    builder.build().parse(source).ok()
}

/// Whether a class is one of all characters, perhaps with exceptions: the last one belongs to no
/// other class that users write.
fn is_open(class: &Class) -> bool {
    let Class::Unicode(class) = class else { return false };
    class.ranges().last().is_some_and(|range| range.end() == char::MAX)
}

/// Whether the pattern has an open class.
fn allows_any(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Class(class) => is_open(class),
        _ => hir.kind().subs().iter().any(allows_any),
    }
}

/// The pattern with the bytes that no ASCII character has added to each open class.
fn widened(hir: Hir) -> Hir {
    let all = |parts: Vec<Hir>| parts.into_iter().map(widened).collect();
    match hir.into_kind() {
        HirKind::Class(class) if is_open(&class) => {
            let bytes = ClassBytes::new([ClassBytesRange::new(0x80, 0xff)]);
            Hir::alternation(vec![Hir::class(class), Hir::class(Class::Bytes(bytes))])
        }
        HirKind::Class(class) => Hir::class(class),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(widened(*repetition.sub));
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(widened(*capture.sub));
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Empty => Hir::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_classes_allow_bytes_that_are_no_character() {
        // Pattern, name, whether they match.
        let table: &[(&str, &[u8], bool)] = &[
            (".", b"\xff", true),
            ("^.$", b"\xff", true),
            ("^.$", "é".as_bytes(), true),
            ("^..$", "é".as_bytes(), false),
            ("^..$", b"\xff\xfe", true),
            ("^...$", b"\xff\xc3\xa9a", true),
            ("^a.*b$", b"a\xff\n\xc3b", true),
            ("^[^x]$", b"\xff", true),
            ("^[^x]+$", b"\xffx", false),
            (r"^\W$", b"\xff", true),
            (r"^\w$", b"\xff", false),
            (r"^\w.$", b"\xc3\xa9\xff", true),
            (r"^\D\S\P{L}$", b"\xff\xff\xff", true),
            ("^[a-z]+$", b"a\xff", false),
            (r"^[^\x00-\x7f]$", b"\xff", true),
            ("(?-u)^\\xff.$", b"\xff\xfe", true),
            ("^(?-u:\\xff).$", b"\xff\xfe", true),
            ("^(a|.b){2}$", b"a\xffb", true),
            ("^É.$", b"\xc3\xa9\xff", true),
            ("x", b"\xff", false),
            ("^(?-i:B).$", b"b\xff", false),
        ];
        for (source, name, expected) in table {
            let matcher = Matcher::new(source, true).unwrap();
            assert_eq!(matcher.is_match(name), *expected, "{source} {name:?}");
        }
    }

    #[test]
    fn plain_patterns_are_tried_once() {
        for source in ["a", r"\.rs$", "[a-z]+", "é", r"\d", r"^\w{3}", "(?-u).", "(?-u)^[^/]*$"] {
            assert!(Matcher::new(source, true).unwrap().wide.is_none(), "{source}");
        }
        let matcher = Matcher::new("a.", false).unwrap();
        assert!(!matcher.is_match(b"b"));
        let shown = format!("{:?}", matcher.wide.as_ref().unwrap());
        assert!(shown.contains("uninit"), "no name needed it: {shown}");
    }
}
