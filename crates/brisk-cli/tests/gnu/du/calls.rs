//! The calls, as data.

use crate::array::{has_products, rows};

/// Options. Those of a list exclude each other, or the last one counts.
const OPTIONS: &[&[&str]] = &[
    &["", "-b", "-B1000", "--block-size=MB", "-Bsi", "-h", "-k", "-m", "--si"],
    &["", "-a", "-s", "-d1", "--max-depth=3", "-d0"],
    &["", "-D", "-H", "-L", "-P"],
    &["", "--time", "--time=atime", "--time=status"],
    &["", "--exclude=*.o", "--exclude=inner", "--exclude=*/c/*", "-Xpatterns"],
    &["", "-t5000", "--threshold=-8K"],
    &["", "--time-style=full-iso", "--time-style=+%s,%N"],
    &["", "-c"],
    &["", "-l"],
    &["", "-S"],
    &["", "-x"],
    &["", "-0"],
    &["", "--apparent-size"],
    &["", "--inodes"],
];

/// The paths: one tree, several that have links to each other, and more.
const PATHS: &[&str] = &[
    "links",
    "links to-links loops other links/c links",
    "",
    ".",
    "./",
    "sparse",
    "odd",
    "deep",
    "wide",
    "empty",
    "other to-links/ to-nothing nope",
    "links/x links/c/x links",
    "denied",
    "links//",
    "wide/1.o wide",
    "../listed",
];

/// Calls that are refused, and calls whose words matter.
const WORDS: &[&str] = &[
    "-as links",
    "-s -d1 links",
    "-z",
    "--nope",
    "--d links",
    "--t",
    "--ti links",
    "--max=1 links",
    "-d",
    "-dx links",
    "-d-1 links",
    "-d0x2 links",
    "-Bx",
    "-B0",
    "-B08",
    "-B1e",
    "-Bz",
    "-B99999999999999999999x",
    "-t-m",
    "-te",
    "--block-size=1Q",
    "--block-size=",
    "-t1g",
    "-tx",
    "-t-0",
    "--threshold=-0",
    "--threshold=99999999999999999999",
    "--time=x",
    "--time=",
    "--time=c links",
    "--time=a links",
    "--time=mtime links",
    "--time=modification links",
    "--time=m links",
    "--time --time-style=x links",
    "--time --time-style=l links",
    "--time --time-style=+ links",
    "--time-style=x links",
    "-Xnope links",
    "-Xempty links",
    "--files0-from=names",
    "--files0-from=names -a",
    "--files0-from=names -sc",
    "--files0-from=names links",
    "--files0-from=nope",
    "--files0-from=empty",
    "--files0-from=none",
    "--files0-from=-",
    "--files0-from=odd-names",
    "-L --files0-from=odd-names",
    "nope denied/closed links nope2 denied/closed/in to-nothing",
    "-L nope denied/closed links nope2 denied/closed/in to-nothing other",
    "-sL nope denied/closed links nope2 denied/closed/in to-nothing other",
    "-a denied/closed denied",
    "-ac denied denied/closed links/x",
    "-l denied/closed denied",
    "-lL ../listed",
    "-x ../listed",
    "-xL ../listed",
    "links/// ../listed/// ../listed/in//",
    "--exclude=nope nope links",
    "--exclude=in denied/closed/in",
    "--exclude=closed denied/closed",
    "-L --exclude=to-nothing to-nothing nope",
    "-L empty/inner/most/",
    "-aL empty/inner/most// ./empty/inner/most/",
    "-sL empty/inner/most/ empty/inner/",
    "-L --exclude=inner empty/",
    "-D empty/inner/most/",
    "--exclude links links",
    "--exclude=links/c links",
    "--exclude=c/own -a links",
    "--exclude=[a-b]* -a links",
    "--exclude=\\\\* -a odd",
    "--exclude=own --exclude=x -a links",
    "'' links",
    "-- -a",
    "links -a",
    "-c --time nope",
    "-aS -d1 --inodes -c links other",
    "-sSc links other",
    "-sL links other to-links",
    "-sl links links",
    "-sD to-links to-links",
    "-D to-nothing",
    "-L to-nothing loops/self",
    "-hc --apparent-size sparse",
    "-BMB --inodes links",
    "-BKiB --inodes links",
    "-h --inodes wide",
    "-a large",
    "-a larger",
    "larger",
    "-aL larger",
    "-al larger large",
];

/// Variables, and the words that they are tried with.
const VARIABLES: &[(&str, &str, &str)] = &[
    ("DU_BLOCK_SIZE", "1", "links"),
    ("DU_BLOCK_SIZE", "1x", "links"),
    ("DU_BLOCK_SIZE", "x", "links"),
    ("DU_BLOCK_SIZE", "1Y", "links"),
    ("DU_BLOCK_SIZE", "Y", "links"),
    ("DU_BLOCK_SIZE", "'Z", "links"),
    ("DU_BLOCK_SIZE", "0Y", "links"),
    ("DU_BLOCK_SIZE", "1KBx", "links"),
    ("DU_BLOCK_SIZE", "e", "links"),
    ("BLOCK_SIZE", "99999999999999999999", "-a links"),
    ("DU_BLOCK_SIZE", "human-readable", "links"),
    ("BLOCK_SIZE", "MB", "wide"),
    ("BLOCKSIZE", "512", "wide"),
    ("DU_BLOCK_SIZE", "512", "-h wide"),
    ("DU_BLOCK_SIZE", "512", "--inodes wide"),
    ("POSIXLY_CORRECT", "1", "links"),
    ("POSIXLY_CORRECT", "1", "links -a"),
    ("TIME_STYLE", "full-iso", "--time links"),
    ("TIME_STYLE", "locale", "--time links"),
    ("TIME_STYLE", "posix-iso", "--time links"),
    ("TIME_STYLE", "+%Y\n%m", "--time links"),
    ("TIME_STYLE", "x", "--time links"),
    ("TZ", "Asia/Tokyo", "--time links"),
    ("LC_ALL", "C.UTF-8", "nopé"),
];

/// A call: a variable, and words.
pub type Call = (Option<(&'static str, &'static str)>, Vec<String>);

fn call(words: &str) -> Call {
    (None, shlex::split(words).unwrap())
}

/// Every option, alone.
pub fn options() -> Vec<&'static str> {
    OPTIONS.iter().flat_map(|list| &list[1..]).copied().collect()
}

/// Combinations in which each two options of different lists occur.
pub fn combinations() -> Vec<Vec<&'static str>> {
    let is_set = |word: &&str| !word.is_empty();
    rows(OPTIONS).into_iter().map(|row| row.into_iter().filter(is_set).collect()).collect()
}

/// Every call.
pub fn all() -> Vec<Call> {
    let mut calls: Vec<Call> = WORDS.iter().map(|words| call(words)).collect();
    for (name, value, words) in VARIABLES {
        calls.push((Some((name, value)), call(words).1));
    }
    for mut row in rows(&[OPTIONS, &[PATHS]].concat()) {
        // Of two ways to a loop, the messages of GNU du name the one that it finds first.
        if row.contains(&"-L") && (row.contains(&"-d0") || row.contains(&"-s")) {
            row[OPTIONS.len()] = PATHS[0];
        }
        calls.push(call(&row.join(" ")));
    }
    for option in options() {
        calls.extend(PATHS[..2].iter().map(|paths| call(&format!("{option} {paths}"))));
    }
    // Within a list, where the order of the two may matter.
    for list in OPTIONS {
        for (index, option) in list.iter().enumerate().skip(1) {
            calls.extend(
                list[index + 1..].iter().map(|other| call(&format!("{option} {other} links"))),
            );
        }
    }
    if has_products() {
        calls.extend(products());
    }
    calls
}

/// Each option on each path, and each two options on two of the paths.
fn products() -> Vec<Call> {
    let options = options();
    let mut calls = Vec::new();
    for (index, option) in options.iter().enumerate() {
        calls.extend(PATHS.iter().map(|paths| call(&format!("{option} {paths}"))));
        for other in &options[index + 1..] {
            calls.extend(PATHS[..2].iter().map(|paths| call(&format!("{option} {other} {paths}"))));
        }
    }
    calls
}
