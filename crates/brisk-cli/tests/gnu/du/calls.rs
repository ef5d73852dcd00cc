//! The calls, as data.

/// Options that are tried alone and in pairs.
pub const OPTIONS: &[&str] = &[
    "-a",
    "-b",
    "-B1000",
    "--block-size=MB",
    "-Bsi",
    "-c",
    "-d1",
    "--max-depth=3",
    "-d0",
    "-D",
    "-h",
    "-H",
    "-k",
    "-L",
    "-l",
    "-m",
    "-P",
    "-s",
    "-S",
    "-t5000",
    "--threshold=-8K",
    "-x",
    "-0",
    "--si",
    "--apparent-size",
    "--inodes",
    "--exclude=*.o",
    "--exclude=inner",
    "--exclude=*/c/*",
    "-Xpatterns",
    "--time",
    "--time=atime",
    "--time=status",
    "--time-style=full-iso",
    "--time-style=+%s,%N",
];

/// The paths on which pairs are tried: one tree, and several that have links to each other.
const PATHS: [&str; 2] = ["links", "links to-links loops other links/c links"];

/// The paths on which each option is tried alone.
const MORE: &[&str] = &[
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

/// Every call.
pub fn all() -> Vec<Call> {
    let mut calls: Vec<Call> = WORDS.iter().map(|words| call(words)).collect();
    for (name, value, words) in VARIABLES {
        calls.push((Some((name, value)), call(words).1));
    }
    for (index, option) in OPTIONS.iter().enumerate() {
        for paths in PATHS.iter().chain(MORE) {
            calls.push(call(&format!("'{option}' {paths}")));
        }
        for other in &OPTIONS[index + 1..] {
            calls.extend(PATHS.map(|paths| call(&format!("'{option}' '{other}' {paths}"))));
        }
    }
    calls
}
