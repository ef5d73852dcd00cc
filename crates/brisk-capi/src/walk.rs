//! [`Walk`]: a walk whose entries the caller pulls: the engine's stream of chunks, whose entries are
//! written into the caller's array.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use brisk::{Chunks, OwnedChunk};

use crate::border::guarded;
use crate::entry::{Entry, Meta, entry_of};
use crate::error::Error;
use crate::options::{Asked, WalkOptions};

/// A walk whose entries are pulled.
pub struct Walk {
    chunks: Chunks,
    /// The chunk that the caller has entries of, and how many of them.
    chunk: OwnedChunk,
    pulled: usize,
    metas: Vec<Meta>,
    /// The process that has the walk's threads.
    process: u32,
}

impl Walk {
    /// Whether a child that was forked calls. In it the walk's threads do not exist, and what they
    /// had locked stays locked.
    fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }
}

/// Starts a walk over the trees at `roots`, which the caller pulls with brisk_walk_next. The thread
/// that pulls takes part in the walk. Other threads, which the walk starts if they pay off, go on in
/// the meantime. They wait when the caller is slow, and have ended when brisk_walk_end returns.
/// `options` may be NULL. Returns NULL if an option cannot be understood. A root that cannot be read
/// is an error of the walk: brisk_walk_next_error.
///
/// Threads: any. The strings and options are not needed after the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_walk_start(
    roots: *const *const c_char,
    root_count: usize,
    options: *const WalkOptions,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> Option<Box<Walk>> {
    guarded(error, None, || {
        // SAFETY: the caller promises it.
        let asked = unsafe { Asked::read(roots, root_count, options) }?;
        let walk = Walk {
            chunks: asked.walk.par_chunks(asked.fields),
            chunk: OwnedChunk::default(),
            pulled: 0,
            metas: Vec::new(),
            process: std::process::id(),
        };
        Ok(Some(Box::new(walk)))
    })
}

/// Writes the next entries to `entries`, which has room for `count`, and returns how many there are.
/// Waits until there is at least one; 0 is the end, also of a walk that was cancelled. The strings
/// and metadata that the entries point at are valid until the next call for this walk. In a child
/// that was forked after brisk_walk_start the call returns an error: the walk is the parent's.
///
/// Threads: any, but one at a time for each walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brisk_walk_next(
    walk: Option<&mut Walk>,
    entries: *mut Entry,
    count: usize,
    error: Option<&mut MaybeUninit<Option<Box<Error>>>>,
) -> usize {
    guarded(error, 0, || {
        let Some(walk) = walk.filter(|_| !entries.is_null() && count > 0) else {
            return Err(Error::argument("there is no walk, or no room for an entry"));
        };
        if walk.is_forked() {
            return Err(Error::argument("another process has started the walk"));
        }
        if walk.pulled == walk.chunk.len() {
            walk.pulled = 0;
            if !walk.chunks.refill(&mut walk.chunk) {
                walk.chunk = OwnedChunk::default();
                return Ok(0);
            }
        }
        let number = count.min(walk.chunk.len() - walk.pulled);
        let found = (walk.pulled..).map_while(|at| walk.chunk.get(at)).take(number);
        walk.metas.clear();
        walk.metas.reserve(if walk.chunk.has_meta() { number } else { 0 });
        for (at, entry) in found.enumerate() {
            let entry = entry_of!(entry, entry.prefix_with_nul(), &mut walk.metas);
            // SAFETY: the caller promises room for `count` entries, and there are no more.
            unsafe { entries.wrapping_add(at).write(entry) };
        }
        walk.pulled += number;
        Ok(number)
    })
}

/// Returns the next error that the walk has met, such as a directory that cannot be read, or NULL if
/// there is none now. The walk goes on after each. To be called after brisk_walk_next until it
/// returns NULL: errors that are not taken stay in memory. The caller frees the error.
///
/// Threads: any, but one at a time for each walk.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_walk_next_error(walk: Option<&mut Walk>) -> Option<Box<Error>> {
    guarded(None, None, || {
        let error = walk.filter(|walk| !walk.is_forked()).and_then(|walk| walk.chunks.next_error());
        Ok(error.map(|error| Box::new(Error::from(&error))))
    })
}

/// Ends a walk, also one that is not done, waits until its threads have ended, and frees it. `walk`
/// may be NULL. In a forked child the call does nothing.
///
/// Threads: any; no other thread may use the walk.
#[unsafe(no_mangle)]
pub extern "C" fn brisk_walk_end(walk: Option<Box<Walk>>) {
    guarded(None, (), || {
        match walk {
            Some(walk) if walk.is_forked() => std::mem::forget(walk),
            walk => drop(walk),
        }
        Ok(())
    });
}
