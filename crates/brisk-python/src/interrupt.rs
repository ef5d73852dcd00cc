//! Work without the interpreter's lock, which Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

use brisk_sys::threads::lock;
use pyo3::prelude::*;

/// How often signals are looked at. Ctrl-C is to end a walk within 50 ms.
const INTERVAL: Duration = Duration::from_millis(20);

/// Runs `work` in a thread of its own, which has ended when this returns, while the calling thread
/// looks at signals. If one raises an exception, `stop` has to make `work` end soon. If the system
/// refuses the thread, the calling one does the work, and signals wait.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    stop: impl Fn() + Sync,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let work = Mutex::new(Some(work));
    let work = || {
        let work = lock(&work).take();
        work.expect("BUG: work is done once")()
    };
    py.detach(|| {
        scope(|scope| {
            let (done, wait) = sync_channel(1);
            let thread = Builder::new().name("brisk-python".to_owned());
            let Ok(thread) = thread.spawn_scoped(scope, move || _ = done.send(work())) else {
                return Ok(work());
            };
            let mut interrupt = None;
            let result = loop {
                match wait.recv_timeout(INTERVAL) {
                    Err(RecvTimeoutError::Timeout) => {}
                    result => break result,
                }
                if interrupt.is_none()
                    && let Err(raised) = Python::attach(|py| py.check_signals())
                {
                    stop();
                    interrupt = Some(raised);
                }
            };
            // The thread is gone before the caller can fork.
            match (thread.join(), interrupt, result) {
                (Err(panic), ..) => resume_unwind(panic),
                (Ok(()), Some(interrupt), _) => Err(interrupt),
                (Ok(()), None, result) => Ok(result.expect("BUG: a thread ended without a result")),
            }
        })
    })
}

/// Looks at signals now and then, on the calling thread of a walk that has no other.
pub struct Signals {
    last: Instant,
    /// What a signal's handler has raised.
    pub raised: Option<PyErr>,
}

impl Signals {
    pub fn new() -> Signals {
        Signals { last: Instant::now(), raised: None }
    }

    /// Whether the walk goes on.
    pub fn look(&mut self) -> brisk::Flow {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        if self.raised.is_some() { brisk::Flow::Stop } else { brisk::Flow::Continue }
    }
}
