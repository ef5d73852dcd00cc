//! The ticks of the clock that file systems stamp changes with.

use std::time::Duration;

/// Lets so many ticks pass that no edit before is in the tick of anything after.
pub fn pass_ticks() {
    pause(Duration::from_millis(60));
}

/// Lets this time pass.
#[expect(clippy::disallowed_methods, reason = "only time ends a tick")]
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
