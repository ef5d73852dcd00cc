//! The terminal: set up for the picture, and restored however the program ends.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{cursor, execute};

/// Where the picture is drawn: standard error if that is a terminal, else the terminal that the
/// program was started from. Standard output is for the path that is printed at the end.
pub type Screen = Terminal<CrosstermBackend<BufWriter<Box<dyn Write>>>>;

/// Whether the terminal is set up.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The file that the picture is written to.
fn output() -> io::Result<Box<dyn Write>> {
    if io::stderr().is_terminal() {
        return Ok(Box::new(io::stderr()));
    }
    Ok(Box::new(File::options().write(true).open("/dev/tty")?))
}

/// Sets the terminal up. A panic restores it before the panic's message is written.
///
/// # Errors
/// There is no terminal, or it cannot be set up.
pub fn open() -> io::Result<Screen> {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        give_back();
        before(info);
        // Other threads must not draw after this.
        std::process::exit(101);
    }));
    let screen = Terminal::new(CrosstermBackend::new(BufWriter::new(output()?)))?;
    take()?;
    Ok(screen)
}

/// Sets the terminal up: keys come one by one, and the picture has a screen of its own.
///
/// # Errors
/// The terminal does not allow that.
pub fn take() -> io::Result<()> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, SeqCst);
    execute!(output()?, EnterAlternateScreen, EnableMouseCapture, cursor::Hide)
}

/// Restores the terminal. A second call does nothing.
pub fn give_back() {
    if IS_TAKEN.swap(false, SeqCst)
        && let Ok(mut output) = output()
    {
        // A terminal that is gone needs nothing.
        let _ = execute!(output, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
    }
}

/// Stops the program until the shell continues it.
///
/// # Errors
/// The terminal cannot be set up again.
#[cfg(unix)]
pub fn suspend() -> io::Result<()> {
    give_back();
    let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
    take()
}

#[cfg(not(unix))]
pub fn suspend() -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::io::Read;
    use std::process::{Command, Stdio};

    use rustix::termios::tcgetattr;

    #[test]
    #[ignore = "the test below runs it, on a terminal"]
    fn panics() {
        let _screen = super::open().expect("a terminal");
        panic!("on purpose");
    }

    #[test]
    fn a_panic_gives_the_terminal_back_and_then_tells() {
        let (ours, theirs) = testkit::terminal(80);
        let modes = || {
            let all = tcgetattr(&theirs).unwrap();
            (all.input_modes, all.output_modes, all.control_modes, all.local_modes)
        };
        let before = modes();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(std::env::current_exe().unwrap());
        command.args(["--exact", "terminal::tests::panics", "--ignored", "--nocapture"]);
        let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(101));
        assert_eq!(modes(), before);
        let mut received = vec![0; 65536];
        let length = File::from(ours).read(&mut received).unwrap();
        let received = String::from_utf8_lossy(&received[..length]).into_owned();
        let (picture, told) = received.split_once("\x1b[?1049l").unwrap();
        assert!(picture.contains("\x1b[?1049h") && !picture.contains("on purpose"), "{received}");
        assert!(told.contains("on purpose"), "{received}");
    }
}
