//! [`Matcher`]: one file's compiled rules, which give a verdict on a path: the last rule that matches
//! decides.
//!
//! A matcher gets paths that are relative to its directory. It knows whether its rules look only at
//! the last component: then no path is built. It also knows the last bytes of the names that its
//! rules can match, so that most names are not looked at further.
//!
//! A file of rules may be another user's. A compiled rule takes a kilobyte, and a wildcard as much
//! again, so there is a bound on each.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use brisk_sys::paths::bytes_to_path;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use regex::Regex;
use xxhash_rust::xxh3::Xxh3;

use super::rule::{rewritten, without_trailing_spaces};
use super::typed::{self, GlobError};

thread_local! {
    /// The rules that match a path. The vector is kept so that its memory is reused.
    static MATCHES: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The longest rule, in bytes: system calls take no longer path.
const LONGEST: usize = 4096;
/// The most rules of one file, and the most wildcards in them: compiled they take 100 MB and a
/// second. The longest lists in use have a few thousand.
const MOST: usize = 100_000;
/// The most bad lines of one file that are reported one by one.
const MAX_BAD: usize = 99;

/// The compiled rules of one file. The default stands for those of a file that cannot be read, and
/// matches nothing.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    set: GlobSet,
    /// The rules in the order of their lines.
    rules: Vec<Rule>,
    /// All rules look only at the last component of a path.
    pub(super) names_only: bool,
    /// The last bytes of the names that rules can match: in 8 rows, because longer arrays have no
    /// default.
    ends: [[bool; 32]; 8],
    /// The rules are overrides: what matches a rule is kept or, if the rule has a `!`, ignored.
    is_inverse: bool,
    /// Files that no rule matches are ignored, because some override says what is kept.
    keeps_few: bool,
    /// Differs where the rules differ.
    pub(super) fingerprint: u64,
    /// Each line of the file is a rule that counts.
    pub(super) is_complete: bool,
}

/// What a rule says besides its glob.
#[derive(Debug)]
struct Rule {
    /// The rule begins with a `!`.
    negated: bool,
    only_directories: bool,
    /// What decides about a path that the glob matches.
    exact: Option<Regex>,
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
    fn new(number: usize, reason: impl Into<String>, is_bound: bool) -> BadLine {
        BadLine { number, reason: reason.into(), is_bound }
    }
}

impl Matcher {
    /// Compiles the lines of an ignore file; `None` if there is no rule among them. A line that is
    /// not a valid rule is added to `bad`, and the other lines count.
    pub(super) fn compile(
        content: &[u8],
        syntax: Syntax,
        bad: &mut Vec<BadLine>,
    ) -> Option<Matcher> {
        let mut builder = Builder::new(syntax == Syntax::Git { ignore_case: true }, false);
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
                let is_wild = |byte: &&u8| matches!(byte, b'*' | b'?' | b'[' | b'{');
                wildcards += line.iter().filter(is_wild).count();
            }
            if rules > MOST || wildcards > MOST {
                let reason = "too many rules, or wildcards, in one file: the rest is ignored";
                bad.push(BadLine::new(index + 1, reason, true));
                break;
            }
            match checked.and_then(|line| add(&mut builder, line, syntax)) {
                Ok(()) => {}
                Err(reason) if bad.len() < MAX_BAD => {
                    bad.push(BadLine::new(index + 1, reason, false))
                }
                Err(_) => unreported += 1,
            }
        }
        if unreported > 0 {
            let reason = format!("{unreported} more lines are not valid rules");
            bad.push(BadLine::new(0, reason, false));
        }
        builder.build(content, Some(syntax)).unwrap_or_else(|_| {
            // Each glob is valid, but together they are too large to compile.
            let reason = "the rules together are too large, so all of them are ignored";
            bad.retain(|line| !line.is_bound);
            bad.push(BadLine::new(0, reason, true));
            None
        })
    }

    /// Compiles override globs, whose `!` means the opposite of a rule's. Spaces at the end count.
    pub(super) fn overrides(globs: &[String]) -> Result<Option<Matcher>, GlobError> {
        let mut builder = Builder::new(false, true);
        for glob in globs {
            let is_cut = without_trailing_spaces(glob).len() < glob.len();
            let kept = is_cut.then(|| format!("{}\\ ", &glob[..glob.len() - 1]));
            builder.add(kept.as_ref().unwrap_or(glob))?;
        }
        builder.build(globs.join("\n").as_bytes(), None)
    }

    /// Whether the rules may decide about a path of this name. A `true` may be wrong, which costs
    /// only time.
    #[inline]
    pub(super) fn may_decide(&self, name: &[u8]) -> bool {
        self.keeps_few
            || name.last().is_none_or(|last| self.ends.as_flattened()[usize::from(*last)])
    }

    /// The verdict on a path that is relative to the directory the rules hold for.
    pub(super) fn verdict(&self, path: &[u8], is_dir: bool) -> Verdict {
        let candidate = Candidate::new(bytes_to_path(path));
        let decides = |rule: &&Rule| {
            (is_dir || !rule.only_directories) && typed::allows(rule.exact.as_ref(), path)
        };
        // The last rule that matches decides.
        let decision = MATCHES.with_borrow_mut(|matches| {
            self.set.matches_candidate_into(&candidate, matches);
            matches.iter().rev().map(|index| &self.rules[*index]).find(decides)
        });
        match decision {
            Some(rule) if rule.negated == self.is_inverse => Verdict::Ignored,
            Some(_) => Verdict::Kept,
            None if self.keeps_few && !is_dir => Verdict::Ignored,
            None => Verdict::Silent,
        }
    }
}

/// Rules that are not compiled yet.
struct Builder {
    set: GlobSetBuilder,
    /// What they become.
    matcher: Matcher,
    ignore_case: bool,
}

impl Builder {
    /// `typed`: users type the rules, and do not write them into a file.
    fn new(ignore_case: bool, typed: bool) -> Builder {
        let matcher = Matcher { names_only: true, is_inverse: typed, ..Matcher::default() };
        Builder { set: GlobSetBuilder::new(), matcher, ignore_case }
    }

    /// Adds a rule: a glob, with `!` before it if it is negated, and with `/` after it if it is for
    /// directories only. A glob with a `/` before its end is for paths, any other one for names.
    fn add(&mut self, line: &str) -> Result<(), GlobError> {
        let line = without_trailing_spaces(line);
        let (negated, rule) = line.strip_prefix('!').map_or((false, line), |rule| (true, rule));
        let (only_directories, rule) = match rule.strip_suffix('/') {
            Some(rule) => (true, rule.strip_suffix('\\').unwrap_or(rule)),
            None => (false, rule),
        };
        if rule.is_empty() {
            return Ok(());
        }
        let is_name = !rule.strip_prefix("**/").unwrap_or(rule).contains('/');
        let mut glob = match rule.strip_prefix('/') {
            Some(path) => path.to_owned(),
            None if is_name && !rule.starts_with("**/") => format!("**/{rule}"),
            None => rule.to_owned(),
        };
        if glob.ends_with("/**") {
            // Match what is below a directory, not the directory itself.
            glob.push_str("/*");
        }
        let (compiled, exact) = match self.matcher.is_inverse {
            true => typed::build(&glob, true),
            // As in git, a class that does not end is text.
            false => GlobBuilder::new(&glob)
                .literal_separator(true)
                .case_insensitive(self.ignore_case)
                .backslash_escape(true)
                .allow_unclosed_class(true)
                .build()
                .map(|glob| (glob, None))
                .map_err(GlobError::from),
        }
        .map_err(|error| error.of(line))?;
        self.set.add(compiled);
        self.matcher.rules.push(Rule { negated, only_directories, exact });
        self.matcher.names_only &= is_name;
        // A class and an alternative end with a bracket, so a letter at the end stands for itself.
        let ends = self.matcher.ends.as_flattened_mut();
        match glob.as_bytes() {
            [.., last] if last.is_ascii_alphanumeric() && !self.ignore_case => {
                ends[usize::from(*last)] = true;
            }
            _ => ends.fill(true),
        }
        Ok(())
    }

    /// Compiles the rules, which are in `content`; `None` if there is none.
    fn build(self, content: &[u8], syntax: Option<Syntax>) -> Result<Option<Matcher>, GlobError> {
        let set = self.set.build()?;
        let mut hasher = Xxh3::new();
        hasher.write(content);
        syntax.hash(&mut hasher);
        let fingerprint = hasher.finish();
        let Matcher { rules, is_inverse, .. } = &self.matcher;
        let keeps_few = *is_inverse && rules.iter().any(|rule| !rule.negated);
        let is_complete = true;
        Ok((!rules.is_empty()).then_some(Matcher {
            set,
            keeps_few,
            fingerprint,
            is_complete,
            ..self.matcher
        }))
    }
}

/// Adds the rule of a line, if there is one.
fn add(builder: &mut Builder, line: &str, syntax: Syntax) -> Result<(), String> {
    let glob = syntax.glob(line);
    glob.map_or(Ok(()), |glob| builder.add(&glob)).map_err(|error| error.to_string())
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
            let may_decide = matcher.may_decide(path.as_bytes());
            assert!(may_decide || verdict == Silent, "{path:?} against {rules:?}");
        }
    }

    #[test]
    fn most_names_are_told_by_their_last_byte() {
        let rules = "*.o\n/target/\n!keep";
        for (name, expected) in [("a.o", true), ("target", true), ("keep", true), ("a.rs", false)] {
            assert_eq!(matcher(rules).may_decide(name.as_bytes()), expected, "{name:?}");
        }
        for rules in ["*", "a*", "a?", "a[bc]", "a\\*", "a/**", "\u{e9}"] {
            assert!(matcher(rules).may_decide(b"z"), "{rules:?}");
        }
        let ignore_case = Syntax::Git { ignore_case: true };
        for (rules, syntax) in [("{a,b}", Syntax::Braces), ("a", ignore_case)] {
            let matcher = Matcher::compile(rules.as_bytes(), syntax, &mut Vec::new());
            assert!(matcher.expect("has a rule").may_decide(b"A"), "{rules:?}");
        }
    }

    #[test]
    fn rules_that_need_a_path_are_told_from_those_that_need_a_name() {
        for rules in ["*.log", "build/", "!name", "!name/ ", "**/name", "*", "**", "a\nb/"] {
            assert!(matcher(rules).names_only, "{rules:?}");
        }
        for rules in ["/top", "a/b", "a/**", "**/a/b", "!/top", "a\nb/c", "a/b/", "{a,b/c}"] {
            assert!(!matcher(rules).names_only, "{rules:?}");
        }
        let mut bad = Vec::new();
        let braces = Matcher::compile(b"{a,b/c}", Syntax::Braces, &mut bad).expect("has a rule");
        assert!(!braces.names_only);
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
        for (glob, name) in [("!a ", "a "), ("!a  ", "a  "), ("!a\\ ", "a "), ("!a\\  ", "a  ")] {
            let matcher = Matcher::overrides(&[glob.to_owned()]).expect("valid").expect("a rule");
            assert_eq!(matcher.verdict(name.as_bytes(), false), Verdict::Ignored, "{glob:?}");
            assert_eq!(matcher.verdict(b"a", false), Verdict::Silent, "{glob:?}");
        }
        assert!(Matcher::overrides(&["![a".to_owned()]).is_err());
        assert!(Matcher::overrides(&[]).expect("valid").is_none());
    }
}
