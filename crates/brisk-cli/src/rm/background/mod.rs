//! `--background`: sets trees aside now, removes them afterwards, and never loses track of a tree.
//!
//! ```text
//!   brisk rm --background tree
//!     1  look at the tree: device, inode, owner, and those of its parent
//!     2  record: what is about to be renamed to which name ── locked, written and on the disk
//!        before it has a record's name, and before anything moves
//!     3  renameat2(parent, "tree", parent, ".brisk-rm-9f…", NOREPLACE)
//!     4  start a process that inherits the locked record as its standard input; return
//!
//!   that process, or any later --finish that gets the lock of a record
//!     5  is the entry of that name the recorded file, in the recorded directory, and this user's?
//!     6  remove the tree; when all of it is gone, remove the record
//! ```
//!
//! If brisk is killed before 3, the record names a tree that does not exist, and is dropped. If
//! brisk is killed after 3, the record remains without a lock: the next `--background` or
//! `--finish` finds it. A name alone never suffices. A power failure may undo the rename or the
//! removal: both are tried again. A record whose directory is out of reach (not mounted, renamed,
//! another machine's) stays, and `--finish` says so. (Tests: `tests/commands/rm/background.rs`, which kills
//! brisk at every system call, and `tests/promises/journal.rs`.)

mod finish;
mod journal;
mod target;
mod trusted;

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use brisk::remove::{Failure, Observer, Root};

use super::options::Options;
use super::talk::failure;
use super::terminal::Terminal;
use crate::front::messages::{self, Caller, cause};
use crate::show::quoting::in_message;
use crate::show::time::zone;
use crate::sync::lock;
pub(super) use finish::finish;
use finish::{Finishing, Tell};
use journal::{Journal, Record};
use target::Target;

/// Sets trees aside and returns the exit code.
pub(super) fn start(caller: Caller, options: &Options) -> u8 {
    let mut left = Vec::new();
    let fine = set_aside(caller, options, &mut left).unwrap_or_else(|message| {
        caller.complain(&message);
        false
    });
    if left.is_empty() {
        return u8::from(!fine);
    }
    let now = Options { paths: left, background: false, ..options.clone() };
    let code = super::removal::remove(caller, &now);
    if fine { code } else { code.max(1) }
}

/// Sets aside what can be renamed, and has that removed. Returns whether all went well. `left`
/// receives the paths that cannot be renamed and have to be removed now.
fn set_aside(caller: Caller, options: &Options, left: &mut Vec<PathBuf>) -> Result<bool, String> {
    let journal = Journal::open()?;
    let terminal = Terminal::new(caller, options);
    let counting = Counting { inner: &terminal, failed: Mutex::new(0) };
    let removal = super::removal::removal(options);
    let (trees, files): (Vec<Root>, Vec<Root>) = removal
        .inspect(&counting)
        .into_iter()
        .partition(|root| root.file_type().is_dir() && options.recursive);
    let mut fine = counting.failed() == 0;
    for file in &files {
        fine &= at_once(file, options, &terminal);
    }
    // Removals that were made at once are reported, even if setting aside fails.
    fine &= terminal.close();
    if trees.is_empty() {
        if !journal.records()?.is_empty() {
            // This process set no tree aside, but other processes may have left some.
            detach(caller, options, &journal, journal.add(&[])?)?;
        }
        return Ok(fine);
    }
    let targets: Vec<Target> = trees.iter().map(aside).collect::<Result<_, _>>()?;
    let record = journal.add(&targets)?;
    for (root, target) in trees.iter().zip(&targets) {
        let path = [root.prefix(), root.name()].concat();
        let Err(error) = root.rename(&target.name) else {
            if terminal.wants_removed() {
                terminal.removed(&path, root.file_type());
            }
            continue;
        };
        let (shown, cause) = (in_message(&path), cause(&error));
        if removal_helps(&error) {
            caller.complain(&format!("cannot set {shown} aside: {cause}; removing it now"));
            left.push(PathBuf::from(std::ffi::OsStr::from_bytes(&path)));
        } else {
            caller.complain(&format!("cannot remove {shown}: {cause}"));
            fine = false;
        }
    }
    fine &= terminal.close();
    if left.len() == trees.len() {
        journal.drop_record(&record);
    } else {
        detach(caller, options, &journal, record)?;
    }
    Ok(fine)
}

/// Whether a tree that cannot be renamed can be removed: overlayfs renames no directory of a lower
/// layer, and a full disk may have no room for a longer name.
fn removal_helps(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, QuotaExceeded, StorageFull};
    matches!(error.kind(), CrossesDevices | QuotaExceeded | StorageFull)
}

/// Removes an argument at once if it is no directory: that takes no time.
fn at_once(root: &Root, options: &Options, terminal: &Terminal) -> bool {
    let path = [root.prefix(), root.name()].concat();
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(&path));
    let only = Options { paths: vec![path], ..options.clone() };
    super::removal::removal(&only).only(root.known()).run_with(terminal).is_complete()
}

/// What is about to be set aside, and how it is recognised later.
fn aside(root: &Root) -> Result<Target, String> {
    let shown = [root.prefix(), root.name()].concat();
    let failed = |error: io::Error| messages::failure("cannot remove", &shown, &error);
    let prefix = if root.prefix().is_empty() { b"." } else { root.prefix() };
    let parent = std::fs::canonicalize(std::ffi::OsStr::from_bytes(prefix)).map_err(failed)?;
    Target::new(parent, root.name(), root.known()).map_err(failed)
}

/// Starts the process that removes. It holds the record's lock through its standard input.
fn detach(
    caller: Caller,
    options: &Options,
    journal: &Journal,
    record: Record,
) -> Result<(), String> {
    let aside = record.targets().first().map(|target| in_message(&target.was));
    let failed = |error: io::Error| {
        let cause = format!("cannot start a process: {}", cause(&error));
        let Some(aside) = aside else { return cause };
        let command = caller.called("brisk rm");
        format!("cannot remove {aside} in the background: {cause}; '{command} --finish' removes it")
    };
    let log = journal.log().map_or_else(|_| Stdio::null(), Stdio::from);
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return Err(failed(error)),
    };
    let mut command = Command::new(program);
    command.arg0("brisk").args(["rm", "---finish-record"]).arg(record.name());
    if options.cross_mounts && !options.one_file_system {
        command.arg("--cross-mounts");
    }
    if let Some(threads) = options.run.threads {
        command.arg(format!("--threads={threads}"));
    }
    command
        .current_dir("/")
        .stdin(Stdio::from(record.into_file()))
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map(drop)
        .map_err(failed)
}

/// The work of the detached process: removes the trees that its record names, then those that other
/// processes have left.
pub(super) fn work(caller: Caller, record: &str, options: &Options) -> u8 {
    // The process gets a session of its own, so that the terminal's signals do not reach it.
    let _ = rustix::process::setsid();
    let log = Log { caller };
    let journal = match Journal::open() {
        Ok(journal) => journal,
        Err(message) => {
            log.tell(&message);
            return 1;
        }
    };
    let mut own = Finishing::new(&journal, &log, options);
    match journal.inherited(record) {
        Ok(record) => own.one(&record),
        Err(message) => own.refuse(&message),
    }
    // This command line does not say whether to enter mount points in the trees of other calls.
    let careful = Options { cross_mounts: false, ..options.clone() };
    let mut others = Finishing::new(&journal, &log, &careful);
    others.all();
    u8::from(!own.is_fine() || !others.is_fine())
}

/// Counts refusals on their way to the terminal.
struct Counting<'a> {
    inner: &'a Terminal,
    failed: Mutex<u64>,
}

impl Counting<'_> {
    fn failed(&self) -> u64 {
        *lock(&self.failed)
    }
}

impl Observer for Counting<'_> {
    fn failed(&self, what: &Failure) {
        *lock(&self.failed) += 1;
        self.inner.failed(what);
    }
}

/// Messages of a process without a terminal: they go into the log, with the time.
struct Log {
    caller: Caller,
}

impl Tell for Log {
    fn tell(&self, text: &str) {
        let now = zone::now().strftime("%F %T");
        let line = format!("{now} {}{text}\n", self.caller.prefix());
        // Standard error is the log. If that write fails, there is no other place to report it.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

impl Observer for Log {
    fn failed(&self, what: &Failure) {
        for line in failure(what) {
            self.tell(&line);
        }
    }
}
