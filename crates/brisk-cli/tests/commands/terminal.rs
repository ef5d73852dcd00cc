//! What a user at a terminal sees beside the results: progress, hints and refusals.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};

use testkit::{brisk, has_tables, scratch, terminal};

/// The end of a progress line: it is gone.
const GONE: &str = "\r\u{1b}[K";

/// What these words print to a terminal that is standard error, and with `both` standard output
/// too.
fn on_terminal(words: &[&str], place: &tempfile::TempDir, both: bool) -> String {
    let (ours, theirs) = terminal(80);
    let out = if both { theirs.try_clone().unwrap().into() } else { Stdio::null() };
    let mut command = Command::new(brisk());
    command.args(words).current_dir(place.path()).env("HOME", place.path());
    command.env("LC_ALL", "C.UTF-8").env_remove("LS_COLORS").env_remove("NO_COLOR");
    command.env("TERM", "xterm");
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(theirs).spawn().unwrap();
    // The command value holds the other end. The read ends only when that is closed.
    drop(command);
    let mut printed = Vec::new();
    // A terminal whose other end is closed reports an error at the end.
    let _ = File::from(ours).read_to_end(&mut printed);
    child.wait().unwrap();
    String::from_utf8(printed).unwrap()
}

/// A tree of a few files.
fn tree() -> tempfile::TempDir {
    let place = scratch();
    fs::create_dir_all(place.path().join("docs/sub")).unwrap();
    for file in ["docs/a.md", "docs/sub/b.md"] {
        fs::write(place.path().join(file), file).unwrap();
    }
    place
}

#[test]
fn progress_is_shown_on_demand_and_goes_without_a_trace() {
    let commands: &[&[&str]] = &[
        &["find", "--count", "--progress"],
        &["du", "--progress"],
        &["changed", "docs", "--progress"],
        &["diff", "docs", "docs/sub", "--progress"],
        &["scan", "-o", "docs.csv", "--progress"],
        &["chmod", "-R", "--progress", "u+r", "docs"],
        &["rm", "-r", "--progress", "docs"],
    ];
    for words in commands {
        if words[0] == "scan" && !has_tables("progress of scan") {
            continue;
        }
        let place = tree();
        let shown = on_terminal(words, &place, false);
        let lines = shown.split(GONE).filter(|text| text.contains("a second")).count();
        assert!(lines > 0, "{words:?}: {shown:?}");
        let last = shown.rsplit("a second").next().unwrap();
        assert!(last.starts_with(GONE), "{words:?}: {shown:?}");
    }
}

#[test]
fn a_short_run_shows_no_progress() {
    for words in [&["find", "--count"][..], &["du"], &["changed", "docs"], &["rm", "-r", "docs"]] {
        let shown = on_terminal(words, &tree(), false);
        assert!(!shown.contains("a second"), "{words:?}: {shown:?}");
    }
}

#[test]
fn a_directory_taken_for_a_pattern_is_told() {
    let place = tree();
    let told = on_terminal(&["find", "-e", "txt", "docs"], &place, true);
    assert!(told.contains("put a dot before it: brisk find . docs"), "{told:?}");
    let told = on_terminal(&["find", "docs"], &place, true);
    assert!(!told.contains("put a dot"), "there is a result: {told:?}");
    fs::remove_file(place.path().join("docs/a.md")).unwrap();
    // The index is made, is then unchanged, and changes before each search without a result.
    for order in ["none", "sorted"] {
        let words = ["find", "--index=names", "--order", order];
        for _ in 0..2 {
            let told = on_terminal(&[&words[..], &["docs"]].concat(), &place, false);
            assert!(!told.contains("put a dot"), "{order}: there is a result: {told:?}");
        }
        fs::write(place.path().join("docs").join(order), "").unwrap();
        let told = on_terminal(&[&words[..], &["-e", "txt", "docs"]].concat(), &place, false);
        assert!(told.contains("put a dot"), "{order}: there is none: {told:?}");
    }
}

#[test]
fn what_is_hidden_or_ignored_is_told_if_there_are_no_results() {
    let place = tree();
    for pruning in [["--exclude-regex", "^docs"], ["--where", "! ( -name docs -prune )"]] {
        let told = on_terminal(&[&["find", "-e", "c"], &pruning[..]].concat(), &place, true);
        assert!(!told.contains("hidden or ignored"), "-u does not search it: {told:?}");
    }
    fs::create_dir(place.path().join(".git")).unwrap();
    fs::write(place.path().join(".git/x.c"), "").unwrap();
    let told = on_terminal(&["find", "-e", "c"], &place, true);
    assert!(
        told.contains("a hidden or ignored directory was not searched: -u searches"),
        "{told:?}"
    );
    for name in [".a.c", "docs/b.c", "docs/other.h"] {
        fs::write(place.path().join(name), "").unwrap();
    }
    fs::write(place.path().join(".ignore"), "b.c\nother.h\n").unwrap();
    let told = on_terminal(&["find", "-e", "c"], &place, true);
    assert!(told.contains("2 entries that match are hidden or ignored: -u shows them"), "{told:?}");
    let told = on_terminal(&["find", "-e", "h", "--color", "always"], &place, true);
    assert!(told.contains("one entry that matches is hidden or ignored"), "{told:?}");
    let silent: &[(&[&str], bool)] = &[
        (&["find", "-e", "md"], true),
        (&["find", "-u", "-e", "zig"], true),
        (&["find", "-e", "c", "-E", "docs"], true),
        (&["find", "-e", "c"], false),
    ];
    for (words, both) in silent {
        let told = on_terminal(words, &place, *both);
        assert!(!told.contains("hidden or ignored"), "{words:?}: {told:?}");
    }
}

#[test]
fn what_a_first_run_leaves_out_is_told() {
    let hint = "; hidden and ignored ones are left out: -u includes them";
    for (words, is_told) in [(&["changed"][..], true), (&["changed", "-u"], false)] {
        let told = on_terminal(words, &tree(), true);
        assert!(told.contains("brisk: recorded "), "{words:?}: {told:?}");
        assert_eq!(told.contains(hint), is_told, "{words:?}: {told:?}");
    }
    let mut piped = Command::new(brisk());
    let place = tree();
    let piped = piped.arg("changed").current_dir(place.path()).env("HOME", place.path());
    let told = String::from_utf8(piped.output().unwrap().stderr).unwrap();
    assert!(told.contains("recorded ") && !told.contains(hint), "{told:?}");
}

#[test]
fn a_dry_run_tells_what_it_does_not_show() {
    let place = tree();
    let rm = |flag| on_terminal(&["rm", "-r", flag, "docs"], &place, true);
    let sum = "would remove 2 files and 2 directories (";
    assert!(rm("-n").contains(sum) && rm("-n").contains("; -v names each)"), "{:?}", rm("-n"));
    assert!(rm("-nv").contains(sum) && !rm("-nv").contains("-v names"), "{:?}", rm("-nv"));
    let find = |words: &[&str]| {
        on_terminal(&[&["find", "--delete", "--dry-run"], words].concat(), &place, true)
    };
    let stays = "brisk: a directory that still holds something else would stay";
    assert!(find(&["sub"]).contains(stays), "{:?}", find(&["sub"]));
    let files = find(&["-e", "md"]);
    assert!(files.contains("a.md") && !files.contains(stays), "{files:?}");
}

#[test]
fn extensions_in_a_list_are_told() {
    let told = on_terminal(&["find", "-e", "rs,md"], &tree(), true);
    let hint = "'rs,md' is read as one extension; for several, write: -e rs -e md";
    assert!(told.contains(hint), "{told:?}");
}

#[test]
fn a_table_is_not_for_a_terminal() {
    if !has_tables("a table on a terminal") {
        return;
    }
    let told = on_terminal(&["scan", "-o", "-", "--as", "parquet"], &tree(), true);
    assert!(told.contains("the table is not for a terminal"), "{told:?}");
    assert!(!told.contains("PAR1"), "{told:?}");
    let table = on_terminal(&["scan", "-o", "-", "--as", "csv"], &tree(), true);
    assert!(table.contains("docs/a.md"), "{table:?}");
}

#[test]
fn without_a_command_three_are_shown_that_do_something_here() {
    let place = tree();
    fs::create_dir(place.path().join("target")).unwrap();
    fs::write(place.path().join("one.toml"), "").unwrap();
    fs::write(place.path().join("two.toml"), "").unwrap();
    fs::write(place.path().join("a.b c"), "").unwrap();
    let shown = on_terminal(&[], &place, false);
    for line in ["  brisk du ", "  brisk find -e toml ", "  brisk rm -r --dry-run target "] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("  bench "), "all commands are named as well: {shown}");
    assert!(!shown.contains("-e rs"), "the general examples give way: {shown}");
    let bare = on_terminal(&[], &scratch(), false);
    assert!(bare.contains("  brisk ls --tree ") && bare.contains("  brisk changed "), "{bare}");
    let piped = Command::new(brisk()).current_dir(place.path()).output().unwrap();
    let help = Command::new(brisk()).arg("--help").output().unwrap();
    assert_eq!(piped.stderr, help.stdout, "a pipe has the general help");
}

#[test]
fn a_listing_of_the_largest_has_no_other_lines() {
    let place = scratch();
    for (name, size) in [("small", 10), ("large", 3000), ("medium", 200), ("none", 0)] {
        fs::write(place.path().join(name), vec![b'x'; size]).unwrap();
    }
    let words = ["find", "-l", "--sort", "size", "--max-results", "2"];
    let output = Command::new(brisk()).args(words).current_dir(place.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<_> = text.lines().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["./large", "./medium"], "{text}");
    let sizes = text.lines().map(|line| line.split_whitespace().nth(4).unwrap());
    assert!(sizes.eq(["3.0K", "200"]), "{text}");
}

#[test]
fn sizes_and_changes_have_colors_on_a_terminal() {
    let place = tree();
    let state = ["changed", "docs", "--state", "state"];
    on_terminal(&[&state[..], &["--save", "state"]].concat(), &place, true);
    fs::write(place.path().join("docs/new"), "").unwrap();
    fs::write(place.path().join("docs/a.md"), "longer than before").unwrap();
    fs::remove_file(place.path().join("docs/sub/b.md")).unwrap();
    let red = "\x1b[31mD\x1b[0m\tdocs/sub/b.md";
    let all = ["\x1b[33mM\x1b[0m\tdocs/a.md", "\x1b[32mA\x1b[0m\tdocs/new", red];
    let dry = [&state[..], &["--dry-run"]].concat();
    let shown = on_terminal(&dry, &place, true);
    assert!(all.iter().all(|line| shown.contains(line)), "{shown:?}");
    let never = on_terminal(&[&dry[..], &["--color=never"]].concat(), &place, true);
    assert!(never.contains("D\tdocs/sub/b.md") && !never.contains('\x1b'), "{never:?}");
    let piped = |words: &[&str]| {
        let output = Command::new(brisk()).args(words).current_dir(place.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(!piped(&dry).contains('\x1b'));
    assert!(piped(&["diff", "state", "docs", "--color=always"]).contains("\x1b[31mD\x1b[0m\t"));
    fs::write(place.path().join("docs/large"), vec![1; 3 << 20]).unwrap();
    let sizes = on_terminal(&["du", "--apparent-size"], &place, true);
    assert!(sizes.contains("\x1b[33m   3.1M\x1b[0m 100% \x1b[31m███"), "{sizes:?}");
    let plain = on_terminal(&["du", "--color=never"], &place, true);
    assert!(!plain.contains('\x1b'), "{plain:?}");
}

/// Without words of its own the function leaves the answer to bash, which offers files.
#[test]
fn completions_of_bash_offer_files_where_a_path_may_stand() {
    let script = "source <(\"$0\" completions bash)
        complete -p brisk
        for line in 'brisk du ' 'brisk du -a ' 'brisk find x ' 'brisk du --' 'brisk completions '; do
            IFS=' ' read -ra COMP_WORDS <<<\"$line.\"
            COMP_WORDS[-1]=${COMP_WORDS[-1]%.} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
            _brisk brisk \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"
            echo \"$line ${COMPREPLY[*]}\"
        done";
    let output = Command::new("bash").args(["-c", script, brisk()]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("-o default"), "{text}");
    assert_eq!(lines[1..4], ["brisk du  ", "brisk du -a  ", "brisk find x  "], "{text}");
    assert!(lines[4].contains("--apparent-size") && lines[5].contains("zsh"), "{text}");
}
