//! What GNU rm does not have.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use testkit::{Installation, brisk, listed, stderr, stdout};

fn plant(place: &Installation) {
    for dir in ["t/tree/a/b", "t/tree/c"] {
        fs::create_dir_all(place.path(dir)).unwrap();
        for file in 0..4 {
            fs::write(place.path(dir).join(file.to_string()), "12345").unwrap();
        }
    }
}

fn rm(place: &Installation, words: &[&str]) -> Output {
    Command::new(brisk()).arg("rm").args(words).current_dir(place.path("t")).output().unwrap()
}

fn age(path: &Path, days: u64) {
    let time = SystemTime::now() - Duration::from_secs(days * 86_400);
    fs::File::open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_dry_run_counts_and_touches_nothing() {
    let place = Installation::new();
    plant(&place);
    let before = listed(&place.path("t"));
    let output = rm(&place, &["-r", "--dry-run", "tree"]);
    let told = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    let counts = "8 files and 4 directories (40 bytes)";
    let (told, freed) = told.split_once("would free ").unwrap();
    assert_eq!(told, format!("'tree': {counts}\nwould remove {counts}\n"));
    assert!(freed.ends_with(" bytes\n") && freed.lines().count() == 1, "{freed}");
    let output = rm(&place, &["-rv", "--dry-run", "--json", "tree"]);
    let told = stdout(&output);
    assert_eq!(told.lines().count(), 13, "{told}");
    assert!(told.contains("\"dry_run\":true,\"files\":8,\"directories\":4,\"bytes\":40"), "{told}");
    assert_eq!(rm(&place, &["--dry-run", "tree"]).status.code(), Some(1), "without -r");
    assert_eq!(listed(&place.path("t")), before);
}

/// A link with a slash behind it is refused with -r too, and GNU's rm names no option.
#[test]
fn what_removes_a_directory_is_told() {
    let place = Installation::new();
    plant(&place);
    std::os::unix::fs::symlink("tree", place.path("t/link")).unwrap();
    for (words, told) in [
        (&["tree"][..], "cannot remove 'tree': Is a directory; -r removes it, and all in it"),
        (&["-d", "tree/"], "cannot remove 'tree/': Directory not empty"),
        (&["link/"], "cannot remove 'link/': Is a directory"),
        (&["-r", "link/"], "cannot remove 'link/': Not a directory"),
    ] {
        assert_eq!(stderr(&rm(&place, words)), format!("brisk: {told}\n"), "{words:?}");
    }
}

#[test]
fn a_sum_of_bytes_that_does_not_fit_is_the_largest_number() {
    let test = "a_sum_of_bytes_that_does_not_fit_is_the_largest_number";
    let Some(place) = testkit::huge_files(test) else { return };
    let words = ["rm", "-r", "--dry-run", "--json", "h"];
    let output = Command::new(brisk()).args(words).current_dir(place.path()).output().unwrap();
    let told = stdout(&output);
    assert!(told.contains(&format!("\"bytes\":{}", u64::MAX)), "{told}");
}

#[test]
fn only_what_is_old() {
    let place = Installation::new();
    plant(&place);
    for path in ["a/b/0", "a/b/1", "c/0", "c/1", "c/2", "c/3"] {
        age(&place.path("t/tree").join(path), 40);
    }
    age(&place.path("t/tree/c"), 40);
    let output = rm(&place, &["-r", "--older-than", "30d", "--stats", "tree"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).starts_with("removed 6 files and 1 directory; 2 stayed\n"),
        "{}",
        stderr(&output)
    );
    let mut left = listed(&place.path("t/tree"));
    left.sort();
    let left: Vec<_> = left.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(left, ["tree", "a", "b", "2", "3"]);
}

#[test]
fn a_directory_is_emptied_and_stays() {
    let place = Installation::new();
    plant(&place);
    let output = rm(&place, &["-r", "--keep-root", "--json", "tree"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("\"files\":8,\"directories\":3,"), "{}", stdout(&output));
    assert_eq!(listed(&place.path("t/tree")).len(), 1);
}

#[test]
fn progress_where_there_is_no_terminal() {
    let place = Installation::new();
    plant(&place);
    let output = rm(&place, &["-r", "--progress=always", "tree"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!place.path("t/tree").exists());
}

/// Neither files nor variables count: the command line alone says what is removed.
#[test]
fn no_configuration_counts() {
    let place = Installation::new();
    plant(&place);
    let config = place.path("config/brisk");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[find]\noptions = [\"--frobnicate\"]").unwrap();
    let output = Command::new(brisk())
        .args(["rm", "-r", "tree/c"])
        .current_dir(place.path("t"))
        .env("XDG_CONFIG_HOME", place.path("config"))
        .env("BRISK_FIND_OPTS", "--frobnicate")
        .env("BRISK_RM_OPTS", "--no-preserve-root")
        .env("BRISK_BACKEND", "portable")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!place.path("t/tree/c").exists());
}
