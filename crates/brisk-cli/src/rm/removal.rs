//! One removal, from options to an exit code.

use brisk::remove::{Directories, Remove, Report};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use super::options::Options;
use super::summary;
use super::terminal::Terminal;
use crate::common::messages::Caller;

/// Removes what the options name. Returns the exit code.
pub(super) fn remove(caller: Caller, options: &Options) -> u8 {
    limits::raise_open_files();
    signals::notice_interrupts();
    let terminal = Terminal::new(caller, options);
    let report = removal(options).run_with(&terminal);
    conclude(caller, options, &terminal, &report)
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
        let gone = report.files + report.directories;
        caller.complain(&format!(
            "interrupted: {gone} entries removed; the same command removes the rest"
        ));
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
        .older_than(options.older_than)
        .threads(options.threads)
}
