//! The loop: receives the user's input and what threads have found, and draws.
//!
//! The effect of a key is drawn at once, what threads find at most 30 times a second.

use std::io::{self, IsTerminal};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use brisk::remove::Remove;
use brisk::{Cancel, Timestamp};
use brisk_cli_sys::signals;
use brisk_commands::internal::{Caller, Interactive, Refusal, cannot, cause, print, quoted};
use brisk_sys::paths::bytes_to_path;
use ratatui_crossterm::crossterm::event::{self, Event, KeyEventKind, MouseButton, MouseEventKind};

use crate::count::{self, PICTURE};
use crate::listing::Listing;
use crate::model::{Choices, Effect, Message, Model};
use crate::picture::Picture;
use crate::removal::{self, Chosen, Progress};
use crate::stored::{FilesByDir, Stored};
use crate::terminal::{self, Screen};

/// How often the loop checks for signals while nothing happens.
const IDLE: Duration = Duration::from_millis(100);
/// The most messages that the loop takes between two pictures.
const MOST: usize = 100;

/// Shows the tree until the user quits; returns the exit code.
///
/// # Errors
/// There is no terminal, or a thread could not be started.
pub fn run(what: Interactive) -> Result<u8, Refusal> {
    signals::notice_interrupts();
    let refused =
        |error: io::Error| Refusal::failure(format!("cannot show the tree: {}", cause(&error)));
    let stored = what.from.as_deref().map(stored).transpose()?;
    let screen = terminal::open().map_err(refused)?;
    let (to_loop, from_threads) = channel();
    let left = Running::new(what, stored, screen, ToLoop(to_loop))
        .and_then(|mut running| Ok((running.until_left(&from_threads)?, running.model.complaints)));
    terminal::give_back();
    let ((code, path), complaints) = left.map_err(refused)?;
    complaints.iter().for_each(|complaint| Caller::Brisk.complain(complaint));
    let printed = path.map(|path| print(Caller::Brisk, [path, b"\n".to_vec()].concat(), 1));
    Ok(code.max(printed.unwrap_or(0)).max(u8::from(!complaints.is_empty())))
}

/// Reads a saved count.
fn stored(path: &Path) -> Result<Stored, Refusal> {
    let text =
        std::fs::read(path).map_err(|error| Refusal::failure(cannot("read", path, &error)))?;
    let refusal = |why| Refusal::failure(format!("{}: {why}", quoted(path)));
    let mut stored = Stored::read(&text).map_err(refusal)?;
    // The output of brisk du --json does not say when the count was made.
    let modified = || Some(Timestamp::from(path.metadata().ok()?.modified().ok()?));
    stored.written = stored.written.or_else(modified);
    Ok(stored)
}

/// How threads reach the loop; an error ends it.
#[derive(Clone)]
struct ToLoop(Sender<io::Result<Message>>);

impl ToLoop {
    fn tell(&self, message: Message) {
        // The loop has ended only when the program does.
        _ = self.0.send(Ok(message));
    }
}

struct Running {
    what: Interactive,
    /// The files of a saved count.
    files: FilesByDir,
    /// Never dropped: that would write to a terminal that may be gone.
    screen: ManuallyDrop<Screen>,
    model: Model,
    /// The last removal.
    removal: Arc<Progress>,
    /// Cancels the dry run that finds out how much space a removal frees.
    measuring: Cancel,
    to_loop: ToLoop,
}

/// The exit code, and the path that is printed.
type Left = (u8, Option<Vec<u8>>);

impl Running {
    fn new(
        what: Interactive,
        stored: Option<Stored>,
        screen: Screen,
        to_loop: ToLoop,
    ) -> io::Result<Running> {
        let choices = Choices {
            read_only: what.read_only,
            apparent: what.apparent,
            is_stored: stored.is_some(),
            written: stored.as_ref().and_then(|stored| stored.written),
        };
        let roots = what.roots.iter().map(|root| root.as_os_str().as_encoded_bytes().to_vec());
        let roots = stored.as_ref().map_or_else(|| roots.collect(), |stored| stored.roots.clone());
        let model = Model::new(&roots, choices);
        let screen = ManuallyDrop::new(screen);
        // From here on a change of the size is noticed, also before the thread that reads keys runs.
        event::poll(Duration::ZERO)?;
        let size = screen.size()?;
        to_loop.tell(Message::Resize(size.width, size.height));
        let Stored { found, files, .. } = stored.unwrap_or_default();
        if choices.is_stored {
            to_loop.tell(Message::Found(found));
            to_loop.tell(Message::CountEnded);
        }
        let (removal, measuring) = Default::default();
        let running = Running { what, files, screen, model, removal, measuring, to_loop };
        running.start("keys", |to_loop| read_keys(&to_loop))?;
        Ok(running)
    }

    /// Works until the user quits.
    fn until_left(&mut self, from_threads: &Receiver<io::Result<Message>>) -> io::Result<Left> {
        let mut drawn = Instant::now();
        let mut is_stale = false;
        loop {
            let patience = if is_stale { PICTURE.saturating_sub(drawn.elapsed()) } else { IDLE };
            let first = from_threads.recv_timeout(patience);
            if signals::interrupted() {
                return Ok((signals::exit_code(), None));
            } else if first.is_err() && !io::stdin().is_terminal() {
                // The thread that reads keys would not report this, and would go on.
                return Err(io::Error::other("the terminal is gone"));
            }
            let mut is_due = drawn.elapsed() >= PICTURE;
            for message in first.into_iter().chain(from_threads.try_iter().take(MOST)) {
                let message = message?;
                is_due |= message.is_by_user();
                is_stale = true;
                let effects = self.model.update(message);
                if let Some(left) = self.perform(effects)? {
                    return Ok(left);
                }
            }
            is_stale |= self.model.is_removing;
            if is_stale && is_due {
                self.draw()?;
                drawn = Instant::now();
                is_stale = false;
            }
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        self.model.settle();
        let removed = self.removal.removed.load(Relaxed);
        let picture = Picture { model: &self.model, looks: &self.what, removed };
        self.screen.draw(|frame| picture.draw(frame.buffer_mut()))?;
        Ok(())
    }

    /// Performs the effects that the model asks for.
    fn perform(&mut self, effects: Vec<Effect>) -> io::Result<Option<Left>> {
        for effect in effects {
            match effect {
                Effect::List(number, path) => self.list(number, path)?,
                Effect::Count(paths) => self.count(paths)?,
                Effect::Remove(items) => self.remove(items)?,
                Effect::StopRemoving => self.removal.stop.now(),
                Effect::Measure(number, paths) => self.measure(number, &paths)?,
                Effect::Suspend => {
                    terminal::suspend()?;
                    let size = self.screen.size()?;
                    // This clears the screen too.
                    self.screen.resize(size.into())?;
                }
                Effect::Leave(code, path) => return Ok(Some((code, path))),
            }
        }
        Ok(None)
    }

    fn count(&self, paths: Vec<Vec<u8>>) -> io::Result<()> {
        let usage = self.what.usage.clone();
        self.start("count", move |to_loop| {
            let paths: Vec<_> = paths.iter().map(|path| bytes_to_path(path)).collect();
            let tell = to_loop.clone();
            count::run(&usage, &paths, move |found| tell.tell(Message::Found(found)));
            to_loop.tell(Message::CountEnded);
        })
    }

    fn remove(&mut self, items: Vec<Chosen>) -> io::Result<()> {
        self.removal = Arc::default();
        let progress = Arc::clone(&self.removal);
        let walk = self.what.usage.walk.clone();
        self.start("remove", move |to_loop| {
            let tell = |outcome| to_loop.tell(Message::Removed(outcome));
            removal::run(&walk, items, &progress, tell);
            to_loop.tell(Message::RemovalEnded);
        })
    }

    fn list(&self, number: u64, path: Vec<u8>) -> io::Result<()> {
        if self.what.from.is_some() {
            let entries = self.files.get(&*path).cloned().unwrap_or_default();
            self.to_loop.tell(Message::Listed(number, Listing { entries, failed: None }));
            return Ok(());
        }
        let usage = self.what.usage.clone();
        self.start("list", move |to_loop| {
            let listing = Listing::read(&usage, bytes_to_path(&path));
            to_loop.tell(Message::Listed(number, listing));
        })
    }

    /// Finds out, by a dry run, how much space a removal would free.
    fn measure(&mut self, number: u64, paths: &[Vec<u8>]) -> io::Result<()> {
        self.measuring.now();
        self.measuring = Cancel::new();
        if paths.is_empty() {
            return Ok(());
        }
        let walk = self.what.usage.walk.clone().cancelled_by(&self.measuring);
        let walk = paths.iter().fold(walk, |walk, path| walk.root(bytes_to_path(path)));
        let mut remove = Remove::new(walk);
        remove.dry_run = true;
        remove.frees = true;
        self.start("measure", move |to_loop| {
            let frees = remove.run(&()).frees.unwrap_or_default();
            to_loop.tell(Message::Measured(number, frees));
        })
    }

    /// Starts a thread.
    fn start(&self, name: &str, work: impl FnOnce(ToLoop) + Send + 'static) -> io::Result<()> {
        let to_loop = self.to_loop.clone();
        std::thread::Builder::new().name(name.into()).spawn(move || work(to_loop))?;
        Ok(())
    }
}

/// Sends the user's input to the loop until the terminal is gone.
fn read_keys(to_loop: &ToLoop) {
    loop {
        match event::read() {
            Ok(event) => message(&event).into_iter().for_each(|message| to_loop.tell(message)),
            Err(error) => return to_loop.0.send(Err(error)).unwrap_or_default(),
        }
    }
}

/// What an event means to the model, if anything.
fn message(event: &Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(*key)),
        Event::Resize(columns, lines) => Some(Message::Resize(*columns, *lines)),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => Some(Message::Click(mouse.row)),
            MouseEventKind::ScrollUp => Some(Message::Scroll(-3)),
            MouseEventKind::ScrollDown => Some(Message::Scroll(3)),
            _ => None,
        },
        _ => None,
    }
}
