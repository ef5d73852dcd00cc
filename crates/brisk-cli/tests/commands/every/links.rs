//! Links that lead to a directory above: listed as the directory, never entered.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use testkit::{brisk, left_out, stderr, stdout};

/// `d/here -> .` as Debian's /usr/bin has it, `d/sub/up -> ..`, and a file.
fn tree() -> tempfile::TempDir {
    let place = testkit::scratch();
    let at = |path: &str| place.path().join(path);
    std::fs::create_dir_all(at("d/sub")).unwrap();
    std::fs::write(at("d/file"), "1").unwrap();
    symlink(".", at("d/here")).unwrap();
    symlink("..", at("d/sub/up")).unwrap();
    symlink(".", at("d/.hidden")).unwrap();
    place
}

fn run(program: &str, words: &str, place: &Path) -> Output {
    run_by("native", program, words, place)
}

fn run_by(backend: &str, program: &str, words: &str, place: &Path) -> Output {
    let mut command = Command::new(program);
    command.args(words.split(' ')).current_dir(place).env("LC_ALL", "C").env("TERM", "xterm");
    command.env_remove("LS_COLORS").env("BRISK_BACKEND", backend).output().unwrap()
}

/// Messages without the program's name, sorted: GNU and brisk notice a loop at different points.
fn messages(output: &Output) -> Vec<String> {
    let text = stderr(output);
    let mut lines: Vec<String> =
        text.lines().map(|line| line.split_once(": ").unwrap().1.to_owned()).collect();
    lines.sort();
    lines
}

#[test]
fn a_link_to_a_directory_above_is_listed_where_it_is_not_entered() {
    let place = tree();
    let output = run(brisk(), "ls -L d", place.path());
    assert_eq!(stdout(&output), "file\nhere\nsub\n");
    assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)));
    let output = run(brisk(), "ls --tree --max-depth=1 -L d", place.path());
    assert_eq!(stdout(&output), "d\n|-- file\n|-- here\n`-- sub\n");
    assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)));
}

#[test]
fn a_recursive_listing_lists_the_link_and_refuses_to_enter_it() {
    let place = tree();
    let refused = |name| format!("d/{name}: not listing already-listed directory");
    let output = run(brisk(), "ls -RL d", place.path());
    assert_eq!(stdout(&output), "d:\nfile\nhere\nsub\n\nd/sub:\nup\n");
    assert_eq!(messages(&output), ["here", "sub/up"].map(refused));
    assert_eq!(output.status.code(), Some(2));
    let output = run(brisk(), "ls --tree -L d", place.path());
    assert_eq!(stdout(&output), "d\n|-- file\n|-- here\n`-- sub\n    `-- up\n");
    assert_eq!(messages(&output), ["here", "sub/up"].map(refused));
    assert_eq!(output.status.code(), Some(2));
}

/// Listings of a directory with such links.
const LISTINGS: &[&str] = &[
    "-L d",
    "-lL d",
    "-LF d",
    "-LU d",
    "-LA d",
    "-iL d",
    "-Ls d",
    "-Ld d",
    "-Lm d",
    "-Lt d",
    "-L --color=always d",
    "-L d/here",
    "-L d d/here/here",
    "-L --group-directories-first d",
    "-RL d",
    "-lRL d",
    "-ARL d",
    "-aRL d",
    "-RLU d",
    "-RL -I here d",
    "-RLF d d/sub",
    "-RL --color=always d",
    "-R d",
    "-lH d/here",
    "-RH d/here",
];

#[test]
fn links_to_directories_above_are_listed_as_gnu_ls_lists_them() {
    let version = Command::new("ls").arg("--version").output().unwrap();
    if !stdout(&version).contains("GNU coreutils") {
        left_out("links_to_directories_above", "ls is not GNU's");
        return;
    }
    let place = tree();
    for words in LISTINGS {
        let theirs = run("ls", words, place.path());
        // The portable reader has no `.` and `..`.
        let backends: &[&str] =
            if words.starts_with("-a") { &["native"] } else { &["native", "portable"] };
        for backend in backends {
            let ours = run_by(backend, brisk(), &format!("ls {words}"), place.path());
            assert_eq!(stdout(&ours), stdout(&theirs), "{backend} ls {words}");
            assert_eq!(messages(&ours), messages(&theirs), "{backend} ls {words}");
            assert_eq!(ours.status.code(), theirs.status.code(), "{backend} ls {words}");
        }
    }
}

/// GNU find and fd name such a link on standard error, and do not list it. (This was so before.)
#[test]
fn a_search_says_that_a_link_leads_up_and_does_not_list_it() {
    let place = tree();
    for words in ["find -L -H . d", "find -L -H -d1 . d", "find -L -H --prune . d"] {
        let words = format!("{words} --order=sorted");
        let output = run(brisk(), &words, place.path());
        assert_eq!(stdout(&output), "d/file\nd/sub/\n", "{words}");
        assert!(stderr(&output).contains("file system loop at 'd/here'"), "{words}: {output:?}");
        assert_eq!(output.status.code(), Some(1), "{words}");
    }
    let theirs = run("find", "-L d -mindepth 1 -maxdepth 1", place.path());
    assert!(!stdout(&theirs).contains("here"), "{theirs:?}");
    assert_eq!(theirs.status.code(), Some(1));
}
