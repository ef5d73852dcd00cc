//! [`Deeds`]: the actions of a command line, ready to be done.

use std::ffi::OsString;
use std::sync::Arc;

use brisk::{Entry, Fields};
use brisk_filter::find::{Action, ExecKind, File};

use super::exec::Program;
use super::long::Long;
use super::outputs::Outputs;
use super::printf::Printf;

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
                let warn = &mut |message: String| super::CALLER.complain(&message);
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
