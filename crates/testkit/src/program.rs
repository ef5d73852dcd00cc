//! The programs under test.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::contained::outside;
use crate::required::left_out;

/// The program under test: `$BRISK_BINARY`, or the `brisk` that cargo built for this test.
pub fn brisk() -> &'static str {
    static BRISK: LazyLock<String> = LazyLock::new(|| there(place()));
    &BRISK
}

/// The program beside it that writes and reads tables.
pub fn brisk_scan() -> &'static str {
    static BRISK_SCAN: LazyLock<String> =
        LazyLock::new(|| there(place().with_file_name("brisk-scan")));
    &BRISK_SCAN
}

/// Whether `brisk` can write and read tables. Otherwise a test is left out: cargo builds the programs
/// of the packages that are tested, and brisk-scan is in a package of its own.
pub fn has_tables(test: &str) -> bool {
    let is_here = place().with_file_name("brisk-scan").exists();
    if !is_here {
        left_out(test, "there is no brisk-scan (cargo build -p brisk-scan)");
    }
    is_here
}

fn place() -> PathBuf {
    std::env::var_os("BRISK_BINARY").map_or_else(|| built("brisk"), PathBuf::from)
}

/// The path of a program, which tests run from other directories.
fn there(path: PathBuf) -> String {
    let path = std::path::absolute(path).unwrap();
    assert!(path.exists(), "there is no {}: see cargo build --workspace", path.display());
    path.into_os_string().into_string().unwrap()
}

/// The slowfs program: `$SLOWFS`, or built now.
pub fn slowfs_program() -> &'static Path {
    static SLOWFS: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(path) = std::env::var_os("SLOWFS") {
            return path.into();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = outside(&cargo)
            .args(["build", "--quiet", "--package", "slowfs", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml"))
            .status();
        assert!(status.is_ok_and(|status| status.success()), "cargo build -p slowfs");
        built("slowfs")
    });
    &SLOWFS
}

/// A program of this workspace. Tests are built into `deps` beside it.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join(name)
}
