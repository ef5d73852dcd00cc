//! Formats and long lines against GNU find 4.9 on trees with odd times, modes, names and links.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use brisk::{Directory, Error, Flow, Follow, Order, Select, Shape, Timestamp, Visitor, Walk};
use rustix::fs::{CWD, FileType as Kind, Mode, makedev, mknodat};

use super::*;
use crate::gfind::long::Long;

/// What is compared with GNU find.
enum Row {
    Printf(Printf, Formatting),
    Long(Long),
}

/// Prints a row for each entry, as find's loop does.
struct Printer {
    row: Row,
    out: Vec<u8>,
}

impl Visitor for Printer {
    type State = ();

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        Select::Take(match &self.row {
            Row::Printf(format, _) => format.fields(entry),
            Row::Long(_) => Long::fields(entry.file_type()),
        })
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let printed = match &mut self.row {
                Row::Printf(format, cx) => format.append(entry, cx, &mut self.out),
                Row::Long(long) => long.append(entry, &mut self.out),
            };
            assert!(printed, "{:?} has its metadata", entry.path());
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        panic!("{error}");
    }
}

/// The rows of all entries below these roots, and the messages.
fn printed(row: Row, roots: &[PathBuf], follow: Follow) -> (Vec<u8>, Vec<String>) {
    let walk = Walk::over(roots).order(Order::Depth(Shape::Pre)).follow(follow);
    let (printer, _) = walk.visit(Printer { row, out: Vec::new() });
    let messages = match printer.row {
        Row::Printf(_, cx) => cx.messages,
        Row::Long(_) => Vec::new(),
    };
    (printer.out, messages)
}

fn find(options: &[&str], roots: &[PathBuf], action: &[&OsStr]) -> Output {
    let mut command = Command::new("find");
    command.env("LC_ALL", "C").args(options).args(roots).args(action);
    command.output().expect("find runs")
}

/// Whether this machine's find is the one that the rows are compared with.
fn is_there() -> bool {
    let version = Command::new("find").arg("--version").output();
    let known = version.is_ok_and(|told| told.stdout.starts_with(b"find (GNU findutils) 4.9"));
    if !known {
        testkit::left_out("-printf against GNU find", "find is not GNU find 4.9");
    }
    known
}

/// `roots`: all end with slashes, or none does.
fn formatting(roots: &[PathBuf]) -> Formatting {
    let slashed = roots.iter().all(|root| path_bytes(root).ends_with(b"/"));
    Formatting { slashed, ..Formatting::default() }
}

/// Compares a format with GNU find, warnings and refusals included.
fn compare(format: &[u8], roots: &[PathBuf], option: &str) {
    let shown = String::from_utf8_lossy(format).into_owned();
    let expected = find(&[option], roots, &[OsStr::new("-printf"), OsStr::from_bytes(format)]);
    let mut messages = Vec::new();
    let follow = if option == "-L" { Follow::Always } else { Follow::Never };
    let mut out = Vec::new();
    match Printf::parse(format, false, &mut |message| messages.push(message)) {
        Ok(format) => {
            let row = Row::Printf(format, formatting(roots));
            let more;
            (out, more) = printed(row, roots, follow);
            messages.extend(more);
        }
        Err(message) => messages.push(message),
    }
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(lossy(&out), lossy(&expected.stdout), "{option} {shown:?}");
    assert!(out == expected.stdout, "{shown:?}");
    let told: String = messages.iter().map(|message| format!("find: {message}\n")).collect();
    // Ours are made safe when they are written.
    let expected: Vec<_> = expected.stderr.split(|byte| *byte == b'\n').map(line).collect();
    assert_eq!(told, expected.join("\n"), "{shown:?}");
}

/// A tree of files with every type, odd modes, names, sizes and times.
fn tree(top: &Path) {
    let times = [
        (-2, 500_000_000),
        (-86_400, 0),
        (0, 0),
        (1_772_895_845, 120_000_000),
        (13_569_465_600, 1),
        (253_402_300_800, 0),
        (-62_135_596_801, 999_999_999),
        (i64::MAX, 0),
        (i64::MIN, 0),
        (-67_768_040_609_827_201, 7),
    ];
    for (number, (secs, nanos)) in times.into_iter().enumerate() {
        let file = File::create(top.join(format!("time{number}"))).expect("a file");
        let times = fs::FileTimes::new();
        let time = Timestamp { secs, nanos }.into();
        // Not every file system has all of these times; what it keeps is compared.
        let _ = file.set_times(times.set_modified(time).set_accessed(time));
    }
    for (number, mode) in [0, 0o7, 0o644, 0o4755, 0o6644, 0o1777, 0o7777].into_iter().enumerate() {
        let path = top.join(format!("mode{number}"));
        fs::write(&path, vec![b'x'; 1 << number]).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its owner");
    }
    fs::create_dir_all(top.join("d/e/f")).expect("a directory");
    fs::set_permissions(top.join("d"), fs::Permissions::from_mode(0o3751)).expect("its owner");
    for name in [&b"a b"[..], b"n\nl\\q\"x\x01\x7f", "é\u{202e}".as_bytes(), b"\xff\x07\x0b'"] {
        fs::write(top.join("d/e").join(OsStr::from_bytes(name)), name).expect("a file");
    }
    let sparse = File::create(top.join("d/sparse")).expect("a file");
    sparse.set_len(123_456_789).expect("a size");
    fs::write(top.join("d/whole"), vec![1; 70_000]).expect("a file");
    fs::hard_link(top.join("d/whole"), top.join("d/e/f/whole")).expect("a link");
    mknodat(CWD, top.join("fifo"), Kind::Fifo, Mode::from_raw_mode(0o640), 0).expect("a pipe");
    for (name, target) in [("good", "d/whole"), ("up", "d/e"), ("missing", "no where\n")] {
        symlink(target, top.join(name)).expect("a link");
    }
    symlink("d/whole/x", top.join("d/under-a-file")).expect("a link");
}

/// Formats, one a line; in this tree all of them print the same everywhere.
const FORMATS: &str = r"
%p\n
%f|%h|%P|%H|%d\n
%y%Y %l\n
%s %b %k %S\n
%m %M %n\n
%u %g %U %G\n
%i\n
%i %s\n
%D %F\n
%a\n%t\n
%T@ %A@\n
%T+ %Ts\n
%TY %TG %TF %TC %Ty %Tg\n
%TH:%TM:%TS %TI %Tk %Tl %Tp %TP %Tr %TR %TT\n
%TA %Ta %TB %Tb %Th %Tc %Tx %TX %TD\n
%Td %Te %Tj %Tm %TU %TV %TW %Tu %Tw %Tz %TZ\n
%TN%Tq%Tv%Ti%Tf%TJ%TK%TL%TQ%TE%TO%To\n
%T0%T1%T2%T3%T4%T5%T6%T7%T8%T9|%T-%T_%T^%T#%T:%T.%T!%T%%T(%T[%T{%T\n
%Tn%Tt%T %T
%20p|%-20p|%.3p|%5.2p|%-5.2p|%.0p|%.p\n
%5f|%-5f|%05f|%+f|% f|%#f\n
%30l|%-30l|%.2l\n
%10s|%-10s|%010s|%.2s\n
%5d|%-5d|%05d|%+d|% d|%.3d|%5.3d|%05.3d|%.0d|%+.0d|%#d|%-+5d\n
%6m|%-6m|%06m|%#m|%.6m|%#.6m|%#8m|%+m|%.0m|%#.0m|%-#7m\n
%12M|%-12M|%.1M\n
%S|%+S|% S|%10S|%-10S|%010S|%#S|%.2S|%10.3S|%.0S|%#.0S|%#.12S|%.12S|%.20S\n
%20T@|%-30T+|%.3T@|%.4a|%30a|%-30t|\n
%9n|%-9n|%9i|%9D|%9b|%9k|%9U|%-9u|%9g|%9y|%9Y|%3Y\n
%%|%5%|%-%|%5.3%|a%%b%%%%c\n
\a\b\f\n\r\t\v\\
\0|\1|\12|\123|\1234|\18|\377|\400|\777|\8|
a\cb
\c
%p\c%q\q%(
x\q%p\q\n
\
%p\
a\xb\%|\n
%q
%-5.3q%p\n
%I%J%K%L%N%O%Q%R%V%W%X
%e%j%o%r%v%w%x%z
%!%@%$%^%&%*%_%=%|%;%:%,%<%>%?%/%'%~%`
%1$p
%*p
%0-5d
%hp
%lld
%-+ #05d\n
%A
%B
%C
%T
%5A
x%C
%
a%
%5
%-
%5.
%.
%(
%5[
%-#.3{
%{%q
%q%(
%q%

plain
\n
%H %P|%h/%f\n
%p %T+ %s\n
[%10.4f] %-6d{%5s}\n
%Y%y%d
%.99p\n
%999p\n
";

#[test]
fn formats_print_what_gnu_find_prints() {
    if !is_there() {
        return;
    }
    let scratch = scratch();
    tree(scratch.path());
    let top = scratch.path().to_owned();
    for format in FORMATS.lines() {
        for option in ["-P", "-L"] {
            compare(format.as_bytes(), std::slice::from_ref(&top), option);
        }
    }
    // The access to a link itself, which -L changes.
    symlink("loop", top.join("loop")).expect("a link");
    symlink("x".repeat(300), top.join("d/long")).expect("a link");
    for format in ["%p %Y%y|%l\\n", "%5Y|%-5Y|\\n", "%c %Cs %C+\\n"] {
        compare(format.as_bytes(), std::slice::from_ref(&top), "-P");
    }
    compare(b"%T\xc3 \xff%T+\\n", std::slice::from_ref(&top), "-P");
    let plain = ["mode1", "good", "fifo"].map(|name| top.join(name));
    compare(b"%Z|%5Z|%p\\n", &plain, "-P");
}

/// Where files may have all times.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

#[test]
fn starting_points_are_printed_as_they_were_given() {
    if !is_there() {
        return;
    }
    let scratch = scratch();
    fs::create_dir_all(scratch.path().join("d/e")).expect("a directory");
    fs::write(scratch.path().join("d/e/file"), "x").expect("a file");
    let top = scratch.path().to_str().expect("text");
    let format = b"[%p][%h][%f][%P][%H][%d][%i][%y%Y]\\n";
    for root in ["", "/", "//", "/.", "/d", "/d/", "/d//e//", "/d/e/file", "/d/../d", "/./d/."] {
        compare(format, &[PathBuf::from(format!("{top}{root}"))], "-P");
    }
    for roots in [["/", "///"], ["/.", "/.."], [".", "src"], ["./", "src//"], ["..", "src/lib.rs"]]
    {
        let roots = roots.map(PathBuf::from);
        let expected = find(&[], &roots, &max_depth(format));
        let parsed = Printf::parse(format, false, &mut |_| ()).expect("a format");
        let cx = formatting(&roots);
        let walk = Walk::over(roots).order(Order::Depth(Shape::Pre)).max_depth(0);
        let row = Row::Printf(parsed, cx);
        let (printer, _) = walk.visit(Printer { row, out: Vec::new() });
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(&printer.out), shown(&expected.stdout));
    }
}

fn max_depth(format: &[u8]) -> [&OsStr; 4] {
    ["-maxdepth".as_ref(), "0".as_ref(), "-printf".as_ref(), OsStr::from_bytes(format)]
}

#[test]
fn long_lines_are_those_of_gnu_find() {
    if !is_there() {
        return;
    }
    let scratch = scratch();
    tree(scratch.path());
    let top = scratch.path();
    let [huge, other] = ["huge", "other"].map(|name| top.join(name));
    File::create(&huge).expect("a file").set_len(12_345_678_901_234).expect("a size");
    File::create(&other).expect("a file");
    let mut roots = vec![top.to_owned(), huge, top.join("mode2"), "/dev/null".into()];
    let owners = [(4_000_000_000, 3_999_999_999), (54_321, 54_322), (0, 0)];
    for (number, (user, group)) in owners.into_iter().enumerate() {
        let path = top.join(format!("owner{number}"));
        File::create(&path).expect("a file");
        // Only a superuser may give files away.
        let _ = std::os::unix::fs::chown(&path, Some(user), Some(group));
        roots.push(path);
    }
    for (name, major, minor) in [("a", 400, 1000), ("b", 4000, 1_000_000), ("c", 1, 3)] {
        let path = top.join(name);
        let mode = Mode::from_raw_mode(0o600);
        // Not everybody may make devices.
        if mknodat(CWD, &path, Kind::CharacterDevice, mode, makedev(major, minor)).is_ok() {
            roots.push(path);
        }
    }
    roots.push(other);
    for option in ["-P", "-L"] {
        let expected = find(&[option], &roots, &["-ls".as_ref()]);
        let follow = if option == "-L" { Follow::Always } else { Follow::Never };
        let (out, _) = printed(Row::Long(Long::new()), &roots, follow);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(shown(&out), shown(&expected.stdout));
    }
}

#[test]
fn a_terminal_gets_question_marks() {
    let format = Printf::parse(b"%p %f %.3f|%5f|%u", true, &mut |_| ()).expect("a format");
    let mut cx = Formatting::default();
    let mut out = Vec::new();
    brisk::unstable::as_entry(b"d\x1b/", 1, b"a\x07b\n", FileType::File, |entry| {
        assert!(!format.append(entry, &mut cx, &mut out) && out.is_empty(), "no owner is known");
    });
    let format = Printf::parse(b"%p %f %.3f|%5f|%H|\x1b", true, &mut |_| ()).expect("a format");
    brisk::unstable::as_entry(b"d\x1b/", 1, b"a\x07b\n", FileType::File, |entry| {
        assert!(format.append(entry, &mut cx, &mut out));
    });
    assert_eq!(out, b"d?/a?b? a?b? a?b| a?b?|d\x1b|\x1b");
}

#[test]
fn a_format_asks_for_what_it_prints() {
    use FileType::{Directory, File, Symlink, Unknown};
    let none = Fields::empty();
    for (format, file_type, is_listed, expected) in [
        ("%p%f%h%H%P%d%%\\n", Unknown, false, none),
        ("%y", File, true, none),
        ("%y", Unknown, false, Fields::TYPE),
        ("%i", File, true, none),
        ("%i", File, false, Fields::INO),
        ("%i", Directory, true, Fields::INO),
        ("%l", File, true, none),
        ("%l", Symlink, true, Fields::LINK_TARGET),
        ("%Y", Directory, true, none),
        ("%Y", Symlink, true, Fields::TARGET),
        ("%s%b", File, true, Fields::SIZE | Fields::BLOCKS),
        ("%a%Bs%c%T@", File, true, Fields::ATIME | Fields::BTIME | Fields::CTIME | Fields::MTIME),
        (
            "%u%G%m%n%F%Z",
            File,
            true,
            Fields::UID
                | Fields::GID
                | Fields::MODE
                | Fields::NLINK
                | Fields::DEV
                | Fields::CONTEXT,
        ),
    ] {
        let parsed = Printf::parse(format.as_bytes(), false, &mut |_| ()).expect("a format");
        assert_eq!(parsed.fields_of(file_type, is_listed), expected, "{format}");
    }
}

#[test]
fn widths_that_no_line_has_are_refused() {
    for format in ["%1000001p", "%99999999999999999999999999p", "%.1000001d"] {
        assert!(Printf::parse(format.as_bytes(), false, &mut |_| ()).is_err(), "{format}");
    }
}
