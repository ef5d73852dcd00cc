//! File systems of any type, each in a file.

use std::path::PathBuf;
use std::process::Command;

use crate::{is_root, left_out, stderr};

/// The size of the file, which is sparse, in bytes: mkfs.xfs refuses less than 300 MiB.
const SIZE: u64 = 400 << 20;

/// A new file system, mounted below a scratch directory until this value is dropped.
pub struct LoopMount(tempfile::TempDir);

impl LoopMount {
    /// What `mkfs.KIND` makes, with these options of its own. `None`, and a line that says why,
    /// where that is impossible.
    pub fn new(test: &str, kind: &str, options: &str) -> Option<LoopMount> {
        if !is_root() {
            left_out(test, "this user cannot mount");
            return None;
        }
        let mount = LoopMount(tempfile::tempdir().unwrap());
        let image = mount.0.path().join("image");
        std::fs::create_dir(mount.path()).unwrap();
        std::fs::File::create(&image).unwrap().set_len(SIZE).unwrap();
        let mut make = Command::new(format!("mkfs.{kind}"));
        make.args(options.split_whitespace()).arg(&image);
        let mut attach = Command::new("mount");
        attach.args(["-o", "loop"]).arg(&image).arg(mount.path());
        for command in [&mut make, &mut attach] {
            let why = match command.output() {
                Ok(output) if output.status.success() => continue,
                Ok(output) => stderr(&output).trim().replace('\n', " "),
                Err(error) => error.to_string(),
            };
            left_out(test, &format!("{kind}: {why}"));
            return None;
        }
        Some(mount)
    }

    /// Where the file system is mounted.
    pub fn path(&self) -> PathBuf {
        self.0.path().join("mounted")
    }
}

impl Drop for LoopMount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-R").arg(self.path()).output();
    }
}
