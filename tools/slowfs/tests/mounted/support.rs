//! What the tests of slowfs share besides testkit.

use std::path::Path;
use std::process::Command;

use testkit::Mounted;

/// The program under test.
pub fn slowfs() -> Command {
    Command::new(testkit::slowfs_program())
}

/// Mounts with these flags, separated by spaces.
pub fn mount(flags: &str) -> Mounted {
    Mounted::new("slowfs", flags).expect("mounted, since /dev/fuse can be opened")
}

/// All names in a directory, in the order they are listed.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = dir.read_dir().expect("a directory");
    entries.map(|e| e.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}
