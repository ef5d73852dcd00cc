//! The metadata of one file, by its handle: for roots, for followed links, and for fields that do
//! not come with the names in a directory.

use std::io;
use std::os::windows::io::{AsHandle, BorrowedHandle};
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem::{
    FileAllInformation, FileAttributeTagInformation, FileFsVolumeInformation,
};
use windows_sys::Win32::Storage::FileSystem::FILE_READ_ATTRIBUTES;

use super::call::{Status, attributes_of, bytes_of, open_path, query_information, query_volume};
use crate::nt::records::NtMeta;
use crate::nt::{all, kind};
use crate::{Fields, FileType, Links, Meta};

/// The fields that one call by path fills, without a handle.
const KIND: Fields = Fields::TYPE.union(Fields::ATTRIBUTES);

/// The metadata of a path. One NtQueryFullAttributesFile if type and attributes are all that is
/// wanted and the path leads to no reparse point; otherwise one CreateFile, and the calls of
/// `stat_handle`.
pub(crate) fn stat_path(path: &Path, wanted: Fields, links: Links) -> io::Result<Meta> {
    if (wanted - KIND).is_empty()
        && let Ok(data) = attributes_of(path)
        && data.dwFileAttributes & kind::attribute::REPARSE_POINT == 0
    {
        let found = NtMeta { attributes: data.dwFileAttributes, ..NtMeta::default() };
        return Ok(found.type_and_attributes());
    }
    let file = open_path(path, FILE_READ_ATTRIBUTES, links)?;
    stat_handle(file.as_handle(), wanted, None)
}

/// All metadata of an open file; type and attributes alone if no more is wanted. `dev` is the
/// file's volume, if the caller knows it. One NtQueryInformationFile, two for a reparse point; one
/// NtQueryVolumeInformationFile more if the volume is wanted and unknown.
pub(super) fn stat_handle(
    file: BorrowedHandle<'_>,
    wanted: Fields,
    dev: Option<u64>,
) -> io::Result<Meta> {
    if (wanted - KIND).is_empty() {
        let (attributes, tag) = attributes_and_tag(file)?;
        return Ok(NtMeta { attributes, tag, ..NtMeta::default() }.type_and_attributes());
    }
    let mut space = [0; all::ROOM / 8];
    let length = query_information(file, FileAllInformation, &mut space)?;
    let answer = all::found(bytes_of(&space, length));
    let (mut found, links) = answer.ok_or(io::ErrorKind::InvalidData)?;
    if found.attributes & kind::attribute::REPARSE_POINT != 0 {
        (_, found.tag) = attributes_and_tag(file)?;
    }
    let mut meta = found.meta();
    meta.nlink = links;
    meta.filled |= Fields::NLINK;
    let dev = match dev {
        None if wanted.contains(Fields::DEV) => Some(volume(file)?),
        known => known,
    };
    if let Some(dev) = dev {
        meta.dev = dev;
        meta.filled |= Fields::DEV;
    }
    Ok(meta)
}

/// The type of an open file. One NtQueryInformationFile.
pub(super) fn type_of(file: BorrowedHandle<'_>) -> io::Result<FileType> {
    let (attributes, tag) = attributes_and_tag(file)?;
    Ok(kind::file_type(attributes, tag))
}

pub(super) fn attributes_and_tag(file: BorrowedHandle<'_>) -> Result<(u32, u32), Status> {
    let mut space = [0];
    query_information(file, FileAttributeTagInformation, &mut space)?;
    let number = u64::from_le_bytes(space[0].to_ne_bytes());
    Ok((number as u32, (number >> 32) as u32))
}

/// The serial number of the volume that holds an open file. One NtQueryVolumeInformationFile.
pub(super) fn volume(file: BorrowedHandle<'_>) -> io::Result<u64> {
    // The time of creation, the serial number, and a label, which may be cut.
    let mut space = [0; 8];
    query_volume(file, FileFsVolumeInformation, &mut space)?;
    Ok(u64::from(space[1] as u32))
}
