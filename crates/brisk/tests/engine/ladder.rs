//! The example `ladder`: each of its steps lists the same paths.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The example, which `cargo test` builds beside the tests.
fn ladder() -> Option<PathBuf> {
    let tests = std::env::current_exe().ok()?;
    let found = tests.parent()?.parent()?.join("examples/ladder");
    found.exists().then_some(found)
}

#[test]
fn each_step_of_the_ladder_lists_the_same() {
    let Some(ladder) = ladder() else {
        return testkit::left_out("ladder", "the example is not built (cargo build --examples)");
    };
    let scratch = testkit::scratch();
    let root = scratch.path().join("tree");
    // More names than one buffer holds, and a path deeper than the stack of names is wide.
    let deep = root.join("a/b/c/d/e/f");
    fs::create_dir_all(&deep).unwrap();
    for number in 0..3_000 {
        fs::write(root.join(format!("a/{number:040}")), "").unwrap();
    }
    fs::write(deep.join("last"), "").unwrap();
    std::os::unix::fs::symlink("a", root.join("link")).unwrap();
    let list = |step: usize| -> BTreeSet<Vec<u8>> {
        let output = Command::new(&ladder).arg(step.to_string()).arg(&root).output().unwrap();
        assert!(output.status.success(), "step {step}");
        output.stdout.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let first = list(1);
    assert_eq!(first.len(), 3_000 + 6 + 2 + 1, "names, directories, the last two, the end");
    for step in 2..=7 {
        assert!(list(step) == first, "step {step}");
    }
}
