//! Changes modes or owners of whole trees, as `chmod -R` and `chown -R` do: in parallel, by handles,
//! and by default only where they differ.
//!
//! [`Change`] says what is to be changed, and to what; [`Report`] counts what was changed. An
//! [`Observer`] gets the errors, and can choose entries and follow the change while it runs.
//!
//! Below the roots each entry is changed by its directory's handle and its own name, never by a path
//! that another process might redirect meanwhile. A directory's mode is set before the walk enters
//! the directory, its owners after everything below it.
//!
//! ```
//! # #[cfg(target_os = "linux")]
//! # fn main() -> std::io::Result<()> {
//! # use std::os::unix::fs::PermissionsExt as _;
//! # let scratch = tempfile::tempdir()?;
//! # let root = scratch.path();
//! use brisk::Walk;
//! use brisk::change::{Change, ModeChange, To};
//!
//! std::fs::create_dir_all(root.join("src/bin"))?;
//! std::fs::write(root.join("src/bin/main.rs"), "")?;
//!
//! let umask = 0o022;
//! let mode = ModeChange::parse(b"u=rwX,go=", umask).expect("a mode");
//! let change = Change::new(Walk::new(root.join("src")), To::Mode(mode));
//! let (errors, report) = change.run(Vec::new());
//! assert!(errors.is_empty());
//! assert_eq!((report.changed, report.retained), (3, 0));
//! let meta = std::fs::metadata(root.join("src/bin/main.rs"))?;
//! assert_eq!(meta.permissions().mode() & 0o777, 0o600);
//!
//! let (_, again) = change.run(Vec::new());
//! assert_eq!((again.changed, again.retained), (0, 3));
//! # Ok(())
//! # }
//! # #[cfg(not(target_os = "linux"))]
//! # fn main() {}
//! ```

mod changer;
mod observer;
mod settings;

pub use brisk_sys::Ids;
pub use brisk_sys::mode::ModeChange;
pub use observer::{Done, Observer, Report, Status};
pub use settings::{Change, To};

use std::path::Path;

use brisk_sys::volume::mounts_below;

use crate::entry::bytes_to_path;
use crate::remove::file_system_root;
use crate::walk::Root;
use crate::{Fields, Mounts, Walk};
use changer::Changer;

impl Change {
    /// Changes the trees. Returns the observer, with those of the other workers merged into it, and
    /// the counts. An error does not stop the change.
    #[must_use]
    pub fn run<O: Observer>(&self, observer: O) -> (O, Report) {
        let mounts = if self.cross_mounts { Mounts::Cross } else { Mounts::SameMount };
        let walk = Walk { roots: Vec::new(), mounts, ..self.walk.clone() };
        let protects = self.preserve_root && walk.max_depth > 0;
        let root = protects.then(file_system_root).flatten();
        let roots = &self.walk.roots;
        let mut fields = self.fields();
        let guards = !self.cross_mounts && walk.max_depth > 0;
        if fields.is_empty() && guards && may_hold_mounts(roots) {
            // Any statx says whether a file is mounted on another.
            fields = Fields::UID;
        }
        let mut changer = Changer::new(self, fields, root, observer);
        for roots in roots.chunks(if self.in_turn { 1 } else { roots.len().max(1) }) {
            let stats;
            (changer, stats) = Walk { roots: roots.to_vec(), ..walk.clone() }.act(changer);
            changer.report.stats.add_later(&stats);
            if changer.report.stopped {
                break;
            }
        }
        (changer.observer, changer.report)
    }
}

/// Whether anything may be mounted below one of these paths.
fn may_hold_mounts(roots: &[Root]) -> bool {
    let Ok(mounts) = mounts_below("/".as_ref()) else { return true };
    let mounts: Vec<_> = mounts.iter().map(|mount| bytes_to_path(&mount.place)).collect();
    let holds = |top: &Path| mounts.iter().any(|mount| *mount != top && mount.starts_with(top));
    let may_hold = |root: &Root| root.path.canonicalize().map_or(true, |top| holds(&top));
    roots.iter().any(|root| root.is_open || may_hold(root))
}
