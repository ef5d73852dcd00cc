//! Sets the attributes of copies: owners before modes, because a change of owner clears setuid and
//! capabilities; times last.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::sync::atomic::Ordering;

use brisk_sys::copy::{self, Attribute, Held};
use brisk_sys::{BorrowedHandle, Ids, acl, borrow_handle};

use super::mirror::Mirror;
use super::preserve::{has_list, is_access_list, is_copied};
use super::replaced::limit_of_group;
use super::work::{Item, Work};
use crate::copy::report::Step;
use crate::copy::settings::{Demand, Modes, Preserve};
use crate::{FileType, Meta, Timestamp};

/// The times of access and modification.
pub(super) fn times(source: &Meta) -> (Timestamp, Timestamp) {
    (source.atime().unwrap_or_default(), source.mtime().unwrap_or_default())
}

/// Sets the attributes of a link, or of a special file that was made with this mode.
pub(super) fn finish_name(
    work: &mut Work<'_>,
    place: &Item<'_>,
    source: &Meta,
    made_with: Option<u32>,
) {
    let preserve = place.preserved(work);
    let (attributes, _) =
        work.attributes_at(place.at.base, place.at.name, place.entry.follow(), &preserve);
    let closed = work.closed_if_unread(source);
    let source = closed.as_ref().unwrap_or(source);
    let changes_owners = preserve.ownership && place.facts().owners != Some(Ids::of(source));
    let now = made_with.map(|made| made & !work.route.job.umask);
    let changes_mode =
        now.is_some_and(|now| mode_in_the_end(work, place, source, now, true).is_some());
    if changes_owners || changes_mode || !attributes.is_empty() {
        let to = changes_owners.then(|| Ids::of(source));
        let kind = (place.entry.file_type(), source.rdev().unwrap_or(0));
        let made = Held::new(place.base, place.name, kind);
        let set = made.map(|made| finish_held(work, place, &made, (to, &attributes, now), source));
        work.note(Step::Mode, set);
    }
    if preserve.timestamps {
        set_times_of_name(work, place, source);
    }
}

fn finish_held(
    work: &mut Work<'_>,
    place: &Item<'_>,
    made: &Held,
    (to, attributes, now): (Option<Ids>, &[Attribute], Option<u32>),
    source: &Meta,
) {
    work.requests += 2;
    let is_owned = to.is_none_or(|to| {
        let (is_owned, given) = give(work, to, |to| made.set_owners(to));
        work.note(Step::Owners, given);
        is_owned
    });
    if inherits_in_vain(work, place) {
        work.note(Step::Mode, made.remove_attribute(copy::ACCESS_LIST));
    }
    let limit =
        set_all(work, place.preserved(work), attributes.iter(), |it| made.set_attribute(it));
    let mode = now.and_then(|now| mode_in_the_end(work, place, source, now, is_owned));
    if let Some(mode) = mode {
        work.note(Step::Mode, made.set_mode(mode & limit));
    }
}

/// Sets owners or, if that is refused, the group alone. Returns whether both are set, and what has
/// failed; a refusal is no failure for an ordinary user.
fn give(
    work: &mut Work<'_>,
    to: Ids,
    set: impl Fn(Ids) -> io::Result<()>,
) -> (bool, io::Result<()>) {
    work.requests += 1;
    let given = set(to);
    let is_owned = given.is_ok();
    let given = given.or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput => {
            let _ = set(Ids { user: None, group: to.group });
            if work.route.job.may_give_away { Err(error) } else { Ok(()) }
        }
        _ => Err(error),
    });
    (is_owned, given)
}

/// The mode of a copy that may have another owner than its source: no program must run with the
/// rights of another user or group. As with GNU cp, a regular file also loses its sticky bit.
pub(super) fn owned(mode: u32, is_owned: bool, file_type: FileType) -> u32 {
    let kept = if file_type.is_file() { 0o777 } else { 0o1777 };
    if is_owned { mode } else { mode & kept }
}

pub(super) fn set_times_of_name(work: &mut Work<'_>, place: &Item<'_>, source: &Meta) {
    work.requests += 1;
    let (access, change) = times(source);
    work.note(Step::Times, copy::set_times_at(place.base, place.name, access, change));
}

/// Whether a file may inherit an access list that it will not keep.
fn inherits_in_vain(work: &Work<'_>, place: &Item<'_>) -> bool {
    place.facts().inherits && place.preserved(work).mode != Modes::Masked
}

/// Whether a file may inherit an access list and still has its permissions set in the end. As with
/// GNU cp, the inherited ones stay only with [`Modes::Masked`] and without preserved owners.
fn may_differ(work: &Work<'_>, place: &Item<'_>) -> bool {
    inherits_in_vain(work, place) || place.facts().inherits && place.preserved(work).ownership
}

/// The permissions of a new file, without the umask.
pub(super) fn new_mode(preserve: Preserve, source: &Meta) -> u32 {
    match preserve.mode {
        Modes::Fresh => 0o666,
        _ => source.mode().unwrap_or(0) & 0o777,
    }
}

/// The permissions with which a file is made: at most its final ones. Only the owner's part of
/// these while the file may have another owner, lacks its access list (the mode has only that
/// list's mask), or may have inherited a list that it will not keep.
pub(super) fn mode_to_make(
    work: &Work<'_>,
    place: &Item<'_>,
    source: &Meta,
    attributes: &[Attribute],
) -> u32 {
    let preserve = place.preserved(work);
    let mode = new_mode(preserve, source);
    let changes_owner = preserve.ownership && place.facts().owners != Some(Ids::of(source));
    let is_closed = changes_owner || may_differ(work, place) || has_list(attributes);
    if is_closed { mode & 0o700 } else { mode }
}

/// The final permissions of a new file, which has those of `now`; `None` if they are the same.
fn mode_in_the_end(
    work: &Work<'_>,
    place: &Item<'_>,
    source: &Meta,
    now: u32,
    is_owned: bool,
) -> Option<u32> {
    let wanted = wanted_mode(work, place, source, is_owned);
    (may_differ(work, place) || now != wanted).then_some(wanted)
}

/// Whether a new file without contents is complete as soon as it is made with this mode.
pub(super) fn is_whole_at_once(
    work: &Work<'_>,
    place: &Item<'_>,
    (source, attributes): (&Meta, &[Attribute]),
    made_with: u32,
) -> bool {
    let preserve = place.preserved(work);
    let now = made_with & !work.route.job.umask;
    let sets_mode = mode_in_the_end(work, place, source, now, true).is_some();
    !(sets_mode || preserve.ownership || preserve.timestamps) && attributes.is_empty()
}

/// The final permissions of a new file, unless it inherits an access list.
pub(super) fn wanted_mode(work: &Work<'_>, place: &Item<'_>, source: &Meta, is_owned: bool) -> u32 {
    let umask = work.route.job.umask;
    let mode = source.mode().unwrap_or(0);
    match place.preserved(work).mode {
        Modes::Preserved | Modes::PreservedInNew => owned(mode, is_owned, place.entry.file_type()),
        Modes::Masked => mode & 0o777 & !umask,
        Modes::Fresh => 0o666 & !umask,
    }
}

/// Sets the attributes of a file that is open for writing and has its contents.
pub(super) fn finish_file(
    work: &mut Work<'_>,
    place: &Item<'_>,
    (file, made): (&File, Option<u32>),
    (source, attributes): (&Meta, &[Attribute]),
) {
    let preserve = place.preserved(work);
    let file = borrow_handle(file);
    let to = Ids::of(source);
    let mut is_owned = true;
    if preserve.ownership && (made.is_none() || place.facts().owners != Some(to)) {
        let is_closed = made.is_none() && preserve.mode == Modes::Preserved;
        is_owned = own(work, place, file, to, is_closed);
    }
    let limit_of_group = match place.replaced {
        Some(old) if !is_owned => limit_of_group(work, file, (source, to, attributes), old),
        _ => !0,
    };
    let now = made.map(|made| writable_for(work, file, made, attributes));
    let keeps_lists = made.is_some() || preserve.mode == Modes::Preserved;
    // Until the mode is set, the list would be in force for another group.
    let keeps_lists = keeps_lists && limit_of_group == !0;
    let kept = attributes.iter().filter(|it| keeps_lists || !is_access_list(&it.0));
    let limit = set_all(work, preserve, kept, |it| copy::set_attribute(file, it));
    let mode = match now {
        Some(now) => mode_in_the_end(work, place, source, now, is_owned),
        None if preserve.mode != Modes::Preserved => None,
        None => source.mode().map(|mode| owned(mode, is_owned, place.entry.file_type())),
    };
    if let Some(mode) = mode {
        work.requests += 1;
        let limit = limit & limit_of_group;
        let lacks_list = limit != !0 || !has_list(attributes);
        let is_in_vain = inherits_in_vain(work, place) && lacks_list;
        let set = set_mode(file, mode & limit, (made.is_none(), is_in_vain));
        work.note(Step::Mode, set);
    }
    if preserve.timestamps {
        let (access, change) = times(source);
        work.note(Step::Times, copy::set_times(file, access, change));
    }
}

/// Sets a file's mode and, if it may have an access list `in vain`, removes that: from a new file
/// before, because the mode would be in force for the list's users; from one that existed while
/// neither they nor the group may do anything: the list's mask is the group's permissions without it.
fn set_mode(
    file: BorrowedHandle<'_>,
    mode: u32,
    (existed, is_in_vain): (bool, bool),
) -> io::Result<()> {
    let had_list = existed && is_in_vain && copy::may_have_attribute(file, copy::ACCESS_LIST);
    if had_list {
        copy::set_mode(file, mode & 0o7707)?;
    }
    if had_list || is_in_vain && !existed {
        copy::remove_attribute(file, copy::ACCESS_LIST)?;
    }
    copy::set_mode(file, mode)
}

/// Lets the owner of a file that was made read-only write to it; otherwise the system refuses the
/// attributes that ordinary users set. Returns the permissions that the file has now.
fn writable_for(
    work: &mut Work<'_>,
    file: BorrowedHandle<'_>,
    made_with: u32,
    attributes: &[Attribute],
) -> u32 {
    let now = made_with & !work.route.job.umask;
    let is_refused = |it: &Attribute| it.0.to_bytes().starts_with(b"user.");
    if now & 0o200 != 0 || !attributes.iter().any(is_refused) {
        return now;
    }
    work.requests += 1;
    work.note(Step::Mode, copy::set_mode(file, now | 0o200));
    now | 0o200
}

/// Sets a file's owners, if they differ; returns whether they are right now. An existing file that
/// will get its source's mode is closed to others first, who may have been allowed to read its old
/// contents.
fn own(
    work: &mut Work<'_>,
    place: &Item<'_>,
    file: BorrowedHandle<'_>,
    to: Ids,
    is_closed: bool,
) -> bool {
    work.requests += 1;
    let now = copy::stat_open(file, super::job::ALL);
    if now.as_ref().is_ok_and(|now| Ids::of(now) == to) {
        return true;
    }
    if let Some(mode) = now.ok().and_then(|now| now.mode()).filter(|_| is_closed) {
        let _ = copy::set_mode(file, mode & 0o700);
    }
    let (is_owned, given) = give(work, to, |to| copy::set_owners(file, to));
    // That the old file's owners are not kept is no failure.
    if place.replaced.is_none() || work.route.job.copy.preserved(FileType::File).ownership {
        work.note(Step::Owners, given);
    }
    is_owned
}

/// Sets attributes. Returns the permissions that the copy may have: all, unless its access list could
/// not be set.
fn set_all<'a>(
    work: &mut Work<'_>,
    preserve: Preserve,
    all: impl Iterator<Item = &'a Attribute>,
    set: impl Fn(&Attribute) -> io::Result<()>,
) -> u32 {
    let mut limit = !0;
    for attribute in all {
        work.requests += 1;
        let Err(error) = set(attribute) else { continue };
        let list = Some(&*attribute.1).filter(|_| *attribute.0 == *copy::ACCESS_LIST);
        // Without access lists, the mode is complete, and nothing inherits one.
        let is_needless = error.kind() == io::ErrorKind::Unsupported
            && (list.is_some_and(acl::is_mode) || *attribute.0 == *copy::DEFAULT_LIST);
        if !is_needless {
            limit &= list.map_or(!0, acl::permissions_without);
            if let Some(step) = preserve.step_of(&attribute.0) {
                work.note(step, Err(error));
            }
        }
    }
    limit
}

/// The final permissions of a directory, within this limit; `None` if it has them already, and was
/// not closed.
fn dir_mode_in_the_end(
    mirror: &Mirror,
    preserve: Preserve,
    umask: u32,
    file: BorrowedHandle<'_>,
    (limit, is_closed): (u32, bool),
) -> Option<u32> {
    let facts = mirror.facts();
    let source = mirror.source.mode()?;
    let inherited = if facts.is_setgid { 0o2000 } else { 0 };
    let wanted = limit
        & match preserve.mode {
            Modes::Preserved => source,
            _ if !facts.is_made => return None,
            Modes::PreservedInNew => source,
            // An inherited access list replaces the umask. But GNU cp applies the umask to the bits
            // that it sets only when the directory is done.
            Modes::Masked => {
                let late = if preserve.ownership { 0o077 } else { 0o022 };
                let limit = facts.inherits.then(|| copy::inherited_limit(file)).flatten();
                let rights = 0o777 & (limit.unwrap_or(!umask) & !late | !umask & late);
                source & (0o1000 | rights) | inherited
            }
            // mkdir has set the sticky bit, and GNU cp leaves it.
            Modes::Fresh => 0o777 & !umask | source & 0o1000 | inherited,
        };
    let now = match &facts.before {
        Some(before) => before.mode(),
        None => Some(facts.mode & !umask | inherited),
    };
    let may_inherit = facts.inherits && facts.before.is_none();
    let is_unsure = may_inherit || facts.is_adopted || is_closed || umask & 0o700 != 0;
    (is_unsure || now != Some(wanted)).then_some(wanted)
}

/// The times of a directory; `None` if it has them already.
fn dir_times_in_the_end(mirror: &Mirror, preserve: Preserve) -> Option<(Timestamp, Timestamp)> {
    let wanted = times(&mirror.source);
    let has_them = mirror.facts().before.as_ref().is_some_and(|before| times(before) == wanted);
    let is_dirty = mirror.is_dirty.load(Ordering::Relaxed);
    (preserve.timestamps && (is_dirty || !has_them)).then_some(wanted)
}

/// Removes from a directory that existed the access lists that its source lacks and, if the copy
/// compares, the other attributes.
fn remove_surplus(work: &mut Work<'_>, mirror: &Mirror, file: BorrowedHandle<'_>) {
    let preserve = work.route.job.copy.preserve;
    let lists = preserve.mode == Modes::Preserved && !mirror.told.contains(&Step::Mode);
    let has_all = work.route.job.compares() && !mirror.lacks_attributes;
    let others = has_all && preserve.xattr != Demand::No;
    if !lists && !others {
        return;
    }
    let goes = |name: &CStr| if is_access_list(name) { lists } else { others && is_copied(name) };
    let (found, _) = work.note_unread(&preserve, copy::attributes(file, goes));
    let surplus = found.into_iter().filter(|it| mirror.attributes.iter().all(|own| own.0 != it.0));
    let surplus: Vec<_> = surplus.collect();
    let before = mirror.facts().before.as_ref().and_then(Meta::mode);
    if let (true, Some(before), Some(mode)) = (has_list(&surplus), before, mirror.source.mode()) {
        // Without the list, its mask would be the group's permissions.
        let _ = copy::set_mode(file, before & mode);
    }
    for (name, _) in surplus {
        work.requests += 1;
        let removed = copy::remove_attribute(file, &name);
        if let Some(step) = preserve.step_of(&name) {
            work.note(step, removed);
        }
    }
}

/// Closes a directory that existed, if it is open to more users than its source. Otherwise it would
/// be open to its new group as it was to the old one. Returns whether it was closed.
fn close_before_giving(mirror: &Mirror, preserve: Preserve, file: BorrowedHandle<'_>) -> bool {
    let before = mirror.facts().before.as_ref().and_then(Meta::mode);
    let (Some(before), Some(source)) = (before, mirror.source.mode()) else { return false };
    let is_open = before & !source & 0o077 != 0 || has_list(&mirror.attributes);
    preserve.mode == Modes::Preserved && is_open && copy::set_mode(file, before & 0o7700).is_ok()
}

/// Gives a directory its source's owners. Returns whether both are set, and whether it was closed
/// before.
fn own_dir(work: &mut Work<'_>, mirror: &Mirror, file: BorrowedHandle<'_>) -> (bool, bool) {
    let preserve = work.route.job.copy.preserve;
    let facts = mirror.facts();
    let to = Ids::of(&mirror.source);
    let owners = facts.before.as_ref().map_or(facts.owners, |before| Some(Ids::of(before)));
    if !preserve.ownership || owners == Some(to) {
        return (true, false);
    }
    let is_closed = close_before_giving(mirror, preserve, file);
    let (is_owned, given) = give(work, to, |to| copy::set_owners(file, to));
    work.note(Step::Owners, given);
    (is_owned, is_closed)
}

/// Sets the attributes of a directory whose entries are all copied.
pub(super) fn finish_dir(work: &mut Work<'_>, mirror: &Mirror, file: BorrowedHandle<'_>) {
    let preserve = work.route.job.copy.preserve;
    let facts = mirror.facts();
    let existed = facts.before.is_some();
    let (is_owned, is_closed) = own_dir(work, mirror, file);
    if existed {
        remove_surplus(work, mirror, file);
    }
    if preserve.mode == Modes::Fresh && facts.is_made && facts.inherits {
        work.note(Step::Mode, copy::remove_attribute(file, copy::ACCESS_LIST));
    }
    let keeps_lists = !existed || preserve.mode == Modes::Preserved;
    let kept = mirror.attributes.iter().filter(|it| keeps_lists || !is_access_list(&it.0));
    let limit = set_all(work, preserve, kept, |it| copy::set_attribute(file, it));
    let limits = (limit, is_closed);
    let umask = work.route.job.umask;
    if let Some(mode) = dir_mode_in_the_end(mirror, preserve, umask, file, limits) {
        work.requests += 1;
        let mode = owned(mode, is_owned || !preserve.keeps_mode(), FileType::Directory);
        work.note(Step::Mode, copy::set_mode(file, mode));
    }
    if let Some((access, change)) = dir_times_in_the_end(mirror, preserve) {
        work.requests += 1;
        work.note(Step::Times, copy::set_times(file, access, change));
    }
    work.leave_out(&mirror.told);
}
