//! Runs a copy: one walk for each pair.

mod adopt;
mod attributes;
mod compare;
mod contents;
mod copier;
mod delete;
mod existing;
mod facts;
mod fate;
mod file;
mod job;
mod links;
mod mirror;
mod names;
mod needed;
mod preserve;
mod replaced;
mod sources;
mod work;

use std::ffi::{CStr, CString};
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use brisk_sys::{
    Backend, Dir, Fields, Identity, Links, base_of, copy, limits, output, slashed, stat_path,
};

use self::copier::Copier;
use self::file::making;
use self::job::{CopyJob, Denied, Route, at, identity_of};
use self::links::Linked;
use self::mirror::Mirror;
use crate::copy::observer::Observer;
use crate::copy::pair::Pair;
use crate::copy::report::{Report, Step};
use crate::copy::settings::Copy;
use crate::entry::bytes_to_path;
use crate::sched::lock;
use crate::{FileType, Follow, Order, Shape, Walk};

pub(super) fn run(
    copy: &Copy,
    pairs: impl IntoIterator<Item = Pair>,
    observer: &dyn Observer,
) -> Report {
    let mut pairs = pairs.into_iter().peekable();
    let mut job = CopyJob::new(copy, observer);
    let linked = Linked::default();
    let mut last = None;
    while let Some(pair) = pairs.next() {
        job.has_many_pairs |= pairs.peek().is_some();
        if job.is_stopped() {
            break;
        }
        let ran = run_pair(&job, &linked, &pair);
        job.fail_unless(ran, &pair);
        last = Some(pair);
    }
    if let Some(pair) = last.filter(|_| copy.sync) {
        for (_, place) in std::mem::take(&mut *lock(&job.places)) {
            let done = base_of(&place).and_then(copy::sync_file_system);
            job.fail_unless(done.map_err(at(Step::Sync)), &pair);
        }
    }
    job.into_report()
}

fn run_pair(job: &CopyJob<'_>, linked: &Linked, pair: &Pair) -> Result<(), Denied> {
    let copy = job.copy;
    let (handle, name, wants_dir) = place_of(pair).map_err(|error| no_place(copy, pair, error))?;
    let asked = Fields::DEV | Fields::INO | Fields::UID | Fields::MODE;
    let meta = handle.stat_self(asked).unwrap_or_default();
    job.note_place(meta.dev().unwrap_or(0), &handle);
    if copy.delete {
        refuses_removal(&handle, &name, pair.source.as_os_str().as_encoded_bytes())?;
    }
    let route = Route {
        job,
        source: pair.source.as_os_str().as_encoded_bytes(),
        destination: pair.destination.as_os_str().as_encoded_bytes(),
        name,
        wants_dir,
        root: OnceLock::new(),
        is_in_source: AtomicBool::new(false),
        unseen: Mutex::default(),
    };
    let order = if job.asks { Order::Sorted(Shape::Pre) } else { Order::Unordered };
    let most = usize::try_from(limits::open_files() / 4).unwrap_or(usize::MAX);
    let walk = Walk {
        roots: Walk::new(&pair.source).roots,
        root_handles: None,
        order,
        dots: false,
        min_depth: 0,
        unique: false,
        backend: Backend::Native,
        handle_limit: copy.walk.handle_limit.or(Some(most)),
        budget: Some(Arc::clone(&job.budget)),
        ..copy.walk.clone()
    };
    let (mut copier, stats) = walk.act(Copier::new(&route, linked, Mirror::top(&handle, meta)));
    job.add(&mut copier.work.counts);
    job.add_ways(&mut copier.work.ways);
    job.add_stats(&stats);
    Ok(())
}

/// The directory that holds a pair's destination, the name in it, and whether the path can only
/// lead to a directory.
fn place_of(pair: &Pair) -> io::Result<(Arc<Dir>, CString, bool)> {
    let path = match &pair.target {
        Some((_, name)) => name,
        None => &pair.destination,
    };
    let typed = path.as_os_str().as_encoded_bytes();
    let bytes = slashed::without_slashes(typed);
    let (prefix, name) = bytes.split_at(output::prefix_of(bytes).len());
    let name = match name {
        b"" if bytes.is_empty() => return Err(io::ErrorKind::NotFound.into()),
        b"" => b"/",
        name => name,
    };
    let wants_dir = bytes.len() < typed.len() || matches!(name, b"." | b".." | b"/");
    let name = CString::new(name)?;
    Ok((holder_of(pair, prefix)?, name, wants_dir))
}

/// Why nothing may be removed from the destination: the source is in it, or it is in the source.
fn refuses_removal(place: &Dir, name: &CStr, source: &[u8]) -> Result<(), Denied> {
    let current = Dir::current(Backend::Native);
    let there = identity_of(place, name, Links::Follow);
    let here = identity_at(&current, source);
    if here.is_none() || here == there {
        return Ok(());
    }
    if there.is_some() && is_in(&current, [source, b"/.."].concat(), there) {
        return Err((Step::HoldsSource, None));
    }
    if is_in(place, b".".to_vec(), here) {
        return Err((Step::IntoItself, None));
    }
    Ok(())
}

/// Whether this directory, or one above it, has that identity.
fn is_in(dir: &Dir, mut path: Vec<u8>, other: Option<Identity>) -> bool {
    let mut below = None;
    loop {
        let here = identity_at(dir, &path);
        if here.is_none() || here == other || here == below {
            return here.is_some() && here == other;
        }
        below = here;
        path.extend_from_slice(b"/..");
    }
}

fn identity_at(dir: &Dir, path: &[u8]) -> Option<Identity> {
    identity_of(dir, &CString::new(path).ok()?, Links::Follow)
}

/// The directory that holds a pair's destination, which has this path below the target.
fn holder_of(pair: &Pair, path: &[u8]) -> io::Result<Arc<Dir>> {
    Ok(match &pair.target {
        Some((handle, _)) if path.is_empty() => Arc::clone(handle),
        Some((handle, _)) => {
            Arc::new(handle.open_child_path_only(&CString::new(path)?, Links::Follow)?)
        }
        None if path.is_empty() => Arc::new(Dir::current(Backend::Native)),
        None => Arc::new(Dir::open_path_only(Backend::Native, bytes_to_path(path))?),
    })
}

/// The failure if the directory that is to hold the destination cannot be opened. It is reported as
/// a failure to make the destination.
#[cold]
fn no_place(copy: &Copy, pair: &Pair, error: io::Error) -> Denied {
    let links = Links::followed(copy.walk.follow != Follow::Never);
    match stat_path(Backend::Native, &pair.source, Fields::TYPE, links) {
        Err(error) => (Step::Stat, Some(error)),
        Ok(meta) if meta.file_type() == Some(FileType::Directory) && !copy.recursive => {
            (Step::OmitDirectory, None)
        }
        Ok(_) if error.kind() != io::ErrorKind::NotFound => (Step::StatDestination, Some(error)),
        Ok(meta) => (making(copy, meta.file_type().unwrap_or_default()), Some(error)),
    }
}
