//! Any bytes as a file of ignore rules: compiling them ends, and the same rules twice in a row give the
//! same verdicts, because the last rule that matches decides.

#![no_main]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use brisk::ignore::{Level, Options, Rules};
use brisk::{Directory, Enter, Entry, Error, Fields, Flow, Select, Visitor, Walk};
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

/// The entries that the rules keep.
struct Kept {
    rules: Rules,
    paths: BTreeSet<PathBuf>,
}

impl Visitor for Kept {
    type State = Option<Level>;

    fn top(&self) -> Option<Level> {
        Some(self.rules.top())
    }

    fn enter(&mut self, entry: &Entry<'_>, parent: &Option<Level>) -> Enter<Option<Level>> {
        Enter::Read(parent.as_ref().map(|parent| parent.enter(entry)))
    }

    fn select(&mut self, level: &Option<Level>, entry: &Entry<'_>) -> Select {
        if level.as_ref().is_some_and(|level| level.is_ignored(entry)) {
            return Select::Drop;
        }
        Select::Take(Fields::empty())
    }

    fn entries(&mut self, _: &Directory<'_>, _: &Option<Level>, entries: &[Entry<'_>]) -> Flow {
        self.paths.extend(entries.iter().map(Entry::path));
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

/// What is kept, and the number of lines that are no rules.
fn kept(file: &Path, rules: &[u8]) -> (BTreeSet<PathBuf>, usize) {
    std::fs::write(file, rules).expect("written");
    let options = Options { files: vec![file.to_owned()], ..Options::none() };
    let rules = Rules::new(options).expect("no overrides");
    let bad = rules.errors().len();
    let (kept, _) = Walk::new(".").visit(Kept { rules, paths: BTreeSet::new() });
    (kept.paths, bad)
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
