//! A directory with everything that a colour can depend on.

use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, XattrFlags, mknodat, setxattr};

/// File names, some of which match suffix rules in one case or another.
const NAMES: [&str; 22] = [
    "plain",
    "a.tar",
    "b.TAR",
    "c.Tar",
    ".tar",
    "tar",
    "a.tar.gz",
    "a.gz",
    "README",
    "readme",
    "xReadme",
    "backup~",
    "a b.c",
    "-dash",
    "new\nline",
    "esc\u{1b}[31m",
    "tab\there",
    "größe.JPG",
    "x.jpg",
    "ends.",
    "=",
    "*",
];

const FILE_MODES: [u32; 10] =
    [0o644, 0o755, 0o4755, 0o2755, 0o6755, 0o1755, 0o666, 0o001, 0o4644, 0o000];
const DIRECTORY_MODES: [u32; 8] = [0o755, 0o777, 0o1755, 0o1777, 0o2755, 0o700, 0o002, 0o1002];

/// Link and target.
const LINKS: [(&str, &str); 22] = [
    ("to-plain", "plain"),
    ("to-tar", "a.tar"),
    ("to-plain.tar", "plain"),
    ("to-exec", "f-755"),
    ("to-exec.tar", "f-755.tar"),
    ("to-setuid", "f-4755"),
    ("to-setgid", "f-2755"),
    ("to-dir", "d-755"),
    ("to-open-dir", "d-777"),
    ("to-sticky-dir", "d-1755"),
    ("to-sticky-open-dir", "d-1777"),
    ("to-self", "."),
    ("to-fifo", "fifo"),
    ("to-socket", "socket"),
    ("to-null", "/dev/null"),
    ("to-twice", "twice"),
    ("to-capable", "capable"),
    ("dangling", "nowhere"),
    ("dangling.tar", "nowhere.gz"),
    ("chain", "to-exec"),
    ("broken-chain", "dangling"),
    ("loop", "loop"),
];

pub fn plant(place: &Path) {
    for name in NAMES {
        File::create(place.join(name)).expect("a file");
    }
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe.tar");
    File::create(place.join(odd)).expect("a file");
    for mode in FILE_MODES {
        for end in ["", ".tar"] {
            let path = place.join(format!("f-{mode:o}{end}"));
            File::create(&path).expect("a file");
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("chmod");
        }
    }
    for mode in DIRECTORY_MODES {
        let path = place.join(format!("d-{mode:o}"));
        fs::create_dir(&path).expect("a directory");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("chmod");
    }
    for (link, target) in LINKS {
        symlink(target, place.join(link)).expect("a link");
    }
    for (first, second) in [
        ("twice", "twice.tar"),
        ("to-plain", "second-link"),
        ("f-755", "exec-twice"),
        ("dangling", "dangling-twice"),
    ] {
        if !place.join(first).is_symlink() && !place.join(first).exists() {
            File::create(place.join(first)).expect("a file");
        }
        fs::hard_link(place.join(first), place.join(second)).expect("a hard link");
    }
    special(place);
}

/// Sockets, FIFOs and, where this user may make them, devices.
fn special(place: &Path) {
    drop(UnixListener::bind(place.join("socket")).expect("a socket"));
    drop(UnixListener::bind(place.join("socket.tar")).expect("a socket"));
    for (name, kind, mode, number) in [
        ("fifo", FileType::Fifo, 0o644, 0),
        ("fifo.tar", FileType::Fifo, 0o755, 0),
        ("char", FileType::CharacterDevice, 0o666, rustix::fs::makedev(1, 3)),
        ("block", FileType::BlockDevice, 0o600, rustix::fs::makedev(7, 200)),
    ] {
        let made = mknodat(CWD, place.join(name), kind, Mode::from_raw_mode(mode), number);
        if let Err(error) = made {
            testkit::left_out(name, &error.to_string());
        }
    }
}

/// Makes files with capabilities, where this user may.
pub fn capable(place: &Path) {
    // Version 2, effective, cap_net_raw permitted.
    let value: Vec<u8> =
        [0x0200_0001_u32, 1 << 13, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    for (name, mode) in
        [("capable", 0o644), ("capable-exec.tar", 0o755), ("capable-setuid", 0o4755)]
    {
        let path = place.join(name);
        File::create(&path).expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("chmod");
        if let Err(error) = setxattr(&path, "security.capability", &value, XattrFlags::empty()) {
            testkit::left_out("capabilities", &error.to_string());
        }
    }
}
