//! Random edits: what editors, version control, build tools and users do to files. An edit that the
//! file system refuses is none.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::seed::Seed;
use super::snapshot::{DIRECTORY, FILE, Snapshot};

/// A tree that is edited.
pub struct Tree<'t> {
    pub top: &'t Path,
    /// A directory on the same file system, outside of the tree.
    pub outside: &'t Path,
    /// The tree as it was before the edits.
    pub before: &'t Snapshot,
}

/// An edit: what it is called, and what it does.
type Edit = (&'static str, fn(&Tree<'_>, &mut Seed) -> io::Result<PathBuf>);

const EDITS: [Edit; 20] = [
    ("create", create),
    ("write", write),
    ("append", append),
    ("truncate", truncate),
    ("rename", rename),
    ("rename a directory", rename_directory),
    ("replace", replace),
    ("swap directories", swap),
    ("chmod", chmod),
    ("chmod a directory", chmod_directory),
    ("touch back", touch_back),
    ("same size, same mtime", write_and_set_back),
    ("same size", write_same_size),
    ("write outside", write_by_a_link),
    ("retarget", retarget),
    ("change case", change_case),
    ("mkdir -p", make_directories),
    ("remove", remove),
    ("change type", change_type),
    ("mkfifo", make_pipe),
];

impl Tree<'_> {
    /// Makes some edits at once; returns what they were.
    pub fn edit(&self, seed: &mut Seed) -> Vec<String> {
        let count = seed.between(1, 8);
        let mut made = Vec::new();
        for _ in 0..count {
            let (name, edit) = seed.pick(&EDITS);
            match edit(self, seed) {
                Ok(path) => made.push(format!("{name}: {}", path.display())),
                Err(error) => made.push(format!("{name}: refused: {error}")),
            }
        }
        made
    }

    /// A path of this kind, if there is one.
    fn any(&self, kind: u32, seed: &mut Seed) -> io::Result<PathBuf> {
        let of_kind = self.before.iter().filter(|(_, record)| record.kind == kind);
        let paths: Vec<&[u8]> = of_kind.map(|(path, _)| path.as_slice()).collect();
        if paths.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(self.top.join(OsStr::from_bytes(seed.pick(&paths))))
    }

    fn file(&self, seed: &mut Seed) -> io::Result<PathBuf> {
        self.any(FILE, seed)
    }

    pub fn directory(&self, seed: &mut Seed) -> io::Result<PathBuf> {
        self.any(DIRECTORY, seed)
    }

    /// A path that is new in a directory of the tree.
    fn new_path(&self, seed: &mut Seed) -> io::Result<PathBuf> {
        let names = ["n", "new file", "ü", "tab\there", "quote\"d", "-dash", "back\\slash"];
        let name = format!("{}{}", seed.pick(&names), seed.below(1000));
        Ok(self.directory(seed)?.join(name))
    }
}

fn text(seed: &mut Seed) -> Vec<u8> {
    (0..seed.below(400)).map(|_| b'a' + seed.below(26) as u8).collect()
}

fn create(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.new_path(seed)?;
    fs::write(&path, text(seed))?;
    Ok(path)
}

fn write(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    fs::write(&path, text(seed))?;
    Ok(path)
}

fn append(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    File::options().append(true).open(&path)?.write_all(b"more")?;
    Ok(path)
}

fn truncate(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    File::options().write(true).open(&path)?.set_len(seed.below(50))?;
    Ok(path)
}

fn rename(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let from = tree.file(seed)?;
    let to = tree.new_path(seed)?;
    fs::rename(&from, &to)?;
    Ok(from)
}

fn rename_directory(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let from = tree.directory(seed)?;
    let to = tree.new_path(seed)?;
    fs::rename(&from, &to)?;
    Ok(from)
}

/// As editors save: a new file takes the name.
fn replace(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    let new = tree.outside.join("new");
    let same = if seed.one_in(3) { fs::read(&path)? } else { text(seed) };
    fs::write(&new, same)?;
    fs::rename(&new, &path)?;
    Ok(path)
}

fn swap(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let one = tree.directory(seed)?;
    let other = tree.directory(seed)?;
    if one.starts_with(&other) || other.starts_with(&one) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let aside = tree.outside.join("aside");
    fs::rename(&one, &aside)?;
    let moved = fs::rename(&other, &one);
    fs::rename(&aside, if moved.is_ok() { &other } else { &one })?;
    Ok(one)
}

fn chmod(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    fs::set_permissions(&path, Permissions::from_mode(seed.pick(&[0o644, 0o755, 0o600, 0o444])))?;
    Ok(path)
}

fn chmod_directory(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.directory(seed)?;
    fs::set_permissions(&path, Permissions::from_mode(seed.pick(&[0o755, 0o700, 0o750])))?;
    Ok(path)
}

fn touch_back(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seed.below(1 << 30));
    File::options().append(true).open(&path)?.set_modified(time)?;
    Ok(path)
}

/// Turns every letter of a file, so that its size stays.
fn turn(path: &Path) -> io::Result<()> {
    let mut contents = fs::read(path)?;
    contents.iter_mut().for_each(|byte| *byte ^= 0x20);
    let mut file = File::options().write(true).open(path)?;
    file.write_all(&contents)
}

fn write_same_size(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    turn(&path)?;
    Ok(path)
}

fn write_and_set_back(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    let time = fs::metadata(&path)?.modified()?;
    turn(&path)?;
    File::options().append(true).open(&path)?.set_modified(time)?;
    Ok(path)
}

/// The directory that holds the file learns nothing of such an edit.
fn write_by_a_link(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    let link = tree.outside.join(format!("link{}", seed.next()));
    fs::hard_link(&path, &link)?;
    turn(&link)?;
    if seed.one_in(2) {
        fs::remove_file(&link)?;
    }
    Ok(path)
}

fn retarget(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.any(0o120_000, seed)?;
    fs::remove_file(&path)?;
    symlink(format!("target{}", seed.below(100)), &path)?;
    Ok(path)
}

fn change_case(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let upper = name.to_uppercase();
    let name = if *name == upper { name.to_lowercase() } else { upper };
    fs::rename(&path, path.with_file_name(name))?;
    Ok(path)
}

fn make_directories(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.new_path(seed)?;
    fs::create_dir_all(path.join("deep/er"))?;
    fs::write(path.join("deep/er/file"), text(seed))?;
    fs::write(path.join("deep/file"), text(seed))?;
    Ok(path)
}

fn remove(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    if seed.one_in(8) {
        let path = tree.directory(seed)?;
        fs::remove_dir_all(&path)?;
        return Ok(path);
    }
    let path = tree.file(seed)?;
    fs::remove_file(&path)?;
    Ok(path)
}

fn change_type(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.file(seed)?;
    fs::remove_file(&path)?;
    if seed.one_in(2) {
        symlink("elsewhere", &path)?;
        return Ok(path);
    }
    fs::create_dir(&path)?;
    fs::write(path.join("file"), "")?;
    Ok(path)
}

/// Where git knows a file, it refuses a pipe: this one has a new name.
fn make_pipe(tree: &Tree<'_>, seed: &mut Seed) -> io::Result<PathBuf> {
    let path = tree.new_path(seed)?;
    let made = Command::new("mkfifo").arg("--").arg(&path).output()?;
    if made.status.success() { Ok(path) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

/// Makes the tree: a few hundred files in thirty directories and directories below them.
pub fn grow(top: &Path, seed: &mut Seed) {
    for number in 0..30 {
        let dir = top.join(format!("dir{}/sub{}/d{number}", number % 6, number % 3));
        fs::create_dir_all(&dir).unwrap();
        for file in 0..seed.between(5, 12) {
            fs::write(dir.join(format!("file{file}.c")), text(seed)).unwrap();
        }
        symlink(format!("file{}.c", number % 5), dir.join("link")).unwrap();
    }
}
