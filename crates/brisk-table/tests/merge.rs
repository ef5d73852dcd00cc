//! The rows of many tables in one order.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use brisk::{Fields, FileType, Meta};
use brisk_table::{
    Column, Group, Merge, Owners, ParquetFile, Rows, Scan, Sink, TableEntry, Unusable,
};

const OWNERS: Owners = Owners { user: |uid| Some(format!("user{uid}")), group: |_| None };

/// A number that looks random.
fn random(number: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

/// Adds a row whose values depend on `seed`.
fn add(rows: &mut Rows, path: &[u8], seed: u64) {
    let at = path.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let fields = [Fields::SIZE, Fields::MODE, Fields::UID, Fields::INO, Fields::DEV, Fields::MTIME];
    let numbers = fields.into_iter().filter_map(|field| {
        let number = random((seed, field.bits()));
        // Every width, and no value at all.
        (!number.is_multiple_of(7)).then_some((field, random(number) >> (number % 64)))
    });
    let mut meta: Meta = numbers.collect();
    let time = random((seed, "time"));
    let is_link = time.is_multiple_of(5);
    if is_link {
        meta.set_link_target(std::ffi::CString::new(format!("to {}", time % 3)).unwrap());
    }
    let file_type = if is_link { FileType::Symlink } else { FileType::File };
    rows.begin(&path[..at]);
    rows.add(&path[at..], path.len() - at, file_type, Some(meta));
    if time.is_multiple_of(3) {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&time.to_le_bytes());
        rows.set_digest(digest);
    }
}

fn columns() -> Vec<Column> {
    Column::defaults().chain([Column::Blake3]).collect()
}

/// Writes a table, each of whose row groups has these rows.
fn write(path: &Path, groups: Vec<Rows>) {
    let table = ParquetFile::new(File::create(path).unwrap(), &columns(), OWNERS).unwrap();
    groups.into_iter().for_each(|rows| table.write(&Group::in_order(rows)).unwrap());
    Box::new(table).finish(&[(brisk_table::SCHEMA_KEY.into(), "2".into())]).unwrap();
}

fn open(path: &Path) -> Result<Scan, Unusable> {
    Scan::of(File::open(path).unwrap(), &columns())
}

/// The path with NUL between its names.
fn key(record: &TableEntry<'_>, key: &mut Vec<u8>) -> bool {
    key.extend(record.path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }));
    true
}

/// What a record has besides its path.
fn shown(record: &TableEntry<'_>) -> String {
    let numbers = Column::all().map(|column| record.number(column));
    let texts = Column::all().map(|column| record.text(column));
    format!("{:?} {:?}", numbers.collect::<Vec<_>>(), texts.collect::<Vec<_>>())
}

/// All rows of tables, as they are merged.
fn merged(tables: &[Scan]) -> Vec<(Vec<u8>, String)> {
    let mut merge = Merge::new(&std::env::temp_dir()).unwrap();
    tables.iter().for_each(|table| merge.add(table, key).unwrap());
    let mut rows = merge.rows().unwrap();
    let mut all = Vec::new();
    while let Some((key, record)) = rows.next().unwrap() {
        all.push((key.to_vec(), shown(&record)));
    }
    all
}

/// All rows of tables, sorted in memory; rows with the same key in the order of their tables.
fn sorted(tables: &[Scan]) -> Vec<(Vec<u8>, String)> {
    let mut all = Vec::new();
    for table in tables {
        for group in 0..table.groups() {
            for batch in table.group(group).unwrap() {
                for record in batch.unwrap().records() {
                    let mut path = Vec::new();
                    key(&record, &mut path);
                    all.push((path, shown(&record)));
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// A path of a few names, so that many have a part in common, and some are the same.
fn path(seed: u64) -> Vec<u8> {
    let names: [&[u8]; 9] =
        [b"a", b"a!", b"a-b", b"\xff", b"zz", b"\x01", b"a b", b"new\nline", &[b'n'; 200]];
    let depth = 1 + random((seed, "depth")) % 5;
    let at = |level| (random((seed, level)) % names.len() as u64) as usize;
    (0..depth).map(|level| names[at(level)]).collect::<Vec<_>>().join(&b'/')
}

#[test]
fn rows_come_in_order_whatever_the_groups() {
    let place = tempfile::tempdir().unwrap();
    for round in 0..40 {
        let count = random((round, "tables")) % 4;
        let tables = (0..count).map(|table| {
            let groups = random((round, table)) % 6;
            let groups = (0..groups).map(|group| {
                let mut rows = Rows::default();
                let count = random((round, table, group)) % 300;
                for row in 0..count {
                    let seed = random((round, table, group, row));
                    add(&mut rows, &path(seed), seed);
                }
                rows
            });
            let file = place.path().join(format!("{round}-{table}"));
            write(&file, groups.collect());
            open(&file).unwrap()
        });
        let tables: Vec<_> = tables.collect();
        assert!(merged(&tables) == sorted(&tables), "round {round}");
    }
}

#[test]
fn a_damaged_table_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("x");
    let mut rows = Rows::default();
    (0..1000).for_each(|seed| add(&mut rows, format!("{seed:04}").as_bytes(), seed));
    write(&file, vec![rows]);
    let whole = open(&file).unwrap();
    let refused = Merge::new(place.path()).unwrap().add(&whole, |_, _| false);
    assert!(matches!(refused, Err(Unusable::Damaged)));
    let mut bytes = fs::read(&file).unwrap();
    bytes[200] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert!(matches!(open(&file), Err(Unusable::Damaged)));
}
