//! The loop: waits for keys, has the model take in what threads have found, and draws.
//!
//! What threads find is drawn at most 30 times a second, what a key changes at once.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use brisk::remove::Freed;
use brisk::{Cancel, Follow, Mounts, Timestamp};
use brisk_cli::internal::{Caller, Interactive, Refusal, cannot, cause, print, quoted};
use brisk_cli_sys::signals;
use brisk_sys::paths::bytes_to_path;
use ratatui_crossterm::crossterm::event::{self, Event, KeyEventKind, MouseButton, MouseEventKind};

use crate::count::{self, Inbox};
use crate::listing::Listing;
use crate::model::{Choices, Effect, Message, Model};
use crate::picture::draw;
use crate::removal::{self, Outcome, Progress};
use crate::stored::{FilesByDir, Stored};
use crate::terminal::{self, Screen};

/// How long a picture of what threads have found stays at least.
const PICTURE: Duration = Duration::from_millis(34);
/// How often the answers of threads are looked for while they work.
const SOON: Duration = Duration::from_millis(5);
/// How often signals are looked for while nothing happens.
const IDLE: Duration = Duration::from_millis(100);

/// Shows the tree until the user leaves; returns the exit code.
///
/// # Errors
/// There is no terminal, or the system starts no thread.
pub fn run(what: Interactive) -> Result<u8, Refusal> {
    signals::notice_interrupts();
    let refused =
        |error: io::Error| Refusal::failure(format!("cannot show the tree: {}", cause(&error)));
    let stored = what.from.as_deref().map(stored).transpose()?;
    let screen = terminal::open().map_err(refused)?;
    let left = Running::new(what, stored, screen)
        .and_then(|mut running| Ok((running.until_left()?, running.model.complaints)));
    terminal::give_back();
    let ((code, path), complaints) = left.map_err(refused)?;
    complaints.iter().for_each(|complaint| Caller::Brisk.complain(complaint));
    let printed = path.map(|path| print(Caller::Brisk, [path, b"\n".to_vec()].concat(), 1));
    Ok(code.max(printed.unwrap_or(0)).max(u8::from(!complaints.is_empty())))
}

/// Reads the sums of an earlier count.
fn stored(path: &Path) -> Result<Stored, Refusal> {
    let text =
        std::fs::read(path).map_err(|error| Refusal::failure(cannot("read", path, &error)))?;
    let refusal = |why| Refusal::failure(format!("{}: {why}", quoted(path)));
    let mut stored = Stored::read(&text).map_err(refusal)?;
    // brisk du --json has no time in it.
    let modified = || Some(Timestamp::from(path.metadata().ok()?.modified().ok()?));
    stored.written = stored.written.or_else(modified);
    Ok(stored)
}

/// The directory that relative paths begin in; empty if the system does not tell.
fn place() -> Vec<u8> {
    let place = std::env::current_dir().unwrap_or_default();
    place.into_os_string().into_encoded_bytes()
}

struct Running {
    what: Interactive,
    /// The files of a tree that was counted earlier.
    files: Option<FilesByDir>,
    screen: Screen,
    model: Model,
    /// The count that runs.
    inbox: Option<Arc<Inbox>>,
    removal: Option<Arc<Progress>>,
    /// Ends what finds out what removing frees.
    measuring: Cancel,
    from_threads: Receiver<Message>,
    to_loop: Sender<Message>,
    drawn: Instant,
    is_stale: bool,
}

/// The exit code, and the path that is printed.
type Left = (u8, Option<Vec<u8>>);

impl Running {
    fn new(what: Interactive, stored: Option<Stored>, screen: Screen) -> io::Result<Running> {
        let (to_loop, from_threads) = channel();
        let size = screen.size()?;
        let choices = Choices {
            read_only: what.read_only,
            apparent: what.apparent,
            is_stored: stored.is_some(),
        };
        let roots = what.roots.iter().map(|root| root.as_os_str().as_encoded_bytes().to_vec());
        let roots = stored.as_ref().map_or_else(|| roots.collect(), |stored| stored.roots.clone());
        let mut model = Model::new(&roots, choices, (size.width, size.height));
        model.place = place();
        let mut inbox = None;
        let files = match stored {
            Some(Stored { found, files, written, .. }) => {
                model.stored = written;
                model.update(Message::Found(found, true));
                Some(files)
            }
            None => {
                inbox = Some(count::start(&what.usage, &what.roots)?);
                None
            }
        };
        let drawn = Instant::now();
        Ok(Running {
            what,
            files,
            screen,
            model,
            inbox,
            removal: None,
            measuring: Cancel::new(),
            from_threads,
            to_loop,
            drawn,
            is_stale: true,
        })
    }

    /// Works until the user leaves.
    fn until_left(&mut self) -> io::Result<Left> {
        let effects = self.model.list();
        self.perform(effects)?;
        self.draw()?;
        loop {
            if signals::interrupted() {
                return Ok((signals::exit_code(), None));
            }
            if event::poll(self.patience())? {
                while event::poll(Duration::ZERO)? {
                    if let Some(left) = self.take_event(event::read()?)? {
                        return Ok(left);
                    }
                }
                self.draw()?;
            }
            self.take_found()?;
            if self.is_stale && self.drawn.elapsed() >= PICTURE {
                self.draw()?;
            }
        }
    }

    /// How long to wait for a key.
    fn patience(&self) -> Duration {
        if self.is_stale || self.inbox.is_some() {
            PICTURE.saturating_sub(self.drawn.elapsed())
        } else if self.removal.is_some() || self.model.awaits() {
            SOON
        } else {
            IDLE
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let removed = self.removal.as_ref().map_or(0, |progress| progress.removed());
        let model = &self.model;
        let looks = &self.what;
        self.screen.draw(|frame| draw(model, looks, removed, frame.buffer_mut()))?;
        self.drawn = Instant::now();
        self.is_stale = false;
        Ok(())
    }

    /// Passes an event on to the model.
    fn take_event(&mut self, event: Event) -> io::Result<Option<Left>> {
        let message = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Message::Key(key),
            Event::Resize(columns, lines) => Message::Resize(columns, lines),
            Event::Mouse(mouse) => match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => Message::Click(mouse.row),
                MouseEventKind::ScrollUp => Message::Scroll(-3),
                MouseEventKind::ScrollDown => Message::Scroll(3),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.pass_on(message)
    }

    fn pass_on(&mut self, message: Message) -> io::Result<Option<Left>> {
        let effects = self.model.update(message);
        self.is_stale = true;
        self.perform(effects)
    }

    /// Takes in what threads have found.
    fn take_found(&mut self) -> io::Result<()> {
        if let Some(inbox) = &self.inbox
            && self.drawn.elapsed() >= PICTURE
        {
            let (found, is_done) = inbox.take();
            if is_done {
                self.inbox = None;
            }
            self.pass_on(Message::Found(found, is_done))?;
        }
        while let Ok(message) = self.from_threads.try_recv() {
            if matches!(message, Message::RemovalEnded) {
                self.removal = None;
            }
            self.pass_on(message)?;
        }
        self.is_stale |= self.removal.is_some();
        Ok(())
    }

    /// Does what the model wants done.
    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<Option<Left>> {
        for effect in effects {
            match effect {
                Effect::List(number, path) => self.list(number, path)?,
                Effect::StopCounting => self.stop_counting(),
                Effect::Count(path) => {
                    self.stop_counting();
                    let roots = match path.is_empty() {
                        true => self.what.roots.clone(),
                        false => vec![bytes_to_path(&path).into()],
                    };
                    self.inbox = Some(count::start(&self.what.usage, &roots)?);
                }
                Effect::Remove(items) => {
                    let to_loop = self.to_loop.clone();
                    // The loop has ended only when the program does.
                    let tell = move |outcome: Option<Outcome>| {
                        let message = outcome.map_or(Message::RemovalEnded, Message::Removed);
                        _ = to_loop.send(message);
                    };
                    self.removal = Some(removal::start(&self.what.usage.walk, items, tell)?);
                }
                Effect::StopRemoving => {
                    if let Some(removal) = &self.removal {
                        removal.stop();
                    }
                }
                Effect::Measure(number, paths) => self.measure(number, &paths)?,
                Effect::Suspend => {
                    terminal::suspend()?;
                    // Clears it too.
                    self.screen.resize(self.screen.size()?.into())?;
                }
                Effect::Leave(code, path) => return Ok(Some((code, path))),
            }
        }
        Ok(None)
    }

    fn measure(&mut self, number: u64, paths: &[Vec<u8>]) -> io::Result<()> {
        self.measuring.now();
        self.measuring = Cancel::new();
        if paths.is_empty() {
            return Ok(());
        }
        let mut usage = self.what.usage.clone();
        let walk = paths.iter().fold(usage.walk, |walk, path| walk.root(bytes_to_path(path)));
        // A removal follows no link, and enters no mount.
        let walk = walk.follow(Follow::Never).mounts(Mounts::SameMount);
        usage.walk = walk.cancelled_by(&self.measuring);
        usage.frees = true;
        self.ask_thread("measure", move || {
            let report = usage.directories(0).report;
            let mut freed = Freed::default();
            freed.most = report.total.allocated;
            freed.least = report.total.apparent;
            freed.hides_overwritten = report.hides_overwritten;
            Message::Measured(number, freed)
        })
    }

    /// Has a thread find out an answer.
    fn ask_thread(
        &self,
        name: &str,
        answer: impl FnOnce() -> Message + Send + 'static,
    ) -> io::Result<()> {
        let to_loop = self.to_loop.clone();
        // The loop has ended only when the program does.
        let answer = move || _ = to_loop.send(answer());
        std::thread::Builder::new().name(name.into()).spawn(answer)?;
        Ok(())
    }

    fn stop_counting(&mut self) {
        self.inbox.take().iter().for_each(|inbox| inbox.stop());
    }

    fn list(&mut self, number: u64, path: Vec<u8>) -> io::Result<()> {
        if let Some(files) = &self.files {
            let entries = files.get(&*path).cloned().unwrap_or_default();
            // The loop is this thread.
            let _ = self.to_loop.send(Message::Listed(number, Listing { entries, failed: None }));
            return Ok(());
        }
        let usage = self.what.usage.clone();
        self.ask_thread("list", move || {
            Message::Listed(number, Listing::read(&usage, bytes_to_path(&path)))
        })
    }
}
