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

use brisk::copy::{Copy, Create, Demand, Overwriting, Report, When};
use brisk::{Follow, Walk};
use brisk_cli_sys::signals;
use brisk_sys::limits;

use crate::front::messages::Caller;
use crate::front::progress::{counted, grouped};
use crate::front::{Refusal, standard};
use crate::show::json;
use crate::system;
use backup::Control;
use operands::{Operands, To};
use options::Options;
use parents::Parents;
use teller::Teller;

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(caller: Caller, words: &[OsString]) -> u8 {
    let read = flags::read(caller, words);
    let command = || flags::command(caller);
    standard::run(caller, "brisk cp", read, command, |options| cp(caller, &options))
}

fn cp(caller: Caller, options: &Options) -> Result<u8, Refusal> {
    check_contexts(caller, options)?;
    let mut operands = Operands::find(options)?;
    if options.delete && operands.sources.len() > 1 {
        return Err(Refusal::hinted("--delete takes a single source: another one's copy would go"));
    }
    let has_own_backup = operands::own_backup(options, &mut operands);
    let copy = copy(caller, options, &operands, has_own_backup)?;
    if options.run.explain {
        return Ok(u8::from(!standard::eprint(explain::explain(&copy, options, &operands))));
    }
    limits::raise_open_files();
    signals::notice_interrupts();
    let teller = Teller::new(caller, options);
    let report = match &operands.to {
        To::Directory(target) if options.parents => {
            let parents = Parents::new(&copy, &teller, target);
            copy.run(parents.pairs(&operands.sources, options.dry_run), &teller)
        }
        _ => copy.run(operands.sources.iter().map(|source| operands.pair(source)), &teller),
    };
    Ok(conclude(caller, options, &teller, &report))
}

/// Refuses to set or to keep security contexts: brisk does neither.
fn check_contexts(caller: Caller, options: &Options) -> Result<(), Refusal> {
    let has_contexts = std::path::Path::new("/sys/fs/selinux/status").exists();
    let sets = options.context.as_ref().filter(|context| *context != flags::NO_WORD);
    match (sets.is_some(), has_contexts) {
        (true, true) => return Err(Refusal::failure("--context: brisk sets no security contexts")),
        (true, false) => {
            caller.complain("warning: ignoring --context; it requires an SELinux-enabled kernel")
        }
        (false, _) => {}
    }
    if options.wants_context && !has_contexts {
        let why = "cannot preserve security context without an SELinux-enabled kernel";
        return Err(Refusal::failure(why));
    }
    if options.wants_context && (options.sets_context || options.context.is_some()) {
        return Err(Refusal::failure("cannot set target context and preserve it"));
    }
    Ok(())
}

/// The engine's settings.
fn copy(
    caller: Caller,
    options: &Options,
    operands: &Operands,
    has_own_backup: bool,
) -> Result<Copy, Refusal> {
    let selecting = &options.selecting;
    let follows_all = !options.recursive || options.hard_links;
    let usual = if follows_all { Follow::Always } else { Follow::Never };
    let rules = selecting.ignoring.rules(caller, &operands.sources, true)?;
    let walk: Walk = selecting
        .walk(&operands.sources, &options.run)
        .follow(options.follow.unwrap_or(usual))
        .filter(selecting.filter(caller)?)
        .rules(rules);
    let mut preserve = options.preserve;
    if options.wants_context {
        preserve.context = Demand::Required;
    }
    Ok(Copy {
        create: match (options.hard_links, options.symbolic_links, options.attributes_only) {
            (true, ..) => Create::HardLink,
            (_, true, _) => Create::SymbolicLink,
            (.., true) => Create::Attributes,
            _ => Create::Contents,
        },
        recursive: options.recursive,
        copy_contents: options.copy_contents || !options.recursive,
        preserve,
        umask: system::umask(),
        reflink: options.reflink.unwrap_or(When::Auto),
        sparse: options.sparse.unwrap_or(When::Auto),
        overwriting: match caller {
            Caller::Brisk => Overwriting::Replace,
            _ => Overwriting::InPlace,
        },
        // A FIFO may be read for long; what is there until then can be seen.
        whole_trees: !options.copy_contents,
        update: options.update,
        force: options.force,
        remove_destination: options.remove_destination,
        backup: options.backup.is_some() && !has_own_backup,
        numbered: options.backup == Some(Control::Numbered),
        through_dangling: std::env::var_os("POSIXLY_CORRECT").is_some(),
        delete: options.delete,
        dry_run: options.dry_run,
        sync: options.sync,
        ..Copy::new(walk)
    })
}

/// Prints what is left to print; returns the exit code.
fn conclude(caller: Caller, options: &Options, teller: &Teller<'_>, report: &Report) -> u8 {
    let text = text(options, report);
    teller.print(&match (options.json, options.dry_run) {
        (true, _) => json(options, report) + "\n",
        (false, true) => format!("{text}\n"),
        (false, false) => String::new(),
    });
    let stats = || format!("{text}\n{}{}", ways(report), report.stats);
    let is_printed = standard::eprint_run(options.run.stats, stats, || json(options, report));
    let code = teller.close();
    if report.stopped {
        let rest = if options.dry_run {
            "the rest was not looked at"
        } else {
            "the same command with --update=changed copies the rest"
        };
        caller.complain(&format!("interrupted: {text}; {rest}"));
        return signals::exit_code();
    }
    code.max(u8::from(report.failed > 0 || !is_printed))
}

fn text(options: &Options, report: &Report) -> String {
    let Report { files, directories, bytes, unchanged, deleted, failed, .. } = *report;
    let did = if options.dry_run { "would copy" } else { "copied" };
    let files = counted(files, "file", "files");
    let size = counted(bytes, "byte", "bytes");
    let made = counted(directories, "new directory", "new directories");
    let mut text = format!("{did} {files} ({size}), {made}");
    for (count, what) in [
        (unchanged, "left as they are"),
        (deleted, if options.dry_run { "would be removed" } else { "removed" }),
        (failed, "failed"),
    ] {
        if count > 0 {
            text += &format!("; {} {what}", grouped(count));
        }
    }
    text
}

/// How contents were copied: a line for each pair of file systems.
fn ways(report: &Report) -> String {
    let line = |way: &brisk::copy::Way| {
        let [cloned, in_kernel, rest] = [way.cloned, way.in_kernel, way.read_written].map(grouped);
        format!(
            "files by way: {cloned} cloned, {in_kernel} by copy_file_range, {rest} read and \
             written\n"
        )
    };
    report.ways.iter().map(line).collect()
}

fn json(options: &Options, report: &Report) -> String {
    json::of(|object| {
        object.plain("dry_run", options.dry_run);
        object.number("files", Some(report.files));
        object.number("directories", Some(report.directories));
        object.number("bytes", Some(report.bytes));
        object.number("unchanged", Some(report.unchanged));
        object.number("removed", Some(report.deleted));
        object.number("failed", Some(report.failed));
        let sum = |of: fn(&brisk::copy::Way) -> u64| Some(report.ways.iter().map(of).sum());
        object.number("cloned", sum(|way| way.cloned));
        object.number("copied_in_kernel", sum(|way| way.in_kernel));
        object.number("read_and_written", sum(|way| way.read_written));
        object.plain("interrupted", report.stopped);
        object.plain("stats", json::stats(&report.stats));
    })
}
