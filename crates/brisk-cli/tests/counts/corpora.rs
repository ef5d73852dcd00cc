//! The trees on which calls are counted: small, and the same on every machine.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::measure::Counts;

/// The corpora, each a directory of its own beside the others.
pub struct Corpora {
    /// Removed with this value.
    _scratch: TempDir,
    /// Its path without links, as the kernel names it.
    root: PathBuf,
    /// What each command costs in an empty directory, once that was measured.
    pub bare: RefCell<BTreeMap<String, Counts>>,
}

/// Fills a directory.
type Builder = fn(&Path) -> io::Result<()>;

/// Each corpus's name and builder; the others are compared with `empty`.
const ALL: &[(&str, Builder)] = &[
    ("empty", |_| Ok(())),
    ("home", |_| Ok(())),
    ("flat", flat),
    ("wide", wide),
    ("deep", deep),
    ("repo", repo),
    ("links", links),
    ("linked", linked),
    ("small", small),
];

impl Corpora {
    /// Builds none yet.
    pub fn new() -> Corpora {
        let scratch = TempDir::new().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        Corpora { _scratch: scratch, root, bare: RefCell::default() }
    }

    /// Where the corpus of that name is, which is built when it is first asked for.
    pub fn path(&self, name: &str) -> PathBuf {
        let path = self.root.join(name);
        let corpus = ALL.iter().find(|(corpus, _)| *corpus == name);
        if let Some((_, build)) = corpus.filter(|_| !path.exists()) {
            fs::create_dir(&path).unwrap();
            build(&path).unwrap();
        }
        path
    }
}

/// A file of `size` bytes; a hole, so that it costs no space.
fn file(path: PathBuf, size: u64, mode: u32) -> io::Result<()> {
    let file = File::create(path)?;
    file.set_len(size)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// Five files: two of them Rust, one of those above 1 kB, one executable.
fn five_files(dir: &Path) -> io::Result<()> {
    file(dir.join("aa.rs"), 10, 0o644)?;
    file(dir.join("bb.rs"), 5_000, 0o644)?;
    file(dir.join("cc.md"), 5_000, 0o644)?;
    file(dir.join("dd.sh"), 100, 0o755)?;
    file(dir.join("ee"), 0, 0o644)
}

/// 1,000 files, every fourth of them Rust, every tenth executable, of 0 to 9,990 bytes.
fn flat(root: &Path) -> io::Result<()> {
    for index in 0..1_000 {
        let extension = if index % 4 == 0 { "rs" } else { "md" };
        let mode = if index % 10 == 0 { 0o755 } else { 0o644 };
        file(root.join(format!("f{index:03}.{extension}")), index * 10, mode)?;
    }
    Ok(())
}

/// 100 files of 1 kB with contents.
fn small(root: &Path) -> io::Result<()> {
    (0..100).try_for_each(|index| fs::write(root.join(format!("f{index}")), [b'x'; 1000]))
}

/// 200 directories of five files.
fn wide(root: &Path) -> io::Result<()> {
    for index in 0..200 {
        let dir = root.join(format!("d{index:03}"));
        fs::create_dir(&dir)?;
        five_files(&dir)?;
    }
    Ok(())
}

/// 50 nested directories, with a file in each.
fn deep(root: &Path) -> io::Result<()> {
    let mut dir = root.to_owned();
    for _ in 0..50 {
        dir.push("d");
        fs::create_dir(&dir)?;
        file(dir.join("f"), 100, 0o644)?;
    }
    Ok(())
}

/// A git repository, as far as ignore rules need one: 20 directories, of which 5 have rules of
/// their own, each with a log; `target` with 10 directories is ignored; `.git` is hidden.
fn repo(root: &Path) -> io::Result<()> {
    fs::create_dir_all(root.join(".git/objects/aa"))?;
    fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    fs::write(root.join(".gitignore"), "/target\n*.log\n")?;
    for index in 0..20 {
        let dir = root.join(format!("s{index:02}"));
        fs::create_dir(&dir)?;
        five_files(&dir)?;
        file(dir.join("f.log"), 10, 0o644)?;
        if index % 4 == 0 {
            fs::write(dir.join(".gitignore"), "*.md\n!f.log\n")?;
        }
    }
    for index in 0..10 {
        let dir = root.join(format!("target/t{index:02}"));
        fs::create_dir_all(&dir)?;
        five_files(&dir)?;
    }
    Ok(())
}

/// 20 directories, each with a file, a link to the file, a link to a directory beside all of them,
/// and a link that leads nowhere.
fn links(root: &Path) -> io::Result<()> {
    let target = root.join("target");
    fs::create_dir(&target)?;
    five_files(&target)?;
    for index in 0..20 {
        let dir = root.join(format!("d{index:02}"));
        fs::create_dir(&dir)?;
        file(dir.join("file"), 10, 0o644)?;
        symlink("file", dir.join("to-file"))?;
        symlink("../target", dir.join("to-dir"))?;
        symlink("nowhere", dir.join("to-none"))?;
    }
    Ok(())
}

/// Ten files, and beside them ten links to files, five to directories and five that lead nowhere.
fn linked(root: &Path) -> io::Result<()> {
    for index in 0..10 {
        file(root.join(format!("f{index}")), 10, 0o644)?;
        symlink(format!("f{index}"), root.join(format!("to-f{index}")))?;
    }
    for index in 0..5 {
        symlink("..", root.join(format!("to-d{index}")))?;
        symlink("nowhere", root.join(format!("to-none{index}")))?;
    }
    Ok(())
}
