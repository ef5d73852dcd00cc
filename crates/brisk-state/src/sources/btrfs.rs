//! btrfs: the inodes that were written in a generation or later.
//!
//! ```text
//!   BeforeWalk      the generation that the next change belongs to, before anything is read
//!   search          sync; that generation again; the inodes written since the state's generation
//!   the next state  the generation from before the search or, without a search, before the walk
//! ```

use std::io;
use std::ops::ControlFlow;

use brisk_sys::btrfs::{self, Subvolume};
use brisk_sys::{BorrowedHandle, memory};

use super::source::{AskedVolume, Inodes, text};
use crate::format::index::{ChangePosition, Checkpoint};

/// How many dirty bytes may be committed for each entry that need not be checked: in a second, a
/// disk writes 100 MB, and a walk checks a million entries.
const DIRTY_AN_ENTRY: u64 = 100;
/// How many entries a walk checks in the 8 ms that btrfs takes to commit an empty transaction.
const COMMIT: u64 = 8_000;

/// If more than one in this many entries changed, a state with the new generation is worth writing.
const WORTH_SAVING: usize = 32;
/// But not if only this many changed.
const FEW: usize = 100;

pub(super) fn search(target: &AskedVolume<'_>) -> Result<(Inodes, String), String> {
    let dir = target.dir;
    let entries = target.search.state.len();
    let (stored, since) = check(target)?;
    let dirty = memory::dirty().unwrap_or(u64::MAX);
    let worth = (entries as u64).saturating_sub(COMMIT) * DIRTY_AN_ENTRY;
    if dirty >= worth && !target.search.rescan.commits {
        return Err(format!("committing {dirty} dirty bytes would take longer"));
    }
    btrfs::sync(dir).map_err(text)?;
    // The search finds what is committed now. Later changes belong to a later generation.
    let position = ChangePosition::Generation(Subvolume::of(dir).map_err(text)?);
    let most = target.most_changed();
    let inodes = collect(dir, since, most).map_err(text)?;
    let count = inodes.len();
    let is_worth_saving = count > (entries / WORTH_SAVING).max(FEW);
    target.advance(Checkpoint { position, ..stored }, is_worth_saving);
    if count > most {
        return Err(format!("more than {most} inodes were written"));
    }
    let how = format!("only what was written since generation {since}: {count} inodes");
    Ok((Inodes::Changed(inodes), how))
}

/// The checkpoint in the state, and the generation from which to search; or why a search is not
/// possible.
fn check(target: &AskedVolume<'_>) -> Result<(Checkpoint, u64), String> {
    let stored = target.checkpoint()?;
    let ChangePosition::Generation(subvolume) = stored.position else {
        return Err("the state has no generation".to_owned());
    };
    if !Subvolume::of(target.dir).map_err(text)?.continues(&subvolume) {
        return Err("it is another subvolume, or was mounted again".to_owned());
    }
    // No inode has this generation. The call only shows whether the user may search.
    let allowed = btrfs::changed_since(target.dir, u64::MAX, |_| ControlFlow::Break(()));
    allowed.map_err(|error| format!("it cannot be searched: {error}"))?;
    Ok((stored, subvolume.next))
}

/// The inodes that were written since a generation, but at most one more than `most`.
fn collect(dir: BorrowedHandle<'_>, since: u64, most: usize) -> io::Result<Vec<u64>> {
    let mut inodes = Vec::new();
    btrfs::changed_since(dir, since, |inode| {
        inodes.push(inode);
        if inodes.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(inodes)
}
