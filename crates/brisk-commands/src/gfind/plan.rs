//! What all workers of a search share: the expression, and how it is run.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brisk::filter::{Expr, Filter, Test};
use brisk::{Entry, Fields, FileType, Follow, Mounts, Order, Shape, Walk};
use brisk_filter::find::{Action, ExecKind, Options};

use super::outputs::failed;
use super::printf::Printf;
use crate::filter;
use crate::front::messages::Caller;
use crate::show::fields::{READING, explained, need};

/// How a search is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The paths that the walk's filter lets through are printed, with this byte behind each, or
    /// gathered for a program.
    Listing(u8),
    /// The actions change nothing in the tree: other workers read ahead, and ask for metadata.
    Telling,
    /// Commands are run, or entries removed: one entry after the other, by handles, and nothing is
    /// asked about an entry before its turn.
    Acting,
}

/// What all workers share.
pub(super) struct Plan {
    pub(super) mode: Mode,
    pub(super) filter: Filter,
    pub(super) min_depth: usize,
    pub(super) ignores_races: bool,
    deletes: bool,
    follow: Follow,
    /// What is asked of a directory before what is in it changes, where it comes after that.
    pub(super) of_dirs: Fields,
    /// The formats of all actions, if readers can do them ahead.
    pub(super) drafted: Option<Vec<Arc<Printf>>>,
    /// Something failed: the exit code is 1.
    failed: AtomicBool,
    /// The message about the last entry whose metadata could not be had.
    unreached: Mutex<String>,
}

impl Plan {
    /// `formats`: those of the actions that print. `drafted`: all of them, if readers can do them
    /// ahead. `shows`: standard output is a terminal.
    pub(super) fn new(
        expr: Expr,
        actions: &[Action],
        options: &Options,
        formats: Vec<Option<Arc<Printf>>>,
        drafted: Option<Vec<Arc<Printf>>>,
        shows: bool,
    ) -> Plan {
        let of_dirs = |format: &Arc<Printf>| format.fields_of(FileType::Directory, false);
        let of_dirs: Fields = formats.iter().flatten().map(of_dirs).collect();
        // On a terminal `?` stands for characters that command it.
        let listing = if shows { Err(expr) } else { listing(expr, actions) };
        let (mode, filter) = match listing {
            Ok(listing) => listing,
            Err(expr) => {
                let acts = actions.iter().any(acts);
                let fields = move |act, entry: &Entry<'_>| {
                    formats[usize::from(act)].iter().map(|format| format.fields(entry)).collect()
                };
                let mode = if acts { Mode::Acting } else { Mode::Telling };
                (mode, Filter::with_actions(expr, fields))
            }
        };
        // A reader cannot say what failed.
        let may_fail = |test: &Test| test.key() == "-empty" || test.key().starts_with("-xtype ");
        let may_draft = matches!(mode, Mode::Listing(_)) || !filter.tests().any(may_fail);
        let of_dirs = of_dirs | filter.fields(FileType::Directory);
        // An open directory does not tell its context.
        let asks_first = mode == Mode::Acting
            && options.order == Order::Depth(Shape::Post)
            && !of_dirs.contains(Fields::CONTEXT);
        Plan {
            mode,
            of_dirs: if asks_first { of_dirs } else { Fields::empty() },
            follow: options.follow,
            filter,
            min_depth: options.min_depth,
            ignores_races: options.ignores_races,
            deletes: actions.contains(&Action::Delete),
            drafted: drafted.filter(|_| may_draft),
            failed: AtomicBool::new(false),
            unreached: Mutex::default(),
        }
    }

    /// Whether find(1) knows an entry's metadata before it evaluates anything.
    pub(super) fn knows_first(&self, entry: &Entry<'_>) -> bool {
        let is_read = matches!(entry.file_type(), FileType::Directory | FileType::Unknown);
        let is_link = entry.file_type().is_symlink() || entry.is_followed_link();
        is_read || entry.depth() == 0 || is_link && self.follow == Follow::Always
    }

    /// Says what failed.
    #[cold]
    pub(super) fn complain(&self, message: &str) {
        self.failed.store(true, Relaxed);
        Caller::Find.complain(message);
    }

    /// Prints a message about an entry, unless it is the one that its metadata cannot be had: GNU
    /// find asks no more about such an entry.
    #[cold]
    pub(super) fn tell(&self, message: &str) {
        if *self.unreached() != message {
            Caller::Find.complain(message);
        }
    }

    /// Says why an entry's metadata cannot be had.
    #[cold]
    pub(super) fn complain_of_unreached(&self, message: String) {
        self.failed.store(true, Relaxed);
        self.tell(&message);
        *self.unreached() = message;
    }

    /// Says why a request about an entry failed.
    #[cold]
    pub(super) fn complain_about(&self, path: &Path, error: &io::Error) {
        let message = failed(path.as_os_str(), error);
        let is_alike = |now: io::Error| now.kind() == error.kind();
        if path.symlink_metadata().is_err_and(is_alike) {
            return self.complain_of_unreached(message);
        }
        self.failed.store(true, Relaxed);
        self.tell(&message);
    }

    /// The next message is about another entry, or about the same one that is met again.
    #[cold]
    pub(super) fn forget_unreached(&self) {
        self.unreached().clear();
    }

    fn unreached(&self) -> MutexGuard<'_, String> {
        self.unreached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// The walk over the roots.
    pub(super) fn walk(&self, walk: Walk, options: &Options) -> Walk {
        let mounts = match options.same_device {
            // What is mounted stays. A walk that follows links cannot keep to one mount.
            _ if self.deletes && options.follow != Follow::Always => Mounts::SameMount,
            true => Mounts::SameDevice,
            false => Mounts::Cross,
        };
        let order = match options.order {
            Order::Depth(shape) => Order::Depth(shape),
            _ if self.mode == Mode::Acting => Order::Depth(Shape::Pre),
            order => order,
        };
        let walk = walk
            .order(order)
            .follow(options.follow)
            .mounts(mounts)
            .min_depth(options.min_depth)
            .max_depth(options.max_depth)
            .threads(options.threads.and_then(NonZeroUsize::new));
        if self.mode == Mode::Acting { walk } else { walk.filter(self.filter.clone()) }
    }

    /// What the search asks of the file system, and for which test.
    pub(super) fn explain(&self) -> String {
        explained([(true, READING)], filter::explain(&self.filter).filter_map(need).collect(), None)
    }
}

/// Whether an action may change the tree.
fn acts(action: &Action) -> bool {
    match action {
        Action::Delete => true,
        Action::Exec { kind, in_directory, .. } => *kind == ExecKind::Each || *in_directory,
        _ => false,
    }
}

/// The filter of a listing, if the one action takes paths alone, at the end: it prints to standard
/// output, or gathers for a program.
fn listing(expr: Expr, actions: &[Action]) -> Result<(Mode, Filter), Expr> {
    let end = match actions {
        [Action::Print { to: None, end }] => *end,
        [Action::Exec { kind: ExecKind::Batch, in_directory: false, .. }] => 0,
        _ => return Err(expr),
    };
    let asks = expr.tests().any(|test| !test.fields(FileType::Unknown).is_empty());
    // The action holds in any case: the parser says so.
    let takes = |part: &Expr| match part {
        Expr::List(two) => matches!(&two[..], [Expr::Action(_), Expr::All(all)] if all.is_empty()),
        _ => false,
    };
    let parts = match expr {
        ref take if takes(take) => Vec::new(),
        Expr::All(mut parts) if parts.last().is_some_and(takes) => {
            let take = parts.pop();
            if asks && !parts.iter().all(only_holds) {
                parts.extend(take);
                return Err(Expr::All(parts));
            }
            parts
        }
        expr => return Err(expr),
    };
    Ok((Mode::Listing(end), Filter::new(Expr::All(parts))))
}

/// Whether the expression asks only whether tests hold. Where metadata cannot be had, find(1) takes
/// the opposite of a test for true, and a filter does not.
fn only_holds(part: &Expr) -> bool {
    match part {
        Expr::Test(_) => true,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().all(only_holds),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Not as _;

    use super::*;

    #[test]
    fn a_listing_asks_for_metadata_only_where_tests_must_hold() {
        let size = || Expr::from(Test::meta("size", |_| Fields::SIZE, |_, _| true));
        let name = || Expr::from(Test::name("name", |_| true));
        let lists = |action: Action, part: Expr| {
            let act = Expr::List(vec![Expr::Action(0), Expr::All(Vec::new())]);
            matches!(listing(Expr::All(vec![part, act]), &[action]), Ok((Mode::Listing(_), _)))
        };
        let gather = |in_directory| Action::Exec {
            words: vec!["true".into()],
            kind: ExecKind::Batch,
            in_directory,
            asks: false,
        };
        for action in [Action::Print { to: None, end: b'\n' }, gather(false)] {
            let lists = |part| lists(action.clone(), part);
            assert!(lists(size()) && lists(Expr::Any(vec![size(), name()])) && lists(!name()));
            assert!(!lists(size().not()) && !lists(Expr::Any(vec![size(), Expr::Prune])));
        }
        assert!(!lists(gather(true), size()));
    }
}
