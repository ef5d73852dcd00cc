//! [`Deeds`]: the actions of a command line, ready to be done.

use std::ffi::OsString;
use std::sync::Arc;

use brisk::{Entry, Fields};
use brisk_filter::find::{Action, ExecKind, File};

use super::exec::Program;
use super::long::Long;
use super::outputs::Outputs;
use super::printf::{Formatting, Printf};
use crate::front::messages::Caller;

/// An action, ready to be done.
pub(super) enum Deed {
    Print { to: usize, end: u8 },
    Format { to: usize, format: Arc<Printf> },
    List { to: usize },
    Quit,
    Delete,
    Run(Program),
}

/// All actions, by number, and where they write.
#[derive(Default)]
pub(super) struct Deeds {
    pub(super) all: Vec<Deed>,
    pub(super) outputs: Outputs,
    /// Makes the lines of all `-ls`, whose columns grow together.
    pub(super) long: Option<Long>,
}

impl Deeds {
    /// Prepares an action: reads its format, opens its file.
    ///
    /// # Errors
    /// Why it cannot be done, for the user.
    pub(super) fn add(&mut self, action: &Action, files: &[OsString]) -> Result<(), String> {
        let mut stream = |to: &Option<File>| match to {
            Some(File(at)) => self.outputs.open(&files[*at]),
            None => Ok(0),
        };
        let deed = match action {
            Action::Print { to, end } => Deed::Print { to: stream(to)?, end: *end },
            Action::Printf { to, format } => {
                let to = stream(to)?;
                let warn = &mut |message: String| Caller::Find.complain(&message);
                let format = Printf::parse(format, self.outputs.is_terminal(to), warn)?;
                Deed::Format { to, format: Arc::new(format) }
            }
            Action::Ls { to } => {
                let to = stream(to)?;
                self.long.get_or_insert_with(Long::new);
                Deed::List { to }
            }
            Action::Quit => Deed::Quit,
            Action::Delete => Deed::Delete,
            Action::Exec { words, kind, in_directory, asks } => {
                let is_batch = *kind == ExecKind::Batch;
                Deed::Run(Program::new(words, is_batch, *in_directory, *asks)?)
            }
        };
        self.all.push(deed);
        Ok(())
    }

    /// Whether programs are run.
    pub(super) fn runs_programs(&self) -> bool {
        self.all.iter().any(|deed| matches!(deed, Deed::Run(_)))
    }

    /// The actions, if all they do is to append to standard output, and nothing is said of failures:
    /// they can be done before an entry's turn.
    pub(super) fn drafted(&self) -> Option<Vec<Drafted>> {
        let drafted = |deed: &Deed| match deed {
            Deed::Print { to: 0, end } => Some(Drafted::Path(*end)),
            Deed::Format { to: 0, format } if !format.complains() => {
                Some(Drafted::Format(Arc::clone(format)))
            }
            _ => None,
        };
        self.all.iter().map(drafted).collect::<Option<_>>().filter(|_| !self.outputs.is_terminal(0))
    }

    /// Which metadata each action shows.
    pub(super) fn shown(&self) -> Vec<Shown> {
        let shown = |deed: &Deed| match deed {
            Deed::Format { format, .. } => Shown::Format(Arc::clone(format)),
            Deed::List { .. } => Shown::Line,
            _ => Shown::Nothing,
        };
        self.all.iter().map(shown).collect()
    }
}

/// An action that only appends to standard output.
pub(super) enum Drafted {
    /// The path, with this byte behind it.
    Path(u8),
    Format(Arc<Printf>),
}

impl Drafted {
    /// Does the action. Returns its value as a test.
    pub(super) fn append(
        &self,
        entry: &Entry<'_>,
        formatting: &mut Formatting,
        lines: &mut Vec<u8>,
    ) -> bool {
        match self {
            Drafted::Format(format) => format.append(entry, formatting, lines),
            Drafted::Path(end) => {
                entry.path_into(lines);
                lines.push(*end);
                true
            }
        }
    }
}

/// What an action shows of an entry beside its path.
pub(super) enum Shown {
    Nothing,
    Line,
    Format(Arc<Printf>),
}

impl Shown {
    /// The metadata that it needs.
    pub(super) fn fields(&self, entry: &Entry<'_>) -> Fields {
        match self {
            Shown::Nothing => Fields::empty(),
            Shown::Line => Long::fields(entry.file_type()),
            Shown::Format(format) => format.fields(entry),
        }
    }
}
