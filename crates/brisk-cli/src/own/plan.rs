//! What all workers share: what is to be changed and to what, the output, and what was done.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use brisk::{Fields, Follow, Meta, Mounts, Walk};
use brisk_sys::{Identity, Ids, Links, stat_path};

use super::flags::{read_owners, said_of};
use super::mode::ModeChange;
use super::options::{Options, Tool, Verbosity};
use super::owners::Owners;
use super::talk::{self, Status};
use crate::filter::{Filters, Ignoring};
use crate::front::config::backend;
use crate::front::list::List;
use crate::front::messages::{Caller, failure};
use crate::front::progress::Report;
use crate::front::{Refusal, When};
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;
use crate::system;
use crate::write::out::Out;

/// What is changed, and to what.
pub(super) enum Change {
    /// The change, and whether the MODE looks like an option and names no users. A user
    /// who types `-w` may not know that the umask keeps some bits; a message says which.
    Mode(ModeChange, bool),
    Owners {
        to: Ids,
        /// How the owners are named.
        names: [Option<String>; 2],
        /// Whether what links lead to is changed.
        dereference: bool,
    },
}

impl Change {
    /// What changes, in messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Change::Mode(..) => "mode",
            Change::Owners { names: [None, Some(_)], .. } => "group",
            Change::Owners { .. } => "ownership",
        }
    }

    /// How files are to be, if that is the same for all.
    pub fn after(&self) -> Option<String> {
        match self {
            Change::Mode(..) => None,
            Change::Owners { names, .. } => talk::owners(names),
        }
    }
}

/// What became of files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Count {
    Changed,
    /// They are as they should be.
    Retained,
    Failed,
}

/// How many there are of each.
#[derive(Debug, Default)]
pub(super) struct Counts([AtomicU64; 3]);

impl Counts {
    pub fn add(&self, one: Count) {
        self.0[one as usize].fetch_add(1, Relaxed);
    }

    pub fn of(&self, which: Count) -> u64 {
        self.0[which as usize].load(Relaxed)
    }
}

/// What all workers share.
pub(super) struct Plan<'o> {
    pub caller: Caller,
    pub options: &'o Options,
    pub change: Change,
    pub filters: Option<Filters>,
    /// The fields that tell how a file is; none if nothing depends on that.
    pub fields: Fields,
    /// Whether files that are already as requested are changed too.
    pub always: bool,
    verbosity: Verbosity,
    /// The root, if it is refused.
    pub root: Option<Identity>,
    /// Whether mount points are changed and entered.
    pub crosses_mounts: bool,
    pub counts: Counts,
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
        tool: Tool,
        options: &'o Options,
    ) -> Result<(Plan<'o>, Vec<PathBuf>), Refusal> {
        let (word, files) = operands(options)?;
        let change = change(caller, tool, options, word)?;
        options.warnings.iter().for_each(|warning| caller.complain(warning));
        let mut selecting = options.selecting.clone();
        selecting.ignoring = Ignoring::nothing();
        selecting.follow = options.follow == Some(Follow::Always);
        let filters = Filters::new(&selecting, caller)?;
        let is_own = caller == Caller::Brisk;
        let always = options.always || !is_own;
        let verbosity = match options.verbosity {
            Verbosity::Nothing if options.dry_run => Verbosity::Changes,
            wanted => wanted,
        };
        let fields = match change {
            Change::Mode(..) => Fields::MODE,
            Change::Owners { dereference: false, .. }
                if always && verbosity == Verbosity::Nothing && options.from == Ids::default() =>
            {
                Fields::empty()
            }
            Change::Owners { .. } => Fields::UID | Fields::GID,
        };
        let plan = Plan {
            caller,
            options,
            change,
            filters: Some(filters).filter(|filters| !filters.is_empty()),
            fields,
            always,
            verbosity,
            root: match options.recursive && options.preserve_root.unwrap_or(is_own) {
                true => look(OsStr::new("/"), Fields::DEV | Fields::INO)?.identity(),
                false => None,
            },
            crosses_mounts: options.cross_mounts || options.follow == Some(Follow::Always),
            counts: Counts::default(),
            out: Mutex::default(),
            report: Report::new(caller, if is_own { options.run.progress } else { When::Never }),
        };
        let files = plan.files(files);
        Ok((plan, files))
    }

    /// Whether there are lines about files.
    pub fn is_verbose(&self) -> bool {
        self.verbosity != Verbosity::Nothing
    }

    /// Whether there is a line about a file of which this became.
    pub fn tells_of(&self, status: Status) -> bool {
        let changes = matches!(status, Status::Changed | Status::WouldChange);
        self.verbosity == Verbosity::Everything || self.is_verbose() && changes
    }

    /// Says that something failed, unless the user wants no such messages. The exit code says so.
    #[cold]
    pub fn fail(&self, message: &str) {
        self.counts.add(Count::Failed);
        if !self.options.quiet {
            self.report.complain(message);
        }
    }

    /// The files that the command line names, or those that a list holds.
    fn files(&self, files: Vec<PathBuf>) -> Vec<PathBuf> {
        let Some(from) = &self.options.files0_from else { return files };
        let refusal = Some("no NUL behind the name: not changing it");
        List::open(from, refusal, |message| self.fail(message)).collect()
    }

    /// The walk over these files.
    pub fn walk(&self, files: &[PathBuf]) -> Walk {
        let follow = match (&self.change, self.options.follow) {
            (Change::Mode(..), _) => Follow::Roots,
            (_, Some(follow)) if self.options.recursive => follow,
            _ => Follow::Never,
        };
        Walk::over(files)
            .follow(follow)
            .max_depth(if self.options.recursive { usize::MAX } else { 0 })
            .mounts(if self.crosses_mounts { Mounts::Cross } else { Mounts::SameMount })
            .threads(self.options.run.threads)
            .backend(backend())
    }
}

/// A file that is named on the command line for what it has.
fn look(path: &OsStr, fields: Fields) -> Result<Meta, Refusal> {
    stat_path(backend(), path.as_ref(), fields, Links::Follow).map_err(|error| {
        Refusal::value(failure("failed to get attributes of", path_bytes(path), &error))
    })
}

/// The first word, unless another option takes its place, and the files.
fn operands(options: &Options) -> Result<(Option<&OsStr>, Vec<PathBuf>), Refusal> {
    let Options { reference, dashed, words, follow, files0_from, .. } = options;
    if options.recursive && follow.is_none() && options.dereference == Some(true) {
        return Err(Refusal::value("-R --dereference requires either -H or -L"));
    }
    if reference.is_some() && dashed.is_some() {
        return Err(Refusal::option("cannot combine mode and --reference options"));
    }
    let needs_word = reference.is_none() && dashed.is_none();
    let (word, files) = match &words[..] {
        [word, files @ ..] if needs_word => (Some(&**word), files),
        files => (None, files),
    };
    match (files0_from, files.first(), word) {
        (Some(_), Some(extra), _) => {
            let shown = as_argument(extra.as_encoded_bytes());
            Err(Refusal::option(format!(
                "extra operand {shown}\nfile operands cannot be combined with --files0-from"
            )))
        }
        (None, None, Some(word)) => {
            let shown = as_argument(word.as_encoded_bytes());
            Err(Refusal::option(format!("missing operand after {shown}")))
        }
        (_, None, None) if needs_word || files0_from.is_none() => {
            Err(Refusal::option("missing operand"))
        }
        _ => Ok((word, files.iter().map(PathBuf::from).collect())),
    }
}

fn change(
    caller: Caller,
    tool: Tool,
    options: &Options,
    word: Option<&OsStr>,
) -> Result<Change, Refusal> {
    let word = options.dashed.as_deref().or(word).unwrap_or_default();
    let like = options
        .reference
        .as_deref()
        .map(|file| look(file.as_os_str(), Fields::MODE | Fields::UID | Fields::GID));
    let like = like.transpose()?;
    if tool == Tool::Chmod {
        let change = match like.as_ref().and_then(Meta::mode) {
            Some(mode) => Some(ModeChange::exactly(mode)),
            None => ModeChange::parse(word.as_encoded_bytes(), system::umask()),
        };
        let change = change.ok_or_else(|| Refusal::option(said_of("invalid mode", word)))?;
        return Ok(Change::Mode(change, options.dashed.is_some()));
    }
    let mut owners = match (like, tool) {
        (Some(meta), _) => Owners::like(&meta),
        (None, Tool::Chgrp) => {
            Owners::parse_group(word).map_err(|why| Refusal::value(said_of(why, word)))?
        }
        (None, _) => read_owners(word)?,
    };
    if tool == Tool::Chgrp {
        owners.ids.user = None;
        owners.user = None;
    } else if owners.user.is_none() && owners.group.is_some() {
        // GNU chown's words are about the owner then too.
        owners.user = Some(String::new());
    }
    let Owners { ids, user, group, warning } = owners;
    if let Some(warning) = warning {
        caller.complain(&said_of(warning, word));
    }
    let names =
        [user.or(ids.user.map(|id| id.to_string())), group.or(ids.group.map(|id| id.to_string()))];
    let default = !options.recursive || options.follow.is_some();
    let dereference = options.dereference.unwrap_or(default) && default;
    Ok(Change::Owners { to: ids, names, dereference })
}
