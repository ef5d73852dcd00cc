//! What programs get and mean, against GNU find in the same tree; and batches.

use super::*;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use brisk::{Directory, Error, Flow, Visitor, Walk};

use crate::front::messages::typed_as;
use crate::write::out::Out;

/// The variable that holds find's words, each ended by [`END`].
const WORDS: &str = "BRISK_TEST_WORDS";
const END: char = '\u{1f}';
/// What stands before find's output.
const BEGIN: u8 = 0x1e;

/// Not a test by itself: a process that other tests start as find.
#[test]
fn a_process_is_find() {
    if let Ok(words) = env::var(WORDS) {
        typed_as("find".as_ref());
        let _ = <Out>::default().write(&[BEGIN]);
        let words: Vec<_> = words.split_terminator(END).map(OsString::from).collect();
        let code = crate::gfind::run(&words);
        std::process::exit(code.into());
    }
}

/// Standard output's and standard error's lines, each sorted, and the exit code.
type Ended = (Vec<String>, Vec<String>, Option<i32>);

fn ended(mut command: Command, input: &str, begin: Option<u8>) -> Ended {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("find");
    // A child that does not read has ended.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("ended");
    let begin = begin.and_then(|begin| output.stdout.iter().position(|byte| *byte == begin));
    let stdout = &output.stdout[begin.map_or(0, |begin| begin + 1)..];
    let lines = |text: &[u8]| {
        let mut lines: Vec<_> =
            String::from_utf8_lossy(text).split('\n').map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    (lines(stdout), lines(&output.stderr), output.status.code())
}

/// brisk's find in `place`. `path`: the variable PATH.
fn ours(place: &Path, path: &str, words: &[&str]) -> Command {
    let mut ours = Command::new(env::current_exe().expect("a program"));
    let name = "gfind::exec::tests::a_process_is_find";
    ours.args(["--exact", name, "--nocapture", "--test-threads=1"]);
    ours.env(WORDS, words.iter().map(|word| format!("{word}{END}")).collect::<String>());
    ours.current_dir(place).env("LC_ALL", "C").env("PATH", path);
    ours
}

/// Runs both finds in `place`, and compares what they do. `path`: the variable PATH.
fn compare_with(place: &Path, path: &str, input: &str, words: &[&str]) -> Ended {
    let mut gnu = Command::new("/usr/bin/find");
    gnu.arg0("find").args(words).current_dir(place).env("LC_ALL", "C").env("PATH", path);
    let expected = ended(gnu, input, None);
    assert_eq!(ended(ours(place, path, words), input, Some(BEGIN)), expected, "{words:?}");
    expected
}

fn compare(place: &Path, words: &[&str]) -> Ended {
    compare_with(place, "/usr/bin:/bin", "", words)
}

/// A small tree; `flat` has files alone.
fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    for directory in ["a/b", "a/c d", "flat"] {
        fs::create_dir_all(place.path().join(directory)).expect("made");
    }
    for file in ["a/x", "a/b/it's", "a/b/{}", "z", "flat/1", "flat/2", "flat/3"] {
        fs::write(place.path().join(file), "").expect("written");
    }
    place
}

/// Prints the directory and each argument.
const SHOW: [&str; 4] = ["sh", "-c", "for i; do printf '%s|%s\\n' \"$(pwd)\" \"$i\"; done", "sh"];

#[test]
fn starting_points_have_their_directories_and_names() {
    let place = tree();
    let up = format!("../{}", place.path().file_name().expect("a name").to_string_lossy());
    let roots = [
        ".", "..", "./", "a", "a/", "a/b", "a/b/", "a/.", "a/..", "/", "//", "./a", "a//b//", &up,
        "/usr/", "///usr",
    ];
    for root in roots {
        for (action, end) in [("-exec", ";"), ("-exec", "+"), ("-execdir", ";"), ("-execdir", "+")]
        {
            let mut words = vec![root, "-maxdepth", "0", action];
            words.extend(SHOW);
            words.extend(["{}", end]);
            let (stdout, ..) = compare(place.path(), &words);
            assert_eq!(stdout.len(), 2, "{words:?}");
        }
    }
}

#[test]
fn entries_are_arguments_anywhere_in_the_words() {
    let place = tree();
    for action in ["-exec", "-execdir"] {
        for last in ["{}", "-{}-{}{", "{{}}"] {
            let mut words = vec!["a", "z", action];
            words.extend(SHOW);
            compare(place.path(), &[&words[..], &[last, ";", "-print"]].concat());
        }
        let mut words = vec!["a", "flat", "z", action];
        words.extend(SHOW);
        compare(place.path(), &[&words[..], &["{}", "+", "-print"]].concat());
        let count = ["sh", "-c", "echo $#", "sh", "{}", "+"];
        let roots = ["flat", "a/x", "a/b", "a/x", "-maxdepth", "1", action];
        compare(place.path(), &[&roots[..1], &roots[4..], &count].concat());
        compare(place.path(), &[&roots[1..4], &["-maxdepth", "0", action], &count].concat());
    }
}

#[test]
fn failures_are_gnu_s() {
    let place = tree();
    let script = place.path().join("script");
    fs::write(&script, "echo \"$0\" \"$@\"\n").expect("written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("executable");
    let commands: [&[&str]; 11] = [
        &["no such\n'program"],
        &["/etc"],
        &["/etc/passwd"],
        &["/etc/passwd/x"],
        &[""],
        &["false"],
        &["sh", "-c", "exit 3"],
        &["sh", "-c", "kill -9 $$"],
        &["sh", "-c", "kill -TERM $$"],
        &["../script"],
        &["./script"],
    ];
    for action in ["-exec", "-execdir"] {
        for command in commands {
            for end in [";", "+"] {
                let words = [&["a", "-maxdepth", "1", action], command, &["{}", end, "-print"]];
                compare(place.path(), &words.concat());
            }
        }
        compare(place.path(), &["a", "-maxdepth", "0", action, "{}", ";", "-print"]);
        compare(place.path(), &["a", "-maxdepth", "0", action, "{}", "+", "-print"]);
        compare(place.path(), &["z", action, "true", ";", action, "false", ";", "-print"]);
        let long = "{}".repeat(30_000);
        compare(place.path(), &["z", "flat/1", action, "echo", &long, ";", "-print"]);
    }
}

#[test]
fn a_path_that_leads_into_the_tree_is_refused() {
    let place = tree();
    let paths = ["", ":", "/bin:", "/bin::/x", ".:/bin", "rel:/bin", "/bin:it's a", "/bin:./x"];
    for path in paths {
        for action in ["-exec", "-execdir", "-okdir"] {
            let words = ["a", "-maxdepth", "0", action, "/bin/echo", "{}", ";"];
            let (_, stderr, code) = compare_with(place.path(), path, "", &words);
            assert_eq!(code == Some(0), action == "-exec", "{path} {stderr:?}");
        }
    }
}

#[test]
fn answers_decide() {
    let place = tree();
    let inputs = ["y\n", "n\n", "", "yes", " y\n", "Y\nn\n\nyes\n", "no\ny\nY\nn\n", "\n\n\ny"];
    for action in ["-ok", "-okdir"] {
        for input in inputs {
            let mut words = vec!["flat", action];
            words.extend(SHOW);
            words.extend(["{}", ";", "-print"]);
            compare_with(place.path(), "/bin", input, &words);
        }
        compare_with(place.path(), "/bin", "y\n", &["z", action, "no'program", "{}", ";"]);
        compare_with(place.path(), "/bin", "y\n", &["z", action, "{}", "x", ";"]);
    }
}

/// GNU find 4.9 opens /dev/null there, as its manual says, and closes it again: cat complains.
#[test]
fn a_program_that_was_asked_for_reads_nothing() {
    let place = tree();
    for action in ["-ok", "-okdir"] {
        let words = ["z", action, "readlink", "/proc/self/fd/0", ";", "-print"];
        let (stdout, ..) = ended(ours(place.path(), "/bin", &words), "y\nn\n", Some(BEGIN));
        assert_eq!(stdout, ["", "/dev/null", "z"]);
    }
}

#[test]
fn signals_are_as_in_find_itself() {
    let place = tree();
    for action in ["-exec", "-execdir"] {
        let look = ["grep", "-E", "Sig(Blk|Cgt)|SigIgn", "/proc/self/status", ";"];
        let (stdout, ..) = compare(place.path(), &[&["z", action][..], &look].concat());
        assert_eq!(stdout.len(), 4);
    }
}

/// Makes a program that gathers, and gives it to `each`.
fn logged<R>(words: &[&str], in_directory: bool, each: impl FnOnce(Program, Children) -> R) -> R {
    let words: Vec<_> = words.iter().map(OsString::from).collect();
    let program = Program::new(&words, true, in_directory, false).expect("a safe PATH");
    each(program, Children::default())
}

/// Gives one program all entries of some directory.
struct Gather<F>(F);

impl<F: FnMut(&Entry<'_>)> Visitor for Gather<F> {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        entries.iter().for_each(&mut self.0);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

/// Runs `sh -c 'echo $#'` on the three files of `flat`; returns the lines.
fn runs(in_directory: bool, mut before: impl FnMut(&mut Program, &mut Children)) -> String {
    let place = tree();
    let log = place.path().join("log");
    let script = format!("echo $# >> {}", log.display());
    logged(&["sh", "-c", &script, "sh"], in_directory, |mut program, mut children| {
        let walk = Walk::new(place.path().join("flat")).min_depth(1);
        walk.visit(Gather(|entry: &Entry<'_>| {
            before(&mut program, &mut children);
            program.act(entry, &mut children);
        }));
        program.finish(&mut children);
        assert!(!children.failed && !children.is_over);
    });
    fs::read_to_string(log).expect("a log").replace('\n', " ")
}

#[test]
fn a_batch_ends_where_room_or_the_level_does() {
    assert_eq!(runs(false, |_, _| ()), "3 ");
    assert_eq!(runs(true, |_, _| ()), "3 ");
    assert_eq!(runs(true, |program, children| program.reached(1, children)), "3 ");
    assert_eq!(runs(true, |program, children| program.reached(2, children)), "1 1 1 ");
    assert_eq!(runs(false, |program, children| program.reached(2, children)), "3 ");
    // `./1`, a NUL and a pointer.
    let two = 2 * (4 + size_of::<usize>());
    let narrow = |program: &mut Program, _: &mut Children| {
        program.left = program.left.min(two);
        program.room.total = two;
    };
    assert_eq!(runs(true, narrow), "2 1 ");
}

#[test]
fn what_the_system_refuses_is_halved() {
    let place = tempfile::tempdir().expect("a directory");
    let log = place.path().join("log");
    let script = format!("echo $# >> {}", log.display());
    logged(&["sh", "-c", &script, "sh"], false, |program, mut children| {
        // Ten times what the system takes at once.
        let long = "x".repeat(program.room.longest);
        let count = 10 * (Room::granted().total / long.len());
        let arguments: String = (0..count).map(|_| format!("{long}\0")).collect();
        program.run_on(arguments.as_bytes(), &mut children);
        let log = fs::read_to_string(&log).expect("a log");
        let runs: Vec<usize> = log.lines().map(|line| line.parse().expect("a number")).collect();
        assert_eq!(runs.iter().sum::<usize>(), count);
        assert!((11..40).contains(&runs.len()), "{runs:?}");
    });
}

#[test]
fn a_starting_point_has_a_directory_and_a_name() {
    let table = [
        ("a", ".", "a"),
        ("a//", ".", "a/"),
        ("a/b", "a/", "b"),
        ("a//b/", "a//", "b/"),
        ("/", "/", "/"),
        ("///", "/", "/"),
        ("/a", "/", "a"),
        ("..", ".", ".."),
    ];
    for (path, parent, name) in table {
        assert_eq!(split(path.as_bytes()), (parent.as_bytes(), name.as_bytes()), "{path}");
    }
}
