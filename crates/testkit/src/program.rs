//! The programs under test.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::contained::outside;

/// The program under test: `$BRISK_BINARY`, or the `brisk` that cargo built for this test.
pub fn brisk() -> &'static str {
    static BRISK: LazyLock<String> = LazyLock::new(|| {
        let path = std::env::var_os("BRISK_BINARY").map_or_else(|| built("brisk"), PathBuf::from);
        // Tests run the program from other directories.
        let path = std::path::absolute(path).unwrap();
        assert!(path.exists(), "there is no {}", path.display());
        path.into_os_string().into_string().unwrap()
    });
    &BRISK
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
