//! `brisk du` beyond GNU du: the picture, JSON, groups, filters, mounts, and the page in a browser.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use testkit::{Mounted, brisk, left_out, peak, run, stdout};

use super::browser;

fn du(dir: &Path, words: &[&str]) -> Output {
    Command::new(brisk()).arg("du").args(words).current_dir(dir).output().unwrap()
}

fn lines(dir: &Path, words: &[&str]) -> Vec<String> {
    let output = du(dir, words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    stdout(&output).lines().map(str::to_owned).collect()
}

/// `t`: a large directory, a small one, an old one, and hard links across them.
fn tree() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let t = place.path().join("t");
    for dir in ["large/in", "small", "old"] {
        fs::create_dir_all(t.join(dir)).unwrap();
    }
    for (name, size) in [
        ("large/a.bin", 900_000),
        ("large/in/b.bin", 400_000),
        ("small/c.rs", 9_000),
        ("old/d.rs", 7_000),
    ] {
        fs::write(t.join(name), vec![7; size]).unwrap();
    }
    fs::hard_link(t.join("small/c.rs"), t.join("large/in/link.rs")).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for name in ["old/d.rs", "old"] {
        fs::File::open(t.join(name)).unwrap().set_modified(then).unwrap();
    }
    place
}

#[test]
fn lines_are_sorted_by_size_and_top_cuts_them() {
    let place = tree();
    let all = lines(place.path(), &["-b", "t"]);
    let names: Vec<&str> = all.iter().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(names, ["t", "t/large", "t/large/in", "t/old", "t/small"]);
    assert_eq!(lines(place.path(), &["-b", "--top", "2", "t"]), all[..2]);
    assert_eq!(lines(place.path(), &["-b", "--min", "100K", "t"]), all[..3]);
}

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

#[test]
fn filters_choose_files_and_age_chooses_directories() {
    let place = tree();
    assert_eq!(lines(place.path(), &["-bs", "--extension", "rs", "t"]), ["16000\tt"]);
    assert_eq!(lines(place.path(), &["-bs", "--size", "+500K", "t"]), ["900000\tt"]);
    assert_eq!(lines(place.path(), &["-b", "--older-than", "90d", "t"]), ["7000\tt/old"]);
    let groups = lines(place.path(), &["--apparent-size", "-B1", "--by", "extension", "t"]);
    assert_eq!(groups, ["1300000\t.bin", "16000\t.rs", "0\t(directories)"]);
}

/// Through a link, an option that GNU du does not have does what it does under brisk's name.
#[test]
fn a_link_ignores_no_option() {
    let place = tree();
    let as_du = |words: &str| {
        let script = format!("exec -a du {} {words}", brisk());
        let output =
            Command::new("bash").args(["-c", &script]).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{words}: {output:?}");
        stdout(&output)
    };
    assert_eq!(as_du("-ab --top 2 --extension bin t"), "1300000\tt\n1300000\tt/large\n");
    as_du("--html page t");
    let page = fs::read_to_string(place.path().join("page")).unwrap();
    assert!(page.contains("large"), "the page has rows");
}

#[test]
fn units_are_those_of_gnu() {
    let place = tree();
    for (size, all) in [("+878K", true), ("+879K", false), ("+900KB", true), ("+901KB", false)] {
        let file = ["-ab", "--size", size, "--min=1", "t/large/a.bin"];
        assert_eq!(!lines(place.path(), &file).is_empty(), all, "--size {size}");
        let file = ["-ab", "--min", &size[1..], "t/large/a.bin"];
        assert_eq!(!lines(place.path(), &file).is_empty(), all, "--min {size}");
    }
    let refused = du(place.path(), &["--size", "+1b"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn names_and_births_choose_files_too() {
    let place = tree();
    assert_eq!(lines(place.path(), &["-bs", "--match", "^[ab].*[.]bin$", "t"]), ["1300000\tt"]);
    assert_eq!(lines(place.path(), &["-bs", "--glob", "--match", "bin", "t"]), ["0\tt"]);
    let named = ["-b", "--glob", "--match", "c.*", "t/small/c.rs"];
    assert_eq!(lines(place.path(), &named), ["9000\tt/small/c.rs"]);
    let all = ["1316000\tt"];
    for (within, before) in
        [("--ctime-within=1d", "--ctime-before=1d"), ("--created-within=1d", "--created-before=1d")]
    {
        // Files of this day alone.
        assert_eq!(lines(place.path(), &["-bs", before, "t"]), ["0\tt"], "{before}");
        if within.starts_with("--ctime") {
            assert_eq!(lines(place.path(), &["-bs", within, "t"]), all, "{within}");
        }
    }
}

#[test]
fn what_is_printed_for_rm_is_what_rm_removes() {
    let place = tree();
    let list = du(place.path(), &["--print0", "--older-than", "90d", "t"]);
    assert_eq!(list.stdout, b"t/old\0");
    for words in ["-c", "--by=type", "--json", "--html=page"] {
        let refused = du(place.path(), &["--print0", words]);
        assert_eq!((refused.status.code(), refused.stdout), (Some(2), Vec::new()));
    }
    for words in [
        &["--html", "-"][..],
        &["--min", "-1"],
        &["--json", "-c"],
        &["--json", "--top=1"],
        &["--json", "--html=page"],
    ] {
        let refused = du(place.path(), words);
        assert_eq!((refused.status.code(), refused.stdout), (Some(2), Vec::new()), "{words:?}");
    }
    let script = "$0 du --print0 --older-than 90d t | $0 rm -r --files0-from -";
    let words = ["-c", script, brisk()];
    assert!(Command::new("sh").args(words).current_dir(place.path()).status().unwrap().success());
    assert!(!place.path().join("t/old").exists() && place.path().join("t/small/c.rs").exists());
}

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

#[test]
fn a_sum_that_does_not_fit_is_the_largest_number() {
    let test = "a_sum_that_does_not_fit_is_the_largest_number";
    let Some(place) = testkit::huge_files(test) else { return };
    for rule in [&["-b"][..], &["-b", "-l"], &["-b", "-j4"]] {
        assert_eq!(lines(place.path(), &[rule, &["h"]].concat()), ["Infinity\th"], "{rule:?}");
    }
    let groups = lines(place.path(), &["-b", "--by", "type", "h"]);
    assert_eq!(groups, ["Infinity\tfile", "0\t(directories)"]);
    let object = lines(place.path(), &["--json", "h"]).pop().unwrap();
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(
        (&object["apparent"], &object["own_apparent"]),
        (&u64::MAX.into(), &u64::MAX.into())
    );
    let page = place.path().join("page");
    assert!(du(place.path(), &["-b", "--html", page.to_str().unwrap(), "h"]).status.success());
    assert!(fs::read_to_string(page).unwrap().contains(&format!("{},0,4", u64::MAX)));
    // Two of them fit.
    fs::remove_file(place.path().join("h/c")).unwrap();
    assert_eq!(lines(place.path(), &["-b", "h"]), [format!("{}\th", u64::MAX - 1)]);
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
fn a_terminal_shows_a_tree_with_bars() {
    let place = tree();
    fs::write(place.path().join("t/large/notes"), vec![1; 2_000_000]).unwrap();
    let shown = |columns: u16, lines: u16, locale: &str| {
        let script = format!("stty cols {columns} rows {lines}; {} du -b t", brisk());
        let output = Command::new("script")
            .args(["-qec", &script, "/dev/null"])
            .env("LC_ALL", locale)
            .current_dir(place.path())
            .output();
        let shown = stdout(&output.ok()?).replace('\r', "");
        Some(shown.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let Some(wide) = shown(50, 6, "C.UTF-8") else {
        return left_out("a terminal", "there is no script");
    };
    assert_eq!(wide.len(), 4, "two lines are left for the prompt: {wide:?}");
    assert!(wide[0].ends_with(" 100% ██████████ t/"), "{wide:?}");
    assert!(wide[1].ends_with("└── large/") && wide[2].ends_with("    ├── (files)"), "{wide:?}");
    assert!(wide[3].ends_with("    └── in/"), "{wide:?}");
    let narrow = shown(30, 6, "C").unwrap();
    assert!(
        narrow[2].ends_with("%     |-- (files)"),
        "no bar, no strokes beyond ASCII: {narrow:?}"
    );
    let plain = shown(80, 6, "C").unwrap();
    assert!(plain[0].ends_with(" 100% ########## t/"), "{plain:?}");
}

#[test]
fn shares_in_a_directory_add_up_to_its_own() {
    let place = tree();
    let script = format!("stty cols 80 rows 24; {} du -b t", brisk());
    let output = Command::new("script")
        .args(["-qec", &script, "/dev/null"])
        .current_dir(place.path())
        .output();
    let Ok(output) = output else { return left_out("a terminal", "there is no script") };
    let shown = stdout(&output).replace('\r', "");
    let shown: Vec<&str> = shown.lines().collect();
    let number = |name: &str| {
        let line = shown.iter().find(|line| line.ends_with(name)).expect("a line");
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(number(" large/"), number(" (files)") + number(" in/"), "{shown:?}");
    let files = shown.iter().filter(|line| line.contains("(files)")).count();
    assert_eq!(files, 1, "no directory is named twice: {shown:?}");
    // 900,000 of 1,316,000 bytes are 68.4 %, 409,000 are 31.1 %, and 9,000 are 0.7 %.
    for share in [" 68% ", " 99% ", "  1% "] {
        assert!(shown.iter().any(|line| line.contains(share)), "{share}: {shown:?}");
    }
}

/// As GNU du, which leaves the whole mount out.
#[test]
fn one_file_system_leaves_mounts_out() {
    let Some(way) = testkit::unshared() else { return left_out("mounts", "no mount namespace") };
    let place = tree();
    symlink(brisk(), place.path().join("du")).unwrap();
    let script = "mount -t tmpfs none t/small && echo x > t/small/new && du -ax t | sort > theirs \
        && ./du -ax t | sort > ours && cmp theirs ours && ! grep -q small ours";
    let mut command = Command::new(way[0]);
    let output = command.args(&way[1..]).args(["sh", "-c", script]).current_dir(place.path());
    let output = output.output().unwrap();
    assert!(output.status.success(), "{output:?}");
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

#[test]
#[ignore = "run by scripts/test all"]
fn the_page_leads_to_the_largest_directory_in_a_browser() {
    let place = tree();
    fs::write(place.path().join("t/<!--<script>&"), vec![7; 5_000]).unwrap();
    let page = place.path().join("page.html");
    assert!(du(place.path(), &["--html", page.to_str().unwrap(), "t"]).status.success());
    assert!(!fs::read_to_string(&page).unwrap().contains("http"), "the page needs nothing else");
    let click = "document.querySelector('#map button.d').click();\
        document.title=document.querySelector('#crumbs').textContent+' '+\
        document.querySelectorAll('#map button').length;";
    let Some((dom, log)) = browser::dump(&page, click) else { return };
    assert!(dom.contains("<title>t/large/ "), "{dom}\n{log}");
    assert!(dom.contains("a.bin") && dom.contains("in/") && dom.contains("id=\"list\""), "{dom}");
    assert!(!log.contains("CONSOLE"), "{log}");
    let back = "document.querySelector('#map button').focus();\
        document.dispatchEvent(new KeyboardEvent('keydown',{key:'Escape',bubbles:true}));\
        const by=document.querySelector('#by');by.value='age';by.onchange();\
        document.title=document.querySelector('#crumbs').textContent;";
    let (dom, log) = browser::dump(&page, back).unwrap();
    assert!(dom.contains("<title>t/ "), "{dom}\n{log}");
    assert!(dom.contains("four years</span>"), "a legend: {dom}");
    assert!(!log.contains("CONSOLE"), "{log}");
    // Many small files are one box, and no box leaves the map.
    let many = place.path().join("t/many");
    fs::create_dir(&many).unwrap();
    (0..3000).for_each(|file| fs::write(many.join(file.to_string()), [7; 200]).unwrap());
    assert!(du(place.path(), &["-b", "--html", page.to_str().unwrap(), "t"]).status.success());
    let look = "const map=document.getElementById('map'),edge=map.getBoundingClientRect().right,\
        boxes=[...document.querySelectorAll('#map button')];document.title=boxes.length+' '+\
        boxes.filter(b=>b.getBoundingClientRect().right>edge+.5).length+' outside, '+\
        document.querySelector('h1').textContent;";
    let (dom, log) = browser::dump(&page, look).unwrap();
    assert!(dom.contains(" 0 outside, ") && dom.contains(" entries</title>"), "{dom}\n{log}");
    assert!(dom.contains("3,000 entries "), "{dom}");
}

/// Small ones are folded.
#[test]
fn the_page_of_many_files_stays_small() {
    // In memory, if it can be: on a disk the files alone take twenty seconds of a processor.
    let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    for dir in 0..60 {
        let dir = place.path().join(format!("a-directory-with-a-long-name-{dir:060}"));
        fs::create_dir(&dir).unwrap();
        for file in 0..1_000 {
            fs::write(dir.join(format!("{file:0120}")), "").unwrap();
        }
    }
    let page = tempfile::tempdir().unwrap();
    let page = page.path().join("page.html");
    let words = ["--inodes", "--html", page.to_str().unwrap(), "."];
    assert!(du(place.path(), &words).status.success());
    let length = fs::metadata(&page).unwrap().len();
    assert!((3 << 20..4 << 20).contains(&length), "{length}");
}

/// A tree that takes a worker two minutes.
const SLOW: &str = "--dirs 1000 --files 5 --latency 20ms";

/// Ctrl-C on a terminal: the line of progress goes.
#[test]
fn an_interrupted_count_leaves_no_line_of_progress() {
    let test = "an_interrupted_count_leaves_no_line_of_progress";
    let Some(mounted) = Mounted::new(test, SLOW) else { return };
    let path = mounted.path().display();
    let reset = "env --default-signal=INT";
    let count = format!("{reset} {} du -j1 --progress=always {path}", brisk());
    let mut script = Command::new("script");
    script.args(["-qec", &count, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut script) = script.spawn() else { return left_out(test, "there is no script") };
    let mut output = script.stdout.take().unwrap();
    let mut printed = Vec::new();
    while !String::from_utf8_lossy(&printed).contains(" entries a second") {
        let mut some = [0; 256];
        let read = output.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&printed));
        printed.extend_from_slice(&some[..read]);
    }
    let mut keys = script.stdin.take().unwrap();
    keys.write_all(b"\x03").unwrap();
    output.read_to_end(&mut printed).unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(130));
    drop(keys);
    let printed = String::from_utf8_lossy(&printed);
    assert!(printed.ends_with("\r\x1b[K"), "{printed:?}");
}

#[test]
fn an_interrupted_count_ends_with_a_whole_object() {
    let test = "an_interrupted_count_ends_with_a_whole_object";
    let Some(mounted) = Mounted::new(test, SLOW) else { return };
    let path = mounted.path().to_str().unwrap();
    for signal in ["INT", "TERM"] {
        let reset = ["--default-signal", brisk(), "du", "-j8", "-a", "--json", path];
        let mut count = Command::new("env").args(reset).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(count.stdout.take().unwrap());
        let mut text = String::new();
        for _ in 0..20 {
            output.read_line(&mut text).unwrap();
        }
        run("kill", &["-s", signal, &count.id().to_string()]);
        output.read_to_string(&mut text).unwrap();
        let status = count.wait().unwrap();
        let expected = if signal == "INT" { 130 } else { 143 };
        assert_eq!(status.code().or(status.signal().map(|signal| 128 + signal)), Some(expected));
        assert!(text.ends_with('\n') && text.lines().count() >= 20, "{text:?}");
        for line in text.lines() {
            let object: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(object["path"].is_string());
        }
    }
    let shell = "timeout --preserve-status -s INT 1 $0 du -j1 -s $1";
    let status = Command::new("sh").args(["-c", shell, brisk(), path]).status().unwrap();
    assert_eq!(status.code(), Some(130));
}

/// In lines by size a file takes its name and some bytes; as GNU du brisk holds the names of 100,000
/// files at most, as GNU du does.
#[test]
fn names_of_one_directory_take_little_memory() {
    let Ok(place) = tempfile::TempDir::new_in("/dev/shm") else {
        return left_out("names_of_one_directory_take_little_memory", "there is no /dev/shm");
    };
    let du = place.path().join("du");
    symlink(brisk(), &du).unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    for file in 0..200_000 {
        fs::write(place.path().join(format!("t/{file:060}")), "").unwrap();
    }
    let more = |command: &[&str], options: &[&str]| {
        let of = |options| peak(place.path(), &[command, &["--threads=1", "t"], options].concat());
        of(options).saturating_sub(of(&["-s"]))
    };
    let sorted = more(&[brisk(), "du"], &["-a"]);
    assert!(sorted <= 26 << 10, "{sorted} KiB for 200,000 names of 60 bytes");
    let largest = more(&[brisk(), "du"], &["-a", "--top=9"]);
    assert!(largest <= 2 << 10, "{largest} KiB for the nine largest");
    let in_order = more(&[du.to_str().unwrap()], &["-a"]);
    assert!(in_order <= 36 << 10, "{in_order} KiB for 100,000 names at once");
}

/// One directory of so many files, each with two links there.
fn linked(files: u32) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for file in 0..files {
        let path = place.path().join(format!("a-{file}"));
        fs::write(&path, "").unwrap();
        fs::hard_link(path, place.path().join(format!("b-{file}"))).unwrap();
    }
    place
}

/// A million files, each with two links in one directory.
#[test]
#[ignore = "makes two million entries, which takes some minutes"]
fn a_million_files_with_links_take_48_mib() {
    // Without the program itself, which is larger in a test build.
    let base = peak(linked(1).path(), &[brisk(), "du", "-s"]);
    let more = peak(linked(1_000_000).path(), &[brisk(), "du", "-s"]).saturating_sub(base);
    assert!(more <= 48 << 10, "{more} KiB");
}

#[test]
#[ignore = "asks slowfs about ten million entries, which takes some minutes"]
fn ten_million_entries_take_little_memory() {
    let test = "ten_million_entries_take_little_memory";
    let flags = "--dirs 10000 --files 1000 --latency 0 --readdirplus --attr-timeout 60s \
                 --entry-timeout 60s";
    let Some(mounted) = Mounted::new(test, flags) else { return };
    let words = [brisk(), "du", "-s", mounted.path().to_str().unwrap()];
    let peak = peak(Path::new("/"), &words);
    assert!(peak <= 64 << 10, "{peak} KiB");
}

#[test]
fn hidden_and_ignored_files_count_unless_they_are_left_out() {
    let place = tempfile::tempdir().unwrap();
    let tree = place.path().join("t");
    fs::create_dir_all(tree.join(".hidden")).unwrap();
    fs::create_dir_all(tree.join("out")).unwrap();
    for (name, size) in [(".hidden/a", 1), ("out/b", 10), ("c.log", 100), ("d", 1000)] {
        fs::write(tree.join(name), vec![b'x'; size]).unwrap();
    }
    fs::write(tree.join(".ignore"), "out/\n*.log\n").unwrap();
    let sum = |words: &[&str]| lines(place.path(), &[&["-bs", "t"], words].concat());
    let rules = 11;
    for (words, bytes) in [
        (&[][..], 1111 + rules),
        (&["--no-hidden"], 1110),
        (&["--ignore"], 1001 + rules),
        (&["--no-hidden", "--ignore"], 1000),
        (&["--no-hidden", "--hidden"], 1111 + rules),
        (&["--ignore", "--no-ignore"], 1111 + rules),
    ] {
        assert_eq!(sum(words), [format!("{bytes}\tt")], "{words:?}");
    }
    // A named directory counts, although it is hidden.
    assert_eq!(lines(place.path(), &["-bs", "--no-hidden", "t/.hidden"]), ["1\tt/.hidden"]);
}
