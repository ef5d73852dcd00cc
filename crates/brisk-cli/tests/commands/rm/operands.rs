//! Operands that overlap, share files or name directories in unusual ways; and JSON.

use std::process::{Command, Output};

use testkit::{Installation, brisk, listed, run, stderr, stdout};

/// Runs a shell script in a new directory, in which `B` is brisk.
fn sh(script: &str) -> Output {
    let place = testkit::scratch();
    let script = format!("set -e; export XDG_STATE_HOME=$PWD/state; mkdir w; cd w; {script}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(place.path()).env("B", brisk()).output().unwrap()
}

/// What was printed, without what would be freed: that differs between file systems.
fn counts(output: &Output) -> String {
    let lines = stdout(output);
    let lines = lines.lines().filter(|line| !line.starts_with("would free "));
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn prints(script: &str, expected: &str) {
    let output = sh(script);
    assert_eq!(counts(&output), expected, "{script}\n{}", stderr(&output));
}

#[test]
fn a_dry_run_has_a_line_for_each_operand() {
    prints(
        "mkdir -p d/e; printf 12345 >d/e/f; touch g; $B rm -r --dry-run g d",
        "'g': 1 file and 0 directories (0 bytes)\n\
         'd': 1 file and 2 directories (5 bytes)\n\
         would remove 2 files and 2 directories (5 bytes)\n",
    );
    prints(
        "mkdir d; touch f; $B rm -rd --dry-run d f | tail -2",
        "would remove 1 file and 1 directory (0 bytes)\n",
    );
    let output = sh("touch f; $B rm --dry-run nope f");
    assert_eq!(
        counts(&output),
        "'nope': 0 files and 0 directories (0 bytes)\n\
         'f': 1 file and 0 directories (0 bytes)\n\
         would remove 1 file and 0 directories (0 bytes); 1 would fail\n"
    );
    assert_eq!(stderr(&output), "brisk: cannot remove 'nope': No such file or directory\n");
}

/// The space of a file is freed with its last link.
#[test]
fn a_dry_run_counts_the_space_of_linked_files_once() {
    let plant = "mkdir d e; printf 12345 >d/a; ln d/a d/b; ln d/a e/c; ";
    prints(
        &format!("{plant} $B rm -r --dry-run d e; $B rm -r --dry-run d | tail -2"),
        "'d': 2 files and 1 directory (0 bytes)\n\
         'e': 1 file and 1 directory (5 bytes)\n\
         would remove 3 files and 2 directories (5 bytes)\n\
         would remove 2 files and 1 directory (0 bytes)\n",
    );
}

#[test]
fn a_dry_run_knows_what_an_earlier_operand_removes() {
    let output = sh("mkdir -p d/e; touch d/e/f; $B rm -r --dry-run d d/e d ./d/e/f; echo $?");
    assert_eq!(
        counts(&output).lines().last(),
        Some("would remove 1 file and 2 directories (0 bytes); 3 would fail")
    );
}

#[test]
fn the_working_directory_can_be_emptied_and_kept() {
    for name in [".", "./", "d/.", "./d/./"] {
        let script =
            format!("mkdir -p d/e; touch d/f g .h; $B rm -r --keep-root {name}; find .|sort");
        let left = if name.contains('d') { ".\n./.h\n./d\n./g\n" } else { ".\n" };
        prints(&script, left);
    }
    for name in ["..", "d/..", "../", "./.."] {
        let output = sh(&format!("mkdir d; touch ../keep; $B rm -r --keep-root {name}; echo $?"));
        assert!(stderr(&output).contains("refusing to remove '.' or '..' directory"), "{name}");
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
    let output = sh("touch a; $B rm -r .");
    assert!(stderr(&output).contains("refusing to remove"), "it is not to be kept");
}

/// A directory named `.` is above its siblings: they are gone by then, or are removed before.
#[test]
fn a_kept_directory_and_what_is_below_go_in_turn() {
    let plant = "mkdir -p x/sub; seq 200 | sed 's:^:x/sub/:' | xargs touch; cd x";
    for words in [". sub", ". ./sub", "-v . sub", "-n . sub", "../x/. ../x/sub", "-n ../x sub"] {
        let output = sh(&format!("{plant}; $B rm -r --keep-root {words} | tail -2; ls -A"));
        let missing = format!("'{}': No such file", words.rsplit(' ').next().unwrap());
        assert!(stderr(&output).contains(&missing), "{words}: {}", stderr(&output));
        if words.contains("-n") {
            let told = "would remove 200 files and 1 directory (0 bytes); 1 would fail\nsub\n";
            assert_eq!(counts(&output), told, "{words}");
        }
    }
    for words in ["sub .", "./sub .", "-v sub .", ". .", "-n . .", "-n . ../x", "-n ../x ."] {
        let output = sh(&format!("{plant}; $B rm -r --keep-root {words} | tail -2"));
        assert_eq!(stderr(&output), "", "{words}");
        if words.contains("-n") {
            let told = "would remove 200 files and 1 directory (0 bytes)\n";
            assert_eq!(counts(&output), told, "{words}");
        }
    }
}

#[test]
fn only_directories_can_be_kept() {
    for flags in ["-r", "-rf", "-rn"] {
        let plant = "mkdir -p k/d/e; touch k/top; ln -s d k/link";
        let output = sh(&format!("{plant}; $B rm {flags} --keep-root k/* || echo $?; ls k"));
        let why = |name| format!("brisk: cannot remove 'k/{name}': not a directory\n");
        assert_eq!(stderr(&output), [why("link"), why("top")].concat(), "{flags}");
        assert!(stdout(&output).ends_with("1\nd\nlink\ntop\n"), "{flags} {}", stdout(&output));
    }
}

#[test]
fn an_empty_directory_can_be_kept() {
    for flags in ["-d", "-di", "-dn"] {
        let script =
            format!("mkdir d; yes | $B rm {flags} --keep-root d 2>&1 | sed -n '/?/p'; ls -d d");
        prints(&script, "d\n");
    }
    let output = sh("mkdir -p d/e; ! $B rm -d --keep-root d; ls d");
    assert_eq!(stdout(&output), "e\n");
    assert!(stderr(&output).contains("cannot remove 'd': Directory not empty"));
}

/// A mount point that the user named as `.` is one all the same.
#[test]
fn the_working_directory_may_be_a_mount_point() {
    Installation::new().succeeds(
        "the_working_directory_may_be_a_mount_point",
        "touch keep; ! \"$B\" rm -r --keep-root --preserve-root=all . 2>err || exit 1\n\
         grep -q 'and --preserve-root=all is in effect' err; test -e keep\n\
         mkdir -p d/e; touch d/e/f; cd d; \"$B\" rm -r --keep-root --preserve-root=all .\n\
         test ! -e e; test -d ../d",
    );
}

/// Each line of standard output is a JSON value, whatever the options are.
#[test]
fn standard_output_is_json() {
    if Command::new("jq").arg("--version").output().is_err() {
        return testkit::left_out("standard_output_is_json", "there is no jq");
    }
    for words in [
        "-rv d g",
        "-v g",
        "-r d nope g",
        "-rv --dry-run d g",
        "-r --dry-run d nope",
        "-f",
        "-rI d </dev/null",
        "-rv --stats --progress=always d",
        "-rv --older-than 1d d",
        "-rv --keep-root d",
        "--files0-from nope",
        "--finish",
        "--finish -v --dry-run",
    ] {
        let script = format!(
            "mkdir -p d/e; touch d/e/f g; touch \"$(printf 'd/a\\nb\\377')\"\n\
             $B rm --json {words} >../out || true; jq -c . ../out >../parsed; test -s ../parsed\n\
             tail -1 ../parsed | jq -e .files >/dev/null || tail -1 ../parsed"
        );
        let output = sh(&script);
        assert!(output.status.success(), "{words}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{words}");
    }
    prints(
        "mkdir d; touch d/f; $B rm -rv --json d | head -2",
        "{\"path\":\"d/f\",\"type\":\"file\"}\n{\"path\":\"d\",\"type\":\"directory\"}\n",
    );
}

/// Exit code 2 says that the command line cannot be used; called rm, it is GNU's 1.
#[test]
fn an_unusable_argument_is_exit_code_2() {
    let place = Installation::new();
    for words in ["--frce a", "-Z a", "", "--older-than soon a", "--interactive=x a", "--list"] {
        let code = |program: &str| {
            let words = words.split_whitespace();
            let output = Command::new(place.path(program)).args(words).output().unwrap();
            assert!(!stderr(&output).contains("os error"), "{}", stderr(&output));
            output.status.code()
        };
        assert_eq!(code("bin/rm"), Some(1), "rm {words}");
        std::fs::write(place.path("call"), "#!/bin/sh\nexec \"${0%/*}\"/bin/brisk rm \"$@\"\n")
            .unwrap();
        run("chmod", &["755", place.path("call").to_str().unwrap()]);
        assert_eq!(code("call"), Some(2), "brisk rm {words}");
    }
}

/// Many directories in many directories, some of which are parts of others.
#[test]
fn operands_that_overlap_go_in_any_order() {
    let output = sh("for i in 1 2 3 4 5 6 7 8; do for j in 1 2 3 4 5; do mkdir -p $i/$j/k; \
                     touch $i/$j/k/f; done; done\n\
                     $B rm -r */*/k/f 3/1 1/*/k 3 1/2 2/3/k 2 1 4/1/k 4/1 4 5 6 7 8; find . | wc -l");
    assert_eq!(stdout(&output), "1\n", "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn what_is_set_aside_is_said_to_be_removed() {
    let place = testkit::scratch();
    std::fs::create_dir_all(place.path().join("d/e")).unwrap();
    std::fs::write(place.path().join("f"), "").unwrap();
    let output = Command::new(brisk())
        .args(["rm", "-rv", "--background", "f", "d"])
        .current_dir(place.path())
        .env("XDG_STATE_HOME", place.path().join("state"))
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "removed 'f'\nremoved directory 'd'\n", "{}", stderr(&output));
    assert!(!listed(place.path()).iter().any(|path| path.ends_with("/d")));
}

#[test]
fn a_misspelt_option_is_answered_with_the_right_one() {
    let output = sh("touch a; $B rm --frce a");
    assert_eq!(
        stderr(&output),
        "brisk: unrecognized option '--frce'\nDid you mean --force?\n\
         Try 'brisk rm --help' for more information.\n",
    );
    let output = sh("touch a; $B rm --recursive a; $B rm --dry-rnu b || exit 7");
    assert!(stderr(&output).contains("\nDid you mean --dry-run?\n"), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(7));
    for words in ["cp -c a b", "cp --checksum a b"] {
        let told = stderr(&sh(&format!("$B {words}; :")));
        assert!(told.contains("\nDid you mean --content?\n"), "{told}");
    }
    let place = Installation::new();
    let output = Command::new(place.path("bin/rm")).arg("--frce").output().unwrap();
    assert!(!stderr(&output).contains("Did you mean"), "{}", stderr(&output));
}
