//! [`FileSystems`]: the type of the file system on a device.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use brisk_sys::threads::lock;
use brisk_sys::volume::mounts_below;

/// Returns the type of the file system with this device number, such as `ext4`.
pub type FileSystem = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// The types of file systems by their devices. The table of mounts is read whenever a new device is
/// met.
#[derive(Debug, Default)]
pub struct FileSystems(Mutex<BTreeMap<u64, String>>);

impl FileSystems {
    /// The type of the file system on a device; `unknown` if the table lacks the device, for
    /// example that of a btrfs subvolume.
    pub fn with_type<R>(&self, device: u64, use_type: impl FnOnce(&str) -> R) -> R {
        let unknown = || "unknown".to_owned();
        let found = || mounted_from(device).unwrap_or_else(unknown);
        use_type(lock(&self.0).entry(device).or_insert_with(found))
    }

    /// The same for find(1)'s tests.
    #[must_use]
    pub fn of_tests(self: &Arc<Self>) -> FileSystem {
        let all = Arc::clone(self);
        Arc::new(move |device| all.with_type(device, str::to_owned))
    }
}

/// The major and minor number of a device, in the bit layout of makedev.
#[must_use]
pub fn device_numbers(device: u64) -> (u64, u64) {
    let major = (device >> 8 & 0xfff) | (device >> 32 & 0xffff_f000);
    let minor = (device & 0xff) | (device >> 12 & 0xffff_ff00);
    (major, minor)
}

/// The type of the file system that was mounted last from a device.
fn mounted_from(device: u64) -> Option<String> {
    let (major, minor) = device_numbers(device);
    let device = format!("{major}:{minor}");
    // Every mount is below the empty path.
    let mounts = mounts_below(Path::new("")).ok()?;
    mounts.iter().rev().find_map(|mount| {
        let line = String::from_utf8_lossy(&mount.told);
        let (place, source) = line.split_once(" - ")?;
        let is_there = place.split(' ').nth(2) == Some(&device);
        source.split(' ').next().filter(|_| is_there).map(str::to_owned)
    })
}
