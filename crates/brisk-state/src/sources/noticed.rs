//! [`Noticed`]: where events say that something may have changed.

use std::collections::{BTreeMap, HashMap};

use crate::format::record::{DirId, Record, TOP};
use crate::format::state::State;

/// How many names in a directory are remembered. If there are more, all of it is read.
const MOST_NAMES: usize = 1_000;

/// Directories in which something may have changed, by their ids in the state that is compared
/// with. An id that the state lacks is ignored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noticed {
    dirs: HashMap<DirId, Touched>,
    /// By the path below a directory, as long as it was not looked up in a state.
    paths: HashMap<(DirId, Box<[u8]>), Touched>,
}

/// What may have changed in a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touched {
    /// Everything: the directory is read, and each entry looked at for itself.
    all: bool,
    /// Its names: the directory is read.
    is_read: bool,
    /// The entries with these names. `true`: the name may belong to another entry now.
    pub names: BTreeMap<Box<[u8]>, bool>,
    /// Whether there were too many names. Then `all` is set.
    is_cut: bool,
}

impl Touched {
    pub fn must_be_read(&self) -> bool {
        self.all || self.is_read
    }

    fn add(&mut self, name: &[u8], may_be_other: bool) {
        if let Some(known) = self.names.get_mut(name) {
            *known |= may_be_other;
        } else if self.names.len() == MOST_NAMES {
            *self = Touched { all: true, is_cut: true, ..Touched::default() };
        } else if !self.is_cut {
            self.names.insert(name.into(), may_be_other);
        }
    }

    fn merge(&mut self, other: &Touched) {
        self.all |= other.all;
        self.is_read |= other.is_read;
        self.is_cut |= other.is_cut;
        other.names.iter().for_each(|(name, may_be_other)| self.add(name, *may_be_other));
    }
}

impl Noticed {
    pub fn dirs(&self) -> impl Iterator<Item = (&DirId, &Touched)> {
        self.dirs.iter()
    }

    pub fn of(&self, id: DirId) -> Option<&Touched> {
        self.dirs.get(&id)
    }

    fn of_mut(&mut self, id: DirId) -> &mut Touched {
        self.dirs.entry(id).or_default()
    }

    /// Whether an entry has to be looked at for itself, and not only for what is below it.
    pub fn is_touched(&self, parent: DirId, name: &[u8]) -> bool {
        self.of(parent).is_some_and(|touched| touched.all || touched.names.contains_key(name))
    }

    /// The directory itself has to be looked at.
    pub fn touch(&mut self, id: DirId) {
        self.of_mut(id);
    }

    /// The directory has to be read.
    pub fn touch_all(&mut self, id: DirId) {
        self.of_mut(id).all = true;
    }

    /// An entry of the directory has to be looked at.
    pub fn touch_name(&mut self, id: DirId, name: &[u8], may_be_other: bool) {
        self.of_mut(id).add(name, may_be_other);
    }

    /// The entry at a path below the directory has to be looked at.
    pub fn touch_path(&mut self, id: DirId, path: &[u8], may_be_other: bool) {
        match path.iter().rposition(|byte| *byte == b'/') {
            None => self.touch_name(id, path, may_be_other),
            Some(at) => {
                let touched = self.paths.entry((id, path[..at].into())).or_default();
                touched.add(&path[at + 1..], may_be_other);
            }
        }
    }

    /// The record of a directory of the state has to be compared.
    pub fn touch_record_of(&mut self, id: DirId, state: &State) {
        if let Some((dir, record)) = state.index.dir(id).zip(state.record_of(id)) {
            if dir.parent == TOP {
                // A root is looked at in any case.
                self.touch(id);
            } else {
                self.touch_name(dir.parent, record.name, true);
            }
        }
    }

    /// All of a directory is read if one of its names that were touched `decides`.
    pub fn read_where(&mut self, decides: impl Fn(&[u8], bool) -> bool) {
        for touched in self.dirs.values_mut() {
            touched.all |= touched.names.iter().any(|(name, other)| decides(name, *other));
        }
    }

    /// Looks the paths up in the state that is compared with. Returns the directories in which and
    /// below which anything may have changed, because events do not tell which directory had the name
    /// when something changed below it.
    ///
    /// A name that has come or gone may be spelled otherwise in the directory, so that the directory
    /// is read. A path that the state does not have is a new directory's, which has an event of its
    /// own, or is omitted.
    pub fn look_up(&mut self, state: &State) -> Vec<DirId> {
        let mut doubtful = Vec::new();
        for ((top, path), touched) in std::mem::take(&mut self.paths) {
            match find_dir(top, &path, state) {
                Some((id, b"")) => self.of_mut(id).merge(&touched),
                Some((id, rest)) if has_short_name(rest) => {
                    self.touch_all(id);
                    doubtful.push(id);
                }
                _ => {}
            }
        }
        for (id, touched) in &mut self.dirs {
            let Some(block) = state.index.dir(*id).map(|_| state.block(*id)) else { continue };
            doubtful.extend(touched.is_cut.then_some(*id));
            for (name, may_be_other) in &touched.names {
                let record = block.find(name, 0).and_then(|at| block.record(at));
                touched.is_read |= *may_be_other || record.is_none();
                let dir = record.filter(|record| *may_be_other && record.is_dir());
                doubtful.extend(dir.map(|record| record.dir_id));
            }
        }
        doubtful
    }

    pub fn merge(&mut self, other: Noticed) {
        for (id, touched) in other.dirs {
            self.of_mut(id).merge(&touched);
        }
        for (path, touched) in other.paths {
            self.paths.entry(path).or_default().merge(&touched);
        }
    }
}

/// The directory of the state at a path below another one or, if there is none, the last one on the
/// way; and the rest of the path. `None`: the other one is not in the state.
fn find_dir<'p>(top: DirId, path: &'p [u8], state: &State) -> Option<(DirId, &'p [u8])> {
    let mut id = top;
    let mut rest = path;
    while !rest.is_empty() {
        state.index.dir(id)?;
        let length = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let block = state.block(id);
        let record = block.find(&rest[..length], 0).and_then(|at| block.record(at));
        let Some(record) = record.filter(Record::is_dir) else { break };
        id = record.dir_id;
        rest = rest.get(length + 1..).unwrap_or_default();
    }
    Some((id, rest))
}

/// Whether a path begins with a name that Windows may have made up for programs that know short names
/// alone, such as `PROGRA~1`.
fn has_short_name(path: &[u8]) -> bool {
    let name = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    name.len() <= "PROGRA~1.TXT".len()
        && name.windows(2).any(|two| two[0] == b'~' && two[1].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::rescan::Rescan;

    /// A state of `a/b/c`, where `c` is a file, and the id of its root.
    fn state() -> (State, DirId) {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let [dir, file] = ["dir", "state"].map(|name| scratch.path().join(name));
        fs::create_dir_all(dir.join("a/b")).expect("directories");
        fs::write(dir.join("a/b/c"), "").expect("a file");
        let report = Rescan::over([dir]).run().expect("a report");
        report.write(&file).expect("written");
        let state = State::load(&file).expect("a state");
        let (_, root) = state.block(TOP).subdirs().next().expect("a root");
        (state, root)
    }

    fn id(path: &str, root: DirId, state: &State) -> DirId {
        let (id, rest) = find_dir(root, path.as_bytes(), state).expect("its root");
        assert!(rest.is_empty(), "{path}");
        id
    }

    /// The directories that have to be read, and the doubtful ones, when these paths were touched.
    fn looked_up(paths: &[(&str, bool)], root: DirId, state: &State) -> [Vec<DirId>; 2] {
        let mut noticed = Noticed::default();
        for (path, may_be_other) in paths {
            noticed.touch_path(root, path.as_bytes(), *may_be_other);
        }
        let doubtful = noticed.look_up(state);
        let read = noticed.dirs().filter(|(_, touched)| touched.must_be_read());
        [read.map(|(id, _)| *id).collect(), doubtful]
    }

    #[test]
    fn paths_are_looked_up_in_the_state() {
        let (state, root) = state();
        let [a, b] = ["a", "a/b"].map(|path| id(path, root, &state));
        let mut noticed = Noticed::default();
        noticed.touch_path(root, b"a/b/c", false);
        assert!(noticed.look_up(&state).is_empty());
        assert!(noticed.is_touched(b, b"c") && !noticed.is_touched(a, b"b"));
        let table: [(&str, bool, &[DirId], &[DirId]); 8] = [
            ("a/b/c", false, &[], &[]),
            ("a/b/c", true, &[b], &[]),
            // All below may be that of another directory, whose events had other paths.
            ("a/b", true, &[a], &[b]),
            ("a/b", false, &[], &[]),
            ("a/new", true, &[a], &[]),
            // What is below a new directory is read with it.
            ("new/d/e", true, &[], &[]),
            ("SHORT~1/c", false, &[root], &[root]),
            ("a/b/c/d", true, &[], &[]),
        ];
        for (path, may_be_other, read, doubtful) in table {
            let found = looked_up(&[(path, may_be_other)], root, &state);
            assert_eq!(found, [read.to_vec(), doubtful.to_vec()], "{path} {may_be_other}");
        }
        assert_eq!(looked_up(&[("a/b/c", true)], 99, &state), [[], []]);
    }

    #[test]
    fn with_too_many_names_everything_below_is_doubtful() {
        let (state, root) = state();
        let a = id("a", root, &state);
        let names: Vec<_> = (0..=MOST_NAMES).map(|at| format!("a/{at}")).collect();
        let paths: Vec<_> = names.iter().map(|path| (&**path, true)).collect();
        assert_eq!(looked_up(&paths[1..], root, &state), [vec![a], vec![]]);
        assert_eq!(looked_up(&paths, root, &state), [[a], [a]]);
    }
}
