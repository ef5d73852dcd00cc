//! The state: when it is written, what makes it useless, and which trees are its own.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::Value;
use testkit::{Installation, pass_ticks, stderr, stdout};

use super::scene::{Scene, code};

#[test]
fn a_run_without_save_accepts_nothing() {
    let scene = Scene::new();
    let told = |words: &str| {
        let output = scene.changed(words);
        assert_eq!(code(&output), Some(0));
        (stdout(&output), stderr(&output))
    };
    let all = "A\tsrc\nA\tsrc/a\nA\tsrc/b\nA\tsrc/d\nA\tsrc/d/c\n".to_owned();
    let message =
        "brisk: there is no state 's' yet: everything counts as new; --save FILE writes one\n";
    assert_eq!(told("src --state s"), (all.clone(), message.to_owned()));
    assert_eq!(told("src --state s"), (all, message.to_owned()));
    assert!(!scene.exists("s"));
}

#[test]
fn a_state_of_another_directory_is_told() {
    let scene = Scene::accepted();
    let place = scene.path("src").canonicalize().unwrap();
    let told = |words: &str| stderr(&scene.changed(words));
    let message =
        format!("brisk: the state was made from '{}', and is compared with", place.display());
    assert_eq!(told("src/d --state s"), format!("{message} 'src/d'\n"));
    assert_eq!(told("./src/../src --state s"), "");
    scene.rename("src", "moved");
    assert_eq!(told("moved --state s"), "", "it is recognised");
    scene.script("cp -a moved copy; rm -r moved");
    assert_eq!(told("copy --state s"), "", "as where a checkout has another path");
}

#[test]
fn what_was_printed_is_accepted_by_mv() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    assert_eq!(scene.lines("src --state s --save n"), ["M\tsrc/a"]);
    scene.write("src/b", "!");
    assert_eq!(scene.told(), ["M\tsrc/a", "M\tsrc/b"]);
    scene.rename("n", "s");
    assert_eq!(scene.told(), ["M\tsrc/b"], "what came after the print is not in the new state");
}

#[test]
fn a_save_is_written_also_where_nothing_changed() {
    let scene = Scene::accepted();
    fs::write(scene.path("n"), &fs::read(scene.path("s")).unwrap()[..40]).unwrap();
    scene.lines("src --state s --save n");
    scene.rename("n", "s");
    assert!(scene.told().is_empty());
}

#[test]
fn nothing_is_written_where_nothing_changed() {
    let scene = Scene::accepted();
    let inode = || fs::metadata(scene.path("s")).unwrap().ino();
    let settled = || {
        // The marks of what had just been edited go.
        pass_ticks();
        scene.lines("src --state s --save s");
        inode()
    };
    let before = settled();
    scene.lines("src --state s --save s");
    scene.lines("src --state ./s --save src/../s");
    assert_eq!(inode(), before);
    scene.script("echo ! >src/a; b src --state s --save s");
    assert_ne!(inode(), before);
    let after = settled();
    assert_eq!(settled(), after, "once the marks are gone, nothing is written");
    assert_eq!(scene.script("ls"), "s\nsrc\n", "no temporary file is left");
}

/// Without `--state` the first run records the tree in the cache, and later runs show what changed
/// since the run before, however the directories are spelled.
#[test]
fn two_runs_without_a_state_are_enough() {
    let scene = Scene::new();
    scene.script("mkdir -p other");
    let first = scene.changed("src other");
    assert_eq!(code(&first), Some(0));
    assert_eq!(stdout(&first), "");
    let told = "brisk: recorded 6 entries; the next run shows what changed\n";
    assert_eq!(stderr(&first), told);
    scene.write("src/a", "!");
    assert_eq!(scene.lines("./other src/../src"), ["M\tsrc/../src/a"]);
    assert!(scene.lines("src other").is_empty());
    let alone = scene.changed("src");
    assert!(stderr(&alone).contains("recorded 5 entries"), "each set of directories has its own");
    let cache = scene.path(".cache/brisk");
    let states = || fs::read_dir(&cache).unwrap().map(|state| state.unwrap().path());
    assert_eq!(states().count(), 2);
    for path in states().chain([cache.clone(), scene.path(".cache")]) {
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o077, 0, "{path:?}");
    }
    let explained = stderr(&scene.changed("src --explain"));
    assert!(states().any(|path| explained.contains(path.to_str().unwrap())), "{explained}");
    // A change that was printed is new to a command, and so is one that another command was run
    // for.
    for command in ["echo one", "echo two"] {
        let run = || stdout(&scene.changed(&format!("src other -- {command}")));
        assert!(run().starts_with(&command[5..]), "{command}");
        scene.write("src/a", command);
        assert_eq!(scene.lines("src other").len(), 1);
        assert!(run().starts_with(&command[5..]), "{command}");
        assert_eq!(run(), "");
    }
    // Programs get the whole list.
    scene.script("rm -r .cache");
    assert!(stdout(&scene.changed("src --json")).contains("there is no state yet"));
    let hint = "cannot open 'sh': No such file or directory; a command comes after --: brisk changed \
        src -- sh\n";
    let refused = stderr(&scene.changed("src sh"));
    assert!(refused.ends_with(hint), "{refused}");
    let refused = stderr(&scene.changed("src no-such-program"));
    assert!(!refused.contains("a command comes"), "{refused}");
    scene.script("touch run.sh; chmod +x run.sh");
    let hint = "brisk: './run.sh' was recorded, not run: a command comes after --\n";
    assert!(stderr(&scene.changed("src ./run.sh")).ends_with(hint));
    assert_eq!(stderr(&scene.changed("src ./run.sh")), "");
}

#[test]
fn a_cache_that_cannot_be_used_is_an_error() {
    let scene = Scene::new();
    scene.write(".cache", "");
    let output = scene.changed("src");
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("name a file with --state"), "{}", stderr(&output));
}

#[test]
fn a_file_to_save_is_the_state_if_no_other_is_named() {
    let scene = Scene::new();
    assert!(stderr(&scene.changed("src --save s")).contains("recorded 5 entries"));
    scene.write("src/a", "!");
    assert_eq!(scene.lines("src --save s"), ["M\tsrc/a"]);
    assert!(scene.told().is_empty());
    assert!(!scene.exists(".cache"));
}

/// Runs with a state that is useless: everything is new, and that is said.
fn is_full(scene: &Scene, why: &str) {
    let output = scene.changed("src --state s --json");
    assert_eq!(code(&output), Some(0), "{why}: {}", stderr(&output));
    let told = stderr(&output);
    assert!(told.starts_with("brisk: 's': ") && told.contains(why), "{why}: {told}");
    let head: Value = serde_json::from_str(stdout(&output).lines().next().unwrap()).unwrap();
    assert_eq!(head["full"], true);
    assert!(head["reason"].as_str().unwrap().contains(why), "{head}");
    assert_eq!(stdout(&output).matches("\"status\":\"A\"").count(), 5);
}

#[test]
fn a_state_that_is_damaged_foreign_or_of_another_version_means_full() {
    let scene = Scene::accepted();
    let whole = fs::read(scene.path("s")).unwrap();
    for length in [1, 7, 40, whole.len() / 2, whole.len() - 1] {
        fs::write(scene.path("s"), &whole[..length]).unwrap();
        is_full(&scene, "");
    }
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(scene.path("s"), damaged).unwrap();
        let output = scene.changed("src --state s");
        assert_eq!(code(&output), Some(0), "byte {at}: {}", stderr(&output));
        assert_ne!(stderr(&output), "", "byte {at} was changed, and that is not said");
    }
    scene
        .write("s", "no state at all, but a text that is long enough to hold a header of any kind");
    is_full(&scene, "the file is not a state of brisk");
    fs::remove_file(scene.path("s")).unwrap();
    fs::create_dir(scene.path("s")).unwrap();
    is_full(&scene, "the state cannot be read");
}

#[test]
fn a_file_that_is_no_state_is_kept_under_another_name() {
    let scene = Scene::new();
    for (words, name) in [
        ("src --state s --save notes", "notes.orig"),
        ("src --state notes --save notes", "notes.orig1"),
        ("src --state notes -- true", "notes.orig2"),
        ("src --state notes --stamp t", "notes.orig3"),
    ] {
        scene.write("notes", words);
        let output = scene.changed(words);
        assert_eq!(code(&output), Some(0), "{words}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("/notes' is not a state of brisk: renamed to '"),
            "{words}"
        );
        assert_eq!(fs::read_to_string(scene.path(name)).unwrap(), words);
        assert!(scene.lines("src --state notes").is_empty(), "{words}: the state is in its place");
    }
    scene.write("src/a", "!");
    scene.lines("src --state notes --save notes");
    scene.write("notes", "what a command does not accept stays");
    assert_eq!(code(&scene.changed("src --state notes -- false")), Some(1));
    assert!(!scene.exists("notes.orig4"), "one was a state, and the other was not replaced");
    // After a crash a file may have its length and no contents.
    fs::write(scene.path("notes"), [0; 100]).unwrap();
    let told = stderr(&scene.changed("src --state notes --save notes"));
    assert!(told.contains("the state is damaged") && told.lines().count() == 1, "{told}");
    assert!(!scene.exists("notes.orig4"));
}

#[test]
fn what_is_no_file_is_neither_waited_for_nor_replaced() {
    let scene = Scene::new();
    scene.script("mkfifo pipe; mkdir dir");
    for name in ["pipe", "dir", "/dev/null"] {
        let listed = scene.changed(&format!("src --state {name}"));
        assert_eq!(code(&listed), Some(0), "{name}");
        assert_eq!(stdout(&listed).matches("A\t").count(), 5, "{name}");
        for words in [format!("src --state s --save {name}"), format!("src --state {name} -- true")]
        {
            let output = scene.changed(&words);
            let expected = if words.contains("--save") { 2 } else { 125 };
            assert_eq!(code(&output), Some(expected), "{words}");
            let told = stderr(&output);
            assert!(told.starts_with("brisk: cannot replace '"), "{words}: {told}");
            assert!(!told.contains("os error"), "{told}");
        }
    }
}

#[test]
fn two_files_are_never_one() {
    let scene = Scene::accepted();
    scene.script("ln -s s link");
    let before = fs::read(scene.path("s")).unwrap();
    for words in [
        "--stamp s",
        "--depfile src/../s",
        "--stamp t --depfile t",
        "--save s.lock",
        "--stamp s.lock",
        "--save n --stamp ./n",
        "--depfile link",
    ] {
        let output = scene.changed(&format!("src --state s {words}"));
        assert_eq!(code(&output), Some(2), "{words}");
        let told = stderr(&output);
        let same = "brisk: two of the files that brisk writes have the same path, '";
        assert!(told.starts_with(same), "{told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    assert_eq!(fs::read(scene.path("s")).unwrap(), before);
    assert_eq!(scene.script("ls -A"), "link\ns\nsrc\n");
}

#[test]
fn a_stamp_replaces_a_stamp_alone() {
    let scene = Scene::accepted();
    for own in ["precious", "no\ttype\n"] {
        scene.write("t", own);
        let output = scene.changed("src --state s --stamp t");
        let told = stderr(&output);
        assert_eq!(code(&output), Some(2), "{told}");
        assert!(told.ends_with("/t' is not a stamp of brisk: it stays as it is\n"), "{told}");
        assert_eq!(scene.read("t"), own);
    }
    scene.write("t", "");
    for _ in 0..2 {
        scene.lines("src --state s --stamp t");
        assert!(scene.read("t").starts_with("a\tf\t"), "{}", scene.read("t"));
        scene.write("src/a", "other");
    }
}

#[test]
fn an_empty_state_means_full() {
    let scene = Scene::new();
    scene.write("s", "");
    is_full(&scene, "");
}

#[test]
fn the_place_of_the_tree_does_not_matter() {
    let scene = Scene::accepted();
    scene.rename("src", "moved");
    scene.write("moved/a", "!");
    assert_eq!(scene.lines("moved --state s"), ["M\tmoved/a"]);
}

#[test]
fn the_order_of_directories_does_not_matter_and_one_that_is_named_twice_is_listed_once() {
    let scene = Scene::new();
    scene.script("mkdir other; echo >other/x");
    scene.lines("src other --state s --save s");
    assert!(scene.lines("other src --state s").is_empty());
    scene.write("src/d/c", "!");
    scene.write("other/x", "!");
    let told = scene.lines("other src src/d/.. ./src --state s");
    assert_eq!(told, ["M\tother/x", "M\tsrc/d/c"]);
}

#[test]
fn a_directory_that_is_no_longer_named_leaves_the_state() {
    let scene = Scene::new();
    scene.script("mkdir other; echo >other/x");
    scene.lines("src other --state s --save s");
    let other = scene.path("other").canonicalize().unwrap();
    let mut told = scene.lines("src --state s --save s");
    told.sort();
    assert_eq!(told, [format!("D\t{}", other.display()), format!("D\t{}/x", other.display())]);
    assert!(scene.told().is_empty());
}

#[test]
fn a_missing_directory_is_trouble_and_the_state_stays() {
    let scene = Scene::accepted();
    let before = fs::read(scene.path("s")).unwrap();
    scene.rename("src", "away");
    let output = scene.changed("src --state s --save s");
    assert_eq!(code(&output), Some(2));
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("'src'"), "{}", stderr(&output));
    assert_eq!(code(&scene.changed("src --state s -- true")), Some(125));
    assert_eq!(fs::read(scene.path("s")).unwrap(), before);
}

#[test]
fn a_directory_on_another_file_system_is_trouble_until_the_user_accepts_it() {
    let script = "\
        mkdir src; echo >src/a; \"$B\" changed src --state s --save s >/dev/null\n\
        cp s before; mount -t tmpfs none src; echo >src/z\n\
        code=0; \"$B\" changed src --state s --save s >out 2>why || code=$?\n\
        [ $code = 2 ]; [ ! -s out ]; grep -q 'another file system' why; cmp s before\n\
        \"$B\" changed src --state s --save s --other-file-system >out\n\
        grep -q 'src/z' out\n\
        \"$B\" changed src --state s --save s >out; [ ! -s out ]";
    let test = "a_directory_on_another_file_system_is_trouble_until_the_user_accepts_it";
    Installation::new().succeeds(test, script);
}

#[test]
fn other_filters_are_refused_and_what_was_pending_stays() {
    let scene = Scene::new();
    scene.script("touch src/x.c src/y.h src/rules");
    scene.lines("src -e c -e h --state s --save s");
    scene.script("rm src/x.c; echo >>src/y.h; touch src/z.c");
    let pending = ["D\tsrc/x.c", "M\tsrc/y.h", "A\tsrc/z.c"];
    let before = fs::read(scene.path("s")).unwrap();
    for words in ["", "-e c", "-u -e c -e h", "-e c -e h --ignore-file src/rules", "--output x"] {
        for rest in ["", "--save s", "--save new"] {
            let output = scene.changed(&format!("src {words} --state s {rest}"));
            let why = stderr(&output);
            assert_eq!((code(&output), &*stdout(&output)), (Some(2), ""), "{words}: {why}");
            assert!(why.contains("'s' was made with '--extension=c' '--extension=h',"), "{why}");
            assert!(why.contains("--dry-run") && why.contains("--state"), "{why}");
        }
    }
    assert_eq!(code(&scene.changed("src --state s -- true")), Some(125));
    assert_eq!(fs::read(scene.path("s")).unwrap(), before);
    // The same filters in other words.
    assert_eq!(scene.lines("src -e h -e c -e h --state s --save s"), pending);
    assert!(scene.lines("src -e c -e h --state s").is_empty());
    let why = stderr(&scene.changed("src -u --state s --save s"));
    let anew = why.trim_end().rsplit("start over with: brisk ").next().unwrap();
    assert_eq!(anew, "rm s");
    scene.script("\"$B\" rm s");
    assert_eq!(scene.lines("src -u --state s --save s").len(), 8);
}

#[test]
fn a_state_in_the_cache_refuses_other_filters() {
    let scene = Scene::new();
    scene.changed("src");
    scene.script("echo >>src/a; touch src/n.rs");
    assert_eq!(code(&scene.changed("src -e rs")), Some(2));
    assert_eq!(scene.lines("src -e rs -n"), ["A\tsrc/n.rs"]);
    assert_eq!(scene.lines("src"), ["M\tsrc/a", "A\tsrc/n.rs"]);
}

/// Only what is pending for the state is shown, and only what is gone as deleted, whether the other
/// filters take less than those of the state, more, or something else.
#[test]
fn a_dry_run_with_other_filters_shows_what_is_pending_and_passes() {
    let scene = Scene::new();
    scene.script(
        "git init -q src; echo '*.o' >src/.gitignore
         touch src/x.c src/y.h src/z.rs src/.h src/d/e.c src/d/f.o src/d/g.c",
    );
    scene.lines("src -I -t f --state s --save s");
    scene.script(
        "rm src/x.c src/z.rs src/d/e.c src/d/f.o src/.h; echo >>src/y.h; echo >>src/a
         mv src/d/g.c src/d/i.rs; touch src/n.c src/.i; mkdir src/k",
    );
    let all = [
        "M src/a",
        "D src/d/e.c",
        "D src/d/f.o",
        "R src/d/g.c src/d/i.rs",
        "A src/n.c",
        "D src/x.c",
        "M src/y.h",
        "D src/z.rs",
    ];
    for (words, told) in [
        ("-I -t f", &[0, 1, 2, 3, 4, 5, 6, 7][..]),
        ("-u", &[0, 1, 2, 3, 4, 5, 6, 7]),
        ("-t d", &[]),
        ("", &[0, 1, 3, 4, 5, 6, 7]),
        ("-e c", &[1, 3, 4, 5]),
        ("-e o", &[]),
        ("-I -e o", &[2]),
        ("-e rs", &[3, 7]),
        ("-E d", &[0, 4, 5, 6, 7]),
        ("--exclude-regex ^d/e", &[0, 3, 4, 5, 6, 7]),
        ("-S +1b", &[0, 1, 3, 5, 6, 7]),
    ] {
        let lines = scene.lines(&format!("src {words} --state s --dry-run"));
        let expected: Vec<_> = told.iter().map(|at: &usize| all[*at].replace(' ', "\t")).collect();
        assert_eq!(lines, expected, "{words}");
    }
    assert_eq!(scene.lines("src -I -t f --state s --save s").len(), all.len());
}

/// Both filters read the file.
#[test]
fn a_dry_run_with_other_filters_says_once_what_is_wrong_in_an_ignore_file() {
    let scene = Scene::new();
    scene.script("mkdir -p .config/fd; echo '{' >.config/fd/ignore; echo '{' >r");
    scene.changed("src --ignore-file r --state s --save s");
    let said = stderr(&scene.changed("src -e rs --ignore-file r --state s --dry-run"));
    let lines: Vec<_> = said.lines().collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains("Malformed")), "{said}");
}

#[test]
fn a_dry_run_accepts_nothing() {
    let scene = Scene::new();
    assert_eq!(scene.lines("src --dry-run").len(), 5, "there is no state yet");
    assert!(stderr(&scene.changed("src")).contains("recorded 5 entries"));
    scene.write("src/a", "x");
    for _ in 0..2 {
        assert_eq!(scene.lines("src -n"), ["M\tsrc/a"]);
    }
    for words in ["--save s", "--stamp s", "--depfile s", "-- true"] {
        let output = scene.changed(&format!("src -n {words}"));
        assert!(matches!(code(&output), Some(2 | 125)), "{words}");
        assert!(stderr(&output).contains("--dry-run"), "{words}: {}", stderr(&output));
    }
    assert_eq!(scene.lines("src"), ["M\tsrc/a"]);
}

#[test]
fn an_index_is_no_state() {
    let scene = Scene::accepted();
    scene.script("cd src; \"$B\" find --index ../index");
    let index = fs::read(scene.path("index")).unwrap();
    for words in ["--state index", "--state s --save index", "--save index"] {
        let output = scene.changed(&format!("src {words}"));
        assert_eq!(code(&output), Some(2), "{words}");
        let why = "brisk: 'index' is an index of 'brisk find --index', not a state\n";
        assert!(stderr(&output).ends_with(&why[8..]), "{words}: {}", stderr(&output));
    }
    assert_eq!(fs::read(scene.path("index")).unwrap(), index);
    let damaged = [&index[..], b"x"].concat();
    fs::write(scene.path("index"), &damaged).unwrap();
    let output = scene.changed("src --state index --save index");
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
    assert_eq!(fs::read(scene.path("index")).unwrap(), damaged);
}

#[test]
fn what_is_no_result_any_more_has_the_type_that_it_had() {
    let scene = Scene::new();
    scene.lines("src -t f --state s --save s");
    scene.script("rm src/a; mkdir src/a");
    let told = scene.lines("src -t f --state s --json").join("\n");
    assert!(told.contains(r#""status":"D""#) && told.contains(r#""type":"file""#), "{told}");
}

#[test]
fn directories_under_a_changed_rule_are_read_again() {
    let scene = Scene::new();
    scene.script("git init -q src; touch src/d/x.o src/d/y.o");
    scene.lines("src --state s --save s");
    scene.write("src/.gitignore", "*.o\n");
    assert_eq!(scene.lines("src --state s --save s"), ["D\tsrc/d/x.o", "D\tsrc/d/y.o"]);
    scene.write("src/.gitignore", "x.*\n");
    assert_eq!(scene.lines("src --state s --save s"), ["A\tsrc/d/y.o"]);
    scene.write("r", "");
    scene.lines("src --ignore-file r --state t --save t");
    scene.write("r", "y.*\n");
    assert_eq!(scene.lines("src --ignore-file r --state t"), ["D\tsrc/d/y.o"]);
}

/// A link is compared once more when its target has been read.
#[test]
fn a_link_that_the_filter_refuses_by_its_metadata_is_no_result() {
    let scene = Scene::new();
    scene.lines("src --changed-within 1d --state s --save s");
    scene.script("ln -s new src/new; ln -s old src/old; touch -hd '3 days ago' src/old");
    assert_eq!(scene.lines("src --changed-within 1d --state s --save s"), ["A\tsrc/new"]);
    scene.script("ln -sf OTHER src/old; touch -hd '3 days ago' src/old");
    assert!(scene.lines("src --changed-within 1d --state s --save s").is_empty());
}

#[test]
fn a_time_that_is_relative_to_now_is_the_same_filter_in_each_run() {
    let scene = Scene::new();
    scene.lines("src --changed-within 1d --state s --save s");
    assert!(scene.lines("src --changed-within 1d --state s").is_empty());
    scene.script("touch -d '3 days ago' src/a");
    let told = scene.lines("src --changed-within 1d --state s --save s");
    assert_eq!(told, ["D\tsrc/a"], "it is no longer among what is asked for");
}

#[test]
fn metadata_counts_and_times_of_directories_do_not() {
    let scene = Scene::accepted();
    scene.script("touch src/d; touch src/d/n; rm src/d/n");
    assert!(scene.told().is_empty());
    scene.script("chmod 700 src/d; chmod 600 src/a; touch -d 2001-01-01 src/b");
    assert_eq!(scene.told(), ["M\tsrc/a", "M\tsrc/b", "M\tsrc/d"]);
}

#[test]
fn an_edit_that_restores_size_and_mtime_is_found_by_ctime_unless_the_user_gives_that_up() {
    let scene = Scene::accepted();
    scene.script("touch -r src/a stamp; printf ALPHA >src/a; touch -r stamp src/a; ln src/b other");
    assert_eq!(scene.told(), ["M\tsrc/a", "M\tsrc/b"]);
    assert!(scene.lines("src --state s --no-ctime").is_empty());
}

#[test]
fn by_contents_a_touched_file_is_no_change() {
    let scene = Scene::new();
    scene.lines("src --state s --save s --content");
    scene.script("touch src/a; touch -r src/b stamp; printf BETA >src/b; touch -r stamp src/b");
    assert_eq!(scene.lines("src --state s --save s --content"), ["M\tsrc/b"]);
    assert!(scene.lines("src --state s --content").is_empty());
}

#[test]
fn own_files_in_the_tree_are_left_out() {
    let scene = Scene::new();
    let run = "src -u --state src/s --save src/n --stamp src/t --depfile src/d/p";
    scene.lines(run);
    assert!(scene.exists("src/t") && scene.exists("src/n") && scene.exists("src/d/p"));
    scene.rename("src/n", "src/s");
    assert!(scene.lines(run).is_empty());
    assert!(
        scene.lines("src -u --state src/s --save src/n --stamp src/t --depfile src/d/p").is_empty()
    );
    let told = scene.lines("src -u --state src/s");
    assert!(!told.iter().any(|line| line.ends_with("src/s")), "{told:?}");
}

#[test]
fn a_link_to_the_directory_of_the_state_does_not_bring_it_in() {
    let scene = Scene::new();
    scene.script("ln -s src link");
    scene.lines("link/ --state link/s --save link/s");
    assert!(scene.lines("link/ --state src/s --save link/s").is_empty());
}

#[test]
fn shortcuts_or_none_the_answer_is_the_same() {
    let scene = Scene::accepted();
    scene.script("sleep 0.1");
    scene.lines("src --state s --save s");
    scene.write("src/d/c", "!");
    scene.write("src/d/n", "!");
    assert_eq!(scene.told(), scene.lines("src --state s --no-shortcuts"));
    assert_eq!(scene.told(), scene.lines("src --state s -j 3"));
}
