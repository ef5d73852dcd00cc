//! Going on where a cancelled walk stopped: the directories that it handed back are queued, below
//! nodes for the directories above them.

use std::ffi::CString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brisk_sys::{Fields, Freshness, Links, stat_path};

use crate::cancel::Unvisited;
use crate::drive::task::{DirNode, Task, WalkKind};
use crate::drive::worker::Worker;
use crate::entry::bytes_to_path;
use crate::read::admit::report_rules;
use crate::read::reach::is_wrong_way;
use crate::tree::{Child, Node, PackedNames, PendingDirs};
use crate::visitor::Visitor;
use crate::{Error, Operation, Order, Walk};

impl Walk {
    /// Goes on where a walk of the same settings was [cancelled at a
    /// boundary](crate::Cancel::at_boundary): instead of the roots the walk visits what is in these
    /// directories, whose own entries the cancelled walk has delivered. The order is
    /// [`Unordered`](Order::Unordered), unless it was [`Breadth`](Order::Breadth): then levels are
    /// counted from these directories. Each directory above them has the state that
    /// [`Visitor::top`](crate::Visitor::top) returns, and is not left. Its [rules](Walk::rules) are
    /// read again. Roots that were given as [handles](Walk::root_at) are found by the paths that
    /// they were given with, so this walk must be a clone of the cancelled one, or have the same
    /// handles.
    #[must_use]
    pub fn resume(self, unvisited: Vec<Unvisited>) -> Walk {
        let order = match self.order {
            Order::Breadth => Order::Breadth,
            _ => Order::Unordered,
        };
        Walk { roots: Vec::new(), order, unvisited, ..self }
    }
}

/// The directories above the one that was queued last, from the node above the roots down.
type Above<K> = Vec<Arc<DirNode<K>>>;

/// Queues directories that were handed back, below the node above the roots. Siblings that come
/// together share a task.
pub(crate) fn queue_unvisited<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    top: &Arc<DirNode<K>>,
    mut unvisited: Vec<Unvisited>,
) {
    unvisited.sort_unstable_by(|a, b| (a.root(), a.below_root()).cmp(&(b.root(), b.below_root())));
    let mut above: Above<K> = vec![Arc::clone(top)];
    let mut names = PackedNames::default();
    for directory in &unvisited {
        match names_of(directory) {
            Ok(path) => queue_one(worker, &mut above, &mut names, directory, &path),
            Err(error) => {
                let path = directory.root().join(directory.below_root());
                worker.error(Error::new(Operation::Open, path, directory.depth(), error));
            }
        }
    }
    queue_siblings(worker, &above, &mut names);
}

fn queue_one<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    above: &mut Above<K>,
    names: &mut PackedNames,
    directory: &Unvisited,
    path: &[CString],
) {
    let Some((last, parents)) = path.split_last() else { return };
    let is_same = |(node, name): (&Arc<DirNode<K>>, &CString)| *node.name == **name;
    let common = above[1..].iter().zip(parents).take_while(|pair| is_same(*pair)).count();
    if common < parents.len() || above.len() - 1 > parents.len() {
        queue_siblings(worker, above, names);
        above.truncate(1 + common);
        for name in &parents[common..] {
            let node = node_above(worker, above, name);
            above.push(node);
        }
    }
    let links = Links::followed(directory.is_followed_link());
    names.push(Child::new(last, 0, links).pack());
}

/// A directory above one that goes on: it is not read again, and never left.
fn node_above<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    above: &Above<K>,
    name: &CString,
) -> Arc<DirNode<K>> {
    let parent = above.last().expect("BUG: the node above the roots is always there");
    // A root may be a link, and so may be what links lead to.
    let child = Child::new(name, 0, Links::Follow);
    let mut node = Node::below(Arc::clone(parent), child, worker.visitor.top(), K::emit_state(0));
    node.id = worker.ledger.next_id();
    let mut path = Vec::new();
    node.prefix_into(&mut path);
    if let Some(rules) = &parent.rules {
        let (rules, errors) = rules.enter_above(&path, node.depth());
        node.rules = Some(rules);
        report_rules(worker, errors);
    }
    worker.stats.calls.stat += 1;
    let backend = worker.shared.settings.backend;
    let wanted = Fields::INO | Fields::DEV;
    let meta = match node.own_root_handle() {
        Some(_) => worker.reacher.reach_above(&node).and_then(|dir| dir.stat_self(wanted)),
        None => match stat_path(backend, bytes_to_path(&path), wanted, Links::Follow) {
            // The system limits the length of a path, but not the depth of a tree.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                let above = worker.reacher.reach(parent);
                above.and_then(|dir| dir.stat(name, wanted, Links::Follow, Freshness::AsStat))
            }
            meta => meta,
        },
    };
    match meta {
        Ok(meta) => {
            node.dot_ino = meta.ino().unwrap_or(0);
            if node.depth() == 0 {
                node.root_dev = meta.dev().unwrap_or(0);
            }
        }
        // It has vanished since the earlier walk, which is not an error.
        Err(error) if is_wrong_way(&error) => _ = node.lose(),
        // What is queued below it reports why it cannot be opened.
        Err(_) => {}
    }
    Arc::new(node)
}

fn queue_siblings<V: Visitor, K: WalkKind<State = V::State>>(
    worker: &mut Worker<'_, V, K>,
    above: &Above<K>,
    names: &mut PackedNames,
) {
    if names.is_empty() {
        return;
    }
    let parent = above.last().expect("BUG: the node above the roots is always there");
    worker.ledger.add_unfinished(names.count());
    // Beside its own reading, which never ends: a directory above is not left.
    parent.unfinished_below.fetch_add(names.count(), Ordering::Relaxed);
    worker.add(Task::Open(PendingDirs::new(parent, None, names)));
    names.clear();
}

/// The root and the names below it.
fn names_of(directory: &Unvisited) -> io::Result<Vec<CString>> {
    let names = directory.below_root().components().map(|name| name.as_os_str());
    let all = std::iter::once(directory.root().as_os_str()).chain(names);
    let c_string =
        |name: &std::ffi::OsStr| Ok(CString::new(Path::new(name).as_os_str().as_encoded_bytes())?);
    all.map(c_string).collect()
}
