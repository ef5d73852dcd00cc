//! [`Gathered`]: what a rescan has found, by directory.

use std::collections::HashMap;

use brisk::Error;
use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::below;

use crate::change::Place;
use crate::found::{DirInfo, Found, Fresh, Key, Named};
use crate::record::{NO_BLOCK, Record};
use crate::roots::Root;
use crate::state::{State, TOP};

/// What was found.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Entries that are new or changed.
    pub fresh: Vec<Fresh>,
    /// The numbers of directories that the state does not know.
    pub dirs: HashMap<Named, Key>,
    /// Where these are.
    above: HashMap<Key, Named>,
    /// What was learned of directories that were read.
    pub infos: HashMap<Key, DirInfo>,
    pub errors: Vec<Error>,
    pub warnings: Vec<Error>,
}

impl Gathered {
    pub fn of(found: Found) -> Gathered {
        let Found { fresh, new_dirs, infos, errors, warnings } = found;
        // A later one says more: that the directory holds rules.
        let infos = infos.into_iter().map(|info| (info.key, info)).collect();
        let dirs = new_dirs.iter().map(|(key, named)| (named.clone(), *key)).collect();
        let above = new_dirs.into_iter().collect();
        Gathered { fresh, dirs, above, infos, errors, warnings }
    }

    /// The number of the directory that has this name in another one, if it was entered.
    pub fn key(&self, state: Option<&State>, parent: Key, name: &[u8]) -> Option<Key> {
        let old = || {
            let block = state?.block(parent);
            let record = block.record(block.find(name, 0)?)?;
            (record.block != NO_BLOCK).then_some(record.block)
        };
        self.dirs.get(&(parent, name.into())).copied().or_else(old)
    }

    /// The directory above this one, and this one's name there.
    fn above<'a>(&'a self, state: Option<&'a State>, key: Key) -> Option<(Key, &'a [u8])> {
        if let Some((parent, name)) = self.above.get(&key) {
            return Some((*parent, name));
        }
        let state = state?;
        Some((state.dir(key)?.parent, state.record_of(key)?.name))
    }

    /// Where an entry is.
    pub fn place(&self, paths: &Paths<'_>, parent: Key, name: &[u8]) -> Place {
        let mut names = vec![name];
        let mut key = parent;
        // A damaged state may lead in a circle.
        while key != TOP && names.len() < usize::from(u16::MAX) {
            let Some((parent, name)) = self.above(paths.state, key) else { break };
            names.push(name);
            key = parent;
        }
        let root = names.pop().unwrap_or_default();
        names.reverse();
        Place { root: paths.root(root), path: names.join(&b'/') }
    }
}

/// What paths are made of.
pub(crate) struct Paths<'a> {
    pub state: Option<&'a State>,
    pub roots: &'a [Root],
    /// Roots that only the state knows.
    pub gone: Vec<Box<[u8]>>,
}

impl<'a> Paths<'a> {
    pub fn new(state: Option<&'a State>, roots: &'a [Root]) -> Paths<'a> {
        let known = state.into_iter().flat_map(|state| state.block(TOP).iter());
        let is_gone = |name: &[u8]| roots.iter().all(|root| *root.name != *name);
        let gone = known.map(|record| record.name).filter(|name| is_gone(name));
        Paths { state, roots, gone: gone.map(Box::from).collect() }
    }

    /// Whether a root is no longer where the state has it.
    pub fn has_moved(&self) -> bool {
        self.roots.iter().any(|root| *root.name != *root.place)
    }

    /// The name of a root's record in the next state.
    pub fn next_name<'n>(&'n self, name: &'n [u8]) -> &'n [u8] {
        self.roots.iter().find(|root| *root.name == *name).map_or(name, |root| &root.place)
    }

    /// The number of the root that has this name in the state.
    fn root(&self, name: &[u8]) -> usize {
        let named = self.roots.iter().position(|root| *root.name == *name);
        let gone = || self.gone.iter().position(|gone| **gone == *name).unwrap_or(0);
        named.unwrap_or_else(|| self.roots.len() + gone())
    }

    /// A path as the walk spells it.
    pub fn spelled(&self, place: &Place) -> Vec<u8> {
        let Some(root) = self.roots.get(place.root) else { return Vec::new() };
        match &place.path[..] {
            [] => with_slashes(&root.path),
            path => [&root.prefix(b"")[..], path].concat(),
        }
    }

    /// The place of a path that the walk spells so, if it is in a root.
    pub fn place_of(&self, path: &[u8]) -> Option<Place> {
        let place = |(root, number): (&Root, usize)| {
            let path = below(path, &with_slashes(&root.path))?.to_vec();
            Some(Place { root: number, path })
        };
        self.roots.iter().zip(0..).filter_map(place).min_by_key(|place| place.path.len())
    }

    /// The record of a place in the state, with its directory and its number there.
    pub fn record_at(&self, place: &Place) -> Option<(Key, usize, Record<'a>)> {
        let (state, root) = (self.state?, self.roots.get(place.root)?);
        let at = state.block(TOP).find(&root.name, 0)?;
        let record = state.block(TOP).record(at)?;
        if place.path.is_empty() {
            return Some((TOP, at, record));
        }
        let (dir, at) = state.descend(record.block, &place.path)?;
        Some((dir, at, state.block(dir).record(at)?))
    }
}
