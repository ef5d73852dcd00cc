//! How much space a command's arguments may take up.
//!
//! The kernel counts the bytes of all arguments and of the environment, with a zero byte and a
//! pointer for each, against a share of the stack limit. It also refuses any single argument of 32
//! pages or more.

use std::ffi::OsStr;

use crate::system;

/// Room for arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// The most bytes that all arguments together may take, as [`cost`] counts.
    pub(crate) total: usize,
    /// The most bytes of one argument.
    pub(crate) longest: usize,
}

/// The most bytes that are used, however large the stack's limit is: three quarters of Linux's
/// standard stack, which is what the kernel grants at most.
const MOST: usize = 6 << 20;

/// Bytes that POSIX wants left free, for a command that adds to its environment.
const HEADROOM: usize = 2048;

/// The bytes that one argument takes.
pub(crate) fn cost(argument: &OsStr) -> usize {
    argument.len() + 1 + size_of::<usize>()
}

impl Room {
    /// The room that the system grants, less what the environment takes. On Linux this reads the
    /// stack's limit.
    pub(crate) fn granted() -> Room {
        let (most, longest) = system::argument_room();
        let environment: usize =
            std::env::vars_os().map(|(name, value)| cost(&name) + cost(&value)).sum();
        let total = most.min(MOST).saturating_sub(environment + HEADROOM);
        Room { total, longest }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// Fills the room to the last byte with arguments of one size, and has the kernel take them.
    #[test]
    fn the_kernel_takes_what_fits() {
        let room = Room::granted();
        for length in [1, 100, room.longest] {
            let argument = "x".repeat(length);
            let count = (room.total - cost(OsStr::new("true"))) / cost(OsStr::new(&argument));
            let mut command = Command::new("true");
            command.args(std::iter::repeat_n(&argument, count)).stdin(Stdio::null());
            assert!(command.status().is_ok_and(|status| status.success()), "{length}");
        }
        let mut command = Command::new("true");
        let too_long = command.arg("x".repeat(room.longest + 1)).status();
        assert!(too_long.is_err());
    }
}
