//! [`Journal`]: which units of a data set are done, and what is left to do.
//!
//! The file is only appended to. An outcome is written and forced to the disk at once: first a line
//! for each unit of the directories that it hands back, then the line that makes all of them count.
//! Pending units stay in the file. In memory each is the offset of its line.

use std::collections::{HashMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use brisk_sys::output::{follow, open_locked, sync, sync_directory};
use brisk_sys::paths::with_slashes;

use super::line::Line;
use super::parts::{hidden, is_part, remove, show, tidy};
use super::unit::{Description, Seal, Totals, Unit, UnitDir, UnitOutcome, VERSION};
use super::{Fault, journal_of};

/// The most directories of a unit. Their line takes a few mebibytes.
const MOST: usize = 1 << 16;

/// The limits of a unit. They may differ from unit to unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After so many seconds a unit enters no other directory.
    pub seconds: Option<f64>,
    /// After so many entries a unit enters no other directory.
    pub entries: Option<u64>,
    /// The most requests that a unit has in flight.
    pub requests: Option<usize>,
}

/// A data set that grows. Locked until this is dropped.
#[derive(Debug)]
pub struct Journal {
    /// The directory, as an absolute path.
    out: PathBuf,
    path: PathBuf,
    file: File,
    /// The end of the last line that counts.
    end: u64,
    what: Description,
    /// The lines of units that wait. The first is handed out next: units become smaller from
    /// outcome to outcome, so that the last ones are small, and no worker waits long for them.
    pending: VecDeque<u64>,
    /// The lines of units that were handed out, by the units' ids.
    running: HashMap<String, u64>,
    /// The names of the parts that count.
    parts: HashMap<String, Seal>,
    totals: Totals,
    is_finished: bool,
}

impl Journal {
    /// Opens a data set, or begins it in a directory that is empty or missing. Removes what is no
    /// part that counts.
    ///
    /// # Errors
    /// Another process has it open; it was begun with other roots or options; it is damaged; the
    /// directory holds something else; the system's errors.
    pub fn open(out: &Path, what: Description) -> Result<Journal, Fault> {
        let is_new = match fs::create_dir(out) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            created => created.map(|()| true).map_err(Fault::io("create", out))?,
        };
        let out = out.canonicalize().map_err(Fault::io("open", out))?;
        let path = journal_of(&out).and_then(|path| follow(&path));
        let path = path.map_err(Fault::io("open", &out))?;
        let is_empty = || Ok(fs::read_dir(&out).map_err(Fault::io("read", &out))?.next().is_none());
        if !path.exists() && !is_empty()? {
            return Err(Fault::NotEmpty(out));
        }
        let file = open_locked(&path).map_err(Fault::io("open", &path))?;
        let file = file.ok_or_else(|| Fault::Locked(out.clone()))?;
        if is_new && is_empty()? {
            // Of a data set that was removed, the journal is left.
            file.set_len(0).map_err(Fault::io("write", &path))?;
        }
        let mut journal = Journal {
            out,
            path,
            file,
            end: 0,
            what,
            pending: VecDeque::new(),
            running: HashMap::new(),
            parts: HashMap::new(),
            totals: Totals::default(),
            is_finished: false,
        };
        journal.take_up()?;
        Ok(journal)
    }

    /// Reads the lines, or writes the first.
    fn take_up(&mut self) -> Result<(), Fault> {
        let file = self.file.try_clone().map_err(Fault::io("read", &self.path))?;
        let path = self.path.clone();
        let mut begun = None;
        let end = replay(&file, &path, |new, line| match line {
            Line { scan: Some(scan), .. } => {
                begun = Some(scan);
                self.pending.extend(new);
                true
            }
            Line { unit: Some(outcome), of: Some(of), .. } => self.add(&outcome, of, new),
            line => {
                self.is_finished = line.done.is_some();
                self.is_finished
            }
        })?;
        match begun {
            Some(begun) => self.go_on(begun, end),
            None => self.begin(),
        }
    }

    fn go_on(&mut self, begun: Description, end: u64) -> Result<(), Fault> {
        let what = &self.what;
        let differs = |what| Err(Fault::Differs(self.out.clone(), what));
        if begun.version != VERSION {
            return differs("version of brisk");
        } else if begun.roots != what.roots || begun.absolute_roots != what.absolute_roots {
            return differs("directories");
        } else if begun.options != what.options {
            return differs("options");
        }
        self.what = begun;
        self.end = end;
        self.file.set_len(end).map_err(Fault::io("write", &self.path))?;
        tidy(&self.out, &self.parts)
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.what.version = VERSION;
        let first = Line { scan: Some(self.what.clone()), ..Line::default() };
        let mut bytes = Vec::new();
        first.append(0, &mut bytes);
        self.append(&bytes)?;
        self.pending.push_back(0);
        let above = self.out.parent().unwrap_or(&self.out);
        sync_directory(&self.out)
            .and_then(|()| sync_directory(above))
            .map_err(Fault::io("write", &self.path))?;
        tidy(&self.out, &self.parts)
    }

    /// How many units wait to be handed out.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Hands out the next unit that waits, with these limits; `None` if none waits. Units that run
    /// may still hand back others.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn next_unit(&mut self, limits: Limits) -> Result<Option<Unit>, Fault> {
        let Some(at) = self.pending.pop_front() else { return Ok(None) };
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(at)).map_err(Fault::io("read", &self.path))?;
        let read = BufReader::new(&self.file).read_until(b'\n', &mut bytes);
        read.map_err(Fault::io("read", &self.path))?;
        let changed = || Fault::io("read", &self.path)(io::ErrorKind::InvalidData.into());
        let line = Line::read(&bytes).filter(|line| line.at == at).ok_or_else(changed)?;
        let mut unit = Unit {
            version: VERSION,
            id: String::new(),
            out: with_slashes(&self.out).into(),
            roots: self.what.roots.clone(),
            directories: line.directories.unwrap_or_default(),
            options: self.what.options.clone(),
            began: self.what.began.clone(),
            budget_seconds: limits.seconds,
            budget_entries: limits.entries,
            requests: limits.requests,
        };
        unit.id = unit.digest();
        self.running.insert(unit.id.clone(), at);
        Ok(Some(unit))
    }

    /// The worker of this unit has failed: the unit is handed out again.
    pub fn give_back(&mut self, unit: &str) {
        self.pending.extend(self.running.remove(unit));
    }

    /// Records an outcome, and returns `true`. If the unit was done before, or is not of this data
    /// set, removes the part and returns `false`.
    ///
    /// # Errors
    /// The part is missing, or a system call fails. The outcome is then recorded completely or not
    /// at all: to go on, open the data set again.
    pub fn record(&mut self, mut outcome: UnitOutcome) -> Result<bool, Fault> {
        if outcome.part.as_deref().is_some_and(|part| !is_part(part)) {
            return Err(Fault::Unreadable("an outcome", "its part has another name".to_owned()));
        }
        let part = outcome.part.clone();
        let hidden = part.map(|part| hidden(&self.out, &part));
        let Some(of) = self.running.remove(&outcome.unit) else {
            hidden.map_or(Ok(()), |part| remove(&part))?;
            return Ok(false);
        };
        if let Some(part) = hidden.filter(|part| !part.exists()) {
            return Err(Fault::Lost(part));
        }
        let mut bytes = Vec::new();
        let unvisited = std::mem::take(&mut outcome.unvisited);
        let new = self.append_units(unvisited, &mut bytes);
        let unit = Some(outcome.clone());
        Line { of: Some(of), unit, ..Line::default() }.append(self.end, &mut bytes);
        self.append(&bytes)?;
        self.add(&outcome, of, new);
        if let Some(part) = &outcome.part {
            show(&self.out, part)?;
        }
        Ok(true)
    }

    /// Divides directories into units, as many as waiting units are missing. Neighbours stay
    /// together, because they share the directories above them. Returns the offsets of the units'
    /// lines.
    fn append_units(&self, mut places: Vec<UnitDir>, bytes: &mut Vec<u8>) -> Vec<u64> {
        places.sort_unstable_by(|a, b| (a.root, &a.below.0).cmp(&(b.root, &b.below.0)));
        let missing = self.what.split.saturating_sub(self.pending.len()).max(1);
        let size = places.len().div_ceil(missing).clamp(1, MOST);
        let units = places.chunks(size).map(|unit| {
            let at = self.end + bytes.len() as u64;
            let directories = Some(unit.to_vec());
            Line { directories, ..Line::default() }.append(self.end, bytes);
            at
        });
        units.collect()
    }

    /// Adds an outcome that is recorded. Returns whether its unit was pending or running.
    fn add(&mut self, outcome: &UnitOutcome, of: u64, new: Vec<u64>) -> bool {
        let pending = self.pending.iter().position(|at| *at == of);
        if let Some(place) = pending {
            self.pending.remove(place);
        }
        self.pending.extend(new);
        self.parts.extend(outcome.part.clone().map(|part| (part, outcome.seal)));
        self.totals.add(outcome);
        pending.is_some()
    }

    /// Appends lines, which are on the disk then.
    fn append(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let write = |file: &mut File| {
            file.set_len(self.end)?;
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(bytes)?;
            sync(file)
        };
        let written = write(&mut self.file);
        written.map_err(|error| {
            // The next opening cuts off what this leaves.
            let _ = self.file.set_len(self.end);
            Fault::io("write", &self.path)(error)
        })?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Whether no unit is pending and none runs.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.pending.is_empty() && self.running.is_empty()
    }

    /// Whether the data set is complete.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The sums of all outcomes so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes the last line, once no unit is left.
    ///
    /// # Errors
    /// The system's error.
    ///
    /// # Panics
    /// A unit is left.
    pub fn finish(&mut self) -> Result<Totals, Fault> {
        assert!(self.is_done(), "a unit is left");
        if !self.is_finished {
            tidy(&self.out, &self.parts)?;
            sync_directory(&self.out).map_err(Fault::io("write", &self.out))?;
            let mut bytes = Vec::new();
            let done = Some(self.totals);
            Line { done, ..Line::default() }.append(self.end, &mut bytes);
            self.append(&bytes)?;
            self.is_finished = true;
        }
        Ok(self.totals)
    }
}

/// Calls `each` for each line that makes others count, with the offsets of the units that count
/// with it; `each` returns whether the line makes sense there. Returns the end of the last such
/// line. The bytes after it are the torn end of a write.
///
/// # Errors
/// The file cannot be read. A line before that end has been changed or moved.
pub(super) fn replay(
    file: &File,
    path: &Path,
    mut each: impl FnMut(Vec<u64>, Line) -> bool,
) -> Result<u64, Fault> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    reader.rewind().map_err(Fault::io("read", path))?;
    let mut damaged = None;
    let mut number = 0;
    let mut at = 0;
    let mut end = 0;
    let mut pending = Vec::new();
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).map_err(Fault::io("read", path))? > 0 {
        number += 1;
        let next = at + bytes.len() as u64;
        let line = Line::read(&bytes);
        let fits = |line: &Line| line.at == at && line.scan.is_some() == (at == 0);
        if !line.as_ref().is_some_and(fits) {
            damaged = damaged.or(Some(number));
        }
        if line.as_ref().is_some_and(|line| !line.commits() || line.scan.is_some()) {
            pending.push(at);
        }
        if let Some(line) = line.filter(Line::commits) {
            if damaged.is_none() && !each(std::mem::take(&mut pending), line) {
                damaged = Some(number);
            }
            if let Some(number) = damaged {
                return Err(Fault::Damaged(path.to_owned(), number));
            }
            end = next;
        }
        at = next;
        bytes.clear();
    }
    // A journal whose first line is torn has no second one: this is another program's file.
    if end == 0 && number > 1 {
        return Err(Fault::Damaged(path.to_owned(), 1));
    }
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::super::{Failure, Manifest, commit_part, new_part};
    use super::*;

    fn what(options: &[&str]) -> Description {
        Description {
            roots: vec!["t".into()],
            absolute_roots: vec!["/t".into()],
            options: options.iter().map(|word| (*word).into()).collect(),
            began: "2026-01-02T03:04:05Z".to_owned(),
            split: 2,
            ..Description::default()
        }
    }

    fn open(out: &Path) -> Journal {
        Journal::open(out, what(&[])).expect("a journal")
    }

    /// Does a unit: writes a part, and hands back these directories.
    fn run(out: &Path, unit: &Unit, unvisited: &[&str]) -> UnitOutcome {
        let places =
            unvisited.iter().map(|below| UnitDir { below: (*below).into(), ..UnitDir::default() });
        let mut outcome = UnitOutcome {
            version: VERSION,
            unit: unit.id.clone(),
            rows: 3,
            unvisited: places.collect(),
            errors: vec![Failure { path: "t/x".into(), error: "Permission denied".to_owned() }],
            ..UnitOutcome::default()
        };
        let part = new_part(out).expect("a part");
        part.file().write_all(b"rows").expect("written");
        commit_part(part, out, unit, &mut outcome).expect("a part");
        outcome
    }

    fn names(out: &Path) -> Vec<String> {
        let names = fs::read_dir(out).expect("a directory").map(|entry| entry.expect("an entry"));
        let mut names: Vec<_> =
            names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn below(unit: &Unit) -> Vec<&[u8]> {
        unit.directories.iter().map(|place| &place.below.0[..]).collect()
    }

    #[test]
    fn units_are_handed_out_until_nothing_is_left() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let out = &place.path().join("out");
        let mut journal = open(out);
        let first = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        assert!(
            first.directories.is_empty()
                && journal.next_unit(Limits::default()).expect("read").is_none()
        );
        assert!(!journal.is_done());
        journal.give_back(&first.id);
        let again = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        assert_eq!(again, first);
        let outcome = run(out, &first, &["c", "a", "b"]);
        let twin = run(out, &first, &["a"]);
        assert!(journal.record(outcome.clone()).expect("recorded"));
        assert!(!journal.record(twin).expect("refused"));
        assert!(!journal.record(outcome).expect("refused"));
        assert_eq!(names(out).len(), 1);

        let second = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        assert_eq!(below(&second), [b"a", b"b"]);
        // The next process finds the same units.
        drop(journal);
        let mut journal = open(out);
        let again = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        assert_eq!(again, second);
        let third = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        assert_eq!(below(&third), [b"c"]);
        assert!(!Manifest::read(out).expect("a manifest").is_finished);
        for unit in [&second, &third] {
            assert!(journal.record(run(out, unit, &[])).expect("recorded"));
        }
        let left = run(out, &third, &["x"]);
        let totals = journal.finish().expect("finished");
        assert_eq!((totals.units, totals.parts, totals.rows, totals.errors), (3, 3, 9, 3));
        assert!(!out.join(format!(".{}", left.part.expect("a name"))).exists());
        drop(journal);
        assert!(open(out).is_finished());
        let manifest = Manifest::read(out).expect("a manifest");
        assert!(manifest.is_finished && manifest.parts.iter().all(|part| part.exists()));
        assert_eq!((manifest.totals, manifest.errors.len()), (totals, 3));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let out = &place.path().join("out");
        let journal = open(out);
        let again = |what| Journal::open(out, what).map(drop);
        assert!(matches!(again(what(&[])), Err(Fault::Locked(_))));
        drop(journal);
        assert!(matches!(again(what(&["--sums"])), Err(Fault::Differs(_, "options"))));
        let other = Description { absolute_roots: vec!["/u".into()], ..what(&[]) };
        assert!(matches!(again(other), Err(Fault::Differs(_, "directories"))));
        assert!(again(Description { split: 9, began: String::new(), ..what(&[]) }).is_ok());

        let mut journal = open(out);
        let unit = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        let mut outcome = run(out, &unit, &[]);
        outcome.part = Some("../part".to_owned());
        assert!(matches!(journal.record(outcome), Err(Fault::Unreadable(..))));
        let outcome = run(out, &unit, &[]);
        let part = outcome.part.clone().expect("a name");
        journal.record(outcome).expect("recorded");
        drop(journal);
        let part = out.join(part);
        fs::write(&part, "ROW").expect("written");
        assert!(matches!(again(what(&[])), Err(Fault::Replaced(_))));
        fs::remove_file(&part).expect("removed");
        assert!(matches!(again(what(&[])), Err(Fault::Lost(_))));
        // Nothing is lost if the whole directory is gone: the data set begins again.
        fs::remove_dir_all(out).expect("removed");
        again(what(&["-e", "rs"])).expect("a new one");
        assert_eq!(names(out), [""; 0]);

        let full = place.path().join("full");
        fs::create_dir(&full).expect("a directory");
        fs::write(full.join("file"), "").expect("a file");
        let refused = Journal::open(&full, what(&[])).map(drop);
        assert!(matches!(refused, Err(Fault::NotEmpty(_))) && names(&full) == ["file"]);
        fs::write(journal_of(&full).expect("a path"), "{}\n{}\n").expect("a file");
        let refused = Journal::open(&full, what(&[])).map(drop);
        assert!(matches!(refused, Err(Fault::Damaged(_, 1))));
        assert!(matches!(Manifest::read(place.path()), Err(Fault::NotThere(_))));
    }

    /// A data set after one unit, and the lines of its journal.
    fn begun(out: &Path) -> Vec<u8> {
        let mut journal = open(out);
        let unit = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        journal.record(run(out, &unit, &["a", "b"])).expect("recorded");
        let unit = journal.next_unit(Limits::default()).expect("read").expect("a unit");
        journal.record(run(out, &unit, &["b/c"])).expect("recorded");
        fs::read(journal_of(out).expect("a path")).expect("the journal")
    }

    #[test]
    fn a_torn_end_is_forgotten() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let out = &place.path().join("out");
        let whole = begun(out);
        let parts: Vec<_> = names(out);
        // The last line, and the one of the directories before it.
        let ends: Vec<_> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
        let kept = ends[ends.len() - 3] + 1;
        for end in (kept..whole.len()).step_by(7) {
            for filling in [&b""[..], b"\0\0\0\0", b"{}\n\0"] {
                let torn = [&whole[..end], filling].concat();
                fs::write(journal_of(out).expect("a path"), torn).expect("written");
                // The part that the lost line names is restored for the next round.
                for name in parts.iter().filter(|name| is_part(name)) {
                    let _ = fs::write(out.join(name), "rows");
                }
                let mut journal = open(out);
                let unit = journal.next_unit(Limits::default()).expect("read").expect("a unit");
                assert_eq!((below(&unit), journal.totals().units), (vec![&b"a"[..]], 1), "{end}");
                assert_eq!(names(out).len(), 1, "the other part does not count");
            }
        }
        // Nothing but a torn first line.
        for name in names(out) {
            fs::remove_file(out.join(name)).expect("removed");
        }
        fs::write(journal_of(out).expect("a path"), &whole[..20]).expect("written");
        assert!(
            open(out)
                .next_unit(Limits::default())
                .expect("read")
                .expect("a unit")
                .directories
                .is_empty()
        );
    }

    #[test]
    fn a_changed_line_is_named() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let out = &place.path().join("out");
        let whole = begun(out);
        let lines: Vec<_> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let damaged = |text: &[u8]| {
            fs::write(journal_of(out).expect("a path"), text).expect("written");
            let opened = Journal::open(out, what(&[]));
            assert!(Manifest::read(out).is_err());
            match opened {
                Err(Fault::Damaged(path, line)) if path.ends_with("out.units.jsonl") => line,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(lines.len(), 6);
        for at in 0..lines.len() - 2 {
            let before = lines[..at].concat();
            for byte in (0..lines[at].len()).step_by(5) {
                let mut changed = whole.clone();
                changed[before.len() + byte] ^= 1;
                assert_eq!(damaged(&changed), at as u64 + 1, "byte {byte}");
            }
            let removed = [&before[..], &lines[at + 1..].concat()].concat();
            damaged(&removed);
            let twice = [&before[..], lines[at], &lines[at..].concat()].concat();
            damaged(&twice);
        }
    }

    #[test]
    fn a_part_that_was_recorded_and_not_renamed_gets_its_name() {
        let place = tempfile::tempdir().expect("a scratch directory");
        let out = &place.path().join("out");
        begun(out);
        let before = names(out);
        for name in before.iter().filter(|name| is_part(name)) {
            fs::rename(out.join(name), hidden(out, name)).expect("renamed");
        }
        for name in
            [".part-0123456789abcdef0123456789abcdef.parquet", ".brisk-tmp-0123456789abcdef"]
        {
            fs::write(out.join(name), "").expect("written");
        }
        drop(open(out));
        assert_eq!(names(out), before);
    }
}
