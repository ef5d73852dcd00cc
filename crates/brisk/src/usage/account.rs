//! [`Account`]: the sums of one directory, and where the directory stands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};

use super::sums::{Sums, Tally};

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
    pub(super) own: Tally,
    /// Subdirectories that were left.
    pub(super) below: Tally,
    /// Files with several links count here or below, so that the sums are final at the end.
    pub(super) waits: AtomicBool,
    /// The directory's number among those with such files; 0 if there are none in it.
    pub(super) number: AtomicU32,
}

impl Account {
    pub(super) fn below(parent: &Arc<Account>, name: &[u8], counts: bool) -> Account {
        let (level, parent) = (parent.level + 1, Some(Arc::clone(parent)));
        let mut account = Account::default();
        (account.parent, account.name) = (parent, name.into());
        (account.level, account.counts) = (level, counts);
        account
    }

    pub(super) fn depth(&self) -> usize {
        self.level.saturating_sub(1) as usize
    }

    pub(super) fn parent(&self) -> Option<&Account> {
        self.parent.as_deref()
    }

    /// The sums, subdirectories included.
    pub(super) fn total(&self) -> Sums {
        self.own.sums().plus(self.below.sums())
    }

    /// Whether this directory comes before the other in sorted order: a directory before what is in
    /// it, siblings by the bytes of their names.
    pub(super) fn precedes(&self, other: &Account) -> bool {
        let (mut here, mut there) = (self, other);
        let is_above = self.level < other.level;
        while here.level != there.level {
            let deeper = if here.level > there.level { &mut here } else { &mut there };
            let Some(above) = deeper.parent() else { return is_above };
            *deeper = above;
        }
        if std::ptr::eq(here, there) {
            return is_above;
        }
        while let (Some(above), Some(above_there)) = (here.parent(), there.parent())
            && !std::ptr::eq(above, above_there)
        {
            (here, there) = (above, above_there);
        }
        here.name < there.name
    }

    /// Appends the path; a root's is as the caller spelled it.
    pub(super) fn path_into(&self, out: &mut Vec<u8>) {
        let mut names = vec![self];
        let parents = std::iter::successors(self.parent(), |account| account.parent());
        names.extend(parents.filter(|account| account.level > 0));
        for account in names.iter().rev() {
            if !out.is_empty() && out.last().is_none_or(|&byte| !is_separator(byte)) {
                out.push(std::path::MAIN_SEPARATOR as u8);
            }
            out.extend_from_slice(&account.name);
        }
    }
}

fn is_separator(byte: u8) -> bool {
    std::path::is_separator(char::from(byte))
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
        let (a, b) = (path(&root, &["a"]), path(&root, &["b"]));
        let (deep, low) = (path(&a, &["z", "z"]), path(&b, &["a"]));
        let sorted = [&top, &root, &a, &deep, &b, &low];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(one.precedes(other), at < other_at, "{at} {other_at}");
            }
        }
        let mut shown = Vec::new();
        deep.path_into(&mut shown);
        let expected: std::path::PathBuf = ["r", "a", "z", "z"].iter().collect();
        assert_eq!((shown.as_slice(), deep.depth()), (expected.as_os_str().as_encoded_bytes(), 3));
    }

    #[test]
    fn a_deep_tree_is_freed_without_recursion() {
        let deep = vec!["d"; 300_000];
        drop(path(&Arc::new(Account::default()), &deep));
    }
}
