//! The time and memory that a merge takes: `parts make DIR PARTS ROWS WIDTH` writes tables of ROWS
//! rows each, of directories with WIDTH files, which come in an order as far from sorted as that of a
//! hash. So all row groups overlap. `parts merge DIR` merges them.

#![expect(clippy::print_stdout, reason = "an example")]

use std::error::Error;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use brisk::{Fields, FileType, Meta};
use brisk_sys::threads;
use brisk_table::{Column, Gathering, Merge, Owners, ParquetFile, Rows, Scan};

const OWNERS: Owners = Owners { user: |_| Some("user".into()), group: |_| Some("group".into()) };

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", dir, parts, rows, width] => {
            make(Path::new(dir), parts.parse()?, rows.parse()?, width.parse()?)?;
        }
        ["merge", dir] => merge(Path::new(dir))?,
        _ => println!("parts make DIR PARTS ROWS WIDTH; parts merge DIR"),
    }
    Ok(())
}

fn make(dir: &Path, parts: u64, rows: u64, width: u64) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let next = AtomicU64::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Relaxed)));
        numbers.take_while(|part| *part < parts).try_for_each(|part| {
            let file = File::create(dir.join(format!("part-{part:04}.parquet")))?;
            let columns: Vec<_> = Column::defaults().collect();
            let gathering = Gathering::new(Box::new(ParquetFile::new(file, &columns, OWNERS)?));
            let mut out = Rows::default();
            for directory in part * rows / width..(part + 1) * rows / width {
                let place = hash(directory);
                let above = format!("/data/{:02x}/{:02x}/", place & 0xff, place >> 8 & 0xff);
                let name = format!("package-{directory:07}");
                out.begin(above.as_bytes());
                out.add(name.as_bytes(), 4, FileType::Directory, Some(meta(directory * width, 0)));
                let prefix = format!("{above}{name}/");
                out.begin(prefix.as_bytes());
                for row in directory * width + 1..(directory + 1) * width {
                    let name = format!("module-{:08x}.js", hash(row) as u32);
                    let size = hash(row) >> 24 >> (hash(row) & 31);
                    out.add(name.as_bytes(), 5, FileType::File, Some(meta(row, size)));
                    gathering.offer(&mut out);
                    if out.is_empty() {
                        out.begin(prefix.as_bytes());
                    }
                }
                gathering.offer(&mut out);
            }
            gathering.take(&mut out);
            gathering.finish(Vec::new())
        })
    };
    threads::run(2, work)
}

/// A number that looks random.
fn hash(number: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

/// Metadata like that of files which were written one after the other.
fn meta(row: u64, size: u64) -> Meta {
    // A clock that ticks every four milliseconds; 20 files in each tick.
    let time = 1_700_000_000_000_000_000 + row / 20 * 4_000_000;
    let numbers = [
        (Fields::MODE, 0o644),
        (Fields::NLINK, 1),
        (Fields::UID, 1000),
        (Fields::GID, 1000),
        (Fields::INO, 1_000_000 + row),
        (Fields::SIZE, size),
        (Fields::BLOCKS, size.div_ceil(4096) * 8),
        (Fields::DEV, 0xfe00),
        (Fields::ATIME, time + hash(row) % 1_000_000_000),
        (Fields::MTIME, time),
        (Fields::CTIME, time),
        (Fields::BTIME, time),
    ];
    numbers.into_iter().collect()
}

fn merge(dir: &Path) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let columns: Vec<_> = Column::defaults().collect();
    let mut merge = Merge::new(dir)?;
    for part in fs::read_dir(dir)? {
        merge.add(&Scan::of(File::open(part?.path())?, &columns)?, |record, key| {
            key.extend(record.path.iter().map(|byte| if *byte == b'/' { 0 } else { *byte }));
            true
        })?;
    }
    let read = began.elapsed();
    let mut merged = merge.rows()?;
    let mut rows = 0_u64;
    let mut last = Vec::new();
    while let Some((key, _)) = merged.next()? {
        assert!(*last <= *key, "out of order");
        last.clear();
        last.extend_from_slice(key);
        rows += 1;
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    println!("{rows} rows, {read:?} of {:?}, {peak}", began.elapsed());
    Ok(())
}
