//! Tables: which operators bind tighter, what is refused and where, and what arguments mean.

use std::io;

use brisk::FileType;
use brisk::filter::Filter;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::*;

/// The canonical text of a line.
fn read(line: &str) -> Result<String, (usize, String)> {
    let stat = |path: &Path, fields| match path.to_str() {
        Some("stamp") => brisk_sys::stat_path(
            brisk_sys::Backend::Native,
            "/".as_ref(),
            fields,
            brisk_sys::Links::NoFollow,
        )
        .map_err(|error| error.to_string()),
        _ => Err(io::ErrorKind::NotFound.to_string()),
    };
    let now = Timestamp::from_second(1_286_705_410).unwrap().to_zoned(TimeZone::UTC);
    let context = Context { now, length: |_| 1, min_depth: 0, stat: &stat };
    let expr = parse(line, &context).map_err(|mistake| (mistake.at, mistake.why))?;
    Ok(Filter::new(expr).key().to_owned())
}

#[test]
fn operators_bind_as_in_find() {
    let [a, b, c] = [r#"-name "a""#, r#"-name "b""#, r#"-name "c""#];
    for (line, expected) in [
        ("-name a", a.to_owned()),
        ("-name a -name b", format!("{a} {b}")),
        ("-name a -o -name b -name c", format!("( ( {b} {c} ) -o {a} )")),
        ("-name a -a -name b -or -not -name c", format!("( ! {c} -o ( {a} {b} ) )")),
        ("! ! -name a", a.to_owned()),
        ("! -name a -name b", format!("! {a} {b}")),
        ("( -name a -o -name b ) -name c", format!("( {a} -o {b} ) {c}")),
        (r"\( '-name' -o \)", r#"-name "-o""#.to_owned()),
        ("-name a -prune -o -name b", format!("( ( {a} -prune ) -o {b} )")),
        ("-true", String::new()),
        ("! -daystart -name a -daystart", format!("! {a}")),
        ("( -name a -daystart ) -mmin 1", format!("{a} -daystart -mmin 1")),
    ] {
        assert_eq!(read(line), Ok(expected), "{line}");
    }
}

#[test]
fn what_is_no_expression_is_refused_at_its_place() {
    let open = "( ".repeat(101);
    for (line, at, why) in [
        ("", 1, "a test is missing"),
        ("-name 'a", 7, "a quote is not closed"),
        ("-name a -o", 9, "a test is missing after '-o'"),
        ("-o -name a", 1, "a test is missing before '-o'"),
        ("-name a -o -a -name b", 12, "a test is missing before '-a'"),
        ("-name a , -name b", 9, "',' is of no use between tests: -a, -o"),
        ("!", 1, "a test is missing after '!'"),
        ("-name a -a -daystart", 12, "a test is missing after '-daystart'"),
        (
            "-regextype x",
            12,
            "'x' is no type of regular expressions: findutils-default, ed, emacs, \
            gnu-awk, grep, posix-awk, awk, posix-basic, posix-egrep, egrep, posix-extended, \
            posix-minimal-basic, sed",
        ),
        (" ( )", 2, "there is nothing between '(' and ')'"),
        ("( -name a", 1, "a ')' is missing for this '('"),
        (&open, 201, "more than 100 '(' are open"),
        ("-name a )", 9, "there are too many ')'"),
        ("-name", 1, "'-name' needs an argument"),
        ("-name a b", 9, "'b' is no test"),
        (r"-name 'a\'", 7, r"'a\': the backslash at its end keeps nothing"),
        ("-name [[.a.]]", 7, "'[[.a.]]': [.x.] and [=x=] are not known here"),
        ("-true -print", 7, "'-print' is an action, and only tests can stand here"),
        ("-maxdepth 1", 1, "'-maxdepth' is no test, but an option of find"),
        ("-newerxx f", 1, "'-newerxx' is no test"),
        ("-newertm f", 1, "'-newertm' is no test"),
        ("-newer gone", 8, "'gone': entity not found"),
        ("-links --1", 8, "'--1' is no number (N, +N for more, -N for less)"),
        ("-mtime -inf", 8, "'-inf' is no number (N, +N for more, -N for less)"),
        ("-mtime 1e300", 8, "this is too long ago"),
        ("-size 3q", 7, "'3q' is no size: a number and one of b, c, w, k, M, G"),
        ("-type f,", 7, "'f,' is no list of types: b,c,d,p,f,l,s with commas between"),
        (r"-regex '\(a\)\1'", 8, r"'\(a\)\1': a back reference cannot be translated"),
    ] {
        assert_eq!(read(line), Err((at, why.to_owned())), "{line}");
    }
    let unknown = read("-newermt '1 day'").unwrap_err();
    assert!(unknown.1.starts_with("'1 day' is no date: "), "{unknown:?}");
}

#[cfg(unix)]
#[test]
fn owners_and_modes_are_refused() {
    for (line, at, why) in [
        ("-uid x", 6, "'x' is no number (N, +N for more, -N for less)"),
        ("-user no-such", 7, "the system knows no user 'no-such'"),
        ("-group ''", 8, "the system knows no group ''"),
        ("-perm +222", 7, "'+222' is no mode"),
        ("-perm /", 7, "'/' is no mode"),
    ] {
        assert_eq!(read(line), Err((at, why.to_owned())), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn arguments_are_read_as_find_reads_them() {
    for (line, expected) in [
        ("-iname A*", r#"-iname "A*""#),
        ("-wholename './a b'", r#"-path "./a b""#),
        ("-ilname x", r#"-type l -ilname "x""#),
        ("-type f,d", "-type fd"),
        ("-size +3k", "-size +3k"),
        ("-size 7", "-size 7b"),
        ("-perm -u+x", "-perm -100"),
        ("-perm /a=X", "-perm /0, 111 of directories"),
        ("-perm 4755", "-perm 4755"),
        ("-uid ++5", "-uid +5"),
        ("-gid -+5", "-gid -5"),
        ("-user root", "-uid 0"),
        ("-group 4294967294", "-gid 4294967294"),
        ("-mtime -0.5", "-mtime -0.5"),
        ("-daystart -cmin 3", "-daystart -cmin 3"),
        ("-newer stamp", r#"-newermm "stamp""#),
        ("-cnewer stamp", r#"-newercm "stamp""#),
        ("-newerat 2020-01-01", r#"-newerat "2020-01-01""#),
        ("-regextype posix-extended -regex [.]/(a|b)", r#"-regex "[\\.]/(?:a|b)""#),
    ] {
        assert_eq!(read(line).as_deref(), Ok(expected), "{line}");
    }
    // Every name is told as a test, and every test that is told is known.
    for name in ["readable", "nogroup", "newer", "xtype"] {
        assert!(is_test(name), "{name}");
    }
}

#[test]
fn a_test_needs_its_fields_alone() {
    let stat = |_: &Path, _| Err(String::new());
    let context = Context { now: crate::zone::now(), length: |_| 1, min_depth: 0, stat: &stat };
    for (line, file, link) in [
        ("-name a -o -regex b -o -type d", Fields::empty(), Fields::empty()),
        ("-size 1", Fields::SIZE, Fields::SIZE),
        ("-lname x", Fields::empty(), Fields::LINK_TARGET),
        ("-xtype f", Fields::empty(), Fields::TARGET),
        ("-used 1", Fields::ATIME | Fields::CTIME, Fields::ATIME | Fields::CTIME),
        ("-empty", Fields::SIZE, Fields::empty()),
        ("-links 1 -inum 5", Fields::NLINK | Fields::INO, Fields::NLINK | Fields::INO),
    ] {
        let filter = Filter::new(parse(line, &context).unwrap());
        let found = [FileType::File, FileType::Symlink].map(|one| filter.fields(one));
        assert_eq!(found, [file, link], "{line}");
    }
}
