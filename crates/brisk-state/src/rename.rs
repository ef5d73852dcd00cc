//! Renamed entries: an entry that is gone and a new entry that are the same file.

use std::collections::HashMap;

use brisk::{Fields, Timestamp};

use crate::change::{Change, Kind};
use crate::record::Stamp;

/// What tells a file from all others, also from one that has its inode number later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    volume: u16,
    ino: u64,
    /// The type.
    mode: u32,
    btime: Timestamp,
    /// Of a file on a file system without birth times: a later file with the same number would
    /// have another size or time.
    else_wise: (u64, Timestamp),
}

impl Identity {
    pub fn of(volume: u16, stamp: &Stamp) -> Identity {
        let has_btime = stamp.btime != Timestamp::default();
        Identity {
            volume,
            ino: stamp.ino,
            mode: stamp.file_type().mode_bits(),
            btime: stamp.btime,
            else_wise: if has_btime { Default::default() } else { (stamp.size, stamp.mtime) },
        }
    }
}

/// A record whose entry is gone, or an entry without a record.
pub(crate) struct Unpaired {
    pub change: Change,
    pub identity: Option<Identity>,
    pub stamp: Stamp,
}

/// Takes those out of both lists that are one file, and returns them as renamed. Of several links
/// that moved, the first by path goes with the first.
pub(crate) fn pair(gone: &mut Vec<Unpaired>, new: &mut Vec<Unpaired>) -> Vec<Change> {
    gone.sort_by(|a, b| b.change.place.cmp_by_component(&a.change.place));
    new.sort_by(|a, b| a.change.place.cmp_by_component(&b.change.place));
    let mut by_identity: HashMap<Identity, Vec<usize>> = HashMap::new();
    for (at, gone) in gone.iter().enumerate() {
        if let Some(identity) = gone.identity {
            by_identity.entry(identity).or_default().push(at);
        }
    }
    let mut renamed = Vec::new();
    let mut is_paired = vec![false; gone.len()];
    new.retain_mut(|new| {
        let from = new.identity.and_then(|identity| by_identity.get_mut(&identity)?.pop());
        let Some(from) = from else { return true };
        is_paired[from] = true;
        let Unpaired { change, stamp, .. } = &gone[from];
        let mut to = Change { kind: Kind::Renamed, ..new.change.clone() };
        to.from = Some(change.place.clone());
        // Renaming moves the ctime on many file systems.
        to.differs.fields = stamp.differs(&new.stamp) - Fields::CTIME;
        renamed.push(to);
        false
    });
    let mut is_paired = is_paired.into_iter();
    gone.retain(|_| !is_paired.next().unwrap_or(false));
    renamed
}
