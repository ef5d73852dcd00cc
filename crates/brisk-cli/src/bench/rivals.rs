//! Other programs that walk trees, as far as they are installed, and how to have them list everything.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

/// A program, and what it lists.
pub(crate) struct Rival {
    pub(crate) name: String,
    program: OsString,
    words: Vec<OsString>,
    pub(crate) lists: Lists,
}

/// What a program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "du is Unix's, and so is ls"))]
pub(crate) enum Lists {
    /// A path a line, the root perhaps among them.
    Paths,
    /// The same, regular files alone.
    Files,
    /// A size, a tab, a path.
    Sizes,
    /// Something that is not compared.
    Other,
}

impl Rival {
    fn new(program: &str, words: &[&str], dir: &Path, lists: Lists) -> Rival {
        let name = format!("{program} {}", words.join(" ")).trim().to_owned();
        let words = words.iter().map(|word| if *word == "DIR" { dir.into() } else { word.into() });
        Rival { name, program: program.into(), words: words.collect(), lists }
    }

    /// brisk itself, with these options.
    pub(crate) fn own(name: &str, words: &[&str], dir: &Path) -> Result<Rival, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("cannot find this program: {error}"))?;
        let rival = Rival::new("brisk", words, dir, Lists::Paths);
        Ok(Rival { name: name.to_owned(), program: program.into(), ..rival })
    }

    /// Ready to run; what it says goes nowhere.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The paths that it lists below `dir`, relative to it; `None` if they are not to be compared.
    pub(crate) fn set(&self, dir: &Path) -> Option<BTreeSet<Vec<u8>>> {
        if self.lists == Lists::Other {
            return None;
        }
        let output = self.command().stdout(Stdio::piped()).output().ok()?;
        let root = brisk_sys::paths::with_slashes(dir);
        let lines = output.stdout.split(|byte| *byte == b'\n');
        let path = |line: &[u8]| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = match self.lists {
                Lists::Sizes => line.split(|byte| *byte == b'\t').nth(1)?,
                _ => line,
            };
            let line: Vec<u8> = line
                .iter()
                .map(|byte| if cfg!(windows) && *byte == b'\\' { b'/' } else { *byte })
                .collect();
            let below = line.strip_prefix(&root[..]).unwrap_or(&line);
            let below = below.strip_prefix(b"/").unwrap_or(below);
            let below = below.strip_suffix(b"/").unwrap_or(below);
            (!below.is_empty()).then(|| below.to_vec())
        };
        Some(lines.filter_map(path).collect())
    }
}

/// Whatever of the known programs is installed.
#[cfg(not(windows))]
pub(crate) fn installed(dir: &Path) -> Vec<Rival> {
    let known: [(&str, &[&str], Lists); 6] = [
        ("find", &["DIR"], Lists::Paths),
        ("bfs", &["DIR"], Lists::Paths),
        ("fd", &["-u", ".", "DIR"], Lists::Paths),
        ("rg", &["--files", "-uuu", "DIR"], Lists::Files),
        ("ls", &["-1RA", "DIR"], Lists::Other),
        ("du", &["-a", "DIR"], Lists::Sizes),
    ];
    known
        .into_iter()
        .filter(|(program, ..)| is_installed(program))
        .map(|(program, words, lists)| Rival::new(program, words, dir, lists))
        .collect()
}

/// Whatever of the known programs is installed.
#[cfg(windows)]
pub(crate) fn installed(dir: &Path) -> Vec<Rival> {
    let known: [(&str, &[&str], Lists); 3] = [
        ("cmd", &["/d", "/c", "dir", "/s", "/b", "/a", "DIR"], Lists::Paths),
        ("where", &["/r", "DIR", "*"], Lists::Files),
        ("fd", &["-u", ".", "DIR"], Lists::Paths),
    ];
    known
        .into_iter()
        .filter(|(program, ..)| is_installed(&format!("{program}.exe")))
        .map(|(program, words, lists)| Rival::new(program, words, dir, lists))
        .collect()
}

/// Whether the search path has a program of this name.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}
