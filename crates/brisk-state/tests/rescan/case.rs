//! A tree and its state, and what rescans say.

use std::fs;
use std::path::PathBuf;

use brisk_state::{Change, Report, Rescan, RootedPath, State};
use tempfile::TempDir;

/// A tree and its state.
pub struct Case {
    pub scratch: TempDir,
    tree: PathBuf,
}

impl Case {
    pub fn new() -> Case {
        let scratch = TempDir::new().expect("a scratch directory");
        let tree = scratch.path().join("tree");
        Case::grown(Case { scratch, tree })
    }

    /// As `new`, with the tree elsewhere.
    #[cfg(target_os = "linux")]
    pub fn at(tree: PathBuf) -> Case {
        Case::grown(Case { scratch: TempDir::new().expect("a scratch directory"), tree })
    }

    fn grown(case: Case) -> Case {
        fs::create_dir_all(case.tree().join("a/b")).expect("directories");
        for file in ["top", "a/one", "a/two", "a/b/deep"] {
            fs::write(case.tree().join(file), file).expect("a file");
        }
        case
    }

    pub fn tree(&self) -> PathBuf {
        self.tree.clone()
    }

    pub fn file(&self) -> PathBuf {
        self.scratch.path().join("state")
    }

    pub fn rescan(&self) -> Rescan {
        Rescan { old: State::load(&self.file()), ..Rescan::over([self.tree()]) }
    }

    /// What has changed, which is accepted.
    pub fn changed(&self) -> Vec<String> {
        self.accept(self.rescan().run().expect("an answer"))
    }

    pub fn accept(&self, report: Report) -> Vec<String> {
        assert!(report.errors.is_empty(), "{:?}", report.errors);
        report.write(&self.file()).expect("a state");
        lines(&report)
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.tree().join(below)
    }
}

/// A line a change: its letter, and its paths.
pub fn lines(report: &Report) -> Vec<String> {
    let line = |change: &Change| {
        let path = |place: &RootedPath| String::from_utf8_lossy(&place.path).into_owned();
        let from = change.from.as_ref().map(|from| path(from) + " ").unwrap_or_default();
        format!("{} {from}{}", change.kind.letter(), path(&change.place))
    };
    report.changes.iter().map(line).collect()
}
