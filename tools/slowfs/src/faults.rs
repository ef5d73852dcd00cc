//! Names for which requests fail, or are not answered at all.

use std::ffi::{OsStr, OsString};

use crate::counters::Op;

/// The answer to a request that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// EIO.
    Io,
    /// EACCES.
    Denied,
    /// EINTR, although there is no signal.
    Interrupted,
    /// ELOOP, although there is no link.
    Loop,
    /// ESTALE.
    Stale,
    /// No answer until the file system is unmounted.
    Hang,
}

/// A name that fails wherever in the tree it occurs; the root is `/`.
#[derive(Clone, Debug)]
struct Fault {
    name: OsString,
    at: &'static [Op],
    failure: Failure,
}

/// The names that fail, the operations in which they fail, and how.
#[derive(Clone, Debug, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Lets these names fail in these operations. A directory fails in `readdir` once half of its
    /// entries have been listed.
    #[must_use]
    pub fn with(mut self, failure: Failure, at: &'static [Op], names: &[OsString]) -> Faults {
        self.0.extend(names.iter().map(|name| Fault { name: name.clone(), at, failure }));
        self
    }

    /// How `op` fails for a name. The name is computed only if any name fails in `op`.
    pub fn of<N: AsRef<OsStr>>(&self, op: Op, name: impl FnOnce() -> Option<N>) -> Option<Failure> {
        let mut faults = self.0.iter().filter(|fault| fault.at.contains(&op)).peekable();
        faults.peek()?;
        let name = name()?;
        faults.find(|fault| fault.name == name.as_ref()).map(|fault| fault.failure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_whole() {
        let names = [OsString::from("file-001")];
        let faults = Faults::default().with(Failure::Io, &[Op::Lookup, Op::Getattr], &names);
        assert_eq!(faults.of(Op::Getattr, || Some("file-001")), Some(Failure::Io));
        assert_eq!(faults.of(Op::Lookup, || Some("file-0011")), None);
        assert_eq!(faults.of(Op::Lookup, || None::<&str>), None);
        assert_eq!(
            faults.of(Op::Open, || -> Option<&str> { panic!("computed without need") }),
            None
        );
    }

    #[test]
    fn the_first_fault_of_a_name_counts() {
        let names = [OsString::from("a"), OsString::from("b")];
        let faults = Faults::default().with(Failure::Loop, &[Op::Opendir], &names[..1]).with(
            Failure::Hang,
            &[Op::Opendir],
            &names,
        );
        assert_eq!(faults.of(Op::Opendir, || Some("a")), Some(Failure::Loop));
        assert_eq!(faults.of(Op::Opendir, || Some("b")), Some(Failure::Hang));
    }
}
