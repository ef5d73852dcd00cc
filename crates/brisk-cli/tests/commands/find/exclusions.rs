//! What removes entries, or runs commands on them, does nothing where it does not know all that is
//! to be left out: an exclusion that may mean less than was typed, rules that cannot be read.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{brisk, listed, stderr, stdout};

/// What acts on the results of a search.
const ACTS: &[&[&str]] = &[&["--delete", "--where=-true"], &["-x", "true"], &["-X", "true"]];

/// A directory `t` with files called `keep`, and an empty home beside it.
fn plant() -> tempfile::TempDir {
    let place = testkit::scratch();
    for file in ["keep/a", "l/keep/b", "l/sub/keep", "m/keep", "other"] {
        let path = place.path().join("t").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    place
}

fn run(name: &str, place: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(brisk());
    command.arg0(name).args((name == "brisk").then_some("find")).args(words);
    command.current_dir(place.join("t")).env_clear().env("PATH", "/usr/bin:/bin");
    command.env("HOME", place).env("XDG_CACHE_HOME", place.join("cache")).output().unwrap()
}

fn changed(place: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(brisk());
    command.arg("changed").args(words).current_dir(place.join("t")).env_clear();
    command.env("PATH", "/usr/bin:/bin").env("HOME", place);
    command.env("XDG_CACHE_HOME", place.join("cache")).output().unwrap()
}

#[test]
fn an_exclusion_that_leaves_out_nothing_is_refused() {
    let place = plant();
    let before = listed(place.path());
    // (words, what the message says, whether only the name brisk refuses)
    let cases: &[(&[&str], &str, bool)] = &[
        (&["-E", "/keep"], "in ./: -E ./keep", true),
        (&["-E", "/keep", ".", "l"], "leads out of", true),
        (&["-E", "../keep"], "leads out of ./", true),
        (&["-E", "../t"], "leads out of ./", true),
        (&["-E", "../t/l", ".", "l", "m"], "leads out of l", true),
        (&["-E", "x", "-E", "../keep"], "leads out of ./", true),
        (&["-E", "*/../keep"], "is spelled so", false),
        (&["-E", "."], "is spelled so", false),
        (&["-E", "./"], "is spelled so", false),
        (&["-E", ".."], "is spelled so", false),
        (&["-E", ""], "is spelled so", false),
    ];
    for (words, message, is_ours) in cases {
        for action in [&[&[][..]], ACTS].concat() {
            let words = [&["-u"], *words, action].concat();
            let output = run("brisk", place.path(), &words);
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{words:?}: {told}");
            assert!(told.contains(message) && told.lines().count() == 1, "{words:?}: {told}");
            if !is_ours && action.len() == 2 {
                let output = run("fd", place.path(), &words);
                assert_eq!(output.status.code(), Some(1), "{words:?}: {}", stderr(&output));
            }
            assert_eq!(listed(place.path()), before, "{words:?}");
        }
        let output = run("fd", place.path(), &[&["-u"], *words].concat());
        assert_eq!(stderr(&output), "", "{words:?}");
    }
    for regex in ["^\\./keep", "^/.*/keep"] {
        let output = run("brisk", place.path(), &["-u", "--exclude-regex", regex, "--delete", "."]);
        let told = stderr(&output);
        assert!(output.status.code() == Some(2) && told.contains("'src/main.rs'"), "{told}");
        assert_eq!(listed(place.path()), before, "{regex}");
        let output = run("brisk", place.path(), &["-u", "--exclude-regex", regex]);
        assert_eq!((output.status.code(), stderr(&output).lines().count()), (Some(0), 1));
    }
    let output = changed(place.path(), &["-E", "/keep", "--", "touch", "ran"]);
    assert_eq!(output.status.code(), Some(125), "{}", stderr(&output));
    assert!(!place.path().join("t/ran").exists());
    let told = stderr(&changed(place.path(), &["--state", "../s", "-E", "/keep"]));
    assert!(told.contains("-E ./keep"), "{told}");
}

#[test]
fn an_exclusion_means_what_was_typed_in_every_spelling() {
    let planted = plant();
    let here = planted.path().join("t");
    let in_here = |path: &str| here.join(path).to_str().unwrap().to_owned();
    let (keep, below, wild) = (in_here("keep"), in_here("l/keep"), in_here("*/keep"));
    // (words, what stays)
    for (words, left) in [
        (&["-E", "keep"][..], "keep/a l/keep/b l/sub/keep m/keep"),
        (&["-E", "keep/"], "keep/a l/keep/b"),
        (&["-E", "**/keep"], "keep/a l/keep/b l/sub/keep m/keep"),
        (&["-E", "l/sub/keep"], "l/sub/keep"),
        (&["-E", "l/**", ".", "."], "l/keep/b l/sub/keep"),
        (&["-E", "m/keep", ".", "./.", "."], "m/keep"),
        (&["-E", "m/keep", "-a"], "m/keep"),
        (&["-E", "keep", ".", "l", "m"], "keep/a l/keep/b l/sub/keep m/keep other"),
        (&["--exclude-regex", "^keep"], "keep/a"),
        (&["-E", "./keep"], "keep/a"),
        (&["-E", "././keep/"], "keep/a"),
        (&["-E", "\\./keep"], "keep/a"),
        (&["-E", "../t/keep"], "keep/a"),
        (&["-E", "l/../keep"], "keep/a"),
        (&["-E", "l//keep"], "l/keep/b"),
        (&["-E", &keep], "keep/a"),
        (&["-E", &wild], "l/keep/b m/keep"),
        (&["-E", "x", "-E", "./keep"], "keep/a"),
        (&["-E", "l/keep", ".", "l", "m"], "l/keep/b other keep/a"),
        (&["-E", "../t/l/keep", ".", "l"], "l/keep/b other keep/a m/keep"),
        (&["-E", &below, ".", "l", "."], "l/keep/b"),
        (&["-E", "./l/keep", ".", "./l"], "l/keep/b other keep/a m/keep"),
        (&["-E", "sub/keep", ".", "l"], "l/sub/keep other keep/a m/keep"),
        (&["-E", "l/keep", ".", "../t/l", "./m/../l"], "l/keep/b other keep/a m/keep"),
        (&["-E", "keep/a", ".", ".", "l"], "keep/a"),
    ] {
        for (name, action) in [("brisk", &["--delete"][..]), ("fd", &["-X", "rm", "-f"])] {
            let place = plant();
            // The place differs from run to run.
            let moved: Vec<String> = words
                .iter()
                .map(|word| {
                    word.replace(here.to_str().unwrap(), &format!("{}/t", place.path().display()))
                })
                .collect();
            let moved: Vec<&str> = moved.iter().map(String::as_str).collect();
            let words = [&["-u", "--type=f"], &moved[..], action].concat();
            let output = run(name, place.path(), &words);
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(0), "{name} {words:?}: {told}");
            let root = place.path().join("t");
            let files = listed(&root).into_iter().filter(|path| Path::new(path).is_file());
            let mut files: Vec<String> =
                files.map(|path| path[root.as_os_str().len() + 1..].to_owned()).collect();
            files.sort();
            let mut left: Vec<&str> = left.split(' ').collect();
            left.sort_unstable();
            assert_eq!(files, left, "{name} {words:?}");
        }
    }
}

/// Files of rules that hold everywhere.
#[test]
fn rules_that_are_named_and_cannot_be_read_stop_what_acts() {
    let place = plant();
    let at = |path: &str| place.path().join(path);
    fs::write(at("brace"), "keep\n{a\n").unwrap();
    fs::write(at("bytes"), b"ke\xe9p\n").unwrap();
    fs::write(at("long"), "x".repeat(5000)).unwrap();
    symlink("loop", at("loop")).unwrap();
    fs::create_dir_all(at(".config/fd")).unwrap();
    let before = listed(&at("t"));
    for (file, why) in [
        ("missing", "../missing': No such file"),
        ("brace", "../brace': line 2: "),
        ("bytes", "../bytes': line 1: not valid UTF-8"),
        ("long", "../long': line 1: longer than"),
        ("loop", "../loop': Too many levels"),
        ("t", "../t': "),
    ] {
        let option = format!("--ignore-file=../{file}");
        for action in ACTS {
            let output = run("brisk", place.path(), &[&[&option[..]], *action].concat());
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{file} {action:?}: {told}");
            assert!(told.contains(why) && told.contains("nothing is done"), "{file}: {told}");
            assert_eq!(listed(&at("t")), before, "{file}");
        }
        let output = run("fd", place.path(), &[&option, "-x", "echo"]);
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()), "{file}");
        let output = changed(place.path(), &[&option, "--", "touch", "ran"]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(125), "{told}");
        assert!(told.contains(why) && !at("t/ran").exists(), "{told}");
    }
    fs::copy(at("brace"), at(".config/fd/ignore")).unwrap();
    assert_eq!(run("brisk", place.path(), &["--delete", "."]).status.code(), Some(1));
    fs::remove_file(at(".config/fd/ignore")).unwrap();
    // Such files may exclude something.
    for file in [".config/fd/ignore", ".config/brisk/config.toml"] {
        fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        symlink(at(file).file_name().unwrap(), at(file)).unwrap();
        let output = run("brisk", place.path(), &["--delete", "."]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{file}: {told}");
        assert!(told.contains(file) && told.contains("nothing is done: not all"), "{told}");
        assert_eq!(listed(&at("t")), before, "{file}");
        assert_eq!(run("brisk", place.path(), &[]).status.code(), Some(0), "{file}");
        fs::remove_file(at(file)).unwrap();
    }
}

type Case<'a> = (&'a str, &'a dyn Fn(&Path), &'a [&'a str], &'a str, &'a [&'a str]);

/// A file of rules in the tree, above it, or in the user's settings.
#[test]
fn a_directory_whose_rules_cannot_be_read_is_left_alone_by_what_acts() {
    let brace = |path: &Path| fs::write(path, "keep\n{a\n").unwrap();
    let bytes = |path: &Path| fs::write(path, b"ke\xe9p\n").unwrap();
    let cycle = |path: &Path| symlink(path.file_name().unwrap(), path).unwrap();
    let broken = |path: &Path| fs::write(path, "[core\nexcludesFile = x\n").unwrap();
    // (file, its content, words, what is removed, what the messages name)
    let cases: &[Case<'_>] = &[
        (
            "t/l/.ignore",
            &brace,
            &[],
            "other m/keep",
            &["/.ignore': line 2: ", "not entering './l'"],
        ),
        ("t/l/.fdignore", &bytes, &[], "other m/keep", &["line 1: not valid UTF-8", "'./l'"]),
        ("t/l/.ignore", &cycle, &[], "other m/keep", &["Too many levels", "'./l'"]),
        ("t/.gitignore", &bytes, &["--no-require-git"], "", &["line 1: ", "not entering './'"]),
        ("t/.git/info/exclude", &bytes, &[], "", &["exclude': line 1: ", "not entering './'"]),
        ("t/m/.git/config", &broken, &[], "other l/sub/keep", &["git refuses", "'./m'"]),
        (".gitconfig", &broken, &["--no-require-git"], "", &[".gitconfig'", "not entering './'"]),
        (
            ".ignore",
            &bytes,
            &[".", "l", "m"],
            "",
            &["line 1: ", "not entering 'l", "not entering 'm"],
        ),
        ("t/l/.ignore", &bytes, &["-I"], "other m/keep l/sub/keep", &[]),
    ];
    for (file, write, words, gone, messages) in cases {
        for (name, action) in [("brisk", ACTS[0]), ("brisk", &["-x", "rm"]), ("fd", &["-X", "rm"])]
        {
            let place = plant();
            let path = place.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write(&path);
            let tree = place.path().join("t");
            let mut expected = listed(&tree);
            let paths = gone.split_whitespace().map(|path| tree.join(path));
            expected.retain(|path| !paths.clone().any(|gone| Path::new(path) == gone));
            // `keep` is a directory in l, and a file elsewhere.
            let words = [&["--type=f", "-E", "a", "-E", "b"], *words, action].concat();
            let output = run(name, place.path(), &words);
            let told = stderr(&output);
            let code = i32::from(!messages.is_empty());
            assert_eq!(output.status.code(), Some(code), "{name} {file} {words:?}: {told}");
            assert_eq!(listed(&tree), expected, "{name} {file} {words:?}: {told}");
            assert!(messages.iter().all(|part| told.contains(part)), "{file} {words:?}: {told}");
        }
        let place = plant();
        let path = place.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path);
        if !messages.is_empty() && file.starts_with("t/l/") {
            for index in [&[][..], &["--index=../index"]] {
                let output = run(
                    "brisk",
                    place.path(),
                    &[&["--type=f", "keep", "-x", "echo"], index].concat(),
                );
                assert_eq!(output.status.code(), Some(1), "{file}");
                assert!(!stdout(&output).contains("./l/"), "{file}: {}", stdout(&output));
            }
            let output = changed(place.path(), &["--", "touch", "ran"]);
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(125), "{told}");
            assert!(told.contains(messages[0]) && !place.path().join("t/ran").exists(), "{told}");
        }
    }
}

/// Before the mend the search went on, whatever the number of such errors.
#[test]
fn a_search_gives_up_after_as_many_errors_of_ignore_files_as_are_accepted() {
    let place = plant();
    for dir in ["", "l/", "m/"] {
        let path = place.path().join("t").join(dir).join(".ignore");
        symlink(".ignore", path).unwrap();
    }
    for order in ["--order=sorted", "--order=breadth"] {
        let run = |limit: &str| run("brisk", place.path(), &["-j1", order, limit]);
        let (one, all) = (run("--max-errors=1"), run("--max-errors=9"));
        assert_eq!((stdout(&one), stderr(&one).lines().count()), (String::new(), 1));
        assert_eq!(stdout(&all).lines().count(), 10);
        assert_eq!(stderr(&all).lines().count(), 3);
        assert_eq!((one.status.code(), all.status.code()), (Some(1), Some(1)));
        let two = run("--max-errors=2");
        assert_eq!(stderr(&two).lines().count(), 2, "{}", stderr(&two));
        assert!(!stdout(&two).contains("m/keep"), "{}", stdout(&two));
    }
}
