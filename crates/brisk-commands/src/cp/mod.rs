//! `brisk cp`: copies files and trees. This file leads from words to an exit code: it reads the
//! options, finds the operands, has the engine copy, and reports.

mod backup;
mod explain;
pub(crate) mod flags;
mod operands;
mod options;
mod parents;
mod talk;
mod teller;

use std::ffi::OsString;

use brisk::Follow;
use brisk::copy::{Demand, Report, Update, Way};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::messages::Caller;
use crate::front::progress::{counted, grouped};
use crate::front::{Refusal, standard};
use crate::show::json;
use operands::{Operands, To};
use options::Options;
use parents::ParentDirs;
use teller::CopyTeller;

/// Runs the command with the words after its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let read = flags::read(caller, words);
    let command = || flags::command(caller);
    standard::run(caller, "brisk cp", read, command, |options| cp(caller, &options))
}

fn cp(caller: Caller, options: &Options) -> Result<u8, Refusal> {
    check_contexts(caller, options)?;
    let mut operands = Operands::find(options)?;
    let mut copy = options.copy.clone();
    if copy.delete && operands.sources.len() > 1 {
        return Err(Refusal::hinted(
            "--delete takes one source: it would remove the copies of the others",
        ));
    }
    copy.backup &= !operands::own_backup(options, &mut operands);
    let follows_all = !copy.recursive || options.hard_links;
    let usual = if follows_all { Follow::Always } else { Follow::Never };
    let selecting = &options.selecting;
    let filter = selecting.filter(caller)?;
    copy.walk = selecting
        .walk(&operands.sources, &options.common)
        .follow(options.follow.unwrap_or(usual))
        .filter(filter.clone())
        .rules(selecting.ignoring.rules(caller, &operands.sources, true)?);
    if options.common.explain {
        return Ok(u8::from(!standard::eprint(explain::explain(
            &copy, &filter, options, &operands,
        ))));
    }
    limits::raise_open_files();
    signals::notice_interrupts();
    let teller = CopyTeller::new(caller, options);
    let report = match &operands.to {
        To::Directory(target) if options.parents => {
            let mut parents = ParentDirs::new(&copy, &teller, target);
            let report = copy.run(parents.pairs(&operands.sources), &teller);
            parents.finish();
            report
        }
        _ => copy.run(operands.sources.iter().map(|source| operands.pair(source)), &teller),
    };
    Ok(conclude(caller, options, &operands, &teller, &report))
}

/// Refuses to keep security contexts where there are none, and to set one where there are some.
fn check_contexts(caller: Caller, options: &Options) -> Result<(), Refusal> {
    if options.context.as_ref().is_some_and(|context| context != flags::NO_WORD) {
        if flags::has_contexts() {
            return Err(Refusal::failure("--context=CONTEXT is not supported with SELinux"));
        }
        let why = "warning: ignoring --context; it requires an SELinux-enabled kernel";
        caller.complain(why);
    }
    if options.copy.preserve.context == Demand::Required && !flags::has_contexts() {
        let why = "cannot preserve security context without an SELinux-enabled kernel";
        return Err(Refusal::failure(why));
    }
    Ok(())
}

/// Prints what is left to print; returns the exit code.
fn conclude(
    caller: Caller,
    options: &Options,
    operands: &Operands,
    teller: &CopyTeller<'_>,
    report: &Report,
) -> u8 {
    let text = text(options, report);
    teller.print(&match (options.json, options.copy.dry_run) {
        (true, _) => json(options, report) + "\n",
        (false, true) => format!("{text}\n"),
        (false, false) => String::new(),
    });
    let stats = || {
        let [cloned, in_kernel, rest] = ways(report).map(grouped);
        let stats = &report.stats;
        format!(
            "{text}\nfiles by way: {cloned} cloned, {in_kernel} by copy_file_range, {rest} read and \
             written\n{stats}"
        )
    };
    let is_printed = standard::eprint_run(options.common.stats, stats, || json(options, report));
    let code = teller.close();
    if report.stopped {
        let rest = rest(caller, options, operands);
        caller.complain(&format!("interrupted: {text}; {rest}"));
        return signals::exit_code();
    }
    code.max(u8::from(report.failed > 0 || !is_printed))
}

/// What becomes of the rest after an interrupt.
fn rest(caller: Caller, options: &Options, operands: &Operands) -> String {
    if options.copy.dry_run {
        return "the rest was not looked at".to_owned();
    }
    let is_named = matches!(operands.to, To::Name(_)) && !options.no_target_directory;
    let (update, copies) = match options.copy.update {
        // What was being written in place is newer than its source.
        Update::Older if caller != Caller::Brisk => ("", "without -u copies everything again"),
        Update::None | Update::Refuse | Update::Older => ("", "copies the rest"),
        // A second run recognises copies by their times.
        _ if !options.copy.preserve.timestamps => ("", "copies everything again"),
        Update::All if caller != Caller::Brisk => ("", "copies everything again"),
        Update::All => (" --update=changed", "copies the rest"),
        Update::Changed | Update::Contents => ("", "copies the rest"),
    };
    let name = if is_named && operands.sources[0].is_dir() { " -T" } else { "" };
    let with = if name.len() + update.len() > 0 { " with" } else { "" };
    format!("the same command{with}{name}{update} {copies}")
}

fn text(options: &Options, report: &Report) -> String {
    let Report { files, directories, bytes, unchanged, deleted, failed, .. } = *report;
    let did = if options.copy.dry_run { "would copy" } else { "copied" };
    let files = counted(files, "file", "files");
    let size = counted(bytes, "byte", "bytes");
    // A dry run asks for no sizes.
    let size = if options.copy.dry_run { String::new() } else { format!(" ({size})") };
    let made = counted(directories, "new directory", "new directories");
    let mut text = format!("{did} {files}{size}, {made}");
    for (count, what) in [
        (unchanged, "left as they are"),
        (deleted, if options.copy.dry_run { "would be removed" } else { "removed" }),
        (failed, "failed"),
    ] {
        if count > 0 {
            text += &format!("; {} {what}", grouped(count));
        }
    }
    text
}

/// How contents were copied, over all pairs of file systems.
fn ways(report: &Report) -> [u64; 3] {
    let sum = |of: fn(&Way) -> u64| report.ways.iter().map(of).sum();
    [sum(|way| way.cloned), sum(|way| way.in_kernel), sum(|way| way.read_written)]
}

fn json(options: &Options, report: &Report) -> String {
    json::of(|object| {
        object.plain("dry_run", options.copy.dry_run);
        object.number("files", Some(report.files));
        object.number("directories", Some(report.directories));
        object.number("bytes", (!options.copy.dry_run).then_some(report.bytes));
        object.number("unchanged", Some(report.unchanged));
        object.number("removed", Some(report.deleted));
        object.number("failed", Some(report.failed));
        let [cloned, in_kernel, rest] = ways(report);
        object.number("cloned", Some(cloned));
        object.number("copied_in_kernel", Some(in_kernel));
        object.number("read_and_written", Some(rest));
        object.plain("interrupted", report.stopped);
        object.plain("stats", json::stats(&report.stats));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest_after(caller: Caller, words: &str) -> String {
        let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let options = flags::read(caller, &words).expect("options");
        let operands = Operands::find(&options).expect("operands");
        rest(caller, &options, &operands)
    }

    #[test]
    fn what_copies_the_rest_is_said() {
        for (words, expected) in [
            ("-a . /no/copy", "the same command with -T --update=changed copies the rest"),
            ("-aT . /no/copy", "the same command with --update=changed copies the rest"),
            ("-a . /", "the same command with --update=changed copies the rest"),
            ("-aT --update=changed . /no/copy", "the same command copies the rest"),
            ("-RT . /no/copy", "the same command copies everything again"),
            ("-RTu . /no/copy", "the same command copies the rest"),
            ("-p Cargo.toml /no/copy", "the same command with --update=changed copies the rest"),
            ("-R --dry-run . /no/copy", "the rest was not looked at"),
        ] {
            assert_eq!(rest_after(Caller::Brisk, words), expected, "{words:?}");
        }
        // A link takes no --update=changed.
        let said = rest_after(Caller::Cp, "-aT . /no/copy");
        assert_eq!(said, "the same command copies everything again");
        let said = rest_after(Caller::Cp, "-au . /no/copy");
        assert_eq!(said, "the same command with -T without -u copies everything again");
    }
}
