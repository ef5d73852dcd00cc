//! Colours that metadata decides: `brisk find --color=always` against GNU ls, the name `fd` against
//! fd itself, and the requests that both make. Where ls or fd is missing the tests say so and pass.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fd::real_fd;

const FILE_MODES: [u32; 8] = [0o644, 0o755, 0o4755, 0o2755, 0o6755, 0o666, 0o001, 0o4644];
const DIRECTORY_MODES: [u32; 6] = [0o755, 0o777, 0o1755, 0o1777, 0o2755, 0o002];
const LINKS: [(&str, &str); 9] = [
    ("to-plain", "f-644"),
    ("to-exec.tar", "f-755"),
    ("to-setuid", "f-4755"),
    ("to-dir", "d-755"),
    ("to-open-dir", "d-777"),
    ("dangling", "nowhere"),
    ("dangling.tar", "nowhere"),
    ("broken-chain", "dangling"),
    ("loop", "loop"),
];

/// dircolors' output without its suffixes.
const EVERYTHING: &str = "di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:\
    su=37;41:sg=30;43:tw=30;42:ow=34;42:st=37;44:ex=01;32:*.tar=01;31";

/// Everything that a colour depends on, in one directory.
fn plant() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for mode in FILE_MODES {
        for end in ["", ".tar"] {
            let path = at(&format!("f-{mode:o}{end}"));
            File::create(&path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
    }
    for mode in DIRECTORY_MODES {
        let path = at(&format!("d-{mode:o}"));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
    for (link, target) in LINKS {
        symlink(target, at(link)).unwrap();
    }
    fs::hard_link(at("f-644"), at("twice")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    place
}

fn printed(program: &Path, words: &[&str], dir: &Path, ls_colors: &str) -> String {
    let output = Command::new(program)
        .args(words)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C")
        .env("LS_COLORS", ls_colors)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The name of each line, and the sequence before it.
fn sequences(text: &str) -> BTreeMap<String, String> {
    let pairs = text.lines().map(|line| {
        // GNU ls writes a reset before its first coloured name.
        let line = if line.starts_with("\x1b[0m\x1b[") { &line[4..] } else { line };
        match line.strip_prefix("\x1b[").and_then(|rest| rest.split_once('m')) {
            Some((sequence, rest)) => {
                let name = rest.split('\x1b').next().unwrap_or_default();
                (name.to_owned(), sequence.to_owned())
            }
            None => (line.trim_end_matches('/').to_owned(), String::new()),
        }
    });
    pairs.collect()
}

fn brisk() -> PathBuf {
    env!("CARGO_BIN_EXE_brisk").into()
}

#[test]
fn find_paints_what_metadata_decides_as_gnu_ls_does() {
    let version = Command::new("ls").arg("--version").output();
    if !version.is_ok_and(|output| output.stdout.starts_with(b"ls (GNU coreutils) 9.")) {
        return testkit::left_out(
            "find_paints_what_metadata_decides_as_gnu_ls_does",
            "no GNU ls 9",
        );
    }
    let place = plant();
    for more in ["", "or=0", "ln=target", "ln=target:or=0", "mh=7", "ex=0", "ex=0:su=0:sg=0:tw=0"] {
        let value = format!("{EVERYTHING}:{more}");
        let ls = printed("ls".as_ref(), &["-AU", "--color=always"], place.path(), &value);
        let theirs = sequences(&ls);
        for order in ["unordered", "sorted"] {
            let words = ["find", "-u", "--color=always", "--order", order];
            let ours = sequences(&printed(&brisk(), &words, place.path(), &value));
            // A sequence of 0 changes nothing, and find leaves it out.
            let theirs: BTreeMap<_, _> = theirs
                .iter()
                .map(|(name, sequence)| (name.clone(), sequence.trim_matches('0').to_owned()))
                .collect();
            let ours: BTreeMap<_, _> = ours
                .iter()
                .map(|(name, sequence)| (name.clone(), sequence.trim_matches('0').to_owned()))
                .collect();
            assert_eq!(ours, theirs, "{value} {order}");
        }
    }
}

/// fd has neither `ca` nor `ln=target`, and needs `mh` alone: these follow GNU here.
#[test]
fn the_name_fd_paints_what_metadata_decides_as_fd_does() {
    let Some(fd) = real_fd() else {
        let test = "the_name_fd_paints_what_metadata_decides_as_fd_does";
        return testkit::left_out(test, "no fd 10");
    };
    let place = plant();
    let names = tempfile::tempdir().unwrap();
    let ours = names.path().join("fd");
    symlink(brisk(), &ours).unwrap();
    for more in ["", "or=0", "mh=7", "ex=0", "tw=0:ow=0", "no=33", "fi=32", "st=0:su=0"] {
        let value = format!("{EVERYTHING}:{more}");
        for words in [&["-u", "-c", "always"][..], &["-u", "-c", "always", "-t", "l"]] {
            let lines = |program: &Path| {
                let text = printed(program, words, place.path(), &value);
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            assert_eq!(lines(&ours), lines(&fd), "{value} {words:?}");
        }
    }
}

/// Requests of one run: stats, attributes.
fn requests(dir: &Path, words: &[&str], ls_colors: &str) -> (u64, u64) {
    let output = Command::new(brisk())
        .args(["find", "-u", "--stats=json"])
        .args(words)
        .current_dir(dir)
        .env("LS_COLORS", ls_colors)
        .output()
        .unwrap();
    let stats = String::from_utf8(output.stderr).unwrap();
    let count = |kind: &str| {
        let (_, rest) = stats.split_once(&format!("\"{kind}\":")).unwrap();
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    (count("stat"), count("xattr"))
}

#[test]
fn colours_ask_for_what_they_need_and_only_when_they_are_on() {
    let place = plant();
    let dir = place.path();
    let files = 2 * 8 + 1;
    let dirs = 6;
    let links = 9;
    let always = "--color=always";
    let table: [(&[&str], &str, u64, u64); 13] = [
        (&["--color=never"], "or=31:ca=31", 0, 0),
        (&[], "or=31:ca=31", 0, 0),
        (&[always], "", files + dirs, 0),
        (&[always], "or=31", files + dirs + links, 0),
        (&[always], "or=31:ca=31", files + dirs + links, files),
        (&[always], "ex=0:su=0:sg=0", dirs, 0),
        (&[always], "st=0:ow=0:tw=0", files, 0),
        (&[always], "ex=0:su=0:sg=0:st=0:ow=0:tw=0:mh=7:mi=1", 0, 0),
        (&[always], "zz=1", 0, 0),
        (&[always, "-t", "d"], "or=31:ca=31", dirs, 0),
        (&[always, "-e", "tar", "-S", "-1b"], "", files / 2, 0),
        (&[always, "--json"], "ca=31", files + dirs + links + 1, 0),
        (&[always, "-q"], "or=31:ca=31", 0, 0),
    ];
    for (words, value, stats, xattrs) in table {
        assert_eq!(requests(dir, words, value), (stats, xattrs), "{words:?} {value}");
    }
}

#[test]
fn explanations_name_the_keys_and_the_way_without_them() {
    let place = plant();
    let explain = |value: &str| {
        let output = Command::new(brisk())
            .args(["find", "-u", "--color=always", "--explain"])
            .current_dir(place.path())
            .env("LS_COLORS", value)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let text = explain("or=31:st=0");
    for line in [
        "LS_COLORS (su, sg, ex) needs mode of regular files.",
        "LS_COLORS (tw, ow) needs mode of directories.",
        "LS_COLORS (or) needs target of symbolic links.",
        "Colours that cost nothing: LS_COLORS=\"$LS_COLORS:su=0:sg=0:ex=0:tw=0:ow=0:or=0\"",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    let free = "or=31:st=0:su=0:sg=0:ex=0:tw=0:ow=0:or=0";
    assert!(explain(free).contains("Nothing else is requested for any entry."));
    assert_eq!(requests(place.path(), &["--color=always"], free), (0, 0));
}
