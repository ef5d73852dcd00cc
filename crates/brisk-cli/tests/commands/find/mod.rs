//! What `brisk find` does beyond fd, and how it ends: orders, JSON, configuration, exit codes,
//! output that cannot be written.

#[cfg(target_os = "linux")]
mod colors;
#[cfg(target_os = "linux")]
mod delete;
#[cfg(target_os = "linux")]
mod delete_or_say;
#[cfg(target_os = "linux")]
mod details;
#[cfg(target_os = "linux")]
mod exclusions;
#[cfg(target_os = "linux")]
mod git_settings;
mod index;
mod parts;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A scratch directory with an empty home beside a tree.
struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new(files: &[&str]) -> Scratch {
        let scratch = Scratch { dir: testkit::scratch() };
        fs::create_dir_all(scratch.tree()).unwrap();
        fs::create_dir_all(scratch.home().join("brisk")).unwrap();
        for name in files {
            let path = scratch.tree().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        scratch
    }

    fn tree(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn command(&self, words: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_brisk")), words)
    }

    /// A command with these words in the tree, without this user's environment.
    fn prepared(&self, mut command: Command, words: &[&str]) -> Command {
        command
            .args(words)
            .current_dir(self.tree())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.home());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn lines(&self, words: &[&str]) -> Vec<String> {
        let output = self.run(words);
        assert_eq!(stderr(&output), "", "{words:?}");
        stdout(&output)
    }

    /// The lines, sorted here: a search prints results as they come once it has lasted 100 ms.
    fn sorted(&self, words: &[&str]) -> Vec<String> {
        let mut lines = self.lines(words);
        lines.sort();
        lines
    }
}

fn stdout(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const TREE: &[&str] = &["b/x", "a/b/c", "a-b", "a/a", "c"];

#[test]
fn results_are_sorted_by_what_the_user_names() {
    let scratch = Scratch::new(&["b.rs", "d/a.txt", "d/c", "z.md"]);
    for (name, size, seconds) in [("b.rs", 7, 30), ("d/a.txt", 900, 20), ("d/c", 30, 10)] {
        let file = fs::File::create(scratch.tree().join(name)).unwrap();
        file.set_len(size).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.set_modified(time).unwrap();
    }
    for (words, expected) in [
        ("path", ["b.rs", "d/a.txt", "d/c", "z.md"]),
        ("path,reverse", ["z.md", "d/c", "d/a.txt", "b.rs"]),
        ("name", ["d/a.txt", "b.rs", "d/c", "z.md"]),
        ("extension", ["d/c", "z.md", "b.rs", "d/a.txt"]),
        ("size", ["d/a.txt", "d/c", "b.rs", "z.md"]),
        ("size,reverse", ["z.md", "b.rs", "d/c", "d/a.txt"]),
        ("time", ["z.md", "b.rs", "d/a.txt", "d/c"]),
    ] {
        assert_eq!(scratch.lines(&["find", "-tf", "--sort", words]), expected, "{words}");
        let long = scratch.lines(&["find", "-tf", "-l", "--sort", words]);
        let names: Vec<_> = long.iter().filter_map(|line| line.split(" ./").nth(1)).collect();
        if words != "name" {
            assert_eq!(names, expected, "-l {words}");
        }
        let first = scratch.lines(&["find", "-tf", "-1", "--sort", words]);
        assert_eq!(first, expected[..1], "the first of all, not of those found first");
    }
}

#[test]
fn results_are_counted() {
    let scratch = Scratch::new(&["a", "b.rs", "d/c.rs", ".h"]);
    for (words, expected) in [
        (&["--count"][..], "4"),
        (&["--count", "-u", "-j3"], "5"),
        (&["--count", "-e", "rs"], "2"),
        (&["--count", "nothing"], "0"),
        (&["--count", "--max-results", "3"], "3"),
        (&["--count", "-S", "+1k", "-tf"], "0"),
        (&["--count", "--order", "sorted"], "4"),
    ] {
        for time in ["--max-buffer-time=60000", "--max-buffer-time=0"] {
            let counted = scratch.lines(&[&["find", time], words].concat());
            assert_eq!(counted, [expected], "{time} {words:?}");
        }
    }
}

#[test]
fn orders() {
    let scratch = Scratch::new(TREE);
    let sorted = ["a/", "a/a", "a/b/", "a/b/c", "a-b", "b/", "b/x", "c"];
    assert_eq!(scratch.lines(&["find", "--max-buffer-time=60000"]), sorted);
    for threads in ["1", "4"] {
        let order = |order| scratch.lines(&["find", "--order", order, "-j", threads]);
        assert_eq!(order("sorted"), sorted);
        let depths: Vec<usize> = order("breadth")
            .iter()
            .map(|path| path.trim_end_matches('/').split('/').count())
            .collect();
        assert!(depths.is_sorted() && depths.len() == sorted.len(), "{depths:?}");
        let depth = order("depth");
        let at = |path| depth.iter().position(|line| line == path).unwrap();
        assert_eq!(at("b/x"), at("b/") + 1);
        assert!(at("a/b/c") == at("a/b/") + 1 && at("a/b/c") > at("a/"));
        let mut none = order("none");
        none.sort();
        assert_eq!(none, {
            let mut all = sorted.to_vec();
            all.sort_unstable();
            all
        });
    }
}

#[test]
fn roots_keep_their_spelling_and_a_bad_one_is_a_failure() {
    let scratch = Scratch::new(TREE);
    assert_eq!(scratch.sorted(&["find", "", "b", "./a"]), ["./a/a", "./a/b/", "./a/b/c", "b/x"]);
    let output = scratch.run(&["find", "", "b", "nosuch"]);
    assert_eq!(stdout(&output), ["b/x"]);
    assert_eq!(stderr(&output), "brisk: cannot search 'nosuch': No such file or directory\n");
    assert_eq!(output.status.code(), Some(1));
    let output = scratch.run(&["find", "", "nosuch", "c"]);
    assert!(stderr(&output).contains("\nbrisk: cannot search 'c': Not a directory\n"));
    assert!(stderr(&output).ends_with("\nbrisk: No valid search paths given.\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(scratch.lines(&["find", "x", "b", "b"]), ["b/x", "b/x"]);
}

#[test]
fn json_names_what_is_known() {
    let scratch = Scratch::new(&["a \"b\""]);
    let lines = scratch.lines(&["find", "--json"]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with('{') && lines[0].contains(r#""path":"a \"b\"""#), "{}", lines[0]);
}

#[test]
fn formats_know_metadata() {
    let scratch = Scratch::new(&["d/a"]);
    fs::write(scratch.tree().join("d/a"), "12345").unwrap();
    let format = "{size} {type} {depth} {}";
    assert_eq!(scratch.lines(&["find", "--format", format, "a"]), ["5 file 2 d/a"]);
    let output = scratch.run(&["find", "--format", "{nonsense}"]);
    assert!(stderr(&output).starts_with("brisk: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn regexes_exclude_with_everything_below() {
    let scratch = Scratch::new(TREE);
    let kept = scratch.sorted(&["find", "--exclude-regex", "^a/b$", "--exclude-regex", "^c"]);
    assert_eq!(kept, ["a-b", "a/", "a/a", "b/", "b/x"]);
    let kept = scratch.lines(&["find", "--exclude-regex", "^b", "", "a"]);
    assert_eq!(kept, ["a/a"], "the path is the one below the search path");
}

#[test]
fn limits_on_change_and_birth_times() {
    let scratch = Scratch::new(&["a"]);
    for (flag, kept) in [
        ("--ctime-within=1h", 1),
        ("--ctime-before=1h", 0),
        ("--created-within=1h", 1),
        ("--created-before=1h", 0),
    ] {
        assert_eq!(scratch.lines(&["find", flag]).len(), kept, "{flag}");
    }
}

#[test]
fn unique_lists_a_file_once() {
    let scratch = Scratch::new(&["a"]);
    fs::hard_link(scratch.tree().join("a"), scratch.tree().join("b")).unwrap();
    assert_eq!(scratch.lines(&["find"]).len(), 2);
    assert_eq!(scratch.lines(&["find", "--unique"]).len(), 1);
}

#[test]
fn minimum_depth_does_not_open_what_is_ignored() {
    let scratch = Scratch::new(&[".hidden/a/b", "shown/a/b"]);
    assert_eq!(scratch.lines(&["find", "--min-depth", "3"]), ["shown/a/b"]);
}

#[test]
fn limits_on_results_are_exact_with_many_workers() {
    let names: Vec<String> = (0..500).map(|n| format!("{}/{n}", n % 20)).collect();
    let scratch = Scratch::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for order in ["none", "depth", "breadth", "sorted"] {
        let words = ["find", "-j4", "--max-results", "77", "--order", order];
        assert_eq!(scratch.lines(&words).len(), 77, "{order}");
    }
}

#[test]
fn configuration_comes_before_the_command_line() {
    let scratch = Scratch::new(&[".h", "a", "b.rs"]);
    let config = scratch.home().join("brisk/config.toml");
    fs::write(&config, "[find]\noptions = ['--hidden', '-E', 'a']\n").unwrap();
    assert_eq!(scratch.sorted(&["find"]), [".h", "b.rs"]);
    assert_eq!(scratch.lines(&["find", "--no-hidden"]), ["b.rs"]);
    assert_eq!(scratch.sorted(&["find", "--no-config"]), ["a", "b.rs"]);
    let mut command = scratch.command(&["find"]);
    command.env("BRISK_FIND_OPTS", "--no-hidden --extension 'rs'");
    assert_eq!(stdout(&command.output().unwrap()), ["b.rs"]);
    let link = scratch.dir.path().join("fd");
    symlink(env!("CARGO_BIN_EXE_brisk"), &link).unwrap();
    let mut command = Command::new(link);
    command.arg("--max-buffer-time=60000");
    command.current_dir(scratch.tree()).env("XDG_CONFIG_HOME", scratch.home());
    assert_eq!(stdout(&command.output().unwrap()), ["a", "b.rs"], "never as fd");
}

#[test]
fn bad_configuration_is_one_line_and_usage() {
    let scratch = Scratch::new(&["a"]);
    let config = scratch.home().join("brisk/config.toml");
    for (text, why) in [
        ("[find", "cannot parse '"),
        ("[find]\noptions = ['--nonsense']", "cannot use the options in "),
        ("[find]\noptions = ['--newer=x']", "cannot use the options in "),
        ("[find]\noptions = ['--exclude=[']", "cannot use the options in "),
        ("[find]\noptions = ['--format={x}']", "cannot use the options in "),
    ] {
        fs::write(&config, text).unwrap();
        let output = scratch.run(&["find"]);
        let message = stderr(&output);
        assert!(message.starts_with(&format!("brisk: {why}")), "{message}");
        assert!(message.contains("config.toml"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn explanations_and_statistics_go_to_standard_error() {
    let scratch = Scratch::new(&["a"]);
    let output = scratch.run(&["find", "--explain", "--stats=json", "-S", "+0b"]);
    assert_eq!(stdout(&output), ["a"]);
    let text = stderr(&output);
    assert!(text.contains("--size needs size of regular files"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("{\"entries\":"), "{text}");
    assert!(text.contains("\"stat\":2"), "one for the root, one for the file: {text}");
}

#[test]
fn the_program_without_a_command() {
    let scratch = Scratch::new(&[]);
    let output = scratch.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: brisk <command>"));
    assert_eq!(scratch.run(&["--version"]).status.code(), Some(0));
    assert!(stdout(&scratch.run(&["help", "find"])).len() > 100);
    for (words, message) in [
        (&["frobnicate"][..], "unknown command 'frobnicate'. See brisk --help."),
        (&["help", "foo"], "unknown command 'foo'. See brisk --help."),
        (&["tree"], "unknown command 'tree'. Did you mean 'brisk ls --tree'?"),
        (&["--depth"], "unknown option '--depth'. Options come after a command: see brisk --help."),
        (&["fin"], "unknown command 'fin'. Did you mean 'brisk find'?"),
        (&["help", "bensh"], "unknown command 'bensh'. Did you mean 'brisk bench'?"),
        (&["-g", "x"], "unknown option '-g'. Options come after a command: see brisk --help."),
    ] {
        let output = scratch.run(words);
        assert_eq!(stderr(&output), format!("brisk: {message}\n"));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

/// In names, `?` and a class stand for a character. fd 10.5 compares bytes.
#[test]
fn globs_match_characters() {
    let scratch = Scratch::new(&["é", "à", "z", "-", "test", "test2"]);
    for (glob, found) in [
        ("?", &["./-", "z", "à", "é"][..]),
        ("??", &[]),
        ("[!z]", &["./-", "à", "é"]),
        ("[é]*", &["é"]),
        ("[a\\-z]", &["./-", "z"]),
        ("test{,2}", &["test", "test2"]),
    ] {
        assert_eq!(scratch.sorted(&["find", "-g", glob]), found, "{glob}");
        let mut left = scratch.sorted(&["find"]);
        left.retain(|name| !found.contains(&name.as_str()));
        assert_eq!(scratch.sorted(&["find", "-E", glob]), left, "{glob}");
    }
    let script = format!("exec -a fd {} -g '??'", env!("CARGO_BIN_EXE_brisk"));
    let fd = scratch.prepared(Command::new("bash"), &["-c", &script]).output().unwrap();
    let mut lines = stdout(&fd);
    lines.sort();
    assert_eq!(lines, ["à", "é"]);
    // git's rules compare bytes.
    fs::write(scratch.tree().join(".ignore"), "?\n").unwrap();
    assert_eq!(scratch.sorted(&["find"]), ["test", "test2", "à", "é"]);
}

#[test]
fn what_cannot_mean_anything_is_answered() {
    let scratch = Scratch::new(&["a"]);
    for (line, answer) in [
        ("find --hid", "unrecognized option '--hid': names are written in full: --hidden"),
        ("ls --git", "unrecognized option '--git': names are written in full: --git-ignore"),
        (
            "find --accessed-before 1d",
            "unrecognized option '--accessed-before': no option compares access times; \
             --changed-before compares times of modification",
        ),
        (
            "man find",
            "find is a command: brisk help find explains it; to write the pages into a directory \
             of this name: brisk man ./find",
        ),
    ] {
        let output = scratch.run(&line.split(' ').collect::<Vec<_>>());
        let told = stderr(&output);
        assert_eq!(told.lines().next(), Some(format!("brisk: {answer}").as_str()), "{line}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(2), 0), "{line}");
    }
    assert_eq!(scratch.lines(&["find", "-u"]), ["a"], "no page was written");
    assert!(scratch.run(&["man", "./find"]).status.success());
    assert!(scratch.tree().join("find/brisk-find.1").exists());
}

#[test]
fn words_of_find_1_are_answered() {
    let scratch = Scratch::new(&["a"]);
    for (line, answer) in [
        (". -empty", "-empty is --type empty here"),
        (". -executable -print", "-executable is --type executable here"),
        (". -uid 0", "-uid 0 is --owner 0 here"),
        (". -xdev", "-xdev is --one-file-system here"),
        (". -name a*", "-name 'a*' is -s -g 'a*' here, before the path"),
        ("-Hu . -type f,d", "-type f,d is --type f --type d here"),
        (". -mtime -7", "-mtime -7 is --changed-within 7d here"),
        (". -size +10M", "-size +10M is --size +10mi here"),
        (". -maxdepth 2", "-maxdepth 2 is --max-depth 2 here"),
        (". -print0", "-print0 is --print0 here"),
        (". -delete", "-delete is --delete here"),
        (". -exec rm {} ;", "-exec is --exec here"),
        (". -exec rm {} +", "-exec … + is --exec-batch here"),
        (". -perm 644", "-perm has no equivalent here"),
    ] {
        let words: Vec<&str> = ["find"].into_iter().chain(line.split(' ')).collect();
        let output = scratch.run(&words);
        assert_eq!(stderr(&output), format!("brisk: {answer}\n"), "{line}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(2), 0), "{line}");
    }
    let newer = scratch.run(&["find", ".", "-newer", "a"]);
    let flag = stderr(&newer).split_once(" is ").unwrap().1.replace(" here\n", "");
    fs::write(scratch.tree().join("b"), "").unwrap();
    let old = fs::File::options().append(true).open(scratch.tree().join("a")).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let line = format!("exec {} find . {flag}", env!("CARGO_BIN_EXE_brisk"));
    let output = scratch.prepared(Command::new("sh"), &["-c", &line]).output().unwrap();
    assert_eq!(stdout(&output), ["b"], "{}", stderr(&output));
    assert_eq!(scratch.lines(&["find", "a", "-x", "echo", "-name"]), ["-name ./a"]);
}

/// Byte strings as names: find must list them all.
#[cfg(target_os = "linux")]
#[test]
fn a_dot_matches_every_byte() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new(&["a", "\u{e9}"]);
    let names: [&[u8]; 4] = [b"\xff", b"\xc3", b"b\xfe.rs", b"\xffdir"];
    names.iter().for_each(|name| {
        fs::write(scratch.tree().join(OsStr::from_bytes(name)), "").unwrap();
    });
    let link = scratch.dir.path().join("fd");
    symlink(env!("CARGO_BIN_EXE_brisk"), &link).unwrap();
    for (words, count) in [
        (&["."][..], 6),
        (&["", "."], 6),
        (&["^.$"], 4),
        (&["^[^x]+$"], 6),
        (&["^..rs$"], 0),
        (&["^b..rs$"], 1),
        (&["-i", "^B.\\.RS$"], 1),
        (&[r"^\W+$"], 2),
        (&[r"^\w+$"], 2),
        (&["-p", "tree/.$"], 4),
        (&["--and", "^.", "."], 6),
        (&["-g", "*"], 6),
        (&["-g", "b?.rs"], 1),
        (&["--exclude-regex", "^.$"], 2),
    ] {
        let own = scratch.command(&[&["find"], words].concat()).output().unwrap();
        let as_fd = scratch.prepared(Command::new(&link), words).output().unwrap();
        for output in [own, as_fd] {
            let lines = output.stdout.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(lines, count, "{words:?}: {output:?}");
        }
    }
}

#[test]
fn arguments_that_cannot_be_used_are_usage() {
    let scratch = Scratch::new(&["a", "dir/b"]);
    for (words, message) in [
        (
            &["*.log"][..],
            "brisk: '*.log' is not a regular expression: repetition operator missing expression; \
             use -g for a glob, -F for plain text\n",
        ),
        (&["--newer", "x"], "brisk: 'x' is neither a date nor an age: write "),
        (&["--newer", "1d ago"], "brisk: '1d ago' lies in the future"),
        (&["-E", "["], "brisk: Malformed exclude pattern"),
        (&["--format", "{x}"], "brisk: "),
        (&["-C", "nosuch"], "brisk: cannot search 'nosuch': No such file or directory\n"),
        (&["-X", "echo", "{}", "{}"], "brisk: Only one placeholder"),
        (
            &["-S", "1z"],
            "brisk: invalid value '1z' for '--size': a size has a unit: +10M (at least), -4k (at \
             most), 512b (exactly); k, M, G and T are powers of 1000, ki, Mi, Gi and Ti of 1024\n\
            Try 'brisk find --help' for more information.\n",
        ),
        (
            &["--tpye", "f"],
            "brisk: unrecognized option '--tpye'\nDid you mean --type?\n\
            Try 'brisk find --help' for more information.\n",
        ),
        (&["--bogus"], "brisk: unrecognized option '--bogus'\nTry 'brisk find --help' for more "),
        (&["-t", "q"], "brisk: invalid value 'q' for '--type' [possible values: file, directory, "),
        (&["-e"], "brisk: '--extension <ext>' lacks its value\nTry "),
        (&["-g", "**/a"], "brisk: '**/a' has a slash; names have none; to match paths: --f"),
    ] {
        let output = scratch.run(&[&["find"], words].concat());
        assert!(stderr(&output).starts_with(message), "{words:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let unread = "brisk: cannot read ignore rules 'nosuch': No such file or directory\n";
    assert_eq!(stderr(&scratch.run(&["find", "--ignore-file", "nosuch"])), unread);
    let hint = |words: &[&str]| stderr(&scratch.run(&[&["find"], words].concat()));
    for (words, message) in [
        (&["-g", "**/a"][..], "--full-path --glob '**/a'\n"),
        (&["-g", "a/*"], "--full-path --glob '**/a/*'\n"),
        (&["-F", "b/a"], "--full-path --fixed-strings 'b/a'\n"),
        (&["b/a"], "--full-path 'b/a'\n"),
        (&["./"], "--full-path './'; to list it: brisk find . './'\n"),
        (&["dir", "b"], "the pattern comes before the paths, and 'dir' is a directory\n"),
        (&[".", "b"], "No valid search paths given.\n"),
    ] {
        assert!(hint(words).ends_with(message), "{words:?}: {}", hint(words));
    }
}

/// The entries that `--explain` names are those that are asked about.
#[test]
fn colours_cost_what_is_explained() {
    let scratch = Scratch::new(&["a", "b.md", "d/c"]);
    symlink("a", scratch.tree().join("l")).unwrap();
    let free = "ex=0:su=0:sg=0:or=0:st=0:ow=0:tw=0:di=34:*.md=33";
    // Without an option, the root alone is asked about.
    for (keys, option, explained, stats) in [
        ("", "-j1", "", 1),
        ("ex=32", "-j1", "LS_COLORS (ex) needs mode of regular files", 4),
        ("ow=32", "-j1", "LS_COLORS (ow) needs mode of directories", 2),
        ("or=32", "-j1", "LS_COLORS (or) needs target of symbolic links", 2),
        ("ex=32", "-q", "", 1),
        ("", "-L", "--follow needs", 2),
        ("", "--unique", "--unique needs", 6),
        ("", "--one-file-system", "--one-file-system needs", 3),
    ] {
        let mut command =
            scratch.command(&["find", "-c", "always", "--explain", "--stats=json", option]);
        let output = command.env("LS_COLORS", format!("{free}:{keys}")).output().unwrap();
        let text = stderr(&output);
        assert!(text.contains(&format!("\"stat\":{stats},")), "{keys} {option}: {text}");
        let nothing = text.contains("Nothing else is requested for any entry.");
        assert_eq!(nothing, explained.is_empty(), "{keys} {option}: {text}");
        assert!(text.contains(explained), "{keys} {option}: {text}");
    }
}

#[test]
fn full_disks_are_errors_and_readers_that_leave_are_not() {
    let scratch = Scratch::new(&["a"]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = scratch.command(&["find"]).stdout(full).output().unwrap();
    assert!(stderr(&output).starts_with("brisk: cannot write to standard output: "), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = scratch.command(&["find"]).stdout(writer).output().unwrap();
    assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)));
}

#[cfg(target_os = "linux")]
#[test]
fn unreadable_directories_are_told_and_counted() {
    let test = "unreadable_directories_are_told_and_counted";
    if testkit::obedient("true").is_none() {
        return testkit::left_out(test, "root may read everything");
    }
    let scratch = Scratch::new(&["a/x", "b/x", "c/x"]);
    let set = |mode| {
        for name in ["a", "b"] {
            fs::set_permissions(scratch.tree().join(name), fs::Permissions::from_mode(mode))
                .unwrap();
        }
    };
    set(0o000);
    let run = |words: &[&str]| {
        let command = testkit::obedient(env!("CARGO_BIN_EXE_brisk")).unwrap();
        scratch.prepared(command, words).output().unwrap()
    };
    let output = run(&["find", "--max-buffer-time=60000"]);
    let limited = run(&["find", "--max-errors", "1"]);
    set(0o755);
    assert_eq!(stdout(&output), ["a/", "b/", "c/", "c/x"]);
    assert_eq!(stderr(&output).matches("brisk: cannot open directory").count(), 2);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stderr(&limited).lines().count(), 1);
    assert_eq!(limited.status.code(), Some(1));
}

/// In a directory that may be listed but not searched, as by GNU find.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_asked_about_is_told_once() {
    let test = "what_cannot_be_asked_about_is_told_once";
    if testkit::obedient("true").is_none() {
        return testkit::left_out(test, "root may search everything");
    }
    let scratch = Scratch::new(&["listed/file", "listed/dir/below"]);
    let set = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(scratch.tree().join("listed"), mode).unwrap();
    };
    set(0o444);
    let told = |program: &str, words: &str| {
        let command = testkit::obedient(program).unwrap();
        let words: Vec<_> = words.split(' ').collect();
        let output = scratch.prepared(command, &words).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let text = stderr(&output);
        let names = text.lines().filter_map(|line| line.split('\'').nth(1));
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        names.sort();
        names
    };
    for (gnu, ours) in [
        ("-xdev", "--one-file-system ."),
        ("-xdev -name other", "--one-file-system other"),
        ("-xdev -maxdepth 1", "--one-file-system --max-depth 1 ."),
        ("-ls", "-l ."),
        ("-newermt 2020-01-01", "--changed-after 2020-01-01 ."),
        ("-xdev -newermt 2020-01-01", "--one-file-system --changed-after 2020-01-01 ."),
    ] {
        let theirs = told("find", &format!("listed {gnu}"));
        let ours = told(env!("CARGO_BIN_EXE_brisk"), &format!("find {ours} listed"));
        assert_eq!(ours, theirs, "{gnu}");
        assert_eq!(theirs.iter().filter(|name| *name == "listed/dir").count(), 1, "{gnu}");
    }
    set(0o755);
}

#[test]
fn an_interrupt_ends_it_as_one_does() {
    let scratch = Scratch::new(&["a"]);
    // The command waits for its standard input, which stays open, so the search cannot end. A shell
    // that runs the tests in the background may have interrupts ignored, which is inherited; env
    // undoes that.
    let mut child = Command::new("env")
        .arg("--default-signal=INT")
        .arg(env!("CARGO_BIN_EXE_brisk"))
        .args(["find", "-j1", "-x", "cat", "/dev/stdin"])
        .current_dir(scratch.tree())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The signal must not come before env has become brisk.
    let name = format!("/proc/{}/comm", child.id());
    while fs::read(&name).is_ok_and(|comm| comm != b"brisk\n") {
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "a shell shows it as 130");
}

/// Commands wait for descriptors while others run: their pipes are more than the limit.
#[test]
fn every_command_runs_with_few_descriptors() {
    let place = testkit::scratch();
    for number in 0..60 {
        fs::write(place.path().join(number.to_string()), "").expect("a file");
    }
    for limit in ["--nofile=16:16", "--nofile=64:64"] {
        let mut command = Command::new("prlimit");
        command.args([limit, env!("CARGO_BIN_EXE_brisk"), "find", "."]).arg(place.path());
        let output = command.args(["-tf", "-j60", "-x", "echo"]).output().expect("prlimit");
        assert_eq!(stderr(&output), "", "{limit}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(0), 60), "{limit}");
    }
}
