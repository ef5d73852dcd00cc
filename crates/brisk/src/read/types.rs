//! Types that the directory does not give, and links that the walk follows: what they lead to, and which
//! of them, or of the directories, lead back up.

use std::io;

use brisk_sys::{Links, RawEntry, is_link_loop};

use crate::drive::task::WalkKind;
use crate::drive::worker::Worker;
use crate::read::classify::{Candidate, Classifier};
use crate::read::fetch::is_missing;
use crate::read::loops::{leads_up, loop_error};
use crate::visitor::Visitor;
use crate::{Fields, FileType, Meta, Operation};

impl<K: WalkKind> Classifier<'_, K> {
    /// Asks for a type that the directory did not give, or for that of a link's target. `None` if
    /// the file is gone, or the link leads back up.
    #[cold]
    pub(super) fn find_type<V: Visitor<State = K::State>>(
        &mut self,
        worker: &mut Worker<'_, V, K>,
        found: &mut Candidate<'_>,
        mask: Fields,
    ) -> Option<()> {
        if found.raw.file_type == FileType::Unknown {
            match self.fetch.stat(found.raw.name, mask, Links::NoFollow) {
                Ok(meta) => self.take_type(found, meta),
                Err(error) => self.stat_failed(found.raw.name, error)?,
            }
        }
        if found.file_type == FileType::Symlink && self.fetch.follows {
            self.follow(worker, found, mask)?;
        }
        Some(())
    }

    /// Replaces a link's type and metadata by its target's. A link that leads nowhere stays a link.
    /// One that leads back up is an entry only for a visitor that lists loops; the loop is then
    /// found when the directory is entered.
    fn follow<V: Visitor<State = K::State>>(
        &mut self,
        worker: &mut Worker<'_, V, K>,
        found: &mut Candidate<'_>,
        mask: Fields,
    ) -> Option<()> {
        let target = match self.fetch.stat(found.raw.name, mask, Links::Follow) {
            Ok(target) => target,
            Err(error) => return self.unreached(found, error),
        };
        let is_dir = target.file_type().is_some_and(FileType::is_dir);
        let lists_loops = self.shared.settings.needs.loops;
        if is_dir && !lists_loops && leads_up(worker, &self.chunk.reading.node, &target) {
            self.failed(Operation::FollowLoop, found.raw.name, loop_error());
            return None;
        }
        found.follow = Links::Follow;
        self.take_type(found, target);
        Some(())
    }

    /// The target of a link cannot be reached. `None` if the link is not an entry.
    #[cold]
    fn unreached(&mut self, found: &mut Candidate<'_>, error: io::Error) -> Option<()> {
        if !self.shared.settings.needs.links || error.kind() == io::ErrorKind::NotFound {
            return Some(());
        }
        if !is_missing(&error) {
            found.follow = Links::Follow;
            found.file_type = FileType::Unknown;
        }
        let is_entry = !is_link_loop(&error) && self.chunk.reading.node.child_depth > 0;
        self.failed(Operation::Follow, found.raw.name, error);
        is_entry.then_some(())
    }

    /// `None` for a directory that is one of those above it, reached again through a link.
    #[cold]
    pub(super) fn no_loop<V: Visitor<State = K::State>>(
        &mut self,
        worker: &mut Worker<'_, V, K>,
        found: &Candidate<'_>,
    ) -> Option<()> {
        let node = &self.chunk.reading.node;
        let RawEntry { name, ino, .. } = found.raw;
        let is_suspect = found.follow == Links::NoFollow && !node.above_with(ino).is_empty();
        let mut ask = || self.fetch.stat(name, Fields::INO | Fields::DEV, Links::NoFollow).ok();
        let is_loop = is_suspect && ask().is_some_and(|own| leads_up(worker, node, &own));
        if is_loop {
            self.failed(Operation::FollowLoop, name, loop_error());
        }
        (!is_loop).then_some(())
    }

    fn take_type(&mut self, found: &mut Candidate<'_>, meta: Meta) {
        found.file_type = meta.file_type().unwrap_or_default();
        self.replace(&mut found.meta, meta);
    }
}
