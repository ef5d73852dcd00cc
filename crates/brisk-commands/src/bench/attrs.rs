//! `brisk bench attrs`: name, type, size and time of each entry of one directory, asked for in
//! every way that the system has; brisk's own way is among them. Ways that bring the same fields
//! must have seen the same entries. With --files, the directories are made for the measurement.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use brisk::{Directory, Entry, Error, Fields, Flow, Parallel, Select, Visitor, Walk};
use brisk_cli_sys::survey::{Hit, NAMES, WHOLE, techniques};

use super::options::Options;
use super::report::{Line, Report};
use super::scratch::{Scratch, Shape};
use super::turns;
use crate::front::messages::{cause, error_text};
use crate::show::quoting::quoted;

/// Asks about a directory's entries. Returns what was seen, and how many system calls were made.
type Ask<'a> = Box<dyn Fn() -> io::Result<(Digest, u64)> + 'a>;

/// What a method saw, whatever the order of the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Digest {
    entries: u64,
    bytes: u64,
    /// Sum of the entries' hashes.
    hash: u64,
}

impl Digest {
    fn take(&mut self, row: Hit<'_>) {
        // The size of a directory depends on the file system, and Windows reports none.
        let size = if row.file_type.is_dir() { 0 } else { row.size };
        let mut hasher = DefaultHasher::new();
        (row.name, row.file_type, size, row.mtime.secs, row.mtime.nanos).hash(&mut hasher);
        self.entries += 1;
        self.bytes += size;
        self.hash = self.hash.wrapping_add(hasher.finish());
    }
}

/// Measures, and compares what was seen.
///
/// # Errors
/// brisk itself cannot read the directory, directories cannot be made, or the user interrupted.
pub(crate) fn measure(options: &Options) -> Result<Report, String> {
    let dir = &options.dir;
    if options.files.is_empty() {
        return compare(&[(dir.clone(), String::new())], dir, options);
    }
    let shape = Shape::of_files(&options.files);
    let scratch = Scratch::new(dir, options.scratch.as_deref(), shape)?;
    scratch.set()?;
    let named =
        |count: &NonZeroUsize| (scratch.tree().join(count.to_string()), format!("{count} files. "));
    let dirs: Vec<(PathBuf, String)> = options.files.iter().map(named).collect();
    compare(&dirs, scratch.place(), options)
}

/// Compares the methods on each of the directories, which come with what their tables' headings
/// begin with.
fn compare(dirs: &[(PathBuf, String)], place: &Path, options: &Options) -> Result<Report, String> {
    let all = dirs.iter().flat_map(|(dir, heading)| methods(dir, heading));
    let (mut methods, asks): (Vec<Line>, Vec<Ask<'_>>) = all.unzip();
    let mut seen = vec![None; methods.len()];
    let notes = turns::measure(&mut methods, options, |at, method| {
        turns::cool(method, options)?;
        seen[at] = ask(&asks[at], method).or(seen[at].take());
        Ok(())
    })?;
    let each = methods.len() / dirs.len();
    let mut entries = 0;
    let mut disagreements = Vec::new();
    for ((methods, seen), (dir, _)) in methods.chunks(each).zip(seen.chunks(each)).zip(dirs) {
        let own = &methods[each - 1];
        let Some(mine) = &seen[each - 1] else {
            let why = own.failure.as_deref().unwrap_or_default();
            return Err(format!("cannot read {}: {why}", quoted(dir)));
        };
        let same = methods.iter().zip(seen).filter(|(method, _)| method.group == own.group);
        disagreements
            .extend(same.filter_map(|(it, seen)| difference(&it.name, seen.as_ref()?, mine)));
        entries += mine.entries;
    }
    let report = turns::report("attrs", place, entries, methods, options);
    Ok(Report { disagreements, notes, ..report })
}

/// Runs a method once. Returns what it saw.
fn ask(ask: &Ask<'_>, method: &mut Line) -> Option<Digest> {
    let began = Instant::now();
    let asked = ask();
    let time = began.elapsed();
    match asked {
        Ok((tally, calls)) => {
            method.runs.push(time);
            method.calls = Some((calls, tally.entries));
            return Some(tally);
        }
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            method.failure = Some("not on this system".to_owned());
        }
        Err(error) => method.failure = Some(cause(&error)),
    }
    None
}

/// All methods before their first runs; brisk's own is the last.
fn methods<'a>(dir: &'a Path, heading: &str) -> Vec<(Line, Ask<'a>)> {
    let method = |name: &str, subject| Line {
        name: name.to_owned(),
        group: format!("{heading}{subject}"),
        is_own: name.starts_with("brisk"),
        ..Line::default()
    };
    let others = techniques().map(|technique| {
        let ask: Ask<'_> = Box::new(|| {
            let mut tally = Digest::default();
            let calls = (technique.run)(dir, &mut |row| tally.take(row))?;
            Ok((tally, calls))
        });
        (method(technique.name, technique.subject), ask)
    });
    let names: Ask<'_> = Box::new(|| own(dir, Fields::empty()));
    let whole: Ask<'_> = Box::new(|| own(dir, Fields::SIZE | Fields::MTIME));
    let names = (method("brisk, names and types", NAMES), names);
    others.chain([names, (method("brisk", WHOLE), whole)]).collect()
}

/// brisk's engine on one directory.
fn own(dir: &Path, fields: Fields) -> io::Result<(Digest, u64)> {
    let lister = Lister { fields, tally: Digest::default(), failure: None };
    let (lister, stats) = Walk::new(dir).max_depth(1).min_depth(1).visit_parallel(lister);
    match lister.failure {
        Some(error) => Err(io::Error::other(error_text(&error))),
        // Each directory that was opened was also closed.
        None => Ok((lister.tally, stats.calls.total() + stats.calls.open)),
    }
}

struct Lister {
    fields: Fields,
    tally: Digest,
    failure: Option<Error>,
}

impl Visitor for Lister {
    type State = ();

    fn select(&mut self, _: &(), _: &Entry<'_>) -> Select {
        Select::Take(self.fields)
    }

    fn entries(&mut self, _: &Directory<'_>, _: &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let meta = entry.meta();
            self.tally.take(Hit {
                name: entry.name(),
                file_type: entry.file_type(),
                size: meta.and_then(brisk::Meta::size).unwrap_or_default(),
                mtime: meta.and_then(brisk::Meta::mtime).unwrap_or_default(),
            });
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.failure.get_or_insert(error);
        Flow::Continue
    }
}

impl Parallel for Lister {
    fn fork(&self, _: usize) -> Self {
        Lister { fields: self.fields, tally: Digest::default(), failure: None }
    }

    fn merge(&mut self, other: Self) {
        self.tally.entries += other.tally.entries;
        self.tally.bytes += other.tally.bytes;
        self.tally.hash = self.tally.hash.wrapping_add(other.tally.hash);
        self.failure = self.failure.take().or(other.failure);
    }
}

/// How a method saw the directory differently from brisk.
fn difference(method: &str, seen: &Digest, mine: &Digest) -> Option<String> {
    (seen != mine).then(|| {
        format!(
            "{method} and brisk do not see the same names, types, sizes and times: {} entries of \
             {} bytes, and {} of {}",
            seen.entries, seen.bytes, mine.entries, mine.bytes
        )
    })
}
