//! How a [`Mirror`] ends: it gets its own name, or is removed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brisk_sys::Dir;

use super::Mirror;
use crate::copy::engine::job::{Route, remove};
use crate::sched::lock;

impl Mirror {
    /// Notes that something that a killed run may have left here was not compared: the tree then
    /// keeps its temporary name, and the next copy goes on with it.
    pub fn distrust(&self) {
        let mut mirror = self;
        while let (None, Some(above)) = (mirror.temporary(), &mirror.above) {
            mirror = above;
        }
        mirror.is_unsure.store(true, Ordering::Relaxed);
    }

    /// Gives it its own name, if it has a temporary one. Everything below it is copied.
    pub fn place(&self) -> io::Result<()> {
        if self.is_unsure.load(Ordering::Relaxed) && self.facts().is_adopted {
            return Err(io::Error::other("not all that a killed copy has left in it was compared"));
        }
        let (Some(temporary), Some(above)) = (self.temporary(), &self.above) else { return Ok(()) };
        if self.is_placed.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let held = lock(&above.held).as_ref().map(|(handle, _)| Arc::clone(handle));
        let handle = held.map_or_else(|| above.open_again().map(Arc::new), Ok)?;
        handle.rename_here(temporary, &self.name)
    }

    /// Removes it with everything below it, because another process has made an entry of its name.
    pub fn discard(&self, route: &Route<'_>, dir: &Dir) {
        if let (Some(temporary), Some(above)) = (self.temporary(), &self.above)
            && let Ok(Some(holder)) = above.handle(route)
        {
            let _ = remove(&above.path_now(route, temporary), &holder, dir);
        }
    }

    /// Closes it. If links may still be made to its entries, it can be opened again.
    pub fn close(&self) {
        let handle = lock(&self.held).take();
        if let (Some((handle, _)), true) = (handle, self.has_links.load(Ordering::Relaxed)) {
            self.remember(&handle);
        }
    }
}

/// When a copy ends early, new directories get their names: each file in them is complete. A tree
/// that a killed run has left keeps its temporary name.
impl Drop for Mirror {
    fn drop(&mut self) {
        let is_adopted = self.facts.get().is_some_and(|facts| facts.is_adopted);
        if !std::thread::panicking() && !is_adopted {
            let _ = self.place();
        }
    }
}
