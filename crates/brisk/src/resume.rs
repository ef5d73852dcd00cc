//! Going on where a cancelled walk stopped: the directories that it handed back are queued, below
//! nodes for the directories above them.

use std::ffi::CString;
use std::io;
use std::path::Path;
use std::sync::Arc;

use brisk_sys::{Fields, Links, stat_path};

use crate::cancel::Unvisited;
use crate::driver::Driver;
use crate::queue::Unit;
use crate::tree::{Child, Names, Node, Run};
use crate::worker::Worker;
use crate::{Error, Operation, Visitor};

/// The directories above the one that was queued last, from the place above the roots down.
type Above<S> = Vec<Arc<Node<S>>>;

impl<V: Driver> Worker<'_, '_, V> {
    /// Queues directories that were handed back. Siblings that come together share a task.
    pub fn resume(&mut self, mut unvisited: Vec<Unvisited>) {
        unvisited.sort_by(|a, b| (a.root(), a.below_root()).cmp(&(b.root(), b.below_root())));
        let mut above: Above<V::State> = vec![Arc::new(Node::top(self.visitor.top()))];
        let mut names = Names::default();
        for directory in &unvisited {
            match names_of(directory) {
                Ok(path) => self.resume_one(&mut above, &mut names, directory, &path),
                Err(error) => {
                    let path = directory.root().join(directory.below_root());
                    self.error(Error::new(Operation::Open, path, directory.depth(), error));
                }
            }
        }
        self.queue_resumed(&above, &mut names);
    }

    fn resume_one(
        &mut self,
        above: &mut Above<V::State>,
        names: &mut Names,
        directory: &Unvisited,
        path: &[CString],
    ) {
        let Some((last, parents)) = path.split_last() else { return };
        let is_same = |(node, name): (&Arc<Node<V::State>>, &CString)| *node.name == **name;
        let common = above[1..].iter().zip(parents).take_while(|pair| is_same(*pair)).count();
        if common < parents.len() || above.len() - 1 > parents.len() {
            self.queue_resumed(above, names);
            above.truncate(1 + common);
            for name in &parents[common..] {
                let node = self.node_above(above, name);
                above.push(node);
            }
        }
        let links = if directory.is_followed_link() { Links::Follow } else { Links::NoFollow };
        names.push(Child::new(last, 0, links));
    }

    /// A directory above one that goes on: it is not read again, and never left.
    fn node_above(&mut self, above: &Above<V::State>, name: &CString) -> Arc<Node<V::State>> {
        let parent = above.last().expect("BUG: the place above the roots is always there");
        // A root may be a link, and so may be what links lead to.
        let child = Child::new(name, 0, Links::Follow);
        let mut node = Node::below(parent, child, self.visitor.top(), 0);
        let mut path = Vec::new();
        node.prefix_into(&mut path);
        let path = crate::entry::bytes_to_path(&path);
        self.stats.calls.stat += 1;
        let wanted = Fields::INO | Fields::DEV;
        if let Ok(meta) = stat_path(self.shared.backend, path, wanted, Links::Follow) {
            node.dot_ino = meta.ino().unwrap_or(0);
            if node.depth() == 0 {
                node.root_dev = meta.dev().unwrap_or(0);
            }
        }
        Arc::new(node)
    }

    fn queue_resumed(&mut self, above: &Above<V::State>, names: &mut Names) {
        if names.is_empty() {
            return;
        }
        let parent = above.last().expect("BUG: the place above the roots is always there");
        self.shared.added(names.count());
        self.add(Unit::Open(Run::without_handle(parent, names)));
        names.clear();
    }
}

/// The root and the names below it.
fn names_of(directory: &Unvisited) -> io::Result<Vec<CString>> {
    let names = directory.below_root().components().map(|name| name.as_os_str());
    let all = std::iter::once(directory.root().as_os_str()).chain(names);
    let c_string =
        |name: &std::ffi::OsStr| Ok(CString::new(Path::new(name).as_os_str().as_encoded_bytes())?);
    all.map(c_string).collect()
}
