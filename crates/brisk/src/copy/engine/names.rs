//! Gives entries their names, also where something is, and further names to files with several links.

use std::ffi::CStr;
use std::io;

use brisk_sys::change::stat;
use brisk_sys::{Identity, Links, base_of, copy, output};

use super::delete;
use super::job::{ALL, Denied, at, something_stays};
use super::links::{FirstCopy, Link, which};
use super::work::{Item, Old, Work};
use crate::Meta;
use crate::copy::report::Step;

/// The identity of a file whose other names may be copied too, and how often at most.
pub(super) fn link_of(work: &Work<'_>, place: &Item<'_>, source: &Meta) -> Option<(Identity, u64)> {
    let nlink = source.nlink().filter(|_| work.route.job.copy.preserve.links)?;
    let follows = work.route.follows(place.is_root);
    let identity = source.identity().filter(|_| nlink > 1 || follows)?;
    // Each name may be met several times: through links, or because several pairs lead to it.
    let is_bounded = !follows && !work.route.job.has_many_pairs;
    Some((identity, if is_bounded { nlink } else { u64::MAX }))
}

/// Makes the first copy of a file with `make`, and a link to that copy for each other name. `make`
/// returns the copy's metadata, if another file may get its name.
pub(super) fn once(
    work: &mut Work<'_>,
    (place, old): (&Item<'_>, &Old),
    source: &Meta,
    make: impl FnOnce(&mut Work<'_>) -> Result<Option<Meta>, Denied>,
) -> Result<(), Denied> {
    let Some((identity, nlink)) = link_of(work, place, source) else {
        return make(work).map(drop);
    };
    let linked = work.linked;
    let job = work.route.job;
    while let Link::To(copy) = linked.next(job, identity, nlink) {
        if make_link_to(work, place, old, &copy)? {
            return Ok(());
        }
        linked.forget(job, identity, &copy);
    }
    let made = make(work);
    let copy = made.as_ref().ok().and_then(|it| place.first_copy(work.route, it.as_ref()));
    linked.made(job, identity, nlink, copy);
    made.map(drop)
}

/// Makes a hard link to an earlier copy. Returns whether that was there: a later pair may have removed
/// it, and another file may have got its name.
pub(super) fn make_link_to(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Old,
    first: &FirstCopy,
) -> Result<bool, Denied> {
    match link_to(work, place, old, first) {
        Err((_, Some(error))) if is_gone(&error) => Ok(false),
        linked => linked.map(|()| true),
    }
}

/// Whether an entry, or a directory above it, is no longer where it was.
pub(super) fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, StaleNetworkFileHandle};
    let is_one = matches!(error.kind(), NotFound | NotADirectory | StaleNetworkFileHandle);
    is_one || brisk_sys::is_link_loop(error)
}

fn link_to(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Old,
    first: &FirstCopy,
) -> Result<(), Denied> {
    work.requests += 1;
    let Some(dir) = first.place.handle(work.route)? else { return Ok(()) };
    let base = base_of(&dir).map_err(at(Step::CreateHardLink))?;
    replacing(work, place, (old, true), Step::CreateHardLink, |new| {
        copy::hard_link((base, &first.name), (place.base, new), Links::NoFollow)?;
        let Some(file) = first.file else { return Ok(()) };
        let made = stat(place.base, new, ALL, Links::NoFollow);
        if made.as_ref().ok().and_then(which) == Some(file) {
            return Ok(());
        }
        place.dir.unlink(new)?;
        Err(made.err().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    })
}

/// Makes a name with `make`. If the name exists and may go (`reason`: see [`Old::may_go`]), makes a
/// temporary one, which replaces it.
pub(super) fn replacing(
    work: &mut Work<'_>,
    place: &Item<'_>,
    (old, reason): (&Old, bool),
    step: Step,
    make: impl Fn(&CStr) -> io::Result<()>,
) -> Result<(), Denied> {
    match make(place.name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && old.may_go(reason) => {
            let name = output::temporary_name(output::random());
            make(&name).map_err(at(step))?;
            let taken = take_place(work, place, old, &name, step);
            // If both names are links to one file, rename leaves them both.
            let _ = place.dir.unlink(&name);
            taken
        }
        made => made.map_err(at(step)),
    }
}

/// Replaces what is there by what has been made under a temporary name.
pub(super) fn take_place(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Old,
    name: &CStr,
    step: Step,
) -> Result<(), Denied> {
    if matches!(old, Old::DirectoryGoes) && !delete::make_way(work, place) {
        return Err(something_stays());
    }
    copy::rename_over(place.base, name, place.name).map_err(at(step))
}
