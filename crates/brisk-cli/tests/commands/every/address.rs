//! The program's addresses: it is loaded at a random one, since root runs it on trees of other
//! users; and few of them are enough, or an error.

use std::process::{Command, Output};

use testkit::{Installation, brisk, stderr};

#[test]
fn the_program_is_position_independent() {
    // ET_DYN in e_type: ET_EXEC is a program of a fixed address.
    const POSITION_INDEPENDENT: u16 = 3;
    let program = std::fs::read(brisk()).unwrap();
    assert_eq!(&program[..4], b"\x7fELF");
    assert_eq!(u16::from_ne_bytes([program[16], program[17]]), POSITION_INDEPENDENT);
}

/// Commands that must say whether they are complete, on the tree of [`planted`].
const COMMANDS: [&str; 11] = [
    "find -u -j1 . t",
    "find -u -j8 . t",
    "find -u -j1 --order sorted . t",
    "find -u -j8 --order sorted . t",
    "find -u -j8 directory-1 t -x echo",
    r"find -u -j8 . t -X printf %s\n",
    "diff --content -j8 --match file-1 t copy",
    "ls -R t",
    "du -a t",
    "rm --dry-run -r --threads=8 t",
    "changed -j8 --state none t",
];

/// The address space that is enough for each of the commands, beyond that of `brisk -V`, in bytes.
/// Eight threads have larger stacks.
const ENOUGH: u64 = 2 << 20;

const STEP: u64 = 256 << 10;

/// 3,000 entries: a few hundred KiB of names where they are sorted.
fn planted() -> Installation {
    let place = Installation::new();
    for dir in 0..50 {
        for tree in ["t", "copy"] {
            let dir = place.path(&format!("{tree}/directory-{dir}"));
            std::fs::create_dir_all(&dir).unwrap();
            for file in 0..60 {
                std::fs::write(dir.join(format!("file-{file}")), "contents").unwrap();
            }
        }
    }
    place
}

/// Runs brisk in the place with a limit on its address space, or without one.
fn limited(place: &Installation, limit: Option<u64>, words: &str) -> Output {
    let limit = limit.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    Command::new("prlimit")
        .args([&format!("--as={limit}"), "--core=0", brisk()])
        .args(words.split(' '))
        .current_dir(place.path(""))
        .output()
        .unwrap()
}

/// The lines of the output, in one order.
fn lines(output: &Output) -> Vec<&[u8]> {
    let mut lines: Vec<_> = output.stdout.split(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

/// The least limit with which the program starts.
fn least(place: &Installation) -> u64 {
    let starts = |limit: &u64| limited(place, Some(*limit), "-V").status.success();
    (1..).map(|step| step * STEP).find(starts).unwrap()
}

/// A run with a limit ends with 0 and all of its output, or with a message. (Seen to fail: it
/// aborted. Threads took the address space, and those for which the C library had no heap took a
/// page for each allocation.)
#[test]
fn little_address_space_is_enough_or_is_an_error() {
    let place = planted();
    let least = least(&place);
    let near = (0..48).map(|step| least + step * STEP);
    let far =
        [16, 24, 32, 48, 64, 100, 150, 200, 300, 600].map(|mebibytes| least + (mebibytes << 20));
    let limits: Vec<u64> = near.chain(far).collect();
    for words in COMMANDS {
        let whole = limited(&place, None, words);
        assert!(whole.status.success(), "{words}: {}", stderr(&whole));
        for limit in (0..least).step_by(1 << 20) {
            let output = limited(&place, Some(limit), words);
            let is_cut = lines(&output) != lines(&whole);
            assert!(!output.status.success() || !is_cut, "{words}: {limit}: cut, and exit code 0");
        }
        for &limit in &limits {
            let output = limited(&place, Some(limit), words);
            let told = stderr(&output);
            let about = format!("{words}: {limit} ({least} to start): {:?}: {told}", output.status);
            match output.status.code() {
                Some(0) => assert_eq!(lines(&output), lines(&whole), "{about}"),
                Some(_) => assert!(told.contains("memory") && limit < least + ENOUGH, "{about}"),
                None => panic!("{about}"),
            }
        }
    }
}
