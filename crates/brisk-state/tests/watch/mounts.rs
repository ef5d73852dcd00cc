//! Random mounts among the edits, in a mount namespace of the test's process.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{left_out, unshared};

use super::reasons::is_inside;
use super::rounds::Dice;

/// Mounts in a scratch directory: file systems in memory, and directories of the scratch directory
/// that are mounted a second time.
pub struct Mounts {
    /// `None`: the process may not mount, because others would see it.
    scratch: Option<PathBuf>,
}

/// Runs a test in a mount namespace. `true`: the test goes on, in this process.
pub fn is_unshared(test: &str) -> bool {
    match unshared() {
        Some(words) => is_inside(test, words),
        None => {
            left_out("mounts among edits", "no namespaces");
            true
        }
    }
}

impl Mounts {
    /// Mounts that are made only where [`is_unshared`] made a namespace, and where no mirror, which
    /// is outside of it, shows the tree.
    pub fn new(scratch: &Path) -> Mounts {
        let is_seen = std::env::var_os("BRISK_MIRROR").is_some();
        let is_alone = unshared().is_some() && std::env::var_os("BRISK_INSIDE").is_some();
        Mounts { scratch: (is_alone && !is_seen).then(|| scratch.to_owned()) }
    }

    /// Mounts something at a place, or unmounts something.
    pub fn edit(&self, place: &Path, dice: &mut Dice) {
        let Some(scratch) = &self.scratch else { return };
        let mut command = Command::new("mount");
        match dice.below(4) {
            0 => _ = command.args(["-t", "tmpfs", "-o", "mode=755,size=4m", "none"]).arg(place),
            1 => {
                let source = scratch.join("bound").join(["a", "b", "c"][dice.below(3)]);
                let _ = fs::create_dir_all(source.join("a/b"));
                if is_below(place, &source) {
                    return;
                }
                command.arg("--bind").args([&source, place]);
            }
            way => {
                let mounted = mounted(scratch);
                let Some(last) = mounted.len().checked_sub(1) else { return };
                command = Command::new("umount");
                // What is in use is unmounted too.
                command.args((way == 3).then_some("-l")).arg(&mounted[dice.below(last + 1)]);
            }
        }
        // It may be no directory, or in use.
        let _ = command.output().expect("it runs");
    }
}

impl Drop for Mounts {
    fn drop(&mut self) {
        for place in self.scratch.iter().flat_map(|scratch| mounted(scratch)).rev() {
            let _ = Command::new("umount").arg("-l").arg(place).output();
        }
    }
}

/// What is mounted below a directory, what was mounted first before the rest.
fn mounted(scratch: &Path) -> Vec<PathBuf> {
    let table = fs::read_to_string("/proc/self/mountinfo").expect("the mounts");
    let places = table.lines().filter_map(|line| line.split(' ').nth(4).map(PathBuf::from));
    places.filter(|place| place.starts_with(scratch)).collect()
}

/// Whether a place is a directory or below it, under whatever name. A walk enters no directory in
/// itself.
fn is_below(place: &Path, dir: &Path) -> bool {
    let identity = |path: &Path| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    place.ancestors().any(|above| identity(above) == identity(dir))
}
