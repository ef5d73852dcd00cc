//! [`Interactive`]: removes with questions, one entry after the other, in GNU rm's order, so that a
//! list of answers means the same to both.
//!
//! ```text
//!   d/          descend into 'd'?      its entries as the directory lists them
//!   ├─ a          remove 'd/a'?
//!   ├─ e/         descend into 'd/e'?  … all of e … remove directory 'd/e'?
//!   └─ b          remove 'd/b'?
//!               remove directory 'd'?
//! ```
//!
//! The [`Remover`] decides whether an entry is removed, as in every removal; this module decides
//! only the order. It has a stack of directories, each with the names whose turn has not come. If
//! the stack holds more handles than the bound, a directory's handle closes while one below it is
//! emptied. The directory is opened again by `..` from there or, if that leads to another directory
//! by now, from the nearest directory above that is open.

use std::cmp::Reverse;
use std::ffi::{CStr, CString};
use std::io;
use std::sync::Arc;
use std::time::Instant;

use brisk_sys::paths::ends_open;
use brisk_sys::{
    Buffer, Dir, Identity, Links, RawEntries, append, is_link_loop, limits, until_nul,
};

use super::asking::Asking;
use super::level::Level;
use super::remover::Remover;
use super::tally::Tally;
use crate::entry::bytes_to_path_buf;
use crate::read::reach::{descend, lost_error};
use crate::run::Top;
use crate::tree::MARKED;
use crate::{
    Act, Directory, Enter, Entry, Error, Fields, FileType, Flow, Leaving, Listing, Meta, Operation,
    Outcome, Select, Stats, Visitor,
};

/// The most names of a directory that are read at once, as in gnulib's fts; the rest are read when
/// these are done.
const MOST_NAMES: usize = 100_000;

/// The number of names above which they are taken in the order of their inodes where that is
/// faster, as in gnulib's fts.
const INODE_ORDER: usize = 10_000;

/// The number of entries after which the observer may show how far the removal has come: few enough
/// that a slow removal is seen to go on.
const LOOK_UP: u64 = 256;

/// The bytes of the buffer for records, as in any walk.
const BUFFER: usize = 64 << 10;

/// An open directory.
type Handle = Arc<Dir>;

/// A removal that asks.
pub(super) struct Interactive<'a> {
    tally: &'a Tally<'a>,
    remover: Remover<'a>,
    stack: Vec<Stage>,
    /// The path of the last directory of the stack, with a separator at its end.
    prefix: Vec<u8>,
    buffer: Buffer,
    /// The most directories of the stack whose handles stay open.
    most_handles: usize,
    stats: Stats,
}

/// A directory that is being emptied, or the one that the roots are in.
struct Stage {
    name: CString,
    ino: u64,
    note: u8,
    state: Level,
    handle: Kept,
    names: Names,
    /// The length of its parent's path, in bytes.
    above: usize,
    /// The directory was read to its end.
    ended: bool,
    /// Reading the directory failed: there may be entries that were never listed.
    incomplete: bool,
}

/// The handle of a directory on the stack.
enum Kept {
    Open(Handle),
    GivenUp(Identity),
    /// It was never opened, or the way back to it was lost.
    None(io::ErrorKind),
}

impl Kept {
    fn handle(&self) -> Option<&Handle> {
        if let Kept::Open(handle) = self { Some(handle) } else { None }
    }
}

/// An entry as its directory lists it.
#[derive(Clone, Copy)]
struct Listed {
    ino: u64,
    /// Where the name begins in [`Names::bytes`].
    name: usize,
    file_type: FileType,
}

/// Entries whose turn has not come, the next one last.
#[derive(Default)]
struct Names {
    /// The names, each with its NUL.
    bytes: Vec<u8>,
    listed: Vec<Listed>,
}

impl Names {
    /// Adds the entries of these records.
    fn take_in(&mut self, records: RawEntries<'_>) {
        for raw in records {
            self.listed.push(Listed {
                ino: raw.ino,
                name: self.bytes.len(),
                file_type: raw.file_type,
            });
            append(&mut self.bytes, raw.name.to_bytes_with_nul());
        }
    }

    /// Sorts the names that were taken into the order in which their turns come.
    fn arrange(&mut self, by_inode: bool) {
        self.listed.reverse();
        if by_inode {
            self.listed.sort_by_key(|listed| Reverse(listed.ino));
        }
    }

    fn name(&self, listed: Listed) -> &CStr {
        self.bytes.get(listed.name..).and_then(until_nul).unwrap_or_default()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.listed.clear();
    }
}

/// A directory that is about to be entered.
struct Child {
    name: CString,
    ino: u64,
    note: u8,
}

impl<'a> Interactive<'a> {
    pub fn new(tally: &'a Tally<'a>) -> Self {
        let half = || usize::try_from(limits::open_files() / 2).unwrap_or(usize::MAX);
        Interactive {
            tally,
            remover: Remover::new(tally),
            stack: Vec::new(),
            prefix: Vec::new(),
            buffer: Buffer::with_capacity(BUFFER),
            most_handles: tally.remove.handle_limit.unwrap_or_else(half) / 2,
            stats: Stats { peak_workers: 1, ..Stats::default() },
        }
    }

    /// Removes the roots in one directory.
    pub fn run(mut self, top: Top) {
        let began = Instant::now();
        let Top { prefix: name, handle, roots } = top;
        let mut names = Names::default();
        names.take_in(roots.entries());
        names.arrange(false);
        self.prefix.extend_from_slice(name.to_bytes());
        let state = self.remover.top();
        let handle = Kept::Open(handle);
        let ino = 0;
        let note = 0;
        let above = 0;
        let ended = true;
        let incomplete = false;
        self.stack.push(Stage { name, ino, note, state, handle, names, above, ended, incomplete });
        while !self.tally.is_stopped() && self.step() == Flow::Continue {}
        let _ = self.breathe();
        self.stats.wall = began.elapsed();
        self.tally.add(&self.stats);
    }

    /// One step: hands on the next entry, reads the next names, or leaves the directory.
    fn step(&mut self) -> Flow {
        let Some(stage) = self.stack.last_mut() else { return Flow::Stop };
        match stage.names.listed.pop() {
            Some(listed) => self.entry(listed),
            None if !stage.ended => {
                self.read();
                Flow::Continue
            }
            None if self.stack.len() == 1 => Flow::Stop,
            None => self.leave(),
        }
    }

    /// Lets the observer show how far the removal has come, and counts the requests that were made.
    fn breathe(&mut self) -> Flow {
        let breath = self.remover.breathe(false);
        self.stats.calls.visitor += breath.requests;
        breath.flow
    }

    /// Hands an entry to the remover, and enters it if it is to be entered.
    fn entry(&mut self, listed: Listed) -> Flow {
        let Interactive { remover, stack, prefix, stats, .. } = self;
        let depth = stack.len() - 1;
        let Some(stage) = stack.last() else { return Flow::Stop };
        let Some(handle) = stage.handle.handle() else { return Flow::Continue };
        let name = stage.names.name(listed);
        stats.entries += 1;
        let dir = Directory::new(prefix, depth.saturating_sub(1), Some(handle));
        let mut asking = Asking { handle, name, calls: 0, refused: None };
        let mut meta = None;
        let mut file_type = listed.file_type;
        if file_type == FileType::Unknown {
            meta = asking.ask(remover.needs().fields | Fields::TYPE);
            file_type = meta.as_ref().and_then(Meta::file_type).unwrap_or_default();
        }
        let entry =
            |meta| Entry { meta, ..Entry::new(&dir, name, listed.ino, file_type, depth as u32) };
        if let Select::Take(fields) = remover.select(&stage.state, &entry(None))
            && !fields.is_empty()
            && meta.is_none()
        {
            meta = asking.ask(fields);
        }
        stats.calls.stat += asking.calls;
        if let Some(error) = asking.refused {
            if error.kind() == io::ErrorKind::NotFound && depth > 0 {
                return Flow::Continue;
            }
            let path = bytes_to_path_buf(&[prefix, name.to_bytes()].concat());
            stats.errors += 1;
            let _ = remover.error(Error::new(Operation::Stat, path, depth, error));
        }
        let entry = entry(meta.as_ref());
        stats.taken += 1;
        let mut flow = remover.entries(&dir, &stage.state, std::slice::from_ref(&entry));
        if stats.taken.is_multiple_of(LOOK_UP) && flow == Flow::Continue {
            let breath = remover.breathe(false);
            stats.calls.visitor += breath.requests;
            flow = breath.flow;
        }
        if flow == Flow::Stop || !file_type.is_dir() || entry.pruned.get() {
            return flow;
        }
        let note = if entry.marked.get() { MARKED } else { 0 };
        let child = Child { name: name.to_owned(), ino: listed.ino, note };
        self.enter(child)
    }

    /// Opens a directory and pushes it on the stack, also if it cannot be opened.
    fn enter(&mut self, child: Child) -> Flow {
        let Child { name, ino, note } = child;
        let depth = self.stack.len() - 1;
        let Some(parent) = self.stack.last() else { return Flow::Stop };
        let Some(handle) = parent.handle.handle() else { return Flow::Continue };
        let above = self.prefix.len();
        let dir = Directory::new(&self.prefix, depth.saturating_sub(1), None);
        let entry = Entry::new(&dir, &name, ino, FileType::Directory, depth as u32);
        entry.marked.set(note & MARKED != 0);
        let Enter::Read(state) = self.remover.enter(&entry, &parent.state) else {
            return Flow::Continue;
        };
        self.stats.calls.open += 1;
        let opened = if depth > 0 && !self.tally.remove.cross_mounts {
            handle.open_child_here(&name)
        } else {
            handle.open_child(&name, Links::NoFollow)
        };
        append(&mut self.prefix, name.to_bytes());
        if !ends_open(name.to_bytes()) {
            self.prefix.push(b'/');
        }
        let handle = match opened {
            Ok(handle) => Kept::Open(Arc::new(handle)),
            Err(error) => {
                let kind = error.kind();
                self.not_opened(depth, error);
                Kept::None(kind)
            }
        };
        let is_open = handle.handle().is_some();
        let names = Names::default();
        let ended = !is_open;
        let incomplete = false;
        self.stack.push(Stage { name, ino, note, state, handle, names, above, ended, incomplete });
        if is_open {
            self.begin();
        }
        Flow::Continue
    }

    /// A directory was opened: has the remover look at it, and reads its first names.
    fn begin(&mut self) {
        self.stats.directories += 1;
        let depth = self.stack.len() - 2;
        let Some(stage) = self.stack.last_mut() else { return };
        let Some(handle) = stage.handle.handle() else { return };
        let dir = Directory::new(&self.prefix, depth, Some(handle));
        let listing = Listing { entries: RawEntries::new(&[]), complete: false };
        self.remover.listed(&dir, &listing, &mut stage.state);
        self.read();
        self.give_up_parent();
    }

    /// Reads names until there are enough, or the directory ends.
    fn read(&mut self) {
        let Some(stage) = self.stack.last_mut() else { return };
        let Some(handle) = stage.handle.handle().map(Arc::clone) else { return };
        stage.names.clear();
        while !stage.ended && stage.names.listed.len() < MOST_NAMES {
            self.buffer.clear();
            let fill = handle.fill(&mut self.buffer);
            self.stats.calls.read += u64::from(fill.calls);
            stage.names.take_in(self.buffer.entries());
            stage.ended = match fill.complete {
                Ok(complete) => complete,
                Err(error) => {
                    stage.incomplete = true;
                    self.stats.errors += 1;
                    let path = path_of(&self.prefix);
                    let error = Error::new(Operation::Read, path, self.stack.len() - 2, error);
                    let _ = self.remover.error(error);
                    break;
                }
            };
        }
        let Some(stage) = self.stack.last_mut() else { return };
        stage.ended |= stage.incomplete;
        let many = stage.names.listed.len() > INODE_ORDER;
        stage.names.arrange(many && handle.prefers_inode_order());
    }

    /// Closes the handle of the directory above the last one if the stack has too many handles,
    /// unless that directory has more to read.
    fn give_up_parent(&mut self) {
        let above = self.stack.len().saturating_sub(2);
        if above <= self.most_handles {
            return;
        }
        let parent = &mut self.stack[above];
        if parent.ended
            && let Some(handle) = parent.handle.handle()
            && let Ok(identity) = handle.identity()
        {
            self.stats.calls.stat += 1;
            parent.handle = Kept::GivenUp(identity);
        }
    }

    /// Reports a directory that could not be opened. As in any walk, one that has vanished below
    /// the roots is not reported.
    fn not_opened(&mut self, depth: usize, error: io::Error) {
        use io::ErrorKind::{NotADirectory, NotFound};
        // Another process has replaced the directory by a link.
        let is_link = is_link_loop(&error);
        if depth == 0 || !(is_link || matches!(error.kind(), NotFound | NotADirectory)) {
            self.stats.errors += 1;
            let error = Error::new(Operation::Open, path_of(&self.prefix), depth, error);
            let _ = self.remover.error(error);
        }
    }

    /// Has the remover remove the last directory of the stack.
    fn leave(&mut self) -> Flow {
        let Some(stage) = self.stack.pop() else { return Flow::Stop };
        self.regain(&stage);
        let Stage { name, ino, note, state, handle, above, incomplete, .. } = stage;
        // The handle closes before the directory is removed.
        drop(handle);
        let depth = self.stack.len() - 1;
        let Some(parent) = self.stack.last() else { return Flow::Stop };
        let lost = match parent.handle {
            Kept::None(kind) => kind.into(),
            _ => io::Error::from(io::ErrorKind::NotFound),
        };
        let leaving = Leaving {
            dir: Directory::new(&self.prefix, depth, None),
            name: &name,
            links: Links::NoFollow,
            root: None,
            parent: parent.handle.handle().map(|handle| &**handle as &Dir).ok_or(&lost),
            note,
            outcome: if incomplete { Outcome::Partial } else { Outcome::Complete },
            gone: false.into(),
            again: false.into(),
        };
        let flow = self.remover.leaving(&leaving, &state, &parent.state);
        let again = leaving.again.get();
        self.prefix.truncate(above);
        if flow == Flow::Stop || self.breathe() == Flow::Stop {
            return Flow::Stop;
        }
        if again {
            return self.enter(Child { name, ino, note: note + 1 });
        }
        Flow::Continue
    }

    /// Opens the directory above the one that is left, if its handle was given up: by `..`, or from
    /// the nearest directory above that is open. If neither way leads back, nothing more in that
    /// directory is removed.
    fn regain(&mut self, left: &Stage) {
        let Some(parent) = self.stack.last() else { return };
        let Kept::GivenUp(identity) = parent.handle else { return };
        self.stats.calls.reopen += 1;
        self.stats.calls.stat += 1;
        let below = left.handle.handle().ok_or(io::ErrorKind::NotFound.into());
        let up = below.and_then(|handle| handle.open_parent(identity).map(Arc::new));
        let up = up.or_else(|_| self.reach_above(identity));
        let kept = match up {
            Ok(handle) => Kept::Open(handle),
            Err(error) => {
                self.lost(left.above);
                Kept::None(error.kind())
            }
        };
        let Some(parent) = self.stack.last_mut() else { return };
        parent.handle = kept;
    }

    /// Opens the last directory of the stack by its name.
    fn reach_above(&mut self, identity: Identity) -> io::Result<Handle> {
        let held = |stage: &Stage| stage.handle.handle().is_some();
        let at = self.stack.iter().rposition(held).ok_or(io::ErrorKind::NotFound)?;
        let handle = self.stack[at].handle.handle().ok_or(io::ErrorKind::NotFound)?;
        let below = self.stack[at + 1..].iter().rev();
        let names = below.map(|stage| (&*stage.name, Links::NoFollow)).collect();
        // A root may be a mount point.
        let one_mount = !self.tally.remove.cross_mounts && at > 0;
        let found = descend(Arc::clone(handle), names, one_mount, &mut self.stats.calls)?;
        self.stats.calls.stat += 1;
        if found.identity()? == identity { Ok(found) } else { Err(lost_error()) }
    }

    /// No way leads back to the last directory of the stack, whose path has this length.
    #[cold]
    fn lost(&mut self, length: usize) {
        let depth = self.stack.len() - 2;
        let Some(stage) = self.stack.last_mut() else { return };
        stage.incomplete = true;
        if !stage.names.listed.is_empty() {
            stage.names.clear();
            self.stats.errors += 1;
            let path = path_of(&self.prefix[..length]);
            let error = Error::new(Operation::Reopen, path, depth, lost_error());
            let _ = self.remover.error(error);
        }
    }
}

/// A directory's path, without the separator at its end.
fn path_of(prefix: &[u8]) -> std::path::PathBuf {
    bytes_to_path_buf(brisk_sys::paths::without_separator(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_as_listed_or_by_inode() {
        let mut buffer = Buffer::with_capacity(0);
        for (ino, name) in [(5, "five"), (3, "three"), (5, "five too"), (4, "four")] {
            assert!(buffer.push_known_root(ino, FileType::File, name.as_bytes()));
        }
        for (by_inode, expected) in [
            (false, ["five", "three", "five too", "four"]),
            (true, ["three", "four", "five", "five too"]),
        ] {
            let mut names = Names::default();
            names.take_in(buffer.entries());
            names.arrange(by_inode);
            let mut found = Vec::new();
            while let Some(listed) = names.listed.pop() {
                found.push(names.name(listed).to_str().expect("ASCII").to_owned());
            }
            assert_eq!(found, expected);
        }
    }
}
