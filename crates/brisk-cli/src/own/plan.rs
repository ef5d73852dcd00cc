//! What all workers share: what is to be changed and to what, and the output.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use brisk::{Fields, Follow, Meta, Mounts, Walk};
use brisk_sys::mode::ModeChange;
use brisk_sys::{Identity, Ids, Links, stat_path};

use super::options::{Lines, Options, Sets};
use super::owners::{Owners, said_of};
use crate::filter::Filters;
use crate::front::Refusal;
use crate::front::config::backend;
use crate::front::list;
use crate::front::messages::{Caller, failure};
use crate::front::progress::Report;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::system;
use crate::write::out::Out;

/// What is changed, and to what.
pub(super) enum Change {
    Mode(ModeChange),
    Owners(Owners),
}

impl Change {
    /// `word`: the first argument, unless --reference takes its place.
    fn new(sets: Sets, options: &Options, word: Option<&OsString>) -> Result<Change, Refusal> {
        let word = word.map(OsString::as_os_str).unwrap_or_default();
        let all = Fields::MODE | Fields::UID | Fields::GID;
        let like = options.reference.as_deref().map(|file| look(file, all)).transpose()?;
        if sets != Sets::Mode {
            return Ok(Change::Owners(Owners::new(sets, word, like.as_ref())?));
        }
        let exactly = like.as_ref().and_then(Meta::mode).map(ModeChange::exactly);
        let change =
            exactly.or_else(|| ModeChange::parse(word.as_encoded_bytes(), system::umask()));
        let invalid = || Refusal::option(said_of("invalid mode", word));
        change.map(Change::Mode).ok_or_else(invalid)
    }

    /// What changes, in messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Change::Mode(_) => "mode",
            Change::Owners(Owners { names: [None, Some(_)], .. }) => "group",
            Change::Owners(_) => "ownership",
        }
    }
}

/// What all workers share.
pub(super) struct Plan<'o> {
    pub caller: Caller,
    pub options: &'o Options,
    pub change: Change,
    pub filters: Filters,
    /// The fields that tell how a file is; none if nothing depends on that.
    pub fields: Fields,
    /// Whether a directory is asked again when its turn comes, which is after everything below it:
    /// where a line says what it had, or only some are changed. Otherwise the first answer decides.
    pub asks_again: bool,
    /// The root, if it is refused.
    pub root: Option<Identity>,
    pub out: Mutex<Out>,
    pub report: Report,
}

impl<'o> Plan<'o> {
    /// Compiles the options. Returns the files too.
    ///
    /// # Errors
    /// GNU's refusals.
    pub fn new(
        caller: Caller,
        sets: Sets,
        options: &'o Options,
    ) -> Result<(Plan<'o>, Vec<PathBuf>), Refusal> {
        let (word, files) = operands(options)?;
        let change = Change::new(sets, options, word)?;
        let mut fields = Fields::MODE;
        let is_silent = options.lines == Lines::None && options.from == Ids::default();
        if let Change::Owners(owners) = &change {
            let warnings = owners.warning.iter().chain(&options.warnings);
            warnings.for_each(|warning| caller.complain(warning));
            let asks_nothing = is_silent && options.always && options.dereference == Some(false);
            fields = if asks_nothing { Fields::empty() } else { Fields::UID | Fields::GID };
        }
        let asks_again = !fields.is_empty() && (options.always || !is_silent);
        let filters = Filters::new(&options.selecting, caller)?;
        let root = match options.recursive && options.preserve_root == Some(true) {
            true => look(Path::new("/"), Fields::DEV | Fields::INO)?.identity(),
            false => None,
        };
        let out = Mutex::default();
        let report = Report::new(caller, options.run.progress);
        Ok((
            Plan { caller, options, change, filters, fields, asks_again, root, out, report },
            files,
        ))
    }

    /// The walk over these files.
    pub fn walk(&self, files: &[PathBuf]) -> Walk {
        let options = self.options;
        let follow = match (&self.change, options.follow) {
            (Change::Mode(_), _) => Follow::Roots,
            (_, Some(follow)) if options.recursive => follow,
            _ => Follow::Never,
        };
        let walk = options.selecting.walk(files, &options.run);
        walk.follow(follow)
            .max_depth(if options.recursive { usize::MAX } else { 0 })
            .mounts(if options.cross_mounts { Mounts::Cross } else { Mounts::SameMount })
    }
}

/// A file that is named on the command line for what it has.
fn look(path: &Path, fields: Fields) -> Result<Meta, Refusal> {
    stat_path(backend(), path, fields, Links::Follow).map_err(|error| {
        Refusal::value(failure("failed to get attributes of", path_bytes(path), &error))
    })
}

/// The word that says how files are to be, unless --reference takes its place, and the files.
fn operands(options: &Options) -> Result<(Option<&OsString>, Vec<PathBuf>), Refusal> {
    let Options { reference, dashed, words, files0_from, .. } = options;
    if options.recursive && options.follow.is_none() && options.dereference == Some(true) {
        return Err(Refusal::value("-R --dereference requires either -H or -L"));
    }
    if reference.is_some() && dashed.is_some() {
        return Err(Refusal::option("cannot combine mode and --reference options"));
    }
    let mut files = words.iter();
    let needs_word = reference.is_none() && dashed.is_none();
    let word = if needs_word { files.next() } else { None };
    if let (Some(_), Some(extra)) = (files0_from, files.as_slice().first()) {
        return Err(list::extra_operand(extra));
    }
    if needs_word && word.is_none() || files.len() == 0 && files0_from.is_none() {
        let shown = |word: &OsString| format!(" after {}", as_argument(word.as_encoded_bytes()));
        let after = word.map(shown).unwrap_or_default();
        return Err(Refusal::option(format!("missing operand{after}")));
    }
    Ok((word.or(dashed.as_ref()), files.map(PathBuf::from).collect()))
}
