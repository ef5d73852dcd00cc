//! A merge takes as much memory for many rows as for few. The test has a process of its own, because
//! it measures the peak of its memory.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::fs::{self, File};

use brisk::{Fields, FileType, Meta};
use brisk_table::{Column, Gathering, Merge, Owners, ParquetFile, Rows, Scan};

/// The rows of a table, and how many tables there are.
const ROWS: u64 = 140_000;
const TABLES: u64 = 5;

/// The most memory, in KiB: two threads with a row group each, and 15 runs. The rows in memory would take 140 MB.
const MOST: u64 = 100 << 10;

const OWNERS: Owners = Owners { user: |_| None, group: |_| None };

fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Each row group has rows of the whole range.
#[test]
fn memory_does_not_grow_with_the_rows() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("x");
    let columns: Vec<_> = Column::defaults().collect();
    let table = ParquetFile::new(File::create(&file).unwrap(), &columns, OWNERS).unwrap();
    let gathering = Gathering::new(Box::new(table));
    let mut rows = Rows::default();
    rows.begin(b"/a/directory/");
    for row in 0..ROWS {
        // The step has no divisor with the number of rows in common: each name comes once.
        let name = format!("a-module-with-a-name-of-some-length-{:09}.js", row * 7_654_321 % ROWS);
        let meta: Meta = [(Fields::SIZE, row)].into_iter().collect();
        rows.add(name.as_bytes(), 3, FileType::File, Some(meta));
        assert!(gathering.offer(&mut rows));
        if rows.is_empty() {
            rows.begin(b"/a/directory/");
        }
    }
    gathering.take(&mut rows);
    gathering.finish(Vec::new()).unwrap();
    let mut merge = Merge::new(place.path()).unwrap();
    for table in 0..TABLES {
        let scan = Scan::of(File::open(&file).unwrap(), &columns).unwrap();
        assert!(scan.groups() > 1);
        let added = merge.add(&scan, |record, key| {
            key.extend_from_slice(record.path);
            key.push(table as u8);
            true
        });
        added.unwrap();
    }
    let mut merged = merge.rows().unwrap();
    for row in 0..ROWS * TABLES {
        let (key, record) = merged.next().unwrap().unwrap();
        let name = format!("a-module-with-a-name-of-some-length-{:09}.js", row / TABLES);
        assert!(key.ends_with(&[name.as_bytes(), &[(row % TABLES) as u8]].concat()));
        assert_eq!(record.number(Column::Size).unwrap() * 7_654_321 % ROWS, row / TABLES);
    }
    assert!(merged.next().unwrap().is_none());
    let peak = peak();
    eprintln!("{peak} KiB");
    assert!(peak <= MOST, "{peak} KiB");
}
