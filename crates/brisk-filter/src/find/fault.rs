//! [`Fault`]: why words are not an expression. `--where` and a command line refuse the same
//! mistakes, each in its own words: a command line with GNU find's messages, `--where` with
//! messages that give a position.

use std::ffi::OsString;

use brisk_sys::quoting::line;

/// A mistake among words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The word that the fault is about.
    pub at: usize,
    /// The test, option, action or operator that the word belongs to.
    pub of: usize,
    pub why: Why,
    /// The reason, for `%r`.
    pub reason: String,
}

/// What is wrong: GNU find's messages, with `|` between them, and the message of `--where`. `%w` is
/// the word, `%t` what it belongs to, `%r` the reason; what is between `<` and `>` is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Why(&'static str, &'static str);

const NO_TYPES: &str = "'%w' is not a list of types: b,c,d,p,f,l,s with commas between";
const NO_SIZE: &str = "'%w' is not a size: a number and one of b, c, w, k, M, G";

impl Why {
    pub const UNKNOWN: Why = Why("unknown predicate `%w'", "%r");
    pub const PATH: Why = Why("paths must precede expression: `%w'", "'%w' is not a test");
    pub const UNQUOTED: Why = Why(
        "paths must precede expression: `%w'|possible unquoted pattern after predicate `%r'?",
        "'%w' is not a test",
    );
    pub const MISSING: Why = Why("missing argument to `%w'", "'%w' needs an argument");
    pub const NUMBER_MISSING: Why = Why("invalid argument `%w' to `%w'", "'%w' needs an argument");
    pub const NOT_HERE: Why = Why("'%w': not on this system", "'%w': not on this system");
    pub const NUMBER: Why =
        Why("invalid argument `%w' to `%t'", "'%w' is not a number (N, +N for more, -N for less)");
    pub const USED: Why =
        Why("Invalid argument %w to -used", "'%w' is not a number (N, +N for more, -N for less)");
    pub const TOO_LONG_AGO: Why = Why(
        "arithmetic overflow while converting %r to a number of seconds",
        "this is too far from now",
    );
    pub const SIZE: Why = Why("Invalid argument `%w' to -size", NO_SIZE);
    pub const SIZE_UNIT: Why = Why("invalid -size type `%r'", NO_SIZE);
    pub const SIZE_EMPTY: Why = Why("invalid null argument to -size", NO_SIZE);
    pub const TYPES_EMPTY: Why =
        Why("Arguments to -%r should contain at least one letter", NO_TYPES);
    pub const TYPE_UNKNOWN: Why = Why("Unknown argument to -%r", NO_TYPES);
    pub const TYPE_DOOR: Why = Why(
        "-%r D is not supported because Solaris doors are not supported on the platform find was \
         compiled on.",
        NO_TYPES,
    );
    pub const TYPE_TWICE: Why = Why("Duplicate file type %r.", NO_TYPES);
    pub const TYPES_TOGETHER: Why =
        Why("Must separate multiple arguments to -%r using: ','", NO_TYPES);
    pub const TYPES_END: Why = Why(
        "Last file type in list argument to -%r is missing, i.e., list is ending on: ','",
        NO_TYPES,
    );
    pub const MODE: Why = Why("invalid mode <%w>", "'%w' is not a mode");
    pub const USER: Why =
        Why("<%w> is not the name of a known user", "the system knows no user '%w'");
    pub const USER_EMPTY: Why =
        Why("The argument to -user should not be empty", "the system knows no user ''");
    pub const GROUP: Why =
        Why("<%w> is not the name of an existing group", "the system knows no group '%w'");
    pub const GROUP_SUFFIX: Why = Why(
        "<%w> is not the name of an existing group and it does not look like a numeric group ID \
         because it has the unexpected suffix <%r>",
        "the system knows no group '%w'",
    );
    pub const GROUP_EMPTY: Why = Why(
        "argument to -group is empty, but should be a group name",
        "the system knows no group ''",
    );
    pub const REGEX_TYPE: Why = Why(
        "Unknown regular expression type <%w>; valid types are <findutils-default>, <ed>, \
         <emacs>, <gnu-awk>, <grep>, <posix-awk>, <awk>, <posix-basic>, <posix-egrep>, <egrep>, \
         <posix-extended>, <posix-minimal-basic>, <sed>.",
        "'%w' is not a type of regular expressions: findutils-default, ed, emacs, gnu-awk, grep, \
         posix-awk, awk, posix-basic, posix-egrep, egrep, posix-extended, posix-minimal-basic, \
         sed",
    );
    pub const REGEX: Why = Why("failed to compile regular expression '%w': %r", "'%w': %r");
    pub const FILE: Why = Why("<%w>: %r", "'%w': %r");
    pub const DATE: Why = Why(
        "I cannot figure out how to interpret <%w> as a date or time",
        "'%w' is not a date: 2026-01-31, '2026-01-31 12:00', 2026-01-31T12:00:00Z, @SECONDS, '2 days \
         ago', yesterday, now",
    );
    pub const DATE_MISSING: Why = Why("The <%w> test needs an argument", "'%w' needs an argument");
    pub const NEWER_UNKNOWN: Why = Why("invalid predicate `%w'", "'%w' is not a test");
    pub const BORN: Why =
        Why("Cannot obtain birth time of file <%w>", "its file system does not keep this time");
    pub const CONTEXTS: Why =
        Why("invalid predicate -context: SELinux is not enabled.", "'%t': SELinux is not enabled");
    pub const COLLATION: Why =
        Why("<%w>: [.x.] and [=x=] are not known here", "'%w': [.x.] and [=x=] are not known here");
    pub const BACKSLASH: Why = Why("", "'%w': the backslash at its end keeps nothing");
    pub const END: Why = Why("invalid expression", "a test is missing after '%w'");
    pub const BEFORE: Why = Why(
        "invalid expression; you have used a binary operator '%w' with nothing before it.",
        "a test is missing before '%w'",
    );
    pub const BEFORE_CLOSE: Why = Why(
        "invalid expression: expected expression before closing parentheses '%w'.",
        "a test is missing before '%w'",
    );
    pub const BETWEEN: Why =
        Why("expected an expression between '%t' and ')'", "a test is missing before '%w'");
    pub const AFTER: Why = Why("expected an expression after '%w'", "a test is missing after '%w'");
    pub const OPEN_END: Why = Why(
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra \
         predicate after '%w'",
        "a test is missing after '%w'",
    );
    pub const NOTHING: Why = Why(
        "invalid expression; empty parentheses are not allowed.",
        "there is nothing between '(' and ')'",
    );
    pub const UNCLOSED: Why = Why(
        "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        "a ')' is missing for this '('",
    );
    pub const CLOSES: Why = Why("you have too many ')'", "there are too many ')'");
    pub const DEEP: Why = Why("more than 100 '(' are open", "more than 100 '(' are open");
    pub const DEBUG_MISSING: Why = Why("Missing argument after the -D option.", "");
    pub const DEBUG_EMPTY: Why = Why("Empty argument to the -D option.", "");
    pub const LEVEL_MISSING: Why =
        Why("The -O option must be immediately followed by a decimal integer", "");
    pub const LEVEL_NUMBER: Why = Why("Please specify a decimal number immediately after -O", "");
    pub const LEVEL_SUFFIX: Why = Why("Invalid optimisation level %r", "");
    pub const LEVEL_RANGE: Why =
        Why("Invalid optimisation level %r: Numerical result out of range", "");
    pub const LEVEL_HIGH: Why = Why(
        "Optimisation level %r is too high.  If you want to find files very quickly, consider \
         using GNU locate.",
        "",
    );
    pub const DEPTH: Why =
        Why("Expected a positive decimal integer argument to %t, but got <%w>", "");
    pub const RANGE: Why = Why("%w: Numerical result out of range", "'%w' is too large");
    pub const BRACES: Why = Why("Only one instance of {} is supported with -exec%r ... +", "");
    pub const BRACES_INSIDE: Why =
        Why("In <-exec%r ... {} +> the <{}> must appear by itself, but you specified <%w>", "");
    pub const PRUNED_DELETE: Why = Why(
        "The -delete action automatically turns on -depth, but -prune does nothing when -depth is \
         in effect.  If you want to carry on anyway, just explicitly use the -depth option.",
        "",
    );
    pub const PATHS_TWICE: Why =
        Why("extra operand <%w>|file operands cannot be combined with -files0-from", "");
    pub const INPUT_TWICE: Why = Why(
        "option -files0-from reading from standard input cannot be combined with -ok, -okdir\n",
        "",
    );
    pub const SAID: Why = Why("%r", "%r");
    pub const HELP: Why = Why("", "Help");
    pub const VERSION: Why = Why("", "Version");
    pub const DEBUG_HELP: Why = Why("", "DebugHelp");
}

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

    /// The message of `--where`.
    pub fn plain(&self, words: &[OsString]) -> String {
        self.fill(self.why.1, words, &|_| String::new())
    }

    /// The messages of GNU find.
    pub fn messages(&self, words: &[OsString], quote: &dyn Fn(&[u8]) -> String) -> Vec<String> {
        let texts = self.why.0.split('|');
        texts.map(|text| self.fill(text, words, quote)).collect()
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
        out.utf8_chunks().map(|chunk| chunk.valid().to_owned() + &line(chunk.invalid())).collect()
    }
}
