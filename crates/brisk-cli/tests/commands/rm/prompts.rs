//! Questions: a signal ends them, and they come in GNU rm's order, so that scripted answers mean
//! the same.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use testkit::{Installation, LoopMount, Random, brisk, is_root, stderr, stdout, unshared};

/// A removal that waits for an answer.
pub struct Asking {
    child: Child,
    errors: ChildStderr,
}

impl Asking {
    /// Starts a shell command, with `$B` for brisk, and waits until it asks a question.
    pub fn start(place: &Path, line: &str) -> Asking {
        // A shell that runs the tests in the background may have the interrupt key ignored, and
        // brisk keeps it ignored.
        let mut child = Command::new("env")
            .args(["--default-signal=INT,TERM,HUP", "sh", "-c", &format!("exec {line}")])
            .env("B", brisk())
            .current_dir(place)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let errors = child.stderr.take().unwrap();
        let mut asking = Asking { child, errors };
        asking.wait();
        asking
    }

    /// Waits for a question.
    fn wait(&mut self) {
        let mut told = Vec::new();
        while !told.ends_with(b"? ") {
            let mut byte = [0];
            let read = self.errors.read(&mut byte).unwrap();
            assert_eq!(read, 1, "no question: {}", String::from_utf8_lossy(&told));
            told.push(byte[0]);
        }
    }

    /// Answers, and waits for the next question.
    fn answer(&mut self, answer: &str) {
        self.child.stdin.as_mut().unwrap().write_all(answer.as_bytes()).unwrap();
        self.wait();
    }

    /// Sends a signal, waits a while, and then sends `yes`. Returns how the command ended, its
    /// messages, and whether the signal alone ended it.
    pub fn after(mut self, signal: &str) -> (ExitStatus, String, bool) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let (tell, told) = channel();
        let mut errors = self.errors;
        // The pipe ends when the command ends.
        let listen = move || {
            let mut said = String::new();
            errors.read_to_string(&mut said).unwrap();
            tell.send(said).unwrap();
        };
        std::thread::Builder::new().spawn(listen).unwrap();
        let said = told.recv_timeout(Duration::from_secs(60));
        let at_once = said.is_ok();
        let _ = self.child.stdin.take().unwrap().write_all(b"y\ny\ny\ny\n");
        let said = said.or_else(|_| told.recv()).unwrap();
        (self.child.wait().unwrap(), said, at_once)
    }
}

/// By age, the same command would leave directories that have become young.
#[test]
fn the_interrupt_key_ends_a_question_and_nothing_goes() {
    let place = testkit::scratch();
    for file in ["a", "b"] {
        std::fs::write(place.path().join(file), "").unwrap();
    }
    for (flags, rest) in [("-i", "; the same command removes the rest"), ("-i --older-than 0s", "")]
    {
        let line = format!("\"$B\" rm {flags} a b");
        let (status, said, at_once) = Asking::start(place.path(), &line).after("INT");
        let left = ["a", "b"].map(|file| place.path().join(file).exists());
        assert_eq!(left, [true, true], "what was typed afterwards is no answer");
        assert!(at_once, "the question went on");
        assert_eq!(status.code(), Some(130), "{said}");
        assert_eq!(said, format!("\nbrisk: interrupted: 0 entries removed{rest}\n"));
    }
}

#[test]
fn answers_before_the_interrupt_count() {
    let place = testkit::scratch();
    for file in ["a", "b", "c"] {
        std::fs::write(place.path().join(file), "").unwrap();
    }
    let mut asking = Asking::start(place.path(), "\"$B\" rm -i a b c");
    asking.answer("y\n");
    let (status, said, _) = asking.after("INT");
    let left = ["a", "b", "c"].map(|file| place.path().join(file).exists());
    assert_eq!(left, [false, true, true]);
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: 1 entry removed"), "{said}");
}

/// Trees, each as the commands that make it in an empty directory, and the words after `rm`.
const TREES: &[(&str, &str)] = &[
    (
        "mkdir -p d/e/f/g d/empty d/h; touch d/a d/e/b d/e/f/c d/e/f/g/x d/h/y d/h/z d/i; ln -s a d/l; \
         mkfifo d/p; echo x >d/e/full; touch k",
        "-ri d k",
    ),
    ("mkdir -p d/e d/f; touch d/e/1 d/e/2 d/f/1 d/f/2 a b", "-ri a nope d/f d/e b d"),
    (
        "mkdir -p d/e/f; touch d/e/f/x d/a b; chmod 500 d/e/f; chmod 444 d/a b",
        "-r ---presume-input-tty d b",
    ),
    ("mkdir -p d/e/f; touch d/e/f/x d/a b; chmod 500 d/e; chmod 0 d/e/f", "-ri d b"),
    ("mkdir -p d/1/2/3/4/5/6; for i in 1 1/2 1/2/3 1/2/3/4; do touch d/$i/a d/$i/z; done", "-ri d"),
];

/// Answers that lead to different ways: all, none, and in turns of several lengths.
const ANSWERS: &[&str] = &[
    "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    "",
    "yn",
    "yyn",
    "yyynyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy",
    "yyyyyynyyyynyyyynyyynyyynyyynyyynyyny",
    "yynyynyynyynyynyynyynyynyynyynyynyynyyn",
    "yyyynnyyyynyynyyyyyyynnyyyyynyyynyyyyny",
    "ynyyyyyynyyyyyynyyyyynyyyyyynyyyyy",
    "yyyyyyyyyyynyyyyyyyyyyyyyyyynyyyyyyyyyy",
];

#[test]
fn questions_come_in_gnus_order_and_answers_mean_the_same() {
    let test = "questions_come_in_gnus_order_and_answers_mean_the_same";
    let place = Installation::new();
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    let mut script = String::from("round() { rm=$1; export PATH=$2:/usr/bin:/bin\n");
    // Each round runs in a new directory of the same name, so that paths and the order of entries
    // are the same.
    script += &format!(
        "mkdir -m 777 w; cd w; {user} sh -c \"$3\"; printf \"$5\" | {user} rm $4 >../out 2>../err; \
         echo \"exit $?\" >>../err; cd ..; chmod -R u+rwx w; (cat out err; find w | sort) >$rm; /bin/rm -rf w\n}}\n"
    );
    for (plant, words) in TREES {
        for answers in ANSWERS {
            let answers: String = answers.chars().map(|answer| format!("{answer}\\n")).collect();
            script += &format!(
                "round gnu /bin '{plant}' '{words}' '{answers}'; round ours $P/bin '{plant}' '{words}' '{answers}'\n\
                 cmp -s gnu ours || {{ echo \"== rm {words}, {answers}\"; diff gnu ours; }}\n"
            );
        }
    }
    let Some(output) = place.script(test, &script) else { return };
    assert!(output.stdout.is_empty(), "{}{}", stdout(&output), stderr(&output));
}

/// Makes a random tree, `w`, as the user that removes it.
fn plant(top: &Path, random: &mut Random) {
    std::fs::create_dir(top).unwrap();
    let mut directories = vec![top.to_owned()];
    for number in 0..5 + random.below(30) {
        let parent = random.below(directories.len());
        let path = directories[parent].join(format!("{:x}", (number * 2_654_435_761) % 4_093));
        match random.below(8) {
            0..=2 => {
                std::fs::create_dir(&path).unwrap();
                directories.push(path);
            }
            3 => symlink("nowhere", &path).unwrap(),
            4 => std::fs::write(&path, "x").unwrap(),
            _ => std::fs::write(&path, "").unwrap(),
        }
    }
    for path in testkit::tree(top).into_iter().rev().filter(|path| !path.is_symlink()) {
        if is_root() {
            chown(&path, Some(65_534), Some(65_534)).unwrap();
        }
        let mode = [0o755, 0o755, 0o755, 0o444, 0o500, 0o000][random.below(6)];
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    }
}

/// What a removal of a random tree prints, and what it leaves.
fn answered(place: &Path, rm: &str, seed: u64) -> String {
    let mut random = Random(seed);
    plant(&place.join("w"), &mut random);
    let options = ["-ri", "-ri", "-r ---presume-input-tty", "-di", "-rfi"];
    let option = random.pick(&options);
    let answers: String =
        (0..random.below(60)).map(|_| if random.below(7) > 0 { "y\n" } else { "n\n" }).collect();
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    let script = format!("printf '{answers}' | {user} {rm} {option} w; echo $?");
    let output = Command::new("sh").args(["-c", &script]).current_dir(place).output().unwrap();
    testkit::run("chmod", &["-R", "u+rwx", place.to_str().unwrap()]);
    let left = if place.join("w").exists() { testkit::tree(&place.join("w")) } else { Vec::new() };
    let _ = std::fs::remove_dir_all(place.join("w"));
    format!("rm {option}, {answers:?}\n{}{}{left:#?}", stderr(&output), stdout(&output))
}

/// 250 trees in memory, and as many on ext4, which lists entries in another order.
#[test]
fn answers_mean_the_same_as_to_gnu_rm_in_random_trees() {
    let test = "answers_mean_the_same_as_to_gnu_rm_in_random_trees";
    let programs = Installation::new();
    let ours = programs.path("bin/rm");
    let disk = LoopMount::new(test, "ext4", "-q");
    for place in [Some("/dev/shm".into()), disk.as_ref().map(LoopMount::path)] {
        let Some(place) = place.and_then(|place| tempfile::tempdir_in(place).ok()) else {
            continue;
        };
        std::fs::set_permissions(&place, Permissions::from_mode(0o777)).unwrap();
        for seed in 1..=250 {
            let gnus = answered(place.path(), "/bin/rm", seed).replace("/bin/rm: ", "rm: ");
            let mine = answered(place.path(), ours.to_str().unwrap(), seed);
            assert_eq!(gnus, mine.replace(&format!("{}: ", ours.display()), "rm: "), "{seed}");
        }
    }
}

#[test]
fn questions_about_a_huge_directory_come_in_gnus_order() {
    // Not on a tmpfs, where GNU rm does not sort by inode.
    let place = testkit::scratch_in(env!("CARGO_TARGET_TMPDIR"));
    let dir = place.path().join("d");
    std::fs::create_dir(&dir).unwrap();
    for file in 0..10_050_u32 {
        std::fs::File::create(dir.join(format!("{:x}", file.wrapping_mul(2_654_435_761)))).unwrap();
    }
    // The first answer enters the directory; all others are empty, which means no.
    let answered = |rm: &str| {
        let script = format!("{{ echo y; }} | {rm} -ri d");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).env("B", brisk()).current_dir(place.path());
        stderr(&shell.output().unwrap()).replace("brisk: ", "rm: ").replace("/bin/rm: ", "rm: ")
    };
    let gnus = answered("/bin/rm");
    let ours = answered("\"$B\" rm");
    assert!(gnus.matches("? ").count() > 10_000);
    assert!(gnus == ours, "the order differs");
}

#[test]
fn deep_trees_are_asked_about_with_few_descriptors() {
    let test = "deep_trees_are_asked_about_with_few_descriptors";
    if unshared().is_none() {
        return testkit::left_out(test, "this user cannot mount");
    }
    Installation::new().succeeds(
        test,
        "mkdir t; cd t; for i in $(seq 300); do mkdir d; touch a z; cd d; done; cd \"$P/t\"\n\
         cp -a t u\n\
         (ulimit -n 12; yes | \"$B\" rm -ri t 2>err) || { tail -3 err; exit 1; }\n\
         test ! -e t; test \"$(tr '?' '\\n' <err | wc -l)\" -ge 1200\n\
         yes | sed '41s/y/n/' | (ulimit -n 12; exec \"$B\" rm -ri u 2>err) && exit 7\n\
         test \"$(find u -not -type d | wc -l)\" = 1",
    );
}
