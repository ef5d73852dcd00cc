//! Damage that the decoder of Parquet answers with a panic: pages without a checksum may hold
//! lengths and indexes that make no sense.

use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::process;
use std::sync::Arc;

use brisk_commands::internal::{Caller, quoted};
use brisk_table::Unusable;

/// The exit code where something cannot be compared.
const TROUBLE: i32 = 2;

/// What a program does when a thread panics.
type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// While this lives, a panic of the decoder ends the program with the message that the table is
/// damaged. Released programs abort at a panic, so nothing could be caught.
pub(super) struct Expected(Arc<Hook>);

impl Expected {
    /// Expects damage in the table with this name.
    pub fn of(path: &Path) -> Expected {
        let usual: Arc<Hook> = panic::take_hook().into();
        let hook = usual.clone();
        let message = format!("{}: {}", quoted(path), Unusable::Damaged);
        panic::set_hook(Box::new(move |panic| {
            if panic.location().is_some_and(|location| is_decoder(location.file())) {
                Caller::Brisk.complain(&message);
                process::exit(TROUBLE);
            }
            hook(panic);
        }));
        Expected(usual)
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        let usual = self.0.clone();
        panic::set_hook(Box::new(move |panic| usual(panic)));
    }
}

/// Whether a source file belongs to the decoder, or to what it decodes into.
fn is_decoder(file: &str) -> bool {
    let is_of = |part: &str| part.starts_with("parquet") || part.starts_with("arrow");
    file.split(['/', '\\']).any(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decoder_is_told_by_its_path() {
        assert!(is_decoder("/home/u/.cargo/registry/src/index/parquet-60.1.0/src/file/reader.rs"));
        assert!(is_decoder("vendor\\arrow-array\\src\\lib.rs"));
        assert!(!is_decoder("crates/brisk-table/src/reader.rs"));
        assert!(!is_decoder("library/core/src/num/mod.rs"));
    }
}
