//! Random filters and random `.gitignore` files, asked again after each edit, in the tick of the
//! edit. GNU find says which entries pass the filters, and git which it ignores: `brisk find` lists
//! these, and what `brisk changed` has told of additions and deletions adds up to these.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::outcome::Failure;
use crate::removals;
use crate::round::Round;
use crate::seed::Seed;
use crate::watched::End;

/// How many filters a round asks, each with a state of its own, and how often.
const FILTERS: usize = 3;
const EDITS: usize = 8;

/// A condition: the words for brisk, and those for GNU find.
type Term = (&'static [&'static str], &'static [&'static str]);

const PATTERNS: [Term; 9] = [
    (&[], &[]),
    (&["-s", "--match=^s"], &["-regex", ".*/s[^/]*"]),
    (&["--match=b"], &["-iname", "*b*"]),
    (&["-sg", "--match=*.c"], &["-name", "*.c"]),
    (&["-sg", "--match=[!a]*"], &["-name", "[!a]*"]),
    (&["-F", "--match=b.c"], &["-iname", "*b.c*"]),
    (&["-s", "--exact", "--match=sub"], &["-name", "sub"]),
    (&["-sp", "--match=/sub/.*/"], &["-regex", ".*/sub/.*/.*"]),
    (&["-s", "--match=^[A-Z]", "--and=b"], &["-regex", ".*/[A-Z][^/]*", "-name", "*b*"]),
];

const TYPES: [Term; 8] = [
    (&[], &[]),
    (&["-tf"], &["-type", "f"]),
    (&["-td"], &["-type", "d"]),
    (&["-tl"], &["-type", "l"]),
    (&["-tx"], &["-type", "f", "-perm", "/111"]),
    (&["-tf", "-td"], &["!", "-type", "l"]),
    (&["--size=+4b"], &["-type", "f", "-size", "+3c"]),
    (&["--size=-4b", "-tf"], &["-type", "f", "-size", "-5c"]),
];

const OTHERS: [Term; 3] = [
    (&[], &[]),
    (&[], &[]),
    (&["-ec", "-eo"], &["(", "-iname", "?*.c", "-o", "-iname", "?*.o", ")"]),
];

/// What is left out with everything below it.
const PRUNED: [Term; 7] = [
    (&[], &[]),
    (&["-Ebuild"], &["-name", "build"]),
    (&["-Esub/build"], &["-path", "t/sub/build"]),
    (&["-E*.o"], &["-name", "*.o"]),
    (&["--exclude-regex=(?-i:^sub/b)"], &["-regex", "t/sub/b.*"]),
    (&["--exclude-regex=(?-i:/b)"], &["-regex", "t/.*/b.*"]),
    (&["--exclude-regex=[A-Z]$"], &["-regex", "t/.*[A-Z]"]),
];

const DIRS: [&str; 7] =
    ["t", "t/sub", "t/sub/build", "t/sub/src", "t/sub/build/sub", "t/other", "t/.hidden"];
const NAMES: [&str; 10] = ["s", "sub", "build", "b.c", "a.o", ".hidden", "src", "B", "Sb", "[a]"];

/// Rules; those with a `!` do not name what is hidden, which they would bring back.
const RULES: [&str; 24] = [
    "s",
    "*.o",
    "b*",
    "/sub",
    "build/",
    "sub/build",
    "**/src",
    "sub/**",
    "[[:upper:]]*",
    "[b-a].c",
    "[\\]s]*",
    "\\[a\\]",
    "{s,src}",
    "!b.c",
    "!sub",
    "!/build",
    "!src/",
    "!",
    "s[!a]b",
    "?",
    "#s",
    "a.o\r",
    "**//s",
    "build/sub",
];

/// One filter, its state, and what that was told to hold.
struct Filter {
    brisk: Vec<&'static str>,
    tests: Vec<&'static str>,
    pruned: Vec<Vec<&'static str>>,
    obeys_git: bool,
    state: String,
    known: BTreeSet<String>,
}

impl Filter {
    fn any(seed: &mut Seed, number: usize) -> Filter {
        let mut brisk = Vec::new();
        let mut tests = Vec::new();
        let mut pruned = Vec::new();
        for term in [seed.pick(&PATTERNS), seed.pick(&TYPES), seed.pick(&OTHERS)] {
            brisk.extend(term.0);
            tests.extend(term.1);
        }
        if seed.one_in(2) {
            brisk.push("-H");
        } else {
            pruned.push(vec!["-name", ".*"]);
        }
        let (words, prunes) = seed.pick(&PRUNED);
        brisk.extend(words);
        pruned.extend((!prunes.is_empty()).then(|| prunes.to_vec()));
        let obeys_git = !seed.one_in(4);
        brisk.extend((!obeys_git).then_some("-I"));
        let state = format!("state{number}");
        Filter { brisk, tests, pruned, obeys_git, state, known: BTreeSet::new() }
    }

    /// What GNU find lists and git does not ignore.
    fn expected(&self, top: &Path) -> BTreeSet<String> {
        let mut words = vec!["t", "-regextype", "posix-extended", "-mindepth", "1"];
        for prune in &self.pruned {
            words.extend(prune);
            words.extend(["-prune", "-o"]);
        }
        words.extend(&self.tests);
        words.push("-print0");
        let output = Command::new("find").args(&words).current_dir(top).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        let mut found = paths(&output.stdout);
        if self.obeys_git {
            let ignored = ignored(top, &output.stdout);
            found.retain(|path| !ignored.contains(path));
        }
        found
    }

    fn listed(&self, round: &mut Round, top: &Path) -> BTreeSet<String> {
        // find takes the pattern as an argument.
        let pattern = self.brisk.iter().find_map(|word| word.strip_prefix("--match="));
        let mut words = vec!["find", "-0"];
        words.extend(self.brisk.iter().filter(|word| !word.starts_with("--match=")));
        words.extend(["--", pattern.unwrap_or(""), "t"]);
        let ended = self.run(round, top, &words);
        let listed = paths(ended.as_bytes());
        listed.iter().map(|path| path.trim_end_matches('/').to_owned()).collect()
    }

    /// Adds what `changed` tells. Returns the lines that contradict what it told before.
    fn learn(&mut self, round: &mut Round, top: &Path) -> Vec<String> {
        let mut words = vec!["changed", "-0", "--no-renames", "--state", &self.state];
        words.extend(["--save", &self.state]);
        words.extend(&self.brisk);
        words.push("t");
        let told = self.run(round, top, &words);
        let mut fields = told.split_terminator('\0');
        let mut wrong = Vec::new();
        while let Some((letter, path)) = fields.next().zip(fields.next()) {
            let is_right = match letter {
                _ if path == "t" => true,
                "A" => self.known.insert(path.to_owned()),
                "D" => self.known.remove(path),
                "M" | "T" => self.known.contains(path),
                _ => false,
            };
            wrong.extend((!is_right).then(|| format!("{letter} {path}")));
        }
        wrong
    }

    fn run(&self, round: &mut Round, top: &Path, words: &[&str]) -> String {
        let ended = round.run(round.brisk(&[], words).current_dir(top));
        if ended.end != End::Exit(0) || !ended.stderr.is_empty() {
            round
                .note(Failure::Lie, &format!("{words:?}: {:?} {}", ended.end, ended.stderr.trim()));
        }
        ended.stdout
    }
}

fn paths(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text);
    text.split_terminator('\0').map(str::to_owned).collect()
}

/// Those of the paths that git ignores.
fn ignored(top: &Path, all: &[u8]) -> BTreeSet<String> {
    let mut git = git(top);
    git.args(["check-ignore", "-z", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = git.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // So few paths that git has read them all before a pipe is full.
    stdin.write_all(all).unwrap();
    drop(stdin);
    paths(&child.wait_with_output().unwrap().stdout)
}

fn git(top: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(top).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    git
}

pub fn round(round: &mut Round) {
    let top = round.path("t/top");
    fs::create_dir_all(top.join("t/sub")).unwrap();
    assert!(git(&top).args(["init", "-q", "--template="]).status().unwrap().success());
    let mut filters: Vec<Filter> =
        (0..FILTERS).map(|at| Filter::any(&mut round.seed, at)).collect();
    let mut made: Vec<String> = (0..20).map(|_| edit(&mut round.seed, &top)).collect();
    for _ in 0..EDITS {
        for filter in &mut filters {
            made.push(edit(&mut round.seed, &top));
            let mut wrong = filter.learn(round, &top);
            let expected = filter.expected(&top);
            let listed = filter.listed(round, &top);
            wrong.extend(filter.learn(round, &top));
            for (what, found) in [("find", &listed), ("changed", &filter.known)] {
                let differing = expected.symmetric_difference(found);
                wrong.extend(differing.map(|path| format!("{what}: {path}")));
            }
            round.strikes(1);
            if !wrong.is_empty() {
                made.retain(|edit| !edit.is_empty());
                let what = format!("{:?}: {wrong:?} after {made:#?}", filter.brisk);
                round.note(Failure::Lie, &what);
                return;
            }
        }
    }
    removals::clear(&round.path("t"));
}

/// Makes some edit; returns what it was.
fn edit(seed: &mut Seed, top: &Path) -> String {
    let any = |seed: &mut Seed| -> PathBuf { Path::new(seed.pick(&DIRS)).join(seed.pick(&NAMES)) };
    let path = any(seed);
    let other = any(seed);
    let from = top.join(&path);
    let to = top.join(&other);
    let mut about = String::new();
    if !seed.one_in(3) {
        // Something else may be in the way.
        let _ = fs::create_dir_all(from.parent().unwrap());
    }
    let (what, made) = match seed.below(8) {
        0 => ("mkdir -p", fs::create_dir_all(&from)),
        1 => ("rm -r", fs::remove_file(&from).or_else(|_| fs::remove_dir_all(&from))),
        2 => ("mv", fs::rename(&from, &to).map(|()| about = other.display().to_string())),
        3 | 4 => {
            let rules: Vec<_> = (0..seed.below(4)).map(|_| seed.pick(&RULES)).collect();
            about = format!("{rules:?}");
            (".gitignore beside", fs::write(from.with_file_name(".gitignore"), rules.join("\n")))
        }
        5 => ("chmod", executable(&from, seed)),
        6 => ("ln -s", symlink("t/sub", &from)),
        _ => ("write", fs::write(&from, &"text of some length"[..seed.below(9) as usize])),
    };
    if made.is_ok() { format!("{what} {} {about}", path.display()) } else { String::new() }
}

fn executable(path: &Path, seed: &mut Seed) -> io::Result<()> {
    if path.is_symlink() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::set_permissions(path, Permissions::from_mode(seed.pick(&[0o644, 0o755, 0o700])))
}
