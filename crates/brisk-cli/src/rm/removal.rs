//! One removal, from options to an exit code.

use brisk::remove::{Directories, Remove, Report};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use super::options::Options;
use super::summary;
use super::talk::counted;
use super::terminal::Terminal;
use crate::front::list::{List, Rest};
use crate::front::messages::Caller;

/// Removes what the options name. Returns the exit code.
pub(super) fn remove(caller: Caller, options: &Options) -> u8 {
    limits::raise_open_files();
    signals::notice_interrupts();
    let terminal = Terminal::new(caller, options);
    let Some(from) = &options.files0_from else {
        let report = removal(options).run_with(&terminal);
        return conclude(caller, options, &terminal, &report);
    };
    // What wrote the list may have been stopped within a path.
    let rest = Rest::Refused("no NUL behind the name: not removing it");
    let mut list = List::open(from.as_os_str(), rest, |message| terminal.complain(message));
    let report = removal(options).run_over(&mut list, &terminal);
    conclude(caller, options, &terminal, &report).max(u8::from(!list.is_fine()))
}

/// Removes nothing, and prints what the options ask for all the same. Returns the exit code.
pub(super) fn remove_nothing(caller: Caller, options: &Options) -> u8 {
    conclude(caller, options, &Terminal::new(caller, options), &Report::default())
}

/// Ends a removal: prints the remaining messages. Returns the exit code.
pub(super) fn conclude(
    caller: Caller,
    options: &Options,
    terminal: &Terminal,
    report: &Report,
) -> u8 {
    let told = summary::tell(terminal, options, report);
    let printed = terminal.close();
    if report.stopped {
        let gone = counted(report.files + report.directories, "entry", "entries");
        caller.complain(&format!("interrupted: {gone} removed; the same command removes the rest"));
        return signals::exit_code();
    }
    u8::from(!report.is_complete() || !printed || !told)
}

/// The removal that the options ask for.
pub(super) fn removal(options: &Options) -> Remove {
    Remove::over(&options.paths)
        .directories(match (options.recursive, options.empty_dirs) {
            (true, _) => Directories::Recursive,
            (false, true) => Directories::Empty,
            (false, false) => Directories::Refused,
        })
        .preserve(options.preserve)
        .keep_roots(options.keep_root)
        .cross_mounts(options.cross_mounts && !options.one_file_system)
        .ignore_missing(options.force)
        .dry_run(options.dry_run)
        .in_turn(options.verbose)
        .older_than(options.older_than)
        .threads(options.run.threads)
}
