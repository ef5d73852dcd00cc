//! `--from`: reads a saved count, the output of `brisk du --json` or `ncdu -o`.

use std::collections::HashMap;

use brisk::Timestamp;
use brisk::usage::Sums;
use brisk_commands::internal::name_of;
use brisk_sys::slashed;
use serde_json::Value;

use crate::count::Counted;
use crate::listing::ListedEntry;
use crate::tree::split;

/// The files of each directory, by its path.
pub type FilesByDir = HashMap<Box<[u8]>, Vec<ListedEntry>>;

/// A tree that was counted earlier.
#[derive(Debug, Default)]
pub struct Stored {
    /// The directories, each after its subdirectories, and a failure for each incomplete one.
    pub found: Vec<Counted>,
    /// The files of each directory, by its path.
    pub files: FilesByDir,
    pub roots: Vec<Vec<u8>>,
    /// When the tree was counted, if the file says so.
    pub written: Option<Timestamp>,
}

impl Stored {
    /// Reads a file's text.
    ///
    /// # Errors
    /// The message for the user: the text is neither format, or ends too early.
    pub fn read(text: &[u8]) -> Result<Stored, String> {
        let mut stored = Stored::default();
        if text.trim_ascii_start().starts_with(b"[") {
            let all: Value = serde_json::from_slice(text).map_err(|_| NEITHER)?;
            stored.written = timestamp(all[2]["timestamp"].as_i64());
            stored.ncdu(&all[3], &[], 0).ok_or(NEITHER)?;
        } else {
            for line in serde_json::Deserializer::from_slice(text).into_iter() {
                stored.line(&line.map_err(|error| stored.broken(&error))?).ok_or(NEITHER)?;
            }
        }
        match (&stored.roots[..], &stored.found[..]) {
            ([], []) => return Err(NEITHER.to_owned()),
            ([], _) => return Err(UNFINISHED.to_owned()),
            _ => {}
        }
        stored.files.values_mut().for_each(|files| files.sort_by(|a, b| a.name.cmp(&b.name)));
        Ok(stored)
    }

    /// Why a line cannot be read. If it is the first one, the file has another format.
    fn broken(&self, error: &serde_json::Error) -> String {
        if self.found.is_empty() && self.files.is_empty() {
            return NEITHER.to_owned();
        }
        error.to_string()
    }

    /// Adds an object of `brisk du --json`.
    fn line(&mut self, line: &Value) -> Option<()> {
        let path = name_of(line, "path")?;
        let depth = line["depth"].as_u64()? as usize;
        let all = sums(line, "")?;
        if line["type"] == "directory" {
            let own = sums(line, "own_").filter(|own| own.entries > 1);
            if let Some(own) = own.filter(|_| !self.files.contains_key(&*path)) {
                self.file(&path, b"(files)", own);
            }
            self.total(path, depth, all, line["complete"] == false);
        } else {
            self.file(split(&path).0, split(&path).1, all);
        }
        Some(())
    }

    /// Adds a directory of an ncdu export with everything below it; returns its sums.
    fn ncdu(&mut self, dir: &Value, above: &[u8], depth: usize) -> Option<Sums> {
        let (own, rest) = dir.as_array()?.split_first()?;
        let mut path = above.to_vec();
        slashed::push(&mut path, own["name"].as_str()?.as_bytes());
        let mut all = of_ncdu(own);
        for entry in rest {
            all += match entry {
                Value::Array(_) => self.ncdu(entry, &path, depth + 1)?,
                _ => {
                    let sums = of_ncdu(entry);
                    self.file(&path, entry["name"].as_str()?.as_bytes(), sums);
                    sums
                }
            };
        }
        self.total(path, depth, all, own["read_error"] == true);
        Some(all)
    }

    fn total(&mut self, path: Vec<u8>, depth: usize, all: Sums, is_partial: bool) {
        if depth == 0 {
            self.roots.push(path.clone());
        }
        if is_partial {
            let why = "part of this could not be read".to_owned();
            self.found.push(Counted::Failed { path: (*path).into(), why });
        }
        self.found.push(Counted::Total { path: path.into(), depth, all });
    }

    fn file(&mut self, dir: &[u8], name: &[u8], sums: Sums) {
        let file = ListedEntry { name: name.into(), sums, ..ListedEntry::default() };
        self.files.entry(dir.into()).or_default().push(file);
    }
}

const NEITHER: &str = "not the output of brisk du --json or ncdu -o";
const UNFINISHED: &str = "the line of the whole tree is missing: the count did not finish";

fn timestamp(secs: Option<i64>) -> Option<Timestamp> {
    secs.map(|secs| Timestamp { secs, nanos: 0 })
}

/// The sums of one entry of an ncdu export.
fn of_ncdu(entry: &Value) -> Sums {
    let number = |key: &str| entry[key].as_u64().unwrap_or(0);
    let mut sums = Sums::default();
    sums.allocated = number("dsize");
    sums.apparent = number("asize");
    sums.entries = 1;
    sums.newest = timestamp(entry["mtime"].as_i64());
    sums
}

/// The sums in an object of `brisk du --json` whose keys have this prefix.
fn sums(line: &Value, front: &str) -> Option<Sums> {
    let number = |key: &str| line[format!("{front}{key}")].as_u64();
    let mut sums = Sums::default();
    sums.allocated = number("allocated")?;
    sums.apparent = number("apparent")?;
    sums.entries = number("entries")?;
    let newest = line["newest"].as_str().and_then(|time| time.parse::<jiff::Timestamp>().ok());
    sums.newest = timestamp(newest.map(jiff::Timestamp::as_second));
    Some(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(stored: &Stored) -> Vec<(String, u64, u64)> {
        let totals = stored.found.iter().filter_map(|found| match found {
            Counted::Total { path, all, .. } => {
                Some((String::from_utf8_lossy(path).into_owned(), all.allocated, all.entries))
            }
            _ => None,
        });
        totals.collect()
    }

    #[test]
    fn lines_of_du_and_an_export_of_ncdu_are_read() {
        let du = br#"{"path":"r/a","type":"directory","depth":1,"allocated":9,"apparent":5,"entries":3,"own_allocated":9,"own_apparent":5,"own_entries":3,"complete":true}
{"path":"r/f","type":"file","depth":1,"allocated":4,"apparent":4,"entries":1}
{"path":"r","type":"directory","depth":0,"allocated":14,"apparent":9,"entries":5,"own_allocated":5,"own_apparent":4,"own_entries":2,"complete":false}"#;
        let stored = Stored::read(du).unwrap();
        assert_eq!(totals(&stored), [("r/a".into(), 9, 3), ("r".into(), 14, 5)]);
        assert_eq!(&*stored.files[&b"r/a"[..]][0].name, b"(files)");
        assert_eq!(&*stored.files[&b"r"[..]][0].name, b"f");
        assert_eq!(stored.roots, [b"r"]);
        let ncdu = br#"[1,2,{"progname":"ncdu","timestamp":1700000000},[{"name":"/r","dsize":1},{"name":"f","dsize":4,"asize":3},[{"name":"a","dsize":2},{"name":"g"}]]]"#;
        let stored = Stored::read(ncdu).unwrap();
        assert_eq!(totals(&stored), [("/r/a".into(), 2, 2), ("/r".into(), 7, 4)]);
        assert_eq!(&*stored.files[&b"/r/a"[..]][0].name, b"g");
        assert_eq!(stored.written.unwrap().secs, 1_700_000_000);
        let wrong = |text: &[u8]| Stored::read(text).unwrap_err();
        for text in [&b"[1,2]"[..], b"{}", b"x", b"[[[[", b"", b"\n"] {
            assert_eq!(wrong(text), NEITHER, "{text:?}");
        }
        let lines: Vec<_> = du.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(wrong(&lines[..2].concat()), UNFINISHED);
        assert!(wrong(&du[..du.len() - 9]).starts_with("EOF while parsing"));
    }
}
