//! Where tests may remove: a thread that can write nowhere but in memory of its own.
//!
//! A test that removes, or that leads a removal to the machine's own directories by a link, could
//! do damage if brisk had a fault. So it takes its scratch directory from [`scratch`]. This puts
//! the thread into a mount namespace: every mount is read-only there, and where scratch directories
//! are made there is a tmpfs that no other thread sees. Threads and processes that the test starts
//! inherit the namespace. All of it is gone when the last of them ends.
//!
//! A user other than root cannot damage the machine, so nothing is mounted for one. Where root may
//! not make namespaces, the thread becomes the user `nobody`.

use std::cell::Cell;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};

use crate::{is_root, left_out};

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

/// A scratch directory in which a test may remove. From now on, what this thread and its children
/// do elsewhere fails: see the module.
#[must_use]
pub fn scratch() -> tempfile::TempDir {
    contain(None);
    tempfile::tempdir().unwrap()
}

/// A scratch directory on a disk: that of another directory.
pub struct OnDisk(PathBuf);

/// As [`scratch`], below a directory that is on a disk.
#[must_use]
pub fn scratch_in(dir: impl AsRef<Path>) -> OnDisk {
    let place = OnDisk(tempfile::tempdir_in(dir).unwrap().keep());
    contain(Some(&place.0));
    place
}

impl OnDisk {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        // Within the namespace it is a mount point.
        let _ = outside("/bin/rm".as_ref()).arg("-rf").arg(&self.0).status();
    }
}

/// Puts this thread into a namespace of its own, unless it is in one. A directory of the test stays
/// as it is.
fn contain(writable: Option<&Path>) {
    if !is_root() || CONTAINED.replace(true) {
        return;
    }
    if unshare(CloneFlags::CLONE_NEWNS).is_err() {
        left_out("a test as root", "root may not make mount namespaces");
        return become_nobody();
    }
    let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
    change(Path::new("/"), MsFlags::MS_PRIVATE | MsFlags::MS_REC).unwrap();
    if let Some(writable) = writable {
        mount(Some(writable), writable, None::<&str>, MsFlags::MS_BIND, None::<&str>).unwrap();
    }
    for (point, flags) in mounts().into_iter().filter(|(point, _)| Some(&**point) != writable) {
        let bound = change(&point, flags | read_only);
        // What is hidden below another mount cannot be reached by a removal either.
        assert!(bound.is_ok() || !point.exists(), "{}: {bound:?}", point.display());
    }
    let own = std::env::temp_dir();
    for point in [Path::new("/dev/shm"), &own] {
        if point.is_dir() {
            let tmpfs = Some("tmpfs");
            mount(tmpfs, point, tmpfs, MsFlags::empty(), Some("mode=1777")).unwrap();
        }
        // `own` may be below `point`, and so be hidden by the new mount.
        let _ = fs::create_dir_all(&own);
    }
    let program = std::env::current_exe().unwrap();
    assert!(program.exists(), "TMPDIR holds the tests: it must be another directory");
}

/// A command outside of this thread's namespace, such as a build.
pub(crate) fn outside(program: &OsStr) -> Command {
    if !CONTAINED.get() {
        return Command::new(program);
    }
    // The main thread of a test is never contained.
    let mut command = Command::new("nsenter");
    command.arg(format!("--mount=/proc/{}/ns/mnt", std::process::id())).arg("--").arg(program);
    command
}

fn change(point: &Path, flags: MsFlags) -> nix::Result<()> {
    mount(None::<&str>, point, None::<&str>, flags, None::<&str>)
}

/// The mount points, with the flags that a remount has to repeat. In /proc and /sys no file can be
/// removed, and tests write to some.
fn mounts() -> Vec<(PathBuf, MsFlags)> {
    let all = fs::read_to_string("/proc/thread-self/mountinfo").unwrap();
    let mounts = all.lines().map(|line| {
        let mut fields = line.split(' ').skip(4);
        let point = fields.next().unwrap().replace("\\040", " ").replace("\\134", "\\");
        let known = [
            ("nosuid", MsFlags::MS_NOSUID),
            ("nodev", MsFlags::MS_NODEV),
            ("noexec", MsFlags::MS_NOEXEC),
            ("noatime", MsFlags::MS_NOATIME),
            ("relatime", MsFlags::MS_RELATIME),
        ];
        let options: Vec<&str> = fields.next().unwrap().split(',').collect();
        let flags = known.into_iter().filter(|(name, _)| options.contains(name));
        (PathBuf::from(point), flags.map(|(_, flag)| flag).collect())
    });
    mounts.filter(|(point, _)| !point.starts_with("/proc") && !point.starts_with("/sys")).collect()
}

fn become_nobody() {
    let nobody = 65534;
    set_thread_groups(&[]).unwrap();
    set_thread_gid(rustix::fs::Gid::from_raw(nobody)).unwrap();
    set_thread_uid(rustix::fs::Uid::from_raw(nobody)).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run;

    /// A directory outside, that the test tries to remove in all ways.
    #[test]
    fn nothing_outside_the_scratch_place_can_be_removed() {
        if !is_root() {
            return left_out("testkit", "a user's removals are not contained");
        }
        let outside = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let kept = outside.path().join("d/kept");
        let own = tempfile::tempdir().unwrap();
        fs::create_dir(outside.path().join("d")).unwrap();
        fs::write(&kept, "").unwrap();
        // The thread that removes. This one stays outside, and removes the directories.
        std::thread::scope(|scope| scope.spawn(|| attack(outside.path(), own.path())).join())
            .unwrap();
        assert!(kept.exists() && own.path().exists());
    }

    #[expect(clippy::disallowed_methods, reason = "a thread that a test starts inherits all")]
    fn attack(outside: &Path, own: &Path) {
        let place = scratch();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(outside, &link).unwrap();
        let below = outside.join("d").to_str().unwrap().to_owned();
        let through = link.join("d").to_str().unwrap().to_owned();
        for words in [
            &["rm", "-rf", &below][..],
            &["rm", "-rf", &through],
            &["mv", &below, place.path().to_str().unwrap()],
            &["mv", "-T", place.path().to_str().unwrap(), &below],
            &["sh", "-c", &format!("echo > {below}/kept")],
            &["touch", "/etc/passwd"],
            &["mv", "/dev/null", "/dev/null2"],
        ] {
            let status = Command::new(words[0]).args(&words[1..]).output().unwrap().status;
            assert!(!status.success(), "{words:?}");
        }
        let kept = outside.join("d/kept");
        assert!(std::thread::spawn(|| fs::remove_file(kept)).join().unwrap().is_err());
        // A neighbour's scratch directory is not even to be seen.
        assert!(!own.exists());
        fs::write(place.path().join("x"), "").unwrap();
        run("rm", &["-r", place.path().to_str().unwrap()]);
        fs::write("/dev/null", "devices are written to").unwrap();
    }
}
