//! What commands ask of the operating system beyond files: names of owners, room for arguments, the
//! terminal, how paths are spelled. The system is chosen here, once; each system provides all of
//! these names.

use std::path::Path;

pub(crate) mod arguments;
#[cfg(unix)]
#[path = "unix.rs"]
mod native;
#[cfg(windows)]
#[path = "windows.rs"]
mod native;

pub(crate) use brisk_filter::mounted::{FileSystems, device_numbers};
pub(crate) use brisk_filter::system::{group_id, may_execute, user_id};
pub(crate) use native::{
    HAS_MODES, Making, SEPARATOR, absolute, argument_room, ended, group_of, lock, make_link,
    make_private, owner_name, prepare_terminal, replace_by, system_configuration, umask,
    user_cache, user_configuration, user_state, widen_output, write_back, write_error,
    write_output,
};
pub use native::{host_name, root};

/// A user or a group, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    User(u32),
    Group(u32),
}

/// Whether there is a program of this name on PATH, with the system's suffix or without it.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = [program.to_owned(), format!("{program}{}", std::env::consts::EXE_SUFFIX)];
    std::env::split_paths(&path).any(|dir| names.iter().any(|name| dir.join(name).is_file()))
}

/// The current directory, with `/` between components and at the end.
pub(crate) fn current_directory() -> std::io::Result<Vec<u8>> {
    let path = brisk_sys::paths::with_slashes(&std::env::current_dir()?);
    Ok(brisk_sys::slashed::prefix(path))
}

/// The type of the file system that holds the path, from the table of mounts.
pub fn file_system(dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let mounts = brisk_sys::whole::read_text("/proc/self/mounts".as_ref()).ok()?;
    let mount = |line: &str| {
        let mut words = line.split(' ');
        let place = words.nth(1)?;
        dir.starts_with(place).then_some((place.len(), words.next()?.to_owned()))
    };
    mounts.lines().filter_map(mount).max_by_key(|(length, _)| *length).map(|(_, kind)| kind)
}
