//! [`Volumes`]: the file systems that a scan has met. A program that compares two tables learns from
//! them whether an inode number says which file it is.

use std::path::Path;
use std::sync::Mutex;

use brisk_commands::internal::object;
use brisk_sys::threads::lock;
use brisk_sys::volume::Volume;
use brisk_sys::{Backend, Dir, handle_of};

/// File systems by their device numbers.
#[derive(Debug, Default)]
pub(crate) struct Volumes(Mutex<Vec<(u64, Volume)>>);

impl Volumes {
    /// Notes the file system with this device number. `volume` is called if it is a new one.
    pub fn meet(&self, device: u64, volume: impl FnOnce() -> Option<Volume>) {
        let mut met = lock(&self.0);
        if !met.iter().any(|(known, _)| *known == device) {
            met.extend(volume().map(|volume| (device, volume)));
        }
    }

    /// Notes the file system of a root, which may have directories alone.
    pub fn meet_root(&self, root: &Path) {
        let Ok(dir) = Dir::open_path_only(Backend::Native, root) else { return };
        if let Ok((device, _)) = dir.identity() {
            self.meet(device, || Volume::of(handle_of(&dir)?).ok());
        }
    }

    /// What the table's metadata says of them.
    pub fn to_json(&self) -> String {
        let met = lock(&self.0);
        let one = |(device, volume): &(u64, Volume)| {
            object(|object| {
                object.number("device", Some(*device));
                object.number("magic", Some(u64::from(volume.kind.magic())));
                object.number("fsid", Some(volume.fsid));
            })
        };
        format!("[{}]", met.iter().map(one).collect::<Vec<_>>().join(","))
    }
}
