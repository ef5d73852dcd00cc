//! Files with several names: where they count, and that they count once.

use std::fs;

use super::{lines, tree};

#[test]
fn a_file_with_links_counts_in_the_first_directory_in_sorted_order() {
    let place = tree();
    for _ in 0..20 {
        let small = lines(place.path(), &["-b", "-j4", "t"]).pop().unwrap();
        assert_eq!(small, "0\tt/small", "large/in comes first");
    }
    let each = lines(place.path(), &["-b", "-l", "t"]);
    assert!(each.contains(&"9000\tt/small".to_owned()), "{each:?}");
}

/// Every order in which directories are met lists each file once, where it counts.
#[test]
fn a_file_with_links_is_listed_once() {
    let place = tempfile::tempdir().unwrap();
    let names: Vec<_> = (0..20).map(|at| format!("{:02}", at * 7 % 20)).collect();
    for dir in &names {
        fs::create_dir(place.path().join(dir)).unwrap();
        fs::write(place.path().join("file"), "x").unwrap();
        fs::hard_link(place.path().join("file"), place.path().join(dir).join("link")).unwrap();
        fs::remove_file(place.path().join("file")).unwrap();
        for other in &names {
            let other = place.path().join(other).join(format!("of {dir}"));
            if other.parent().unwrap().exists() {
                fs::hard_link(place.path().join(dir).join("link"), other).unwrap();
            }
        }
    }
    for threads in ["1", "4"] {
        let all = lines(place.path(), &["-a", "-b", "-j", threads, "."]);
        let files = all.iter().filter(|line| line.contains("/link") || line.contains("/of "));
        assert_eq!(files.count(), names.len(), "{all:#?}");
        let sum: u64 = du_of(&all, |path| path == ".");
        assert_eq!(sum, du_of(&all, |path| path.len() > 4), "{all:#?}");
        let each = lines(place.path(), &["-a", "-l", "-b", "."]);
        assert!(each.len() > all.len() + 100);
    }
}

/// The sum of the lines whose paths are such.
fn du_of(lines: &[String], is_such: impl Fn(&str) -> bool) -> u64 {
    let parts = lines.iter().filter_map(|line| line.split_once('\t'));
    parts.filter(|(_, path)| is_such(path)).map(|(size, _)| size.parse::<u64>().unwrap()).sum()
}

/// The name that comes first has the object, as it has the row of the tree, in whatever order the
/// names are met.
#[test]
fn a_file_with_several_names_has_one_object() {
    let place = tempfile::tempdir().unwrap();
    for dir in ["a", "b", "c", "d"] {
        fs::create_dir_all(place.path().join("t").join(dir)).unwrap();
    }
    for file in 0..50 {
        fs::write(place.path().join(format!("t/d/{file}")), "x").unwrap();
        for dir in ["c", "b", "a"] {
            let link = place.path().join(format!("t/{dir}/{file}"));
            fs::hard_link(place.path().join(format!("t/d/{file}")), link).unwrap();
        }
    }
    for words in
        [["--json", "-a", "-j1", "t"], ["--json", "-a", "-j4", "t"], ["--json", "-a", "t", "t/a"]]
    {
        let objects = lines(place.path(), &words);
        let files = objects.iter().filter(|line| line.contains("\"type\":\"file\""));
        let paths: Vec<&String> = files.collect();
        assert_eq!(paths.len(), 50, "{words:?}: {paths:?}");
        assert!(paths.iter().all(|line| line.contains("\"path\":\"t/a/")), "{paths:?}");
    }
    assert_eq!(lines(place.path(), &["--json", "-al", "t"]).len(), 205);
}

/// A file that moves to an earlier directory is taken back exactly, whatever was added meanwhile.
#[test]
fn sums_that_did_not_fit_are_exact_when_a_file_moves() {
    let test = "sums_that_did_not_fit_are_exact_when_a_file_moves";
    let Some(place) = testkit::huge_files(test) else { return };
    fs::create_dir(place.path().join("a")).unwrap();
    for name in ["a", "b"] {
        fs::hard_link(place.path().join("h").join(name), place.path().join("a").join(name))
            .unwrap();
    }
    for words in [["-bS", "a", "h"], ["-bS", "h", "a"]] {
        let expected = [format!("{}\ta", u64::MAX - 1), format!("{}\th", i64::MAX)];
        assert_eq!(lines(place.path(), &words), expected, "{words:?}");
    }
}
