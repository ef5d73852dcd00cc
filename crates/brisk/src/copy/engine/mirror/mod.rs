//! [`Mirror`]: the destination of a directory. It is made or opened when something is copied into
//! it.
//!
//! A new directory in an existing one has a temporary name until everything below it is copied. So
//! its files can be made under their own names, and yet no path leads to a half-written file,
//! whenever the run is killed:
//!
//! ```text
//!   dst/                    exists: a file is made without a name, and linked when it is whole
//!   └─ .brisk-tmp-5e2…      becomes dst/sub when it is left
//!      └─ a/b/file          made in place
//! ```
//!
//! A later copy to the same destination finds the tree, because its temporary name is computed from
//! its own. If that copy compares, it continues the tree; otherwise it removes the tree. Where
//! other users may rename, it leaves the tree alone, and takes another temporary name. A source may
//! have such names, too: within one copy, a name serves one directory only.

mod end;
mod making;
mod told;

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::copy::Attribute;
use brisk_sys::{Dir, Freshness, Identity, Links, output};

use crate::copy::engine::adopt::open_left;
use crate::copy::engine::facts::DirFacts;
use crate::copy::engine::fate::may_go;
use crate::copy::engine::job::{ALL, Denied, Route, at, in_the_way};
use crate::copy::report::Step;
use crate::ignore::Level;
use crate::sched::lock;
use crate::tree::HeldHandle;
use crate::{Directory, Fields, FileType, Meta};

/// The destination of a directory.
#[derive(Debug)]
pub(super) struct Mirror {
    /// `None` for the directory that holds a pair's destination.
    above: Option<Arc<Mirror>>,
    name: CString,
    /// The source's metadata and extended attributes.
    pub source: Meta,
    pub attributes: Vec<Attribute>,
    /// Not all of its attributes could be read.
    pub lacks_attributes: bool,
    /// What was reported when they were read.
    pub told: Vec<Step>,
    /// The source could not be opened, so its copy replaces nothing.
    pub is_unread: bool,
    /// The filter refuses it: it is made only for what is in it.
    pub is_refused: bool,
    /// The ignore rules in force where the source is.
    pub rules: Option<Level>,
    held: Mutex<Option<HeldHandle>>,
    facts: OnceLock<DirFacts>,
    is_placed: AtomicBool,
    /// It could not be made, and this was reported.
    has_failed: AtomicBool,
    /// Something that a killed run has left in it was not compared with its source.
    is_unsure: AtomicBool,
    /// The names in it that this copy uses and that look like temporary ones.
    reserved: Mutex<BTreeSet<CString>>,
    /// Something was copied into it or removed from it.
    pub is_dirty: AtomicBool,
    /// The first copy of a file with several links is in it.
    pub has_links: AtomicBool,
}

impl Mirror {
    /// The directory that holds a pair's destination.
    pub fn top(handle: &Arc<Dir>, meta: Meta) -> Arc<Mirror> {
        let mirror = Mirror::new(None, CString::default(), Meta::default(), Vec::new());
        *lock(&mirror.held) = Some((Arc::clone(handle), None));
        let facts = DirFacts::existing(meta);
        mirror.facts.set(facts).expect("BUG: a new mirror has no facts");
        Arc::new(mirror)
    }

    pub fn new(
        above: Option<Arc<Mirror>>,
        name: CString,
        source: Meta,
        attributes: Vec<Attribute>,
    ) -> Mirror {
        Mirror {
            above,
            name,
            source,
            attributes,
            lacks_attributes: false,
            told: Vec::new(),
            is_unread: false,
            is_refused: false,
            rules: None,
            held: Mutex::default(),
            facts: OnceLock::new(),
            is_placed: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
            is_unsure: AtomicBool::new(false),
            reserved: Mutex::default(),
            is_dirty: AtomicBool::new(false),
            has_links: AtomicBool::new(false),
        }
    }

    /// What is known once [`handle`](Mirror::handle) has succeeded.
    pub fn facts(&self) -> &DirFacts {
        self.facts.get().expect("BUG: the destination was opened")
    }

    pub fn is_opened(&self) -> bool {
        self.facts.get().is_some()
    }

    /// Returns whether it exists. If so, opens it, even if nothing was copied into it.
    pub fn is_there(&self, route: &Route<'_>) -> Result<bool, Denied> {
        if let (Some(above), false) = (&self.above, self.is_opened()) {
            if !above.is_there(route)? {
                return Ok(false);
            }
            let Some(handle) = above.handle(route)? else { return Ok(false) };
            let links = Links::followed(above.above.is_none() && route.wants_dir);
            match handle.stat(&self.name, Fields::TYPE, links, Freshness::AsStat) {
                Ok(meta) if meta.file_type() == Some(FileType::Directory) => {}
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err((Step::StatDestination, Some(error)));
                }
                _ => return Ok(false),
            }
        }
        Ok(self.handle(route)?.is_some())
    }

    /// The directory's handle: makes or opens the directory, or opens it again. `None` if only a
    /// dry run has made it.
    pub fn handle(&self, route: &Route<'_>) -> Result<Option<Arc<Dir>>, Denied> {
        let mut held = lock(&self.held);
        if let Some((handle, _)) = &*held {
            return Ok(Some(Arc::clone(handle)));
        }
        let dir = match self.facts.get() {
            Some(facts) if facts.is_missing => return Ok(None),
            Some(_) => self.open_again().map_err(at(Step::OpenDirectory))?,
            None => match self.enter(route)? {
                Some(dir) => dir,
                None => return Ok(None),
            },
        };
        let dir = Arc::new(dir);
        route.job.note_place(self.facts().dev, &dir);
        match route.job.budget.permit() {
            Some(permit) => *held = Some((Arc::clone(&dir), Some(permit))),
            None => self.remember(&dir),
        }
        Ok(Some(dir))
    }

    /// Whether this directory, or one above, is the copy of this source.
    pub fn copies(&self, source: Option<Identity>) -> bool {
        let is_copy = self.above.is_some() && self.source.identity() == source;
        is_copy || self.above.as_ref().is_some_and(|above| above.copies(source))
    }

    /// The identity of the root whose copy this directory is or belongs to.
    pub fn source_of_top(&self) -> Option<Identity> {
        let mut mirror = self;
        while let Some(above) = mirror.above.as_ref().filter(|above| above.above.is_some()) {
            mirror = above;
        }
        mirror.source.identity()
    }

    /// Opens it again from the nearest directory above that is open.
    fn open_again(&self) -> io::Result<Dir> {
        let mut names = vec![self.own_name().to_bytes()];
        let mut above = self.above.as_ref().expect("BUG: the top is held");
        let mut dir = loop {
            if let Some((handle, _)) = &*lock(&above.held) {
                break Arc::clone(handle);
            }
            names.push(above.own_name().to_bytes());
            above = above.above.as_ref().expect("BUG: the top is held");
        };
        // A path may have 4,095 bytes; a name has 255 at most.
        let mut path = Vec::new();
        while let Some(name) = names.pop() {
            path.extend_from_slice(name);
            if path.len() > 3_800 || names.is_empty() {
                let relative = CString::new(std::mem::take(&mut path))?;
                dir = Arc::new(dir.open_beneath(&relative, Links::NoFollow, false)?);
            } else {
                path.push(b'/');
            }
        }
        let is_same = self.facts().identity.get().copied() == Some(dir.identity()?);
        let stale = || io::Error::from(io::ErrorKind::StaleNetworkFileHandle);
        Arc::into_inner(dir).filter(|_| is_same).ok_or_else(stale)
    }

    /// The name under which it was made, if that is a temporary one.
    fn temporary(&self) -> Option<&CStr> {
        self.facts.get()?.temporary.as_deref()
    }

    /// The name that it has now.
    fn own_name(&self) -> &CStr {
        let is_placed = self.is_placed.load(Ordering::Acquire);
        self.temporary().filter(|_| !is_placed).unwrap_or(&self.name)
    }

    /// Opens the directory that is there, or makes it.
    fn enter(&self, route: &Route<'_>) -> Result<Option<Dir>, Denied> {
        let above = self.above.as_ref().expect("BUG: the top is open");
        let handle = above.handle(route)?;
        let Some(handle) = handle else { return self.missing(route) };
        let may_clash = output::is_temporary(self.name.to_bytes());
        if may_clash && !lock(&above.reserved).insert(self.name.clone()) {
            let why = io::Error::other("the copy uses this name for another directory");
            return Err((Step::MakeDirectory, Some(why)));
        }
        if above.facts().may_have_entries {
            let is_root = above.above.is_none();
            // A path that ends in a slash or in dots leads to a directory, perhaps through a link.
            let links = Links::followed(is_root && route.wants_dir);
            match handle.stat(&self.name, ALL, links, Freshness::AsStat) {
                // What a hidden directory holds was left by a killed run.
                Ok(_) if !route.job.copy.merge && !above.facts().is_hidden => {
                    return Err((Step::MakeDirectory, Some(io::ErrorKind::AlreadyExists.into())));
                }
                Ok(meta) if meta.file_type() == Some(FileType::Directory) => {
                    return self.open_existing(route, &handle, meta, links).map(Some);
                }
                Ok(_) if above.facts().is_adopted => {
                    handle.unlink(&self.name).map_err(at(Step::Remove))?;
                }
                Ok(meta) if !is_root && self.takes_the_place(route, above, &handle)? => {
                    let path = || above.path_of(route, &self.name);
                    route.job.make_way_for_directory(&handle, &self.name, &meta, path)?;
                }
                Ok(_) => return Err(in_the_way(links)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err((Step::StatDestination, Some(error))),
            }
        }
        if route.job.copy.dry_run {
            return self.missing(route);
        }
        above.is_dirty.store(true, Ordering::Relaxed);
        let dir = self.make_own(route, above, &handle)?;
        self.tell(route);
        Ok(Some(dir))
    }

    /// Whether it replaces what has its name and is not a directory: only if neither rules nor
    /// filter would leave that out.
    fn takes_the_place(
        &self,
        route: &Route<'_>,
        above: &Mirror,
        handle: &Dir,
    ) -> Result<bool, Denied> {
        if self.is_unread || !route.job.replaces_with_directories() {
            return Ok(false);
        }
        let (prefix, depth) = above.source_prefix(route);
        let source = Directory::new(&prefix, depth, Some(handle));
        let source = Directory { rules: self.rules.as_ref(), ..source };
        may_go(&route.job.copy.walk, &source, &self.name).map_err(at(Step::StatDestination))
    }

    fn missing(&self, route: &Route<'_>) -> Result<Option<Dir>, Denied> {
        let facts = DirFacts { is_missing: true, is_made: true, ..DirFacts::default() };
        self.know(route, facts);
        self.tell(route);
        Ok(None)
    }

    fn open_existing(
        &self,
        route: &Route<'_>,
        above: &Dir,
        meta: Meta,
        links: Links,
    ) -> Result<Dir, Denied> {
        let identity = meta.identity();
        if identity == self.source.identity() {
            return Err((Step::SameFile, None));
        }
        let hidden = self.above.as_ref().map(|above| above.facts()).filter(|it| it.is_hidden);
        let open = match links {
            _ if hidden.is_some() => open_left(route, above, &self.name),
            Links::Follow => above.open_child(&self.name, links),
            Links::NoFollow => above.open_beneath(&self.name, links, false),
        };
        let dir = open.map_err(at(Step::OpenDirectory))?;
        let facts = match hidden {
            Some(above) => DirFacts::left(above, &meta),
            None => DirFacts::existing(meta),
        };
        let _ = identity.map(|identity| facts.identity.set(identity));
        self.note_root(route, identity);
        self.know(route, facts);
        Ok(dir)
    }

    /// Sets its facts, and counts the directory if this copy has made it.
    fn know(&self, route: &Route<'_>, facts: DirFacts) {
        route.job.made.fetch_add(u64::from(facts.is_made), Ordering::Relaxed);
        let _ = self.facts.set(facts);
    }

    fn note_root(&self, route: &Route<'_>, identity: Option<Identity>) {
        let is_root = self.above.as_ref().is_some_and(|above| above.above.is_none());
        if let Some(identity) = identity.filter(|_| is_root) {
            let _ = route.root.set(identity);
        }
    }

    /// Records its identity, so that no other directory is taken for it later.
    fn remember(&self, handle: &Dir) {
        let identity = &self.facts().identity;
        if let (None, Ok(now)) = (identity.get(), handle.identity()) {
            let _ = identity.set(now);
        }
    }
}
