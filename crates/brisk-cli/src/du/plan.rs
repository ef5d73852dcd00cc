//! What all workers of a count share: the compiled options, the output, and what went wrong.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use brisk::usage::Sums;
use brisk::{Error, Flow, Follow, Operation};
use jiff::tz::TimeZone;

use super::options::Options;
use crate::common::filter::{Criteria, Filters};
use crate::common::fnmatch::Patterns;
use crate::common::json;
use crate::common::messages::{Caller, cause};
use crate::common::options::{Refusal, When, valid};
use crate::common::out::Out;
use crate::common::progress::{Display, a_second, grouped};
use crate::common::quoting::{as_argument, in_message};
use crate::common::safe::os_str;
use crate::common::size::Scale;
use crate::common::time::Stamp;
use crate::common::time::format::Format;
use crate::common::time::style::{self, STYLES};

/// What becomes of a directory whose sums are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A line at once, as GNU du's.
    Lines,
    /// An object at once.
    Json,
    /// A row, for the end.
    Rows,
}

/// What all workers of a count share.
pub(super) struct Plan<'o> {
    pub caller: Caller,
    pub options: &'o Options,
    pub form: Form,
    pub scale: Scale,
    pub exclude: Patterns,
    /// Which files count, if not all.
    pub filters: Option<Filters>,
    /// How times are written, if they are.
    times: Option<(Format, TimeZone)>,
    out: Mutex<Out>,
    pub failed: AtomicBool,
    pub display: Option<Display>,
    /// What has counted so far, where the progress is shown.
    counted: Mutex<Sums>,
}

impl<'o> Plan<'o> {
    /// Compiles the options.
    ///
    /// # Errors
    /// A time style, a date or an owner that cannot be understood.
    pub fn new(caller: Caller, options: &'o Options) -> Result<Plan<'o>, Refusal> {
        let form = match (caller, options.json) {
            (Caller::Du, _) => Form::Lines,
            (_, true) => Form::Json,
            (_, false) => Form::Rows,
        };
        let shows = || std::io::IsTerminal::is_terminal(&std::io::stderr());
        let display = (caller != Caller::Du && options.progress.is_on(shows))
            .then(|| Display::new(caller, options.progress == When::Always));
        let filters = Filters::new(
            &Criteria {
                matching: &options.matching,
                filtering: &options.filtering,
                excluded: &[],
                hidden: brisk::ignore::Hidden::Kept,
                follow: options.follow == Some(Follow::Always),
            },
            caller,
        )?;
        Ok(Plan {
            caller,
            options,
            form,
            scale: scale(caller, options),
            exclude: Patterns::new(&options.exclude),
            filters: Some(filters).filter(|filters| !filters.is_empty()),
            times: options.time.map(|_| times(options)).transpose()?,
            out: Mutex::default(),
            failed: AtomicBool::default(),
            display,
            counted: Mutex::default(),
        })
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
        let fits = match threshold {
            ..0 => number <= threshold.unsigned_abs(),
            _ => number >= threshold.unsigned_abs(),
        };
        fits && older_than.is_none_or(|limit| sums.newest.is_some_and(|newest| newest < limit))
    }

    pub fn out(&self) -> MutexGuard<'_, Out> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line as GNU du's: number, time, path.
    pub fn line(&self, sums: &Sums, path: &[u8], out: &mut Vec<u8>) {
        if !self.options.bare {
            self.numbers(sums, out);
        }
        out.extend_from_slice(path);
        out.push(if self.options.zero { 0 } else { b'\n' });
    }

    /// Appends number and time, each with a tab behind it.
    fn numbers(&self, sums: &Sums, out: &mut Vec<u8>) {
        self.scale.write(self.number(sums), 1, out);
        if let Some((format, zone)) = &self.times {
            out.push(b'\t');
            let time = sums.newest.unwrap_or_default();
            if format.write_time(time, zone, out).is_none() {
                let seconds = time.secs.to_string();
                out.extend_from_slice(seconds.as_bytes());
                let shown = as_argument(seconds.as_bytes());
                self.caller.complain(&format!("time {shown} is out of range"));
            }
        }
        out.push(b'\t');
    }

    /// Adds what a worker has counted, and shows the progress.
    pub fn note(&self, counted: Sums) {
        let Some(display) = &self.display else { return };
        let mut all = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        *all += counted;
        display.show(|time| {
            let (mut size, rate) = (Vec::new(), grouped(a_second(all.entries, time)));
            Scale::BINARY.write(all.allocated, 1, &mut size);
            let size = String::from_utf8_lossy(&size);
            format!("{} entries, {size}, {rate} entries a second", grouped(all.entries))
        });
    }

    /// Prints a message. The exit code says so too.
    #[cold]
    pub fn complain(&self, message: &str) {
        self.failed.store(true, Relaxed);
        Display::beside(self.display.as_ref(), || self.caller.complain(message));
    }

    #[cold]
    pub fn report(&self, error: &Error) -> Flow {
        let what = match error.operation() {
            // The directory counts where it stands, as GNU du has it.
            Operation::FollowLoop => return Flow::Continue,
            Operation::Open | Operation::Read => "cannot read directory",
            _ => "cannot access",
        };
        let shown = in_message(path_bytes(error.path()));
        self.complain(&format!("{what} {shown}: {}", cause(error.io())));
        Flow::Continue
    }
}

/// Adds the sums to an object, with this in front of the keys.
pub(super) fn sizes(object: &mut json::Object<'_>, front: &str, sums: &Sums) {
    object.number(&format!("{front}allocated"), Some(sums.allocated));
    object.number(&format!("{front}apparent"), Some(sums.apparent));
    object.number(&format!("{front}entries"), Some(sums.entries));
}

pub(super) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The unit of sizes: the option's, the environment's, or GNU's; for people as they read best.
fn scale(caller: Caller, options: &Options) -> Scale {
    let var = |name: &str| std::env::var_os(name);
    let scale = options.scale.or_else(|| Scale::of_environment("DU_BLOCK_SIZE", var));
    match scale {
        _ if options.inodes => scale.unwrap_or(Scale::units(1)).without_unit(),
        Some(scale) => scale,
        None if caller == Caller::Du => Scale::usual(var),
        None => Scale::BINARY,
    }
}

/// The format of times, and the zone.
fn times(options: &Options) -> Result<(Format, TimeZone), Refusal> {
    let variable = std::env::var_os("TIME_STYLE").filter(|style| style != "locale");
    let is_variable = options.time_style.is_none();
    let style = options.time_style.clone().or(variable).unwrap_or_else(|| "long-iso".into());
    let mut style = style.as_encoded_bytes();
    if is_variable {
        style = style.split(|byte| *byte == b'\n').next().unwrap_or_default();
        while let Some(rest) = style.strip_prefix(b"posix-") {
            style = rest;
        }
    }
    let format = style::format_of(style).ok_or_else(|| {
        let lines = STYLES.groups.iter().map(|group| as_argument(group[0].as_bytes()));
        // GNU's message does not say --time-style.
        let first = STYLES.complaint("time style", os_str(style), as_argument);
        Refusal::option(format!("{first}\n{}", valid(lines)))
    })?;
    Ok((Format::new(format), TimeZone::system()))
}
