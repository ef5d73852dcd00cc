//! Source directories: what is read of each, for the [`Mirror`] that becomes its destination.

use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brisk_sys::change::stat;
use brisk_sys::copy::Attribute;
use brisk_sys::{Identity, Links, handle_of};

use super::job::{ALL, Denied, at};
use super::mirror::Mirror;
use super::work::Work;
use crate::copy::report::Step;
use crate::copy::settings::PathPair;
use crate::sched::lock;
use crate::{Directory, Leaving, Meta};

/// The mirror of a source of which these attributes were just read, and whether they are all. Reports
/// what has failed of that.
pub(super) fn mirror_with(
    work: &mut Work<'_>,
    path: &[u8],
    above: &Arc<Mirror>,
    name: CString,
    source: Meta,
    (attributes, are_all): (Vec<Attribute>, bool),
) -> Mirror {
    let closed = work.closed_if_unread(&source);
    let above = Some(Arc::clone(above));
    let mut mirror = Mirror::new(above, name, closed.unwrap_or(source), attributes);
    mirror.lacks_attributes = !are_all;
    mirror.told = work.noted();
    work.tell_at(path);
    mirror
}

/// The destination of a source directory that is open now.
pub(super) fn mirror_of(
    work: &mut Work<'_>,
    dir: &Directory<'_>,
    (above, name): (Arc<Mirror>, CString),
) -> Result<Mirror, Denied> {
    work.requests += 3;
    let meta = dir.stat(ALL).map_err(at(Step::Stat))?;
    if meta.identity().is_some() && meta.identity() == work.route.root.get().copied() {
        work.route.is_in_source.store(true, Ordering::Relaxed);
        return Err((Step::IntoItself, None));
    }
    if work.route.follows(false) && above.copies(meta.identity()) {
        return Err((Step::Loop, None));
    }
    if let Some(identity) = meta.identity().filter(|_| work.route.job.has_many_pairs) {
        not_again(work, dir, identity)?;
    }
    let source = dir.handle.and_then(handle_of);
    let preserve = &work.route.job.copy.preserve;
    let device = meta.dev().unwrap_or(0);
    let attributes = source.map(|it| work.attributes(it, device, preserve)).unwrap_or_default();
    let path = dir.path().as_os_str().as_encoded_bytes();
    let mut mirror = mirror_with(work, path, &above, name, meta, attributes);
    // The directory's own rules are not read yet.
    mirror.rules = dir.rules().cloned();
    Ok(mirror)
}

/// The destination of a source directory that the walk could not open.
pub(super) fn unread(
    work: &mut Work<'_>,
    dir: &Leaving<'_>,
    above: &Arc<Mirror>,
    name: &CStr,
) -> Result<Mirror, Denied> {
    let from = dir.at().map_err(at(Step::Stat))?;
    let links = Links::followed(dir.is_followed_link());
    let meta = stat(from.base, from.name, ALL, links).map_err(at(Step::Stat))?;
    let preserve = &work.route.job.copy.preserve;
    let attributes = work.attributes_at(from.base, from.name, links, preserve);
    let path = dir.directory().path().as_os_str().as_encoded_bytes();
    let mut mirror = mirror_with(work, path, above, name.into(), meta, attributes);
    mirror.is_unread = true;
    mirror.lacks_attributes = true;
    Ok(mirror)
}

/// Refuses a directory that an earlier pair has copied to another place, as GNU cp does.
/// Reports both places.
fn not_again(work: &mut Work<'_>, dir: &Directory<'_>, identity: Identity) -> Result<(), Denied> {
    let job = work.route.job;
    let is_root = dir.depth() == 0;
    let path = dir.path().as_os_str().as_encoded_bytes();
    work.route.destination_of(path, &mut work.destination);
    let mut known = lock(&job.directories);
    match known.get(&identity) {
        Some(place) if *place == work.destination => Err((Step::DirectoryGivenTwice, None)),
        Some(place) if !work.route.follows(is_root) => {
            let paths = PathPair { source: place, destination: &work.destination };
            job.fail(paths, (Step::DirectoryAgain, None));
            Err((Step::DirectoryAgain, None))
        }
        None if is_root => {
            known.insert(identity, work.destination.clone());
            Ok(())
        }
        _ => Ok(()),
    }
}
