//! Finds directories that lead back to one above them: through a bind mount, or a link that the
//! walk follows.

use std::io;

use brisk_sys::{Buffer, Dir, Fields, Links, stat_path};

use crate::drive::task::{DirNode, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::bytes_to_path;
use crate::visitor::Visitor;
use crate::{Meta, Operation};

/// The fields that identify a file.
const IDENTITY: Fields = Fields::INO.union(Fields::DEV);

/// A loop is found after this many levels at the latest, even where the parent lists the same inode
/// as `.` does: the walk compares the directories above every so many levels.
const LOOKS: u32 = 64;

/// The inodes that file systems list for a file whose inode they do not know: 0, or what libfuse
/// writes.
const NO_INODES: [u64; 2] = [0, 0xffff_ffff];

/// Whether the directory is one of those above it, reached again through a bind mount or a link. A
/// directory above with the same inode of `.` is suspected at no cost; two stats confirm that. In
/// deep trees the directories above are looked at only where the parent lists another inode than
/// `.` has, as for a mount point, and every [`LOOKS`] levels, in case a file system lists one inode
/// for both.
pub(crate) fn is_loop<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &DirNode<K>,
    handle: &Dir,
) -> bool {
    if node.dot_ino == 0 || worker.shared.settings.plan.one_mount {
        return false;
    }
    let is_due = node.child_depth <= LOOKS || node.child_depth.is_multiple_of(LOOKS);
    if node.ino == node.dot_ino && !is_due {
        return false;
    }
    let suspects = node.above_with(node.dot_ino);
    if suspects.is_empty() {
        return false;
    }
    worker.stats.calls.stat += 1;
    let identity = handle.stat_self(IDENTITY).ok().and_then(|meta| meta.identity());
    let found = suspects.iter().any(|above| is_same(worker, above, identity));
    if found {
        worker.report(Operation::FollowLoop, node, loop_error());
    }
    found
}

/// The inode of a directory as its `.` entry gives it. If that is missing and the walk follows
/// links, of which loops are made, a stat asks for the inode; otherwise it is 0.
pub(crate) fn dot_ino<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    handle: &Dir,
    buffer: &Buffer,
) -> u64 {
    let listed = buffer.dot_ino().filter(|ino| !NO_INODES.contains(ino));
    if listed.is_some() || !worker.shared.settings.plan.follow {
        return listed.unwrap_or(0);
    }
    worker.stats.calls.stat += 1;
    handle.stat_self(Fields::INO).ok().and_then(|meta| meta.ino()).unwrap_or(0)
}

/// Whether a followed link in this directory leads to this directory or to one above it.
pub(crate) fn leads_up<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &DirNode<K>,
    target: &Meta,
) -> bool {
    let Some(ino) = target.ino() else { return false };
    let mut suspects = node.above_with(ino);
    suspects.extend((node.dot_ino == ino).then_some(node));
    let identity = target.identity();
    suspects.iter().any(|above| is_same(worker, above, identity))
}

/// Whether a directory above with the same inode is this one. It is if it cannot be asked: after a
/// link on the way was removed, the walk would go round for ever.
fn is_same<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    above: &DirNode<K>,
    identity: Option<(u64, u64)>,
) -> bool {
    let known = self::identity(worker, above);
    known.is_none() || known == identity
}

/// Device and inode of a directory above: by its path or, if the path is too long for the system or
/// leads nowhere any more, by opening the directory again.
fn identity<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    node: &DirNode<K>,
) -> Option<(u64, u64)> {
    let mut path = Vec::new();
    node.prefix_into(&mut path);
    let backend = worker.shared.settings.backend;
    worker.stats.calls.stat += 1;
    // The path of a root that the caller has open may lead elsewhere by now.
    let by_path = match node.own_root_handle() {
        Some(_) => Err(io::ErrorKind::Unsupported.into()),
        None => stat_path(backend, bytes_to_path(&path), IDENTITY, Links::Follow),
    };
    let anew = |_: io::Error| {
        let reached = worker.opening(|it| it.reacher.reach_above(node));
        reached?.stat_self(IDENTITY)
    };
    by_path.or_else(anew).ok()?.identity()
}

pub(crate) fn loop_error() -> io::Error {
    io::Error::other("it leads back to a directory above it")
}
