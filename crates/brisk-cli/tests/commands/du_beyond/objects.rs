//! `--json`: an object for each directory, and which are complete.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use testkit::{brisk, left_out, run, stdout};

use super::{du, lines, tree};

#[test]
fn json_adds_up_to_what_find_says() {
    let place = tree();
    let words = ["t", "-printf", "%i %b\\n"];
    let found = Command::new("find").args(words).current_dir(place.path()).output().unwrap();
    let output = stdout(&found);
    let inodes: std::collections::BTreeMap<&str, u64> = output
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(inode, blocks)| (inode, blocks.parse::<u64>().unwrap() * 512))
        .collect();
    let text = lines(place.path(), &["--json", "-s", "t"]).pop().unwrap();
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["allocated"], inodes.values().sum::<u64>());
    assert_eq!(object["entries"], inodes.len());
    assert_eq!(lines(place.path(), &["--json", "t"]).len(), 5, "an object a directory");
}

#[test]
fn objects_have_the_types_and_times_of_their_entries() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    fs::write(place.path().join("t/f"), "").unwrap();
    symlink("f", place.path().join("t/l")).unwrap();
    let words = ["--json", "--time", "-a", "t"];
    let objects = lines(place.path(), &words);
    let objects = objects.iter().map(|line| serde_json::from_str(line).unwrap());
    let mut types: Vec<String> = objects
        .map(|object: serde_json::Value| {
            assert!(object["newest"].as_str().unwrap().ends_with('Z'), "{object}");
            format!("{} {}", object["path"], object["type"]).replace('"', "")
        })
        .collect();
    types.sort();
    assert_eq!(types, ["t directory", "t/f file", "t/l symlink"]);
}

/// The objects of `brisk du --json`: which paths are complete.
fn complete(dir: &Path, words: &[&str]) -> std::collections::BTreeMap<String, bool> {
    let mut command = testkit::obedient(brisk()).unwrap();
    let output = command.args(["du", "--json"]).args(words).current_dir(dir).output().unwrap();
    let objects = stdout(&output);
    let objects = objects.lines().map(|line| {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        (object["path"].as_str().unwrap().to_owned(), object["complete"].as_bool().unwrap())
    });
    objects.collect()
}

#[test]
fn a_directory_is_complete_if_all_below_it_was_read() {
    let test = "a_directory_is_complete_if_all_below_it_was_read";
    if testkit::obedient("true").is_none() {
        return left_out(test, "root cannot give up its privileges");
    }
    let place = tree();
    let closed = place.path().join("t/large/in/closed/deep");
    fs::create_dir_all(&closed).unwrap();
    let close = |mode| run("chmod", &[mode, closed.parent().unwrap().to_str().unwrap()]);
    let expected = [
        ("t", false),
        ("t/large", false),
        ("t/large/in", false),
        ("t/large/in/closed", false),
        ("t/old", true),
        ("t/small", true),
    ];
    let expected = expected.map(|(path, is_complete)| (path.to_owned(), is_complete));
    // Without permission to read it, and to search it: then its entries cannot be looked up.
    for (mode, count) in [("000", 6), ("444", 6)] {
        close(mode);
        for words in ["t", "-l t", "-j4 t", "--exclude=none t", "-x t", "-L t", "-xL t"] {
            let words: Vec<_> = words.split(' ').collect();
            let mut found = complete(place.path(), &words);
            found.remove("t/large/in/closed/deep");
            assert_eq!(found.len(), count, "{mode} {words:?}: {found:?}");
            assert!(found.into_iter().eq(expected.clone()), "{mode} {words:?}");
        }
        assert_eq!(complete(place.path(), &["-s", "t"]), [("t".into(), false)].into());
    }
    close("755");
    assert!(complete(place.path(), &["t"]).into_values().all(|is_complete| is_complete));
    // A link that should be followed, but leads nowhere, is an error too; one that leads up is not.
    symlink("..", place.path().join("t/old/up")).unwrap();
    assert!(complete(place.path(), &["-L", "t"]).into_values().all(|is_complete| is_complete));
    symlink("nowhere", place.path().join("t/old/dangling")).unwrap();
    let found = complete(place.path(), &["-L", "t"]);
    let partial: Vec<_> = found.iter().filter(|(_, is_complete)| !**is_complete).collect();
    assert_eq!(partial.into_iter().map(|(path, _)| path).collect::<Vec<_>>(), ["t", "t/old"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = tree();
    let output = du(place.path(), &["-s", "t", "nope"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(told, "brisk: cannot access 'nope': No such file or directory\n");
    assert_eq!(stdout(&output).lines().count(), 1);
}
