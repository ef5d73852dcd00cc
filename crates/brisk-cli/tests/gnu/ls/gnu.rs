//! The installed `ls`, if it is GNU's, and the known differences between its versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::case::Case;

/// GNU ls.
pub struct Gnu {
    path: PathBuf,
    version: (u32, u32),
    /// Whether it was built with libcap.
    capabilities: bool,
}

/// Options whose output changed in a version after 9.1, whose output brisk has. From that version
/// on they are left out.
const CHANGED: &[((u32, u32), &str)] = &[
    // A hidden name no longer consists of suffixes alone.
    ((9, 2), "-Av"),
    ((9, 2), "-Arv"),
    // --time=mtime and --sort=name came, and with them other lists of valid words.
    ((9, 3), "--time=x"),
    ((9, 3), "--sort=x"),
    ((9, 3), "--sort="),
    // Exit status 2 instead of 1 for an invalid word.
    ((9, 4), "--color=x"),
    ((9, 4), "--format=v"),
];

/// Values of LS_COLORS that brisk reads as versions after 9.1 do. Before that version they are left
/// out.
const NEWER: &[((u32, u32), &str)] = &[
    // Suffixes that differ in case alone are matched as they are written.
    ((9, 2), ":*.TAR="),
];

impl Gnu {
    /// The installed GNU ls. If there is none, prints why `test` is left out.
    pub fn find(test: &str) -> Option<Gnu> {
        let path = ["/usr/bin/ls", "/bin/ls"].map(PathBuf::from).into_iter().find(|p| p.exists());
        let found = path.and_then(|path| {
            let output = Command::new(&path).arg("--version").output().ok()?;
            let text = String::from_utf8(output.stdout).ok()?;
            let version = text.lines().next()?.strip_prefix("ls (GNU coreutils) ")?;
            let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
            let version = (numbers.next()?, numbers.next().unwrap_or(0));
            let libraries = Command::new("ldd").arg(&path).output().ok();
            let capabilities = libraries
                .is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains("libcap."));
            Some(Gnu { path, version, capabilities })
        });
        let fit = found.filter(|gnu| gnu.version >= (9, 1));
        if fit.is_none() {
            testkit::left_out(test, "no GNU ls of version 9.1 or later");
        }
        fit
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can paint capabilities; Debian's cannot.
    pub fn knows_capabilities(&self) -> bool {
        self.capabilities
    }

    /// Whether this version prints what 9.1 prints.
    pub fn is_comparable(&self, case: &Case) -> bool {
        let changed = |(since, option): &((u32, u32), &str)| {
            self.version >= *since && case.words.iter().any(|word| word == option)
        };
        if case.paints_capabilities() && !self.knows_capabilities() {
            return false;
        }
        let too_old = |(since, part): &((u32, u32), &str)| {
            self.version < *since && case.env.iter().any(|(_, value)| value.contains(part))
        };
        !CHANGED.iter().any(changed) && !NEWER.iter().any(too_old)
    }
}
