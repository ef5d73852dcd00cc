//! btrfs: the inodes that a generation wrote, or a later one.
//!
//! ```text
//!   Began::note     the generation in which the next change falls, before anything is looked at
//!   search          sync; that generation again; the inodes written since the state's generation
//!   the next state  the generation from before the search or, without one, before the walk
//! ```

use std::io;
use std::ops::ControlFlow;

use brisk_sys::btrfs::{self, Subvolume};
use brisk_sys::{BorrowedHandle, memory};

use super::target::{Answer, Searched, Target, text};
use crate::volumes::{Basis, Progress};

/// How many dirty bytes are committed for each entry that need not be looked at: a disk writes 100
/// MB in a second, and a walk looks at a million entries.
const DIRTY_AN_ENTRY: u64 = 100;
/// How many entries a walk looks at while btrfs commits a transaction with nothing in it, which
/// takes 8 ms.
const COMMIT: u64 = 8_000;

/// With one entry in so many written, a state with a later generation is worth writing.
const STALE: usize = 32;
/// It is not with so few.
const FEW: usize = 100;

/// Finds what was written since the state's generation.
pub(super) fn search(target: &Target<'_>) -> Searched<Answer> {
    let (dir, entries) = (target.dir, target.state.len());
    let (stored, since) = check(target)?;
    let dirty = memory::dirty().unwrap_or(u64::MAX);
    let worth = (entries as u64).saturating_sub(COMMIT) * DIRTY_AN_ENTRY;
    if dirty >= worth && !target.search.settings.commits {
        return Err(format!("committing {dirty} dirty bytes would take longer"));
    }
    btrfs::sync(dir).map_err(text)?;
    // From here on: what was committed is found, and what was not is in a later generation.
    let progress = Progress::Generation(Subvolume::of(dir).map_err(text)?);
    let now = Basis { progress, ..stored };
    let most = target.most();
    let inodes = collect(dir, since, most).map_err(text)?;
    let is_stale = inodes.len() > (entries / STALE).max(FEW);
    if let Some(known) = target.search.volumes.get().get_mut(target.number) {
        (known.basis, known.is_stale) = (Some(now), is_stale);
    }
    if inodes.len() > most {
        return Err(format!("more than {most} inodes were written"));
    }
    let count = inodes.len();
    let how = format!("only what was written since generation {since}: {count} inodes");
    Ok((Answer::Written(inodes), how))
}

/// What the state says for the search, and the generation from which on; or why that is of no use
/// here.
fn check(target: &Target<'_>) -> Result<(Basis, u64), String> {
    let stored = target.basis()?;
    let Progress::Generation(subvolume) = stored.progress else {
        return Err("the state has no generation".to_owned());
    };
    if !Subvolume::of(target.dir).map_err(text)?.continues(&subvolume) {
        return Err("it is another subvolume, or was mounted again".to_owned());
    }
    // No inode is that new: this asks whether the caller may search.
    let allowed = btrfs::changed_since(target.dir, u64::MAX, |_| ControlFlow::Break(()));
    allowed.map_err(|error| format!("it cannot be searched: {error}"))?;
    Ok((stored, subvolume.next))
}

/// Finds what was written since a generation: up to one inode more than `most`.
fn collect(dir: BorrowedHandle<'_>, since: u64, most: usize) -> io::Result<Vec<u64>> {
    let mut inodes = Vec::new();
    btrfs::changed_since(dir, since, |inode| {
        inodes.push(inode);
        if inodes.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(inodes)
}
