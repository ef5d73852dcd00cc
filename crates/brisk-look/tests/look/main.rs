//! `brisk du -i` on a terminal, by what its screen holds.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod session;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::{Signal, kill_process};
use session::Session;

/// A tree in which `big` is larger than `middle`, and `small` is a file.
fn tree() -> tempfile::TempDir {
    let place = testkit::scratch();
    let file = |path: &str, size: usize| {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; size]).unwrap();
    };
    file("t/big/one", 300_000);
    file("t/big/two", 200_000);
    file("t/big/deep/three", 100_000);
    file("t/middle/four", 150_000);
    file("t/small", 5_000);
    place
}

fn started(place: &Path, words: &[&str]) -> Session {
    let mut session = Session::start(place, &[words, &["t"]].concat());
    session.shows("Enter opens");
    session.rests();
    session
}

#[test]
fn the_tree_is_shown_sorted_and_walked_through() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    let names = |look: &Session| {
        let names = (2..5).map(|line| look.line(line).split(' ').next_back().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&look), ["big/", "middle/", "small"]);
    let path = place.path().join("t");
    assert!(look.line(0).starts_with(&format!("{}  ", path.display())), "{}", look.line(0));
    let headings: Vec<_> = look.line(1).split_whitespace().map(str::to_owned).collect();
    assert_eq!(headings, ["size", "%", "entries", "changed", "name"]);
    assert!(look.under_cursor().contains("big/"));
    look.send("n");
    look.shows("by name");
    look.send("n");
    look.shows("by name, reversed");
    assert_eq!(names(&look), ["small", "middle/", "big/"]);
    look.send("s\x1b[H\r");
    look.shows("t/big");
    look.shows("deep/");
    look.send("\x7f");
    look.shows("middle/");
    assert!(look.under_cursor().contains("big/"), "back on the directory");
    look.send("q");
    assert_eq!(look.end().code(), Some(0));
    look.is_given_back();
}

#[test]
fn what_is_marked_is_removed_after_a_question() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    look.send("n ");
    look.shows("marked: 1 entry");
    look.send("\x1b[F ");
    look.shows("marked: 2 entries");
    look.send("d");
    look.shows("Remove t/big, t/small, ");
    look.shows(", frees ");
    look.hides("frees …");
    let question = look.line(23);
    assert!(question.contains("in 6 entries, frees "), "{question}");
    assert!(question.ends_with("? y removes"), "{question}");
    look.send("x");
    look.shows("marked: 2 entries");
    assert!(place.path().join("t/big/one").exists(), "no was no answer");
    look.send("dy");
    look.hides("small");
    look.hides("big/");
    look.shows("in 3 entries");
    assert!(!place.path().join("t/big").exists() && !place.path().join("t/small").exists());
    assert!(place.path().join("t/middle/four").exists());
    look.send("q");
    look.end();
}

#[test]
fn a_file_that_was_replaced_stays() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    let small = place.path().join("t/small");
    fs::rename(&small, place.path().join("t/other")).unwrap();
    fs::write(&small, "new").unwrap();
    look.send("\x1b[Fdy");
    look.shows("the name now belongs to another file");
    assert_eq!(fs::read_to_string(&small).unwrap(), "new");
    look.send("q");
    look.end();
}

#[test]
fn a_directory_that_was_replaced_stays() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    fs::rename(place.path().join("t/big"), place.path().join("t/moved")).unwrap();
    fs::create_dir(place.path().join("t/big")).unwrap();
    fs::write(place.path().join("t/big/new"), "new").unwrap();
    look.send("\x1b[Hdy");
    look.shows("the name now belongs to another file");
    assert!(place.path().join("t/big/new").exists() && place.path().join("t/moved/one").exists());
    look.send("q");
    look.end();
}

#[test]
fn what_cannot_be_removed_says_why_where_it_is() {
    if !testkit::is_root() {
        return testkit::left_out("what cannot be removed", "mounting needs root");
    }
    let place = tree();
    fs::create_dir(place.path().join("t/middle/mounted")).unwrap();
    let mount = "mount -t tmpfs none t/middle/mounted && exec \"$@\"";
    let by = ["unshare", "-m", "sh", "-c", mount, "sh"];
    let mut look = Session::start_by(place.path(), &by, &["t"], |_| {});
    look.shows("Enter opens");
    look.rests();
    look.send("\x1b[Bdy");
    look.shows("not entering 't/middle/mounted': it is on a different device");
    assert!(!place.path().join("t/middle/four").exists());
    look.rests();
    look.shows("\n !");
    look.send("\r");
    look.shows("t/middle  ");
    look.shows("it is on a different device");
    assert!(look.under_cursor().contains("mounted/"));
    look.send("q");
    assert_eq!(look.end().code(), Some(1));
}

#[test]
fn the_question_names_what_goes_and_says_what_is_not_seen() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    look.send("\x1b[H /mid\r");
    look.hides("small");
    look.shows("marked: 1 entry (not on the screen), ");
    look.send("d");
    look.shows("Remove t/big (not on the screen), ");
    look.send("x d");
    look.shows("Remove t/big, t/middle (1 not on the screen), ");
    look.send("x");
    look.send("\x1b");
    look.shows("big/");
    for name in ["a", "b", "c"] {
        fs::write(place.path().join("t").join(name), "").unwrap();
    }
    look.send("r");
    look.shows("in 12 entries");
    look.rests();
    look.send("n\x1b[H     d");
    look.shows("Remove t/a, t/b, t/big and 2 more, ");
    look.send("x");
    look.resize(60, 12);
    look.send("d");
    look.until("question of two lines", |screen| {
        let lines = screen.contents_between(10, 0, 11, 60);
        let mut lines = lines.lines().map(str::to_owned);
        lines.next().is_some_and(|line| line == "Remove t/a, t/b, t/big and 2 more:")
            && lines.next().is_some_and(|line| line.trim_end().ends_with("? y removes"))
    });
    look.send("xq");
    look.end();
    assert!(place.path().join("t/big/one").exists());
}

/// The file's six names are in `first/in` and in `second`.
fn linked() -> tempfile::TempDir {
    let place = testkit::scratch();
    let file = |path: &str, size: usize| {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; size]).unwrap();
    };
    file("t/first/in/huge", 3_000_000);
    file("t/first/other", 200_000);
    file("t/second/f", 500_000);
    for number in 1..6 {
        let name = format!("t/second/name{number}");
        fs::hard_link(place.path().join("t/first/in/huge"), place.path().join(name)).unwrap();
    }
    place
}

#[test]
fn sums_are_right_after_a_name_of_a_file_was_removed() {
    let place = linked();
    let mut look = started(place.path(), &["--apparent-size"]);
    look.shows("3.6M of contents in 7 entries");
    look.send("n\x1b[F\r");
    look.shows("t/second  489K of contents in 2 entries, 5 counted elsewhere, by name");
    assert!(look.line(3).ends_with(" name1  (2.9M, counted elsewhere)"), "{}", look.line(3));
    assert!(look.line(3).starts_with("       0 "), "{}", look.line(3));
    look.send("hh\x1b[H\r");
    look.shows("t/first  3.1M");
    look.send("\x1b[H\r");
    look.shows("t/first/in  2.9M");
    look.shows("huge");
    look.send("\x1b[Hdy");
    look.shows("t/first/in  0 of contents in 1 entries, by name");
    look.send("h");
    look.shows("t/first  196K of contents in 3 entries, by name");
    look.send("h");
    look.shows("t  3.6M of contents in 7 entries, by name");
    look.send("\x1b[F\r");
    look.shows("t/second  3.4M of contents in 3 entries, 4 counted elsewhere, by name");
    assert!(look.line(3).ends_with(" name1"), "{}", look.line(3));
    // A count of this directory alone counts the file in it; so it does in the whole.
    look.send("r");
    look.rests();
    look.send("h");
    look.shows("t  3.6M of contents in 7 entries, by name");
    look.send("q");
    assert_eq!(look.end().code(), Some(0));
}

#[test]
fn marks_outlive_the_count_after_a_removal() {
    let place = linked();
    let mut look = started(place.path(), &[]);
    look.shows("second/");
    look.send("n\x1b[F \x1b[H\r");
    look.shows("other");
    look.send(" ");
    look.shows("marked: 2 entries");
    look.send("d");
    look.shows("Remove t/second, t/first/in (1 not on the screen)");
    look.send("x\x1b[H ");
    // in has no mark any more.
    look.shows("marked: 1 entry");
    look.send("q");
    look.end();
}

#[test]
fn a_file_that_was_marked_elsewhere_counts_no_more() {
    let place = tree();
    let mut look = started(place.path(), &["--apparent-size"]);
    look.shows("738K of contents");
    look.send("n\x1b[H\r");
    look.shows("t/big  ");
    look.shows("two");
    look.send("\x1b[F h");
    look.shows("marked: 1 entry (not on the screen)");
    look.send("dy");
    look.shows("t  542K of contents in 8 entries, by name");
    look.send("q");
    look.end();
}

#[test]
fn a_failed_removal_is_told_with_path_and_cause_and_ends_with_1() {
    let place = testkit::scratch();
    let deep = place.path().join("t/a/b");
    fs::create_dir_all(&deep).unwrap();
    for number in 0..9 {
        fs::write(deep.join(format!("f{number}")), "x").unwrap();
    }
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o555)).unwrap();
    if testkit::obedient("true").is_none() {
        return testkit::left_out("a failed removal", "root keeps its capabilities");
    }
    let limited = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
    let by: &[&str] = if testkit::is_root() { &limited } else { &[] };
    let mut look = Session::start_by(place.path(), by, &["t"], |_| {});
    look.shows("a/");
    look.rests();
    look.send("\x1b[Hdy");
    look.shows("cannot remove 't/a/b/f");
    look.shows("': Permission denied (and 8 more)");
    look.rests();
    // Also where the cause is farther below.
    look.send("j");
    look.shows("cannot remove 't/a/b/f0': Permission denied (and 8 more)");
    assert!(look.under_cursor().starts_with(" !"), "{}", look.under_cursor());
    look.send("q");
    assert_eq!(look.end().code(), Some(1));
    let received = String::from_utf8_lossy(&look.received);
    let (_, after) = received.split_once("\x1b[?1049l").unwrap();
    assert!(after.contains("brisk: cannot remove 't/a/b/f"), "{after}");
    assert!(after.contains("': Permission denied (and 8 more)"), "{after}");
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn read_only_removes_nothing() {
    let place = tree();
    let mut look = started(place.path(), &["--read-only"]);
    look.send("d");
    look.shows("read-only: nothing can be removed");
    look.send("yq");
    assert_eq!(look.end().code(), Some(0));
    assert!(place.path().join("t/big/one").exists());
}

#[test]
fn names_cannot_command_the_terminal() {
    let place = testkit::scratch();
    fs::create_dir_all(place.path().join("t/a\x1b]0;title\x07b\u{202e}")).unwrap();
    fs::write(place.path().join("t/x\n\x1b[2Jy\tz"), "").unwrap();
    let mut look = started(place.path(), &[]);
    look.shows("a\\x1B]0;title\\x07b\\u{202E}/");
    look.shows("x\\x0A\\x1B[2Jy\\x09z");
    look.send("\x1b[Hq");
    look.end();
    let received = String::from_utf8_lossy(&look.received);
    assert!(
        !received.contains("\x1b]0;")
            && !received.contains('\x07')
            && !received.contains('\u{202e}')
    );
}

#[test]
fn no_color_means_none() {
    let place = tree();
    let mut look = Session::start_by(place.path(), &[], &["t"], |it| _ = it.env("NO_COLOR", "1"));
    look.shows("small");
    look.send("q");
    look.end();
    let cells = |color: &str| String::from_utf8_lossy(&look.received).contains(color);
    assert!(!cells("38;5;") && !cells("48;5;"));
}

#[test]
fn it_fits_forty_columns_and_follows_the_size() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("2026");
    look.resize(40, 8);
    look.until("row of 40 columns", |screen| {
        screen.contents().contains("big/") && !screen.contents().contains("2026")
    });
    assert!(look.line(2).ends_with("% big/"), "{}", look.line(2));
    for size in [(3, 2), (1, 1), (200, 60)] {
        look.resize(size.0, size.1);
    }
    look.until("a line at the end", |screen| screen.contents_between(59, 0, 59, 9) == "Enter ope");
    look.send("q");
    look.end();
    look.is_given_back();
}

#[test]
fn search_shows_what_contains_the_text() {
    let place = tree();
    let mut look = started(place.path(), &[]);
    look.shows("small");
    look.send("/MA");
    look.hides("middle");
    look.shows("small");
    look.send("\x1b");
    look.shows("middle");
    look.send("/deep");
    look.shows("no name here contains 'deep'; subdirectories are not searched");
    look.send("\rd");
    look.shows("nothing to remove");
    // Ctrl-C ends only the search.
    look.send("\x1b");
    look.shows("small");
    look.send("/zz");
    look.hides("small");
    look.send("\x03");
    look.shows("small");
    look.send("\x1b[F\r");
    look.shows("not a directory");
    look.send("?");
    look.shows("sort by size, count, time, name");
    look.resize(100, 6);
    look.shows("Down and Up scroll");
    look.send("\x1b[6~\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
    look.shows("q Ctrl-C");
    look.send("x");
    look.hides("q Ctrl-C");
    look.send("q");
    look.end();
}

#[test]
fn the_path_is_printed_on_leaving() {
    let place = tree();
    let out = place.path().join("out");
    let file = fs::File::create(&out).unwrap();
    let mut look =
        Session::start_by(place.path(), &[], &["--print", "t"], |it| _ = it.stdout(file));
    look.shows("small");
    look.send("o");
    assert_eq!(look.end().code(), Some(0));
    assert_eq!(fs::read_to_string(&out).unwrap(), "t/big\n");
    look.is_given_back();
}

#[test]
fn signals_give_the_terminal_back() {
    let place = tree();
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129)] {
        let mut look = started(place.path(), &[]);
        kill_process(look.process(), signal).unwrap();
        assert_eq!(look.end().code(), Some(code));
        look.is_given_back();
    }
    let mut look = started(place.path(), &[]);
    look.send("\x03");
    assert_eq!(look.end().code(), Some(130));
    look.is_given_back();
}

#[test]
fn it_ends_with_its_terminal() {
    let place = tree();
    assert_eq!(started(place.path(), &[]).hang_up().code(), Some(129));
    // Also where the system sends no signal.
    let by = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"];
    let mut look = Session::start_by(place.path(), &by, &["t"], |_| {});
    look.shows("small");
    look.rests();
    assert_eq!(look.hang_up().code(), Some(1));
}

#[test]
fn control_z_stops_and_goes_on() {
    let place = tree();
    let script = "set -m; \"$@\"; echo it was stopped; read line; fg; echo it ended with $?";
    let mut look = Session::start_by(place.path(), &["sh", "-c", script, "sh"], &["t"], |_| {});
    look.shows("Enter opens");
    look.send("\x1a");
    look.shows("it was stopped");
    look.is_given_back();
    look.send("\n");
    look.shows("Enter opens");
    look.send("q");
    look.shows("it ended with 0");
    look.end();
    look.is_given_back();
}

#[test]
fn without_a_terminal_it_is_refused_with_what_works() {
    let place = tree();
    fs::write(place.path().join("notes"), "text\n").unwrap();
    fs::write(place.path().join("empty"), "").unwrap();
    let neither = |file| format!("{file}: not the output of brisk du --json or ncdu -o");
    let [notes, empty] = ["'notes'", "'empty'"].map(neither);
    let table: [(&str, &[&str], &str, i32); 11] = [
        (
            "exec \"$@\" >out",
            &["a b"],
            "-i needs a terminal as standard output, or --print; without -i, brisk du prints lines",
            2,
        ),
        (
            "exec \"$@\" </dev/null",
            &["nosuch"],
            "-i needs a terminal; without -i, brisk du prints lines",
            2,
        ),
        ("exec \"$@\" </dev/null", &["--from", "x"], "-i needs a terminal\n", 2),
        ("TERM=dumb exec \"$@\"", &["t"], "-i cannot draw with TERM=dumb; without -i", 2),
        ("TERM= exec \"$@\"", &["t"], "-i needs the type of the terminal, and TERM is empty; ", 2),
        ("exec \"$@\" <notes", &["--from", "-"], "save to a file first: brisk du --json >FILE", 2),
        ("exec \"$@\"", &["--from", "notes", "."], "--from cannot be used with directories", 2),
        ("exec \"$@\"", &["--from", "notes"], &notes, 1),
        ("exec \"$@\"", &["--from", "empty"], &empty, 1),
        ("exec \"$@\"", &["t/small"], "'t/small': not a directory\n", 1),
        ("ln -s t link; exec \"$@\"", &["link"], "'link': not a directory; -D follows links\n", 1),
    ];
    for (script, words, told, code) in table {
        let by = ["sh", "-c", script, "sh"];
        let mut look = Session::start_by(place.path(), &by, words, |_| {});
        assert_eq!(look.end().code(), Some(code), "{script} {words:?}");
        let received = String::from_utf8_lossy(&look.received).replace("\r\n", "\n");
        assert!(received.contains(told), "{script}: {received}");
        assert!(!received.contains("\x1b["), "{script}: {received}");
    }
}

#[test]
fn a_saved_count_says_that_it_is_saved_and_when() {
    let place = tree();
    let export = r#"[1,2,{"timestamp":1700000000},[{"name":"/r"},{"name":"f","dsize":4096}]]"#;
    fs::write(place.path().join("m.json"), export).unwrap();
    let mut look = Session::start(place.path(), &["--from", "m.json"]);
    look.shows("/r  4.0K in 2 entries, saved 2023-11-14");
    look.shows(" f");
    look.send("q");
    assert_eq!(look.end().code(), Some(0));
}

#[test]
fn a_file_among_directories_has_its_size() {
    let place = tree();
    let mut look = Session::start(place.path(), &["--apparent-size", "t/small", "t/middle"]);
    look.shows("2 paths  152K of contents in 3 entries");
    look.rests();
    look.send("n\x1b[F");
    look.shows(" t/small");
    look.send("\r");
    look.shows("not a directory");
    look.send("q");
    look.end();
}

/// All keys except `y` and those that quit.
const KEYS: [&str; 24] = [
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[H",
    "\x1b[F",
    "\r",
    "\x7f",
    "h",
    "j",
    "k",
    "l",
    "s",
    "c",
    "t",
    "n",
    "a",
    " ",
    "d",
    "?",
    "r",
    "/x\x1b[B\r",
];

#[test]
fn ten_thousand_random_keys_beside_a_tree_that_changes_remove_nothing() {
    let place = testkit::scratch();
    let mut random = testkit::Random(460);
    let mut dirs = vec![place.path().join("t")];
    fs::create_dir(&dirs[0]).unwrap();
    for number in 0..60 {
        let dir = dirs[random.below(dirs.len())].join(format!("d{number}"));
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("x"), vec![b'x'; random.below(30_000)]).unwrap();
        dirs.push(dir);
    }
    let mut look = started(place.path(), &[]);
    for round in 0..200 {
        let keys: String = (0..50).map(|_| KEYS[random.below(KEYS.len())]).collect();
        look.send(&keys);
        // vt100 can wrap no line on a screen of one line, and no wide character in one column.
        look.resize(2 + random.below(149) as u16, 2 + random.below(49) as u16);
        let dir = &dirs[random.below(dirs.len())];
        let file = dir.join(format!("f{}", random.below(9)));
        if fs::remove_file(&file).is_err() {
            fs::write(&file, vec![b'x'; random.below(100_000)]).unwrap();
        }
        if round % 10 == 0 {
            let moved = dirs[1].with_file_name("moved");
            fs::rename(&dirs[1], &moved).unwrap();
            fs::rename(&moved, &dirs[1]).unwrap();
        }
        while look.take(rustix::event::Timespec { tv_sec: 0, tv_nsec: 1_000_000 }) {}
    }
    look.resize(100, 80);
    // The search is over, and the root is shown.
    look.send(&format!("x/\x7f\x7f\x7f\r{}", "h".repeat(40)));
    look.shows("/t  ");
    look.rests();
    look.send("r");
    for entry in fs::read_dir(place.path().join("t")).unwrap() {
        look.shows(&format!(" {}", entry.unwrap().file_name().to_str().unwrap()));
    }
    look.send("q");
    assert_eq!(look.end().code(), Some(0));
    look.is_given_back();
    assert!(dirs.iter().all(|dir| dir.is_dir()));
}
