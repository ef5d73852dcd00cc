//! Tables, in a build without them.

use std::path::Path;

use brisk_state::Input;

use crate::common::tables;

/// Says that this build reads no tables.
pub(super) fn open(_: &Path) -> Result<Input, String> {
    Err(tables::MISSING.to_owned())
}
