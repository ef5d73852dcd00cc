//! The cases, as data: options by kind, the paths they are tried on, and values of LS_COLORS.

use std::path::Path;

use super::case::{Case, Place};
use crate::array::{combined, has_products, rows};

/// Options. Those of a list exclude each other, or the last one counts.
const LISTS: &[&[&str]] = &[
    &[
        "",
        "-l",
        "-C",
        "-x",
        "-m",
        "-1",
        "-g",
        "-o",
        "-n",
        "-lG",
        "--full-time",
        "-w40 -C",
        "-w0 -m",
        "-w1 -C",
        "-w3 -x",
        "-T0 -C",
    ],
    &["", "-t", "-S", "-X", "-v", "-U", "-f", "--sort=width"],
    &[
        "",
        "-h",
        "--si",
        "-k",
        "--block-size=1",
        "--block-size=K",
        "--block-size=1000",
        "--block-size=MB",
    ],
    &["", "-q", "-b", "-Q", "-N", "--quoting-style=shell-escape-always"],
    &["", "-a", "-A", "-B", "--hide=a*", "-I '*r*'"],
    // -R and -L meet the loop alone: GNU and brisk notice it at different points.
    &["", "-R", "-d", "-L", "-H", "--dereference-command-line-symlink-to-dir"],
    &["", "--hyperlink"],
    &["", "-F", "-p", "--file-type", "--classify=never", "--indicator-style=slash"],
    &["", "-s", "-i", "-is", "-Z"],
    &["", "--time-style=long-iso", "--time-style=iso", "--time-style=+%s"],
    &["", "-c", "--time=birth"],
    &["", "-r"],
    &["", "--group-directories-first"],
    &["", "--author"],
    &["", "--zero"],
    &["", "-D"],
    &["", "--color"],
];

/// Options, alone and together as they are typed.
const OPTIONS: &[&str] = &[
    "",
    "-a",
    "-A",
    "-B",
    "-1",
    "-C",
    "-x",
    "-m",
    "-l",
    "-g",
    "-o",
    "-n",
    "-lh",
    "-l --si",
    "-s",
    "-k",
    "-sk",
    "-i",
    "-R",
    "-d",
    "-H",
    "-L",
    "-t",
    "-c",
    "-u",
    "-S",
    "-X",
    "-v",
    "-U",
    "-f",
    "-r",
    "-F",
    "-p",
    "--file-type",
    "-G",
    "-lG",
    "--full-time",
    "-Z",
    "-lZ",
    "--author -l",
    "--zero",
    "-T4 -C",
    "-T0 -C",
    "-w40 -C",
    "-w0 -C",
    "-w0 -m",
    "-w40 -m",
    "-w1 -C",
    "-w3 -x",
    "-w40 -x",
    "--group-directories-first",
    "-q",
    "-b",
    "-Q",
    "-N",
    "--sort=width",
    "--time=birth -l",
    "--time-style=long-iso -l",
    "--time-style=iso -l",
    "--time-style=+%s -l",
    "--block-size=K -ls",
    "--block-size=1000 -ls",
    "--block-size=MB -ls",
    "--hide=a*",
    "-I '*r*'",
    "-li",
    "-ls",
    "-lsi",
    "-lS",
    "-lt",
    "-lc",
    "-lu",
    "-lU",
    "-lf",
    "-fl",
    "-ltr",
    "-lr",
    "-CF",
    "-CFi",
    "-Cs",
    "-xis",
    "-mis",
    "-1s",
    "-1i",
    "-1isZ",
    "-lL",
    "-LF",
    "-HF",
    "-CL",
    "-aR",
    "-lR",
    "-RF",
    "-1R",
    "-mR",
    "-xR",
    "-ld",
    "-dF",
    "-dC",
    "--hyperlink",
    "-l --hyperlink",
    "-C --hyperlink",
    "--indicator-style=slash -l",
    "-lF",
    "-l --file-type",
    "-lp",
    "-Fl --group-directories-first",
    "-rS",
    "-rX",
    "-rv",
    "-rU",
    "-av",
    "-r --group-directories-first",
    "-X --group-directories-first",
    "-U --group-directories-first",
    "--block-size=1 -ls",
    "-lk",
    "-lh --block-size=1",
    "--dereference-command-line-symlink-to-dir -l",
    "-at --full-time",
    "--format=commas -a",
    "-C1",
    "-1C",
    "-l1",
    "-1l",
    "-lC",
    "-l --zero",
    "-C --zero",
    "--zero -C",
    "-F --zero",
    "-l --time=ctime",
    "--classify=never",
    "--classify=auto",
    "-QC",
    "-bC",
    "-lQ",
    "--col=never -1",
    "-- ",
    "-sh --si",
    "--time-style='+%Y%n%j %a %^b %e %-d %3N' -l",
    "-D",
    "-lD",
    "-lRD",
    "--dired -l --zero",
    "-CD --zero",
    "-slDF",
    "-ldD",
    "-lRD --quoting-style=c",
    "-lbD",
    "-lD --hyperlink",
    "-lL --hyperlink",
    "-lH --hyperlink",
    "-aloD --color",
    "-lDiZ",
    "-lDL",
    "-Ui",
    "-UiZ",
    "-Uis",
    "-UiR",
];

/// Paths, and paths mixed with missing ones.
const PATHS: &[&str] = &[
    "",
    "types",
    "odd",
    "deep",
    "many",
    "versions",
    "types odd",
    "file types file2",
    "file",
    "ldir",
    "lfile",
    "ldang",
    "nope",
    "nope types",
    "file file2 lfile ldang",
    ".",
    "./",
    "deep/",
    "-a deep empty",
    "empty",
    "empty nope file",
    "ldir empty deep",
    "types/loop ldir file",
    "types/l-dir/. ldir/x types/l-dir",
];

/// Calls that are tried as they stand.
const SINGLE: &[&str] = &[
    // -L and -R meet the loop alone: GNU and brisk notice it at different points.
    "-lLR deep/a",
    "-LR empty",
    "-Av ../random",
    "-Arv ../random",
    "-L --hyperlink types",
    "--hyperlink -d ./file deep/../file .//file2 ldir/plain types/",
    "-xs -w0 --block-size=1 types",
    "-CUsiF -w0 --block-size=1 types",
    "-Ci -w0 types /",
    "-ms -w0 --block-size=1 types",
    "-l --time-style='+%F %+F %12F %_12F %+13F %-F %c' ../far/",
    "-l --time-style='+%Y %+Y %6Y %+6Y %C %+C %+5C %_C %-C %G %+G' ../far/",
];

/// To a pipe in the C locale or to a terminal in UTF-8.
const PLACES: &[&str] = &["pipe", "terminal"];

fn at(place: &str, words: &str) -> Case {
    match place {
        "pipe" => Case::new(words, Place::Pipe),
        _ => Case::new(words, Place::Terminal(80)).utf8(),
    }
}

/// Each two options, and each option on each path and at each place.
pub fn options() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in rows(&[&[PATHS, PLACES], LISTS].concat()) {
        cases.push(at(row[1], &format!("{} {}", row[2..].join(" "), row[0])));
    }
    for (index, options) in OPTIONS.iter().enumerate() {
        for (number, paths) in PATHS.iter().enumerate() {
            let words = format!("{options} {paths}");
            // By default each option meets one or two of the paths; with an odd step, at both places.
            if (index + number) % 13 == 0 || has_products() {
                cases.push(at("pipe", &words));
                // A terminal for every second pair: each option and each path meets it.
                if (index + number) % 2 == 0 {
                    cases.push(at("terminal", &words));
                }
            }
        }
    }
    cases.extend(SINGLE.iter().map(|words| Case::new(words, Place::Pipe)));
    cases.extend([0, 1, 20, 200].map(|width| Case::new("many", Place::Terminal(width))));
    // GNU first asks through a dangling link, which is an access of the link; brisk asks about the
    // link itself.
    cases.retain(|case| !(case.shows_access_times() && case.words.iter().any(|w| w == "ldang")));
    cases
}

const STYLES: &[&str] = &[
    "literal",
    "shell",
    "shell-always",
    "shell-escape",
    "shell-escape-always",
    "c",
    "c-maybe",
    "escape",
    "locale",
    "clocale",
];

/// Each style on odd names.
pub fn quoting() -> Vec<Case> {
    let others = [
        "",
        "-F",
        "--file-type",
        "-C",
        "-l",
        "-q",
        "-Cq",
        "-m",
        "--show-control-chars -C",
        "-x -w30",
    ];
    let mut cases = Vec::new();
    for row in combined(&[STYLES, &others, &["pipe", "terminal"], &["C", "UTF-8"]]) {
        let words = format!("--quoting-style={} {} odd", row[0], row[1]);
        let place = if row[2] == "pipe" { Place::Pipe } else { Place::Terminal(80) };
        let case = Case::new(&words, place);
        cases.push(if row[3] == "C" { case } else { case.utf8() });
    }
    cases
}

/// The output of `dircolors -b`, shortened to one rule of each kind.
const DIRCOLORS: &str = "rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35:do=01;35:bd=40;33;01:cd=40;33;01:\
    or=40;31;01:mi=00:su=37;41:sg=30;43:ca=00:tw=30;42:ow=34;42:st=37;44:ex=01;32:*.tar=01;31:*~=00;90:";

const COLORS: &[&str] = &[
    "di=01;34:ln=01;36",
    DIRCOLORS,
    // The published cure.
    "ex=0:su=0:sg=0:ca=0",
    "ex=0:su=0:sg=0:st=0:ow=0:tw=0:or=0:mi=0:ca=0:mh=0",
    "ln=target:or=31:mi=35",
    "ln=target",
    "ca=30;41:mh=44;37:or=31",
    "mh=44;37:or=31:ex=",
    "*.tar=33:*.TAR=34:*plain=36:*e=35",
    "*.tar=33:*plain=36:*e=35:*n=0",
    "*.tar=33:*.tar=34:ex=",
    "no=37:fi=32:di=34",
    "no=0:fi=00:di=0",
    "lc=<:rc=>:ec=!:rs=5:di=34:no=1",
    "lc=\\e[:rc=m:ec=\\e[0m:cl=[cl]:di=\\x33\\x34:ex=\\063\\062:fi=^[x",
    "mi=41:or=:ln=36",
    "or=0:mi=41",
    "di=:ex=00:ln=0",
    "",
];

/// Values of LS_COLORS under formats that show them differently.
pub fn colours() -> Vec<Case> {
    let options = [
        "",
        "-C",
        "-l",
        "-F",
        "-lF",
        "-L",
        "-x -w30",
        "-m -w20",
        "-R",
        "-1 --hyperlink",
        "-i",
        "-s",
        "-d",
        "-lD",
        "-lRFD",
    ];
    let paths = ["types", "file ldir ldang lfile", "", "types > terminal"];
    let mut cases = Vec::new();
    for row in combined(&[COLORS, &options, &paths]) {
        let case = match row[2].strip_suffix(" > terminal") {
            None => Case::new(&format!("--color {} {}", row[1], row[2]), Place::Pipe),
            Some(path) => {
                let words = format!("--color=auto {} {path}", row[1]);
                Case::new(&words, Place::Terminal(60)).utf8()
            }
        };
        cases.push(case.env("LS_COLORS", row[0]));
    }
    for value in COLORS {
        cases.push(Case::new("--color=auto types", Place::Pipe).env("LS_COLORS", value));
    }
    let broken =
        ["zz=1", "di", "di=01;34:*", "=1", "di=\\", "di=\\x", "di=01;34:ex", ":::", "*.a=1:di=^"];
    for value in broken {
        let case = |words| Case::new(words, Place::Pipe).env("LS_COLORS", value);
        cases.push(case("--color types"));
        cases.push(case("--color -l types").utf8());
    }
    // Without LS_COLORS, only a known terminal gets colours.
    for term in ["xterm", "dumb", "vt220", "screen-256color", "linux-16color"] {
        cases.push(Case::new("--color types", Place::Pipe).env("TERM", term));
    }
    cases.push(Case::new("--color types", Place::Pipe).unset("TERM"));
    cases.push(Case::new("--color types", Place::Pipe).unset("TERM").env("COLORTERM", "1"));
    cases
}

/// Variables that say what options do not.
pub fn environment() -> Vec<Case> {
    let variables = [
        ("BLOCK_SIZE", "K"),
        ("BLOCK_SIZE", "human-readable"),
        ("LS_BLOCK_SIZE", "1MB"),
        ("BLOCKSIZE", "512"),
        ("BLOCK_SIZE", "x"),
        ("POSIXLY_CORRECT", "1"),
        ("COLUMNS", "40"),
        ("COLUMNS", "x"),
        ("COLUMNS", ""),
        ("TABSIZE", "4"),
        ("TABSIZE", "y"),
        ("TABSIZE", "0"),
        ("QUOTING_STYLE", "c"),
        ("QUOTING_STYLE", "shell-a"),
        ("QUOTING_STYLE", "zz"),
        ("TIME_STYLE", "iso"),
        ("TIME_STYLE", "posix-iso"),
        ("TIME_STYLE", "+%F"),
        ("TZ", "America/New_York"),
        ("TZ", "Asia/Kolkata"),
        ("TZ", ""),
        ("TZ", "EST5EDT"),
        ("TZ", ":Asia/Tokyo"),
        ("TZ", "/usr/share/zoneinfo/Asia/Tokyo"),
        ("TZ", "NST3:30"),
        ("TZ", "nowhere"),
        ("TZ", "no/such"),
        ("LC_ALL", "no_SUCH.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("LC_ALL", "POSIX"),
    ];
    let mut cases = Vec::new();
    for (name, value) in variables {
        for words in ["-ls types", "-C odd", "-sC many", "types -l", "--full-time types", "-m odd"]
        {
            cases.push(Case::new(words, Place::Pipe).env(name, value));
        }
        cases.push(Case::new("odd", Place::Terminal(70)).env(name, value));
        // Of a zone whose name is too short, GNU prints no name.
        if value != "no/such" {
            cases.push(Case::new("-l --time-style=+%Z types", Place::Pipe).env(name, value));
        }
        if name != "LC_ALL" {
            cases.push(Case::new("-l odd", Place::Terminal(70)).utf8().env(name, value));
        }
    }
    let warned = Case::new("-l types", Place::Pipe).env("QUOTING_STYLE", "zz");
    cases.push(warned.env("TIME_STYLE", "zz"));
    cases
}

/// Words that are not understood, and paths that do not exist.
const REFUSED: &[&str] = &[
    "-y",
    "-j",
    "-j2",
    "-lV",
    "--colr",
    "--foo",
    "--co",
    "--all=3",
    "--ignore",
    "-I",
    "--sort=x",
    "--sort=",
    "--sort=ti",
    "--time=x",
    "--time=a -l",
    "--format=h",
    "--format=v",
    "--color=x",
    "--color=",
    "-w x",
    "-T x",
    "-w -1",
    "-w 99999999999999999999 -C many",
    "--block-size=x",
    "--block-size=0",
    "--block-size=1Q",
    "--block-size=",
    "--block-size=1kk",
    "--block-size=99999999999999999999",
    "--time-style=x -l",
    "--time-style=f -l file",
    "--time-style=x",
    "--quoting-style=x",
    "--quoting-style=shell",
    "--indicator-style=x",
    "--classify=x",
    "-T 99999999999999999999",
    "--hyperlink=z",
    "-lw",
    "--ti=ctime",
    "--sort=s types",
    "-@",
    "--fo\u{e9}",
    "-laz",
    "--help=1",
    "--version=",
    "nope",
    "nope also-nope file",
    "nope '' file/x ldang also-nope",
    "-H ldang nope '' types/l-dangling",
    "file/x",
    "''",
    "nope types/plain/x",
    "-l nope",
    "-R nope deep",
    "--a types",
    "--al",
    "--recur deep",
    "-w0x10 many -C",
    "-T010 -C many",
    "--color=al file",
    "--hide",
    "--block-size=si -l file",
];

/// Each refusal, and a format of three lines.
pub fn refusals() -> Vec<Case> {
    let call = |words: &&str| Case::new(words, Place::Pipe);
    let mut cases: Vec<Case> = REFUSED.iter().map(call).collect();
    // In UTF-8 other quotes are around words.
    cases.extend(REFUSED.iter().map(call).map(Case::utf8));
    let mut lines = Case::new("-l types", Place::Pipe);
    lines.words.push("--time-style=+a\nb\nc".to_owned());
    cases.push(lines);
    cases
}

/// Orders that ask the locale.
pub fn collation(locales: &Path) -> Vec<Case> {
    let options =
        ["", "-r", "-X", "-v", "-l", "-S", "-C", "--group-directories-first", "-R", "--sort=width"];
    let mut cases = Vec::new();
    for option in options {
        for path in ["odd", "many", "versions", "types", "file2 deep file Zz types"] {
            let case = Case::new(&format!("{option} {path}"), Place::Pipe);
            let case = case.env("LC_ALL", "en_US.UTF-8");
            cases.push(case.env("LOCPATH", &locales.to_string_lossy()));
        }
    }
    cases
}
