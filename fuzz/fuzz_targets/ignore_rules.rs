//! Any bytes as a file of ignore rules: compiling them ends, and the same rules twice in a row give the
//! same verdicts, because the last rule that matches decides.

#![no_main]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use brisk::Walk;
use brisk::ignore::{Options, Rules};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 9] =
    ["a", "b.rs", ".h", "d/a", "d/b.rs", "d/e/a", "d/e/x y", "build/a", "d/build/é"];

/// A scratch directory with the tree `t`; the process is in it, because the rules of a file are
/// relative to the current directory.
static PLACE: LazyLock<PathBuf> = LazyLock::new(|| {
    let place = std::env::temp_dir().join(format!("brisk-fuzz-{}", std::process::id()));
    for name in FILES {
        let path = place.join("t").join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, "").expect("a file");
    }
    std::env::set_current_dir(place.join("t")).expect("the tree");
    place
});

/// What is kept, and the number of lines that are no rules.
fn kept(file: &Path, rules: &[u8]) -> (BTreeSet<PathBuf>, usize) {
    std::fs::write(file, rules).expect("written");
    let options = Options { files: vec![file.to_owned()], ..Options::none() };
    let rules = Rules::new(options).expect("no overrides");
    let bad = rules.errors().len();
    let kept = Walk::new(".").rules(rules).into_iter().map(|entry| match entry {
        Ok(entry) => entry.into_path(),
        Err(error) => panic!("{error}"),
    });
    (kept.collect(), bad)
}

fuzz_target!(|bytes: &[u8]| {
    // A mark at the beginning of a file is none in its middle.
    if bytes.len() > 2048 || bytes.starts_with("\u{feff}".as_bytes()) {
        return;
    }
    let file = PLACE.join("rules");
    let (once, bad) = kept(&file, bytes);
    assert!(once.contains(Path::new(".")));
    let (twice, bad_twice) = kept(&file, &[bytes, b"\n", bytes].concat());
    if bad == 0 {
        assert_eq!((once, bad), (twice, bad_twice));
    }
});
