//! Making the destination of one entry that is no directory: a file, a link, a FIFO or a device.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::sync::Arc;

use brisk_sys::copy;
use brisk_sys::{Identity, Links, borrow_handle, output};

use super::contents::Transfer;
use super::copier::{Copier, Place};
use super::job::{ALL, Link, Refusal, at};
use super::mirror::Mirror;
use crate::copy::report::Step;
use crate::copy::settings::{Create, Overwriting};
use crate::{FileType, Meta};

/// The file that a copy is written to.
enum Way {
    /// Made under its own name, or existing: it is there already.
    InPlace,
    /// It has no name yet.
    Unnamed,
    /// It has this name. If the other is set, it replaces the file that is there.
    Named(CString, bool),
}

/// A destination that is open for writing.
pub(super) struct Output {
    pub file: File,
    way: Way,
    /// Whether it is a regular file.
    is_regular: bool,
    /// The mode that it was made with; `None` if it existed.
    pub made_with: Option<u32>,
}

impl Copier<'_> {
    /// Makes the destination of an entry; `old` is the file that is there.
    pub fn make(&mut self, place: &Place<'_>, old: Option<&Meta>) -> Result<(), Refusal> {
        let create = self.route.job.copy.create;
        match (create, place.entry.file_type()) {
            (Create::HardLink, _) => self.hard_link(place, old),
            (Create::SymbolicLink, _) => self.symbolic_link(place, old),
            (_, FileType::File) => self.file(place, old, true),
            (_, FileType::Symlink) => self.link(place, old),
            (_, FileType::Unknown) => Err((Step::UnknownType, None)),
            _ if self.route.job.copy.copy_contents => self.file(place, old, false),
            _ => self.special(place),
        }
    }

    /// Device and inode of a file of which other names may be copied too, and how many it has.
    pub fn link_of(&self, source: &Meta) -> Option<(Identity, u64)> {
        let nlink = source.nlink().filter(|_| self.route.job.copy.preserve.links)?;
        let follows = self.route.job.copy.walk.follow == crate::Follow::Always;
        let identity = source.identity().filter(|_| nlink > 1 || follows)?;
        Some((identity, if follows { u64::MAX } else { nlink }))
    }

    /// Makes the first copy of a file by `make`, and a link to that copy for each other name.
    fn once(
        &mut self,
        place: &Place<'_>,
        source: &Meta,
        make: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some((identity, nlink)) = self.link_of(source) else { return make(self) };
        match self.route.job.link(identity, nlink) {
            Link::First => {
                let made = make(self);
                let name = CString::from(place.name);
                let copy = made.is_ok().then_some((place.mirror, name));
                self.route.job.link_made(identity, nlink, copy);
                made
            }
            Link::To(mirror, name) => self.make_link_to(place, &mirror, &name),
        }
    }

    /// Makes a hard link to an earlier copy.
    pub fn make_link_to(
        &mut self,
        place: &Place<'_>,
        first: &Arc<Mirror>,
        name: &CStr,
    ) -> Result<(), Refusal> {
        self.requests += 1;
        let Some(dir) = first.handle(self.route)? else { return Ok(()) };
        let base = brisk_sys::base_of(&dir).map_err(at(Step::CreateHardLink))?;
        self.replacing(place, true, || {
            copy::hard_link((base, name), (place.base, place.name), Links::NoFollow)
        })
        .map_err(at(Step::CreateHardLink))
    }

    /// Makes a name by `make`. If there is one and it may go, it is removed first.
    fn replacing(
        &mut self,
        place: &Place<'_>,
        may_go: bool,
        make: impl Fn() -> io::Result<()>,
    ) -> io::Result<()> {
        match make() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && may_go => {
                place.dir.unlink(place.name)?;
                make()
            }
            made => made,
        }
    }

    fn hard_link(&mut self, place: &Place<'_>, old: Option<&Meta>) -> Result<(), Refusal> {
        self.requests += 1;
        let may_go = old.is_some() && (self.route.job.copy.force || self.route.job.asks);
        let links = place.entry.follow();
        self.replacing(place, may_go, || {
            copy::hard_link((place.at.base, place.at.name), (place.base, place.name), links)
        })
        .map_err(at(Step::CreateHardLink))
    }

    fn symbolic_link(&mut self, place: &Place<'_>, old: Option<&Meta>) -> Result<(), Refusal> {
        let text = place.entry.path();
        let prefix = output::prefix_of(self.route.destination);
        let is_here = place.is_root && (prefix.is_empty() || prefix == b"./");
        if !text.is_absolute() && !is_here {
            return Err((Step::RelativeLink, None));
        }
        let text = CString::new(text.as_os_str().as_encoded_bytes())
            .map_err(|error| (Step::CreateLink, Some(error.into())))?;
        let may_go = old.is_some() && self.route.job.copy.force;
        self.replacing(place, may_go, || copy::make_link(&text, place.base, place.name))
            .map_err(at(Step::CreateLink))
    }

    /// Copies a symbolic link as such.
    fn link(&mut self, place: &Place<'_>, old: Option<&Meta>) -> Result<(), Refusal> {
        let preserve = self.route.job.copy.preserve;
        let needs = preserve.ownership || preserve.timestamps || preserve.links;
        let source = if needs { self.meta_of(place.entry)? } else { Meta::default() };
        self.once(place, &source, |it| {
            it.requests += 2;
            let text = copy::read_link(place.at.base, place.at.name).map_err(at(Step::ReadLink))?;
            let may_go = old.is_some() && it.route.job.copy.force;
            it.replacing(place, may_go, || copy::make_link(&text, place.base, place.name))
                .map_err(at(Step::CreateLink))?;
            it.finish_name(place, &source, None);
            Ok(())
        })
    }

    /// Makes a FIFO, a device or a socket.
    fn special(&mut self, place: &Place<'_>) -> Result<(), Refusal> {
        let source = self.meta_of(place.entry)?;
        let file_type = source.file_type().unwrap_or_default();
        if file_type != place.entry.file_type() {
            return Err((Step::Replaced, None));
        }
        self.once(place, &source, |it| {
            it.requests += 1;
            let mode = it.mode_to_make(place, &source);
            let device = source.rdev().unwrap_or(0);
            let is_fifo = file_type == FileType::Fifo;
            let step = if is_fifo { Step::CreateFifo } else { Step::CreateSpecial };
            copy::make_node(place.base, place.name, file_type, mode, device).map_err(at(step))?;
            it.finish_name(place, &source, Some(mode));
            Ok(())
        })
    }

    /// Copies a regular file, or what another kind of file can be read for.
    fn file(
        &mut self,
        place: &Place<'_>,
        old: Option<&Meta>,
        is_regular: bool,
    ) -> Result<(), Refusal> {
        self.requests += 8;
        let links = place.entry.follow();
        let opened = copy::open_source(place.at.base, place.at.name, links, !is_regular);
        let file = opened.map_err(|error| match brisk_sys::is_link_loop(&error) {
            true if links == Links::NoFollow => (Step::Replaced, None),
            _ => (Step::Open, Some(error)),
        })?;
        let meta = copy::stat_open(borrow_handle(&file), ALL).map_err(at(Step::StatOpen))?;
        let listed = place.entry.meta().and_then(Meta::identity);
        let is_other = listed.is_some() && listed != meta.identity();
        if is_other || is_regular && meta.file_type() != Some(FileType::File) {
            return Err((Step::Replaced, None));
        }
        self.once(place, &meta, |it| it.write(place, &file, &meta, old))
    }

    fn write(
        &mut self,
        place: &Place<'_>,
        file: &File,
        meta: &Meta,
        old: Option<&Meta>,
    ) -> Result<(), Refusal> {
        let handle = borrow_handle(file);
        let device = meta.dev().unwrap_or(0);
        let found = self.attributes(handle, device);
        let attributes = found.unwrap_or_else(|error| self.attributes_failed(place, error));
        let output = self.open_output(place, meta, old)?;
        let mut done = Ok(());
        if self.route.job.copy.create != Create::Attributes {
            let devices = (device, place.facts().dev);
            let (to, is_to_file) = (&output.file, output.is_regular);
            done = self.contents(&Transfer { from: file, meta, to, is_to_file, devices });
        }
        let done = done.and_then(|()| {
            self.finish_file(place, &output, (meta, &attributes));
            self.name_output(place, &output)
        });
        if done.is_err() && output.made_with.is_some() {
            match &output.way {
                Way::InPlace => drop(place.dir.unlink(place.name)),
                Way::Named(name, _) => drop(place.dir.unlink(name)),
                Way::Unnamed => {}
            }
        }
        done
    }

    /// Opens the destination for writing, in the way that suits.
    fn open_output(
        &mut self,
        place: &Place<'_>,
        source: &Meta,
        old: Option<&Meta>,
    ) -> Result<Output, Refusal> {
        let copy = self.route.job.copy;
        let mode = self.mode_to_make(place, source);
        let made = |file, way| Output { file, way, is_regular: true, made_with: Some(mode) };
        if let Some(old) = old {
            let is_replaceable =
                matches!(old.file_type(), Some(FileType::File | FileType::Symlink));
            if copy.overwriting == Overwriting::Replace && is_replaceable {
                return self.open_named(place, mode, true);
            }
            match self.open_old(place, source) {
                Err((Step::CreateFile, Some(_))) if copy.force => {
                    place.dir.unlink(place.name).map_err(at(Step::Remove))?;
                    if self.route.job.wants_begun {
                        let path = place.mirror.path_of(self.route, place.name);
                        let path = if place.is_root { self.route.destination } else { &path };
                        self.route.job.observer.removed(path, FileType::File);
                    }
                }
                opened => {
                    let (file, is_regular) = opened?;
                    return Ok(Output { file, way: Way::InPlace, is_regular, made_with: None });
                }
            }
        }
        if self.route.wants_dir && place.is_root {
            return Err((Step::CreateFile, Some(io::ErrorKind::NotADirectory.into())));
        }
        let device = Some(place.facts().dev);
        if !place.facts().is_hidden && source.size() != Some(0) {
            if self.named_device == device {
                return self.open_named(place, mode, false);
            }
            match copy::create_unnamed(place.base, mode) {
                Ok(file) => return Ok(made(file, Way::Unnamed)),
                Err(error) if is_lack(&error) => self.named_device = device,
                Err(error) => return Err((Step::CreateFile, Some(error))),
            }
            return self.open_named(place, mode, false);
        }
        let file = copy::create(place.base, place.name, mode).map_err(at(Step::CreateFile))?;
        Ok(made(file, Way::InPlace))
    }

    /// Makes a file under a temporary name.
    fn open_named(&self, place: &Place<'_>, mode: u32, over: bool) -> Result<Output, Refusal> {
        let name = output::temporary_name(output::random());
        let file = copy::create(place.base, &name, mode).map_err(at(Step::CreateFile))?;
        let way = Way::Named(name, over);
        Ok(Output { file, way, is_regular: true, made_with: Some(mode) })
    }

    /// Opens an existing file, and empties it once it is known not to be the source. Returns also
    /// whether it is a regular one.
    fn open_old(&mut self, place: &Place<'_>, source: &Meta) -> Result<(File, bool), Refusal> {
        let links = Links::followed(place.is_root);
        let opened = copy::open_existing(place.base, place.name, links);
        let file = opened.map_err(at(Step::CreateFile))?;
        let now = copy::stat_open(borrow_handle(&file), ALL).map_err(at(Step::StatDestination))?;
        if now.identity() == source.identity() {
            return Err((Step::SameFile, None));
        }
        let keeps = self.route.job.copy.create == Create::Attributes;
        let is_regular = now.file_type() == Some(FileType::File);
        if is_regular && !keeps {
            file.set_len(0).map_err(at(Step::Write))?;
        }
        Ok((file, is_regular))
    }

    /// Gives a file that is whole its name.
    fn name_output(&mut self, place: &Place<'_>, output: &Output) -> Result<(), Refusal> {
        match &output.way {
            Way::InPlace => return Ok(()),
            Way::Unnamed => copy::name_file(&output.file, place.base, place.name),
            Way::Named(name, true) => copy::rename_over(place.base, name, place.name),
            Way::Named(name, false) => place.dir.rename_here(name, place.name),
        }
        .map_err(at(Step::CreateFile))
    }
}

/// Whether the file system has no files without names.
fn is_lack(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::IsADirectory)
}
