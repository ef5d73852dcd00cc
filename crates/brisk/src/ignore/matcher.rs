//! [`Matcher`]: one file's compiled rules, which give a verdict on a path.
//!
//! The globs are the `ignore` crate's. This module adds three things that make them fast here: a
//! matcher gets paths that are already relative to its directory; it knows whether its rules look
//! only at the last component, so that for most files no path is built; and it knows the last bytes
//! of the names that its rules can match, so that most names are not looked at further.
//!
//! A file of rules may be another user's. A compiled rule takes a kilobyte, and a wildcard as much
//! again, so there is a bound on each.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};
use ::ignore::overrides::{Override, OverrideBuilder};

use super::rule::rewritten;
use crate::entry::bytes_to_path;

/// The longest rule, in bytes: system calls take no longer path.
const LONGEST: usize = 4096;
/// The most rules of one file, and the most wildcards in them: compiled they take 100 MB and a
/// second. The longest lists in use have a few thousand.
const MOST: usize = 100_000;
/// The most bad lines of one file that are reported one by one.
const MAX_BAD: usize = 99;

/// The directory that the globs apply to. All paths are relative to it. If it is spelled like this,
/// the `ignore` crate does not compare each path with it.
const HERE: &str = ".";

/// The compiled rules of one file.
#[derive(Debug)]
pub(super) struct Matcher {
    globs: Globs,
    /// All rules look only at the last component of a path.
    names_only: bool,
    ends: Ends,
    /// Differs where the lines differ.
    fingerprint: u64,
}

#[derive(Debug)]
enum Globs {
    Rules(Gitignore),
    Overrides(Override),
}

/// The last bytes of the names that rules can match.
#[derive(Debug)]
struct Ends([bool; 256]);

impl Ends {
    /// Adds that of a rule, which is in the globs' syntax. A class and an alternative end with a
    /// bracket, so a letter at the end stands for itself.
    fn add(&mut self, glob: &str, ignore_case: bool) {
        match glob.strip_suffix('/').unwrap_or(glob).as_bytes() {
            [.., last] if last.is_ascii_alphanumeric() && !ignore_case => {
                self.0[usize::from(*last)] = true;
            }
            _ => self.0.fill(true),
        }
    }
}

/// How the lines of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Syntax {
    /// As git reads them.
    Git {
        /// `core.ignoreCase`.
        ignore_case: bool,
    },
    /// As `fd` and `rg` read their own files: as git does, but `{a,b}` is an alternative.
    Braces,
}

impl Syntax {
    /// The line in the globs' syntax; `None` if it matches nothing.
    fn glob(self, line: &str) -> Option<Cow<'_, str>> {
        match self {
            Syntax::Braces if line.contains(['{', '}']) => Some(line.into()),
            Syntax::Braces => rewritten(line, false).map(Cow::from),
            Syntax::Git { ignore_case } => rewritten(line, ignore_case).map(Cow::from),
        }
    }
}

/// The verdict of a set of rules on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ignored,
    Kept,
    /// No rule matches the path.
    Silent,
}

/// A line that is not a valid rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    /// Counted from 1; 0 if no single line is meant.
    pub(super) number: usize,
    pub(super) reason: String,
    /// A bound was reached: the lines after this one do not count either, or no line in the file
    /// does.
    pub(super) is_bound: bool,
}

impl BadLine {
    fn new(number: usize, reason: String) -> BadLine {
        BadLine { number, reason, is_bound: false }
    }

    fn bound(number: usize, reason: impl Into<String>) -> BadLine {
        BadLine { number, reason: reason.into(), is_bound: true }
    }
}

fn fingerprint_of(content: &[u8], syntax: Option<Syntax>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    syntax.hash(&mut hasher);
    hasher.finish()
}

impl Matcher {
    /// Compiles the lines of an ignore file; `None` if there is no rule among them. A line that is
    /// not a valid rule is added to `bad`, and the other lines count.
    pub(super) fn compile(
        content: &[u8],
        syntax: Syntax,
        bad: &mut Vec<BadLine>,
    ) -> Option<Matcher> {
        let mut builder = GitignoreBuilder::new(HERE);
        let ignore_case = syntax == (Syntax::Git { ignore_case: true });
        let _ = builder.case_insensitive(ignore_case);
        let mut names_only = true;
        let mut ends = Ends([false; 256]);
        let mut wildcards = 0;
        let mut rules = 0;
        let mut unreported = 0;
        for (index, line) in lines(content).enumerate() {
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let checked = check(line);
            if checked.is_ok() {
                rules += 1;
                wildcards += wildcards_in(line);
            }
            if rules > MOST || wildcards > MOST {
                let reason = "too many rules, or wildcards, in one file: the rest is ignored";
                bad.push(BadLine::bound(index + 1, reason));
                break;
            }
            match checked.and_then(|line| add(&mut builder, line, syntax)) {
                Ok(None) => {}
                Ok(Some(glob)) => {
                    names_only &= looks_at_names_only(&glob);
                    ends.add(&glob, ignore_case);
                }
                Err(reason) if bad.len() < MAX_BAD => bad.push(BadLine::new(index + 1, reason)),
                Err(_) => unreported += 1,
            }
        }
        if unreported > 0 {
            bad.push(BadLine::new(0, format!("{unreported} more lines are not valid rules")));
        }
        let Ok(globs) = builder.build() else {
            // Each glob is valid, but together they are too large to compile.
            let reason = "the rules together are too large, so all of them are ignored";
            bad.retain(|line| !line.is_bound);
            bad.push(BadLine::bound(0, reason));
            return None;
        };
        let fingerprint = fingerprint_of(content, Some(syntax));
        let is_empty = globs.is_empty();
        let globs = Globs::Rules(globs);
        (!is_empty).then_some(Matcher { globs, names_only, ends, fingerprint })
    }

    /// Compiles override globs, whose `!` means the opposite of a rule's.
    pub(super) fn overrides(globs: &[String]) -> Result<Option<Matcher>, ::ignore::Error> {
        let mut builder = OverrideBuilder::new(HERE);
        for glob in globs {
            builder.add(glob)?;
        }
        let overrides = builder.build()?;
        let names_only = globs.iter().all(|glob| looks_at_names_only(glob));
        let fingerprint = fingerprint_of(globs.join("\n").as_bytes(), None);
        let globs = Globs::Overrides(overrides.clone());
        // Overrides may also decide about what none of them matches.
        let ends = Ends([true; 256]);
        Ok((!overrides.is_empty()).then_some(Matcher { globs, names_only, ends, fingerprint }))
    }

    /// A number that differs where the rules differ.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether the rules need only a path's last component.
    pub(super) fn is_names_only(&self) -> bool {
        self.names_only
    }

    /// Whether some rule may match a path of this name. A `true` may be wrong, which costs only time.
    #[inline]
    pub(super) fn may_match(&self, name: &[u8]) -> bool {
        name.last().is_none_or(|last| self.ends.0[usize::from(*last)])
    }

    /// The verdict on a path that is relative to the directory the rules hold for.
    pub(super) fn verdict(&self, path: &[u8], is_dir: bool) -> Verdict {
        let path: &Path = bytes_to_path(path);
        match &self.globs {
            Globs::Rules(globs) => globs.matched(path, is_dir).into(),
            Globs::Overrides(globs) => globs.matched(path, is_dir).into(),
        }
    }
}

impl<T> From<Match<T>> for Verdict {
    fn from(found: Match<T>) -> Verdict {
        match found {
            Match::None => Verdict::Silent,
            Match::Ignore(_) => Verdict::Ignored,
            Match::Whitelist(_) => Verdict::Kept,
        }
    }
}

/// Adds the rule of a line, if there is one, and returns it.
fn add<'l>(
    builder: &mut GitignoreBuilder,
    line: &'l str,
    syntax: Syntax,
) -> Result<Option<Cow<'l, str>>, String> {
    let Some(glob) = syntax.glob(line) else { return Ok(None) };
    builder.add_line(None, &glob).map_err(|error| error.to_string())?;
    Ok(Some(glob))
}

/// The lines of an ignore file, without line ends and without the byte order mark that some editors
/// write.
fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    content.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// The line as text, if it is within bounds.
fn check(line: &[u8]) -> Result<&str, String> {
    let text = str::from_utf8(line).map_err(|_| "not valid UTF-8")?;
    if line.len() > LONGEST {
        return Err(format!("longer than {LONGEST} bytes"));
    }
    Ok(text)
}

fn wildcards_in(line: &[u8]) -> usize {
    line.iter().filter(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{')).count()
}

/// Whether the rule is matched against the last component alone: it has no `/` except one at its
/// end or in a leading `**/`. A `false` may be wrong, which costs only time; a `true` is always
/// right.
fn looks_at_names_only(rule: &str) -> bool {
    let rule = rule.trim_end();
    let rule = rule.strip_prefix('!').unwrap_or(rule);
    let rule = rule.strip_suffix('/').unwrap_or(rule);
    let rule = rule.strip_prefix("**/").unwrap_or(rule);
    !rule.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIT: Syntax = Syntax::Git { ignore_case: false };

    fn matcher(content: &str) -> Matcher {
        let mut bad = Vec::new();
        let matcher = Matcher::compile(content.as_bytes(), GIT, &mut bad).expect("has a rule");
        assert_eq!(bad, []);
        matcher
    }

    #[test]
    fn rules_are_matched_as_git_does() {
        use Verdict::{Ignored, Kept, Silent};
        // (rules, path, is a directory, verdict)
        let cases = [
            ("*.log", "a.log", false, Ignored),
            ("*.log", "deep/a.log", false, Ignored),
            ("*.log\n!keep.log", "keep.log", false, Kept),
            ("!keep.log\n*.log", "keep.log", false, Ignored),
            ("build/", "build", true, Ignored),
            ("build/", "build", false, Silent),
            ("/top", "top", false, Ignored),
            ("/top", "deep/top", false, Silent),
            ("a/b", "a/b", false, Ignored),
            ("a/b", "x/a/b", false, Silent),
            ("**/b", "x/a/b", false, Ignored),
            ("a/**/b", "a/b", false, Ignored),
            ("a/**/b", "a/x/y/b", false, Ignored),
            ("a/**", "a", true, Silent),
            ("a/**", "a/b", false, Ignored),
            ("# no rule\nx", "# no rule", false, Silent),
            ("\\#name", "#name", false, Ignored),
            ("\\!name", "!name", false, Ignored),
            ("name   ", "name", false, Ignored),
            ("name\\ ", "name ", false, Ignored),
            ("name\r\nother\r\n", "name", false, Ignored),
            ("\u{feff}name", "name", false, Ignored),
            ("n[a-c]me", "nbme", false, Ignored),
            ("n?me", "n/me", false, Silent),
            ("*.LOG", "a.log", false, Silent),
            ("x\n*~", "a~", false, Ignored),
            ("x\n[ab]", "b", false, Ignored),
            ("x\ny/**", "y/a", false, Ignored),
        ];
        for (rules, path, is_dir, expected) in cases {
            let matcher = matcher(rules);
            let verdict = matcher.verdict(path.as_bytes(), is_dir);
            assert_eq!(verdict, expected, "{path:?} against {rules:?}");
            let may_match = matcher.may_match(path.as_bytes());
            assert!(may_match || verdict == Verdict::Silent, "{path:?} against {rules:?}");
        }
    }

    #[test]
    fn most_names_are_told_by_their_last_byte() {
        let rules = "*.o\n/target/\n!keep";
        for (name, expected) in [("a.o", true), ("target", true), ("keep", true), ("a.rs", false)] {
            assert_eq!(matcher(rules).may_match(name.as_bytes()), expected, "{name:?}");
        }
        for rules in ["*", "a*", "a?", "a[bc]", "a\\*", "a/**", "\u{e9}"] {
            assert!(matcher(rules).may_match(b"z"), "{rules:?}");
        }
        let ignore_case = Syntax::Git { ignore_case: true };
        for (rules, syntax) in [("{a,b}", Syntax::Braces), ("a", ignore_case)] {
            let matcher = Matcher::compile(rules.as_bytes(), syntax, &mut Vec::new());
            assert!(matcher.expect("has a rule").may_match(b"A"), "{rules:?}");
        }
    }

    #[test]
    fn rules_that_need_a_path_are_told_from_those_that_need_a_name() {
        for rules in ["*.log", "build/", "!name", "!name/ ", "**/name", "*", "**", "a\nb/"] {
            assert!(matcher(rules).is_names_only(), "{rules:?}");
        }
        for rules in ["/top", "a/b", "a/**", "**/a/b", "!/top", "a\nb/c", "a/b/", "{a,b/c}"] {
            assert!(!matcher(rules).is_names_only(), "{rules:?}");
        }
        let mut bad = Vec::new();
        let braces = Matcher::compile(b"{a,b/c}", Syntax::Braces, &mut bad).expect("has a rule");
        assert!(!braces.is_names_only());
    }

    #[test]
    fn a_bad_line_is_reported_and_the_others_hold() {
        let mut bad = Vec::new();
        let matcher = Matcher::compile(b"one\ncaf\xe9\n{a\ntwo\n", Syntax::Braces, &mut bad);
        let matcher = matcher.expect("has rules");
        assert_eq!(bad.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(matcher.verdict(b"one", false), Verdict::Ignored);
        assert_eq!(matcher.verdict(b"two", false), Verdict::Ignored);
    }

    #[test]
    fn rules_beyond_the_bounds_are_reported_and_the_others_hold() {
        let nested = |depth: usize| "{".repeat(depth) + "a,b" + &"}".repeat(depth);
        for (content, number) in [
            (format!("one\n{}\ntwo", "x".repeat(LONGEST + 1)), Some(2)),
            (format!("one\n{}\ntwo", "x".repeat(LONGEST)), None),
            (format!("one\n{}\ntwo", nested(101)), Some(2)),
            (format!("one\n{}\ntwo", nested(100)), None),
            (format!("one\ntwo\n{}", "x\n".repeat(MOST)), Some(MOST + 1)),
            (format!("one\n#{}\n\ntwo", "*".repeat(MOST + 1)), None),
        ] {
            let mut bad = Vec::new();
            let matcher = Matcher::compile(content.as_bytes(), Syntax::Braces, &mut bad);
            let matcher = matcher.expect("has rules");
            assert_eq!(bad.first().map(|line| line.number), number, "{bad:?}");
            assert!(bad.len() <= 1, "{bad:?}");
            assert_eq!(matcher.verdict(b"one", false), Verdict::Ignored);
            assert_eq!(matcher.verdict(b"two", false), Verdict::Ignored);
        }
        let mut bad = Vec::new();
        assert!(Matcher::compile(&b"{\n".repeat(1000), Syntax::Braces, &mut bad).is_none());
        assert_eq!(bad.len(), MAX_BAD + 1);
        assert_eq!(bad[MAX_BAD].reason, "901 more lines are not valid rules");
    }

    #[test]
    fn a_file_without_rules_compiles_to_nothing() {
        for content in ["", "\n\n", "# a comment\n", "   \r\n", "!\n", "a//b\n", "[a\n", "a\\"] {
            let compiled = Matcher::compile(content.as_bytes(), GIT, &mut Vec::new());
            assert!(compiled.is_none(), "{content:?}");
        }
    }

    #[test]
    fn overrides_ignore_what_follows_the_exclamation_mark() {
        let globs = ["!*.bak".to_owned(), "!/top/x".to_owned()];
        let matcher = Matcher::overrides(&globs).expect("valid").expect("not empty");
        assert_eq!(matcher.verdict(b"a/b.bak", false), Verdict::Ignored);
        assert_eq!(matcher.verdict(b"top/x", false), Verdict::Ignored);
        assert_eq!(matcher.verdict(b"a/b.rs", false), Verdict::Silent);
        assert!(Matcher::overrides(&["![a".to_owned()]).is_err());
        assert!(Matcher::overrides(&[]).expect("valid").is_none());
    }
}
