//! [`Stats`]: what a walk did: system calls by kind, entries, errors, workers, time. Each worker
//! counts for itself; the counts are added at the end.

use std::fmt;
use std::time::Duration;

/// File-system calls by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calls {
    /// Directories opened (openat, openat2), each closed again.
    pub open: u64,
    /// Directory reads (getdents64).
    pub read: u64,
    /// Metadata requests (statx, or fstatat where there is no statx).
    pub stat: u64,
    /// Links read (readlinkat).
    pub read_link: u64,
    /// Requests for extended attributes (getxattrat, listxattrat).
    pub xattr: u64,
    /// Directories opened again, because too many handles were open for theirs to stay open.
    pub reopen: u64,
    /// Requests that the visitor made itself: removals (unlinkat), requests about single entries
    /// (faccessat2, a directory's first records).
    pub visitor: u64,
}

impl Calls {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.open + self.read + self.stat + self.read_link + self.xattr + self.reopen + self.visitor
    }

    pub(crate) fn add(&mut self, other: &Calls) {
        self.open += other.open;
        self.read += other.read;
        self.stat += other.stat;
        self.read_link += other.read_link;
        self.xattr += other.xattr;
        self.reopen += other.reopen;
        self.visitor += other.visitor;
    }
}

/// What a walk did, for `--stats` and for tests.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Entries that the directories listed.
    pub entries: u64,
    /// Entries handed to the visitor.
    pub taken: u64,
    /// Directories read.
    pub directories: u64,
    /// Errors reported to the visitor.
    pub errors: u64,
    /// File-system calls by kind.
    pub calls: Calls,
    /// The most workers that existed at once, with the calling thread.
    pub peak_workers: usize,
    /// Wall time of the whole walk.
    pub wall: Duration,
    /// The share of the workers' measured time in which they waited for storage, from 0 to 1; of
    /// several walks, that of the last.
    pub waiting: f64,
}

impl Stats {
    /// Adds another worker's counts.
    pub(crate) fn add(&mut self, other: &Stats) {
        self.entries += other.entries;
        self.taken += other.taken;
        self.directories += other.directories;
        self.errors += other.errors;
        self.calls.add(&other.calls);
    }

    /// Adds the counts of a walk that came after this one. Makes no system call.
    pub fn add_later(&mut self, later: &Stats) {
        self.add(later);
        self.wall += later.wall;
        self.peak_workers = self.peak_workers.max(later.peak_workers);
        self.waiting = later.waiting;
    }

    /// Entries listed per second of wall time.
    #[must_use]
    pub fn entries_per_second(&self) -> f64 {
        self.entries as f64 / self.wall.as_secs_f64().max(1e-9)
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = self.calls;
        writeln!(
            f,
            "{} in {}, {} kept, {}",
            counted(self.entries, "entry", "entries"),
            counted(self.directories, "directory", "directories"),
            self.taken,
            counted(self.errors, "error", "errors")
        )?;
        writeln!(
            f,
            "{} file-system calls: {} open, {} read, {} stat, {} readlink, {} xattr, {} reopen, \
             {} other",
            calls.total(),
            calls.open,
            calls.read,
            calls.stat,
            calls.read_link,
            calls.xattr,
            calls.reopen,
            calls.visitor
        )?;
        write!(
            f,
            "{:.1} ms, {:.0} entries per second, at most {}, {:.0} % of their time waiting",
            self.wall.as_secs_f64() * 1e3,
            self.entries_per_second(),
            counted(self.peak_workers as u64, "worker", "workers"),
            self.waiting * 100.0
        )
    }
}

/// A number with its noun.
fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers in a text.
    fn numbers(text: &str) -> Vec<u64> {
        let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        digits.map(|number| number.parse().expect("digits")).collect()
    }

    #[test]
    fn the_kinds_of_calls_that_are_shown_add_up_to_the_total() {
        let calls =
            Calls { open: 1, read: 2, stat: 4, read_link: 8, xattr: 16, reopen: 32, visitor: 64 };
        let stats = Stats { calls, ..Stats::default() };
        assert_eq!(calls.total(), 127);
        let text = stats.to_string();
        let line = text.lines().find(|line| line.contains("file-system calls")).expect("a line");
        let shown = numbers(line);
        assert_eq!((shown[0], shown[1..].iter().sum()), (127, 127), "{line}");
    }
}
