//! The `-X` commands while they gather results: all of them get the same batch.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use super::command::{CommandLine, Commands, Success, not_started};
use crate::system::arguments::{Room, cost};

/// Commands that run one after the other on the results that were gathered for them.
pub(super) struct Batch<'a> {
    lines: Vec<BatchCommand<'a>>,
    /// How many results were gathered, and the most results of one run; 0 for as many as fit.
    count: usize,
    limit: usize,
}

/// A command and its arguments for the results.
struct BatchCommand<'a> {
    line: &'a CommandLine,
    gathered: Vec<OsString>,
    longest: usize,
    /// Room for gathered arguments in a run that has none yet.
    empty_room: usize,
    /// Room that is left in this run.
    room: usize,
}

impl<'a> Batch<'a> {
    pub(super) fn new(commands: &'a Commands, limit: usize, granted: Room) -> Batch<'a> {
        let lines = commands.lines().iter().map(|line| BatchCommand::with_room(line, granted));
        Batch { lines: lines.collect(), count: 0, limit }
    }

    /// Adds a result. If one of the commands can take no more, runs all of them first.
    pub(super) fn push(&mut self, path: &[u8]) -> Result<Success, String> {
        let arguments: Vec<_> =
            self.lines.iter().map(|line| line.line.placeholder().argument(path)).collect();
        let is_full = self.limit > 0 && self.count >= self.limit;
        let mut pairs = self.lines.iter().zip(&arguments);
        let overflows = pairs.any(|(line, argument)| cost(argument) > line.room);
        let outcome = if is_full || overflows { self.finish()? } else { Success::Fine };
        for (line, argument) in self.lines.iter_mut().zip(arguments) {
            line.push(argument)?;
        }
        self.count += 1;
        Ok(outcome)
    }

    /// Runs the commands on what they have gathered, if there is any. The first that fails ends
    /// them for these results.
    pub(super) fn finish(&mut self) -> Result<Success, String> {
        let mut outcome = Success::Fine;
        if std::mem::take(&mut self.count) > 0 {
            for line in &mut self.lines {
                let mut command = line.take();
                if outcome == Success::Fine {
                    let ended = command.status();
                    let ended = ended.map_err(|error| not_started(&command, &error))?;
                    outcome = if ended.success() { outcome } else { Success::Failed };
                }
            }
        }
        Ok(outcome)
    }
}

impl<'a> BatchCommand<'a> {
    fn with_room(line: &'a CommandLine, granted: Room) -> BatchCommand<'a> {
        let alone = line.command(|_| Vec::new());
        let fixed: usize = alone.get_args().chain([alone.get_program()]).map(cost).sum();
        let empty_room = granted.total.saturating_sub(fixed);
        let gathered = Vec::new();
        BatchCommand { line, gathered, longest: granted.longest, empty_room, room: empty_room }
    }

    /// Adds an argument. It is an error if it does not even fit alone.
    fn push(&mut self, argument: OsString) -> Result<(), String> {
        let needed = cost(&argument);
        if needed > self.room || argument.len() > self.longest {
            let error = io::Error::from(io::ErrorKind::ArgumentListTooLong);
            return Err(not_started(&self.take(), &error));
        }
        self.room -= needed;
        self.gathered.push(argument);
        Ok(())
    }

    /// The command with what it has gathered. It inherits standard input and output.
    fn take(&mut self) -> Command {
        self.room = self.empty_room;
        self.line.command(|_| std::mem::take(&mut self.gathered))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::show::template::parts::Separator;
    use std::fs;

    /// Runs `sh`, once with its names and once with their stems, on four names with this limit and
    /// room for the longer command; returns how many names each run had.
    fn runs(limit: usize, total: usize, longest: usize) -> Result<Vec<usize>, String> {
        let place = tempfile::tempdir().expect("a directory");
        let log = place.path().join("log");
        let script = format!("echo $(($# - 1)) >> {}", log.display());
        let words = |last| ["sh", "-c", &script, "sh", "{}", last].map(str::to_owned).to_vec();
        let commands = Commands::batch(&[words("e"), words("end")], &Separator::default())?;
        let fixed: usize =
            ["sh", "-c", &script, "sh", "end"].iter().map(|word| cost(word.as_ref())).sum();
        let room = Room { total: total + fixed, longest };
        let mut batch = Batch::new(&commands, limit, room);
        for name in ["a", "bb", "ccc", "dddd"] {
            batch.push(name.as_bytes())?;
        }
        batch.finish()?;
        let log = fs::read_to_string(log).expect("a log");
        let counts: Vec<usize> = log.lines().map(|line| line.parse().expect("a number")).collect();
        let pairs = counts.as_chunks().0.iter();
        Ok(pairs.map(|[one, other]| if one == other { *one } else { 0 }).collect())
    }

    #[test]
    fn a_run_takes_as_many_results_as_are_allowed_and_fit() {
        assert_eq!(runs(0, 1000, 4), Ok(vec![4]));
        assert_eq!(runs(3, 1000, 4), Ok(vec![3, 1]));
        assert_eq!(runs(2, 1000, 4), Ok(vec![2, 2]));
        // One name takes up to 13 bytes: its own, a zero byte and a pointer.
        assert_eq!(runs(0, 2 * size_of::<usize>() + 9, 4), Ok(vec![2, 2]));
        assert_eq!(runs(0, size_of::<usize>() + 5, 4), Ok(vec![1, 1, 1, 1]));
    }

    #[test]
    fn an_argument_that_never_fits_is_an_error() {
        let error = runs(0, size_of::<usize>() + 4, 4).expect_err("dddd does not fit");
        assert!(error.starts_with("Problem while executing command: "), "{error}");
        assert!(runs(0, 1000, 3).is_err());
    }
}
