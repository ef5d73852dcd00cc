//! What commands ask of the operating system beyond files: names of owners, room for arguments, the
//! terminal, how paths are spelled. Chosen here, once; each system provides all of these names.

#[cfg(unix)]
#[path = "unix.rs"]
mod native;
#[cfg(windows)]
#[path = "windows.rs"]
mod native;

pub(crate) use native::{
    HAS_OWNERS, SEPARATOR, absolute, argument_room, group_name, host_name, may_execute,
    prepare_terminal, root, system_configuration, user_configuration, user_name, widen_output,
};
