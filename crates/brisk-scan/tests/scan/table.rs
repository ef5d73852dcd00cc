//! Rows, columns, forms, filters and sums.

use std::collections::BTreeMap;
use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk_table::{Column, Scan};
use serde_json::Value;

use crate::{found, printed, scan, tree};

const ABC: &str = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";

/// The rows of `brisk scan --as jsonl` by their paths.
fn objects(dir: &std::path::Path, words: &[&str]) -> BTreeMap<Vec<u8>, Value> {
    let words = [&["-o", "-", "--as", "jsonl"], words].concat();
    let lines = printed(dir, &words);
    let rows = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    rows.map(|line| serde_json::from_slice(line).unwrap())
        .map(|row: Value| (bytes(&row, "path").unwrap(), row))
        .collect()
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn bytes(row: &Value, key: &str) -> Option<Vec<u8>> {
    match (row[key].as_str(), row[format!("{key}_b64")].as_str()) {
        (Some(text), None) => Some(text.as_bytes().to_vec()),
        (None, Some(encoded)) => Some(STANDARD.decode(encoded).unwrap()),
        _ => None,
    }
}

/// A row as `find -printf` would write it.
fn line(row: &Value) -> Vec<u8> {
    let number = |key: &str| row[key].as_u64().unwrap();
    let kind = match row["type"].as_str().unwrap() {
        "file" => "f",
        "directory" => "d",
        "symlink" => "l",
        "pipe" => "p",
        other => panic!("{other}"),
    };
    let time = |key: &str| {
        let time: jiff::Timestamp = row[key].as_str().unwrap().parse().unwrap();
        let nanos = time.as_nanosecond();
        let secs = nanos.div_euclid(1_000_000_000);
        let rest = nanos.rem_euclid(1_000_000_000);
        format!("{secs}.{rest:09}0")
    };
    let mut line = bytes(row, "path").unwrap();
    line.extend_from_slice(
        format!(
            " {kind} {} {} {} {} {} {} {} {} {} {} {} {} {} {} ",
            number("depth"),
            number("size"),
            number("blocks"),
            row["mode"].as_str().unwrap(),
            number("uid"),
            number("gid"),
            row["user"].as_str().unwrap(),
            row["group"].as_str().unwrap(),
            number("nlink"),
            number("inode"),
            number("device"),
            time("atime"),
            time("mtime"),
            time("ctime"),
        )
        .as_bytes(),
    );
    line.extend(bytes(row, "target").unwrap_or_default());
    line
}

const FIND: &str = "%p %y %d %s %b %m %U %G %u %g %n %i %D %A@ %T@ %C@ %l";

#[test]
fn each_value_is_what_find_prints() {
    let place = tree();
    // The first reading moves a directory's time of access.
    found(place.path(), FIND);
    let rows = objects(place.path(), &["t"]);
    let mut told: Vec<_> = rows.values().map(line).collect();
    told.sort();
    let expected = found(place.path(), FIND);
    let shown = |lines: &[Vec<u8>]| {
        let lines = lines.iter().map(|line| String::from_utf8_lossy(line).into_owned());
        lines.collect::<Vec<_>>().join("\n")
    };
    // A time before the epoch: find writes seconds and nanoseconds of opposite signs.
    let comparable = |lines: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        lines.into_iter().filter(|line| !line.starts_with(b"t/zero")).collect()
    };
    assert_eq!(shown(&comparable(told)), shown(&comparable(expected)));
    assert_eq!(rows[&b"t/zero"[..]]["mtime"], "1969-12-31T23:59:58.500000000Z");
}

fn opened(file: &std::path::Path) -> Scan {
    let columns: Vec<_> = Column::all().collect();
    Scan::of(fs::File::open(file).unwrap(), &columns).unwrap()
}

#[test]
fn parquet_is_read_back() {
    let place = tree();
    printed(place.path(), &["-o", "x.parquet", "--hash", "blake3", "t"]);
    let rows = objects(place.path(), &["--hash", "blake3", "t"]);
    let file = opened(&place.path().join("x.parquet"));
    assert_eq!(file.get("brisk.roots"), Some("[\"t\"]"));
    assert_eq!(file.get("brisk.errors"), Some("0"));
    for key in ["host", "file_systems", "began", "ended", "version", "absolute_roots"] {
        assert!(file.get(&format!("brisk.{key}")).is_some_and(|value| !value.is_empty()), "{key}");
    }
    let mut seen = Vec::new();
    for group in 0..file.groups() {
        for batch in file.group(group).unwrap() {
            let batch = batch.unwrap();
            for record in batch.records() {
                let row = &rows[record.path];
                assert_eq!(record.number(Column::Size), row["size"].as_u64());
                assert_eq!(
                    record.number(Column::Mode).map(|mode| format!("{mode:o}")).as_deref(),
                    row["mode"].as_str()
                );
                for (column, key) in [
                    (Column::Uid, "uid"),
                    (Column::Gid, "gid"),
                    (Column::Inode, "inode"),
                    (Column::Nlink, "nlink"),
                    (Column::Blocks, "blocks"),
                ] {
                    assert_eq!(record.number(column), row[key].as_u64(), "{key}");
                }
                let target = record.text(Column::Target);
                assert_eq!(target.map(<[u8]>::to_vec), bytes(row, "target"));
                let user = record.text(Column::User).map(String::from_utf8_lossy);
                assert_eq!(user.as_deref(), row["user"].as_str());
                let word = format!("{:?}", record.file_type().unwrap()).to_lowercase();
                assert_eq!(word.replace("fifo", "pipe"), row["type"].as_str().unwrap());
                let meta = record.meta();
                for (time, key) in [(meta.mtime(), "mtime"), (meta.ctime(), "ctime")] {
                    let told: jiff::Timestamp = row[key].as_str().unwrap().parse().unwrap();
                    let time = time.unwrap();
                    let nanos = i128::from(time.secs) * 1_000_000_000 + i128::from(time.nanos);
                    assert_eq!(nanos, told.as_nanosecond(), "{key}");
                }
                let digest = record.digest().map(|digest| {
                    digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
                });
                assert_eq!(digest.as_deref(), row["blake3"].as_str());
                seen.push(record.path.to_vec());
            }
        }
    }
    assert_eq!(seen.len(), rows.len());
    // Component by component: what is in `a` comes before `a b` and `a-b`.
    let at = |path: &[u8]| seen.iter().position(|seen| seen == path).unwrap();
    assert!(at(b"t") < at(b"t/a") && at(b"t/a") < at(b"t/a/b/c/not \xff utf-8"));
    assert!(at(b"t/a/file") < at(b"t/a b") && at(b"t/a b") < at(b"t/a-b"));
}

/// A tmpfs keeps every time. Before the mend, the lowest second of the column was null.
#[test]
fn the_lowest_second_of_the_column_is_in_it() {
    let place = tempfile::tempdir_in("/dev/shm").unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    let low = place.path().join("t/low");
    testkit::run("touch", &["-d", "@-9223372036.854775808", low.to_str().unwrap()]);
    printed(place.path(), &["-o", "x.parquet", "--min-depth=1", "t"]);
    let file = opened(&place.path().join("x.parquet"));
    let batch = file.group(0).unwrap().next().unwrap().unwrap();
    let time = batch.records().next().unwrap().meta().mtime().map(|time| (time.secs, time.nanos));
    assert_eq!(time, Some((-9_223_372_037, 145_224_192)));
}

#[test]
fn a_large_tree_has_several_groups_and_each_row_once() {
    // In memory, if it can be: on a disk the files alone take twenty seconds of a processor.
    let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    // Directories of several buffers, and more rows than one group takes.
    for directory in 0..5 {
        let top = place.path().join(format!("t/{directory}"));
        fs::create_dir_all(&top).unwrap();
        for file in 0..14_000 {
            fs::File::create(top.join(format!("{file}"))).unwrap();
        }
    }
    for threads in ["1", "4"] {
        printed(place.path(), &["-o", "x.parquet", "-j", threads, "t"]);
        let file = opened(&place.path().join("x.parquet"));
        assert!(file.groups() >= 2, "{}", file.groups());
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for group in 0..file.groups() {
            let mut last = Vec::new();
            for batch in file.group(group).unwrap() {
                let batch = batch.unwrap();
                for record in batch.records() {
                    let key: Vec<u8> =
                        record.path.iter().map(|b| if *b == b'/' { 0 } else { *b }).collect();
                    assert!(last < key, "{}", String::from_utf8_lossy(record.path));
                    last = key;
                    seen.push(record.path.to_vec());
                }
            }
        }
        seen.sort();
        assert!(seen == found(place.path(), "%p"), "with {threads} threads");
    }
}

#[test]
fn columns_are_chosen_by_name() {
    let place = tree();
    let header = |words: &[&str]| {
        let words = [&["-o", "-", "--as", "csv", "-d", "0", "t"], words].concat();
        let text = String::from_utf8(printed(place.path(), &words)).unwrap();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(header(&["--columns", "size,path"]), "path,size");
    let defaults: Vec<_> = Column::defaults().map(Column::name).collect();
    assert_eq!(header(&[]), defaults.join(","));
    let all: Vec<_> = Column::all().map(Column::name).collect();
    let more = "+name,parent";
    assert_eq!(header(&["--columns", more, "--sums", "--hash", "blake3"]), all.join(","));
    let refused = scan(place.path(), &["-o", "x.csv", "--columns", "frob"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(testkit::stderr(&refused).contains("'frob': no such column"));
    for (words, why) in [
        (&["-o", "x.csv", "--columns", ""][..], "--columns names no column"),
        (&["-o", "x.csv", "--columns", ","], "--columns names no column"),
        (&["-o", "-"], "--as is missing"),
        (&[], "--output is missing"),
    ] {
        let refused = scan(place.path(), words);
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{words:?}");
        assert!(testkit::stderr(&refused).contains(why), "{words:?}");
    }
    assert!(!place.path().join("x.csv").exists());
}

#[test]
fn names_alone_cost_no_stat() {
    let place = tree();
    let output =
        scan(place.path(), &["-o", "x.csv", "--columns", "path,type,depth", "--stats=json", "t"]);
    let stats: Value = serde_json::from_slice(&output.stderr).unwrap();
    // One for the root.
    assert_eq!(stats["calls"]["stat"], 1, "{stats}");
    assert_eq!(stats["calls"]["read_link"], 0, "{stats}");
}

#[test]
fn computed_columns() {
    let place = tree();
    let rows = objects(place.path(), &["--columns", "+name,parent", "t"]);
    let hostile = &rows[&b"t/a/b/c/not \xff utf-8"[..]];
    assert_eq!(bytes(hostile, "name").unwrap(), b"not \xff utf-8");
    assert_eq!(hostile["parent"], "t/a/b/c");
    assert!(rows[&b"t"[..]].get("parent").is_none(), "a root has no parent in the table");
}

#[test]
fn csv_quotes_what_would_end_a_cell() {
    let place = tree();
    let text = printed(place.path(), &["-o", "-", "--as", "csv", "--columns", "path,size", "t"]);
    for line in
        [&b"\n\"t/a b/quote\"\"comma,\",3\n"[..], b"\n\"t/a-b/new\nline\",2\n", b" \xff utf-8,1\n"]
    {
        assert!(text.windows(line.len()).any(|part| part == line), "{line:?}");
    }
}

#[test]
fn filters_and_ignore_rules() {
    let place = tree();
    fs::write(place.path().join("t/.ignore"), "a-b\n").unwrap();
    let paths = |words: &[&str]| -> Vec<String> {
        let words = [words, &["--columns", "path", "t"]].concat();
        let rows = objects(place.path(), &words);
        rows.keys().map(|path| lossy(path)).collect()
    };
    assert_eq!(paths(&["-e", "rs"]), ["t/a/b/deep.rs"]);
    assert_eq!(paths(&["-S", "+5b", "-t", "f", "-d", "2"]), ["t/a/file"]);
    assert_eq!(paths(&["-m", "^zer"]), ["t/zero"]);
    assert_eq!(paths(&["-g", "-m", "de*"]), ["t/a/b/deep.rs"]);
    assert_eq!(paths(&["-t", "l"]), ["t/dangling", "t/link"]);
    assert_eq!(paths(&["-d", "0"]), ["t"]);
    assert!(paths(&[]).contains(&"t/.hidden/x".to_owned()));
    assert!(!paths(&["--no-hidden"]).iter().any(|path| path.contains("/.")));
    assert!(paths(&[]).contains(&"t/a-b".to_owned()));
    assert!(!paths(&["--ignore"]).contains(&"t/a-b".to_owned()));
    assert!(!paths(&["-E", "a*"]).iter().any(|path| path.starts_with("t/a")));
    assert_eq!(paths(&["--changed-before", "1980-01-01"]), ["t/zero"]);
}

#[test]
fn the_name_of_a_root_is_its_last_component() {
    let place = tree();
    fs::create_dir(place.path().join("t/r.d")).unwrap();
    let lines = |words: &[&str]| {
        let words = [&["-o", "-", "--as", "csv", "--columns", "path,name"], words].concat();
        String::from_utf8(printed(place.path(), &words)).unwrap()
    };
    for words in [&["-m", "^r"][..], &["-g", "-m", "r.d"], &["--exact", "-m", "r.d"], &["-e", "d"]]
    {
        for root in ["t/r.d", "t/r.d//"] {
            let words = [words, &[root]].concat();
            assert_eq!(lines(&words), format!("path,name\n{root},r.d\n"), "{words:?}");
        }
    }
    for root in ["t/r.d", "t/r.d/"] {
        assert_eq!(lines(&["--exclude-regex", "^r", root]), "path,name\n", "{root}");
    }
}

#[test]
fn sums_of_a_root_that_is_named_twice_come_twice() {
    let place = tree();
    let sorted = |roots: &[&str]| {
        let words = [&["-o", "-", "--as", "csv", "--columns", "path", "--sums"], roots].concat();
        let text = printed(place.path(), &words);
        let mut rows: Vec<_> = text.split(|byte| *byte == b'\n').skip(1).map(lossy).collect();
        rows.sort();
        rows
    };
    for count in 2..4 {
        let once = sorted(&["t/a"]);
        let expected: Vec<_> = once[1..].iter().flat_map(|row| vec![row.clone(); count]).collect();
        assert_eq!(sorted(&vec!["t/a"; count])[1..], expected);
    }
}

#[test]
fn sums_are_those_of_the_rows_below() {
    let place = tree();
    for words in
        [&["--sums", "t"][..], &["--sums", "-j", "4", "t"], &["--sums", "-t", "f", "-t", "d", "t"]]
    {
        let rows = objects(place.path(), words);
        let is_dir = |row: &Value| row["type"] == "directory";
        for (path, row) in &rows {
            let prefix = [path, &b"/"[..]].concat();
            let below =
                || rows.iter().filter(|(path, _)| path.starts_with(&prefix)).map(|row| row.1);
            let files = below().filter(|row| !is_dir(row));
            let told =
                ["entries", "bytes", "blocks"].map(|key| row[format!("below_{key}")].as_u64());
            let expected = [
                below().count() as u64,
                files.map(|row| row["size"].as_u64().unwrap()).sum(),
                below().map(|row| row["blocks"].as_u64().unwrap()).sum(),
            ];
            let expected = expected.map(|number| is_dir(row).then_some(number));
            assert_eq!(told, expected, "{}", lossy(path));
        }
    }
    let root = &objects(place.path(), &["--sums", "t"])[&b"t"[..]];
    let du = testkit::run("du", &["-lsB512", place.path().join("t").to_str().unwrap()]);
    let du: u64 = testkit::stdout(&du).split('\t').next().unwrap().parse().unwrap();
    assert_eq!(root["below_blocks"].as_u64().unwrap() + root["blocks"].as_u64().unwrap(), du);
}

#[test]
fn a_sum_that_does_not_fit_is_the_largest_number() {
    let test = "a_sum_that_does_not_fit_is_the_largest_number";
    let Some(place) = testkit::huge_files(test) else { return };
    fs::create_dir(place.path().join("above")).unwrap();
    fs::rename(place.path().join("h"), place.path().join("above/h")).unwrap();
    let rows = objects(place.path(), &["--sums", "above"]);
    for path in [&b"above"[..], b"above/h"] {
        assert_eq!(rows[path]["below_bytes"], u64::MAX);
    }
    assert_eq!(rows[&b"above"[..]]["below_entries"], 4);
}

#[test]
fn digests_are_blake3s() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("t")).unwrap();
    fs::write(place.path().join("t/abc"), "abc").unwrap();
    std::os::unix::fs::symlink("abc", place.path().join("t/link")).unwrap();
    let rows = objects(place.path(), &["--hash=blake3", "t"]);
    assert_eq!(rows[&b"t/abc"[..]]["blake3"], ABC);
    assert!(rows[&b"t/link"[..]].get("blake3").is_none());
}
