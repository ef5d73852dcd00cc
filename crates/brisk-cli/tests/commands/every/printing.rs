//! Writes to standard output and standard error may fail: brisk never aborts, and never loses
//! output silently.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use testkit::{Installation, brisk, stderr, stdout};

/// The trouble with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// `/dev/full`.
    Full,
    /// A pipe whose reader has gone.
    Left,
    /// No descriptor.
    Shut,
}

use Trouble::{Full, Left, Shut};

/// Which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stream {
    Output,
    Errors,
}

use Stream::{Errors, Output as Printed};

/// A command, and how it ends.
#[derive(Clone, Copy)]
struct Case {
    words: &'static str,
    /// The exit code if all is well.
    code: i32,
    /// The exit code if this stream loses the command's output.
    lost: i32,
    to: &'static [Stream],
}

/// A command that prints on standard output.
const fn prints(words: &'static str, lost: i32) -> Case {
    Case { words, code: 0, lost, to: &[Printed] }
}

/// A command that prints on both.
const fn reports(words: &'static str, lost: i32) -> Case {
    Case { words, code: 0, lost, to: &[Printed, Errors] }
}

/// A command that is refused: the exit code says so even if the message is lost.
const fn refused(words: &'static str, code: i32) -> Case {
    Case { words, code, lost: code, to: &[] }
}

fn stdio(trouble: Trouble) -> Stdio {
    match trouble {
        Full => File::options().write(true).open("/dev/full").unwrap().into(),
        Left => {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            writer.into()
        }
        Shut => Stdio::null(),
    }
}

/// Runs a command, called `name`, in `place`, with one stream in trouble.
fn run(name: &str, words: &str, place: &Path, stream: Stream, trouble: Trouble) -> Output {
    let shut = match (trouble, stream) {
        (Shut, Printed) => ">&-",
        (Shut, Errors) => "2>&-",
        _ => "",
    };
    // The shell becomes the program, because only a shell can close a descriptor.
    let script = format!("exec \"$0\" \"$@\" {shut}");
    let link = place.parent().unwrap().join("bin").join(name);
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(link).args(words.split_whitespace()).current_dir(place);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    match stream {
        Printed => command.stdout(stdio(trouble)),
        Errors => command.stderr(stdio(trouble)),
    };
    command.env("LC_ALL", "C").env("XDG_CONFIG_HOME", place).output().unwrap()
}

/// A small tree, made anew: commands may remove it.
fn tree(place: &Installation) -> std::path::PathBuf {
    let tree = place.path("tree");
    let _ = fs::remove_dir_all(&tree);
    fs::create_dir_all(tree.join("d/e")).unwrap();
    for name in ["a", "b", "d/c"] {
        fs::write(tree.join(name), "1").unwrap();
    }
    for name in ["fd", "ls"] {
        let _ = std::os::unix::fs::symlink("brisk", place.path("bin").join(name));
    }
    tree
}

/// The beginning of the line about lost output, after the program's name.
fn line_of(name: &str) -> &'static str {
    match name {
        "fd" => "Could not write to output: ",
        "ls" | "rm" => "write error: ",
        _ => "cannot write to standard output: ",
    }
}

/// Runs each case with each stream in each trouble, and compares.
fn hold(name: &str, cases: &[Case]) {
    let place = Installation::new();
    let mut wrong = Vec::new();
    for case in cases {
        for stream in [Printed, Errors] {
            for trouble in [Full, Left, Shut] {
                let output = run(name, case.words, &tree(&place), stream, trouble);
                let lost = case.to.contains(&stream) && trouble != Left;
                let expected = if lost { case.lost } else { case.code };
                let about = stderr(&output).matches(line_of(name)).count();
                let told = usize::from(lost && stream == Printed);
                if output.status.code() != Some(expected) || about != told {
                    let words = case.words;
                    let told = stderr(&output);
                    let status = output.status;
                    wrong.push(format!(
                        "{name} {words}: {stream:?} {trouble:?}: {status}, not {expected}: {told}"
                    ));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn find_says_what_it_could_not_print() {
    hold(
        "brisk",
        &[
            prints("find", 1),
            prints("find --order sorted", 1),
            prints("find --order breadth -0", 1),
            prints("find --json", 1),
            prints("find --format {name}", 1),
            reports("find --stats", 1),
            reports("find --stats=json", 1),
            reports("find --explain -S +0b", 1),
            prints("find --help", 1),
            prints("find -h", 1),
            prints("find --version", 1),
            prints("find --gen-completions bash", 1),
            prints("find -j4 -x echo", 1),
            prints("find -j1 -0 -x true", 1),
            Case { words: "find -j4 -x false", code: 1, lost: 1, to: &[] },
            refused("find --nope", 2),
            refused("find . nowhere", 1),
            refused("find [", 2),
            Case { words: "find -q nothing", code: 1, lost: 1, to: &[] },
        ],
    );
}

/// With details, too: no line is lost without a message.
#[test]
fn details_for_a_reader_that_left_are_no_failure() {
    let place = Installation::new();
    for (trouble, code) in [(Left, 0), (Full, 1), (Shut, 1)] {
        let output = run("brisk", "find -l", &tree(&place), Printed, trouble);
        assert_eq!(output.status.code(), Some(code), "{trouble:?}");
        assert_eq!(stderr(&output).lines().count(), code as usize, "{trouble:?}");
    }
}

#[test]
fn ls_says_what_it_could_not_print() {
    hold(
        "brisk",
        &[
            prints("ls", 2),
            prints("ls -l", 2),
            prints("ls -R", 2),
            prints("ls --tree", 2),
            prints("ls --json", 2),
            reports("ls --stats", 2),
            reports("ls --stats=json", 2),
            reports("ls --explain", 2),
            prints("ls --help", 2),
            prints("ls --version", 2),
            refused("ls --nope", 2),
            Case { words: "ls nowhere", code: 2, lost: 2, to: &[] },
        ],
    );
}

#[test]
fn rm_says_what_it_could_not_print() {
    hold(
        "brisk",
        &[
            prints("rm -rv d a", 1),
            prints("rm -r --dry-run d a", 1),
            prints("rm -r --json d a", 1),
            prints("rm --help", 1),
            prints("rm --version", 1),
            Case { words: "rm -r --stats d", code: 0, lost: 1, to: &[Errors] },
            Case { words: "rm -r --stats=json d", code: 0, lost: 1, to: &[Errors] },
            Case { words: "rm -r --explain d", code: 0, lost: 1, to: &[Errors] },
            Case { words: "rm -rf d", code: 0, lost: 0, to: &[] },
            refused("rm --nope", 2),
            refused("rm", 2),
            refused("rm nowhere", 1),
        ],
    );
}

#[test]
fn the_program_itself_says_what_it_could_not_print() {
    hold(
        "brisk",
        &[
            prints("--help", 1),
            prints("--version", 1),
            prints("help bench", 1),
            prints("changed --help", 2),
            prints("diff --help", 2),
            prints("bench --version", 1),
            refused("", 2),
            refused("nope", 2),
            refused("bench nope", 2),
            refused("bench attrs nowhere", 1),
            refused("generate nope x", 2),
        ],
    );
}

#[test]
fn the_names_of_other_programs_come_with_their_words() {
    hold("ls", &[prints("", 2), prints("--help", 2), reports("--stats", 2)]);
    hold("rm", &[prints("-v a", 1), prints("--version", 1)]);
    // One command at a time writes to standard output itself.
    let echo = prints("-j2 -x echo", 1);
    hold("fd", &[prints("", 1), prints("--help", 1), echo, refused("--nope", 2)]);
}

#[test]
fn a_measurement_is_reported_or_refused() {
    hold("brisk", &[prints("bench attrs --runs 1 d", 1)]);
}

/// `find --stats . 2>&1 | true`: both streams, whose reader has gone.
#[test]
fn statistics_for_a_reader_that_left_are_no_abort() {
    let place = Installation::new();
    let tree = tree(&place);
    for words in ["find --stats .", "find --explain -S +0b", "ls --stats", "ls --explain", "--nope"]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(brisk());
        command.args(words.split(' ')).current_dir(&tree).stdout(writer.try_clone().unwrap());
        let status = command.stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(if words == "--nope" { 2 } else { 0 }), "{words}");
    }
}

/// `-x md5sum > sums`: the output of the commands is larger than the room on the disk.
#[test]
fn what_commands_print_is_not_lost_without_a_word() {
    Installation::new().succeeds(
        "what_commands_print",
        r#"
        mkdir d disk; mount -t tmpfs -o size=64k none disk
        for i in $(seq 20); do head -c 8000 /dev/zero | tr '\0' x >d/$i; done
        code=0; "$B" find -j4 -tf . d -x cat >disk/all 2>errors || code=$?
        test $code = 1 || { echo "exit code $code"; exit 1; }
        grep -q 'cannot write to standard output: No space left on device' errors
        test "$(wc -l <errors)" = 1
        # All commands ran: they may have effects.
        code=0; "$B" find -j4 -tf . d -x sh -c 'cat "$0"; : >"$0.ran"' >disk/all 2>errors || code=$?
        test $code = 1 && test "$(ls d | grep -c ran)" = 20
        # The same of their messages.
        code=0; "$B" find -j4 -tf . d -x sh -c 'cat "$0" >&2' >/dev/null 2>disk/all || code=$?
        test $code = 1
        "#,
    );
}

#[test]
fn a_report_for_a_full_disk_names_the_file() {
    Installation::new().succeeds(
        "a_report_for_a_full_disk",
        r#"
        mkdir d disk; touch d/a; mount -t tmpfs -o size=4k none disk; head -c 4096 /dev/zero >disk/full
        code=0; "$B" du --html disk/report d >out 2>errors || code=$?
        test $code = 1 || { echo "exit code $code"; exit 1; }
        test "$(cat errors)" = "brisk: cannot write 'disk/report': No space left on device" || {
            cat errors; exit 1; }
        code=0; "$B" man disk >out 2>errors || code=$?
        test $code = 1 || { echo "man: exit code $code"; exit 1; }
        grep -q "cannot write 'disk/.*': No space left on device$" errors || { cat errors; exit 1; }
        test "$(wc -l <errors)" = 1
        "#,
    );
}

/// Without /dev/null too, a closed descriptor does not make brisk abort.
#[test]
fn shut_descriptors_in_a_place_without_dev_are_no_abort() {
    Installation::new().succeeds(
        "shut_descriptors_without_dev",
        r#"
        mkdir d; touch d/a
        mount -t tmpfs none /dev
        code=0; "$B" find . d >&- 2>errors || code=$?
        test $code = 1 || { echo "exit code $code"; exit 1; }
        grep -q 'cannot write to standard output: Bad file descriptor' errors || { cat errors; exit 1; }
        for way in '<&-' '2>&-' '<&- 2>&-'; do
            eval "\"$B\" find . d $way" >list || { echo "$way"; exit 1; }
            test "$(cat list)" = d/a
        done
        "#,
    );
}

/// A file that is opened never gets the number of standard output: the output would go into that
/// file.
#[test]
fn no_file_takes_the_place_of_a_shut_descriptor() {
    let place = Installation::new();
    let tree = tree(&place);
    fs::write(tree.join(".gitignore"), "b\n").unwrap();
    let script = "exec \"$0\" \"$@\" <&- >&- 2>&-";
    for words in ["find -j4 -x sh -c :", "ls -lR", "rm -rv d"] {
        let mut command = Command::new("sh");
        command.args(["-c", script]).arg0("sh").arg(brisk()).args(words.split(' '));
        let output = command.current_dir(&tree).output().unwrap();
        let code = match &words[..2] {
            "ls" => 2,
            "rm" => 1,
            _ => 0,
        };
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert_eq!(stdout(&output), "", "{words}");
    }
    assert_eq!(fs::read(tree.join("a")).unwrap(), b"1");
    assert_eq!(fs::read(tree.join(".gitignore")).unwrap(), b"b\n");
}
