//! One line on standard error about how far a command has come. No thread of its own draws the
//! line: the worker that has just finished a piece of work draws it.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::front::When;
use crate::front::messages::Caller;
use crate::show::size::Scale;
use crate::write::out;
use brisk_sys::threads::lock;

/// How long a command runs before its progress is shown: most have ended by then.
const FIRST_PROGRESS: Duration = Duration::from_millis(500);
/// The time between two updates, in milliseconds: ten a second look like motion.
const STEP: u64 = 100;
/// The time between two lines where there is no terminal, in milliseconds.
const LINE_STEP: u64 = 1000;
/// Moves to the beginning of the terminal's line, and clears it.
const CLEAR: &str = "\r\x1b[K";

/// The line, on a terminal. It is removed when this is dropped.
#[derive(Default)]
pub(crate) struct ProgressLine {
    is_shown: bool,
}

impl ProgressLine {
    /// Shows `text` in place of what was shown before, if standard error is a terminal.
    pub(crate) fn show(&mut self, text: &str) {
        if io::stderr().is_terminal() {
            self.is_shown = true;
            write(&format!("{CLEAR}{text}"));
        }
    }

    /// Removes the line, if it is shown.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            write(CLEAR);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What the workers of a command report to the user: failures, and the progress. On a terminal the
/// progress is one line that is drawn again and again; elsewhere it is a message each second.
pub struct Messenger {
    caller: Caller,
    has_failed: AtomicBool,
    entries: AtomicU64,
    bytes: AtomicU64,
    display: Option<Display>,
}

/// Where the progress is shown.
struct Display {
    on_terminal: bool,
    began: Instant,
    /// When the next update is due, in milliseconds since the command began.
    due: AtomicU64,
    line: Mutex<ProgressLine>,
}

impl Messenger {
    /// `progress`: when to show how much is done; by default on a terminal.
    pub fn new(caller: Caller, progress: When) -> Messenger {
        Messenger::if_free(caller, progress, || true)
    }

    /// As [`new`](Messenger::new), for a command that may print something else on the terminal: by
    /// default the progress is shown if `is_free` says that it does not. Under the names of other
    /// programs it is shown only if the user asks, except for rm.
    pub fn if_free(caller: Caller, progress: When, is_free: impl FnOnce() -> bool) -> Messenger {
        let shows = matches!(caller, Caller::Brisk | Caller::Rm);
        let is_shown = progress.is_on(|| shows && io::stderr().is_terminal() && is_free());
        Messenger {
            caller,
            has_failed: AtomicBool::default(),
            entries: AtomicU64::default(),
            bytes: AtomicU64::default(),
            display: is_shown.then(|| Display::new(progress == When::Always)),
        }
    }

    /// Prints a message. The exit code says so too.
    #[cold]
    pub fn complain(&self, message: &str) {
        self.fail(|| self.caller.complain(message));
    }

    /// Notes that something failed, and calls `print` to say so.
    pub(crate) fn fail(&self, print: impl FnOnce()) {
        self.has_failed.store(true, Relaxed);
        self.print_between(print);
    }

    /// Whether something failed.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Relaxed)
    }

    /// Removes the progress, and calls `print` to print something else.
    pub(crate) fn print_between(&self, print: impl FnOnce()) {
        let mut line = self.display.as_ref().map(|display| lock(&display.line));
        if let Some(line) = &mut line {
            line.clear();
        }
        print();
    }

    /// Whether the progress is shown, on a terminal or because the user asked.
    pub(crate) fn shows_progress(&self) -> bool {
        self.display.is_some()
    }

    /// Removes the progress.
    pub fn close(&self) {
        self.print_between(|| {});
    }

    /// Adds entries that a worker has met, and their bytes, if these are known, and shows the
    /// progress.
    #[inline]
    pub fn add(&self, entries: u64, bytes: u64) {
        if self.display.is_some() {
            self.count(entries, bytes);
        }
    }

    // Apart from `add`: a run without a progress does not load the page that this is on.
    #[cold]
    fn count(&self, entries: u64, bytes: u64) {
        let entries = self.entries.fetch_add(entries, Relaxed) + entries;
        let bytes = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        self.show(|time| {
            let number = grouped(entries);
            let rate = grouped(a_second(entries, time));
            let size = if bytes > 0 { Scale::BINARY.text(bytes) + ", " } else { String::new() };
            format!("{number} entries, {size}{rate} entries a second")
        });
    }

    /// Shows `text` as the progress if an update is due. `text` gets the time since the command
    /// began. If none is due, this reads the clock and makes no system call.
    pub(crate) fn show(&self, text: impl FnOnce(Duration) -> String) {
        let Some(display) = &self.display else { return };
        let passed = display.began.elapsed();
        let now = millis(passed);
        let due = display.due.load(Relaxed);
        let next = now + if display.on_terminal { STEP } else { LINE_STEP };
        if now < due || display.due.compare_exchange(due, next, Relaxed, Relaxed).is_err() {
            return;
        }
        if display.on_terminal {
            lock(&display.line).show(&text(passed));
        } else {
            self.caller.complain(&text(passed));
        }
    }
}

impl Display {
    /// `at_once`: the user asked for the progress.
    fn new(at_once: bool) -> Display {
        let on_terminal = io::stderr().is_terminal();
        let first = match (at_once, on_terminal) {
            (true, true) => 0,
            (true, false) => LINE_STEP,
            (false, _) => millis(FIRST_PROGRESS),
        };
        let due = AtomicU64::new(first);
        Display { on_terminal, began: Instant::now(), due, line: Mutex::default() }
    }
}

/// A terminal that takes nothing has nothing to show.
fn write(text: &str) {
    let _ = out::write_error(text.as_bytes());
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A number with a comma between groups of three digits: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: `1 file`, `1,234 files`.
pub(crate) fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { several })
}

/// How many of `count` fell to each second of `time`, on average; none in no time.
pub(crate) fn a_second(count: u64, time: Duration) -> u64 {
    u64::try_from(u128::from(count) * 1000 / time.as_millis().max(1)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_groups_of_three() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_rate_is_that_of_the_whole_time() {
        assert_eq!(a_second(3000, Duration::from_millis(1500)), 2000);
        assert_eq!(a_second(710, Duration::from_secs(1)), 710);
        assert_eq!(a_second(5, Duration::ZERO), 5000, "a thousandth of a second at least");
    }
}
