//! One `-X` command while it gathers results.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use super::command::{CommandLine, Commands, Outcome, not_started};
use crate::show::template::Template;
use crate::show::template::parts::Parts;
use crate::system::arguments::{Room, cost};

/// A command and the results it has gathered.
pub(super) struct Batch<'a> {
    before: Vec<OsString>,
    placeholder: &'a Template,
    after: Vec<OsString>,
    gathered: Vec<OsString>,
    /// The most results of one run; 0 for as many as fit.
    limit: usize,
    longest: usize,
    /// Room for gathered arguments in a run that has none yet.
    empty_room: usize,
    /// Room that is left in this run.
    room: usize,
}

impl<'a> Batch<'a> {
    /// A batch for each command of `commands`.
    pub(super) fn each(commands: &'a Commands, limit: usize) -> Vec<Batch<'a>> {
        let batch = |line| Batch::with_room(line, limit, Room::granted());
        commands.lines().iter().map(batch).collect()
    }

    fn with_room(line: &'a CommandLine, limit: usize, granted: Room) -> Batch<'a> {
        let (before, placeholder, after) = line.around_placeholder();
        let fixed: usize = before.iter().chain(&after).map(|word| cost(word)).sum();
        let room = granted.total.saturating_sub(fixed);
        Batch {
            before,
            placeholder,
            after,
            gathered: Vec::new(),
            limit,
            longest: granted.longest,
            empty_room: room,
            room,
        }
    }

    /// Adds a result. If the command can take no more, runs it first.
    pub(super) fn push(&mut self, parts: &Parts<'_>) -> Result<Outcome, String> {
        let argument = self.placeholder.argument(parts);
        let needed = cost(&argument);
        let full = self.limit > 0 && self.gathered.len() >= self.limit;
        let outcome = if full || needed > self.room { self.finish()? } else { Outcome::Fine };
        if needed > self.room || argument.len() > self.longest {
            let error = io::Error::from(io::ErrorKind::ArgumentListTooLong);
            return Err(not_started(&self.command(), &error));
        }
        self.room -= needed;
        self.gathered.push(argument);
        Ok(outcome)
    }

    /// Runs the command on what it has gathered, if there is any.
    pub(super) fn finish(&mut self) -> Result<Outcome, String> {
        if self.gathered.is_empty() {
            return Ok(Outcome::Fine);
        }
        let mut command = self.command();
        command.args(self.gathered.drain(..)).args(&self.after);
        self.room = self.empty_room;
        match command.status() {
            Ok(status) if status.success() => Ok(Outcome::Fine),
            Ok(_) => Ok(Outcome::Failed),
            Err(error) => Err(not_started(&command, &error)),
        }
    }

    /// The command with the words before its placeholder. It inherits standard input and output.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.before[0]);
        command.args(&self.before[1..]);
        command
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::show::template::parts::Separator;
    use std::fs;

    /// Runs `sh` on four names with this limit and room; returns how many names each run had.
    fn runs(limit: usize, total: usize, longest: usize) -> Result<Vec<usize>, String> {
        let place = tempfile::tempdir().expect("a directory");
        let log = place.path().join("log");
        let script = format!("echo $(($# - 1)) >> {}", log.display());
        let words = ["sh", "-c", &script, "sh", "{}", "end"].map(str::to_owned).to_vec();
        let commands = Commands::batch(&[words], &Separator::default())?;
        let fixed: usize =
            ["sh", "-c", &script, "sh", "end"].iter().map(|word| cost(word.as_ref())).sum();
        let room = Room { total: total + fixed, longest };
        let mut batch = Batch::with_room(&commands.lines()[0], limit, room);
        for name in ["a", "bb", "ccc", "dddd"] {
            batch.push(&Parts::of_path(name.as_bytes(), &Separator::default()))?;
        }
        batch.finish()?;
        let log = fs::read_to_string(log).expect("a log");
        Ok(log.lines().map(|line| line.parse().expect("a number")).collect())
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
