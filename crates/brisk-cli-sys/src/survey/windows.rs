//! Windows: enumerations with and without metadata, and every form of request for one entry.

use std::ffi::{OsString, c_void};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle};
use std::path::Path;

use brisk_sys::nt::kind::file_type;
use brisk_sys::nt::records::{Class, Records, timestamp};
use brisk_sys::nt::wtf8;
use brisk_sys::{
    FileType, Links, Timestamp, attributes_of, bytes_of, error_of, open_path, wide_path,
};
use windows_sys::Win32::Foundation::{ERROR_NO_MORE_FILES, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_LIST_DIRECTORY, FIND_FIRST_EX_LARGE_FETCH, FileFullDirectoryInfo, FindClose,
    FindExInfoBasic, FindExInfoStandard, FindExSearchNameMatch, FindFirstFileExW, FindNextFileW,
    GetFileInformationByHandleEx, GetLongPathNameW, WIN32_FIND_DATAW,
};
use windows_sys::Win32::System::LibraryLoader::{GetModuleHandleW, GetProcAddress};

use super::{BUFFERS, Hit, Receive, Technique, whole};

pub(super) const TECHNIQUES: &[Technique] = &[
    whole("FindFirstFileEx, basic", |dir, sink| find_all(dir, sink, FindExInfoBasic, 0)),
    whole("FindFirstFileEx, standard", |dir, sink| find_all(dir, sink, FindExInfoStandard, 0)),
    whole("FindFirstFileEx, basic, large fetch", |dir, sink| {
        find_all(dir, sink, FindExInfoBasic, FIND_FIRST_EX_LARGE_FETCH)
    }),
    whole("FindFirstFileEx, standard, large fetch", |dir, sink| {
        find_all(dir, sink, FindExInfoStandard, FIND_FIRST_EX_LARGE_FETCH)
    }),
    whole("FindFirstFileEx, then GetFileAttributesEx", names_first),
    whole("std::filesystem: FindFirstFileEx + GetFileAttributesEx", in_turn),
    whole("GetFileInformationByHandleEx, 64 KiB", by_handle::<64>),
    whole("NtQueryDirectoryFileEx, 64 KiB", nt_ex),
    whole("FindFirstFileEx + GetLongPathName", long_names),
    buffer::<4>("GetFileInformationByHandleEx, 4 KiB"),
    buffer::<16>("GetFileInformationByHandleEx, 16 KiB"),
    buffer::<64>("GetFileInformationByHandleEx, 64 KiB"),
    buffer::<256>("GetFileInformationByHandleEx, 256 KiB"),
    buffer::<1024>("GetFileInformationByHandleEx, 1 MiB"),
];

const fn buffer<const KIB: usize>(name: &'static str) -> Technique {
    Technique { name, subject: BUFFERS, run: by_handle::<KIB> }
}

/// One result of FindFirstFileEx.
struct FindData<'a> {
    name: &'a [u16],
    attributes: u32,
    tag: u32,
    size: u64,
    written: u64,
}

impl FindData<'_> {
    fn is_dots(&self) -> bool {
        const DOT: u16 = b'.' as u16;
        matches!(self.name, [DOT] | [DOT, DOT])
    }

    fn tell(&self, name: &mut Vec<u8>, sink: &mut Receive<'_>) {
        let bytes: Vec<u8> = self.name.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        name.clear();
        wtf8::append_utf16le(name, &bytes);
        sink(row(name, self.attributes, self.tag, self.size, self.written));
    }
}

fn row(name: &[u8], attributes: u32, tag: u32, size: u64, written: u64) -> Hit<'_> {
    let file_type = file_type(attributes, tag);
    let size = if file_type == FileType::Directory { 0 } else { size };
    let mtime = timestamp(written.cast_signed()).unwrap_or(Timestamp { secs: 0, nanos: 0 });
    Hit { name, file_type, size, mtime }
}

fn long(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Lists a directory with FindFirstFileEx.
fn find(
    dir: &Path,
    level: i32,
    flags: u32,
    each: &mut dyn FnMut(&FindData<'_>) -> io::Result<u64>,
) -> io::Result<u64> {
    let pattern = wide_path(&dir.join("*"));
    // SAFETY: zeros are a valid value of this plain structure.
    let mut data: WIN32_FIND_DATAW = unsafe { std::mem::zeroed() };
    let space = (&raw mut data).cast::<c_void>();
    let by_name = FindExSearchNameMatch;
    let none = std::ptr::null();
    // SAFETY: the pattern ends in a zero, and `space` is a place for one result.
    let search = unsafe { FindFirstFileExW(pattern.as_ptr(), level, space, by_name, none, flags) };
    if search == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    let search = FindHandle(search);
    let mut calls = 2;
    loop {
        let end = data.cFileName.iter().position(|unit| *unit == 0).unwrap_or(0);
        let found = FindData {
            name: &data.cFileName[..end],
            attributes: data.dwFileAttributes,
            tag: data.dwReserved0,
            size: long(data.nFileSizeHigh, data.nFileSizeLow),
            written: long(data.ftLastWriteTime.dwHighDateTime, data.ftLastWriteTime.dwLowDateTime),
        };
        if !found.is_dots() {
            calls += each(&found)?;
        }
        // SAFETY: the search is open, and `data` a place for one result.
        if unsafe { FindNextFileW(search.0, &raw mut data) } == 0 {
            let error = io::Error::last_os_error();
            let ended = error.raw_os_error() == Some(ERROR_NO_MORE_FILES.cast_signed());
            return if ended { Ok(calls) } else { Err(error) };
        }
    }
}

struct FindHandle(HANDLE);

impl Drop for FindHandle {
    fn drop(&mut self) {
        // SAFETY: a search handle that is closed once.
        unsafe { FindClose(self.0) };
    }
}

fn find_all(dir: &Path, sink: &mut Receive<'_>, level: i32, flags: u32) -> io::Result<u64> {
    let mut name = Vec::new();
    find(dir, level, flags, &mut |found| {
        found.tell(&mut name, sink);
        Ok(0)
    })
}

/// Asks for one entry by its path.
fn ask(dir: &Path, name: &[u16], tag: u32, sink: &mut Receive<'_>) -> io::Result<u64> {
    let data = attributes_of(&dir.join(OsString::from_wide(name)))?;
    let written = data.ftLastWriteTime;
    let asked = FindData {
        name,
        attributes: data.dwFileAttributes,
        tag,
        size: long(data.nFileSizeHigh, data.nFileSizeLow),
        written: long(written.dwHighDateTime, written.dwLowDateTime),
    };
    asked.tell(&mut Vec::new(), sink);
    Ok(1)
}

/// As std::filesystem has it: `directory_iterator`, and `last_write_time` of each path in turn.
fn in_turn(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    find(dir, FindExInfoBasic, 0, &mut |found| ask(dir, found.name, found.tag, sink))
}

/// The names first, as a program that knows them has them.
fn names_first(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    let mut names = Vec::new();
    let calls = find(dir, FindExInfoBasic, 0, &mut |found| {
        names.push((found.name.to_vec(), found.tag));
        Ok(0)
    })?;
    names.iter().try_fold(calls, |calls, (name, tag)| Ok(calls + ask(dir, name, *tag, sink)?))
}

fn long_names(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    let mut name = Vec::new();
    find(dir, FindExInfoBasic, 0, &mut |found| {
        let path = wide_path(&dir.join(OsString::from_wide(found.name)));
        let mut whole = [0_u16; 4096];
        // SAFETY: the path ends in a zero; `whole` has as many units as the call is told.
        let length =
            unsafe { GetLongPathNameW(path.as_ptr(), whole.as_mut_ptr(), whole.len() as u32) };
        if length == 0 {
            return Err(io::Error::last_os_error());
        }
        found.tell(&mut name, sink);
        Ok(1)
    })
}

fn by_handle<const KIB: usize>(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    enumerate(dir, KIB << 10, sink, &mut |handle, space| {
        let room = size_of_val(space) as u32;
        let place = space.as_mut_ptr().cast::<c_void>();
        let class = FileFullDirectoryInfo;
        // SAFETY: the handle is open, and `place` has room for as many bytes as the call is told.
        let done =
            unsafe { GetFileInformationByHandleEx(handle.as_raw_handle(), class, place, room) };
        if done != 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        let ended = error.raw_os_error() == Some(ERROR_NO_MORE_FILES.cast_signed());
        if ended { Ok(false) } else { Err(error) }
    })
}

type QueryEx = unsafe extern "system" fn(
    HANDLE,
    HANDLE,
    *const c_void,
    *const c_void,
    *mut [usize; 2],
    *mut c_void,
    u32,
    i32,
    u32,
    *const c_void,
) -> i32;

/// NtQueryDirectoryFileEx, which systems before Windows 10 (and Wine 8.0) do not have.
fn query_ex() -> Option<QueryEx> {
    let library: Vec<u16> = "ntdll.dll\0".encode_utf16().collect();
    // SAFETY: the name ends in a zero.
    let library = unsafe { GetModuleHandleW(library.as_ptr()) };
    // SAFETY: a library that every process has loaded, and a name that ends in a zero.
    let function = unsafe { GetProcAddress(library, c"NtQueryDirectoryFileEx".as_ptr().cast()) }?;
    // SAFETY: this is the function's signature, as its documentation has it.
    Some(unsafe { std::mem::transmute::<unsafe extern "system" fn() -> isize, QueryEx>(function) })
}

fn nt_ex(dir: &Path, sink: &mut Receive<'_>) -> io::Result<u64> {
    const FULL: i32 = 2;
    const NO_MORE_FILES: i32 = 0x8000_0006_u32.cast_signed();
    let query = query_ex().ok_or(io::ErrorKind::Unsupported)?;
    enumerate(dir, 64 << 10, sink, &mut |handle, space| {
        let room = size_of_val(space) as u32;
        let place = space.as_mut_ptr().cast::<c_void>();
        let none = std::ptr::null();
        let null_mut = std::ptr::null_mut();
        let mut block = [0_usize; 2];
        let handle = handle.as_raw_handle();
        let block = &raw mut block;
        // SAFETY: as for NtQueryDirectoryFile: an open handle for synchronous calls, places for the
        // status and for `room` bytes.
        match unsafe { query(handle, null_mut, none, none, block, place, room, FULL, 0, none) } {
            NO_MORE_FILES => Ok(false),
            status if status < 0 => Err(error_of(status)),
            _ => Ok(true),
        }
    })
}

/// Lists a directory by a call that fills a buffer and returns whether it did.
fn enumerate(
    dir: &Path,
    capacity: usize,
    sink: &mut Receive<'_>,
    fill: &mut dyn FnMut(BorrowedHandle<'_>, &mut [u64]) -> io::Result<bool>,
) -> io::Result<u64> {
    let handle = open_path(dir, FILE_LIST_DIRECTORY, Links::Follow)?;
    let mut space = vec![0_u64; capacity / 8];
    let mut name = Vec::new();
    let mut calls = 2;
    loop {
        calls += 1;
        if !fill(handle.as_handle(), &mut space)? {
            return Ok(calls);
        }
        let bytes = bytes_of(&space, size_of_val(&space[..]));
        for record in Records::new(bytes, Class::Full) {
            name.clear();
            wtf8::append_utf16le(&mut name, record.name);
            if !matches!(&name[..], b"." | b"..") {
                let found = record.found;
                let written = found.times[2].cast_unsigned();
                sink(row(&name, found.attributes, found.tag, found.size, written));
            }
        }
    }
}
