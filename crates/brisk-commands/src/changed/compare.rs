//! [`CompareOptions`]: the options that `brisk changed` and `brisk diff` share.

use std::path::PathBuf;
use std::sync::Arc;

use brisk_state::{Report, Rescan};

use crate::filter::Selecting;
use crate::filter::flags::Selects;
use crate::front::messages::{Caller, unnumbered};
use crate::front::progress::Messenger;
use crate::front::{CommonOptions, Flag, HasCommon, When, texts};

/// What is compared, and how differences are printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompareOptions {
    pub(crate) selecting: Selecting,
    /// Whether contents decide.
    pub(crate) content: bool,
    pub(crate) no_renames: bool,
    pub(crate) print0: bool,
    pub(crate) json: bool,
    pub(crate) color: When,
    /// Whether the exit code says that something differs.
    pub(crate) exit_code: bool,
    pub(crate) common: CommonOptions,
}

impl CompareOptions {
    /// The rescan that these options mean. `runs_command`: a command is run on what is found.
    /// `complain` gets what is wrong in ignore files.
    ///
    /// # Errors
    /// The message for the user.
    pub fn rescan(
        &self,
        dirs: &[PathBuf],
        runs_command: bool,
        complain: &mut dyn FnMut(&str),
    ) -> Result<Rescan, String> {
        let ignoring = &self.selecting.ignoring;
        let rules = ignoring.rules_telling(Caller::Brisk, dirs, runs_command, complain);
        Ok(Rescan {
            filter: self.selecting.filter(Caller::Brisk)?,
            rules: rules.map_err(|refusal| refusal.message)?,
            threads: self.common.threads,
            ..Rescan::over(dirs)
        })
    }

    /// Does a rescan, and shows its progress.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn run_showing_progress(&self, rescan: Rescan) -> Result<Report, String> {
        let (rescan, messenger) = self.showing_progress(rescan);
        let report = rescan.run();
        messenger.close();
        report.map_err(|why| unnumbered(&why))
    }

    /// A rescan that shows its progress until the messenger is closed.
    pub(crate) fn showing_progress(&self, rescan: Rescan) -> (Rescan, Arc<Messenger>) {
        let messenger = Arc::new(Messenger::new(Caller::Brisk, self.common.progress));
        let counted = Arc::clone(&messenger);
        let count = move |entries| counted.add(entries, 0);
        (Rescan { on_progress: Some(Arc::new(count)), ..rescan }, messenger)
    }
}

/// The options of a command that compares.
impl<O: AsMut<CompareOptions> + 'static> HasCommon for O {
    const HELP_NOT_PRINTED: u8 = 2;

    fn common(&mut self) -> &mut CommonOptions {
        &mut self.as_mut().common
    }
}

impl<O: AsMut<CompareOptions> + 'static> Selects for O {
    fn selecting(&mut self) -> &mut Selecting {
        &mut self.as_mut().selecting
    }
}

/// The flags that set [`CompareOptions`].
impl<O: AsMut<CompareOptions>> Flag<O> {
    pub(crate) fn changes_print0() -> Self {
        Self::on("0, print0", |options| options.as_mut().print0 = true)
            .rare("Print status and path, each followed by a null byte")
            .doc(
                "Print the letter and the unquoted path, each followed by a null byte. R has two \
                 paths, the old one first.",
            )
    }

    pub(crate) fn color() -> Self {
        Self::word("color", "WHEN", When::WORDS.docs(texts::COLOR_WHEN), |options, word| {
            options.as_mut().color = When::from_word(word);
        })
        .rare("When to colour the letters of changes")
    }

    pub(crate) fn no_renames() -> Self {
        Self::on("no-renames", |options| options.as_mut().no_renames = true)
            .rare("Print D and A for a renamed entry, not R")
    }
}
