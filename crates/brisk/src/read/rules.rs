//! Ignore rules in the loop: those of a directory that is entered, and whether they ignore an entry.

use std::ffi::CString;
use std::io;

use brisk_sys::{Dir, RawEntries};

use crate::entry::{Entry, bytes_to_path};
use crate::ignore::Level;
use crate::local::Local;
use crate::read::bulk::ruled;
use crate::task::{DirNode, Kind, Step};
use crate::tree::Ancestor;
use crate::visitor::Visitor;
use crate::{FileType, Operation};

/// The ignore rules that a directory shares with its parent; for a root, those above it.
pub(crate) fn inherited<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    step: &Step<'_, K>,
) -> Option<Level> {
    let level = step.parent.level.as_ref()?;
    if !step.parent.is_top() {
        return Some(level.clone());
    }
    let above = local.path.len();
    local.path.push(step.child.name);
    let handle = step.parent.root_handle(step.child.name).map(|root| &**root);
    let mut errors = Vec::new();
    let level = level.at_root(local.path.bytes(), handle, &mut errors);
    local.path.shorten(above);
    local.rule_errors(errors);
    Some(level)
}

/// Reads the rules in an open directory, and adds them to those that it inherits. `false` if the walk
/// leaves the directory as it is, because its rules are not all known.
pub(crate) fn read_rules<V: Visitor, K: Kind<State = V::State>>(
    local: &mut Local<'_, V, K>,
    node: &mut DirNode<K>,
    handle: &Dir,
    names: RawEntries<'_>,
    complete: bool,
) -> bool {
    let Some(mut level) = node.level.take() else { return true };
    let mut errors = Vec::new();
    if ruled(local) {
        level.read(local.path.bytes(), handle, node.depth(), (names, complete), &mut errors);
    }
    let is_spared = local.shared.settings.spares && !level.is_complete();
    node.level = Some(level);
    local.rule_errors(errors);
    if is_spared {
        let why = io::Error::other("not all ignore rules are known");
        local.report(Operation::Enter, node, why);
    }
    !is_spared
}

impl Entry<'_> {
    /// Whether these rules ignore the entry; an ignored directory is not entered. A root is ignored
    /// only if it contains one of the names in [`contain`](field@crate::ignore::Options::contain).
    ///
    /// An entry of unknown type is ignored if the rules ignore it both as a file and as a
    /// directory: ask again once the type is known.
    ///
    /// This makes no system call, unless `contain` has names: then one stat for each of them if the
    /// entry is a directory.
    #[must_use]
    #[inline]
    pub fn is_ignored_by(&self, rules: &Level) -> bool {
        rules.ignores(self.dir.prefix, self.name(), self.file_type, self.is_hidden())
            || !rules.markers().is_empty() && self.contains_one_of(rules.markers())
    }

    /// Whether the entry is a directory that contains an entry of one of these names.
    #[cold]
    fn contains_one_of(&self, names: &[CString]) -> bool {
        if !matches!(self.file_type, FileType::Directory | FileType::Unknown) {
            return false;
        }
        names.iter().any(|name| match self.ask_at() {
            Ok((here, own)) => {
                let path = [own.to_bytes(), b"/", name.to_bytes()].concat();
                CString::new(path).is_ok_and(|path| here.has(&path))
            }
            Err(_) => self.path().join(bytes_to_path(name.to_bytes())).symlink_metadata().is_ok(),
        })
    }
}
