//! Extended attributes of an entry, relative to its directory's handle: by getxattrat and
//! listxattrat (Linux 6.13), or by the older calls through `/proc/self/fd` where those are missing.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

use super::call::{Known, outcome, retry};
use super::open::Dir;
use crate::{Attributes, Links, Xattr};

/// The numbers of the system calls, which libc does not name yet. From openat2 on, calls have the
/// same order on every architecture.
const SYS_GETXATTRAT: libc::c_long = libc::SYS_openat2 + 27;
const SYS_LISTXATTRAT: libc::c_long = libc::SYS_openat2 + 28;

/// Whether the kernel has getxattrat. A kernel that has it answers EINVAL to a structure of size 0
/// before it looks at names.
static GETXATTRAT: Known = Known::new(|| {
    let null = std::ptr::null::<u8>();
    // SAFETY: the kernel refuses the size, and neither reads nor writes anything.
    outcome(unsafe { libc::syscall(SYS_GETXATTRAT, -1, null, 0, null, null, 0) })
});

/// Whether the kernel has listxattrat. A kernel that has it answers EINVAL to unknown flags.
static LISTXATTRAT: Known = Known::new(|| {
    let null = std::ptr::null::<u8>();
    // SAFETY: the kernel refuses the flags, and neither reads nor writes anything.
    outcome(unsafe { libc::syscall(SYS_LISTXATTRAT, -1, null, -1, null, 0) })
});

/// The names of the attributes that hold access lists, capabilities and the security context.
const ACCESS_LIST: &CStr = c"system.posix_acl_access";
const CAPABILITY: &CStr = c"security.capability";
const CONTEXT: &CStr = c"security.selinux";

/// The size, in bytes, of the first space for a file's names. Longer lists are rare.
const NAMES: usize = 1024;

/// The entry that a call is about.
#[derive(Clone, Copy)]
struct EntryAt<'a> {
    dir: BorrowedFd<'a>,
    name: &'a CStr,
    links: Links,
}

impl<'a> EntryAt<'a> {
    fn new(dir: &'a Dir, name: &'a CStr, links: Links) -> EntryAt<'a> {
        EntryAt { dir: dir.fd(), name, links }
    }
}

/// The kernel's `struct xattr_args`, which getxattrat takes instead of a buffer.
#[repr(C)]
struct Arguments {
    value: u64,
    size: u32,
    flags: u32,
}

impl Dir {
    pub(crate) fn stores_attributes(&self, name: &CStr, links: Links) -> bool {
        let entry = EntryAt::new(self, name, links);
        let lacks = |attribute| get(entry, attribute, &mut []) == Err(Errno::NOTSUP);
        ![ACCESS_LIST, CONTEXT, CAPABILITY].into_iter().all(lacks)
    }

    pub(crate) fn attributes(&self, name: &CStr, links: Links) -> io::Result<Xattr<Attributes>> {
        let entry = EntryAt::new(self, name, links);
        told(whole(&mut [0; NAMES], |room| list(entry, room), from_names))
    }

    pub(crate) fn has_capability(&self, name: &CStr, links: Links) -> io::Result<Xattr<bool>> {
        // The value does not matter. A size of 0 asks for its length alone.
        match get(EntryAt::new(self, name, links), CAPABILITY, &mut []) {
            Err(Errno::NODATA) => Ok(Xattr::Known(false)),
            other => told(other.map(|_| true)),
        }
    }

    pub(crate) fn context(
        &self,
        name: &CStr,
        links: Links,
    ) -> io::Result<Xattr<Option<Box<[u8]>>>> {
        let entry = EntryAt::new(self, name, links);
        let found = whole(&mut [0; 256], |room| get(entry, CONTEXT, room), text);
        match found {
            Err(Errno::NODATA) => Ok(Xattr::Known(None)),
            found => told(found.map(Some)),
        }
    }
}

/// What `of` makes of an answer, which is read into `room` or, if it is longer, into 64 KiB: Linux's
/// bound on values and on lists of names.
fn whole<T>(
    room: &mut [u8],
    read: impl Fn(&mut [u8]) -> Result<usize, Errno>,
    of: fn(&[u8]) -> T,
) -> Result<T, Errno> {
    match read(room) {
        Err(Errno::RANGE) => {
            let mut room = vec![0; 64 << 10];
            read(&mut room).map(|length| of(&room[..length]))
        }
        answer => answer.map(|length| of(&room[..length])),
    }
}

/// What a list of names says about a file. Each name ends in a NUL.
fn from_names(names: &[u8]) -> Attributes {
    let mut attributes = Attributes::default();
    for name in names.split(|&byte| byte == 0) {
        match name {
            b"system.posix_acl_access" | b"system.posix_acl_default" => attributes.acl = true,
            b"security.selinux" => attributes.context = true,
            b"security.capability" => attributes.capability = true,
            _ => {}
        }
    }
    attributes
}

/// A context without the NUL with which it is stored.
fn text(value: &[u8]) -> Box<[u8]> {
    Box::from(value.strip_suffix(b"\0").unwrap_or(value))
}

/// Separates the answer of a file system without such attributes (ENOTSUP) from other errors.
fn told<T>(answer: Result<T, Errno>) -> io::Result<Xattr<T>> {
    match answer {
        Ok(answer) => Ok(Xattr::Known(answer)),
        Err(Errno::NOTSUP) => Ok(Xattr::Unsupported),
        Err(error) => Err(error.into()),
    }
}

/// Reads an attribute's value and returns its length. If `value` is empty, the length alone.
fn get(entry: EntryAt<'_>, attribute: &CStr, value: &mut [u8]) -> Result<usize, Errno> {
    if let Some(answer) = GETXATTRAT.call(|| get_at(entry, attribute, value)) {
        return answer;
    }
    let path = path(entry)?;
    retry(|| match (entry.links, value.is_empty()) {
        (Links::Follow, true) => rustix::fs::getxattr_query(&path, attribute),
        (Links::Follow, false) => rustix::fs::getxattr(&path, attribute, &mut *value),
        (Links::NoFollow, true) => rustix::fs::lgetxattr_query(&path, attribute),
        (Links::NoFollow, false) => rustix::fs::lgetxattr(&path, attribute, &mut *value),
    })
}

/// Reads the list of names and returns its length.
fn list(entry: EntryAt<'_>, names: &mut [u8]) -> Result<usize, Errno> {
    if let Some(answer) = LISTXATTRAT.call(|| list_at(entry, names)) {
        return answer;
    }
    let path = path(entry)?;
    retry(|| match entry.links {
        Links::Follow => rustix::fs::listxattr(&path, &mut *names),
        Links::NoFollow => rustix::fs::llistxattr(&path, &mut *names),
    })
}

/// A path through the handle, which still leads to the open directory after a rename.
fn path(entry: EntryAt<'_>) -> Result<CString, Errno> {
    let fd = entry.dir.as_raw_fd();
    if fd == libc::AT_FDCWD {
        return Ok(entry.name.to_owned());
    }
    let mut path = format!("/proc/self/fd/{fd}/").into_bytes();
    path.extend_from_slice(entry.name.to_bytes());
    CString::new(path).map_err(|_| Errno::INVAL)
}

fn at_flags(links: Links) -> libc::c_int {
    match links {
        Links::Follow => 0,
        Links::NoFollow => libc::AT_SYMLINK_NOFOLLOW,
    }
}

fn get_at(entry: EntryAt<'_>, attribute: &CStr, value: &mut [u8]) -> Result<usize, Errno> {
    let arguments = Arguments {
        value: value.as_mut_ptr() as u64,
        size: u32::try_from(value.len()).unwrap_or(u32::MAX),
        flags: 0,
    };
    // SAFETY: both strings end in a NUL and outlive the call. The kernel reads no more of
    // `arguments` than the size it is passed, and writes at most `size` bytes to `value`, which is
    // borrowed exclusively.
    outcome(unsafe {
        libc::syscall(
            SYS_GETXATTRAT,
            entry.dir.as_raw_fd(),
            entry.name.as_ptr(),
            at_flags(entry.links),
            attribute.as_ptr(),
            &raw const arguments,
            size_of::<Arguments>(),
        )
    })
}

fn list_at(entry: EntryAt<'_>, names: &mut [u8]) -> Result<usize, Errno> {
    // SAFETY: the name ends in a NUL and outlives the call; the kernel writes at most `names.len()`
    // bytes to `names`, which is borrowed exclusively.
    outcome(unsafe {
        libc::syscall(
            SYS_LISTXATTRAT,
            entry.dir.as_raw_fd(),
            entry.name.as_ptr(),
            at_flags(entry.links),
            names.as_mut_ptr(),
            names.len(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide() {
        let none = Attributes::default();
        let list = b"user.x\0security.selinux\0";
        assert_eq!(from_names(b""), none);
        assert_eq!(from_names(b"user.security.capability\0"), none);
        assert_eq!(from_names(list), Attributes { context: true, ..none });
        assert_eq!(from_names(b"system.posix_acl_default\0"), Attributes { acl: true, ..none });
        assert_eq!(from_names(b"security.capability\0"), Attributes { capability: true, ..none });
    }

    /// `/proc` has lists of names, and `security.selinux` where the kernel has such contexts.
    #[test]
    fn a_file_system_is_asked_whether_it_stores_any() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        std::fs::write(scratch.path().join("file"), "").expect("a file");
        let stores = |path: &std::path::Path, name| {
            Dir::open(path, Links::NoFollow)
                .expect("opens")
                .stores_attributes(name, Links::NoFollow)
        };
        assert!(stores(scratch.path(), c"file"));
        // A missing file says nothing of its file system.
        assert!(stores(scratch.path(), c"missing"));
        if !std::path::Path::new("/sys/fs/selinux/enforce").exists() {
            assert!(!stores("/proc".as_ref(), c"version"));
        }
    }

    fn set(path: &std::path::Path, name: &str, value: &[u8]) -> Result<(), Errno> {
        rustix::fs::setxattr(path, name, value, rustix::fs::XattrFlags::empty())
    }

    /// The new calls and the old ones must give the same answers. An older kernel has the old ones
    /// alone.
    #[test]
    fn both_ways_tell_the_same() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let path = scratch.path().join("file");
        std::fs::write(&path, "").expect("a file");
        std::os::unix::fs::symlink("file", scratch.path().join("link")).expect("a link");
        // Version 2, effective, cap_net_raw permitted.
        let raw: Vec<u8> =
            [0x0200_0001_u32, 1 << 13, 0, 0, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
        let capable = set(&path, "security.capability", &raw).is_ok();
        let labelled = set(&path, "security.selinux", b"a:b:c\0").is_ok();
        let long = set(&path, &format!("user.{}", "x".repeat(200)), b"1").is_ok();
        let dir = Dir::open(scratch.path(), Links::NoFollow).expect("the directory");
        for way in 0..2 {
            let ask = |name: &CStr, links| {
                let list = dir.attributes(name, links).expect("listed");
                let capability = dir.has_capability(name, links).expect("asked");
                let context = dir.context(name, links).expect("asked");
                (list, capability, context)
            };
            let full = Attributes { acl: false, context: labelled, capability: capable };
            let label = labelled.then(|| Box::from(*b"a:b:c"));
            let expected = (Xattr::Known(full), Xattr::Known(capable), Xattr::Known(label));
            assert_eq!(ask(c"file", Links::NoFollow), expected, "{way} {long}");
            assert_eq!(ask(c"link", Links::Follow), expected, "{way}");
            let Xattr::Known(of_link) = ask(c"link", Links::NoFollow).0 else {
                panic!("the file system has attributes");
            };
            assert_eq!(of_link, Attributes::default(), "{way}");
            let missing = dir.attributes(c"missing", Links::NoFollow).expect_err("no such file");
            assert_eq!(missing.kind(), io::ErrorKind::NotFound, "{way}");
            GETXATTRAT.forget_call();
            LISTXATTRAT.forget_call();
        }
    }

    /// An access list: the owner rw-, user 1 r--, the group, the mask and others r--.
    fn access_list() -> Vec<u8> {
        let entry = |tag: u16, perm: u16, id: u32| {
            [&tag.to_le_bytes()[..], &perm.to_le_bytes(), &id.to_le_bytes()].concat()
        };
        let entries = [(1, 6, u32::MAX), (2, 4, 1), (4, 4, u32::MAX), (16, 4, u32::MAX)];
        let entries = entries.map(|(tag, perm, id)| entry(tag, perm, id)).concat();
        [&2_u32.to_le_bytes()[..], &entries, &entry(32, 4, u32::MAX)].concat()
    }

    /// The kernel refuses a list of names that does not fit; nothing in it may be missed then.
    #[test]
    fn names_that_need_much_room_are_read_whole() {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let path = scratch.path().join("file");
        std::fs::write(&path, "").expect("a file");
        for number in 0..6 {
            let name = format!("user.{number}{}", "x".repeat(200));
            if set(&path, &name, b"1").is_err() {
                return testkit::left_out("long names", "no user attributes here");
            }
        }
        if let Err(error) = set(&path, "system.posix_acl_access", &access_list()) {
            return testkit::left_out("long names", &format!("no access lists here: {error}"));
        }
        let dir = Dir::open(scratch.path(), Links::NoFollow).expect("the directory");
        let told = dir.attributes(c"file", Links::NoFollow).expect("listed");
        assert_eq!(told, Xattr::Known(Attributes { acl: true, ..Attributes::default() }));
    }
}
