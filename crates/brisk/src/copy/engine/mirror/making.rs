//! How the directory of a [`Mirror`] is made.

use std::collections::hash_map::DefaultHasher;
use std::ffi::{CStr, CString};
use std::hash::{Hash, Hasher};
use std::io;

use brisk_sys::{Dir, Ids, Links, copy, handle_of, output};

use super::Mirror;
use crate::copy::engine::adopt::take_back;
use crate::copy::engine::facts::DirFacts;
use crate::copy::engine::job::{
    ALL, Denied, Route, at, identity_of, is_open_to_others, is_own, open_made, remove,
};
use crate::copy::engine::preserve::dir_mode_to_make;
use crate::copy::report::Step;
use crate::sched::lock;

/// How often a new tree is made under another name: a file system may say of each that it is locked.
const TRIES: u32 = 16;

impl Mirror {
    /// Makes the directory in the one above, which is open.
    pub(super) fn make_own(
        &self,
        route: &Route<'_>,
        above: &Mirror,
        handle: &Dir,
    ) -> Result<Dir, Denied> {
        loop {
            let made = if above.facts().is_hidden || !route.job.copy.whole_trees {
                make(self, route, handle, above.facts()).map(|dir| (dir, None, false))
            } else {
                self.make_hidden(route, above, handle)
                    .map(|(dir, name, was)| (dir, Some(name), was))
            };
            let (dir, temporary, is_adopted) = made.map_err(at(Step::MakeDirectory))?;
            let is_own = self.learn(route, (above.facts(), handle), &dir, temporary, is_adopted);
            if is_own.map_err(at(Step::OpenDirectory))? {
                return Ok(dir);
            }
        }
    }

    /// Makes it under a temporary name, or takes over what a killed run has left there.
    fn make_hidden(
        &self,
        route: &Route<'_>,
        above: &Mirror,
        handle: &Dir,
    ) -> io::Result<(Dir, CString, bool)> {
        let mut name = usual_temporary(&self.name);
        if !lock(&above.reserved).insert(name.clone()) {
            name = output::temporary_name(output::random());
        }
        let mode = dir_mode_to_make(&self.source, &self.attributes, None);
        for _ in 0..TRIES {
            match copy::make_dir(handle, &name, mode) {
                Ok(()) => match open_made(route, handle, &name, mode) {
                    Ok(dir) if copy::lock(&dir) => return Ok((dir, name, false)),
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    // Another copy takes it for one that was left.
                    _ => {}
                },
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                // Other users could have moved another directory of this user there.
                Err(_) if is_open_to_others(handle) => {}
                Err(_) => {
                    let left = handle.open_beneath(&name, Links::NoFollow, false).ok();
                    // The copy that had the lock may have renamed it.
                    let is_left = |dir: &Dir| {
                        let is_locked = is_own(handle, dir) && copy::lock(dir);
                        is_locked
                            && identity_of(handle, &name, Links::NoFollow) == dir.identity().ok()
                    };
                    if let Some(dir) = left.filter(is_left) {
                        if route.job.resumes() && take_back(handle, &dir).is_ok() {
                            return Ok((dir, name, true));
                        }
                        if remove(&above.path_now(route, &name), handle, &dir).is_ok() {
                            continue;
                        }
                    }
                }
            }
            name = output::temporary_name(output::random());
        }
        let why = "what is made is locked by another process";
        Err(io::Error::new(io::ErrorKind::WouldBlock, why))
    }

    /// Finds out the facts of a directory that was made in this one. `false` if a new tree belongs
    /// to another copy: before this copy had its lock, that one has removed it, or has filled it and
    /// given it its name.
    fn learn(
        &self,
        route: &Route<'_>,
        (above, handle): (&DirFacts, &Dir),
        dir: &Dir,
        temporary: Option<CString>,
        is_adopted: bool,
    ) -> io::Result<bool> {
        let mut facts = DirFacts {
            is_made: true,
            may_have_entries: is_adopted,
            is_adopted,
            is_hidden: above.is_hidden || temporary.is_some(),
            mode: dir_mode_to_make(&self.source, &self.attributes, above.owners),
            inherits: above.inherits,
            owners: above.owners,
            is_setgid: above.is_setgid,
            dev: above.dev,
            temporary,
            ..DirFacts::default()
        };
        if above.owners.is_none() {
            let meta = dir.stat_self(ALL)?;
            let is_usual = |it: &&CString| **it == usual_temporary(&self.name);
            let there = |it: &CString| identity_of(handle, it, Links::NoFollow);
            if facts
                .temporary
                .as_ref()
                .filter(is_usual)
                .is_some_and(|it| there(it) != meta.identity())
            {
                return Ok(false);
            }
            facts.is_setgid = meta.mode().is_some_and(|mode| mode & 0o2000 != 0);
            facts.owners = Some(Ids::of(&meta)).filter(|ids| {
                // Another user may have put another directory in its place.
                let is_group = facts.is_setgid || ids.group == Some(copy::effective_group());
                ids.user == Some(route.job.user) && is_group
            });
            facts.dev = meta.dev().unwrap_or(0);
            if let Some(identity) = meta.identity() {
                let _ = facts.identity.set(identity);
            }
            if let Some(handle) = handle_of(dir) {
                let inherited = if facts.is_setgid { 0o2000 } else { 0 };
                let mode = facts.mode & !route.job.umask | 0o700 | inherited;
                facts.inherits = route.job.copy.preserve.still_inherits(handle, mode);
            }
            self.note_root(route, meta.identity());
        }
        self.know(route, facts);
        Ok(true)
    }
}

/// Makes it under its own name.
fn make(mirror: &Mirror, route: &Route<'_>, above: &Dir, facts: &DirFacts) -> io::Result<Dir> {
    let mode = dir_mode_to_make(&mirror.source, &mirror.attributes, facts.owners);
    copy::make_dir(above, &mirror.name, mode)?;
    let dir = open_made(route, above, &mirror.name, mode)?;
    if let (true, Some(_), Some(made)) = (facts.inherits, facts.owners, handle_of(&dir)) {
        // An inherited access list may deny it to this user.
        copy::set_mode(made, if facts.is_setgid { 0o2700 } else { 0o700 })?;
    }
    Ok(dir)
}

/// The temporary name under which a later copy looks for the tree of this name.
fn usual_temporary(name: &CStr) -> CString {
    let mut hash = DefaultHasher::new();
    name.hash(&mut hash);
    output::temporary_name(hash.finish())
}
