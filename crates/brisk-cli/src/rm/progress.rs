//! The progress of a removal, on a terminal after the first second. There is no thread for it: the
//! worker that has just finished a piece of work draws.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brisk::remove::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::common::messages::Caller;

/// How long a removal takes at least before its progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The least time between two looks at the numbers, in milliseconds: ten pictures a second move.
const STEP: u64 = 100;

/// A bar on a terminal; elsewhere a line every second.
pub(super) struct Display {
    caller: Caller,
    began: Instant,
    patience: Duration,
    /// When the bar was last drawn, in milliseconds since the removal began.
    drawn: AtomicU64,
    bar: OnceLock<ProgressBar>,
    /// The time of the last line, where there is no terminal.
    lines: Option<Mutex<u64>>,
}

impl Display {
    pub(super) fn new(caller: Caller, always: bool) -> Display {
        let lines = (always && !io::stderr().is_terminal()).then(Mutex::default);
        let patience = if always { Duration::ZERO } else { PATIENCE };
        let drawn = AtomicU64::new(0);
        Display { caller, began: Instant::now(), patience, drawn, bar: OnceLock::new(), lines }
    }

    /// Shows the numbers, unless they were shown a moment ago.
    pub(super) fn show(&self, so_far: &Progress) {
        let now = self.began.elapsed();
        let millis = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
        let before = self.drawn.load(Ordering::Relaxed);
        if now < self.patience || millis < before + STEP {
            return;
        }
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        if self.drawn.compare_exchange(before, millis, set, get).is_err() {
            return;
        }
        let gone = so_far.files + so_far.directories;
        match &self.lines {
            Some(lines) => self.line(lines, gone, now),
            None => {
                let bar = self.bar.get_or_init(bar);
                bar.set_position(gone);
                bar.tick();
            }
        }
    }

    fn line(&self, lines: &Mutex<u64>, gone: u64, now: Duration) {
        let mut printed = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if now.as_secs() > *printed {
            *printed = now.as_secs();
            let rate = gone as f64 / now.as_secs_f64();
            self.caller.complain(&format!("{gone} entries removed, {rate:.0} a second"));
        }
    }

    /// Prints something that would disturb the bar.
    pub(super) fn beside(&self, print: impl FnOnce()) {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    pub(super) fn close(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let style = "{spinner} {human_pos} entries removed, {per_sec}";
    let style = ProgressStyle::with_template(style).expect("BUG: the template is a constant");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
}
