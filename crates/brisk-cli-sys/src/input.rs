//! When standard input ends, where no call waits for that: a thread reads it and throws it away.

use std::io::Read;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static READS: Once = Once::new();
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Whether standard input has ended; the first call starts the thread, which calls `at_end`.
pub(crate) fn has_ended(at_end: fn()) -> bool {
    READS.call_once(|| drop(std::thread::Builder::new().spawn(move || read(at_end))));
    HAS_ENDED.load(Ordering::Relaxed)
}

fn read(at_end: fn()) {
    let mut buffer = [0; 4096];
    while !matches!(std::io::stdin().read(&mut buffer), Ok(0) | Err(_)) {}
    HAS_ENDED.store(true, Ordering::Relaxed);
    at_end();
}
