//! [`Fault`]: why words are no expression. `--where` and a command line refuse the same mistakes,
//! each in its own words: GNU find's messages, and those that point into a line.

use std::ffi::OsString;

/// A mistake among words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The word that it is about.
    pub at: usize,
    /// The test, option, action or operator that the word belongs to.
    pub of: usize,
    pub why: Why,
    /// What else is said.
    pub reason: String,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    // Words.
    Unknown,
    Path,
    Unquoted,
    Missing,
    NumberMissing,
    NotHere,
    // WordReader of tests.
    Number,
    Used,
    TooLongAgo,
    Size,
    SizeUnit,
    SizeEmpty,
    TypesEmpty,
    TypeUnknown,
    TypeDoor,
    TypeTwice,
    TypesTogether,
    TypesEnd,
    Mode,
    User,
    UserEmpty,
    Group,
    GroupSuffix,
    GroupEmpty,
    RegexType,
    Regex,
    File,
    Date,
    DateMissing,
    NewerUnknown,
    Born,
    Contexts,
    Collation,
    Backslash,
    // Operators.
    End,
    Before,
    BeforeClose,
    Between,
    After,
    OpenEnd,
    Nothing,
    Unclosed,
    Closes,
    Deep,
    // Command lines.
    Help,
    Version,
    DebugHelp,
    DebugMissing,
    DebugEmpty,
    LevelMissing,
    LevelNumber,
    LevelSuffix,
    LevelRange,
    LevelHigh,
    Depth,
    Range,
    Argument,
    Braces,
    BracesInside,
    PrunedDelete,
    PathsTwice,
    InputTwice,
    Said,
}

const TYPES: &str = "'%w' is no list of types: b,c,d,p,f,l,s with commas between";
const SIZE: &str = "'%w' is no size: a number and one of b, c, w, k, M, G";

/// GNU's messages, with `|` between them, and ours; those that only command lines have need none.
/// `%w` is the word, `%t` what it belongs to, `%r` the reason; what is between `<` and `>` is quoted.
const TEXTS: &[(Why, &str, &str)] = &[
    (Why::Unknown, "unknown predicate `%w'", "%r"),
    (Why::Path, "paths must precede expression: `%w'", "'%w' is no test"),
    (
        Why::Unquoted,
        "paths must precede expression: `%w'|\
     possible unquoted pattern after predicate `%r'?",
        "'%w' is no test",
    ),
    (Why::Missing, "missing argument to `%w'", "'%w' needs an argument"),
    (Why::NumberMissing, "invalid argument `%w' to `%w'", "'%w' needs an argument"),
    (Why::NotHere, "'%w': not on this system", "'%w': not on this system"),
    (
        Why::Number,
        "invalid argument `%w' to `%t'",
        "'%w' is no number (N, +N for more, -N for less)",
    ),
    (Why::Used, "Invalid argument %w to -used", "'%w' is no number (N, +N for more, -N for less)"),
    (
        Why::TooLongAgo,
        "arithmetic overflow while converting %r to a number of seconds",
        "this is too far from now",
    ),
    (Why::Size, "Invalid argument `%w' to -size", SIZE),
    (Why::SizeUnit, "invalid -size type `%r'", SIZE),
    (Why::SizeEmpty, "invalid null argument to -size", SIZE),
    (Why::TypesEmpty, "WordReader to -%r should contain at least one letter", TYPES),
    (Why::TypeUnknown, "Unknown argument to -%r", TYPES),
    (
        Why::TypeDoor,
        "-%r D is not supported because Solaris doors are not supported on the platform \
                 find was compiled on.",
        TYPES,
    ),
    (Why::TypeTwice, "Duplicate file type %r.", TYPES),
    (Why::TypesTogether, "Must separate multiple arguments to -%r using: ','", TYPES),
    (
        Why::TypesEnd,
        "Last file type in list argument to -%r is missing, i.e., list is ending on: ','",
        TYPES,
    ),
    (Why::Mode, "invalid mode <%w>", "'%w' is no mode"),
    (Why::User, "<%w> is not the name of a known user", "the system knows no user '%w'"),
    (Why::UserEmpty, "The argument to -user should not be empty", "the system knows no user ''"),
    (Why::Group, "<%w> is not the name of an existing group", "the system knows no group '%w'"),
    (
        Why::GroupSuffix,
        "<%w> is not the name of an existing group and it does not look like a numeric \
                 group ID because it has the unexpected suffix <%r>",
        "the system knows no group '%w'",
    ),
    (
        Why::GroupEmpty,
        "argument to -group is empty, but should be a group name",
        "the system knows no group ''",
    ),
    (
        Why::RegexType,
        "Unknown regular expression type <%w>; valid types are <findutils-default>, <ed>, \
                 <emacs>, <gnu-awk>, <grep>, <posix-awk>, <awk>, <posix-basic>, <posix-egrep>, \
                 <egrep>, <posix-extended>, <posix-minimal-basic>, <sed>.",
        "'%w' is no type of regular expressions: findutils-default, ed, emacs, gnu-awk, \
                 grep, posix-awk, awk, posix-basic, posix-egrep, egrep, posix-extended, \
                 posix-minimal-basic, sed",
    ),
    (Why::Regex, "failed to compile regular expression '%w': %r", "'%w': %r"),
    (Why::File, "<%w>: %r", "'%w': %r"),
    (
        Why::Date,
        "I cannot figure out how to interpret <%w> as a date or time",
        "'%w' is no date: 2026-01-31, '2026-01-31 12:00', 2026-01-31T12:00:00Z, @SECONDS, \
                 '2 days ago', yesterday, now",
    ),
    (Why::DateMissing, "The <%w> test needs an argument", "'%w' needs an argument"),
    (Why::NewerUnknown, "invalid predicate `%w'", "'%w' is no test"),
    (Why::Born, "Cannot obtain birth time of file <%w>", "its file system does not keep this time"),
    (
        Why::Contexts,
        "invalid predicate -context: SELinux is not enabled.",
        "'%t': SELinux is not enabled",
    ),
    (Why::Collation, "<%w>: [.x.] and [=x=] are not known here", COLLATION),
    (Why::Backslash, "", "'%w': the backslash at its end keeps nothing"),
    (Why::End, "invalid expression", "a test is missing after '%w'"),
    (
        Why::Before,
        "invalid expression; you have used a binary operator '%w' with nothing before it.",
        "a test is missing before '%w'",
    ),
    (
        Why::BeforeClose,
        "invalid expression: expected expression before closing parentheses '%w'.",
        "a test is missing before '%w'",
    ),
    (Why::Between, "expected an expression between '%t' and ')'", "a test is missing before '%w'"),
    (Why::After, "expected an expression after '%w'", "a test is missing after '%w'"),
    (
        Why::OpenEnd,
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need \
                 an extra predicate after '%w'",
        "a test is missing after '%w'",
    ),
    (
        Why::Nothing,
        "invalid expression; empty parentheses are not allowed.",
        "there is nothing between '(' and ')'",
    ),
    (
        Why::Unclosed,
        "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        "a ')' is missing for this '('",
    ),
    (Why::Closes, "you have too many ')'", "there are too many ')'"),
    (Why::Deep, "more than 100 '(' are open", "more than 100 '(' are open"),
    (Why::DebugMissing, "Missing argument after the -D option.", ""),
    (Why::DebugEmpty, "Empty argument to the -D option.", ""),
    (Why::LevelMissing, "The -O option must be immediately followed by a decimal integer", ""),
    (Why::LevelNumber, "Please specify a decimal number immediately after -O", ""),
    (Why::LevelSuffix, "Invalid optimisation level %r", ""),
    (Why::LevelRange, "Invalid optimisation level %r: Numerical result out of range", ""),
    (
        Why::LevelHigh,
        "Optimisation level %r is too high.  If you want to find files very quickly, \
                 consider using GNU locate.",
        "",
    ),
    (Why::Depth, "Expected a positive decimal integer argument to %t, but got <%w>", ""),
    (Why::Range, "%w: Numerical result out of range", "'%w' is too large"),
    (Why::Argument, "invalid argument `%w' to `%t'", ""),
    (Why::Braces, "Only one instance of {} is supported with -exec%r ... +", ""),
    (
        Why::BracesInside,
        "In <-exec%r ... {} +> the <{}> must appear by itself, but you specified <%w>",
        "",
    ),
    (
        Why::PrunedDelete,
        "The -delete action automatically turns on -depth, but -prune does nothing when \
                 -depth is in effect.  If you want to carry on anyway, just explicitly use the \
                 -depth option.",
        "",
    ),
    (Why::PathsTwice, "extra operand <%w>|file operands cannot be combined with -files0-from", ""),
    (
        Why::InputTwice,
        "option -files0-from reading from standard input cannot be combined with -ok, \
                 -okdir\n",
        "",
    ),
    (Why::Said, "%r", "%r"),
];

const COLLATION: &str = "'%w': [.x.] and [=x=] are not known here";

impl Fault {
    /// What is wrong with a word.
    pub fn new(why: Why, at: usize) -> Fault {
        Fault { at, of: at, why, reason: String::new() }
    }

    /// The same for a word that belongs to another one.
    pub fn of(self, of: usize) -> Fault {
        Fault { of, ..self }
    }

    /// The same with more to say.
    pub fn because(self, reason: impl ToString) -> Fault {
        Fault { reason: reason.to_string(), ..self }
    }

    /// As `--where` tells it.
    pub fn plain(&self, words: &[OsString]) -> String {
        self.fill(self.texts()[1], words, &|_| String::new())
    }

    /// As GNU find tells it.
    pub fn messages(&self, words: &[OsString], quote: &dyn Fn(&[u8]) -> String) -> Vec<String> {
        let texts = self.texts()[0].split('|');
        texts.map(|text| self.fill(text, words, quote)).collect()
    }

    fn texts(&self) -> [&'static str; 2] {
        let row = TEXTS.iter().find(|(why, ..)| *why == self.why);
        row.map_or([""; 2], |(_, gnu, plain)| [gnu, plain])
    }

    fn fill(&self, text: &str, words: &[OsString], quote: &dyn Fn(&[u8]) -> String) -> String {
        let word = |at: usize| words.get(at).map_or(&b""[..], |word| word.as_encoded_bytes());
        let mut out = Vec::new();
        // Where the part that is to be quoted begins.
        let mut quoted = 0;
        let mut rest = text.bytes();
        while let Some(byte) = rest.next() {
            match byte {
                b'%' => out.extend_from_slice(match rest.next() {
                    Some(b'w') => word(self.at),
                    Some(b't') => word(self.of),
                    _ => self.reason.as_bytes(),
                }),
                b'<' => quoted = out.len(),
                b'>' => out = [&out[..quoted], quote(&out[quoted..]).as_bytes()].concat(),
                other => out.push(other),
            }
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}
