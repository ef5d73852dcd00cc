//! The requests that commands make to the file system and to the allocator, compared with
//! `counts/find.toml`, `counts/ls.toml`, `counts/cp.toml` and `counts/du.toml`.
//!
//! Each number is for one command in one small corpus (`corpora.rs`), with one worker, beyond the
//! cost of the same command in an empty directory. A change that moves a number shows it in review:
//! `BRISK_REGENERATE=1 cargo test -p brisk-cli --test counts` writes the file anew. Output is left
//! out, because the number of writes depends on the clock.
//!
//! Without strace the system calls cannot be seen; the tests say so and pass.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod allocations;
mod corpora;
mod measure;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use corpora::Corpora;
use measure::{
    Call, Counts, calls, counts, no_strace, printed, stats, whole_trace, written_pieces,
};

/// Command lines, split as a shell does, and the corpora that they are counted on.
const CASES: &[(&str, &[&str])] = &[
    ("find", &["flat", "wide", "deep", "repo"]),
    ("find -u", &["flat", "wide", "deep", "repo", "links"]),
    ("find -u '^a'", &["wide"]),
    ("find -u -p '/aa'", &["wide"]),
    ("find -u -E '*.md'", &["wide"]),
    ("find -u -d 1", &["wide"]),
    ("find -u -a", &["wide"]),
    ("find -u -t f", &["wide"]),
    ("find -u -t l", &["links"]),
    ("find -u -t x", &["flat", "wide"]),
    ("find -u -t e", &["wide"]),
    ("find -u -e rs -S +1k", &["flat", "wide"]),
    ("find -u --changed-within 1d", &["wide"]),
    ("find -u -o root", &["wide"]),
    ("find -u --format '{size} {mtime:%s} {}'", &["flat", "wide"]),
    ("find -u --format '{} {target}'", &["links"]),
    ("find -u --json", &["wide", "links"]),
    ("find -u --order depth", &["flat", "wide", "deep"]),
    ("find -u --order breadth", &["flat", "wide", "deep"]),
    ("find -u --order sorted", &["flat", "wide", "deep"]),
    ("find -u -L", &["wide", "links"]),
    ("find -u --color always", &["flat", "wide", "links"]),
    ("find -u --color always -e rs -S +1k", &["flat"]),
    ("find -u --one-file-system", &["wide"]),
    ("find -u --unique", &["wide"]),
];

/// The same for `ls`; assignments before a command are its environment.
const LS_CASES: &[(&str, &[&str])] = &[
    ("ls", &["flat", "wide", "links"]),
    ("ls -U", &["flat"]),
    ("ls -R", &["wide", "deep"]),
    ("ls -C", &["flat"]),
    ("ls -F", &["flat", "links"]),
    ("ls -p", &["flat", "links"]),
    ("ls -i", &["flat"]),
    ("ls -s", &["flat"]),
    ("ls -S", &["flat"]),
    ("ls -t", &["flat"]),
    ("ls -l", &["flat", "wide", "linked"]),
    ("ls -L", &["linked"]),
    ("ls --icons", &["flat"]),
    ("ls --tree", &["wide"]),
    ("ls --json", &["flat"]),
    ("ls --group-directories-first", &["linked"]),
    ("TERM=xterm ls --color", &["flat", "wide", "linked"]),
    ("TERM=xterm ls --color -l", &["linked"]),
    (
        "LS_COLORS='ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0' ls --color",
        &["flat", "wide", "linked"],
    ),
    ("LS_COLORS='or=31' ls --color", &["linked"]),
    ("LS_COLORS='ln=target:or=31' ls --color", &["linked"]),
    ("LS_COLORS='ca=31' ls --color", &["flat"]),
];

/// The same for `cp`.
const CP_CASES: &[(&str, &[&str])] =
    &[("cp -aT . ../copy", &["small", "wide"]), ("cp -RT . ../copy", &["small"])];

/// The same for `du`. Where files cannot share extents, as here, `--frees` asks for nothing more of
/// an entry; `du_beyond/frees.rs` has the file systems where they can.
const DU_CASES: &[(&str, &[&str])] =
    &[("du -s", &["flat", "wide"]), ("du -s --frees", &["flat", "wide"])];

const HEADER: &str = "\
# File-system calls and allocations of brisk, by command and corpus, at one thread, beyond what the
# same command costs in an empty directory. The corpora are crates/brisk-cli/tests/counts/corpora.rs.
# System calls are exact, but for reads that return 0: some file systems need one a directory, others
# none (commands/every/end.rs). Allocations may move by 20 or 5 %, because the order in which a directory lists
# its entries, another one on every file system, decides how tables grow.
# Written by: BRISK_REGENERATE=1 cargo test -p brisk-cli --test counts
";

/// The counts of each command on each corpus.
type Table = BTreeMap<(String, String), Counts>;

fn committed_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../counts").join(name)
}

fn committed(name: &str) -> Table {
    let text = fs::read_to_string(committed_file(name)).unwrap_or_default();
    let table: BTreeMap<String, BTreeMap<String, Counts>> = toml::from_str(&text).unwrap();
    let rows = |(command, corpora): (String, BTreeMap<String, Counts>)| {
        corpora.into_iter().map(move |(corpus, counts)| ((command.clone(), corpus), counts))
    };
    table.into_iter().flat_map(rows).collect()
}

/// Measures each row. On a busy machine output is handed over in more pieces, by another thread,
/// and strace splits lines; so a difference counts only if it is seen three times.
fn measured(cases: &[(&str, &[&str])], committed: &Table) -> Table {
    let corpora = Corpora::new();
    let row = |command: &str, corpus: &str| {
        let key = (command.to_owned(), corpus.to_owned());
        let then = committed.get(&key);
        let mut now = counts(&corpora, command, corpus);
        for _ in 0..2 {
            if !then.is_some_and(|then| differing(then, &now).is_empty()) {
                corpora.bare.borrow_mut().remove(command);
                now = counts(&corpora, command, corpus);
            }
        }
        (key, now)
    };
    let rows =
        cases.iter().flat_map(|(command, names)| names.iter().map(|name| row(command, name)));
    rows.collect()
}

/// Whether calls can be counted here; if not, says why.
fn can_count(test: &str) -> bool {
    let why_not = no_strace();
    if let Some(reason) = &why_not {
        testkit::left_out(test, reason);
    }
    why_not.is_none()
}

fn written(table: &Table) -> String {
    let mut text = HEADER.to_owned();
    for ((command, corpus), counts) in table {
        writeln!(text, "\n[{command:?}.{corpus}]").unwrap();
        for (counter, count) in counts {
            let quoted = format!("{counter:?}");
            let key = if counter.contains([' ', '|']) { &quoted } else { counter };
            writeln!(text, "{key} = {count}").unwrap();
        }
    }
    text
}

/// Each counter that differs, with both numbers.
fn differing(committed: &Counts, measured: &Counts) -> Vec<(String, i64, i64)> {
    let counters: BTreeSet<&String> = committed.keys().chain(measured.keys()).collect();
    let number = |counts: &Counts, counter| counts.get(counter).copied().unwrap_or(0);
    let both = counters
        .into_iter()
        .map(|counter| (counter.clone(), number(committed, counter), number(measured, counter)));
    let differs = |(counter, then, now): &(String, i64, i64)| {
        let room = if counter == "allocations" { (then / 20).max(20) } else { 0 };
        (then - now).abs() > room
    };
    both.filter(differs).collect()
}

/// One line for every number that differs from the committed one.
fn differences(committed: &Table, measured: &Table) -> Vec<String> {
    let keys: BTreeSet<_> = committed.keys().chain(measured.keys()).collect();
    let mut lines = Vec::new();
    for key in keys {
        let counts = |table: &Table| table.get(key).cloned().unwrap_or_default();
        let (command, corpus) = key;
        for (counter, then, now) in differing(&counts(committed), &counts(measured)) {
            lines.push(format!(
                "{command} on {corpus}: {counter}: committed {then}, measured {now}"
            ));
        }
    }
    lines
}

fn as_committed(name: &str, cases: &[(&str, &[&str])]) {
    if !can_count("counts") {
        return;
    }
    let committed = committed(name);
    let now = measured(cases, &committed);
    let differences = differences(&committed, &now);
    if !differences.is_empty() && std::env::var_os("BRISK_REGENERATE").is_some() {
        fs::create_dir_all(committed_file(name).parent().unwrap()).unwrap();
        return fs::write(committed_file(name), written(&now)).unwrap();
    }
    assert!(
        differences.is_empty(),
        "{}\nIf this is meant: BRISK_REGENERATE=1 cargo test -p brisk-cli --test counts",
        differences.join("\n")
    );
}

#[test]
fn calls_and_allocations_are_as_committed() {
    as_committed("find.toml", CASES);
}

#[test]
fn calls_and_allocations_of_ls_are_as_committed() {
    as_committed("ls.toml", LS_CASES);
}

#[test]
fn calls_and_allocations_of_cp_are_as_committed() {
    as_committed("cp.toml", CP_CASES);
}

#[test]
fn calls_and_allocations_of_du_are_as_committed() {
    as_committed("du.toml", DU_CASES);
}

/// The rule of `cp`, not a number that may be renewed; GNU cp makes 20.
#[test]
fn a_small_file_is_copied_with_all_its_attributes_in_eleven_calls() {
    if can_count("cp") {
        let mut counts = counts(&Corpora::new(), "cp -aT . ../copy", "small");
        counts.remove("allocations");
        let calls: i64 = counts.values().sum();
        assert!((500..=1_100).contains(&calls), "{counts:?}");
    }
}

/// The rule of `ls`, not a number that may be renewed. Where the colours allow it, no entry is
/// asked about. With GNU's defaults, the mode of each regular file and each directory is asked for
/// once, relative to its directory, and the target of each link once.
#[test]
fn ls_asks_for_what_colours_and_columns_need_and_no_more() {
    if !can_count("ls") {
        return;
    }
    let corpora = Corpora::new();
    let free = "LS_COLORS='ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0' ls --color";
    let cases = [
        ("ls", "flat", 0, ""),
        ("ls -CF --indicator-style=file-type --icons", "flat", 0, ""),
        (free, "flat", 0, ""),
        (free, "wide", 0, ""),
        ("TERM=xterm ls --color", "flat", 1_000, "MODE"),
        ("TERM=xterm ls --color", "wide", 200, "MODE"),
        ("ls -F", "flat", 1_000, "MODE"),
        ("ls -t", "flat", 1_000, "MTIME"),
        ("ls -l", "flat", 1_000, "MODE|NLINK|UID|GID|MTIME|SIZE|BLOCKS"),
        ("LS_COLORS=or=31:ex=0:su=0:sg=0 ls --color", "linked", 20, "TYPE|MODE"),
    ];
    for (command, corpus, number, mask) in cases {
        let calls = calls(&corpora, command, corpus);
        let begun = calls.iter().skip_while(|call| call.name != "getdents64");
        let asked: Vec<&Call> =
            begun.filter(|call| call.name.contains("stat") && call.name != "fstatfs").collect();
        assert_eq!(asked.len(), number, "{command} on {corpus}: {:?}", asked.first());
        for call in asked {
            assert_eq!(call.mask(), mask, "{command}: {call:?}");
            assert!(!call.argument(0).starts_with('-'), "{command}: by a path: {call:?}");
        }
    }
}

#[test]
fn a_difference_names_command_corpus_counter_and_both_values() {
    let table = |count| {
        let counts = Counts::from([("openat".to_owned(), count)]);
        Table::from([(("find -u".to_owned(), "wide".to_owned()), counts)])
    };
    let expected = "find -u on wide: openat: committed 200, measured 201";
    assert_eq!(differences(&table(200), &table(201)), [expected]);
    assert!(differences(&table(200), &table(200)).is_empty());
    let gone = "find -u on wide: openat: committed 200, measured 0";
    assert_eq!(differences(&table(200), &Table::new()), [gone]);
    assert_eq!(
        written(&table(7)).parse::<toml::Table>().unwrap()["find -u"]["wide"]["openat"]
            .as_integer(),
        Some(7)
    );
}

/// The rule of the project, not a number that may be renewed. Without metadata, a directory costs
/// one open, its reads and one close, and an entry costs nothing. Either every directory ends with
/// a read that returns 0, or none does.
#[test]
fn a_directory_costs_one_open_its_reads_and_one_close_and_an_entry_nothing() {
    if !can_count("the rule") {
        return;
    }
    let corpora = Corpora::new();
    let commands = ["", " --order depth", " --order breadth", " --order sorted", " -t f", " -e rs"];
    for command in commands.map(|options| format!("find -u{options}")) {
        for (corpus, directories) in [("flat", 0), ("wide", 200), ("deep", 50)] {
            let mut counts = counts(&corpora, &command, corpus);
            counts.remove("allocations");
            let reads = counts.remove("getdents64").unwrap_or(0);
            let rest = [("close", directories), ("openat2", directories)];
            let rest = rest.map(|(name, count)| (name.to_owned(), count));
            let rest: Counts = rest.into_iter().filter(|(_, count)| *count > 0).collect();
            assert_eq!(counts, rest, "{command} on {corpus}");
            let calls = calls(&corpora, &command, corpus);
            let ends = calls.iter().filter(|call| call.ends_directory()).count() as i64;
            let all_or_none = [0, directories + 1];
            assert!(all_or_none.contains(&ends), "{command} on {corpus}: {ends} reads of nothing");
            assert!(reads >= directories, "{command} on {corpus}: {reads} reads");
        }
    }
}

/// Metadata is asked for where a filter or a column needs it: relative to the directory, with
/// exactly the fields needed, and for a link about the link itself.
#[test]
fn a_stat_asks_for_what_is_needed_of_whom_it_is_needed() {
    if !can_count("masks") {
        return;
    }
    let corpora = Corpora::new();
    let cases = [
        ("find -u --format '{size} {mtime:%s} {}'", "", 1_000, "MTIME|SIZE"),
        ("find -u -e rs -S +1k", ".rs", 250, "SIZE"),
        ("find -u --changed-within 1d", "", 1_000, "MTIME"),
        ("find -u --color always", "", 1_000, "MODE"),
        ("find -u --color always -e rs -S +1k", ".rs", 250, "MODE|SIZE"),
    ];
    for (command, suffix, number, mask) in cases {
        let calls = calls(&corpora, command, "flat");
        let after_root = calls.iter().skip_while(|call| call.name != "getdents64");
        let stats: Vec<&Call> = after_root.filter(|call| call.name == "statx").collect();
        assert_eq!(stats.len(), number, "{command}");
        for call in stats {
            assert_eq!(call.mask(), mask, "{command}: {call:?}");
            assert!(call.argument(1).ends_with(&format!("{suffix}\"")), "{command}: {call:?}");
            assert!(!call.argument(0).starts_with('-'), "{command}: by a path: {call:?}");
            // AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT
            assert_eq!(call.argument(2), "0x900", "{command}: {call:?}");
        }
    }
}

/// One write for each 64 KiB, or for each directory on slow storage; never one for each line.
#[test]
fn lines_are_written_many_at_a_time() {
    if !can_count("writes") {
        return;
    }
    let corpora = Corpora::new();
    for (corpus, lines, directories) in [("flat", 1_000, 1), ("wide", 1_200, 201)] {
        let printed = printed(&corpora, "find -u", corpus);
        assert_eq!(printed.lines().count(), lines, "{corpus}");
        let calls = calls(&corpora, "find -u", corpus);
        let writes = calls.iter().filter(|call| call.name == "write").count();
        let most = printed.len() / (64 << 10) + directories + 1;
        assert!(writes <= most, "{corpus}: {writes} writes, expected {most} at most");
    }
}

/// The same without strace, with metadata, aligned columns and templates: never one write for each
/// line. A task that takes 2 ms writes what there is, as every task does on a busy machine.
#[test]
fn lines_with_metadata_are_written_many_at_a_time() {
    let corpora = Corpora::new();
    for command in ["find -u", "find -u --format '{size} {mtime} {}'", "find -u -l", "ls -lR"] {
        for (corpus, lines) in [("flat", 1_000), ("wide", 1_200)] {
            let pieces = written_pieces(&corpora, command, corpus);
            assert!(pieces.concat().split(|byte| *byte == b'\n').count() > lines, "{command}");
            assert!(pieces.len() <= lines / 4, "{command} on {corpus}: {} writes", pieces.len());
        }
    }
}

/// Questions about single entries go to the directory that is open already, by name alone: a user
/// who swaps a directory for a link meanwhile redirects none of them.
#[test]
fn empty_and_executable_are_asked_relative_to_the_directory() {
    if !can_count("single questions") {
        return;
    }
    let corpora = Corpora::new();
    for (command, name) in [("find -u -t e -t d", "openat2"), ("find -u -t x", "faccessat2")] {
        let calls = calls(&corpora, command, "wide");
        let begun = calls.iter().skip_while(|call| call.name != "getdents64");
        let asked: Vec<&Call> = begun.filter(|call| call.name == name).collect();
        assert!(asked.len() >= 20, "{command}: {} of {name}", asked.len());
        for call in asked {
            let is_name = !call.argument(1).contains('/');
            assert!(is_name && !call.argument(0).starts_with("AT_FDCWD"), "{command}: {call:?}");
            assert!(!call.argument(0).starts_with('-'), "{command}: {call:?}");
        }
    }
}

/// NFS asks its server for each fstatfs. One tells the root's file system, and one how its
/// directories end.
#[test]
fn changed_asks_once_for_the_file_system_of_a_root() {
    if !can_count("fstatfs") {
        return;
    }
    let calls = calls(&Corpora::new(), "changed -u . --state ../no-state", "wide");
    let asked = calls.iter().filter(|call| call.rest.contains("f_type=")).count();
    assert!((1..=2).contains(&asked), "{asked}");
}

/// `--stats` reports the calls that strace sees, and the kinds add up to the total.
#[test]
fn stats_count_every_call() {
    if !can_count("stats") {
        return;
    }
    let corpora = Corpora::new();
    let commands = [
        ("find -u", "wide"),
        ("find -u -t e", "wide"),
        ("find -u -t x", "wide"),
        ("find -u -t x --order sorted", "flat"),
        ("find -u -L", "links"),
        ("find -u --format '{} {target}'", "links"),
    ];
    for (command, corpus) in commands {
        let calls = calls(&corpora, command, corpus);
        let seen = |names: &[&str]| {
            let begun = calls.iter().skip_while(|call| !call.rest.contains("\"./\""));
            begun.filter(|call| names.contains(&call.name.as_str())).count() as u64
        };
        let stats = stats(&corpora, &format!("{command} --stats=json"), corpus);
        let told = |kind: &str| stats["calls"][kind].as_u64().unwrap();
        let all = ["open", "read", "stat", "read_link", "xattr", "reopen", "other"].map(told);
        let names = ["openat", "openat2", "getdents64", "statx", "readlinkat", "faccessat2"];
        assert_eq!(all.iter().sum::<u64>(), seen(&names), "{command}: {stats}");
        assert_eq!(told("stat"), seen(&["statx"]), "{command}: {stats}");
    }
}

/// Where there is no work to share, nothing is measured, and no file is opened for measuring,
/// however slowly the system answers: strace makes each call slow.
#[test]
fn nothing_is_measured_before_there_is_work_to_share() {
    if !can_count("pace") {
        return;
    }
    let corpora = Corpora::new();
    let three = corpora.path("three");
    fs::create_dir(&three).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(three.join(name), name).unwrap();
    }
    let names = ["find -u", "find -u --order sorted", "ls", "ls -R", "TERM=xterm ls --color=never"];
    // Requests that wait, one for each entry, are work to share.
    let metadata = ["find -u -S +1k", "find -u -t e", "ls -l", "TERM=xterm ls --color"];
    let cases = [("empty", &names[..]), ("empty", &metadata[..]), ("three", &names[..])];
    for (corpus, commands) in cases {
        for command in commands {
            for round in 0..testkit::rounds(2, 5) {
                let trace = whole_trace(&corpora, command, corpus);
                let begun = trace.lines().skip_while(|line| !line.contains("getdents64"));
                let paths = ["\"/proc/", "\"/sys/"];
                // The C library asks whether it may give memory back, where a second thread ends.
                let opened = |line: &&str| {
                    paths.iter().any(|path| line.contains(path))
                        && !line.contains("/proc/sys/vm/overcommit_memory")
                };
                let found: Vec<&str> = begun.filter(opened).collect();
                assert!(found.is_empty(), "{command} on {corpus}, round {round}: {found:?}");
            }
        }
    }
}
