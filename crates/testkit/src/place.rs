//! Where tests run: scripts in a mount namespace, on a tmpfs that no other process sees.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use crate::{brisk, is_root, left_out, scratch};

/// The words before a command that give it a mount namespace: root's own, or one of a user
/// namespace.
pub fn unshared() -> Option<&'static [&'static str]> {
    let ways: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-rm"]];
    let works = |way: &&&[&str]| {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]).args(["mount", "-t", "tmpfs", "none", "/mnt"]);
        command.output().is_ok_and(|output| output.status.success())
    };
    ways.iter().find(works).copied()
}

/// A command that permission bits bind, also where the tests run as root: root without the
/// capabilities that override these bits. `None` where root cannot give them up.
pub fn obedient(program: &str) -> Option<Command> {
    if !is_root() {
        return Some(Command::new(program));
    }
    fn less(program: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--bounding-set=-dac_override,-dac_read_search", program]);
        command
    }
    static IS_POSSIBLE: LazyLock<bool> =
        LazyLock::new(|| less("true").status().is_ok_and(|status| status.success()));
    IS_POSSIBLE.then(|| less(program))
}

/// A scratch directory with a copy of the program that every user may run, as `brisk` and as `rm`.
pub struct Installation {
    /// Removed with this value.
    pub dir: tempfile::TempDir,
}

impl Installation {
    /// A new one, with an empty directory `t` in it.
    #[expect(clippy::new_without_default, reason = "it makes a directory")]
    pub fn new() -> Installation {
        let place = Installation { dir: scratch() };
        run("chmod", &["755", place.path("").to_str().unwrap()]);
        std::fs::create_dir(place.path("bin")).unwrap();
        // By another process. If this process had the copy open for writing, a program that another
        // test starts meanwhile would inherit the descriptor, and the copy could not be run.
        run("cp", &[brisk(), place.path("bin/brisk").to_str().unwrap()]);
        std::os::unix::fs::symlink("brisk", place.path("bin/rm")).unwrap();
        std::fs::create_dir(place.path("t")).unwrap();
        place
    }

    /// A path below the scratch directory.
    pub fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Runs a shell script on a fresh tmpfs in a mount namespace of its own. `None` where that is
    /// impossible.
    ///
    /// `$B` is brisk, `$R` the same called rm by its path, `$G` GNU rm; `$P` is this place, and the
    /// tmpfs is `$P/t`, the working directory.
    pub fn script(&self, test: &str, script: &str) -> Option<Output> {
        let Some(before) = unshared() else {
            left_out(test, "this user cannot mount");
            return None;
        };
        let whole = format!(
            "mount --make-rprivate / && mount -t tmpfs -o mode=1777 none \"$P/t\" && cd \"$P/t\" || exit 99\n{script}"
        );
        let output = Command::new(before[0])
            .args(&before[1..])
            .args(["sh", "-c", &whole])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.path("home"))
            .env("P", self.dir.path())
            .env("B", self.path("bin/brisk"))
            .env("R", self.path("bin/rm"))
            .env("G", "/bin/rm")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_ne!(output.status.code(), Some(99), "{test}: {}", stderr(&output));
        Some(output)
    }

    /// Runs a script that checks itself: it ends with 0, or prints the reason.
    pub fn succeeds(&self, test: &str, script: &str) {
        let commands = script.split(['\n', ';']).map(str::trim_start);
        let ignored = commands.filter(|it| it.starts_with("! ") && !it.contains("||"));
        // Under -e, sh goes on after `! true`.
        assert_eq!(ignored.collect::<Vec<_>>(), [""; 0], "{test}: add `|| exit 1`");
        let Some(output) = self.script(test, &format!("set -eu\n{script}")) else { return };
        let told = format!("{}{}", stdout(&output), stderr(&output));
        let last = told.lines().last().unwrap_or_default();
        assert!(output.status.success(), "{test}: {:?}: {last}\n{told}", output.status);
        for why in told.lines().filter_map(|line| line.strip_prefix("left out: ")) {
            left_out(test, why);
        }
    }
}

/// A directory `h` with three files of the largest size, in a scratch directory on a tmpfs: their
/// sum does not fit. `None` where there is none.
pub fn huge_files(test: &str) -> Option<tempfile::TempDir> {
    let place = tempfile::TempDir::new_in("/dev/shm").ok()?;
    std::fs::create_dir(place.path().join("h")).unwrap();
    for name in ["a", "b", "c"] {
        let file = std::fs::File::create(place.path().join("h").join(name)).unwrap();
        if file.set_len(i64::MAX as u64).is_err() {
            left_out(test, "/dev/shm has no files of this size");
            return None;
        }
    }
    Some(place)
}

/// What a process wrote to standard output.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a process wrote to standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a program that must succeed.
pub fn run(program: &str, words: &[&str]) -> Output {
    let output = Command::new(program).args(words).output().unwrap();
    assert!(output.status.success(), "{program} {words:?}: {}", stderr(&output));
    output
}

/// The most memory, in KiB, that a program took, which must succeed. Its output is dropped.
pub fn peak(dir: &Path, command: &[&str]) -> u64 {
    // Of this child alone: what started python3 may have had larger ones.
    let measure = "import os, sys\n\
                   null = (os.POSIX_SPAWN_OPEN, 1, '/dev/null', os.O_WRONLY, 0)\n\
                   child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[null])\n\
                   _, status, usage = os.wait4(child, 0)\n\
                   assert status == 0, status\n\
                   print(usage.ru_maxrss)";
    let mut python = Command::new("python3");
    let output = python.args(["-c", measure]).args(command).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    stdout(&output).trim().parse().unwrap()
}

/// The paths of a directory and of everything below it.
pub fn listed(path: &Path) -> Vec<String> {
    let output = Command::new("find").arg(path).output().unwrap();
    stdout(&output).lines().map(str::to_owned).collect()
}
