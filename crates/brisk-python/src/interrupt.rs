//! Work without the interpreter's lock, which Ctrl-C ends.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{Builder, scope};
use std::time::{Duration, Instant};

use brisk::{Cancel, Flow};
use brisk_sys::threads::lock;
use pyo3::prelude::*;

/// How often signals are looked at. Ctrl-C is to end a walk within 50 ms.
pub const INTERVAL: Duration = Duration::from_millis(20);

/// Runs `work` in a thread of its own, which has ended when this returns, while the calling thread
/// looks at signals. If one raises an exception, `cancel` has to make `work` end soon. If the system
/// refuses the thread, the calling one does the work, and signals wait.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let work = Mutex::new(Some(work));
    let work = || {
        let work = lock(&work).take();
        work.expect("BUG: work is done once")()
    };
    py.detach(|| {
        scope(|scope| {
            // Nothing is sent: when the work is done, or panics, there is no sender any more.
            let (working, done) = sync_channel::<()>(0);
            let thread = Builder::new().name("brisk-python".to_owned());
            let thread = thread.spawn_scoped(scope, || {
                let _working = working;
                work()
            });
            let Ok(thread) = thread else { return Ok(work()) };
            let mut interrupt = None;
            while done.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if interrupt.is_none()
                    && let Err(raised) = Python::attach(|py| py.check_signals())
                {
                    cancel.now();
                    interrupt = Some(raised);
                }
            }
            // The thread is gone before the caller can fork.
            let result = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            interrupt.map_or(Ok(result), Err)
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
    pub fn look(&mut self) -> Flow {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        if self.raised.is_some() { Flow::Stop } else { Flow::Continue }
    }
}
