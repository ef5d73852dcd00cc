//! Tables of `brisk scan` in `brisk diff`: the answers are those of states, and what is no such
//! table gets one line.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

#[path = "../../../brisk-cli/tests/commands/diff/scene.rs"]
mod scene;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use brisk_table::{Column, Owners, ParquetFile, SCHEMA_KEY, Scan, Sink};
use testkit::{Random, brisk, left_out, obedient, stderr, stdout, tree};

use scene::Scene;

/// A tree `t` with names of many kinds.
fn grown() -> Scene {
    let scene = Scene::empty();
    for dir in ["a/b", "q", "a b", "a!", "empty"] {
        fs::create_dir_all(scene.path("t").join(dir)).unwrap();
    }
    for file in ["top", "a/one", "a/b/deep", "q/r", "a b/x", "a!/y", "a/new\nline"] {
        fs::write(scene.path("t").join(file), file).unwrap();
    }
    fs::write(scene.path("t").join(OsStr::from_bytes(b"a/\xff")), "bytes").unwrap();
    symlink("top", scene.path("t/link")).unwrap();
    scene
}

impl Scene {
    /// Writes NAME.state and NAME.parquet.
    fn look(&self, name: &str) {
        for words in [
            format!("changed t -u --state {name}.state --save {name}.state"),
            format!("scan -o {name}.parquet t"),
        ] {
            let output = self.run(&words);
            assert_eq!(
                (stderr(&output), output.status.code()),
                (String::new(), Some(0)),
                "{words}"
            );
        }
    }

    /// What is refused with one line.
    fn refused(&self, words: &str) -> String {
        let output = self.run(&format!("diff {words}"));
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{words}");
        stderr(&output)
    }
}

#[test]
fn tables_states_and_directories_give_one_answer() {
    let scene = grown();
    scene.look("old");
    scene.sh("cd t; mv a/one q/uno; mv a/b z; rm top; mkdir -p new/deeper; touch new/deeper/x
        ln -sfn other link; rm -r q/r; mkdir q/r; touch q/r/in; chmod 700 a; mv empty leer");
    scene.look("new");
    let expected = "m\ta\nR\tempty/\tleer/\nM\tlink\nA\tnew/\nT\tq/r\nA\tq/r/in\nR\ta/one\tq/uno\n\
                    D\ttop\nR\ta/b/\tz/\n";
    assert_eq!(scene.shown("old.state new.state"), expected);
    for form in ["", "-r", "-r --no-renames", "--summary", "-0", "-r --json"] {
        let shown = |sides: &str| {
            let told = scene.shown(&format!("{sides} -u {form}"));
            told.lines()
                .filter(|line| !line.contains("\"brisk\""))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let expected = shown("old.state new.state");
        for sides in [
            "old.parquet new.parquet",
            "old.state new.parquet",
            "old.parquet new.state",
            "old.parquet t",
            "old.state t",
        ] {
            assert_eq!(shown(sides), expected, "{sides} {form}");
        }
        let back = shown("new.state old.state");
        for sides in ["new.parquet old.parquet", "t old.parquet", "new.parquet old.state"] {
            assert_eq!(shown(sides), back, "{sides} {form}");
        }
    }
    for old in ["new.parquet", "new.state", "t"] {
        assert_eq!(scene.shown(&format!("{old} new.parquet -u --exit-code")), "", "{old}");
    }
}

/// One edit at random. Some have no effect.
fn edit(root: &Path, random: &mut Random) {
    let all = tree(root);
    let one = &all[random.below(all.len())];
    let other = &all[random.below(all.len())];
    let names: [&[u8]; 8] =
        [b"x", b"y!", b"y", b"\xc3\xa9", b"\xff\xfe", b"new\nline", b"-z", b"y "];
    let name = OsStr::from_bytes(names[random.below(names.len())]);
    let below = if other.is_dir() { other.join(name) } else { other.with_file_name(name) };
    let _ = match random.below(10) {
        0 => fs::write(&below, "new"),
        1 => fs::create_dir(&below),
        2 | 3 if one != root => fs::rename(one, &below),
        4 if one != root => fs::rename(one, other),
        5 if one != root => fs::remove_file(one).or_else(|_| fs::remove_dir_all(one)),
        6 => symlink(name, &below),
        7 => fs::write(one, "more than before"),
        8 => fs::set_permissions(one, fs::Permissions::from_mode(0o700)),
        _ => fs::write(one, "less"),
    };
}

#[test]
fn rounds_of_random_edits_give_one_answer() {
    let scene = grown();
    let seed = 0x9e37_79b9_7f4a_7c15;
    let mut random = Random(seed);
    scene.look("old");
    for round in 0..testkit::rounds(6, 20) {
        for _ in 0..1 + random.below(6) {
            edit(&scene.path("t"), &mut random);
        }
        scene.look("new");
        for form in ["-0", "-r -0"] {
            let expected = scene.shown(&format!("old.state new.state {form}"));
            for sides in ["old.parquet new.parquet", "old.state new.parquet", "old.parquet t"] {
                let told = scene.shown(&format!("{sides} -u {form}"));
                assert_eq!(told, expected, "{sides} {form}, round {round}, seed {seed}");
            }
        }
        scene.sh("mv new.state old.state; mv new.parquet old.parquet");
    }
}

#[test]
fn filters_leave_directories_that_are_no_results() {
    let scene = grown();
    scene.sh("cd t; touch a/m.rs a/b/n.rs; mkdir -p only/here; touch only/here/o.rs");
    scene.run("scan -e rs -o old.parquet t");
    scene.run("changed t -u -e rs --state old.state --save old.state");
    assert_eq!(scene.shown("old.state old.parquet"), "");
    assert_eq!(scene.shown("old.parquet t -u -e rs"), "");
    scene.sh("cd t; mv a/b/n.rs q/n.rs; echo 1 >a/m.rs; rm -r only; touch a/one.txt");
    let expected = "M\ta/m.rs\nD\tonly/here/o.rs\nR\ta/b/n.rs\tq/n.rs\n";
    for old in ["old.state", "old.parquet"] {
        assert_eq!(scene.shown(&format!("{old} t -u -e rs")), expected, "{old}");
    }
    scene.run("scan -e rs -o new.parquet --min-depth 1 t");
    assert_eq!(scene.shown("old.parquet new.parquet"), expected);
}

#[test]
fn several_roots_are_compared_one_by_one() {
    let scene = grown();
    scene.sh("mkdir u; echo x >u/x");
    scene.run("changed t u --state many.state --save many.state -u");
    scene.run("scan -o many.parquet u t/ ./t/a t/a");
    assert_eq!(scene.shown("many.state many.parquet"), "");
    scene.sh("echo other >t/top; rm u/x; mv t/a/one t/q");
    scene.run("scan -o more.parquet t u");
    let place = fs::canonicalize(scene.path("")).unwrap();
    let place = place.display();
    let expected =
        format!("R\t{place}/t/a/one\t{place}/t/q/one\nM\t{place}/t/top\nD\t{place}/u/x\n");
    for old in ["many.state", "many.parquet"] {
        assert_eq!(scene.shown(&format!("{old} more.parquet")), expected, "{old}");
    }
}

#[test]
fn a_root_that_is_not_utf_8_is_one_tree_at_two_times() {
    let scene = grown();
    let root = OsStr::from_bytes(b"t\xff");
    fs::rename(scene.path("t"), scene.path("").join(root)).unwrap();
    let scan = |to: &str| {
        let mut command = Command::new(brisk());
        command.args(["scan", "-o", to]).arg(root).current_dir(scene.path(""));
        assert!(command.status().unwrap().success());
    };
    scan("old.parquet");
    scene.sh("cd t*; chmod 600 top; chmod 644 top; mv empty leer");
    scan("new.parquet");
    // The ctime counts, and an empty directory is recognised by its inode.
    assert_eq!(scene.shown("old.parquet new.parquet"), "R\tempty/\tleer/\nM\ttop\n");
}

#[test]
fn digests_decide() {
    let scene = grown();
    scene.run("scan --hash blake3 --sums -o old.parquet t");
    scene.run("changed t -u --content --state old.state --save old.state");
    scene.sh("cd t; touch -d 2001-01-01 top; printf 'A/one' >a/one");
    scene.run("scan --hash blake3 -o new.parquet t");
    for sides in ["old.parquet new.parquet", "old.state new.parquet", "old.parquet t"] {
        assert_eq!(scene.shown(&format!("{sides} -u")), "M\ta/one\n", "{sides}");
    }
    scene.run("scan -o plain.parquet t");
    assert_eq!(scene.shown("old.parquet plain.parquet"), "M\ta/one\nM\ttop\n");
}

#[test]
fn a_data_set_is_as_one_table() {
    let scene = grown();
    scene.look("old");
    scene.run("scan --continue --budget-entries=1 -o old/ t");
    scene.sh("cd t; mv a/one q/uno; mv a/b z; rm top; chmod 700 a; echo 1 >empty/x");
    scene.look("new");
    scene.run("scan --continue --budget-entries=1 -o new/ t");
    for form in ["", "-r", "--summary"] {
        let expected = scene.shown(&format!("old.state new.state -u {form}"));
        for sides in ["old new", "old/ new.parquet", "old.state new/", "old t"] {
            assert_eq!(scene.shown(&format!("{sides} -u {form}")), expected, "{sides} {form}");
        }
    }
    // A part is damaged.
    let mut parts = fs::read_dir(scene.path("new")).unwrap().map(|entry| entry.unwrap().path());
    let part = parts.find(|path| path.extension().is_some_and(|form| form == "parquet")).unwrap();
    let mut bytes = fs::read(&part).unwrap();
    bytes[40] ^= 1;
    fs::write(&part, bytes).unwrap();
    let name = part.file_name().unwrap().to_str().unwrap();
    let told = scene.refused("old new");
    assert_eq!(told, format!("brisk: 'new': '{name}': the table is damaged\n"));
    // A copy of another part is whole, too.
    let other = fs::read_dir(scene.path("old")).unwrap().next().unwrap().unwrap().path();
    fs::copy(other, &part).unwrap();
    let told = scene.refused("old new");
    let why = "is another part than the one that was recorded";
    assert_eq!(told, format!("brisk: 'new': 'new/{name}' {why}\n"));
    fs::remove_file(&part).unwrap();
    let told = scene.refused("old new");
    assert_eq!(told, format!("brisk: 'new': 'new/{name}' is recorded, and is not there\n"));
    let without = scene.path("new.units.jsonl");
    fs::rename(&without, scene.path("kept")).unwrap();
    let why = "its journal, NAME.units.jsonl, is not beside it";
    let told = format!("brisk: 'new': 'new' is not a data set of brisk scan: {why}\n");
    assert_eq!(scene.refused("old new"), told);
    fs::rename(scene.path("kept"), without).unwrap();
    // The last line says that the data set is finished.
    let journal = fs::read_to_string(scene.path("old.units.jsonl")).unwrap();
    let end = journal.trim_end().rfind('\n').unwrap() + 1;
    fs::write(scene.path("old.units.jsonl"), &journal[..end]).unwrap();
    let why = "the data set is not finished: brisk scan --continue goes on";
    assert_eq!(scene.refused("old t"), format!("brisk: 'old': {why}\n"));
}

#[test]
fn columns_that_are_missing_are_not_compared_and_said() {
    let scene = grown();
    scene.look("old");
    scene.run("scan --columns path,type,size -o some.parquet t");
    scene.sh("cd t; touch -d 2001-01-01 top; chmod 600 q/r; rm a!/y; ln -sfn pot link");
    scene.sh("echo longer >t/a/one");
    let output = scene.run("diff some.parquet t -u --exit-code");
    let why = "brisk: 'some.parquet' has no columns mode, uid, gid, inode, mtime, ctime, target, \
               which are not compared\n";
    assert_eq!((stdout(&output), stderr(&output)), ("M\ta/one\nD\ta!/y\n".into(), why.into()));
    assert_eq!(output.status.code(), Some(1));
    scene.run("scan --columns path,type -o less.parquet t");
    let output = scene.run("diff old.state less.parquet --summary --max-depth 0");
    // The sizes are not known, so there are no bytes.
    let table = "added  bytes  deleted  bytes  modified  metadata only  renamed  directory\n    \
                     0      0        1      0         0              0        0  .\n";
    assert_eq!(stdout(&output), table);
    for (columns, missing) in [("path,size", "type"), ("name,parent,type", "path")] {
        scene.run(&format!("scan --columns {columns} -o none.parquet t"));
        let told = scene.refused("none.parquet t");
        assert_eq!(told, format!("brisk: 'none.parquet': the table has no column '{missing}'\n"));
    }
}

#[test]
fn torn_and_foreign_files_get_one_line() {
    let scene = grown();
    scene.look("old");
    let whole = fs::read(scene.path("old.parquet")).unwrap();
    for length in [4, 5, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(scene.path("x.parquet"), &whole[..length]).unwrap();
        for sides in ["x.parquet t", "old.state x.parquet"] {
            let told = scene.refused(sides);
            assert_eq!(told, "brisk: 'x.parquet': the table is damaged\n", "{length} {sides}");
        }
    }
    // The place of a column is behind the end.
    let mut bytes = whole[..whole.len() - 8].to_vec();
    bytes.drain(100..whole.len() / 2);
    bytes.extend_from_slice(&whole[whole.len() - 8..]);
    fs::write(scene.path("x.parquet"), bytes).unwrap();
    assert_eq!(scene.refused("x.parquet t"), "brisk: 'x.parquet': the table is damaged\n");
    for form in ["arrow", "csv", "jsonl"] {
        scene.run(&format!("scan -o x.{form} t"));
        let told = scene.refused(&format!("x.{form} t"));
        let why = "of tables, brisk diff reads Parquet: brisk scan -o FILE.parquet";
        assert_eq!(told, format!("brisk: 'x.{form}': {why}\n"));
    }
}

#[test]
fn a_table_of_another_version_gets_one_line() {
    let scene = grown();
    let owners = Owners { user: |_| None, group: |_| None };
    for version in ["1", "3"] {
        let file = fs::File::create(scene.path("x.parquet")).unwrap();
        let table = ParquetFile::new(file, &[Column::Path, Column::Type], owners).unwrap();
        Box::new(table).finish(&[(SCHEMA_KEY.into(), version.into())]).unwrap();
        let why = format!("the table has version {version}, which this brisk cannot read");
        assert_eq!(scene.refused("x.parquet t"), format!("brisk: 'x.parquet': {why}\n"));
    }
}

/// What a reader gets from a table: whether it is checked, and its records; `None` if damage is
/// noticed.
fn records(bytes: &[u8], file: &Path) -> Option<(bool, Vec<String>)> {
    fs::write(file, bytes).unwrap();
    let columns: Vec<_> = Column::all().collect();
    let scan = Scan::of(fs::File::open(file).ok()?, &columns).ok()?;
    let mut found = Vec::new();
    for group in 0..scan.groups() {
        for batch in scan.group(group).ok()? {
            let batch = batch.ok()?;
            found.extend(batch.records().map(|record| format!("{record:?}")));
        }
    }
    Some((scan.is_sealed(), found))
}

/// One bit of a table is wrong: that is noticed, wherever the bit is, or the bit means nothing.
/// Such bits are in the word that a seal begins with. `BRISK_ROUNDS` says how many bits are tried
/// as the program is run.
#[test]
fn a_wrong_bit_makes_no_other_table() {
    let scene = grown();
    scene.run("scan --hash blake3 --columns +name,parent --sums -o old.parquet t");
    let whole = fs::read(scene.path("old.parquet")).unwrap();
    let (is_sealed, expected) = records(&whole, &scene.path("x.parquet")).unwrap();
    assert!(is_sealed && expected.len() > 10);
    let rounds: Option<usize> =
        std::env::var("BRISK_ROUNDS").ok().map(|rounds| rounds.parse().unwrap());
    let mut unnoticed = 0;
    let step = if rounds.is_some() { 7 } else { 41 };
    for bit in (0..whole.len() * 8).step_by(step) {
        let mut wrong = whole.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        if let Some(found) = records(&wrong, &scene.path("x.parquet")) {
            assert!(found.1 == expected, "bit {bit} makes another table");
            unnoticed += 1;
        }
    }
    assert!(unnoticed <= 64 / step + 1, "{unnoticed}");
    let rounds = rounds.unwrap_or(25);
    let seed = 0x9e37_79b9_7f4a_7c15;
    let mut random = Random(seed);
    let mut wrong_answers = 0;
    for _ in 0..rounds {
        let bit = random.below(whole.len() * 8);
        let mut wrong = whole.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        fs::write(scene.path("x.parquet"), wrong).unwrap();
        let output = scene.run("diff old.parquet x.parquet --exit-code");
        let told = (output.status.code(), stdout(&output), stderr(&output));
        let damaged = "brisk: 'x.parquet': the table is damaged\n";
        let is_same = (told.0, told.1.as_str()) == (Some(0), "");
        if told != (Some(2), String::new(), damaged.into()) && !is_same {
            println!("bit {bit}: {told:?}");
            wrong_answers += 1;
        }
    }
    assert_eq!(wrong_answers, 0, "of {rounds}, seed {seed}");
}

#[test]
fn a_table_of_another_program_is_refused() {
    let test = "a_table_of_another_program_is_refused";
    let python = std::env::var("BRISK_READERS").unwrap_or_else(|_| "python3".to_owned());
    let scene = grown();
    scene.look("old");
    let script = "import pyarrow as a, pyarrow.parquet as p
p.write_table(a.table({'path': [b't'], 'type': ['file']}), 'x.parquet')
t = p.read_table('old.parquet')
pairs = p.read_metadata('old.parquet').metadata.items()
t = t.replace_schema_metadata({key: value for key, value in pairs if key != b'ARROW:schema'})
p.write_table(t.slice(0, 3), 'few.parquet', compression='zstd')
p.write_table(t, 'snappy.parquet')
names = t.schema.names
p.write_table(t.set_column(names.index('size'), 'size', t['size'].cast('double')), 'other.parquet')
p.write_table(t.take(list(range(len(t)))[::-1]), 'reversed.parquet', compression='none')
p.write_table(t, 'checked.parquet', compression='zstd', write_page_checksum=True)";
    let made = Command::new(python).args(["-c", script]).current_dir(scene.path("")).output();
    if !made.is_ok_and(|made| made.status.success()) {
        return left_out(test, "no Python with pyarrow");
    }
    let told = scene.refused("x.parquet t");
    assert_eq!(told, "brisk: 'x.parquet': the file is not a table of brisk scan\n");
    let told = scene.refused("other.parquet t");
    assert_eq!(told, "brisk: 'other.parquet': the column 'size' has values of another type\n");
    let told = scene.refused("snappy.parquet t");
    assert_eq!(told, "brisk: 'snappy.parquet': the table is compressed, and not with zstd\n");
    let unsealed = |file: &str| {
        let output = scene.run(&format!("diff {file} old.state"));
        let why = format!("brisk: '{file}' has no seal: damage in it may go unnoticed\n");
        assert_eq!((stderr(&output), output.status.code()), (why, Some(0)));
        stdout(&output)
    };
    assert_eq!(unsealed("reversed.parquet"), "");
    assert_eq!(unsealed("checked.parquet"), "");
    assert!(unsealed("few.parquet").lines().all(|line| line.starts_with('A')));
    // A wrong bit in a page with a CRC is noticed without a seal.
    let mut wrong = fs::read(scene.path("checked.parquet")).unwrap();
    wrong[100] ^= 1;
    fs::write(scene.path("checked.parquet"), wrong).unwrap();
    let told = scene.refused("checked.parquet t");
    let unsealed = "brisk: 'checked.parquet' has no seal: damage in it may go unnoticed\n";
    let damaged = "brisk: 'checked.parquet': the table is damaged\n";
    assert_eq!(told, [unsealed, damaged].concat());
}

#[test]
fn what_a_scan_could_not_read_is_not_gone() {
    let test = "what_a_scan_could_not_read_is_not_gone";
    let Some(mut command) = obedient(brisk()) else {
        return left_out(test, "root cannot give up its capabilities");
    };
    let scene = grown();
    scene.look("old");
    fs::set_permissions(scene.path("t/a"), fs::Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(scene.path("t/q"), fs::Permissions::from_mode(0o600)).unwrap();
    let output = command.args(["scan", "-o", "new.parquet", "t"]).current_dir(scene.path(""));
    let output = output.output().unwrap();
    for dir in ["t/a", "t/q"] {
        fs::set_permissions(scene.path(dir), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let output = scene.run("diff old.parquet new.parquet");
    let told = (stdout(&output), output.status.code());
    assert_eq!(told, ("m\ta\n?\ta\nm\tq\n?\tq/r\n".into(), Some(2)));
    let output = scene.run("diff new.parquet old.state --no-renames");
    assert!(!stdout(&output).contains("A\t"), "{}", stdout(&output));
}

#[test]
fn nothing_is_left_of_temporary_files() {
    let scene = grown();
    scene.look("old");
    fs::create_dir(scene.path("tmp")).unwrap();
    let mut command = Command::new(brisk());
    command.args(["diff", "old.parquet", "t", "-u"]).current_dir(scene.path(""));
    let output = command.env("TMPDIR", scene.path("tmp")).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(fs::read_dir(scene.path("tmp")).unwrap().count(), 0);
    let mut command = Command::new(brisk());
    command.args(["diff", "old.parquet", "t"]).current_dir(scene.path(""));
    let output = command.env("TMPDIR", scene.path("nowhere")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let why = format!(
        "brisk: 'old.parquet': cannot sort the table in '{}': No such file or directory\n",
        scene.path("nowhere").display()
    );
    assert_eq!(stderr(&output), why);
}
