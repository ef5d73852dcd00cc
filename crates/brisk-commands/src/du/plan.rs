//! What all workers of a count share: the compiled options, the output, and what went wrong.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use brisk::filter::{Expr, Filter, PathOf, Test, Types};
use brisk::usage::{Report, Sums};
use brisk::{Error, FileType, Operation};
use jiff::tz::TimeZone;

use super::options::Options;
use crate::front::list::List;
use crate::front::messages::{Caller, failure};
use crate::front::progress::Messenger;
use crate::front::{Refusal, paints, time_style};
use crate::show::quoting::as_argument;
use crate::show::safe::{os_str, path_bytes};
use crate::show::size::Scale;
use crate::show::time::format::Format;
use crate::show::{freed, json, text};
use crate::write::out::{Out, output_is_terminal};
use brisk_filter::fnmatch::Patterns;
use brisk_filter::{Stamp, zone};
use brisk_sys::slashed::with_one_slash;
use brisk_sys::threads::lock;

/// How many rows are kept where only the largest are shown. Twice as many are gathered before the
/// smallest are dropped.
pub(super) const MAX_ROWS: usize = 100_000;

/// Names that cannot be used, with GNU du's messages.
const REFUSED: [(&str, &str); 2] = [
    ("", "invalid zero-length file name"),
    ("-", "when reading file names from stdin, no file name of '-' allowed"),
];

/// Leaves out what matches one of --exclude's patterns, with everything below it.
fn excluding(patterns: Patterns) -> Expr {
    let key = format!("--exclude={patterns:?}");
    let test = Test::path(key, PathOf::Printed, move |path| patterns.match_end(path));
    !Expr::All(vec![test.into(), Expr::Prune])
}

/// What all workers of a count share.
pub(super) struct Plan<'o> {
    pub caller: Caller,
    pub options: &'o Options,
    /// Whether sums are gathered until the end, and the largest come first. Otherwise they are
    /// written as soon as they are final.
    pub gathers: bool,
    /// Whether they are shown as a tree: on a terminal, and with --tree.
    pub draws: bool,
    /// Whether the tree has colours.
    pub paints: bool,
    /// How many of the largest are kept.
    pub most: usize,
    pub scale: Scale,
    exclude: Patterns,
    /// Which files count.
    pub filter: Filter,
    /// Whether brisk's filters choose files, under brisk's own name: a directory without any is not
    /// listed. GNU du has no such filters, and lists every directory.
    pub chooses: bool,
    /// How times are written, if they are.
    times: Option<(Format, TimeZone)>,
    pub out: Mutex<Out>,
    pub report: Messenger,
    /// Whether a number was shown with the mark of a bound.
    has_bounds: AtomicBool,
    /// The messages about refused paths, which stand among the others as empty paths. A message is
    /// due when the count comes to its path, which cannot be found.
    refused: Mutex<VecDeque<String>>,
}

impl<'o> Plan<'o> {
    /// Compiles the options.
    ///
    /// # Errors
    /// A time style, a date or an owner that cannot be understood.
    pub fn new(caller: Caller, options: &'o Options) -> Result<Plan<'o>, Refusal> {
        let is_du = caller == Caller::Du;
        let mut tests = options.selecting.tests(caller)?;
        let chooses = !is_du && !tests.is_empty();
        if !tests.is_empty() {
            // The space of directories themselves does not count then.
            tests.push(!Expr::from(Test::types("-type d", Types::of([FileType::Directory]))));
        }
        let exclude = Patterns::new(&options.exclude, text::first_length);
        if !exclude.is_empty() {
            tests.insert(0, excluding(exclude.clone()));
        }
        let format = |_| time_style::one_format(options.time_style.as_deref());
        let format = options.time.map(format).transpose()?;
        let var = |name: &str| std::env::var_os(name);
        let scale = options.scale.or_else(|| Scale::of_environment("DU_BLOCK_SIZE", var));
        let numbers = scale.unwrap_or(Scale::units(1)).without_unit();
        // GNU du's unit, or sizes for people.
        let usual = || if is_du { Scale::usual(var) } else { Scale::BINARY };
        let sorts = options.top.is_some() || options.html.is_some() || options.tree;
        let gathers = (!is_du || sorts) && !options.json;
        // The tree has no column for a time.
        let may_draw = gathers && !is_du && !options.zero && options.time.is_none();
        let fits_terminal = may_draw && output_is_terminal();
        let draws = fits_terminal || options.tree;
        let is_picture = fits_terminal || options.html.is_some();
        let top = options.top.filter(|_| options.html.is_none());
        Ok(Plan {
            caller,
            options,
            gathers,
            draws,
            paints: draws && paints(options.color),
            most: top.unwrap_or(if is_picture { MAX_ROWS } else { usize::MAX }),
            scale: if options.inodes { numbers } else { scale.unwrap_or_else(usual) },
            exclude,
            filter: Filter::new(Expr::All(tests)),
            chooses,
            times: format.map(|format| (format, zone::local())),
            out: Mutex::default(),
            has_bounds: false.into(),
            report: Messenger::new(caller, options.common.progress),
            refused: Mutex::default(),
        })
    }

    /// The paths that count: those of the command line, or the names in a file. One that cannot be
    /// used is empty. `None`: the file cannot be opened.
    pub fn paths(&self) -> Option<Vec<PathBuf>> {
        let Options { paths, files_from, .. } = self.options;
        let names = RefCell::new(Vec::new());
        let add = |name: &OsStr| names.borrow_mut().push(self.usable(name));
        let refuse = |why: &str| names.borrow_mut().push(self.refuse(why));
        match files_from {
            Some(file) => {
                let mut list = List::open(file, None, refuse);
                if !list.is_fine() {
                    lock(&self.refused).iter().for_each(|why| self.report.complain(why));
                    return None;
                }
                list.by_ref().for_each(|name| add(name.as_os_str()));
            }
            None if paths.is_empty() => add(OsStr::new(".")),
            None => paths.iter().for_each(|name| add(name)),
        }
        Some(names.into_inner())
    }

    /// The name as a path, or an empty one.
    fn usable(&self, name: &OsStr) -> PathBuf {
        // Only names that were read from standard input may not name it.
        let from_input = self.options.files_from.as_ref().is_some_and(|file| file == "-");
        let mut known = REFUSED.iter().take(if from_input { 2 } else { 1 });
        let why = known.find(|(refused, _)| name == *refused);
        let path = || os_str(with_one_slash(path_bytes(name))).into();
        why.map_or_else(path, |(_, why)| self.refuse(why))
    }

    fn refuse(&self, why: &str) -> PathBuf {
        lock(&self.refused).push_back(why.to_owned());
        PathBuf::new()
    }

    /// The time that is asked of each file.
    pub fn stamp(&self) -> Option<Stamp> {
        let needs = self.options.older_than.is_some() || self.options.html.is_some();
        self.options.time.or(needs.then_some(Stamp::Modified))
    }

    /// The one number that is shown and compared.
    pub fn number(&self, sums: &Sums) -> u64 {
        match self.options {
            Options { inodes: true, .. } => sums.entries,
            Options { apparent: true, .. } => sums.apparent,
            _ => sums.allocated,
        }
    }

    /// Whether --threshold and --older-than let these sums be shown.
    pub fn shows(&self, sums: &Sums) -> bool {
        let Options { threshold, older_than, .. } = *self.options;
        let number = self.number(sums);
        let limit = threshold.unsigned_abs();
        let fits = if threshold < 0 { number <= limit } else { number >= limit };
        fits && older_than.is_none_or(|limit| sums.newest.is_some_and(|newest| newest < limit))
    }

    /// Appends the number; of one that does not fit, GNU's word.
    pub fn size(&self, number: u64, out: &mut Vec<u8>) {
        match number {
            u64::MAX => out.extend_from_slice(b"Infinity"),
            _ => self.scale.write(number, 1, out),
        }
    }

    /// Appends the number of these sums, with a mark if it is only a bound.
    pub fn size_of(&self, sums: &Sums, out: &mut Vec<u8>) {
        if self.options.frees && freed::is_bound(sums.allocated, sums.apparent) {
            self.has_bounds.store(true, Relaxed);
            out.push(b'<');
        }
        self.size(self.number(sums), out);
    }

    /// Says what the mark of a bound means, if there was one, and what snapshots hold.
    pub fn explain_frees(&self, report: &Report) {
        if self.has_bounds.load(Relaxed) {
            self.caller.complain(freed::BOUND);
        }
        if report.hides_overwritten {
            self.caller.complain(freed::OVERWRITTEN);
        }
        if report.held_by_snapshots > 0 {
            self.caller.complain(&freed::held(&self.scale.text(report.held_by_snapshots)));
        }
    }

    /// Appends a line as GNU du's: number, time, path.
    pub fn line(&self, sums: &Sums, path: &[u8], out: &mut Vec<u8>) {
        if !self.options.bare {
            self.size_of(sums, out);
            out.push(b'\t');
            if let Some((format, zone)) = &self.times {
                let time = sums.newest.unwrap_or_default();
                if format.write_time(time, zone, out).is_none() {
                    let seconds = time.secs.to_string();
                    out.extend_from_slice(seconds.as_bytes());
                    let shown = as_argument(seconds.as_bytes());
                    self.caller.complain(&format!("time {shown} is out of range"));
                }
                out.push(b'\t');
            }
        }
        out.extend_from_slice(path);
        out.push(if self.options.zero { 0 } else { b'\n' });
    }

    /// Reports what failed, in GNU du's words.
    #[cold]
    pub fn report(&self, error: &Error) {
        let path = path_bytes(error.path());
        if path.is_empty()
            && let Some(why) = lock(&self.refused).pop_front()
        {
            return self.report.complain(&why);
        }
        let what = match error.operation() {
            // The directory counts where it stands, as GNU du has it.
            Operation::FollowLoop => return,
            _ if self.exclude.match_end(path) => return,
            Operation::Open if is_hidden(error.path()) => "cannot access",
            Operation::Open | Operation::Reopen | Operation::Read => "cannot read directory",
            _ => "cannot access",
        };
        self.report.complain(&failure(what, path, error.io()));
    }
}

/// Whether nothing can be known of a file, because a directory above it must not be searched.
fn is_hidden(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|why| why.kind() == ErrorKind::PermissionDenied)
}

/// Adds the sums to an object, with this in front of the keys.
pub(super) fn sizes(object: &mut json::Object<'_>, front: &str, sums: &Sums) {
    object.number(&format!("{front}allocated"), Some(sums.allocated));
    object.number(&format!("{front}apparent"), Some(sums.apparent));
    object.number(&format!("{front}entries"), Some(sums.entries));
}
