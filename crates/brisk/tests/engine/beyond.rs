//! Metadata that statx does not report: links' targets, access lists, capabilities, contexts; and
//! devices without extended attributes, which are asked once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use brisk::{Access, Backend, DirEntry, Fields, Follow, Target, Walk};
use rustix::fs::{XattrFlags, setxattr};
use testkit::left_out;

use crate::record::{Mode, ORDERS, Rules, run};
use crate::tree::grow;

const ALL: Fields = Fields::LINK_TARGET
    .union(Fields::TARGET)
    .union(Fields::CAPS)
    .union(Fields::ACCESS)
    .union(Fields::CONTEXT);

/// Every type, links of every kind, and attributes as far as this user may set them.
fn plant(place: &Path) {
    grow(
        place,
        "d/ d/plain d/able d/listed d/marked d/p| d/sub/ d/l->plain d/up->.. d/n->nowhere \
        d/chain->l d/loop->loop d/deep->../d/sub",
    );
    fs::set_permissions(place.join("d/plain"), fs::Permissions::from_mode(0o4751)).expect("chmod");
    // Version 2, effective, cap_net_raw permitted.
    let caps: Vec<u8> =
        [0x0200_0001_u32, 1 << 13, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    set(&place.join("d/able"), "security.capability", &caps);
    set(&place.join("d/marked"), "security.selinux", b"u:r:t\0");
    // Version 2; owner rw-, user 1 r--, group r--, mask r--, others r--.
    let entry = |tag: u16, perm: u16, id: u32| {
        [&tag.to_le_bytes()[..], &perm.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    let none = u32::MAX;
    let entries = [
        entry(1, 6, none),
        entry(2, 4, 1),
        entry(4, 4, none),
        entry(16, 4, none),
        entry(32, 4, none),
    ];
    let acl = [&2_u32.to_le_bytes()[..], &entries.concat()].concat();
    set(&place.join("d/listed"), "system.posix_acl_access", &acl);
    set(&place.join("d/sub"), "system.posix_acl_default", &acl);
}

fn set(path: &Path, name: &str, value: &[u8]) {
    if let Err(error) = setxattr(path, name, value, XattrFlags::empty()) {
        left_out(name, &error.to_string());
    }
}

/// What std and the kernel report for one entry, one question after the other.
fn asked(path: &Path) -> String {
    let link = fs::read_link(path).ok();
    let target = link.as_ref().map(|_| match fs::metadata(path) {
        Ok(meta) => Target::Mode(meta.permissions().mode()),
        Err(_) => Target::Dangling,
    });
    let has = |name: &str| rustix::fs::lgetxattr_query(path, name).is_ok();
    let access = if has("system.posix_acl_access") || has("system.posix_acl_default") {
        Access::Acl
    } else if has("security.selinux") {
        Access::Context
    } else {
        Access::Plain
    };
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    let caps = is_file.then(|| has("security.capability"));
    let context = has("security.selinux").then_some("u:r:t");
    format!("{} {link:?} {target:?} {caps:?} {access:?} {context:?}", path.display())
}

fn reported(entry: Result<DirEntry, brisk::Error>) -> String {
    let entry = entry.expect("no error");
    let meta = entry.meta().expect("metadata");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let link = meta.link_target().map(text);
    let context = meta.context().map(text);
    let access = meta.access().expect("asked for");
    let target = meta.target();
    let caps = meta.has_capability();
    format!("{} {link:?} {target:?} {caps:?} {access:?} {context:?}", entry.path().display())
}

#[test]
fn links_and_attributes_as_the_system_reports_them_one_by_one() {
    let place = tempfile::tempdir().expect("a scratch directory");
    plant(place.path());
    let root = place.path().join("d");
    let mut expected: Vec<String> =
        fs::read_dir(&root).expect("listed").map(|e| asked(&e.expect("an entry").path())).collect();
    expected.sort();
    for order in ORDERS {
        let walk = || Walk::new(&root).order(order).min_depth(1).max_depth(1);
        let mut serial: Vec<String> = walk().iter_with(ALL).map(reported).collect();
        serial.sort();
        assert_eq!(serial, expected, "{order:?}");
        let parallel = walk().par_iter(ALL | Fields::MODE);
        let mut parallel: Vec<String> = parallel.map(reported).collect();
        parallel.sort();
        assert_eq!(parallel, expected, "{order:?}");
    }
}

/// A field that is not asked for, or that does not apply, is not filled.
#[test]
fn only_what_applies_is_filled() {
    let place = tempfile::tempdir().expect("a scratch directory");
    plant(place.path());
    for fields in [Fields::TARGET, Fields::LINK_TARGET, Fields::CAPS, Fields::ACCESS] {
        let walk = Walk::new(place.path().join("d")).min_depth(1);
        for entry in walk.iter_with(fields).map(|entry| entry.expect("no error")) {
            let applies = match fields {
                Fields::CAPS => entry.file_type() == brisk::FileType::File,
                Fields::ACCESS => true,
                _ => entry.file_type() == brisk::FileType::Symlink,
            };
            let filled = entry.meta().map_or(Fields::empty(), |meta| meta.filled());
            let wrong = format!("{fields:?} of {}: {filled:?}", entry.path().display());
            assert_eq!(filled.contains(fields), applies, "{wrong}");
            assert!((fields | Fields::CAPS).contains(filled), "{wrong}");
        }
    }
}

/// The portable backend reports for links what std reports, and no attributes.
#[test]
fn the_portable_backend_says_what_it_knows() {
    let place = tempfile::tempdir().expect("a scratch directory");
    plant(place.path());
    let walk = |backend| Walk::new(place.path().join("d")).min_depth(1).backend(backend);
    let look = |entry: Result<DirEntry, brisk::Error>| {
        let entry = entry.expect("no error");
        let meta = entry.meta().cloned().unwrap_or_default();
        let link = meta.link_target().map(<[u8]>::to_vec);
        (entry.path().to_owned(), link, meta.target(), meta.access(), meta.has_capability())
    };
    let mut native: Vec<_> = walk(Backend::Native).iter_with(ALL).map(look).collect();
    let mut portable: Vec<_> = walk(Backend::Portable).iter_with(ALL).map(look).collect();
    native.sort_by(|a, b| a.0.cmp(&b.0));
    portable.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!((native.len(), portable.len()), (12, 12));
    for (native, portable) in native.into_iter().zip(portable) {
        let expected = (native.0, native.1, native.2, None, None);
        assert_eq!(portable, expected);
    }
}

/// Following a link shows where it leads; a link that leads nowhere is not tried again.
#[test]
fn a_link_that_could_not_be_followed_is_dangling() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), "d/ d/f d/l->f d/n->nowhere");
    let walk = Walk::new(place.path().join("d")).min_depth(1).follow(Follow::Always);
    let mut found: Vec<_> = walk
        .iter_with(Fields::TARGET)
        .map(|entry| entry.expect("no error"))
        .map(|entry| (entry.file_name().to_owned(), entry.meta().and_then(brisk::Meta::target)))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = [("f", None), ("l", None), ("n", Some(Target::Dangling))];
    assert_eq!(found, expected.map(|(name, target)| (name.into(), target)));
}

/// proc keeps no attributes. Whether the device comes with the entry or is asked for, one request
/// each way suffices.
#[test]
fn a_device_without_attributes_is_asked_once() {
    let sysctl = Path::new("/proc/sys/net");
    let files = Walk::new(sysctl).into_iter().filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_type() == brisk::FileType::File)
    });
    if files.count() < 20 {
        return left_out("a_device_without_attributes_is_asked_once", "no /proc/sys/net");
    }
    for order in ORDERS {
        let ask = |fields| {
            let rules = Rules { fields, ..Rules::default() };
            run(Walk::new(sysctl).order(order), Mode::Serial, rules)
        };
        let outcome = ask(Fields::CAPS | Fields::MODE);
        let found = outcome.found.len() as u64;
        let calls = outcome.stats().calls;
        assert_eq!((calls.xattr, calls.stat), (1, found), "{order:?}");
        // Without a stat of the entries, each directory's device is asked for.
        let calls = ask(Fields::CAPS).stats().calls;
        assert_eq!(calls.xattr, 1, "{order:?}");
        assert!(calls.stat <= 1 + calls.open, "{order:?}: {calls:?}");
    }
}
