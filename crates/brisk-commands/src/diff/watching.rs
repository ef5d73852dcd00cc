//! [`Watching`]: what the user sees while files are read.

use std::io;
use std::path::{Path, PathBuf};

use brisk_state::{Reads, Watch};

use super::options::Options;
use crate::front::messages::{Caller, cannot};
use crate::front::progress::{Messenger, grouped};
use crate::show::size::Scale;

/// The characters of the bar.
const WIDTH: u64 = 30;

/// A bar on a terminal, and messages about files that cannot be read.
pub(super) struct Watching {
    sides: Vec<PathBuf>,
    messenger: Messenger,
}

impl Watching {
    pub(super) fn new(options: &Options) -> Watching {
        let messenger = Messenger::new(Caller::Brisk, options.compare.common.progress);
        Watching { sides: options.sides.clone(), messenger }
    }
}

impl Watch for Watching {
    fn read(&self, so_far: &Reads) {
        self.messenger.show(|_| text(so_far));
    }

    fn failed(&self, is_new: bool, below: &Path, why: &io::Error) {
        let file = self.sides[usize::from(is_new)].join(below);
        self.messenger.complain(&cannot("read", &file, why));
    }

    fn done(&self) {
        self.messenger.close();
    }
}

/// How far the comparison has come: `[=======>   ] 70 %, 7.0G of 10G, 1,234 files`.
fn text(so_far: &Reads) -> String {
    let Reads { files, bytes, of_bytes } = *so_far;
    // Files in directories that were renamed are not known beforehand.
    let whole = of_bytes.max(bytes).max(1);
    let share = |parts: u64| (u128::from(bytes) * u128::from(parts) / u128::from(whole)) as usize;
    let bar = "=".repeat(share(WIDTH)) + ">";
    let [bytes, whole] = [bytes, whole].map(|bytes| Scale::BINARY.text(bytes));
    let width = WIDTH as usize + 1;
    format!("[{bar:<width$}] {} %, {bytes} of {whole}, {} files", share(100), grouped(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_long_as_what_is_done() {
        let shown = |bytes, of_bytes| text(&Reads { files: 1234, bytes, of_bytes });
        let empty = " ".repeat(30);
        let half = "=".repeat(15) + ">" + &" ".repeat(15);
        assert_eq!(shown(0, 2048), format!("[>{empty}] 0 %, 0 of 2.0K, 1,234 files"));
        assert_eq!(shown(1024, 2048), format!("[{half}] 50 %, 1.0K of 2.0K, 1,234 files"));
        assert!(shown(3, 2).contains("100 %, 3 of 3,"));
        assert!(shown(0, 0).contains(" 0 %"));
        assert!(shown(u64::MAX, u64::MAX).contains("100 %"));
    }
}
