//! The program on a terminal of its own, and what that terminal shows.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{PidfdFlags, pidfd_open};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// How long the program may take before a test fails.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

pub struct Session {
    child: Child,
    ours: File,
    /// The program's end, so that the terminal outlives the program.
    theirs: OwnedFd,
    pub screen: vt100::Parser,
    /// All bytes that the terminal has received.
    pub received: Vec<u8>,
    pub before: Termios,
}

impl Session {
    /// Starts `brisk-look du -i` with these words, on 24 lines of 100 columns.
    pub fn start(place: &Path, words: &[&str]) -> Session {
        Session::start_by(place, &[], words, |_| {})
    }

    /// The same, started by another program, whose words come first.
    pub fn start_by(
        place: &Path,
        by: &[&str],
        words: &[&str],
        adapt: impl FnOnce(&mut Command),
    ) -> Session {
        let (ours, theirs) = testkit::terminal(100);
        let before = tcgetattr(&theirs).unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        // A session of its own, whose terminal this is. A shell has what it starts in the background
        // ignore Ctrl-C.
        let mut command = Command::new("env");
        command.args(["--default-signal", "setsid", "--ctty"]).args(by).args([
            env!("CARGO_BIN_EXE_brisk-look"),
            "du",
            "-i",
        ]);
        command.args(words).current_dir(place).env("TERM", "xterm").env("LC_ALL", "C.UTF-8");
        command.env_remove("NO_COLOR").env("HOME", place).env("TZ", "UTC");
        command.stdin(end()).stdout(end()).stderr(end());
        adapt(&mut command);
        let child = command.spawn().unwrap();
        let screen = vt100::Parser::new(24, 100, 0);
        Session { child, ours: ours.into(), theirs, screen, received: Vec::new(), before }
    }

    pub fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    pub fn send(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).unwrap();
    }

    /// Takes in what the program writes until the screen is as wanted.
    #[track_caller]
    pub fn until(&mut self, what: &str, is_so: impl Fn(&vt100::Screen) -> bool) {
        while !is_so(self.screen.screen()) {
            assert!(self.take(PATIENCE), "no {what}:\n{}", self.screen.screen().contents());
        }
    }

    /// Waits until the screen shows this text.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until everything is counted, and the files of this directory are listed.
    #[track_caller]
    pub fn rests(&mut self) {
        let is_busy = |screen: &vt100::Screen| {
            let title = screen.contents_between(0, 0, 1, 0);
            title.contains("counting") || title.contains("listing")
        };
        self.until("rest", |screen| !is_busy(screen));
    }

    /// Waits until the screen shows this text no more.
    #[track_caller]
    pub fn hides(&mut self, text: &str) {
        self.until(&format!("end of {text}"), |screen| !screen.contents().contains(text));
    }

    /// Takes in some bytes. `false`: none came in that time, or the program has ended.
    pub fn take(&mut self, patience: Timespec) -> bool {
        let mut ready = [PollFd::new(&self.ours, PollFlags::IN)];
        if poll(&mut ready, Some(&patience)).unwrap() == 0 {
            return false;
        }
        let mut bytes = [0; 65536];
        let length = self.ours.read(&mut bytes).unwrap_or(0);
        self.screen.process(&bytes[..length]);
        self.received.extend_from_slice(&bytes[..length]);
        length > 0
    }

    pub fn resize(&mut self, columns: u16, lines: u16) {
        let size = Winsize { ws_row: lines, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.theirs, size).unwrap();
        self.screen.screen_mut().set_size(lines, columns);
    }

    /// The text of a line.
    pub fn line(&self, line: u16) -> String {
        let screen = self.screen.screen();
        let columns = screen.size().1;
        screen.contents_between(line, 0, line, columns).trim_end().to_owned()
    }

    /// The row under the cursor.
    pub fn under_cursor(&self) -> String {
        let screen = self.screen.screen();
        let lines = 0..screen.size().0;
        let at =
            lines.into_iter().find(|line| screen.cell(*line, 0).is_some_and(|cell| cell.inverse()));
        self.line(at.expect("a row under the cursor"))
    }

    /// Waits for the end, and takes in the rest.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        // The program ends only when the test has read what it writes.
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None => _ = self.take(Timespec { tv_sec: 0, tv_nsec: 10_000_000 }),
            }
        };
        while self.take(Timespec { tv_sec: 0, tv_nsec: 0 }) {}
        status
    }

    /// Takes the terminal away, and waits for the end.
    #[track_caller]
    pub fn hang_up(&mut self) -> ExitStatus {
        let nothing = || File::open("/dev/null").unwrap();
        self.ours = nothing();
        self.theirs = nothing().into();
        let process = pidfd_open(self.process(), PidfdFlags::empty()).unwrap();
        let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&PATIENCE)).unwrap();
        assert_eq!(ended, 1, "it goes on without a terminal");
        self.child.wait().unwrap()
    }

    /// Whether the terminal is as it was before the program started.
    #[track_caller]
    pub fn is_given_back(&self) {
        let now = tcgetattr(&self.theirs).unwrap();
        let modes =
            |it: &Termios| (it.input_modes, it.output_modes, it.control_modes, it.local_modes);
        assert_eq!(modes(&now), modes(&self.before));
        let screen = self.screen.screen();
        assert!(
            !screen.alternate_screen() && !screen.hide_cursor(),
            "another screen, or no cursor"
        );
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
