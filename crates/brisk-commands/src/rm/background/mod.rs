//! `--background`: sets trees aside now, removes them afterwards, and never loses track of a tree.
//!
//! ```text
//!   brisk rm --background tree
//!     1  look at the tree: device, inode, owner, and those of its parent
//!     2  record: what is about to be renamed to which name ── locked, written and on the disk
//!        before it has a record's name, and before anything moves
//!     3  renameat2(parent, "tree", parent, ".brisk-rm-9f…", NOREPLACE)
//!     4  start a process that inherits the locked record as its standard input, and on Windows
//!        locks it anew; return
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
//! brisk at every system call, and `tests/commands/rm/journal.rs`.)

mod finish;
#[cfg(unix)]
#[path = "unix.rs"]
mod folder;
#[cfg(windows)]
#[path = "windows.rs"]
mod folder;
mod journal;
mod target;
#[cfg(unix)]
mod trusted;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use brisk::remove::{Observer as _, Remove, Root};
use brisk::unstable;
use brisk_sys::paths::bytes_to_path;

use super::flags::Options;
use super::removal::{removal, remove};
use super::teller::Teller;
use crate::front::messages::{self, Caller, cause};
use crate::show::quoting::in_message;
use crate::system;
pub(super) use finish::finish;
use journal::{Journal, LockedRecord};
use target::SetAside;

/// Sets trees aside and returns the exit code.
pub(super) fn start(caller: Caller, options: &Options) -> u8 {
    let teller = Teller::new(caller, options);
    let mut left = Vec::new();
    if let Err(message) = set_aside(&teller, options, &mut left) {
        teller.complain(&message);
    }
    let code = teller.close();
    if left.is_empty() {
        return code;
    }
    let now = Options { paths: left, background: false, ..options.clone() };
    remove(caller, &now).max(code)
}

/// Sets aside what can be renamed, and has that removed. `left` receives the paths that cannot be
/// renamed and have to be removed now.
fn set_aside(
    teller: &Teller<'_>,
    options: &Options,
    left: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let journal = Journal::open()?;
    let (trees, files): (Vec<Root>, Vec<Root>) = removal(options, &options.paths)
        .inspect(teller)
        .into_iter()
        .partition(|root| root.file_type().is_dir() && options.recursive);
    // An argument that is not a directory is removed at once: that takes no time.
    for file in &files {
        let paths = [bytes_to_path(&path(file)).to_owned()];
        let only = Some(unstable::known(file));
        let _ = Remove { only, ..removal(options, &[]) }.run_over(paths, teller);
    }
    // Removals that were made at once are reported, even if setting aside fails.
    teller.flush();
    if trees.is_empty() {
        if !journal.records()?.is_empty() {
            // This process set no tree aside, but other processes may have left some.
            detach(teller.caller, options, &journal, journal.add(&[])?)?;
        }
        return Ok(());
    }
    let targets: Vec<SetAside> = trees.iter().map(aside).collect::<Result<_, _>>()?;
    let record = journal.add(&targets)?;
    for (root, target) in trees.iter().zip(&targets) {
        let path = path(root);
        let Err(error) = unstable::rename(root, &target.name) else {
            if teller.wants_removed() {
                teller.removed(&path, root.file_type());
            }
            continue;
        };
        if removal_helps(&error) {
            let shown = in_message(&path);
            let cause = cause(&error);
            let message = format!("cannot set {shown} aside: {cause}; removing it now");
            teller.caller.complain(&message);
            left.push(bytes_to_path(&path).to_owned());
        } else {
            teller.complain(&messages::failure("cannot remove", &path, &error));
        }
    }
    teller.flush();
    if left.len() == trees.len() {
        journal.drop_record(&record);
        return Ok(());
    }
    detach(teller.caller, options, &journal, record)
}

/// Whether a tree that cannot be renamed can be removed: overlayfs renames no directory of a lower
/// layer, and a full disk may have no room for a longer name.
fn removal_helps(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, QuotaExceeded, StorageFull};
    matches!(error.kind(), CrossesDevices | QuotaExceeded | StorageFull)
}

/// The path of an argument.
fn path(root: &Root) -> Vec<u8> {
    [root.prefix(), root.name()].concat()
}

/// What is about to be set aside, and how it is recognised later.
fn aside(root: &Root) -> Result<SetAside, String> {
    let failed = |error: io::Error| messages::failure("cannot remove", &path(root), &error);
    let prefix: &Path = match root.prefix() {
        [] => ".".as_ref(),
        prefix => bytes_to_path(prefix),
    };
    let parent = system::absolute(prefix).map_err(failed)?;
    SetAside::new(parent, root.name(), unstable::known(root)).map_err(failed)
}

/// Starts the process that removes, and lets it inherit the record.
fn detach(
    caller: Caller,
    options: &Options,
    journal: &Journal,
    record: LockedRecord,
) -> Result<(), String> {
    let LockedRecord { name, file, targets } = record;
    let log = journal.log().map_or_else(|_| Stdio::null(), Stdio::from);
    let start = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["rm", "---finish-record"]).arg(name);
        if options.cross_mounts {
            command.arg("--cross-mounts");
        }
        if let Some(threads) = options.common.threads {
            command.arg(format!("--threads={threads}"));
        }
        journal.folder.hand_over(file, &mut command);
        command.stdout(Stdio::null()).stderr(log).spawn().map(drop)
    };
    start().map_err(|error| {
        let cause = format!("cannot start a process: {}", cause(&error));
        let Some(target) = targets.first() else { return cause };
        let aside = in_message(&target.was);
        let command = caller.called("brisk rm");
        format!("cannot remove {aside} in the background: {cause}; '{command} --finish' removes it")
    })
}

/// The work of the detached process: removes the trees that its record names, then those that other
/// processes have left.
pub(super) fn work(caller: Caller, record: &str, options: &Options) -> u8 {
    folder::leave_terminal();
    let teller = Teller::new(caller, options);
    if let Err(message) = finish_detached(&teller, record, options) {
        teller.complain(&message);
    }
    teller.code()
}

fn finish_detached(teller: &Teller<'_>, record: &str, options: &Options) -> Result<(), String> {
    let journal = Journal::open()?;
    match journal.inherited(record) {
        Ok(Some(record)) => _ = finish::one(&journal, teller, options, &record),
        Ok(None) => {}
        Err(message) => teller.complain(&message),
    }
    // This command line does not say whether to enter mount points in the trees of other calls.
    let careful = Options { cross_mounts: false, ..options.clone() };
    finish::all(&journal, teller, &careful);
    Ok(())
}
