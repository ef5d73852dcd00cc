//! find's language: the words of a command line become one expression of tests. GNU find 4.9 says
//! what a word means and which operators bind tighter.
//!
//! ```text
//!   list:    any   , any …           the value of the last
//!   any:     all  -o all …
//!   all:     term [-a] term …
//!   term:    ! term  |  ( list )  |  test
//! ```
//!
//! Nothing is looked up here: names of users, files to compare with, dates and modes stay as they
//! were typed.

use std::fmt;

pub mod dialect;
pub mod words;

use dialect::Dialect;

/// An expression: what an entry must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Test(Test),
    Not(Box<Expr>),
    /// `-a`: asked up to the first that is false.
    All(Vec<Expr>),
    /// `-o`: asked up to the first that is true.
    Any(Vec<Expr>),
    /// `,`: all are asked, and the last one counts.
    List(Vec<Expr>),
}

/// A number to compare with: `N`, `+N` or `-N`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Compare<N> {
    Exactly(N),
    More(N),
    Less(N),
}

/// A time of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    Accessed,
    Born,
    Changed,
    Modified,
}

/// What a time is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Than {
    /// A time of this file.
    File(Vec<u8>, Stamp),
    /// A date as it was typed.
    Date(String),
}

/// The unit of an age, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeUnit {
    Minutes,
    Days,
}

/// Whose an entry is.
#[derive(Clone, Debug, PartialEq)]
pub enum Owner {
    /// A name, or a number if nobody has that name.
    Named(String),
    Id(Compare<u64>),
}

/// How the bits of `-perm` are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// `MODE`
    Exactly,
    /// `-MODE`
    All,
    /// `/MODE`
    Any,
}

/// What the caller may do with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
    Execute,
}

/// A glob, compared as fnmatch does; `fold`: without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    pub text: Vec<u8>,
    pub fold: bool,
}

/// One test of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    True,
    False,
    Name(Glob),
    Path(Glob),
    /// The target of a link.
    Link(Glob),
    /// The path as it is printed, in the syntax of the regex crate.
    Regex { regex: String, fold: bool },
    /// The letters of `-type`; `-xtype` asks about the other side of a link.
    Type { letters: Vec<u8>, other: bool },
    /// In units of `unit` bytes, rounded up.
    Size { blocks: Compare<u64>, unit: u64 },
    Empty,
    Perm { bits: Bits, mode: String },
    Access(Access),
    User(Owner),
    Group(Owner),
    NoUser,
    NoGroup,
    Links(Compare<u64>),
    Inode(Compare<u64>),
    SameFile(Vec<u8>),
    Age { stamp: Stamp, unit: AgeUnit, age: Compare<f64>, from_midnight: bool },
    /// Days between the last change and the last access.
    Used(Compare<f64>),
    Newer { stamp: Stamp, than: Than },
    FileSystem(String),
}

/// Why the words are no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The number of the word.
    pub word: usize,
    pub why: String,
}

/// Reads an expression of tests.
///
/// # Errors
/// A word that is no test, what a test needs and does not get, or operators without operands.
pub fn parse(words: &[&[u8]]) -> Result<Expr, Mistake> {
    let mut parser = Parser { words, at: 0, dialect: Dialect::default(), from_midnight: false };
    let expr = parser.list()?;
    match words.get(parser.at) {
        None => Ok(expr),
        Some(_) => Err(parser.mistake(parser.at, "there are too many ')'")),
    }
}

struct Parser<'w> {
    words: &'w [&'w [u8]],
    at: usize,
    dialect: Dialect,
    from_midnight: bool,
}

type Parsed<T> = Result<T, Mistake>;

impl<'w> Parser<'w> {
    fn mistake(&self, word: usize, why: impl fmt::Display) -> Mistake {
        Mistake { word: word.min(self.words.len().saturating_sub(1)), why: why.to_string() }
    }

    fn takes(&mut self, operators: &[&str]) -> bool {
        let is_one = |word: &&[u8]| operators.iter().any(|it| it.as_bytes() == *word);
        let taken = self.words.get(self.at).is_some_and(is_one);
        self.at += usize::from(taken);
        taken
    }

    fn list(&mut self) -> Parsed<Expr> {
        self.chain(Expr::List, Parser::any, |parser| parser.takes(&[","]))
    }

    fn any(&mut self) -> Parsed<Expr> {
        self.chain(Expr::Any, Parser::all, |parser| parser.takes(&["-o", "-or"]))
    }

    fn all(&mut self) -> Parsed<Expr> {
        let goes_on = |parser: &mut Parser<'_>| {
            let ends: [&[u8]; 4] = [b",", b"-o", b"-or", b")"];
            let next = parser.words.get(parser.at);
            parser.takes(&["-a", "-and"]) || next.is_some_and(|word| !ends.contains(word))
        };
        self.chain(Expr::All, Parser::term, goes_on)
    }

    fn chain(
        &mut self,
        join: fn(Vec<Expr>) -> Expr,
        part: fn(&mut Self) -> Parsed<Expr>,
        goes_on: impl Fn(&mut Self) -> bool,
    ) -> Parsed<Expr> {
        let first = part(self)?;
        let mut parts = vec![first];
        while goes_on(self) {
            parts.push(part(self)?);
        }
        Ok(if parts.len() > 1 { join(parts) } else { parts.remove(0) })
    }

    fn term(&mut self) -> Parsed<Expr> {
        let at = self.at;
        let Some(word) = self.words.get(at) else {
            let before = at.checked_sub(1).map(|before| shown(self.words[before]));
            let why = before.map_or("a test is missing".to_owned(), |it| format!("a test is missing after {it}"));
            return Err(self.mistake(at, why));
        };
        self.at += 1;
        match *word {
            b"!" | b"-not" => Ok(Expr::Not(Box::new(self.term()?))),
            b"(" => {
                if self.words.get(self.at) == Some(&&b")"[..]) {
                    return Err(self.mistake(at, "there is nothing between '(' and ')'"));
                }
                let inner = self.list()?;
                match self.takes(&[")"]) {
                    true => Ok(inner),
                    false => Err(self.mistake(at, "a ')' is missing for this '('")),
                }
            }
            b")" | b"," | b"-o" | b"-or" | b"-a" | b"-and" => {
                Err(self.mistake(at, format!("a test is missing before {}", shown(word))))
            }
            word => self.test(at, word),
        }
    }

    /// The argument of the test that was read last.
    fn value(&mut self) -> Parsed<&'w [u8]> {
        let at = self.at - 1;
        let why = || self.mistake(at, format!("{} needs an argument", shown(self.words[at])));
        let value = *self.words.get(self.at).ok_or_else(why)?;
        self.at += 1;
        Ok(value)
    }

    fn text(&mut self) -> Parsed<&'w str> {
        let value = self.value()?;
        str::from_utf8(value).map_err(|_| self.mistake(self.at - 1, "this is not UTF-8"))
    }

    /// What a test's argument means, or the refusal of it.
    fn read<T>(&mut self, read: impl Fn(&str) -> Option<T>, what: &str) -> Parsed<T> {
        let text = self.text()?;
        let why = || self.mistake(self.at - 1, format!("'{text}' is no {what}"));
        read(text).ok_or_else(why)
    }

    fn number(&mut self) -> Parsed<Compare<u64>> {
        self.read(|text| compare(text, whole), "number (N, +N for more, -N for less)")
    }

    fn test(&mut self, at: usize, word: &[u8]) -> Parsed<Expr> {
        let name = word.strip_prefix(b"-").and_then(|name| str::from_utf8(name).ok()).unwrap_or("");
        let test = match name {
            "true" => Test::True,
            "false" => Test::False,
            "name" | "iname" => Test::Name(self.glob(name)?),
            "path" | "wholename" | "ipath" | "iwholename" => Test::Path(self.glob(name)?),
            "lname" | "ilname" => Test::Link(self.glob(name)?),
            "regex" | "iregex" => self.regex(name.starts_with('i'))?,
            "regextype" => {
                let names: Vec<_> = Dialect::names().collect();
                let what = format!("type of regular expressions: {}", names.join(", "));
                self.dialect = self.read(Dialect::named, &what)?;
                Test::True
            }
            "daystart" => {
                self.from_midnight = true;
                Test::True
            }
            "type" | "xtype" => {
                let letters = self.read(types, "list of types: b,c,d,p,f,l,s with commas between")?;
                Test::Type { letters, other: name == "xtype" }
            }
            "size" => {
                let (blocks, unit) = self.read(size, "size: a number and one of b, c, w, k, M, G")?;
                Test::Size { blocks, unit }
            }
            "empty" => Test::Empty,
            "perm" => self.perm()?,
            "readable" => Test::Access(Access::Read),
            "writable" => Test::Access(Access::Write),
            "executable" => Test::Access(Access::Execute),
            "user" => Test::User(Owner::Named(self.text()?.to_owned())),
            "group" => Test::Group(Owner::Named(self.text()?.to_owned())),
            "uid" => Test::User(Owner::Id(self.number()?)),
            "gid" => Test::Group(Owner::Id(self.number()?)),
            "nouser" => Test::NoUser,
            "nogroup" => Test::NoGroup,
            "links" => Test::Links(self.number()?),
            "inum" => Test::Inode(self.number()?),
            "samefile" => Test::SameFile(self.value()?.to_vec()),
            "fstype" => Test::FileSystem(self.text()?.to_owned()),
            "used" => Test::Used(self.days()?),
            "mtime" | "atime" | "ctime" | "mmin" | "amin" | "cmin" => self.age(name)?,
            "newer" => self.newer(Stamp::Modified, Some(Stamp::Modified))?,
            "anewer" => self.newer(Stamp::Accessed, Some(Stamp::Modified))?,
            "cnewer" => self.newer(Stamp::Changed, Some(Stamp::Modified))?,
            _ => return self.newer_xy(at, word, name),
        };
        Ok(Expr::Test(test))
    }

    fn glob(&mut self, name: &str) -> Parsed<Glob> {
        Ok(Glob { text: self.value()?.to_vec(), fold: name.starts_with('i') })
    }

    fn regex(&mut self, fold: bool) -> Parsed<Test> {
        let dialect = self.dialect;
        let text = self.text()?;
        let why = |why| self.mistake(self.at - 1, format!("'{text}': {why}"));
        Ok(Test::Regex { regex: dialect.translate(text).map_err(why)?, fold })
    }

    fn perm(&mut self) -> Parsed<Test> {
        let text = self.text()?;
        let (bits, mode) = match text.as_bytes().first() {
            Some(b'-') => (Bits::All, &text[1..]),
            Some(b'/') => (Bits::Any, &text[1..]),
            _ => (Bits::Exactly, text),
        };
        Ok(Test::Perm { bits, mode: mode.to_owned() })
    }

    fn days(&mut self) -> Parsed<Compare<f64>> {
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        self.read(|text| compare(text, number), "number (N, +N for more, -N for less)")
    }

    fn age(&mut self, name: &str) -> Parsed<Test> {
        let stamp = stamp_of(name.as_bytes()[0]).unwrap_or(Stamp::Modified);
        let unit = if name.ends_with("min") { AgeUnit::Minutes } else { AgeUnit::Days };
        Ok(Test::Age { stamp, unit, age: self.days()?, from_midnight: self.from_midnight })
    }

    /// `of`: the time of a file to compare with; `None` for a date.
    fn newer(&mut self, stamp: Stamp, of: Option<Stamp>) -> Parsed<Test> {
        let than = match of {
            Some(of) => Than::File(self.value()?.to_vec(), of),
            None => Than::Date(self.text()?.to_owned()),
        };
        Ok(Test::Newer { stamp, than })
    }

    /// `-newerXY`, or a word that is no test.
    fn newer_xy(&mut self, at: usize, word: &[u8], name: &str) -> Parsed<Expr> {
        let times = name.strip_prefix("newer").map(str::as_bytes).unwrap_or_default();
        if let &[x, y] = times
            && let Some(stamp) = stamp_of(x)
            && (y == b't' || stamp_of(y).is_some())
        {
            return Ok(Expr::Test(self.newer(stamp, stamp_of(y))?));
        }
        let shown = shown(word);
        Err(self.mistake(at, match name {
            _ if ACTIONS.contains(&name) => format!("{shown} is an action, and only tests can stand here"),
            _ if OPTIONS.contains(&name) => format!("{shown} is no test, but an option of find"),
            _ => format!("{shown} is no test"),
        }))
    }
}

/// find's actions.
const ACTIONS: [&str; 15] = [
    "delete", "exec", "execdir", "fls", "fprint", "fprint0", "fprintf", "ls", "ok", "okdir", "print",
    "print0", "printf", "prune", "quit",
];

/// What find takes among the tests and is none.
const OPTIONS: [&str; 11] = [
    "d", "depth", "files0-from", "follow", "ignore_readdir_race", "maxdepth", "mindepth", "mount",
    "noleaf", "warn", "xdev",
];

fn shown(word: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(word))
}

fn stamp_of(letter: u8) -> Option<Stamp> {
    Some(match letter {
        b'a' => Stamp::Accessed,
        b'B' => Stamp::Born,
        b'c' => Stamp::Changed,
        b'm' => Stamp::Modified,
        _ => return None,
    })
}

/// A number with the sign that says how it is compared. A second plus belongs to the number.
fn compare<N>(text: &str, number: impl Fn(&str) -> Option<N>) -> Option<Compare<N>> {
    let unsigned = |rest| number(rest);
    match text.as_bytes().first()? {
        b'+' => unsigned(&text[1..]).map(Compare::More),
        b'-' => unsigned(&text[1..]).map(Compare::Less),
        _ => unsigned(text).map(Compare::Exactly),
    }
}

/// A whole number of decimal digits, which a plus may precede.
fn whole(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.starts_with('+') { None } else { digits.parse().ok() }
}

fn size(text: &str) -> Option<(Compare<u64>, u64)> {
    let last = *text.as_bytes().last()?;
    let unit = match last {
        b'0'..=b'9' | b'b' => 512,
        b'c' => 1,
        b'w' => 2,
        b'k' => 1 << 10,
        b'M' => 1 << 20,
        b'G' => 1 << 30,
        _ => return None,
    };
    let number = if last.is_ascii_digit() { text } else { &text[..text.len() - 1] };
    Some((compare(number, whole)?, unit))
}

/// Letters with commas between them, none twice.
fn types(text: &str) -> Option<Vec<u8>> {
    let mut letters = Vec::new();
    for part in text.split(',') {
        let &[letter] = part.as_bytes() else { return None };
        if !b"bcdpfls".contains(&letter) || letters.contains(&letter) {
            return None;
        }
        letters.push(letter);
    }
    Some(letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use super::words::split;

    /// The expression of a line in full: each operator with parentheses, each test by its word.
    fn read(line: &str) -> Result<String, (usize, String)> {
        let words = split(line.as_bytes()).expect("closed quotes");
        let texts: Vec<&[u8]> = words.iter().map(|word| &*word.text).collect();
        let expr = parse(&texts).map_err(|mistake| (mistake.word, mistake.why))?;
        Ok(told(&expr))
    }

    fn told(expr: &Expr) -> String {
        let join = |parts: &[Expr], operator: &str| {
            let parts: Vec<String> = parts.iter().map(told).collect();
            format!("({})", parts.join(operator))
        };
        match expr {
            Expr::Not(inner) => format!("!{}", told(inner)),
            Expr::All(parts) => join(parts, " & "),
            Expr::Any(parts) => join(parts, " | "),
            Expr::List(parts) => join(parts, " , "),
            Expr::Test(Test::Name(glob)) => String::from_utf8_lossy(&glob.text).into_owned(),
            Expr::Test(test) => format!("{test:?}"),
        }
    }

    #[test]
    fn operators_bind_as_in_find() {
        for (line, expected) in [
            ("-name a", "a"),
            ("-name a -name b", "(a & b)"),
            ("-name a -o -name b -name c", "(a | (b & c))"),
            ("-name a -a -name b -or -not -name c", "((a & b) | !c)"),
            ("! ! -name a", "!!a"),
            ("! -name a -name b", "(!a & b)"),
            ("-name a , -name b -o -name c", "(a , (b | c))"),
            ("( -name a -o -name b ) -name c", "((a | b) & c)"),
            ("! ( -name a , -name b )", "!(a , b)"),
            (r"\( -name -o \)", "-o"),
        ] {
            assert_eq!(read(line).as_deref(), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_word() {
        for (line, word, why) in [
            ("", 0, "a test is missing"),
            ("-name a -o", 2, "a test is missing after '-o'"),
            ("-o -name a", 0, "a test is missing before '-o'"),
            ("-name a -o , -name b", 3, "a test is missing before ','"),
            ("!", 0, "a test is missing after '!'"),
            ("( )", 0, "there is nothing between '(' and ')'"),
            ("( -name a", 0, "a ')' is missing for this '('"),
            ("-name a )", 2, "there are too many ')'"),
            ("-name", 0, "'-name' needs an argument"),
            ("-name a b", 2, "'b' is no test"),
            ("-true -print", 1, "'-print' is an action, and only tests can stand here"),
            ("-maxdepth 1", 0, "'-maxdepth' is no test, but an option of find"),
            ("-newerxx f", 0, "'-newerxx' is no test"),
            ("-newertm f", 0, "'-newertm' is no test"),
            ("-uid x", 1, "'x' is no number (N, +N for more, -N for less)"),
            ("-links --1", 1, "'--1' is no number (N, +N for more, -N for less)"),
            ("-size 3q", 1, "'3q' is no size: a number and one of b, c, w, k, M, G"),
            ("-type f,", 1, "'f,' is no list of types: b,c,d,p,f,l,s with commas between"),
            (r"-regex \\1\(", 1, r"'\1(': a back reference cannot be translated"),
        ] {
            assert_eq!(read(line), Err((word, why.to_owned())), "{line}");
        }
    }

    #[test]
    fn arguments_are_read_as_find_reads_them() {
        let glob = |text: &str, fold| Glob { text: text.into(), fold };
        let age = |stamp, unit, age, from_midnight| Test::Age { stamp, unit, age, from_midnight };
        let newer = |stamp, than| Test::Newer { stamp, than };
        for (line, expected) in [
            ("-iname A*", Test::Name(glob("A*", true))),
            ("-wholename ./a", Test::Path(glob("./a", false))),
            ("-ilname x", Test::Link(glob("x", true))),
            ("-type f,d", Test::Type { letters: b"fd".to_vec(), other: false }),
            ("-xtype l", Test::Type { letters: b"l".to_vec(), other: true }),
            ("-size +3k", Test::Size { blocks: Compare::More(3), unit: 1024 }),
            ("-size 7", Test::Size { blocks: Compare::Exactly(7), unit: 512 }),
            ("-perm -u+x", Test::Perm { bits: Bits::All, mode: "u+x".to_owned() }),
            ("-perm /222", Test::Perm { bits: Bits::Any, mode: "222".to_owned() }),
            ("-uid ++5", Test::User(Owner::Id(Compare::More(5)))),
            ("-gid -+5", Test::Group(Owner::Id(Compare::Less(5)))),
            ("-mtime -0.5", age(Stamp::Modified, AgeUnit::Days, Compare::Less(0.5), false)),
            ("-cmin 3", age(Stamp::Changed, AgeUnit::Minutes, Compare::Exactly(3.0), false)),
            ("-newer f", newer(Stamp::Modified, Than::File(b"f".to_vec(), Stamp::Modified))),
            ("-newerBa f", newer(Stamp::Born, Than::File(b"f".to_vec(), Stamp::Accessed))),
            ("-newerat 2020-01-01", newer(Stamp::Accessed, Than::Date("2020-01-01".to_owned()))),
        ] {
            let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
            assert_eq!(parse(&words), Ok(Expr::Test(expected)), "{line}");
        }
        let line: Vec<&[u8]> = vec![b"-daystart", b"-atime", b"1"];
        let Ok(Expr::All(parts)) = parse(&line) else { panic!("two tests") };
        assert_eq!(parts[1], Expr::Test(age(Stamp::Accessed, AgeUnit::Days, Compare::Exactly(1.0), true)));
    }
}
