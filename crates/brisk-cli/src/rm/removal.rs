//! One removal, from options to an exit code.

use brisk::remove::{Directories, Remove, Report};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use super::options::Options;
use super::summary;
use super::talk::counted;
use super::terminal::Terminal;
use crate::front::list::List;
use crate::front::messages::Caller;

/// Removes what the options name. Returns the exit code.
pub(super) fn remove(caller: Caller, options: &Options) -> u8 {
    limits::raise_open_files();
    signals::notice_interrupts();
    let terminal = Terminal::new(caller, options);
    let report = match &options.files0_from {
        None => removal(options).run_with(&terminal),
        Some(from) => {
            // What wrote the list may have been stopped within a path.
            let rest = Some("no NUL behind the name: not removing it");
            let mut list = List::open(from.as_os_str(), rest, |message| terminal.complain(message));
            removal(options).run_over(&mut list, &terminal)
        }
    };
    conclude(options, &terminal, &report)
}

/// Ends a removal: prints the remaining messages. Returns the exit code.
pub(super) fn conclude(options: &Options, terminal: &Terminal<'_>, report: &Report) -> u8 {
    let told = summary::tell(terminal, options, report);
    let code = terminal.close();
    if report.stopped {
        let gone = counted(report.files + report.directories, "entry", "entries");
        let message = format!("interrupted: {gone} removed; the same command removes the rest");
        terminal.caller.complain(&message);
        return signals::exit_code();
    }
    code.max(u8::from(!told))
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
