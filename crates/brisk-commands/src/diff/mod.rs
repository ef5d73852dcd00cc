//! `brisk diff`: what differs between two states, tables or directories. This file leads from the
//! command line to an exit code.

pub(crate) mod flags;
mod options;
mod side;
mod summary;
mod watching;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use brisk::Flow;
use brisk_state::{Compared, Diff, DiffError, Difference};
use brisk_sys::limits;
use brisk_sys::paths::{bytes_to_path, with_slashes};

use crate::changed::compare::CompareOptions;
use crate::front::messages::Caller;
use crate::front::progress::grouped;
use crate::front::{paints, parts, standard};
use crate::show::changes::lines::{Form, Lines};
use crate::show::changes::roots::DisplayedPaths;
use crate::show::json::Object;
use crate::show::quoting::quoted;
use crate::write::out::Out;
use options::Options;
use side::Opener;
use summary::Summary;
use watching::Watching;

/// The exit code where something cannot be read, compared or written.
const FAILED: u8 = 2;

/// Runs the command on the words behind its name; returns the exit code. `table` is missing in
/// `brisk`, which starts `brisk-scan` for tables.
pub fn run(words: &[OsString], table: Option<Opener>) -> u8 {
    let read = flags::read(words);
    standard::run(Caller::Brisk, "brisk diff", read, flags::command, |options| {
        let has_table = || options.sides.iter().any(|side| side::is_table(side));
        Ok(if table.is_none() && has_table() {
            parts::TABLES.run("diff", words)?
        } else {
            diff(&options, table)?
        })
    })
}

fn diff(options: &Options, table: Option<Opener>) -> Result<u8, String> {
    // Each directory that is being read is an open file.
    limits::raise_open_files();
    let [old, new] = side::open_both(options, table)?;
    let has_errors = old.has_errors || new.has_errors;
    let watching = Arc::new(Watching::new(options));
    let mut diff = Diff::between(old.input, new.input);
    diff.renames = !options.compare.no_renames;
    diff.each = options.recursive || options.summary;
    diff.content = options.compare.content;
    diff.threads = options.compare.common.threads;
    diff.watch = watching;
    let names = diff.roots().map_err(|why| undecided(options, &why))?;
    let labels = match &names[..] {
        [_] => DisplayedPaths::below(),
        names => {
            let paths: Vec<PathBuf> =
                names.iter().map(|name| bytes_to_path(name).to_owned()).collect();
            DisplayedPaths::new(&paths, false)
        }
    };
    let show = if options.summary { summarize } else { list };
    let (code, found, compared) = show(options, &mut diff, &labels)?;
    tell_without_digest(options, &compared);
    let has_failed = has_errors || compared.has_unknown;
    let own = if has_failed { FAILED } else { u8::from(options.compare.exit_code && found) };
    Ok(code.max(own))
}

/// What a printed answer comes to: the exit code of the output, whether there are differences, and
/// what the comparison says.
type Shown = Result<(u8, bool, Compared), String>;

fn list(options: &Options, diff: &mut Diff, labels: &DisplayedPaths) -> Shown {
    let CompareOptions { json, print0, color, .. } = options.compare;
    let form = Form::of(json, print0, || paints(color));
    let mut out = <Out>::default();
    let mut lines = Lines::new(&form, labels, &mut out, |object| head(options, object));
    let compared = compare(options, diff, &mut |told| lines.write(&told.change, told.whole))?;
    let _ = lines.end();
    let found = lines.count > 0;
    Ok((standard::finish(Caller::Brisk, out.finish(), FAILED), found, compared))
}

fn summarize(options: &Options, diff: &mut Diff, labels: &DisplayedPaths) -> Shown {
    let mut summary = Summary::new(options.depth);
    let compared = compare(options, diff, &mut |told| {
        summary.add(told);
        Flow::Continue
    })?;
    let mut out = <Out>::default();
    if options.compare.json {
        let mut lines = Lines::new(&Form::Json, labels, &mut out, |object| head(options, object));
        let _ = summary.write(&mut lines, labels);
        let _ = lines.end();
    } else {
        let _ = out.write(&summary.text(labels, compared.trusts_times));
    }
    Ok((standard::finish(Caller::Brisk, out.finish(), FAILED), !summary.is_empty(), compared))
}

/// What the head of JSON lines says about this comparison.
fn head(options: &Options, object: &mut Object<'_>) {
    for (key, side) in ["old", "new"].iter().zip(&options.sides) {
        object.name(key, &with_slashes(side));
    }
}

fn compare(
    options: &Options,
    diff: &mut Diff,
    visit: &mut dyn FnMut(&Difference) -> Flow,
) -> Result<Compared, String> {
    diff.run(visit).map_err(|why| undecided(options, &why))
}

/// Says which files `--content` could not compare.
fn tell_without_digest(options: &Options, compared: &Compared) {
    for (side, count) in options.sides.iter().zip(compared.without_digest) {
        if count > 0 {
            let side = quoted(side);
            let count = grouped(count);
            Caller::Brisk.complain(&format!(
                "{side} has no digests of {count} files: their sizes and times were compared"
            ));
        }
    }
}

fn undecided(options: &Options, why: &DiffError) -> String {
    format!("{}: {why}", quoted(&options.sides[usize::from(why.is_new)]))
}
