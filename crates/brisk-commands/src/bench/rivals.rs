//! The programs that `brisk bench walk`, `ls` and `rm` measure, and how each is called.

use std::ffi::OsString;
use std::path::Path;

use super::report::Line;

/// A line for each program, below what the programs of a group are compared in. In front of a
/// program is the system that has it, and how many lines it prints beside a line for each entry; `-`
/// if its output is not compared. Without -l, du lists a file with several links once; eza and lsd
/// quote names, and eza shows where links lead. Among the words, `DIR` is the directory. Beside the
/// tree that is removed is an empty directory `empty`, for robocopy.
const RIVALS: &str = include_str!("rivals.txt");

/// Deno's and Common Lisp's own ways of listing a tree, without entering links.
const SCRIPTS: [(&str, &str); 2] =
    [("DENO", include_str!("list.js")), ("LISP", include_str!("list.lisp"))];

/// The user's own defaults are not measured. Not shown.
const NO_CONFIG: &str = "--no-config";

/// A program that may be installed.
pub(crate) struct KnownRival {
    /// What the programs of a group are compared in.
    group: &'static str,
    pub(crate) words: Vec<String>,
    /// How many lines it prints beside a line for each entry; `None` if its output is not compared.
    pub(crate) lists: Option<u64>,
}

impl KnownRival {
    /// The programs of `brisk bench KIND`, brisk first.
    pub(crate) fn all(kind: &str) -> Vec<KnownRival> {
        let mut group = "";
        let known = |line: &'static str| {
            if let Some(heading) = line.strip_prefix("= ") {
                group = heading;
                return None;
            }
            let group = group.strip_prefix(kind)?.strip_prefix(": ")?;
            let (system, rest) = line.split_once(' ')?;
            let (lists, words) = rest.split_once(' ')?;
            let is_here = system == "any" || (system == "windows") == cfg!(windows);
            let words = shlex::split(words).filter(|_| is_here)?;
            Some(KnownRival { group, words, lists: lists.parse().ok() })
        };
        RIVALS.lines().filter_map(known).collect()
    }

    /// Whether it is brisk.
    pub(crate) fn is_own(&self) -> bool {
        self.words[0] == "brisk"
    }

    /// The program before its first run; `brisk` is this program's file.
    pub(crate) fn method(&self, brisk: &Path, dir: &Path) -> Line {
        let script = |word: &str| SCRIPTS.iter().find(|(name, _)| *name == word);
        let word = |word: &String| match &**word {
            "DIR" => native(dir),
            "brisk" => brisk.into(),
            word => script(word).map_or(word, |(_, script)| script.trim_end()).into(),
        };
        // Scripts are in JSON alone.
        let is_shown = |word: &&str| script(word).is_none() && *word != NO_CONFIG;
        let shown = self.words.iter().map(String::as_str).filter(is_shown);
        Line {
            name: shown.collect::<Vec<_>>().join(" "),
            group: self.group.to_owned(),
            is_own: self.is_own(),
            command: self.words.iter().map(word).collect(),
            ..Line::default()
        }
    }
}

/// A path as the system's own programs read it: they would take words with `/` for options.
fn native(dir: &Path) -> OsString {
    if cfg!(windows) { dir.to_string_lossy().replace('/', "\\").into() } else { dir.into() }
}
