//! What all workers of a search share: the expression, and how it is run.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk::filter::{Expr, Filter};
use brisk::{Mounts, Order, Shape, Walk};
use brisk_filter::find::{Action, ExecKind, Options};

use super::deed::Deeds;
use crate::filter;
use crate::show::fields::{READING, explained, need};

/// How a search is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// What the walk's filter lets through is printed, with this byte behind it.
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
    /// Something failed: the exit code is 1.
    failed: AtomicBool,
}

impl Plan {
    pub(super) fn new(expr: Expr, actions: &[Action], options: &Options, deeds: &Deeds) -> Plan {
        let is_acting = actions.iter().any(acts);
        let (mode, expr) = match without_print(expr, actions) {
            Ok((end, expr)) => (Mode::Listing(end), expr),
            Err(expr) => (if is_acting { Mode::Acting } else { Mode::Telling }, expr),
        };
        let shown = deeds.shown();
        let filter = match mode {
            Mode::Listing(_) => Filter::new(expr),
            _ => Filter::acting(expr, move |act, entry| shown[usize::from(act)].fields(entry)),
        };
        Plan {
            mode,
            filter,
            min_depth: options.min_depth,
            ignores_races: options.ignores_races,
            deletes: actions.contains(&Action::Delete),
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn fail(&self) {
        self.failed.store(true, Relaxed);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Relaxed)
    }

    /// The walk over the roots.
    pub(super) fn walk(&self, walk: Walk, options: &Options) -> Walk {
        let mounts = match options.same_device {
            // What is mounted stays.
            _ if self.deletes => Mounts::SameMount,
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

/// An expression whose one action is to print to standard output, at its end: what is printed behind
/// a path, and the expression without the action.
fn without_print(expr: Expr, actions: &[Action]) -> Result<(u8, Expr), Expr> {
    let [Action::Print { to: None, end }] = actions else { return Err(expr) };
    match expr {
        Expr::Act(_) => Ok((*end, Expr::All(Vec::new()))),
        Expr::All(mut parts) if matches!(parts.last(), Some(Expr::Act(_))) => {
            parts.pop();
            Ok((*end, Expr::All(parts)))
        }
        expr => Err(expr),
    }
}
