//! [`Teller`]: what the user sees of a change, in GNU's words: messages, and a line for each file.

use std::io;

use brisk::change::{Done, Ids, Observer, Status, To};
use brisk::{Error, FileType, Flow, Flushed, Follow, Meta, Operation, Pause};
use brisk_cli_sys::signals;

use super::options::Verbosity;
use super::owners::named;
use super::plan::Plan;
use crate::front::messages::{at_root, failure, mounted};
use crate::show::mode::letters;
use crate::show::quoting::{in_message, leading};
use crate::show::safe::path_bytes;
use brisk_sys::threads::lock;

/// Follows a change for one worker.
pub(super) struct Teller<'p> {
    plan: &'p Plan<'p>,
    /// The number of failures that the engine does not count: those about the umask.
    pub failed: u64,
}

/// A file's states before and after the change, as far as they are known and to be named.
type States = [Option<String>; 2];

impl<'p> Teller<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Teller<'p> {
        Teller { plan, failed: 0 }
    }

    /// The line about a file.
    fn line(&self, done: &Done<'_>) -> String {
        let path = in_message(done.path);
        let noun = self.plan.noun();
        let is_trial = self.plan.change.dry_run;
        let is_mode = matches!(self.plan.change.to, To::Mode(_));
        let [before, after] = self.states(done);
        let state = |word, state: &Option<String>| {
            state.as_ref().map(|state| format!(" {word} {state}")).unwrap_or_default()
        };
        let from_to = state("from", &before) + &state("to", &after);
        let did = match done.status {
            Status::NoMode => {
                return format!("neither symbolic link {path} nor referent has been changed\n");
            }
            Status::Unseen if is_mode => return format!("{path} could not be accessed\n"),
            Status::Retained => {
                return format!("{noun} of {path} retained{}\n", state("as", &before));
            }
            Status::Changed if is_trial => "would change",
            Status::Changed if is_mode => return format!("mode of {path} changed{from_to}\n"),
            Status::Changed => "changed",
            Status::Failed | Status::Unseen => "failed to change",
        };
        format!("{did} {noun} of {path}{from_to}\n")
    }

    fn states(&self, done: &Done<'_>) -> States {
        let names = &self.plan.names;
        match &self.plan.change.to {
            To::Mode(change) => {
                let old = done.before.and_then(Meta::mode);
                let new = old.map(|old| change.of(old, done.file_type.is_dir()));
                let before = if done.status == Status::Retained { new } else { old };
                let shown = |mode| format!("{mode:04o} ({})", permissions(mode));
                [before, new].map(|mode| mode.map(shown))
            }
            To::Owners(_) => {
                let before = named(done.before.map(Ids::of).unwrap_or_default());
                let are_set = [0, 1].map(|at| before[at].clone().filter(|_| names[at].is_some()));
                [&are_set, names].map(joined)
            }
        }
    }

    /// Complains if the umask keeps bits that a user who types `-w` may expect to be cleared.
    fn warn_of_umask(&mut self, done: &Done<'_>) {
        let To::Mode(change) = &self.plan.change.to else { return };
        let Some(old) = done.before.and_then(Meta::mode) else { return };
        let is_dir = done.file_type.is_dir();
        let new = change.of(old, is_dir);
        let naive = change.without_umask().of(old, is_dir);
        if done.status != Status::Failed && new & !naive != 0 {
            let [is, expected] = [new, naive].map(permissions);
            let name = leading(done.path);
            self.failed += 1;
            self.plan.report.complain(&format!("{name}: new permissions are {is}, not {expected}"));
        }
    }
}

/// A mode in letters.
fn permissions(mode: u32) -> String {
    String::from_utf8_lossy(&letters(FileType::File, Some(mode))[1..]).into_owned()
}

/// Two owners, as far as they are to be named: `ann:users`.
fn joined(names: &[Option<String>; 2]) -> Option<String> {
    let named: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    Some(named.join(":")).filter(|_| !named.is_empty())
}

impl Observer for Teller<'_> {
    #[cold]
    fn error(&mut self, error: Error) {
        let plan = self.plan;
        let path = path_bytes(error.path());
        let is_mount = error.io().kind() == io::ErrorKind::CrossesDevices;
        let is_followed = match plan.follow {
            Follow::Never => false,
            Follow::Roots => error.depth() == 0,
            Follow::Always => true,
        };
        let failed = |what| failure(what, path, error.io());
        let message = match error.operation() {
            // GNU's programs say this with --quiet too.
            Operation::ChangeRoot => {
                return at_root(path).lines().for_each(|line| plan.report.complain(line));
            }
            Operation::Open if is_mount => mounted(path),
            Operation::Open | Operation::Reopen | Operation::Read => {
                failed("cannot read directory")
            }
            Operation::Follow if is_followed && error.io().kind() != io::ErrorKind::NotFound => {
                failed("cannot access")
            }
            Operation::Follow if matches!(plan.change.to, To::Mode(_)) => {
                format!("cannot operate on dangling symlink {}", in_message(path))
            }
            Operation::Follow => failed("cannot dereference"),
            Operation::Change => failed(match plan.change.to {
                To::Mode(_) => "changing permissions of",
                To::Owners(Ids { user: Some(_), .. }) => "changing ownership of",
                To::Owners(_) => "changing group of",
            }),
            Operation::StatChanged => failed("getting new attributes of"),
            _ => failed("cannot access"),
        };
        if !plan.options.quiet {
            plan.report.complain(&message);
        }
    }

    fn done(&mut self, done: &Done<'_>) {
        let lines =
            if done.status == Status::Changed { Verbosity::Changes } else { Verbosity::All };
        if self.plan.options.lines >= lines {
            let line = self.line(done);
            let mut out = lock(&self.plan.out);
            out.bytes.extend_from_slice(line.as_bytes());
            // A failure to print is reported at the end.
            let _ = out.write_if_full();
        }
        if self.plan.options.dashed.is_some() {
            self.warn_of_umask(done);
        }
    }

    fn flush(&mut self, Pause { write_is_cheap, met }: Pause) -> Flushed {
        let plan = self.plan;
        plan.report.add(met, 0);
        if write_is_cheap && plan.options.lines > Verbosity::None {
            let _ = lock(&plan.out).flush();
        }
        let flow = if signals::interrupted() { Flow::Stop } else { Flow::Continue };
        Flushed { flow, ..Flushed::default() }
    }

    fn fork(&self, _: usize) -> Self {
        Teller::new(self.plan)
    }

    fn merge(&mut self, other: Self) {
        self.failed += other.failed;
    }
}
