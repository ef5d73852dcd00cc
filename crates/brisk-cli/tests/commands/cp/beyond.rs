//! Filters, `--update=changed`, `--delete`, dry runs, reports, refusals.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use super::{run, tree};
use testkit::listed;

fn names(dir: &Path) -> Vec<String> {
    let inner = |path: String| Some(path.strip_prefix(dir.to_str()?)?.to_owned());
    let mut names: Vec<_> = listed(dir).into_iter().filter_map(inner).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_left_out_but_by_filters() {
    let place = tree();
    fs::write(place.path("t/.gitignore"), "*.o\n").unwrap();
    assert_eq!(run(&place, "-R t all"), (String::new(), 0));
    assert_eq!(names(&place.path("all")), names(&place.path("t")));
    assert_eq!(run(&place, "-R -E *.o t most"), (String::new(), 0));
    assert!(!place.path("most/b.o").exists() && place.path("most/d/e/f").exists());
    assert_eq!(run(&place, "-R --ignore --no-require-git t rest"), (String::new(), 0));
    assert!(!place.path("rest/b.o").exists() && place.path("rest/a").exists());
    assert_eq!(run(&place, "-R --extension o t one"), (String::new(), 0));
    assert!(place.path("one/b.o").exists() && !place.path("one/a").exists());
    let (lines, code) = run(&place, "-R -E x/../.. t none");
    assert!(code == 2 && lines.starts_with("brisk: -E"), "{lines}");
}

#[test]
fn a_second_run_copies_what_has_changed() {
    let place = tree();
    assert_eq!(run(&place, "-aT --update=changed t u").1, 0);
    assert_eq!(run(&place, "-aTv --update=changed t u"), (String::new(), 0));
    place.write("t/a", "longer text\n");
    place.write("t/new/g", "");
    let (lines, code) = run(&place, "-aTv -j1 --update=changed t u");
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    let expected = ["'t/a' -> 'u/a'", "'t/new' -> 'u/new'", "'t/new/g' -> 'u/new/g'"];
    assert_eq!((&lines[..], code), (&expected[..], 0));
    // The same size and time, but other contents.
    let time = fs::metadata(place.path("t/d/c")).unwrap().modified().unwrap();
    place.write("t/d/c", "TEXT\n");
    fs::File::options().write(true).open(place.path("t/d/c")).unwrap().set_modified(time).unwrap();
    assert_eq!(run(&place, "-aTv --update=changed t u"), (String::new(), 0));
    let compared = run(&place, "-aTv --update=changed --content t u");
    assert_eq!(compared, ("'t/d/c' -> 'u/d/c'\n".to_owned(), 0));
    assert_eq!(place.read("u/d/c"), "TEXT\n");
}

#[test]
fn what_the_source_lacks_is_removed_if_the_user_asks() {
    let place = tree();
    assert_eq!(run(&place, "-aT t u").1, 0);
    place.fill("u", ["old/file", "d/old", "x.o"], "");
    let shown = run(&place, "-aTv --update=changed --delete --dry-run t u");
    assert!(shown.0.contains("would remove 'u/d/old'") && shown.1 == 0, "{}", shown.0);
    assert!(place.path("u/d/old").exists());
    assert_eq!(run(&place, "-aT --update=changed t u"), (String::new(), 0));
    assert!(place.path("u/old/file").exists(), "nothing is removed without --delete");
    // What a filter leaves out of the source is in the source.
    assert_eq!(run(&place, "-aT --update=changed --delete -E b.o t u"), (String::new(), 0));
    assert!(place.path("u/b.o").exists() && !place.path("u/x.o").exists());
    assert_eq!(names(&place.path("u")), names(&place.path("t")));
}

#[test]
fn what_filters_and_rules_would_leave_out_is_not_removed() {
    let place = tree();
    let fill = || {
        place.fill(
            "u",
            ["m/p/own", ".git/HEAD", "s.env", "new/s.env", "new/in/x", "new/in/b.tmp"],
            "",
        );
        place.fill("u", ["x.o", "old/x.o", "old/y"], "");
    };
    let stays = |words: &str, stays: &[&str], goes: &[&str]| {
        fill();
        let before = names(&place.path("u"));
        let dry = run(&place, &format!("-aTv --update=changed --delete --dry-run {words} t u"));
        assert_eq!(names(&place.path("u")), before, "{words}");
        let did = run(&place, &format!("-aTv --update=changed --delete {words} t u"));
        let removed = |text: &str| {
            let mut lines: Vec<_> = text
                .lines()
                .filter_map(|line| {
                    line.split_once("remove")
                        .map(|(_, rest)| rest.trim_start_matches('d').to_owned())
                })
                .filter(|line| line.starts_with(" '"))
                .collect();
            lines.sort();
            lines
        };
        assert_eq!((removed(&dry.0), did.1), (removed(&did.0), 0), "{words}");
        let left = names(&place.path("u"));
        let is_there = |name: &str| left.iter().any(|it| it.trim_start_matches('/') == name);
        assert!(stays.iter().all(|name| is_there(name)), "{words}: {left:?}");
        assert!(!goes.iter().any(|name| is_there(name)), "{words}: {left:?}");
    };
    stays(
        "-E m -E .git -E *.env",
        &["m/p/own", ".git/HEAD", "s.env", "new/s.env"],
        &["new/in", "x.o", "old"],
    );
    stays("-E new/in", &["new/in/x", "new/in/b.tmp"], &["new/s.env", "m", ".git", "old"]);
    stays("--extension o", &["s.env", "old/y"], &["x.o", "old/x.o"]);
    stays("--size +1k", &["s.env", "old/y", "x.o"], &[]);
    fs::write(place.path("t/.gitignore"), "*.o\nin/\n").unwrap();
    stays("--ignore --no-require-git", &["x.o", "old/x.o", "new/in/x"], &["old/y", "m", "s.env"]);
    stays("", &[], &["x.o", "old", "new", "m", ".git", "s.env"]);
}

#[test]
fn what_is_of_another_type_gives_way() {
    let place = tree();
    place.fill("t", ["dir/f", "was-link/f"], "");
    place.fill("t", ["file", "was-socket"], "new\n");
    place.fill("u", ["file/in/old", "dir", "b"], "");
    std::os::unix::fs::symlink("file", place.path("u/was-link")).unwrap();
    UnixListener::bind(place.path("u/was-socket")).unwrap();
    let kept = run(&place, "-aT --update=changed t u");
    assert!(kept.1 == 1 && place.path("u/file/in/old").exists(), "{}", kept.0);
    let shown = run(&place, "-aTv --update=changed --delete --dry-run t u");
    assert!(shown.1 == 0 && shown.0.contains("would remove 'u/dir'\n"), "{}", shown.0);
    assert!(place.path("u/file/in/old").exists());
    assert_eq!(run(&place, "-aT --update=changed --delete t u"), (String::new(), 0));
    assert_eq!(names(&place.path("u")), names(&place.path("t")));
    assert_eq!(["u/file", "u/was-socket"].map(|path| place.read(path)), ["new\n"; 2]);
    // What a filter keeps is not removed for it.
    place.fill("u", ["keep/s.env"], "");
    place.fill("t", ["keep"], "");
    let (told, code) = run(&place, "-aT --update=changed --delete -E *.env t u");
    assert!(told.contains("cannot overwrite directory 'u/keep'") && code == 1, "{told}");
    assert!(place.path("u/keep/s.env").exists());
}

#[test]
fn a_source_in_its_destination_is_not_removed() {
    let place = tree();
    place.fill("p", ["child/k", "other"], "");
    for (source, destination) in
        [("p/child", "p"), ("./p/child/", "p/child/.."), ("p/child/../child", ".")]
    {
        let words = format!("-aT --delete {source} {destination}");
        let (told, code) = run(&place, &words);
        assert!(told.contains("will not remove from") && code == 1, "{words}: {told}");
        assert!(place.path("p/child/k").exists() && place.path("p/other").exists(), "{words}");
    }
    assert_eq!(run(&place, "-aT --delete p/child q"), (String::new(), 0));
    // Nor is a part of a source that holds the destination.
    for destination in ["p/child", "p/child/new"] {
        let (told, code) = run(&place, &format!("-aT --delete p {destination}"));
        assert!(told.contains("into itself") && code == 1, "{destination}: {told}");
    }
    assert_eq!(names(&place.path("p")), ["", "/child", "/child/k", "/other"]);
}

#[test]
fn a_dry_run_copies_nothing_and_counts() {
    let place = tree();
    let (lines, code) = run(&place, "-R --dry-run t u");
    assert_eq!((&*lines, code), ("would copy 5 files, 3 new directories\n", 0));
    assert!(!place.path("u").exists());
    let (lines, code) = run(&place, "-R --dry-run -v t/d u");
    assert!(lines.contains("would copy 't/d/c' -> 'u/c'\n") && code == 0, "{lines}");
}

#[test]
fn an_existing_file_is_replaced_and_through_a_link_of_the_name_cp_overwritten() {
    let place = tree();
    fs::write(place.path("old"), "old\n").unwrap();
    fs::hard_link(place.path("old"), place.path("other")).unwrap();
    assert_eq!(run(&place, "t/a old"), (String::new(), 0));
    assert_eq!((place.read("old"), place.read("other")), ("text\n".into(), "old\n".into()));
    fs::remove_file(place.path("old")).unwrap();
    fs::hard_link(place.path("other"), place.path("old")).unwrap();
    let script = format!("ln -s {} cp && ./cp t/a old", testkit::brisk());
    let mut made = Command::new("sh");
    assert!(made.args(["-c", &script]).current_dir(place.path("")).status().unwrap().success());
    assert_eq!(place.read("other"), "text\n");
}

#[test]
fn reports_say_what_was_done_and_how() {
    let place = tree();
    let (lines, code) = run(&place, "-R --stats t u");
    assert!(lines.starts_with("copied 5 files (25 bytes), 3 new directories\n"), "{lines}");
    assert!(lines.contains("files by way: ") && code == 0, "{lines}");
    let (lines, _) = run(&place, "-R --explain none v");
    assert!(lines.contains("'none' cannot be copied: No such file or directory"), "{lines}");
    let (lines, code) = run(&place, "-R --explain t v");
    assert!(lines.contains("Nothing is copied") && lines.contains("'t' is on "), "{lines}");
    assert!(code == 0 && !place.path("v").exists());
}

#[test]
fn words_that_exclude_each_other_are_refused() {
    let place = tree();
    for (words, why) in [
        ("-R --content t u", "--content needs --update=changed"),
        ("--delete t/a u", "--delete needs -R"),
        ("-R --delete -b t u", "--delete cannot be used with --backup"),
        ("-R --delete -i t u", "--delete cannot be used with --interactive"),
        ("-R --delete -n t u", "--delete cannot be used with --no-clobber"),
        ("-R --delete t t/d u", "target 'u': No such file or directory"),
        ("-i --dry-run t/a u", "--dry-run cannot be used with --interactive"),
        ("--parents --dry-run t/a t", "--dry-run cannot be used with --parents"),
        ("-bn t/a u", "options --backup and --no-clobber are mutually exclusive"),
        ("--updated t/a u", "unrecognized option '--updated'"),
    ] {
        let (lines, code) = run(&place, words);
        assert!(lines.starts_with(&format!("brisk: {why}")), "{words}: {lines}");
        assert!(matches!(code, 1 | 2) && !place.path("u").exists(), "{words}");
    }
    fs::create_dir(place.path("u")).unwrap();
    let (lines, code) = run(&place, "-R --delete t t/d u");
    assert!(lines.starts_with("brisk: --delete takes one source") && code == 2, "{lines}");
}
