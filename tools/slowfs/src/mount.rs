//! Mounting, running and unmounting the tree.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use fuser::{Config, MountOption, Session, SessionACL, SessionUnmounter};
use nix::mount::{MntFlags, umount2};

use crate::counters::Counters;
use crate::delay::Delay;
use crate::gone::Gone;
use crate::serve::SlowFs;
use crate::settings::Settings;

/// The device every FUSE server opens.
const DEVICE: &str = "/dev/fuse";

/// A mounted tree that does not answer yet.
pub struct Mounted {
    session: Session<SlowFs>,
    counters: Arc<Counters>,
    mountpoint: PathBuf,
}

/// Unmounts from any thread.
pub struct Unmounter {
    inner: SessionUnmounter,
    mountpoint: PathBuf,
}

/// Mounts on `mountpoint`; requests wait until [`Mounted::run`].
///
/// # Errors
/// A message that names the path: there is no mount point, it is no directory, FUSE is not
/// available, or the answer of the kernel or of fusermount3.
pub fn mount(settings: Settings, mountpoint: &Path) -> io::Result<Mounted> {
    let about = |error: io::Error| named(mountpoint, &error);
    let there = fs::metadata(mountpoint).map_err(about)?;
    if !there.is_dir() {
        return Err(named(mountpoint, &"not a directory"));
    }
    fs::metadata(DEVICE).map_err(|error| named(Path::new(DEVICE), &error))?;
    let mountpoint_held = fs::canonicalize(mountpoint).map_err(about)?;
    let counters = Arc::new(Counters::default());
    let device = Arc::new(OnceLock::new());
    let config = config(&settings);
    let slowfs = SlowFs {
        delay: Delay::new(settings.latency, Arc::clone(&counters))?,
        settings,
        owner: (there.uid(), there.gid()),
        counters: Arc::clone(&counters),
        device: Arc::clone(&device),
        gone: Gone::default(),
        interrupted: AtomicU64::new(0),
        hung: Mutex::default(),
    };
    let session =
        Session::new(slowfs, mountpoint, &config).map_err(|error| refused(about(error)))?;
    // Set exactly once, so this cannot fail.
    let _ = device.set(File::from(session.as_fd().try_clone_to_owned()?));
    Ok(Mounted { session, counters, mountpoint: mountpoint_held })
}

/// The mount options that follow from the settings.
fn config(settings: &Settings) -> Config {
    let mut config = Config::default();
    config.mount_options = vec![
        MountOption::FSName("slowfs".to_owned()),
        MountOption::Subtype("slowfs".to_owned()),
        if settings.removable { MountOption::RW } else { MountOption::RO },
        // The setuid bits are there to be looked at.
        MountOption::NoSuid,
        MountOption::NoDev,
    ];
    if settings.allow_other {
        config.acl = SessionACL::All;
    }
    config
}

/// Why the mount failed. If the device cannot be used, that explains more than the kernel's answer.
fn refused(error: io::Error) -> io::Error {
    match File::options().read(true).write(true).open(DEVICE) {
        Ok(_) => error,
        Err(device) => named(Path::new(DEVICE), &device),
    }
}

/// An error on one line that begins with the path.
fn named(path: &Path, what: &dyn std::fmt::Display) -> io::Error {
    let text = what.to_string();
    let line = text.lines().next().unwrap_or_default();
    io::Error::other(format!("{}: {line}", path.display()))
}

impl Mounted {
    /// The counters, which outlive the mount.
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    /// A handle that unmounts while [`Mounted::run`] blocks.
    pub fn unmounter(&mut self) -> Unmounter {
        Unmounter { inner: self.session.unmount_callable(), mountpoint: self.mountpoint.clone() }
    }

    /// Answers requests until the tree is unmounted, here or by `fusermount3 -u`.
    ///
    /// # Errors
    /// The FUSE device failed in another way than by an unmount.
    pub fn run(self) -> io::Result<()> {
        self.session.run()
    }
}

impl Unmounter {
    /// Unmounts. A busy mount is detached, and ends with its last user.
    ///
    /// # Errors
    /// The kernel refuses both.
    pub fn unmount(&mut self) -> io::Result<()> {
        self.inner
            .unmount()
            .or_else(|_busy| umount2(&self.mountpoint, MntFlags::MNT_DETACH))
            .map_err(|errno| named(&self.mountpoint, &errno.desc()))
    }
}
