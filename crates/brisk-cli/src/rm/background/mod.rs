//! `--background`: set aside now, remove afterwards, and never lose track of what was set aside.
//!
//! ```text
//!   brisk rm --background tree
//!     1  look at it: device, inode, owner, and those of its parent
//!     2  record: what is about to be renamed to which name ── written, locked and on the disk before
//!        anything moves
//!     3  renameat2(parent, "tree", parent, ".brisk-rm-9f…", NOREPLACE)
//!     4  start a process that inherits the locked record as its standard input; return
//!
//!   that process, or any later --finish that gets the lock of a record
//!     5  is what has that name now the file of the record, in the directory of the record, ours?
//!     6  remove it; if nothing is left of it, remove the record
//! ```
//!
//! Killed before 3, the record names what does not exist, and is dropped. Killed after 3, lock and
//! process are gone and the record remains: whoever comes next finds it. A name alone never suffices.
//! After a power failure the rename may not have happened, or the removal may not: both are tried again.
//! (Test: `tests/rm/background.rs`, which kills it at every system call.)

mod journal;

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use brisk::remove::{Failure, Remove, Root, Watch};

use super::flags::Options;
use super::talk::{failure, quoted, system_text};
use super::watch::Terminal;
use crate::messages::Caller;
use journal::{Journal, Record, Target};

/// Sets aside and returns; the exit code.
pub(super) fn start(caller: Caller, options: &Options) -> u8 {
    match set_aside(caller, options) {
        Ok(fine) => u8::from(!fine),
        Err(message) => {
            caller.complain(&message);
            1
        }
    }
}

fn set_aside(caller: Caller, options: &Options) -> Result<bool, String> {
    let journal = Journal::open()?;
    let terminal = Terminal::new(caller, options);
    let counting = Counting { inner: &terminal, failed: Mutex::new(0) };
    let removal = super::removal(options);
    let (trees, files): (Vec<Root>, Vec<Root>) = removal
        .inspect(&counting)
        .into_iter()
        .partition(|root| root.file_type().is_dir() && options.recursive);
    let mut fine = counting.failed() == 0;
    fine &= files.iter().all(|file| at_once(file, options, &terminal));
    if !trees.is_empty() {
        let targets: Vec<Target> = trees.iter().map(target).collect::<Result<_, _>>()?;
        let record = journal.add(&targets)?;
        for (root, target) in trees.iter().zip(&targets) {
            if let Err(error) = root.rename(&target.name) {
                let path = quoted(&[root.prefix(), root.name()].concat());
                caller.complain(&format!("cannot remove {path}: {}", system_text(&error)));
                fine = false;
            }
        }
        detach(&journal, record)?;
    } else if !journal.records().is_empty() {
        // Nothing of our own to do: others may have left something.
        detach(&journal, journal.add(&[])?)?;
    }
    Ok(terminal.close() && fine)
}

/// What is no tree takes no time.
fn at_once(root: &Root, options: &Options, terminal: &Terminal) -> bool {
    let path = [root.prefix(), root.name()].concat();
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(&path));
    let only = Options { paths: vec![path], ..options.clone() };
    super::removal(&only).only(root.known()).run_with(terminal).is_complete()
}

fn target(root: &Root) -> Result<Target, String> {
    let shown = [root.prefix(), root.name()].concat();
    let failed =
        |error: io::Error| format!("cannot remove {}: {}", quoted(&shown), system_text(&error));
    let prefix = if root.prefix().is_empty() { b"." } else { root.prefix() };
    let parent = std::fs::canonicalize(std::ffi::OsStr::from_bytes(prefix)).map_err(failed)?;
    Ok(Target { parent, name: unguessable().map_err(failed)?, known: root.known() })
}

/// A name of 128 random bits.
fn unguessable() -> io::Result<CString> {
    let mut bits = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bits)?;
    let digits: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(CString::new(format!(".brisk-rm-{digits}"))?)
}

/// Starts the process that removes; it holds the record's lock as its standard input.
fn detach(journal: &Journal, record: Record) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot start a process: {}", system_text(&error));
    let log = journal.log().map_or_else(|_| Stdio::null(), Stdio::from);
    let path = record.path().to_owned();
    Command::new(std::env::current_exe().map_err(failed)?)
        .arg0("brisk")
        .args(["rm", "---finish-record"])
        .arg(path)
        .current_dir("/")
        .stdin(Stdio::from(record.into_file()))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map(drop)
        .map_err(failed)
}

/// The detached process: removes what its record names, and then what others have left.
pub(super) fn work(caller: Caller, record: &Path) -> u8 {
    // A process of its own: the terminal's signals are not for it.
    let _ = rustix::process::setsid();
    let Ok(journal) = Journal::open() else { return 1 };
    let log = Log { caller };
    let fine = match Record::inherited(record) {
        Ok(record) => finish_one(&log, record),
        Err(error) => {
            log.line(&format!("cannot read '{}': {error}", record.display()));
            false
        }
    };
    u8::from(!finish_others(&journal, &log) || !fine)
}

/// `--finish`: removes what is left of all records that nobody works on.
pub(super) fn finish(caller: Caller, options: &Options) -> u8 {
    brisk_sys::limits::raise_open_files();
    brisk_sys::signals::notice_interrupts();
    let journal = match Journal::open() {
        Ok(journal) => journal,
        Err(message) => {
            caller.complain(&message);
            return 1;
        }
    };
    let terminal = Terminal::new(caller, options);
    let fine = finish_others(&journal, &terminal);
    u8::from(!terminal.close() || !fine)
}

fn finish_others(journal: &Journal, watch: &impl Watch) -> bool {
    let mut fine = true;
    for path in journal.records() {
        // Somebody else is at it, or was done with it a moment ago.
        let Ok(Some(record)) = Record::lock(&path) else { continue };
        fine &= finish_one(watch, record);
    }
    fine
}

/// Removes what a record names, and the record if nothing is left of that.
fn finish_one(watch: &impl Watch, record: Record) -> bool {
    let mut fine = true;
    for target in record.targets() {
        let path = target.parent.join(std::ffi::OsStr::from_bytes(target.name.to_bytes()));
        let removal = Remove::new(path).only(target.known).ignore_missing(true);
        fine &= removal.run_with(watch).is_complete();
    }
    if fine {
        record.drop_it();
    }
    fine
}

/// Counts what is refused on its way to the terminal.
struct Counting<'a> {
    inner: &'a Terminal,
    failed: Mutex<u64>,
}

impl Counting<'_> {
    fn failed(&self) -> u64 {
        *self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Watch for Counting<'_> {
    fn failed(&self, what: &Failure) {
        *self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
        self.inner.failed(what);
    }
}

/// Messages of a process that nobody sees: into the log, with the time.
struct Log {
    caller: Caller,
}

impl Log {
    fn line(&self, text: &str) {
        let now = jiff::Zoned::now().strftime("%F %T");
        let line = format!("{now} {}{text}\n", self.caller.prefix());
        // There is nobody left to tell.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

impl Watch for Log {
    fn failed(&self, what: &Failure) {
        for line in failure(what) {
            self.line(&line);
        }
    }
}
