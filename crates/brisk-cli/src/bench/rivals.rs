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

/// A program that may be installed: its group, name, words and what it lists.
pub(crate) type Known = (&'static str, &'static str, &'static [&'static str], Lists);

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
            // robocopy's exit codes are sets of bits; 8 or more means that something failed.
            most: if program == "robocopy" { 7 } else { 0 },
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

    /// The user's commands: words, with `--` between two commands. The others are compared with
    /// the first.
    ///
    /// # Errors
    /// A command has no words, or there is no such program.
    pub(crate) fn all_given(words: &[OsString]) -> Result<Vec<Rival>, String> {
        let commands = words.split(|word| word == "--").map(Rival::given);
        let mut commands = commands.collect::<Result<Vec<Rival>, String>>()?;
        commands[0].is_own = true;
        Ok(commands)
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

    /// The command under strace, which writes to this process's pipe by its place in /proc: neither
    /// the program nor a child of it gets a descriptor of the pipe, which must be standard output.
    /// The program's own output is discarded. `how`: strace's options as a shell reads them, in which
    /// `$0` is `traced`.
    pub(crate) fn traced(&self, how: &str, traced: &str) -> Command {
        let shell = format!(
            "for pipe in /proc/$PPID/fd/*; do [ \"$pipe\" -ef /proc/self/fd/1 ] && break; done; \
             exec strace -f -o \"$pipe\" {how} -- \"$@\" >/dev/null 2>/dev/null"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &shell, traced]).arg(&self.program).args(&self.words);
        command.stdin(Stdio::null()).stderr(Stdio::null());
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
pub(crate) fn installed(known: &[Known], dir: &Path) -> Vec<Rival> {
    let installed = known.iter().filter(|(_, program, ..)| system::is_installed(program));
    installed.map(|known| Rival::new(*known, dir)).collect()
}

/// The note on the known programs that are not installed.
pub(crate) fn not_installed(known: &[Known]) -> Option<String> {
    let names = known.iter().map(|(_, program, ..)| *program);
    let mut missing: Vec<&str> = names.filter(|program| !system::is_installed(program)).collect();
    missing.dedup();
    (!missing.is_empty()).then(|| format!("programs that are not on PATH: {}", missing.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robocopy_s_codes_below_eight_are_success() {
        let known: Known = ("", "robocopy", &["empty", "DIR"], Lists::Other);
        let robocopy = Rival::new(known, Path::new("tree"));
        assert!(robocopy.succeeds(Some(7)) && !robocopy.succeeds(Some(8)));
        assert_eq!(robocopy.name, "robocopy empty DIR");
        let rm = Rival::new(("", "rm", &["-rf", "tree"], Lists::Other), Path::new("tree"));
        assert!(rm.succeeds(Some(0)) && !rm.succeeds(Some(1)) && !rm.succeeds(None));
    }
}
