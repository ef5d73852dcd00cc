//! Other programs that do what brisk does, where they are installed, and brisk itself as a program:
//! how each is called, and what it lists.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::report::{Line, command_line};
use crate::front::messages::cause;
use crate::show::quoting::quoted;
use crate::system;

/// A program, how it is called, and what it lists.
pub(crate) struct Rival {
    pub(crate) name: String,
    /// What the program brings: programs of one group are compared.
    pub(crate) group: &'static str,
    /// Whether the program is brisk, or the command that the others are compared with.
    pub(crate) is_own: bool,
    /// Whether the program can be asked for its version: one that does not know `--version` might
    /// do anything.
    tells_version: bool,
    lists: Lists,
    /// Where the program is started; `None` for the current directory.
    pub(crate) place: Option<PathBuf>,
    program: OsString,
    words: Vec<OsString>,
    /// The greatest exit code that means success.
    most: i32,
    /// Whether brisk reads with the standard library.
    pub(crate) portable: bool,
}

/// What a program prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "du is Unix's"))]
pub(crate) enum Lists {
    /// A path a line; the root may be among them.
    Paths,
    /// A size, a tab, a path.
    Sizes,
    /// Output that is not compared.
    Other,
}

/// What has brisk read with the standard library.
const PORTABLE: &str = "BRISK_BACKEND=portable";

/// Deno's and Common Lisp's own ways of listing a tree, without entering links.
#[cfg(not(windows))]
const DENO: &str = "const list = async (dir) => {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    console.log(`${dir}/${name}`);
    if (isDirectory) await list(`${dir}/${name}`);
  }
};
await list(Deno.args[0]);";
#[cfg(not(windows))]
const LISP: [&str; 6] = [
    "--noinform",
    "--no-userinit",
    "--non-interactive",
    "--eval",
    r#"(labels ((list-all (dir)
  (dolist (path (directory (merge-pathnames "*.*" dir) :resolve-symlinks nil))
    (let ((name (native-namestring path :as-file t)))
      (write-line name)
      (when (eq :directory (sb-impl::native-file-kind name)) (list-all path))))))
  (list-all (parse-native-namestring (car (last *posix-argv*)) nil #p"" :as-directory t)))"#,
    "DIR",
];

/// A program that may be installed: its group, name, words and what it lists.
type Known = (&'static str, &'static str, &'static [&'static str], Lists);

impl Rival {
    fn new((group, program, words, lists): Known, dir: &Path) -> Rival {
        // A script of several lines is shown with the command lines alone.
        let is_script = words.iter().any(|word| word.contains('\n'));
        let shown = if is_script { String::new() } else { words.join(" ") };
        let name = format!("{program} {shown}").trim().to_owned();
        let words = words.iter().map(|word| if *word == "DIR" { native(dir) } else { word.into() });
        Rival {
            name,
            group,
            is_own: false,
            tells_version: !["cmd", "where", "robocopy"].contains(&program),
            lists,
            place: None,
            program: program.into(),
            words: words.collect(),
            most: 0,
            portable: false,
        }
    }

    /// brisk itself, with these words.
    ///
    /// # Errors
    /// This program's file cannot be found.
    pub(crate) fn own(
        group: &'static str,
        name: &str,
        words: &[&str],
        dir: &Path,
    ) -> Result<Rival, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("cannot find this program: {}", cause(&error)))?;
        let words = words.iter().map(|word| if *word == "DIR" { dir.into() } else { word.into() });
        let rival = Rival::new((group, "brisk", &[], Lists::Paths), dir);
        Ok(Rival {
            name: name.to_owned(),
            program: program.into(),
            words: words.collect(),
            is_own: true,
            tells_version: false,
            ..rival
        })
    }

    /// A command of the user's: a program and its words.
    ///
    /// # Errors
    /// There is no program, or none of that name.
    pub(crate) fn given(words: &[OsString]) -> Result<Rival, String> {
        let Some((program, words)) = words.split_first().filter(|(it, _)| !it.is_empty()) else {
            return Err("a command is empty: brisk bench run -- CMD … -- CMD …".to_owned());
        };
        let has_place = Path::new(program).components().count() > 1;
        if !has_place && !system::is_installed(&program.to_string_lossy()) {
            return Err(format!("cannot run {}: there is no such program", quoted(program)));
        }
        let rival = Rival::new(("Commands", "", &[], Lists::Other), Path::new(""));
        let mut given = Rival {
            program: program.clone(),
            words: words.to_vec(),
            tells_version: false,
            ..rival
        };
        given.name = command_line(&given.line().command);
        Ok(given)
    }

    /// The program before its first run.
    pub(crate) fn line(&self) -> Line {
        let setting: &[&str] = if self.portable { &["env", PORTABLE] } else { &[] };
        let setting = setting.iter().map(|word| (*word).to_owned());
        let words = std::iter::once(&self.program).chain(&self.words);
        Line {
            name: self.name.clone(),
            group: self.group.to_owned(),
            is_own: self.is_own,
            command: setting.chain(words.map(|word| word.to_string_lossy().into_owned())).collect(),
            ..Line::default()
        }
    }

    /// What the program says about its version: the first line with a digit.
    pub(crate) fn version(&self) -> Option<String> {
        let mut command = Command::new(&self.program);
        self.surround(&mut command);
        command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null());
        let output = self.tells_version.then(|| command.output().ok())??;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
        output.status.success().then(|| line.trim().to_owned())
    }

    /// The command, ready to run; its output goes nowhere.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.surround(&mut command);
        command
    }

    /// The directory and the environment that this program wants.
    pub(crate) fn surround(&self, command: &mut Command) {
        command.env_remove("BRISK_BACKEND");
        if self.portable {
            command.envs(PORTABLE.split_once('='));
        }
        if let Some(place) = &self.place {
            command.current_dir(place);
        }
    }

    /// Whether an exit code means success.
    pub(crate) fn succeeds(&self, code: Option<i32>) -> bool {
        code.is_some_and(|code| (0..=self.most).contains(&code))
    }

    /// The paths that the program lists below `dir`, relative to `dir`; `None` if its paths are not
    /// compared.
    pub(crate) fn set(&self, dir: &Path) -> Option<BTreeSet<Vec<u8>>> {
        if self.lists == Lists::Other {
            return None;
        }
        let output = self.command().stdout(Stdio::piped()).output().ok()?;
        let root = brisk_sys::paths::with_slashes(dir);
        // Windows's `dir` prints whole paths, whatever it was asked for.
        let whole = brisk_sys::paths::with_slashes(&system::absolute(dir).ok()?);
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
            let below = line.strip_prefix(&whole[..]).or_else(|| line.strip_prefix(&root[..]));
            let below = below.unwrap_or(&line);
            let below = below.strip_prefix(b"/").unwrap_or(below);
            let below = below.strip_suffix(b"/").unwrap_or(below);
            (!below.is_empty()).then(|| below.to_vec())
        };
        Some(lines.filter_map(path).collect())
    }
}

/// A path as the system's own programs read it: they would take words with `/` for options.
fn native(dir: &Path) -> OsString {
    if cfg!(windows) { dir.to_string_lossy().replace('/', "\\").into() } else { dir.into() }
}

/// The known programs that are installed.
fn installed(known: &[Known], dir: &Path) -> Vec<Rival> {
    let installed = known.iter().filter(|(_, program, ..)| system::is_installed(program));
    installed.map(|known| Rival::new(*known, dir)).collect()
}

/// Programs that list whole trees.
pub(crate) fn walkers(group: &'static str, dir: &Path) -> Vec<Rival> {
    #[cfg(not(windows))]
    let known: &[Known] = &[
        (group, "find", &["DIR"], Lists::Paths),
        (group, "bfs", &["DIR"], Lists::Paths),
        (group, "fd", &["-u", ".", "DIR"], Lists::Paths),
        (group, "rg", &["--files", "-uuu", "DIR"], Lists::Other),
        (group, "ls", &["-1RA", "DIR"], Lists::Other),
        // Without -l, a file with several links is listed once.
        (group, "du", &["-al", "DIR"], Lists::Sizes),
        (group, "deno", &["eval", DENO, "DIR"], Lists::Paths),
        (group, "sbcl", &LISP, Lists::Paths),
    ];
    #[cfg(windows)]
    let known: &[Known] = &[
        (group, "cmd", &["/d", "/c", "dir", "/s", "/b", "/a", "DIR"], Lists::Paths),
        (group, "where", &["/r", "DIR", "*"], Lists::Other),
        (group, "fd", &["-u", ".", "DIR"], Lists::Paths),
    ];
    installed(known, dir)
}

/// Programs that list one directory: names, names in colours, details.
pub(crate) fn listers([names, colors, details]: [&'static str; 3], dir: &Path) -> Vec<Rival> {
    // eza and lsd quote names, and eza shows where links lead: their output is not compared.
    #[cfg(not(windows))]
    let known: &[Known] = &[
        (names, "ls", &["-1A", "DIR"], Lists::Paths),
        (names, "eza", &["-1a", "DIR"], Lists::Other),
        (names, "lsd", &["-1A", "DIR"], Lists::Other),
        (colors, "ls", &["-1A", "--color=always", "DIR"], Lists::Other),
        (colors, "eza", &["-1a", "--color=always", "DIR"], Lists::Other),
        (colors, "lsd", &["-1A", "--color=always", "DIR"], Lists::Other),
        (details, "ls", &["-lA", "DIR"], Lists::Other),
        (details, "eza", &["-la", "DIR"], Lists::Other),
        (details, "lsd", &["-lA", "DIR"], Lists::Other),
    ];
    #[cfg(windows)]
    let known: &[Known] = &[
        (names, "cmd", &["/d", "/c", "dir", "/b", "/a", "/on", "DIR"], Lists::Paths),
        (names, "eza", &["-1a", "DIR"], Lists::Other),
        (colors, "eza", &["-1a", "--color=always", "DIR"], Lists::Other),
        (details, "cmd", &["/d", "/c", "dir", "/a", "/on", "DIR"], Lists::Other),
        (details, "eza", &["-la", "DIR"], Lists::Other),
    ];
    installed(known, dir)
}

/// The note on the known programs that are not installed.
fn not_installed(known: &[Known]) -> Option<String> {
    let names = known.iter().map(|(_, program, ..)| *program);
    let mut missing: Vec<&str> = names.filter(|program| !system::is_installed(program)).collect();
    missing.dedup();
    (!missing.is_empty()).then(|| format!("programs that are not on PATH: {}", missing.join(", ")))
}

/// Programs that remove `tree`, and the note on those that are not installed. They are started in
/// the directory that holds `tree` and an empty directory `empty`.
pub(crate) fn removers(group: &'static str) -> (Vec<Rival>, Option<String>) {
    #[cfg(not(windows))]
    let known: &[Known] = &[
        (group, "rm", &["-rf", "tree"], Lists::Other),
        (group, "find", &["tree", "-delete"], Lists::Other),
        (group, "bfs", &["tree", "-delete"], Lists::Other),
        (group, "rmz", &["-f", "tree"], Lists::Other),
        (group, "python3", &["-c", "import shutil; shutil.rmtree('tree')"], Lists::Other),
        (group, "node", &["-e", "fs.rmSync('tree', { recursive: true })"], Lists::Other),
        (group, "rimraf", &["tree"], Lists::Other),
    ];
    #[cfg(windows)]
    let known: &[Known] = &[
        (group, "cmd", &["/d", "/c", "rd", "/s", "/q", "tree"], Lists::Other),
        (
            group,
            "cmd",
            &["/d", "/c", "del", "/f", "/s", "/q", "tree", "&", "rd", "/s", "/q", "tree"],
            Lists::Other,
        ),
        (group, "robocopy", &["empty", "tree", "/MIR"], Lists::Other),
        (group, "node", &["-e", "fs.rmSync('tree', { recursive: true })"], Lists::Other),
    ];
    let mut found = installed(known, Path::new("tree"));
    // robocopy's exit codes are sets of bits; codes from 8 on say that something failed.
    found.iter_mut().filter(|it| it.program == "robocopy").for_each(|it| it.most = 7);
    (found, not_installed(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robocopy_s_codes_below_eight_are_success() {
        let known: Known = ("", "robocopy", &["empty", "DIR"], Lists::Other);
        let mut rival = Rival::new(known, Path::new("tree"));
        assert!(rival.succeeds(Some(0)) && !rival.succeeds(Some(1)) && !rival.succeeds(None));
        rival.most = 7;
        assert!(rival.succeeds(Some(7)) && !rival.succeeds(Some(8)));
        assert_eq!(rival.name, "robocopy empty DIR");
    }
}
