//! The life of the process: ready, signals, unmount, counters.
//!
//! The signals are blocked before any thread starts, and one thread does nothing but fetch them.
//! That thread and the thread that runs the session report to the main thread:
//!
//! ```text
//! signals   sigwait ── Signal ──┐
//!                               ├─▶ main   unmount on a signal, end when the session has ended
//! session   fuser   ── Ended ───┘
//! ```

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use slowfs::counters::Counters;
use slowfs::mount::{Mounted, Unmounter, mount};
use slowfs::settings::{Settings, Shown};

use crate::flags::Flags;

/// How long a mount that was busy when unmounted may go on before its users are cut off.
const GRACE: Duration = Duration::from_millis(500);

/// The events that the main thread waits for.
enum Event {
    Signal(Signal),
    Ended(io::Result<()>),
}

/// Serves until unmounted, then writes the counters.
pub(crate) fn run(shown: Shown, settings: Settings, flags: &Flags) -> io::Result<()> {
    let signals = block_signals()?;
    let Mounted { run, mut unmounter, counters } = mount(shown, settings, &flags.mountpoint)?;
    let (sender, events) = channel();
    start_session(run, sender.clone())?;
    start_signals(signals, sender)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the process that starts this waits for the line"
    )]
    let mut stdout = io::stdout();
    writeln!(stdout, "ready")?;
    stdout.flush()?;
    let write = || write_counters(&counters, flags.counters.as_deref());
    let ended = wait(&events, &mut unmounter, write);
    write()?;
    ended
}

/// Blocks the signals that [`start_signals`] fetches; all threads inherit this.
fn block_signals() -> io::Result<SigSet> {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGUSR1].into_iter().collect();
    signals.thread_block()?;
    Ok(signals)
}

/// Runs the session on a thread of its own.
fn start_session(
    run: impl FnOnce() -> io::Result<()> + Send + 'static,
    events: Sender<Event>,
) -> io::Result<()> {
    Builder::new().name("slowfs-session".to_owned()).spawn(move || {
        // If the process is ending already, the main thread no longer receives.
        let _ = events.send(Event::Ended(run()));
    })?;
    Ok(())
}

/// Passes signals on as long as the main thread receives.
fn start_signals(signals: SigSet, events: Sender<Event>) -> io::Result<()> {
    Builder::new().name("slowfs-signals".to_owned()).spawn(move || {
        while let Ok(signal) = signals.wait() {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    })?;
    Ok(())
}

/// Handles events until the session has ended, or until the grace after a signal is over.
fn wait(
    events: &Receiver<Event>,
    unmounter: &mut Unmounter,
    write: impl Fn() -> io::Result<()>,
) -> io::Result<()> {
    loop {
        match events.recv() {
            Ok(Event::Signal(Signal::SIGUSR1)) => write()?,
            Ok(Event::Signal(_)) => break,
            Ok(Event::Ended(ended)) => return ended,
            Err(_) => return Ok(()),
        }
    }
    unmounter.unmount()?;
    loop {
        match events.recv_timeout(GRACE) {
            Ok(Event::Ended(ended)) => return ended,
            Ok(Event::Signal(_)) => {}
            // When the process ends, the FUSE device is closed, and the detached mount ends for its
            // users.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Writes the JSON line to the file, or to stderr.
fn write_counters(counters: &Counters, file: Option<&Path>) -> io::Result<()> {
    let line = counters.json() + "\n";
    match file {
        Some(path) => std::fs::write(path, line)
            .map_err(|error| io::Error::other(format!("{}: {error}", path.display()))),
        None => io::stderr().write_all(line.as_bytes()),
    }
}
