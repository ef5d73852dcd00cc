//! Mounting, running and unmounting the tree.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use fuser::{Config, Filesystem, MountOption, Session, SessionACL, SessionUnmounter};
use nix::mount::{MntFlags, umount2};

use crate::counters::Counters;
use crate::delay::Delay;
use crate::dirents::Device;
use crate::gone::Gone;
use crate::mirror::MirrorFs;
use crate::serve::SlowFs;
use crate::set::Set;
use crate::settings::{Settings, Shown};

/// The device every FUSE server opens.
const DEVICE: &str = "/dev/fuse";

/// A mounted tree that does not answer yet.
pub struct Mounted {
    /// Answers requests until the tree is unmounted, here or by `fusermount3 -u`. Fails if the FUSE
    /// device fails in another way than by an unmount.
    pub run: Box<dyn FnOnce() -> io::Result<()> + Send>,
    /// Unmounts while `run` blocks.
    pub unmounter: Unmounter,
    /// The counters, which outlive the mount.
    pub counters: Arc<Counters>,
}

/// Unmounts from any thread.
pub struct Unmounter {
    inner: SessionUnmounter,
    mountpoint: PathBuf,
}

/// Mounts on `mountpoint`; requests wait until [`Mounted::run`].
///
/// # Errors
/// A message that names the path: there is no mount point, it is not a directory, it is in the tree
/// that is mirrored, FUSE is not available, or the answer of the kernel or of fusermount3.
pub fn mount(shown: Shown, settings: Settings, mountpoint: &Path) -> io::Result<Mounted> {
    let about = |error: io::Error| named(mountpoint, &error);
    let there = fs::metadata(mountpoint).map_err(about)?;
    if !there.is_dir() {
        return Err(named(mountpoint, &"not a directory"));
    }
    fs::metadata(DEVICE).map_err(|error| named(Path::new(DEVICE), &error))?;
    let at = fs::canonicalize(mountpoint).map_err(about)?;
    let counters = Arc::new(Counters::default());
    let delay = Delay::new(settings.latency, settings.only.clone(), Arc::clone(&counters))?;
    let config = config(&shown, &settings);
    match shown {
        Shown::Mirror(mut mirror) => {
            mirror.dir =
                fs::canonicalize(&mirror.dir).map_err(|error| named(&mirror.dir, &error))?;
            if at.starts_with(&mirror.dir) {
                return Err(named(mountpoint, &"in the tree that it would show"));
            }
            let served = MirrorFs::new(mirror, &settings, delay, Arc::clone(&counters));
            Ok(mounted(session(served, &at, &config)?, at, counters))
        }
        Shown::Tree(tree) => {
            let device = Device::default();
            let slowfs = SlowFs {
                tree,
                settings,
                owner: (there.uid(), there.gid()),
                counters: Arc::clone(&counters),
                delay,
                device: Arc::clone(&device),
                gone: Gone::default(),
                set: Set::default(),
                interrupted: AtomicU64::new(0),
                hung: Mutex::default(),
            };
            let session = session(slowfs, &at, &config)?;
            // Set exactly once, so this cannot fail.
            let _ = device.set(File::from(session.as_fd().try_clone_to_owned()?));
            Ok(mounted(session, at, counters))
        }
    }
}

fn session<F: Filesystem>(served: F, at: &Path, config: &Config) -> io::Result<Session<F>> {
    Session::new(served, at, config).map_err(|error| refused(named(at, &error)))
}

fn mounted<F>(mut session: Session<F>, mountpoint: PathBuf, counters: Arc<Counters>) -> Mounted
where
    F: Filesystem + Send + 'static,
{
    let unmounter = Unmounter { inner: session.unmount_callable(), mountpoint };
    Mounted { run: Box::new(move || session.run()), unmounter, counters }
}

/// The mount options that follow from the settings.
fn config(shown: &Shown, settings: &Settings) -> Config {
    let mut config = Config::default();
    let is_writable = matches!(shown, Shown::Mirror(mirror) if mirror.writable);
    config.mount_options = vec![
        MountOption::FSName("slowfs".to_owned()),
        MountOption::Subtype("slowfs".to_owned()),
        if settings.removable || is_writable { MountOption::RW } else { MountOption::RO },
        // The setuid bits are there to be looked at.
        MountOption::NoSuid,
        MountOption::NoDev,
    ];
    if matches!(shown, Shown::Mirror(_)) {
        // The modes are those of the mirrored tree, and bind as they do there.
        config.mount_options.push(MountOption::DefaultPermissions);
    }
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
