//! A state of entries that come in order, and of directories that are missing above them.

#![cfg(target_os = "linux")]

use std::io::{self, ErrorKind};

use brisk::{Fields, FileType, Flow, Meta};
use brisk_state::{Diff, Difference, Input, Tree};

/// The metadata of a directory or file.
fn meta(file_type: FileType, mode: u64, size: u64) -> Meta {
    let file_type = (Fields::TYPE, file_type.mode_bits().into());
    let mtime = (Fields::MTIME, 1_700_000_000_123_456_789);
    [file_type, mtime, (Fields::MODE, mode), (Fields::SIZE, size)].into_iter().collect()
}

/// The state of entries that are put in order; directories have names that end in `d`.
fn state(roots: &[&str], entries: &[(u16, &str)]) -> io::Result<Input> {
    let roots = roots.iter().map(|root| root.as_bytes().to_vec()).collect();
    let mut tree = Tree::new(&std::env::temp_dir(), roots)?;
    let with_nul = |(root, path): &(u16, &str)| (*root, path.replace('/', "\0"));
    let mut entries: Vec<_> = entries.iter().map(with_nul).collect();
    entries.sort();
    for (root, path) in entries {
        let size = path.len() as u64;
        let meta = match path.ends_with('d') {
            true => meta(FileType::Directory, 0o755, 0),
            false => meta(FileType::File, 0o644, size),
        };
        let digest = (meta.size() != Some(0) && size.is_multiple_of(2)).then_some(&[7; 32]);
        tree.push(root, path.as_bytes(), &meta, digest, None)?;
    }
    Ok(Input::of(tree.finish()?).expect("a state"))
}

fn differences(old: Input, new: Input) -> Vec<String> {
    let mut found = Vec::new();
    let compared = Diff::between(old, new).run(&mut |told: &Difference| {
        let path = String::from_utf8_lossy(&told.change.place.path).into_owned();
        found.push(format!("{} {path}", told.change.kind.letter()));
        Flow::Continue
    });
    compared.expect("an answer");
    found
}

#[test]
fn directories_that_are_missing_are_no_results() {
    let of = |entries: &[(u16, &str)]| state(&["/p", "/q"], entries).expect("a state");
    let all: [(u16, &str); 7] =
        [(1, "z"), (0, "a/b/c"), (0, "a/b!"), (0, "a!"), (0, "d/f"), (0, "d"), (1, "d")];
    let twice = [&all[..], &all].concat();
    assert_eq!(differences(of(&all), of(&twice)), [""; 0]);
    assert_eq!(differences(of(&all[1..]), of(&all)), ["A z"]);
    // The directory itself was not a result before.
    assert_eq!(differences(of(&all[..5]), of(&all)), ["A d", "A d"]);
}

#[test]
fn what_is_no_tree_is_refused() {
    for paths in [&["/a"][..], &["a/"], &["a//b"], &["a", "a/b"], &["", "x"]] {
        let entries: Vec<_> = paths.iter().map(|path| (0, *path)).collect();
        let made = state(&["/p"], &entries).map_err(|error| error.kind());
        assert_eq!(made.err(), Some(ErrorKind::InvalidData), "{paths:?}");
    }
}
