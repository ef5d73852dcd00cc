//! Whether a destination is the same as its source, so that the entry need not be copied.

use std::ffi::CStr;
use std::io;

use brisk_sys::{BorrowedHandle, Ids, Links, copy};

use super::attributes::wanted_mode;
use super::contents::are_equal;
use super::preserve::{is_access_list, is_copied};
use super::work::{Item, Work};
use crate::copy::settings::Update;
use crate::{FileType, Meta};

/// What is known of an entry whose destination exists.
pub(super) struct Both {
    pub source: Meta,
    /// The destination itself.
    pub found: Meta,
    /// What the copy would write to: the destination, or what it leads to.
    pub target: Meta,
}

impl Both {
    /// Whether the target is behind a link at the destination.
    fn link_to_target(&self) -> Links {
        Links::followed(is_link(&self.found) && !is_link(&self.target))
    }
}

/// Whether a destination is the same as its source in all that the copy would keep. Attributes are
/// compared only if those of the source may have changed since the copy, or if a killed run has
/// left the destination.
pub(super) fn is_current(work: &mut Work<'_>, place: &Item<'_>, both: &Both) -> bool {
    let is_left = place.facts().is_adopted;
    if !is_like(work, place, both) || is_left && !is_as_made(work, place, both) {
        return false;
    }
    let asks = work.route.job.copy.preserved(place.entry.file_type()).lists_attributes()
        && both.source.ctime() >= both.target.ctime()
        && both.source.identity() != both.target.identity();
    if (is_left || asks) && !has_same_attributes(work, place, both) {
        return false;
    }
    match both.source.file_type() {
        Some(FileType::File) if work.route.job.copy.update == Update::Contents => {
            has_same_contents(work, place, both).unwrap_or(false)
        }
        Some(FileType::Symlink) => {
            let text = copy::read_link(place.at.base, place.at.name);
            text.is_ok_and(|text| place.dir.read_link(place.name).is_ok_and(|it| it == text))
        }
        _ => true,
    }
}

/// Whether a destination has its source's metadata, as far as the copy would keep that.
fn is_like(work: &Work<'_>, place: &Item<'_>, both: &Both) -> bool {
    let Both { source, target, .. } = both;
    let preserve = place.preserved(work);
    let has_owners = Ids::of(source) == Ids::of(target);
    let is_root = work.route.job.may_give_away;
    let is_owned = !preserve.ownership || has_owners;
    let mode = Some(wanted_mode(work, place, source, is_owned));
    let has_times = preserve.timestamps || source.file_type() == Some(FileType::File);
    source.file_type() == target.file_type()
        && source.size() == target.size()
        && source.rdev() == target.rdev()
        && (!has_times || source.mtime() == target.mtime())
        && (!preserve.keeps_mode() || mode == target.mode())
        && (is_owned || !is_root && !gets_group(place, both))
}

/// Whether a copy by an ordinary user may get another group: one of the user's that the source has
/// got since. Where the file system has no groups, the copy is made once.
fn gets_group(place: &Item<'_>, Both { source, target, .. }: &Both) -> bool {
    let is_open = place.facts().is_adopted || source.ctime() >= target.ctime();
    let to = source.gid().filter(|_| is_open && source.gid() != target.gid());
    to.is_some_and(copy::has_group)
}

/// Whether what a killed run has left, perhaps with other options, has the owners and the mode that
/// this copy would set where it does not keep the source's.
fn is_as_made(work: &Work<'_>, place: &Item<'_>, Both { source, target, .. }: &Both) -> bool {
    let preserve = place.preserved(work);
    let mode = Some(wanted_mode(work, place, source, true));
    (preserve.ownership || place.facts().owners == Some(Ids::of(target)))
        && (preserve.keeps_mode() || is_link(target) || mode == target.mode())
}

/// Whether a destination has exactly those of its source's extended attributes that the copy keeps,
/// and no other access list; what a killed run has left also no attribute that only that run kept.
fn has_same_attributes(work: &mut Work<'_>, place: &Item<'_>, both: &Both) -> bool {
    let preserve = place.preserved(work);
    work.requests += 2;
    let of = |base: BorrowedHandle<'_>, name, links, wanted: &dyn Fn(&CStr) -> bool| {
        let (mut found, failed) =
            copy::attributes_at(base, name, links, wanted).unwrap_or_default();
        found.sort();
        failed.is_empty().then_some(found)
    };
    let kept = |name: &CStr| preserve.wants_attribute(name);
    let is_left = place.facts().is_adopted;
    let there = |name: &CStr| is_access_list(name) || kept(name) || is_left && is_copied(name);
    let source = of(place.at.base, place.at.name, place.entry.follow(), &kept);
    let target = of(place.base, place.name, both.link_to_target(), &there);
    source.is_some() && source == target
}

fn has_same_contents(work: &mut Work<'_>, place: &Item<'_>, both: &Both) -> io::Result<bool> {
    let links = place.entry.follow();
    let source = copy::open_source(place.at.base, place.at.name, links)?;
    let there = copy::open_source(place.base, place.name, both.link_to_target())?;
    are_equal(work, &source, &there)
}

pub(super) fn is_link(meta: &Meta) -> bool {
    meta.file_type() == Some(FileType::Symlink)
}
