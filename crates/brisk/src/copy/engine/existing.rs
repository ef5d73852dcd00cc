//! What becomes of an entry whose destination exists. The order is GNU cp's: whether source and
//! destination are one file, the times, the question, the types, and then the backup. This removes
//! nothing but what a killed run has left.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::OpenOptions;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::Ordering;

use brisk_sys::change::stat;
use brisk_sys::output::directory;
use brisk_sys::{
    Backend, Fields, Identity, Links, borrow_handle, copy, output, slashed, stat_path,
};

use super::attributes::new_mode;
use super::compare::{Both, is_current, is_link};
use super::delete;
use super::job::{ALL, Denied, at, identity_of, something_stays};
use super::links::{FirstCopy, Link};
use super::names::{is_gone, link_of, make_link_to};
use super::needed::is_needed;
use super::work::{Item, Old, Work};
use crate::copy::observer::{Backup, Overwrite};
use crate::copy::report::Step;
use crate::copy::settings::{Copy, Create, Overwriting, Specials, Update};
use crate::entry::bytes_to_path;
use crate::sched::lock;
use crate::{FileType, Follow, Meta};

/// What is to be done with an entry.
pub(super) enum Decision {
    /// Its destination stays as it is.
    Keep,
    /// Nothing is left to do, nor to count.
    Done,
    /// It is copied. The path is that of the backup.
    Copy(Old, Option<Vec<u8>>),
}

/// Whether source and destination are one file.
#[derive(PartialEq)]
enum Same {
    /// They are not, or it does no harm.
    No,
    /// They are, and nothing is to be done.
    Done,
    /// They are, and the copy would destroy the source.
    Denied,
}

pub(super) fn decide(work: &mut Work<'_>, place: &Item<'_>) -> Result<Decision, Denied> {
    if place.is_root && is_given_twice(work, place)? {
        return Err((Step::GivenTwice, None));
    }
    if !place.facts().may_have_entries {
        return Ok(Decision::Copy(Old::Nothing, None));
    }
    let Some(found) = found(work, place).map_err(at(Step::StatDestination))? else {
        return Ok(Decision::Copy(Old::Nothing, None));
    };
    let source = work.meta_of(place.entry)?;
    let looks = place.facts().is_adopted || !is_link(&found) || looks_at_links(work, place)?;
    let target = match looks {
        true => found.clone(),
        false => match through_link(work, place, &found)? {
            ControlFlow::Continue(target) => target,
            ControlFlow::Break(decision) => return Ok(decision),
        },
    };
    let both = Both { source, found, target };
    if !place.facts().is_adopted {
        return decide_over(work, place, both);
    }
    let may_stay = shares_as_made(work, place, &both);
    if may_stay && is_current(work, place, &both) {
        return keep(work, place, &both);
    }
    remove_left(work, place, &both.found)
}

/// Whether what a killed run has left, perhaps with other options, is a link to the source if this
/// copy makes such links, and otherwise shares its file only with what may be copies of links to the
/// source.
fn shares_as_made(work: &Work<'_>, place: &Item<'_>, Both { source, found, .. }: &Both) -> bool {
    let is_source = source.identity() == found.identity();
    match work.route.job.copy.create {
        Create::HardLink => is_source,
        _ if is_source => false,
        _ => found.nlink() == Some(1) || link_of(work, place, source).is_some(),
    }
}

/// What is at the destination, if it exists. A path that ends in a slash leads to a directory,
/// perhaps through a link.
fn found(work: &mut Work<'_>, place: &Item<'_>) -> io::Result<Option<Meta>> {
    let wants_dir = place.is_root && work.route.wants_dir;
    work.requests += 1;
    match place.stat(Links::followed(wants_dir)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(meta) if wants_dir && meta.file_type() != Some(FileType::Directory) => {
            Err(io::ErrorKind::NotADirectory.into())
        }
        found => found.map(Some),
    }
}

/// What becomes of a destination that exists, and was not left by a killed run.
fn decide_over(work: &mut Work<'_>, place: &Item<'_>, both: Both) -> Result<Decision, Denied> {
    let copy = work.route.job.copy;
    let same = same(work, place, &both);
    if same == Same::Denied && copy.update != Update::None {
        return Err((Step::SameFile, None));
    }
    let is_dir = both.target.file_type() == Some(FileType::Directory);
    if copy.update == Update::Refuse && !is_dir {
        return Err((Step::CreateFile, Some(io::ErrorKind::AlreadyExists.into())));
    }
    if !may_overwrite(work, place, &both)? {
        // With -n, and after a "no", hard links stay as they are.
        return if work.route.job.asks_times() {
            keep(work, place, &both)
        } else {
            Ok(Decision::Keep)
        };
    }
    if same == Same::Done {
        return Ok(Decision::Done);
    }
    if !is_dir {
        return make_way(work, place, both);
    }
    // The source has neither this directory nor what is in it.
    let is_surplus = copy.delete && !copy.backup && !place.is_root && !is_link(&both.found);
    if !is_surplus {
        return Err((Step::DirectoryInTheWay, None));
    }
    if copy.dry_run && !delete::make_way(work, place) {
        return Err(something_stays());
    }
    Ok(Decision::Copy(Old::DirectoryGoes, None))
}

/// What becomes of a destination that may be overwritten.
fn make_way(work: &mut Work<'_>, place: &Item<'_>, both: Both) -> Result<Decision, Denied> {
    let copy = work.route.job.copy;
    if !copy.numbered && is_just_created(work, place, &both.target) {
        return Err((Step::JustCreated, None));
    }
    let backup = if copy.backup { back_up(work, place, &both.source)? } else { None };
    if backup.is_some() {
        return Ok(Decision::Copy(Old::Nothing, backup));
    }
    let is_replaced = copy.replaces(&both.target);
    if gives_way(work, place, &both.target) || !is_replaced && overwrites_first(work, place, &both)
    {
        return remove(work, place, &both.found);
    }
    if is_replaced {
        work.goes(place, &both.target);
    }
    Ok(Decision::Copy(Old::Over(Box::new(both.target)), None))
}

/// Whether a copy that is written in place would change the copy of another source, to which other
/// workers may be making links. In any case, its further names are not linked to it.
fn overwrites_first(work: &Work<'_>, place: &Item<'_>, both: &Both) -> bool {
    let job = work.route.job;
    let own = both.source.identity();
    let file = both.target.identity();
    let is_first = file.is_some_and(|file| job.forget_firsts(file, |source| Some(source) != own));
    is_first && !place.is_root && job.copy.create != Create::Attributes
}

/// Whether an earlier pair has the same source: the same name in the same directory. As in GNU cp, a
/// link to the directory is another one.
fn is_given_twice(work: &mut Work<'_>, place: &Item<'_>) -> Result<bool, Denied> {
    let job = work.route.job;
    if !job.has_many_pairs {
        return Ok(false);
    }
    let Some(identity) = work.meta_of(place.entry)?.identity() else { return Ok(false) };
    let name = slashed::last(work.route.source).to_vec();
    let mut given = lock(&job.given);
    let dirs = given.entry((identity, name)).or_default();
    // `l/.` is a directory, even if `l` is a link.
    let prefix = output::prefix_of(work.route.source);
    let own: &[u8] = match slashed::without_slashes(prefix) {
        b"" if prefix.is_empty() => b".",
        own => own,
    };
    let is_twice = dirs.has(bytes_to_path(own), |dir| identity_at(dir, Links::NoFollow));
    Ok(is_twice && !job.copy.backup)
}

fn identity_at(dir: &Path, links: Links) -> Option<Identity> {
    stat_path(Backend::Native, dir, Fields::DEV | Fields::INO, links).ok()?.identity()
}

/// Whether an earlier pair of this copy has made this file under the same name.
fn is_just_created(work: &Work<'_>, place: &Item<'_>, found: &Meta) -> bool {
    let made = found.identity().map(|identity| place.as_made(identity));
    place.is_root && made.is_some_and(|made| lock(&work.route.job.created).contains(&made))
}

/// Whether a link at the destination is what the copy replaces, rather than what it leads to.
fn looks_at_links(work: &Work<'_>, place: &Item<'_>) -> Result<bool, Denied> {
    let copy = work.route.job.copy;
    let is_regular = place.entry.file_type().is_file()
        || copy.specials == Specials::Read && place.entry.file_type() != FileType::Symlink;
    let makes_links = matches!(copy.create, Create::HardLink | Create::SymbolicLink);
    let goes = !is_regular || makes_links || copy.backup || copy.remove_destination;
    // What only gets attributes keeps its contents, as in GNU cp.
    let replaces = copy.overwriting == Overwriting::Replace && copy.create != Create::Attributes;
    let may_replace = replaces && place.is_root && copy.update != Update::None;
    if !goes && may_replace && is_needed(place) {
        return Err((Step::LinkInTheWay, None));
    }
    Ok(goes || replaces)
}

/// What a link at the destination leads to, or a decision that does not depend on that.
fn through_link(
    work: &mut Work<'_>,
    place: &Item<'_>,
    found: &Meta,
) -> Result<ControlFlow<Decision, Meta>, Denied> {
    let copy = work.route.job.copy;
    if is_just_created(work, place, found) {
        return Err((Step::JustCreatedLink, None));
    }
    if !place.is_root && copy.update != Update::None {
        return match copy.force && copy.create != Create::Attributes {
            true => remove(work, place, found).map(ControlFlow::Break),
            false => Err((Step::LinkInTheWay, None)),
        };
    }
    work.requests += 1;
    match place.stat(Links::Follow) {
        Ok(target) => Ok(ControlFlow::Continue(target)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dangling(work, place, found).map(ControlFlow::Break)
        }
        Err(_) if copy.force => remove(work, place, found).map(ControlFlow::Break),
        Err(error) => Err((Step::StatDestination, Some(error))),
    }
}

/// What becomes of an entry if the link at its destination is dangling. The link is replaced if
/// another name of the source has been copied: the copies become hard links. POSIX requires that cp
/// make the file that the link leads to.
fn dangling(work: &mut Work<'_>, place: &Item<'_>, found: &Meta) -> Result<Decision, Denied> {
    let copy = work.route.job.copy;
    let source = work.meta_of(place.entry)?;
    if link_of(work, place, &source).is_some_and(|(identity, _)| work.linked.has(identity)) {
        return remove(work, place, found);
    }
    if !copy.through_dangling || copy.dry_run || !place.is_root {
        return Err((Step::DanglingLink, None));
    }
    // The permissions are set again later only with -p.
    let preserve = place.preserved(work);
    let mode = new_mode(preserve, &source) & if preserve.keeps_mode() { 0o700 } else { 0o777 };
    let path = bytes_to_path(work.route.destination);
    let made = OpenOptions::new().write(true).create(true).mode(mode).open(path);
    let made = made.map_err(at(Step::CreateFile))?;
    let made = copy::stat_open(borrow_handle(&made), ALL).map_err(at(Step::StatDestination))?;
    Ok(Decision::Copy(Old::Over(Box::new(made)), None))
}

/// Whether source and destination are one file: GNU cp's rules.
fn same(work: &Work<'_>, place: &Item<'_>, both: &Both) -> Same {
    let copy = work.route.job.copy;
    let never = copy.walk.follow == Follow::Never;
    let links_hard = copy.create == Create::HardLink;
    let Both { source, found, target } = both;
    let is_same = source.identity() == target.identity();
    match (is_same, links_hard) {
        (true, true) => return Same::Done,
        (false, _) if !never => return Same::No,
        _ => {}
    }
    let asked = |links| stat(place.at.base, place.at.name, ALL, links).ok();
    let asked_own = if never { None } else { asked(Links::NoFollow) };
    let own = asked_own.as_ref().unwrap_or(source);
    let other = if never { target } else { found };
    let are_links = is_link(own) && is_link(other);
    let may_go = if never { !is_same } else { copy.remove_destination };
    if are_links && may_go {
        return Same::No;
    }
    let is_one_inode = own.identity() == other.identity();
    let is_one_name = || is_one_inode && has_same_name(place, other);
    if copy.backup {
        // The source is a link to the destination: once that is renamed, it cannot be read.
        let is_needed = !never && is_link(own) && !is_link(other);
        return if is_needed || is_one_name() { Same::Denied } else { Same::No };
    }
    if never && are_links {
        return if is_one_name() { Same::Denied } else { Same::Done };
    }
    let is_removed = copy.remove_destination;
    if is_removed && (is_link(other) || is_one_inode && !is_one_name()) {
        return Same::No;
    }
    let has_link = is_link(own) || is_link(other);
    if !has_link && !is_one_inode || copy.create == Create::SymbolicLink && is_link(other) {
        return Same::No;
    }
    let ends = |meta: Option<Meta>| meta.and_then(|meta| meta.identity());
    if never && has_link && ends(asked(Links::Follow)) != ends(place.stat(Links::Follow).ok()) {
        return Same::No;
    }
    match (never && links_hard, is_link(other)) {
        (true, true) => Same::No,
        (true, false) => Same::Done,
        (false, _) => Same::Denied,
    }
}

/// Whether both are the same name in the same directory.
fn has_same_name(place: &Item<'_>, found: &Meta) -> bool {
    if found.nlink() == Some(1) {
        return true;
    }
    let source = place.entry.path();
    let is_same = source.file_name().map(OsStr::as_encoded_bytes) == Some(place.name.to_bytes());
    is_same && identity_at(directory(&source), Links::Follow) == place.dir.identity().ok()
}

fn may_overwrite(work: &mut Work<'_>, place: &Item<'_>, both: &Both) -> Result<bool, Denied> {
    let job = work.route.job;
    let is_kept = match job.copy.update {
        Update::All | Update::Refuse => false,
        Update::None => true,
        Update::Older => both.source.mtime() <= both.target.mtime(),
        Update::Changed | Update::Contents => is_current(work, place, both),
    };
    if is_kept || !job.asks {
        return Ok(!is_kept);
    }
    let is_writable = is_link(&both.target) || place.dir.may_write(place.name).unwrap_or(false);
    let question = Overwrite { paths: work.paths(place.entry), meta: &both.target, is_writable };
    job.observer.ask(&question).map_err(at(Step::Ask))
}

/// Keeps a destination. If its source is one of several hard links, makes the destination one of
/// the copy's hard links.
fn keep(work: &mut Work<'_>, place: &Item<'_>, both: &Both) -> Result<Decision, Denied> {
    let Some((identity, nlink)) = link_of(work, place, &both.source) else {
        return Ok(Decision::Keep);
    };
    let linked = work.linked;
    let job = work.route.job;
    while let Link::To(copy) = linked.next(job, identity, nlink) {
        let first = what_is_at(work, &copy)?;
        if first.is_some() && first == both.found.identity() {
            return Ok(Decision::Keep);
        }
        if first.is_some() && copy.file.is_none_or(|file| Some(file.0) == first) {
            place.mirror.is_dirty.store(true, Ordering::Relaxed);
            remove(work, place, &both.found)?;
            if job.copy.dry_run || make_link_to(work, place, &Old::Goes, &copy)? {
                work.counts.files += 1;
                return Ok(Decision::Done);
            }
        }
        linked.forget(job, identity, &copy);
    }
    linked.made(job, identity, nlink, place.first_copy(work.route, Some(&both.found)));
    Ok(Decision::Keep)
}

/// What is where a first copy was made.
fn what_is_at(work: &Work<'_>, copy: &FirstCopy) -> Result<Option<Identity>, Denied> {
    match copy.place.handle(work.route) {
        Ok(dir) => Ok(dir.and_then(|dir| identity_of(&dir, &copy.name, Links::NoFollow))),
        Err((_, Some(error))) if is_gone(&error) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Whether the copy replaces the destination, instead of being written into it.
fn gives_way(work: &Work<'_>, place: &Item<'_>, target: &Meta) -> bool {
    let copy = work.route.job.copy;
    let is_replaced = place.entry.file_type().is_file() && copy.replaces(target);
    let has_links =
        copy.preserve.links && !is_replaced && target.nlink().is_some_and(|nlink| nlink > 1);
    let is_special = !work.route.follows(place.is_root) && !place.entry.file_type().is_file();
    let is_surplus =
        copy.delete && !is_replaced && !place.is_root && target.file_type() != Some(FileType::File);
    copy.remove_destination
        || is_surplus
        || copy.create != Create::Attributes && (has_links || is_special)
}

/// The copy replaces what is at the destination. The observer is told now, as GNU cp prints it now.
fn remove(work: &mut Work<'_>, place: &Item<'_>, found: &Meta) -> Result<Decision, Denied> {
    let file_type = found.file_type().unwrap_or_default();
    if file_type == FileType::Directory {
        return Err((Step::DirectoryInTheWay, None));
    }
    work.goes(place, found);
    work.tell_removed(place, file_type);
    Ok(Decision::Copy(Old::Goes, None))
}

/// Removes what a killed run has left: it may be a part of a file.
fn remove_left(work: &mut Work<'_>, place: &Item<'_>, found: &Meta) -> Result<Decision, Denied> {
    work.requests += 1;
    if found.file_type() != Some(FileType::Directory) {
        place.dir.unlink(place.name).map_err(at(Step::Remove))?;
    } else if !delete::make_way(work, place) {
        return Err(something_stays());
    }
    Ok(Decision::Copy(Old::Nothing, None))
}

/// Renames the destination to its backup's name. Returns the backup's path.
fn back_up(
    work: &mut Work<'_>,
    place: &Item<'_>,
    source: &Meta,
) -> Result<Option<Vec<u8>>, Denied> {
    let job = work.route.job;
    let paths = work.paths(place.entry);
    let own = slashed::last(paths.source).to_vec();
    let target = match place.entry.follow() {
        Links::Follow => copy::read_link(place.at.base, place.at.name).unwrap_or_default(),
        Links::NoFollow => CString::default(),
    };
    let target = slashed::last(target.to_bytes());
    let prefix = output::prefix_of(paths.destination);
    let mut taken = None;
    loop {
        let name = job.observer.backup_name(&Backup { paths }).map_err(at(Step::Backup))?;
        let Some(name) = name.map(OsString::into_vec) else { return Ok(None) };
        let path = [prefix, &name].concat();
        let name = CString::new(name).map_err(|error| (Step::Backup, Some(error.into())))?;
        // The backup would take the source's name: the last component of its path or, if that is a
        // link, of the link's target; or its only name.
        let is_named = [&own, target].contains(&name.to_bytes());
        let is_it = |links| identity_of(place.dir, &name, links) == source.identity();
        let is_own = (is_named || source.nlink() == Some(1)) && is_it(Links::NoFollow);
        if is_own || is_named && is_it(Links::Follow) {
            return Err((Step::BackupIsSource, None));
        }
        job.goes(|| None, || stat(place.base, &name, ALL, Links::NoFollow).ok());
        let renamed = rename_to_backup(job.copy, place, &name);
        // Another process has made a backup of this number: the observer tries the next one.
        let is_taken =
            renamed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::AlreadyExists);
        if !is_taken || taken.as_ref() == Some(&name) {
            return renamed.map(|()| Some(path)).map_err(at(Step::Backup));
        }
        taken = Some(name);
    }
}

fn rename_to_backup(copy: &Copy, place: &Item<'_>, name: &CStr) -> io::Result<()> {
    match (copy.dry_run, copy.numbered) {
        (true, _) => Ok(()),
        (_, true) => place.dir.rename_here(place.name, name),
        (_, false) => copy::rename_over(place.base, place.name, name),
    }
}
