//! Makes the destination of one entry that is not a directory: a file, a link, a FIFO or a device.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::Path;

use brisk_sys::copy::{self, Attribute};
use brisk_sys::{Links, borrow_handle, output, slashed};

use super::attributes::{
    finish_file, finish_name, is_whole_at_once, mode_to_make, set_times_of_name,
};
use super::contents::{Transfer, begin_reading, contents, end_if_stopped};
use super::job::{ALL, Denied, at};
use super::names::{link_of, once, replacing, take_place};
use super::replaced::{as_replaced, replaced};
use super::work::{Item, Old, Work};
use crate::copy::report::Step;
use crate::copy::settings::{Copy, Create, Specials};
use crate::{FileType, Meta};

/// The file that a copy is written to.
enum Way {
    /// The file has its own name: it was made under this name, or existed.
    InPlace,
    /// The file has no name yet.
    Unnamed,
    /// The file has this temporary name. If the flag is set, it replaces the file that is there.
    Named(CString, bool),
}

/// A destination that is open for writing.
struct NewFile {
    file: File,
    way: Way,
    /// Whether it is a regular file.
    is_regular: bool,
    /// The mode that it was made with; `None` if it existed.
    made_with: Option<u32>,
}

/// Makes the destination of an entry; `old` is what is there.
pub(super) fn make(work: &mut Work<'_>, place: &Item<'_>, old: &Old) -> Result<(), Denied> {
    let create = work.route.job.copy.create;
    if matches!(old, Old::Nothing) && work.route.wants_dir && place.is_root {
        return Err(no_directory(making(work.route.job.copy, place.entry.file_type())));
    }
    match (create, place.entry.file_type()) {
        (Create::HardLink, _) => hard_link(work, place, old),
        (Create::SymbolicLink, _) => symbolic_link(work, place, old),
        (_, FileType::File) => file(work, place, old, true),
        (_, FileType::Symlink) => link(work, place, old),
        (_, FileType::Unknown) => Err((Step::UnknownType, None)),
        _ if work.route.job.copy.specials == Specials::Read => file(work, place, old, false),
        _ => special(work, place, old),
    }
}

/// The system's error for a destination that does not exist, and whose path ends in a slash.
fn no_directory(step: Step) -> Denied {
    let is_file = step == Step::CreateFile;
    let why = if is_file { io::ErrorKind::NotADirectory } else { io::ErrorKind::NotFound };
    (step, Some(why.into()))
}

/// The step that makes the destination of an entry.
pub(super) fn making(copy: &Copy, file_type: FileType) -> Step {
    match (file_type, copy.create) {
        (FileType::Directory, _) => Step::MakeDirectory,
        (_, Create::HardLink) => Step::CreateHardLink,
        (_, Create::SymbolicLink) | (FileType::Symlink, _) => Step::CreateLink,
        (FileType::File, _) => Step::CreateFile,
        _ if copy.specials == Specials::Read => Step::CreateFile,
        (FileType::Fifo, _) => Step::CreateFifo,
        _ => Step::CreateSpecial,
    }
}

fn hard_link(work: &mut Work<'_>, place: &Item<'_>, old: &Old) -> Result<(), Denied> {
    work.requests += 1;
    let may_go = work.route.job.copy.force || work.route.job.asks;
    let links = place.entry.follow();
    replacing(work, place, (old, may_go), Step::CreateHardLink, |new| {
        copy::hard_link((place.at.base, place.at.name), (place.base, new), links)
    })
}

fn symbolic_link(work: &mut Work<'_>, place: &Item<'_>, old: &Old) -> Result<(), Denied> {
    let text = place.entry.path();
    let prefix = output::prefix_of(work.route.destination);
    let is_here = place.is_root && (prefix.is_empty() || prefix == b"./");
    if !text.is_absolute() && !is_here {
        return Err((Step::RelativeLink, None));
    }
    let text = CString::new(text.as_os_str().as_encoded_bytes())
        .map_err(|error| (Step::CreateLink, Some(error.into())))?;
    let may_go = work.route.job.copy.force;
    let make = |new: &CStr| copy::make_link(&text, place.base, new);
    replacing(work, place, (old, may_go), Step::CreateLink, make)?;
    if work.route.job.copy.preserve.timestamps {
        let source = work.meta_of(place.entry)?;
        set_times_of_name(work, place, &source);
    }
    Ok(())
}

/// Copies a symbolic link as such.
fn link(work: &mut Work<'_>, place: &Item<'_>, old: &Old) -> Result<(), Denied> {
    let preserve = work.route.job.copy.preserve;
    let needs = preserve.ownership || preserve.timestamps || preserve.links;
    let source = if needs { work.meta_of(place.entry)? } else { Meta::default() };
    once(work, (place, old), &source, |it| {
        it.requests += 2;
        let text = copy::read_link(place.at.base, place.at.name).map_err(at(Step::ReadLink))?;
        let is_kept = !it.route.job.copy.absolute_links || text.to_bytes().starts_with(b"/");
        let text = if is_kept { text } else { absolute(&place.entry.path(), &text)? };
        let may_go = it.route.job.copy.force;
        let make = |new: &CStr| copy::make_link(&text, place.base, new);
        replacing(it, place, (old, may_go), Step::CreateLink, make)?;
        Ok(finish_made(it, place, &source, None))
    })
}

/// Sets the attributes of a link or node that was made with this mode. Returns its metadata, if
/// another file may get its name; not if one has got it meanwhile.
fn finish_made(
    work: &mut Work<'_>,
    place: &Item<'_>,
    source: &Meta,
    made_with: Option<u32>,
) -> Option<Meta> {
    let is_asked = link_of(work, place, source).is_some() && place.may_be_replaced(work.route);
    let made = if is_asked { place.own(work.route) } else { None };
    finish_name(work, place, source, made_with);
    let made = made?.identity();
    place.stat(Links::NoFollow).ok().filter(|now| now.identity() == made)
}

/// The absolute path of a relative link's target: `.` and `..` are resolved lexically.
fn absolute(link: &Path, text: &CStr) -> Result<CString, Denied> {
    let link = std::path::absolute(link).map_err(at(Step::ReadLink))?;
    let whole = [output::prefix_of(link.as_os_str().as_encoded_bytes()), text.to_bytes()].concat();
    let path = [b"/", slashed::resolved(&whole).join(&b'/').as_slice()].concat();
    CString::new(path).map_err(|error| (Step::CreateLink, Some(error.into())))
}

/// Makes a FIFO, a device or a socket.
fn special(work: &mut Work<'_>, place: &Item<'_>, old: &Old) -> Result<(), Denied> {
    let source = work.meta_of(place.entry)?;
    let file_type = source.file_type().unwrap_or_default();
    if file_type != place.entry.file_type() {
        return Err((Step::Replaced, None));
    }
    once(work, (place, old), &source, |it| {
        it.requests += 1;
        let mode = mode_to_make(it, place, &source, &[]);
        // The node may get an access list.
        let mode = if place.preserved(it).keeps_mode() { mode & 0o700 } else { mode };
        let device = source.rdev().unwrap_or(0);
        let is_fifo = file_type == FileType::Fifo;
        let step = if is_fifo { Step::CreateFifo } else { Step::CreateSpecial };
        replacing(it, place, (old, false), step, |new| {
            copy::make_node(place.base, new, file_type, mode, device)
        })?;
        Ok(finish_made(it, place, &source, Some(mode)))
    })
}

/// Copies a regular file, or what can be read from a FIFO or a device.
fn file(work: &mut Work<'_>, place: &Item<'_>, old: &Old, is_regular: bool) -> Result<(), Denied> {
    work.requests += 8;
    let file = open_source(place)?;
    let meta = copy::stat_open(borrow_handle(&file), ALL).map_err(at(Step::StatOpen))?;
    let listed = place.entry.meta().and_then(Meta::identity);
    let is_other = listed.is_some() && listed != meta.identity();
    if is_other || is_regular && meta.file_type() != Some(FileType::File) {
        return Err((Step::Replaced, None));
    }
    once(work, (place, old), &meta, |it| write(it, place, &file, &meta, old))
}

fn open_source(place: &Item<'_>) -> Result<File, Denied> {
    let links = place.entry.follow();
    let opened = copy::open_source(place.at.base, place.at.name, links);
    opened.map_err(|error| match brisk_sys::is_link_loop(&error) {
        true if links == Links::NoFollow => (Step::Replaced, None),
        _ => (Step::Open, Some(error)),
    })
}

/// The metadata that the copy gets, if it is not all its source's; and the attributes.
fn wanted(
    work: &mut Work<'_>,
    place: &Item<'_>,
    (file, source): (&File, &Meta),
    replaced: Option<&Meta>,
) -> (Option<Meta>, Vec<Attribute>) {
    let device = source.dev().unwrap_or(0);
    let (mut attributes, _) = work.attributes(borrow_handle(file), device, &place.preserved(work));
    let closed = work.closed_if_unread(source);
    let Some(old) = replaced else { return (closed, attributes) };
    let source = closed.as_ref().unwrap_or(source);
    let own = as_replaced(work, place, old, (source, &mut attributes));
    (Some(own), attributes)
}

fn write(
    work: &mut Work<'_>,
    place: &Item<'_>,
    file: &File,
    meta: &Meta,
    old: &Old,
) -> Result<Option<Meta>, Denied> {
    let replaced = replaced(work, old);
    let (own, attributes) = wanted(work, place, (file, meta), replaced);
    let place = &Item { replaced, ..*place };
    let meta = own.as_ref().unwrap_or(meta);
    let has_contents = work.route.job.copy.create != Create::Attributes;
    let begun = has_contents.then(|| begin_reading(work, file, meta)).transpose();
    let begun = begun.map_err(at(Step::Read))?.flatten();
    let NewFile { file: to, way, is_regular, made_with } =
        open_output(work, place, (meta, &attributes), old, begun == Some(0))?;
    let devices = (meta.dev().unwrap_or(0), place.facts().dev);
    let transfer = Transfer { from: file, meta, begun, to: &to, is_to_file: is_regular, devices };
    let is_whole = !has_contents || begun == Some(0);
    let done = if is_whole { Ok(()) } else { contents(work, &transfer) }.and_then(|()| {
        finish_file(work, place, (&to, made_with), (meta, &attributes));
        let made = if_links_follow(work, place, meta, &to);
        name_output(work, place, old, (to, &way)).map(|()| made)
    });
    if done.is_err() && made_with.is_some() {
        unlink_output(place, &way);
    }
    done
}

/// The metadata of a copy to which links may be made, if another file may get its name.
fn if_links_follow(work: &Work<'_>, place: &Item<'_>, source: &Meta, to: &File) -> Option<Meta> {
    link_of(work, place, source).filter(|_| place.may_be_replaced(work.route))?;
    copy::stat_open(borrow_handle(to), ALL).ok()
}

fn unlink_output(place: &Item<'_>, way: &Way) {
    match way {
        Way::InPlace => drop(place.dir.unlink(place.name)),
        Way::Named(name, _) => drop(place.dir.unlink(name)),
        Way::Unnamed => {}
    }
}

/// Opens or makes the destination for writing.
fn open_output(
    work: &mut Work<'_>,
    place: &Item<'_>,
    (source, attributes): (&Meta, &[Attribute]),
    old: &Old,
    is_empty: bool,
) -> Result<NewFile, Denied> {
    let copy = work.route.job.copy;
    let mode = mode_to_make(work, place, source, attributes);
    let made = |file, way| NewFile { file, way, is_regular: true, made_with: Some(mode) };
    match old {
        Old::Nothing => {}
        Old::Over(old) if !copy.replaces(old) => match open_old(work, place, source, old) {
            Err((Step::CreateFile, Some(_))) if copy.force => {
                work.tell_removed(place, FileType::File);
                return open_named(place, mode, true);
            }
            opened => {
                let (file, is_regular) = opened?;
                return Ok(NewFile { file, way: Way::InPlace, is_regular, made_with: None });
            }
        },
        _ => return open_named(place, mode, true),
    }
    let device = Some(place.facts().dev);
    let is_whole = is_empty && is_whole_at_once(work, place, (source, attributes), mode);
    if !place.facts().is_hidden && !is_whole {
        if work.named_device == device {
            return open_named(place, mode, false);
        }
        match copy::create_unnamed(place.base, mode) {
            Ok(file) => return Ok(made(file, Way::Unnamed)),
            Err(error) if is_lack(&error) => work.named_device = device,
            Err(error) => return Err((Step::CreateFile, Some(error))),
        }
        return open_named(place, mode, false);
    }
    let file = copy::create(place.base, place.name, mode).map_err(at(Step::CreateFile))?;
    Ok(made(file, Way::InPlace))
}

/// Makes a file under a temporary name.
fn open_named(place: &Item<'_>, mode: u32, over: bool) -> Result<NewFile, Denied> {
    let name = output::temporary_name(output::random());
    let file = copy::create(place.base, &name, mode).map_err(at(Step::CreateFile))?;
    let way = Way::Named(name, over);
    Ok(NewFile { file, way, is_regular: true, made_with: Some(mode) })
}

/// Opens an existing file, and empties it once it is known not to be the source. Also returns
/// whether it is a regular file. At a pair's own destination, waits for the reader of a pipe.
fn open_old(
    work: &mut Work<'_>,
    place: &Item<'_>,
    source: &Meta,
    old: &Meta,
) -> Result<(File, bool), Denied> {
    let links = Links::followed(place.is_root);
    let waits = place.is_root && old.file_type() == Some(FileType::Fifo);
    let file = loop {
        match copy::open_existing(place.base, place.name, links) {
            Err(error) if waits && copy::lacks_reader(&error) => {
                end_if_stopped(work)?;
                copy::wait_for_reader();
            }
            opened => break opened.map_err(at(Step::CreateFile))?,
        }
    };
    let now = copy::stat_open(borrow_handle(&file), ALL).map_err(at(Step::StatDestination))?;
    if now.identity() == source.identity() {
        return Err((Step::SameFile, None));
    }
    let keeps = work.route.job.copy.create == Create::Attributes;
    let is_regular = now.file_type() == Some(FileType::File);
    if is_regular && !keeps {
        file.set_len(0).map_err(at(Step::Write))?;
    }
    Ok((file, is_regular))
}

/// Closes a complete file, and gives it its name. Some file systems report only now that they could
/// not write: then the file gets no name, or loses the one that it already had.
fn name_output(
    work: &mut Work<'_>,
    place: &Item<'_>,
    old: &Old,
    (file, way): (File, &Way),
) -> Result<(), Denied> {
    let written = |file| copy::close(file).map_err(at(Step::Write));
    match way {
        Way::InPlace => written(file),
        Way::Unnamed => {
            copy::name_file(&file, place.base, place.name).map_err(at(Step::CreateFile))?;
            written(file).inspect_err(|_| drop(place.dir.unlink(place.name)))
        }
        Way::Named(name, over) => {
            written(file)?;
            match over {
                true => take_place(work, place, old, name, Step::CreateFile),
                false => place.dir.rename_here(name, place.name).map_err(at(Step::CreateFile)),
            }
        }
    }
}

/// Whether the error means that the file system lacks files without names.
fn is_lack(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::IsADirectory)
}
