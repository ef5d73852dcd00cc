//! How often each operation was requested.

use std::sync::atomic::{AtomicU64, Ordering};

/// The operations that are counted, in the order they are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the FUSE operation of that name")]
pub enum Op {
    Lookup,
    Getattr,
    Setattr,
    Access,
    Opendir,
    Readdir,
    Readdirplus,
    Readlink,
    Create,
    Mkdir,
    Rename,
    Unlink,
    Rmdir,
    Open,
    Read,
    Write,
    Getxattr,
    Listxattr,
    Statfs,
    Release,
    Releasedir,
    Forget,
}

/// All operations, in the same order.
const ALL: [Op; NAMES.len()] = [
    Op::Lookup,
    Op::Getattr,
    Op::Setattr,
    Op::Access,
    Op::Opendir,
    Op::Readdir,
    Op::Readdirplus,
    Op::Readlink,
    Op::Create,
    Op::Mkdir,
    Op::Rename,
    Op::Unlink,
    Op::Rmdir,
    Op::Open,
    Op::Read,
    Op::Write,
    Op::Getxattr,
    Op::Listxattr,
    Op::Statfs,
    Op::Release,
    Op::Releasedir,
    Op::Forget,
];

/// The keys of the JSON object, and the words of `--only`.
const NAMES: [&str; 22] = [
    "lookup",
    "getattr",
    "setattr",
    "access",
    "opendir",
    "readdir",
    "readdirplus",
    "readlink",
    "create",
    "mkdir",
    "rename",
    "unlink",
    "rmdir",
    "open",
    "read",
    "write",
    "getxattr",
    "listxattr",
    "statfs",
    "release",
    "releasedir",
    "forget",
];

impl Op {
    /// The operation of this name.
    pub fn named(name: &str) -> Option<Op> {
        ALL.into_iter().find(|op| NAMES[*op as usize] == name)
    }
}

/// Counts by operation, and the most requests that waited at one time.
#[derive(Debug, Default)]
pub struct Counters {
    by_op: [AtomicU64; NAMES.len()],
    peak_waiting: AtomicU64,
}

impl Counters {
    /// Counts one request.
    pub fn add(&self, op: Op) {
        self.by_op[op as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The requests of one kind so far.
    pub fn get(&self, op: Op) -> u64 {
        self.by_op[op as usize].load(Ordering::Relaxed)
    }

    /// Notes that `waiting` requests wait at this moment.
    pub fn waiting(&self, waiting: usize) {
        self.peak_waiting.fetch_max(waiting as u64, Ordering::Relaxed);
    }

    /// One JSON object on one line, without a line end.
    pub fn json(&self) -> String {
        let mut line = String::from("{");
        for (name, count) in NAMES.iter().zip(&self.by_op) {
            line += &format!("\"{name}\":{},", count.load(Ordering::Relaxed));
        }
        line + &format!("\"peak_waiting\":{}}}", self.peak_waiting.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_operations() {
        let counters = Counters::default();
        for _ in 0..3 {
            counters.add(Op::Opendir);
        }
        counters.add(Op::Forget);
        counters.waiting(9);
        counters.waiting(4);
        let line = counters.json();
        assert!(line.starts_with("{\"lookup\":0,"), "{line}");
        assert!(line.contains("\"opendir\":3,"), "{line}");
        assert!(line.ends_with("\"forget\":1,\"peak_waiting\":9}"), "{line}");
        assert_eq!(counters.get(Op::Opendir), 3);
        for (at, op) in ALL.into_iter().enumerate() {
            assert_eq!((op as usize, Op::named(NAMES[at])), (at, Some(op)));
        }
        assert_eq!(Op::named("close"), None);
    }
}
