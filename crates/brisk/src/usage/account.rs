//! [`Account`]: the sums of one directory, and where the directory stands.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use super::sums::Balance;
use crate::entry::bytes_to_path;

/// The sums of one directory, and where the directory stands.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// `None` above the roots.
    parent: Option<Arc<Account>>,
    name: Box<[u8]>,
    /// 0 above the roots, 1 for a root.
    level: u32,
    /// The directory's own entry counts.
    pub(super) counts: bool,
    /// The directory itself and its entries, without subdirectories.
    pub(super) own: Mutex<Balance>,
    /// Subdirectories that were left.
    pub(super) below: Mutex<Balance>,
    /// The directory was opened.
    pub(super) is_open: AtomicBool,
    /// There was an error about something in it or below it.
    pub(super) failed: AtomicBool,
    /// Files with several links count here or below, so that the sums are final at the end.
    pub(super) waits: AtomicBool,
    /// The directory's number among those with such files; 0 if there are none in it.
    pub(super) number: AtomicU32,
}

impl Account {
    pub(super) fn below(parent: &Arc<Account>, name: &[u8], counts: bool) -> Account {
        let mut account = Account::default();
        account.name = name.into();
        account.counts = counts;
        account.level = parent.level + 1;
        account.parent = Some(Arc::clone(parent));
        account
    }

    pub(super) fn depth(&self) -> usize {
        self.level.saturating_sub(1) as usize
    }

    pub(super) fn parent(&self) -> Option<&Account> {
        self.parent.as_deref()
    }

    /// This directory and those above it, up to the place above the roots.
    pub(super) fn upwards(&self) -> impl Iterator<Item = &Account> {
        std::iter::successors(Some(self), |account| account.parent())
    }

    /// From now on this holds for it and for the directories above it.
    pub(super) fn mark(&self, what: fn(&Account) -> &AtomicBool) {
        let mut above = self.upwards();
        while above.next().is_some_and(|account| !what(account).swap(true, Relaxed)) {}
    }

    /// Whether this directory comes before the other in sorted order: a directory before what is in
    /// it, siblings by the bytes of their names.
    pub(super) fn precedes(&self, other: &Account) -> bool {
        let level = self.level.min(other.level);
        let [here, there] = [self, other]
            .map(|account| account.upwards().skip_while(move |above| above.level > level));
        let apart = here.zip(there).take_while(|(here, there)| !std::ptr::eq(*here, *there));
        let siblings = apart.last().map(|(here, there)| here.name < there.name);
        siblings.unwrap_or(self.level < other.level)
    }

    /// The path; a root's is as the caller spelled it.
    pub(super) fn path(&self) -> PathBuf {
        // The place above the roots has an empty name.
        let names: Vec<_> = self.upwards().map(|account| bytes_to_path(&account.name)).collect();
        names.into_iter().rev().collect()
    }
}

/// One after the other: a deep tree would need as many calls inside each other.
impl Drop for Account {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut above) = parent.and_then(Arc::into_inner) {
            parent = above.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(top: &Arc<Account>, names: &[&str]) -> Arc<Account> {
        names.iter().fold(Arc::clone(top), |parent, name| {
            Arc::new(Account::below(&parent, name.as_bytes(), true))
        })
    }

    #[test]
    fn a_directory_comes_before_what_is_in_it_and_siblings_by_name() {
        let top = Arc::new(Account::default());
        let root = path(&top, &["r"]);
        let a = path(&root, &["a"]);
        let b = path(&root, &["b"]);
        let deep = path(&a, &["z", "z"]);
        let low = path(&b, &["a"]);
        let sorted = [&top, &root, &a, &deep, &b, &low];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(one.precedes(other), at < other_at, "{at} {other_at}");
            }
        }
        let expected: PathBuf = ["r", "a", "z", "z"].iter().collect();
        assert_eq!((deep.path().into_os_string(), deep.depth()), (expected.into(), 3));
    }

    /// Directories that wait for the end are all in memory.
    #[test]
    fn an_account_takes_168_bytes() {
        assert!(size_of::<Account>() <= 168, "{}", size_of::<Account>());
    }

    #[test]
    fn a_deep_tree_is_freed_without_recursion() {
        let deep = vec!["d"; 300_000];
        drop(path(&Arc::new(Account::default()), &deep));
    }
}
