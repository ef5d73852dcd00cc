//! Edits in the clock tick of a run: each is told once, by this run or by the next.

use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use testkit::{Scratch, brisk, left_out, obedient, pass_ticks, pause, rounds, stderr, stdout};

use super::seed::Seed;

/// A run in a directory that has the tree `t`. The state is beside the tree, and is accepted.
fn accepting(scratch: &Scratch, mut command: Command, words: &[&str]) -> Command {
    command.args(["changed", "t", "--no-renames", "--state", "s", "--save", "s"]).args(words);
    command.current_dir(scratch.path("")).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a run says, which is accepted.
fn told(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    lines(&accepting(scratch, Command::new(brisk()), words).output().unwrap())
}

/// The lines of a run that succeeds.
fn lines(output: &Output) -> Vec<String> {
    assert!(output.status.success() && output.stderr.is_empty(), "{}", stderr(output));
    stdout(output).lines().map(|line| line.replace('\t', " ")).collect()
}

/// What happens to the directory `t/d`, and what is told of it.
type Edit = (&'static str, fn(&Scratch), &'static [&'static str]);

const GONE: [&str; 4] = ["D t/d", "D t/d/f1", "D t/d/f2", "D t/d/f3"];

const EDITS: [Edit; 4] = [
    ("remove", |scratch| fs::remove_dir_all(scratch.path("t/d")).unwrap(), &[]),
    ("move", |scratch| fs::rename(scratch.path("t/d"), scratch.path("d")).unwrap(), &[]),
    (
        "rename",
        |scratch| fs::rename(scratch.path("t/d"), scratch.path("t/e")).unwrap(),
        &["A t/e", "A t/e/f1", "A t/e/f2", "A t/e/f3"],
    ),
    (
        "replace",
        |scratch| {
            scratch.write("new/other", "");
            fs::rename(scratch.path("t/d"), scratch.path("old")).unwrap();
            fs::rename(scratch.path("new"), scratch.path("t/d")).unwrap();
        },
        &["A t/d/other"],
    ),
];

/// `t` is edited in the tick of a run, and `t/d` goes while it runs, or just after.
fn vanishing(place: &Path) {
    for (name, edit, added) in EDITS {
        for attempt in 0..rounds(6, 16) {
            let scratch = Scratch::below(place);
            scratch.fill("t", ["d/f1", "d/f2", "d/f3"], "text");
            pass_ticks();
            told(&scratch, &[]);
            scratch.write("t/racy", "");
            let run = accepting(&scratch, Command::new(brisk()), &[]).spawn().unwrap();
            pause(Duration::from_micros(attempt % 6 * 700 + attempt / 6 * 230));
            edit(&scratch);
            let mut all = lines(&run.wait_with_output().unwrap());
            (0..3).for_each(|_| all.extend(told(&scratch, &[])));
            let gone = GONE.iter().filter(|line| name != "replace" || **line != "D t/d");
            let mut expected: Vec<&str> = gone.chain(added).copied().chain(["A t/racy"]).collect();
            expected.sort_unstable();
            all.sort_unstable();
            // Between the two renames of the replacement there is no `t/d`.
            all.retain(|line| name != "replace" || !line.ends_with(" t/d"));
            assert_eq!(all, expected, "{name}, attempt {attempt} in {}", place.display());
        }
    }
}

#[test]
fn a_directory_that_goes_in_the_tick_of_a_run_is_told_with_all_that_was_in_it() {
    vanishing(&std::env::temp_dir());
}

#[test]
fn a_directory_that_goes_in_the_tick_of_a_run_is_told_on_tmpfs_as_well() {
    let shm = Path::new("/dev/shm");
    if !shm.is_dir() {
        return left_out("vanishing", "there is no /dev/shm");
    }
    vanishing(shm);
}

/// Flags of `find` and of `changed`, and a pattern.
const FILTERS: [(&[&str], &str); 14] = [
    (&["--exclude-regex", "^sub/build"], "."),
    (&["--exclude-regex", "/b"], "."),
    (&[], "^s"),
    (&["--full-path"], "sub/.*/"),
    (&["--glob"], "s*"),
    (&["--glob", "--full-path"], "**/sub/**"),
    (&["--exact"], "sub"),
    (&["--fixed-strings"], "b"),
    (&["--type", "d", "--no-ignore-parent"], "."),
    (&["--type", "f", "--exclude", "build"], "."),
    (&["--exclude", "sub/build"], "."),
    (&["--extension", "c", "--hidden"], "."),
    (&["--unrestricted"], "."),
    (&["--size", "+3b", "--ignore-file", "rules"], "."),
];
const DIRS: [&str; 7] =
    ["t", "t/sub", "t/sub/build", "t/sub/src", "t/sub/build/sub", "t/other", "t/.hidden"];
const NAMES: [&str; 8] = ["s", "sub", "build", "b.c", "a.o", ".hidden", ".gitignore", "src"];

/// The paths that `brisk find` lists.
fn listed(scratch: &Scratch, (flags, pattern): (&[&str], &str)) -> BTreeSet<String> {
    let mut command = Command::new(brisk());
    command.arg("find").args(flags).args([pattern, "t"]).current_dir(scratch.path(""));
    let listed = lines(&command.output().unwrap());
    listed.into_iter().map(|path| path.trim_end_matches('/').to_owned()).collect()
}

fn edit(scratch: &Scratch, seed: &mut Seed) -> String {
    let dir = seed.pick(&DIRS);
    let name = seed.pick(&NAMES);
    let path = scratch.path(dir).join(name);
    let (kind, made) = match seed.below(5) {
        0 => ("mkdir", fs::create_dir_all(&path)),
        1 => ("rm", fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path))),
        2 => ("mv", fs::rename(&path, scratch.path(seed.pick(&DIRS)).join(seed.pick(&NAMES)))),
        3 => ("rules", fs::write(scratch.path(dir).join(".ignore"), format!("{name}\n"))),
        _ => ("write", fs::write(&path, format!("{:04}", seed.below(10_000)))),
    };
    format!("{kind} {}: {made:?}", path.display())
}

/// Creates or extends a file and, in the same tick, runs brisk; returns what it tells below `t`.
fn told_after(scratch: &Scratch, file: &str, words: &[&str]) -> Vec<String> {
    let mut command = Command::new("sh");
    command.args(["-c", "{ echo >>\"$0\"; } 2>&-; exec \"$@\"", file, brisk(), "changed", "t"]);
    command.arg("--no-renames").args(words).current_dir(scratch.path(""));
    let told = lines(&command.output().unwrap());
    told.into_iter().filter(|line| &line[2..] != "t").collect()
}

#[test]
fn filters_choose_as_in_find_after_an_edit_in_the_tick() {
    let mut seed = Seed::of(7, 0, 0);
    let scratch = Scratch::below(&std::env::temp_dir());
    scratch.write("rules", "*.o\n");
    scratch.fill(
        "t",
        ["s1", "b.c", "sub/s", "sub/build/x.c", "sub/src/y.c", "other/sub", ".hidden/z"],
        "text",
    );
    let mut known = vec![BTreeSet::new(); FILTERS.len()];
    for round in 0..rounds(15, 40) {
        let at = seed.below(FILTERS.len() as u64) as usize;
        let filter = FILTERS[at];
        let state = format!("s{at}");
        let words =
            [filter.0, &["--match", filter.1, "--state", &state, "--save", &state]].concat();
        let edits: Vec<_> = (0..seed.below(4)).map(|_| edit(&scratch, &mut seed)).collect();
        let last = format!("{}/{}", seed.pick(&DIRS), seed.pick(&NAMES));
        let about = format!("round {round}: {filter:?} after {edits:#?} and {last}");
        for line in told_after(&scratch, &last, &words) {
            let (letter, path) = line.split_once(' ').unwrap();
            let is_right = match letter {
                "A" => known[at].insert(path.to_owned()),
                "D" => known[at].remove(path),
                _ => known[at].contains(path),
            };
            assert!(is_right, "{about}: {line}");
        }
        assert_eq!(known[at], listed(&scratch, filter), "{about}");
        assert_eq!(told_after(&scratch, "nowhere/s", &words), [""; 0], "{about}");
    }
}

/// Another process extends a file again and again, while brisk runs.
#[test]
fn a_run_waits_only_for_what_cannot_be_hashed_within_a_tick() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("a_run_waits", "there is no strace");
    }
    let scratch = Scratch::below(&std::env::temp_dir());
    scratch.fill("t", ["file", "other"], "text");
    pass_ticks();
    told(&scratch, &[]);
    let run = |size: &str, state: &str| {
        let script = "truncate -s $0 t/file; { while :; do echo >>t/file; done } & writer=$!
            strace -f -o trace -e trace=/nanosleep,/openat -- \"$@\"; kill $writer; cat trace";
        let mut command = Command::new("sh");
        command.args(["-c", script, size, brisk(), "changed", "t", "--state", state]);
        let output = command.current_dir(scratch.path("")).output().unwrap();
        let told = stdout(&output);
        let failed = stderr(&output);
        assert!(told.contains("\tt/file\n"), "{size}: {told}{failed}");
        let is_hashed = told.contains("\"file\", O_RDONLY");
        (told.matches("nanosleep(").count(), is_hashed)
    };
    // On a busy machine the other process may not run for a tick: then the file is like any other.
    let sleeps = |size: &str, state: &str| {
        let mut runs = (0..100).map(|_| run(size, state));
        runs.find(|result| *result != (0, false)).unwrap()
    };
    assert_eq!(sleeps("1K", "s"), (0, true));
    assert_eq!(sleeps("1G", "s"), (1, false));
    assert_eq!(sleeps("1K", "none"), (1, false));
}

/// The user of the first run may not see all that root sees afterwards.
#[test]
fn what_could_not_be_seen_is_told_once_it_can() {
    let test = "what_could_not_be_seen_is_told_once_it_can";
    let Some(command) = obedient(brisk()) else {
        return left_out(test, "root cannot give up its capabilities");
    };
    let scratch = Scratch::below(&std::env::temp_dir());
    scratch.fill("t", ["unread/old", "unsearched/old", "kept"], "text");
    pass_ticks();
    told(&scratch, &[]);
    scratch.fill("t", ["unread/new", "unsearched/new", "hidden/new"], "text");
    // One cannot be opened, one can be listed only, and one that is new can be neither.
    for (dir, mode) in [("t/unread", 0o300), ("t/unsearched", 0o600), ("t/hidden", 0)] {
        fs::set_permissions(scratch.path(dir), Permissions::from_mode(mode)).unwrap();
    }
    pass_ticks();
    let first = accepting(&scratch, command, &[]).output().unwrap();
    assert_eq!(first.status.code(), Some(2), "{}", stderr(&first));
    let is_there = |line: &str| !line.starts_with('?');
    let first = stdout(&first).replace('\t', " ");
    let mut all = told(&scratch, &[]);
    all.extend(first.lines().filter(|line| is_there(line)).map(str::to_owned));
    all.sort_unstable();
    let expected = [
        "A t/hidden",
        "A t/hidden/new",
        "A t/unread/new",
        "A t/unsearched/new",
        "M t/unread",
        "M t/unsearched",
    ];
    assert_eq!(all, expected, "the first run: {first}");
    assert_eq!(told(&scratch, &[]), [""; 0]);
}
