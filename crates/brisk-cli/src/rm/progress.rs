//! How far a removal has come, on a terminal once a second is over. No thread: whoever has finished a
//! piece of work draws.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brisk::remove::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::messages::Caller;

/// Shorter removals show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two looks at the numbers, in milliseconds.
const STEP: u64 = 100;

/// A bar on a terminal, or a line a second elsewhere.
pub(super) struct Display {
    caller: Caller,
    began: Instant,
    patience: Duration,
    /// When it was drawn last, in milliseconds since it began.
    drawn: AtomicU64,
    bar: OnceLock<ProgressBar>,
    /// Lines go where there is no terminal.
    lines: Option<Mutex<u64>>,
}

impl Display {
    pub(super) fn new(caller: Caller, always: bool) -> Display {
        let lines = (always && !io::stderr().is_terminal()).then(Mutex::default);
        let patience = if always { Duration::ZERO } else { PATIENCE };
        let drawn = AtomicU64::new(0);
        Display { caller, began: Instant::now(), patience, drawn, bar: OnceLock::new(), lines }
    }

    /// Shows the numbers, unless that was done a moment ago.
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

    /// Prints something that the bar would disturb.
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
