//! [`Plan`]: what is to be changed, and to what, by the options; with the filters and the output.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;

use brisk::change::{Change, ModeChange, To};
use brisk::filter::Filter;
use brisk::{Fields, Follow, Meta};
use brisk_sys::slashed::with_one_slash;
use brisk_sys::{Links, stat_path};

use super::options::{Options, Sets, Verbosity};
use super::owners::{NewOwners, said_of};
use crate::front::config::backend;
use crate::front::messages::{Caller, failure};
use crate::front::progress::Messenger;
use crate::front::{Refusal, list};
use crate::show::quoting::as_argument;
use crate::show::safe::{os_str, path_bytes};
use crate::system;
use crate::write::out::Out;

/// What all workers share.
pub(super) struct Plan<'o> {
    pub options: &'o Options,
    pub change: Change,
    /// Which links the walk follows.
    pub follow: Follow,
    /// The names of the user and the group, as far as they are set.
    pub names: [Option<String>; 2],
    pub filter: Filter,
    pub out: Mutex<Out>,
    pub report: Messenger,
}

impl<'o> Plan<'o> {
    /// Compiles the options.
    ///
    /// # Errors
    /// GNU's refusals.
    pub fn new(caller: Caller, sets: Sets, options: &'o Options) -> Result<Plan<'o>, Refusal> {
        let (word, files) = operands(options)?;
        let word = word.map(OsString::as_os_str).unwrap_or_default();
        let like = reference(options)?;
        let mut names = [None, None];
        let to = if sets == Sets::Mode {
            let exactly = like.as_ref().and_then(Meta::mode).map(ModeChange::exactly);
            let parsed = || ModeChange::parse(word.as_encoded_bytes(), system::umask());
            let invalid = || Refusal::hinted(said_of("invalid mode", word));
            To::Mode(exactly.or_else(parsed).ok_or_else(invalid)?)
        } else {
            let owners = NewOwners::new(sets, word, like.as_ref())?;
            owners.warning.iter().for_each(|warning| caller.complain(warning));
            names = owners.names;
            To::Owners(owners.ids)
        };
        let follow = match options.follow {
            _ if sets == Sets::Mode => Follow::Roots,
            Some(follow) if options.recursive => follow,
            _ => Follow::Never,
        };
        let filter = options.selecting.filter(caller)?;
        let walk =
            options.selecting.walk(files, &options.common).follow(follow).filter(filter.clone());
        let walk = walk.max_depth(if options.recursive { usize::MAX } else { 0 });
        let shows = options.lines > Verbosity::None;
        let change = Change {
            from: options.from,
            dereference: options.dereference == Some(true),
            always: options.always,
            dry_run: options.dry_run,
            exact: shows,
            // The files of a list are changed in parallel, unless lines must follow its order.
            in_turn: options.files0_from.is_none() || shows,
            preserve_root: options.preserve_root,
            cross_mounts: options.cross_mounts,
            ..Change::new(walk, to)
        };
        let report = Messenger::new(caller, options.common.progress);
        Ok(Plan { options, change, follow, names, filter, out: Mutex::default(), report })
    }

    /// The word for what changes, in messages.
    pub fn noun(&self) -> &'static str {
        match (&self.change.to, &self.names) {
            (To::Mode(_), _) => "mode",
            (_, [None, Some(_)]) => "group",
            _ => "ownership",
        }
    }
}

/// The metadata of the file that --reference names.
fn reference(options: &Options) -> Result<Option<Meta>, Refusal> {
    let Some(file) = options.reference.as_deref() else { return Ok(None) };
    let fields = Fields::MODE | Fields::UID | Fields::GID;
    let found = stat_path(backend(), file, fields, Links::Follow);
    found.map(Some).map_err(|error| {
        Refusal::usage(failure("failed to get attributes of", path_bytes(file), &error))
    })
}

/// The word that says how files are to be, unless --reference takes its place, and the files.
fn operands(options: &Options) -> Result<(Option<&OsString>, Vec<PathBuf>), Refusal> {
    let Options { reference, dashed, words, files0_from, .. } = options;
    if options.recursive && options.follow.is_none() && options.dereference == Some(true) {
        return Err(Refusal::usage("-R --dereference requires either -H or -L"));
    }
    if reference.is_some() && dashed.is_some() {
        return Err(Refusal::hinted("cannot combine mode and --reference options"));
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
        return Err(Refusal::hinted(format!("missing operand{after}")));
    }
    let path = |word| PathBuf::from(os_str(with_one_slash(path_bytes(word))));
    Ok((word.or(dashed.as_ref()), files.map(path).collect()))
}
