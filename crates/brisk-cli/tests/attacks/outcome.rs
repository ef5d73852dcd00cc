//! The results of attacks.

use std::fmt;
use std::ops::AddAssign;

/// The results of some rounds of one attacker, added up.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub rounds: u64,
    /// How often the attack succeeded: directories swapped, calls denied, processes killed.
    pub strikes: u64,
    /// Files outside the tree that were gone or changed.
    pub losses: u64,
    /// Trees that were set aside and that no record names any more.
    pub orphans: u64,
    /// Processes that ended by a panic, or by a signal that no attacker sent.
    pub aborts: u64,
    /// Processes that did not end in time, or took memory without bound.
    pub hangs: u64,
    /// Processes that said all was well when it was not.
    pub lies: u64,
    /// One line for each of the above, with the seed that repeats it.
    pub notes: Vec<String>,
    /// Why the attack could not be made here.
    pub left_out: Option<String>,
}

/// What must not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    Loss,
    Orphan,
    Abort,
    Hang,
    Lie,
}

/// The columns of the table.
pub const COLUMNS: [&str; 7] =
    ["rounds", "strikes", "losses", "orphans", "aborts", "hangs", "lies"];

impl Outcome {
    /// Counts a failure and keeps its note.
    pub fn note(&mut self, failure: Failure, note: String) {
        *match failure {
            Failure::Loss => &mut self.losses,
            Failure::Orphan => &mut self.orphans,
            Failure::Abort => &mut self.aborts,
            Failure::Hang => &mut self.hangs,
            Failure::Lie => &mut self.lies,
        } += 1;
        self.notes.push(format!("{failure:?}: {note}"));
    }

    /// The numbers, in the order of the columns.
    pub fn numbers(&self) -> [u64; COLUMNS.len()] {
        [self.rounds, self.strikes, self.losses, self.orphans, self.aborts, self.hangs, self.lies]
    }

    /// Whether nothing happened that must not happen.
    pub fn is_clean(&self) -> bool {
        self.numbers()[2..].iter().all(|number| *number == 0)
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Outcome) {
        self.rounds += other.rounds;
        self.strikes += other.strikes;
        self.losses += other.losses;
        self.orphans += other.orphans;
        self.aborts += other.aborts;
        self.hangs += other.hangs;
        self.lies += other.lies;
        self.notes.extend(other.notes);
        self.left_out = self.left_out.take().or(other.left_out);
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let numbers = self.numbers();
        let parts: Vec<_> =
            COLUMNS.iter().zip(numbers).map(|(name, number)| format!("{number} {name}")).collect();
        out.write_str(&parts.join(", "))
    }
}
