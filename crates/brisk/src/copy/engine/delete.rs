//! Removing from a destination directory what its source does not have.

use std::ffi::{CStr, CString};
use std::io;

use brisk_sys::{Buffer, Dir, Fields, FileType, Freshness, Links};

use super::job::{Denied, at, remove};
use super::mirror::Mirror;
use super::work::Work;
use crate::Leaving;
use crate::copy::report::Step;
use crate::copy::settings::PathPair;

/// Removes the entries of a destination directory that the source directory does not have.
pub(super) fn delete(
    work: &mut Work<'_>,
    dir: &Leaving<'_>,
    mirror: &Mirror,
) -> Result<(), Denied> {
    let Some(handle) = mirror.handle(work.route)? else { return Ok(()) };
    let parent = dir.parent.map_err(|error| (Step::ReadDirectory, Some(error.kind().into())))?;
    let source =
        parent.open_child_path_only(dir.name, dir.follow).map_err(at(Step::ReadDirectory))?;
    let listed = handle.open_child(c".", Links::NoFollow).map_err(at(Step::OpenDirectory))?;
    for name in missing_names(work, &listed, &source)? {
        if let Err(error) = delete_entry(work, mirror, &handle, &name) {
            let destination = &*mirror.path_of(work.route, &name);
            let paths = PathPair { source: b"", destination };
            work.route.job.fail(paths, (Step::Remove, Some(error)));
        }
    }
    Ok(())
}

/// The names in a destination directory that the source directory does not have.
fn missing_names(work: &mut Work<'_>, listed: &Dir, source: &Dir) -> Result<Vec<CString>, Denied> {
    let mut buffer = Buffer::with_capacity(32 << 10);
    let mut missing = Vec::new();
    loop {
        buffer.clear();
        let at_end = listed.fill(&mut buffer).at_end.map_err(at(Step::OpenDirectory))?;
        for entry in buffer.entries() {
            work.requests += 1;
            if is_missing(source, entry.name) {
                missing.push(entry.name.to_owned());
            }
        }
        if at_end {
            return Ok(missing);
        }
    }
}

fn delete_entry(work: &mut Work<'_>, mirror: &Mirror, handle: &Dir, name: &CStr) -> io::Result<()> {
    let job = work.route.job;
    let path = mirror.path_of(work.route, name);
    let meta = handle.stat(name, Fields::TYPE, Links::NoFollow, Freshness::AsStat)?;
    let file_type = meta.file_type().unwrap_or_default();
    work.requests += 2;
    if !job.copy.dry_run {
        if file_type == FileType::Directory {
            let dir = handle.open_beneath(name, Links::NoFollow, true)?;
            remove(&mirror.path_now(work.route, name), handle, &dir)?;
        } else {
            handle.unlink(name)?;
        }
        mirror.is_dirty.store(true, std::sync::atomic::Ordering::Relaxed);
    }
    if !mirror.facts().is_adopted {
        work.counts.deleted += 1;
        if job.wants_begun {
            job.observer.removed(&path, file_type);
        }
    }
    Ok(())
}

fn is_missing(source: &Dir, name: &CStr) -> bool {
    let asked = source.stat(name, Fields::TYPE, Links::NoFollow, Freshness::AsStat);
    asked.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}
