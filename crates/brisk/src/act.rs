//! The contract between a walk and a visitor that changes the tree: each directory comes back once
//! everything below it is done.

use crate::emit::leaving::Leaving;
use crate::visitor::{Flow, Parallel};

/// A visitor that changes what it visits: removes, changes modes or owners, copies. Its walk is
/// [`Walk::act`](crate::Walk::act).
///
/// Such a walk delivers a few entries at a time, in [`entries`](crate::Visitor::entries), while the
/// directory that listed them is open. The visitor acts on each entry by
/// [`Entry::at`](crate::Entry::at): by the directory's handle and the entry's name, which no other
/// process can redirect. Each directory comes back in [`leaving`](Act::leaving) once everything
/// below it is done, by its parent's handle:
///
/// ```text
///   entries of d: a, e/, b     act on (d, a), (d, e), (d, b)    e is not open yet
///     entries of e: c          act on (e, c)
///   leaving e                  act on (d, e) again: nothing below it is unfinished
/// ```
///
/// What is below a directory may be visited before the directory's siblings are, and by any worker,
/// but not before its own entry was delivered. Between slices, every few milliseconds, the walk
/// measures whether more workers would pay, or fewer.
///
/// # Example
/// ```
/// # #[cfg(target_os = "linux")]
/// # fn main() -> std::io::Result<()> {
/// # let scratch = tempfile::tempdir()?;
/// # std::fs::create_dir(scratch.path().join("d"))?;
/// # std::fs::write(scratch.path().join("d/a.o"), "")?;
/// # std::fs::write(scratch.path().join("d/a.c"), "")?;
/// # let root = scratch.path();
/// use brisk::{Act, Directory, Entry, Error, Flow, Leaving, Parallel, Visitor, Walk};
///
/// /// Removes objects, and directories that are empty then.
/// struct Clean;
///
/// impl Visitor for Clean {
///     type State = ();
///     fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
///         for entry in entries.iter().filter(|entry| entry.name().ends_with(b".o")) {
///             if let Err(error) = entry.unlink() {
///                 eprintln!("{}: {error}", entry.path().display());
///             }
///         }
///         Flow::Continue
///     }
///     fn error(&mut self, error: Error) -> Flow {
///         eprintln!("{error}");
///         Flow::Continue
///     }
/// }
///
/// impl Parallel for Clean {
///     fn fork(&self, _: usize) -> Self {
///         Clean
///     }
///     fn merge(&mut self, _: Self) {}
/// }
///
/// impl Act for Clean {
///     const REMOVES: bool = true;
///     fn leaving(&mut self, dir: &Leaving<'_>, (): &(), (): &()) -> Flow {
///         let _ = dir.remove();
///         Flow::Continue
///     }
/// }
///
/// let (_, _) = Walk::new(root).act(Clean);
/// assert!(root.join("d/a.c").exists() && !root.join("d/a.o").exists());
/// # Ok(())
/// # }
/// # #[cfg(not(target_os = "linux"))]
/// # fn main() {}
/// ```
pub trait Act: Parallel {
    /// Whether the visitor removes entries. [`Walk::act`](crate::Walk::act) then enters no mount
    /// point below the roots, as with [`Mounts::SameMount`](crate::Mounts::SameMount), and,
    /// unless it is ordered, lists long directories again until nothing more is removed, because some
    /// servers leave entries out of a listing while others are removed; what stays is delivered once
    /// all the same.
    const REMOVES: bool = false;

    /// Whether siblings come by their inodes in a walk of [`Order::Sorted`](crate::Order::Sorted),
    /// as GNU cp orders them.
    const BY_INODE: bool = false;

    /// Everything below the directory is done. Called in place of [`leave`](crate::Visitor::leave)
    /// for each entered directory, whatever [`Needs`](crate::Needs) says. If it could not be
    /// opened, or must not be read, the same worker calls [`error`](crate::Visitor::error) first,
    /// unless the failure is not reported. One whose ignore rules are not all known
    /// ([`LearnRules`](crate::Operation::LearnRules)) must stay as it is. Not called for
    /// directories that were pruned, and not after the walk was stopped.
    fn leaving(&mut self, dir: &Leaving<'_>, state: &Self::State, parent: &Self::State) -> Flow;
}
