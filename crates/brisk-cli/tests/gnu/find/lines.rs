//! Random command lines of find. None asks for birth times, which GNU find 4.9 has not on Linux, and
//! none compares an age with `nan`, where GNU find aborts.

use std::fmt;

use testkit::Random;
use testkit::expressions::{expression, primary};

/// The words after `find`, and what matters besides.
#[derive(Clone, Debug)]
pub struct Line {
    pub words: Vec<String>,
    pub env: Vec<(&'static str, &'static str)>,
    /// Whether it may change the tree.
    pub mutates: bool,
}

impl Line {
    /// Whether the two differ by design (docs/find.md): where a link goes, and in messages: about names
    /// in a file, questions of -ok, output that is lost, what -exec has removed before -prune, -xtype or
    /// -fstype, a program that is a result itself.
    fn differs_by_design(&self) -> bool {
        let has = |wanted: &str| self.words.iter().any(|word| word == wanted);
        let follows = has("-L") || has("-follow") || has("-H");
        has("../starts")
            || has("/dev/full")
            || follows && (has("-delete") || has("-ok") || has("-okdir"))
            || self.mutates && (has("-prune") || has("-xtype") || has("-fstype"))
            || self.words.windows(2).any(|pair| pair[0] == "-exec" && pair[1] == "{}")
    }

    /// Whether the two can be compared with it. GNU find swaps the sides of a comma, which then has
    /// the value of the first, where neither has an action; and those of -o, though the first acts, if
    /// an option follows the action. It explains its optimiser with -D. And a line that changes the
    /// tree runs on two trees.
    pub fn is_comparable(&self) -> bool {
        let has = |wanted: &str| self.words.iter().any(|word| word == wanted);
        let idles = |word: &String| word == "-true" || GLOBALS.iter().any(|it| it[0] == word);
        let exchanges = |part: &[String]| {
            let last = |is: &dyn Fn(&str) -> bool| part.iter().rposition(|word| is(word));
            let acts = last(&|word| ACTIONS.iter().any(|action| action[0] == word));
            let or = last(&|word| matches!(word, "-o" | "-or"));
            acts < or && acts.is_some_and(|act| part[act..].iter().any(idles))
        };
        let swaps = has(",") && self.words.last().is_none_or(|word| word != "-print")
            || self.words.split(|word| word == ",").any(exchanges);
        let varies = self.mutates && tells_times(&self.words);
        !swaps && !has("-D") && !varies && !self.differs_by_design()
    }
}

/// As a shell would read it.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(f, "{name}={value} ")?;
        }
        write!(f, "find")?;
        for word in &self.words {
            let word = shlex::try_quote(word).unwrap();
            write!(f, " {}", word.escape_debug().to_string().replace("\\'", "'"))?;
        }
        Ok(())
    }
}

const STARTS: &[&str] = &[
    ".", ".", "a", "./a", "a/", "./a//", "b.rs", "gone", "dangling", "loop", "ld", "ld/", "up",
    "closed", "blind", "../t", "a/..", "", "-dash", "./x[1]", "notdir",
];

const OPTIONS: &[&str] = &["-H", "-L", "-L", "-P", "-O0", "-O3", "-D", "--"];

/// Options that stand in the expression.
const GLOBALS: &[&[&str]] = &[
    &["-depth"],
    &["-depth"],
    &["-d"],
    &["-mindepth", "0"],
    &["-mindepth", "1"],
    &["-mindepth", "2"],
    &["-maxdepth", "0"],
    &["-maxdepth", "1"],
    &["-maxdepth", "2"],
    &["-maxdepth", "3"],
    &["-xdev"],
    &["-mount"],
    &["-daystart"],
    &["-noleaf"],
    &["-ignore_readdir_race"],
    &["-noignore_readdir_race"],
    &["-follow"],
    &["-warn"],
    &["-warn"],
    &["-nowarn"],
    &["-regextype", "posix-extended"],
    &["-regextype", "awk"],
    &["-files0-from", "../starts"],
    &["-files0-from", "-"],
];

/// Tests that only find knows.
const TESTS: &[&[&str]] = &[
    &["-fstype", "tmpfs"],
    &["-fstype", "ext4"],
    &["-size", "-1"],
    &["-size", "+1G"],
    &["-size", "5000000000c"],
    &["-samefile", "b.rs"],
    &["-samefile", "ld"],
    &["-samefile", "dangling"],
    &["-newermm", "b.rs"],
    &["-neweraa", "a"],
    &["-newercm", "ld"],
    &["-user", "root"],
    &["-group", "daemon"],
    &["-iwholename", "./A/*"],
    &["-perm", "-u=rw"],
    &["-perm", "a=r"],
    &["-perm", "/u=s,g=s"],
    &["-links", "2"],
    &["-regex", ".*/[ab]"],
    &["-regextype", "grep", "-regex", ".*\\.\\(rs\\|txt\\)"],
    &["-regextype", "posix-awk", "-regex", ".*(rs|[[:digit:]]).?"],
    &["-regextype", "gnu-awk", "-iregex", "\\./.+"],
    &["-regextype", "posix-egrep", "-regex", "./.{1,4}"],
    &["-regextype", "ed", "-regex", "\\(.\\)/.*\\1"],
    &["-regextype", "posix-minimal-basic", "-regex", ".*a*"],
    &["-type", "b,c,p,s,l,d,f"],
    &["-xtype", "c"],
    &["-context", "*"],
    &["-wholename", "*"],
    &["-used", "+1"],
];

/// Actions whose outcome depends on the entry alone.
const ACTIONS: &[&[&str]] = &[
    &["-print"],
    &["-print"],
    &["-print"],
    &["-print0"],
    &["-ls"],
    &["-prune"],
    &["-prune"],
    &["-quit"],
    &["-exec", "true", ";"],
    &["-exec", "false", ";"],
    &["-exec", "echo", "{}", ";"],
    &["-exec", "echo", "x{}y{}", "{}", ";"],
    &["-exec", "echo", "{}", "+"],
    &["-exec", "echo", "a", "{}", "+"],
    &["-exec", "false", "{}", "+"],
    &["-exec", "nosuch", "{}", ";"],
    &["-exec", "nosuch", "{}", "+"],
    &["-exec", "test", "-d", "{}", ";"],
    &["-exec", "sh", "-c", "echo $#; exit 3", "-", "{}", "+"],
    &["-exec", "sh", "-c", "cat; pwd", ";"],
    &["-exec", "sh", "-c", "kill -TERM $$", ";"],
    &["-execdir", "echo", "{}", ";"],
    &["-execdir", "echo", "{}", "+"],
    &["-execdir", "sh", "-c", "pwd; echo \"$@\"", "-", "{}", "+"],
    &["-execdir", "pwd", ";"],
    &["-execdir", "test", "-f", "{}", ";"],
    &["-execdir", "false", "{}", "+"],
    &["-ok", "echo", "{}", ";"],
    &["-ok", "false", ";"],
    &["-okdir", "echo", "{}", ";"],
];

/// Actions that change the tree.
const CHANGES: &[&[&str]] = &[
    &["-delete"],
    &["-delete"],
    &["-delete"],
    &["-exec", "rm", "-rf", "{}", ";"],
    &["-exec", "rm", "-f", "{}", "+"],
    &["-execdir", "rm", "-rf", "{}", ";"],
    &["-exec", "rmdir", "{}", ";"],
    &["-exec", "chmod", "700", "{}", ";"],
];

const FILES: &[&str] = &[
    "../out/1",
    "../out/1",
    "../out/2",
    "../out/2",
    "../out/3",
    "/dev/stdout",
    "/dev/full",
    "../gone/1",
    "/dev/null",
];

/// What else may stand in a command line.
const STRAYS: &[&str] = &[
    "!",
    "-not",
    "-o",
    "-a",
    "(",
    ")",
    "-bogus",
    "-",
    "--",
    "",
    "{}",
    ";",
    "+",
    "-exec",
    "-name",
    "-maxdepth",
    "-newerXY",
    "-newermx",
    "-perm",
    "-size",
    "-type",
    "-user",
    "-printf",
    "-print",
    "-o",
    ")",
    "-L",
    "-version-no",
    "--help-no",
    "a",
    "-ok",
    "-execdir",
    "-fprintf",
    "-files0-from",
    "-regextype",
    "-regex",
    "-used",
    "-uid",
    "-samefile",
    "-D",
];

/// Arguments that are wrong for some tests.
const BAD: &[&str] = &[
    "",
    "x",
    "-1",
    "+",
    "1x",
    "99999999999999999999",
    "9223372036854775807",
    "é",
    "f,",
    ",f",
    "ff",
    "f,f",
    "q",
    "u+q",
    "+a+x",
    "0x1",
    "1.5",
    "1.5k",
    "+-1",
    "-+1",
    "++1",
    " 1",
    "%",
    "%(",
    "[",
    "\\(",
    "(",
    "*",
    "a\\",
    "888",
    "nosuchuser",
    "-0",
    "1 day",
    "yesterday?",
    "+0",
    "10000",
    "2c",
    "T",
    "1T",
    "kb",
    "posix",
    "help-no",
    "inf",
    "1e3",
];

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A format of -printf.
fn format(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(4) {
        match random.below(8) {
            0 => text += random.pick(&["x", " ", "é", "%%", "{}"]),
            1 => {
                let escapes = [
                    "\\n", "\\t", "\\0", "\\101", "\\1234", "\\\\", "\\q", "\\c", "\\a", "\\b",
                    "\\f", "\\r", "\\v", "\\8",
                ];
                text += random.pick(&escapes);
            }
            _ => text += &directive(random),
        }
    }
    // Few end in the middle of a directive.
    text + if random.below(12) == 0 {
        random.pick(&["%", "%(", "%[x", "%{", "\\", "%-"])
    } else {
        "\\n"
    }
}

fn directive(random: &mut Random) -> String {
    let mut text = "%".to_owned();
    if random.below(4) == 0 {
        text += random.pick(&["", "", "-", "0", "+", " ", "#", "-0", "'"]);
        text += random.pick(&["", "5", "12", "30"]);
        text += random.pick(&["", "", "", ".3", ".0", "."]);
    }
    let pick = |random: &mut Random, letters: &str| {
        letters.chars().nth(random.below(letters.chars().count())).unwrap()
    };
    if random.below(4) > 0 {
        text.push(pick(random, "pppPPffhhHdDinsbkSmMuUgGlyYFZqtac%"));
        return text;
    }
    text.push(pick(random, "ACTT"));
    text.push(pick(random, "@@+aAbBcdDeFgGhHIjklmMnpPrRsStTuUVwWxXyYzZ%q."));
    text
}

/// A leaf of an expression: a test, an action, or an option.
fn leaf(random: &mut Random) -> Vec<String> {
    let row = |random: &mut Random, rows: &[&[&str]]| owned(rows[random.below(rows.len())]);
    match random.below(20) {
        0..=8 => primary(random),
        9..=11 => row(random, TESTS),
        12 => row(random, GLOBALS),
        13..=15 => row(random, ACTIONS),
        16 | 17 => vec!["-printf".to_owned(), format(random)],
        18 => {
            let action = random.pick(&["-fprint", "-fprint0", "-fls", "-fprintf"]);
            let mut words = owned(&[action, random.pick(FILES)]);
            words.extend((action == "-fprintf").then(|| format(random)));
            words
        }
        _ if random.below(3) == 0 => row(random, CHANGES),
        _ => owned(&["-print"]),
    }
}

/// Makes a mistake in the words.
fn spoil(words: &mut Vec<String>, random: &mut Random) {
    let at = random.below(words.len() + 1);
    let stray = random.pick(STRAYS).to_owned();
    if at == words.len() {
        return words.push(stray);
    }
    match random.below(7) {
        0 => drop(words.remove(at)),
        1 => words.insert(at, stray),
        2 => words[at] = stray,
        3 => {
            let other = random.below(words.len());
            words.swap(at, other);
        }
        4 => words.truncate(at),
        5 => {
            let half = words[at].chars().count() / 2;
            words[at] = words[at].chars().take(half.max(1)).collect();
        }
        _ => words[at] = random.pick(BAD).to_owned(),
    }
}

/// A command line.
pub fn line(random: &mut Random) -> Line {
    loop {
        let mut words = Vec::new();
        for _ in 0..random.below(3).saturating_sub(random.below(2)) {
            words.push(random.pick(OPTIONS).to_owned());
        }
        for _ in 0..[0, 0, 1, 1, 1, 2, 3][random.below(7)] {
            words.push(random.pick(STARTS).to_owned());
        }
        for _ in 0..random.below(3).saturating_sub(random.below(2)) {
            words.extend(owned(GLOBALS[random.below(GLOBALS.len())]));
        }
        let levels = random.below(4) as u32;
        words.extend(expression(random, levels, &leaf));
        if random.below(8) == 0 {
            words.push(",".to_owned());
            words.extend(expression(random, 1, &leaf));
            words.push("-print".to_owned());
        }
        let is_spoilt = random.below(6) == 0;
        if is_spoilt {
            (0..=random.below(2)).for_each(|_| spoil(&mut words, random));
        }
        let mut env = Vec::new();
        if random.below(3) == 0 {
            env.push(("LC_ALL", "C.UTF-8"));
        }
        if random.below(6) == 0 {
            env.push(("TZ", random.pick(&["EST5EDT,M3.2.0,M11.1.0", "Asia/Kolkata", "XYZ-5:30"])));
        }
        if random.below(16) == 0 {
            env.push(("POSIXLY_CORRECT", "1"));
        }
        let mutates = mutates(&words, is_spoilt);
        // What would explain find's optimiser, or depends on which of two trees it is.
        let line = Line { words, env, mutates };
        if line.is_comparable() {
            return line;
        }
    }
}

/// Whether the words may change the tree. Where a word is missing, another may name a file.
fn mutates(words: &[String], is_spoilt: bool) -> bool {
    let changes = ["-delete", "rm", "rmdir", "chmod"];
    let writes = ["-fprint", "-fprint0", "-fls", "-fprintf"];
    words.iter().any(|word| changes.contains(&&**word) || is_spoilt && writes.contains(&&**word))
}

/// Whether the outcome depends on times of change and access, or on inode numbers.
fn tells_times(words: &[String]) -> bool {
    let tests = ["-newer", "-a", "-cnewer", "-cmin", "-ctime", "-used", "-ls", "-fls", "-inum"];
    words.iter().any(|word| {
        let is_test =
            word != "-a" && word != "-and" && tests.iter().any(|test| word.starts_with(test));
        is_test || word.contains('%') && word.contains(['i', 'A', 'B', 'C', 'T', 'a', 'c', 't'])
    })
}
