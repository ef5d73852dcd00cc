//! Tables: which operators bind tighter, what is refused and where, and what arguments mean.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

use brisk::filter::Filter;
use brisk::{Fields, FileType, Follow, Meta, Order, Shape};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use super::*;

type Stat<'s> = &'s dyn Fn(&Path, Fields, Follow) -> Result<Meta, String>;

fn context<'c>(now: &'c dyn Fn() -> Zoned, stat: Stat<'c>) -> Context<'c> {
    let file_system = Arc::new(|dev| format!("type{dev}"));
    Context { now, length: |_| 1, min_depth: 0, stat, file_system }
}

/// The canonical text of a line.
fn read(line: &str) -> Result<String, (usize, String)> {
    let stat = |path: &Path, fields, _| match path.to_str() {
        Some("stamp") => stat_path(Backend::Native, "/".as_ref(), fields, Links::NoFollow)
            .map_err(|error| error.to_string()),
        _ => Err(io::ErrorKind::NotFound.to_string()),
    };
    let now = || Timestamp::from_second(1_286_705_410).unwrap().to_zoned(TimeZone::UTC);
    let context = context(&now, &stat);
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
        ("-name a , -prune", "-prune".to_owned()),
        ("-prune , -name a -o -name b", format!("( -prune , ( {a} -o {b} ) )")),
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
        ("-name a ,", 9, "a test is missing after ','"),
        (", -name a", 1, "a test is missing before ','"),
        ("!", 1, "a test is missing after '!'"),
        ("-name a -a -daystart", 12, "a test is missing after '-daystart'"),
        (
            "-regextype x",
            12,
            "'x' is not a type of regular expressions: findutils-default, ed, emacs, \
            gnu-awk, grep, posix-awk, awk, posix-basic, posix-egrep, egrep, posix-extended, \
            posix-minimal-basic, sed",
        ),
        (" ( )", 2, "there is nothing between '(' and ')'"),
        ("( -name a", 1, "a ')' is missing for this '('"),
        (&open, 201, "more than 100 '(' are open"),
        ("-name a )", 9, "there are too many ')'"),
        ("-name", 1, "'-name' needs an argument"),
        ("-name a b", 9, "'b' is not a test"),
        (r"-name 'a\'", 7, r"'a\': the backslash at its end keeps nothing"),
        ("-name [[.a.]]", 7, "'[[.a.]]': [.x.] and [=x=] are not known here"),
        ("-true -print", 7, "'-print' is an action, and only tests can stand here"),
        ("-maxdepth 1", 1, "'-maxdepth' is not a test, but an option of find"),
        ("-newerxx f", 1, "'-newerxx' is not a test"),
        ("-newertm f", 1, "'-newertm' is not a test"),
        ("-newer gone", 8, "'gone': entity not found"),
        ("-links --1", 8, "'--1' is not a number (N, +N for more, -N for less)"),
        ("-mtime nan", 8, "'nan' is not a number (N, +N for more, -N for less)"),
        ("-mtime --1e300", 8, "this is too far from now"),
        ("-context x", 10, "'-context': SELinux is not enabled"),
        ("-size 3q", 7, "'3q' is not a size: a number and one of b, c, w, k, M, G"),
        ("-type f,", 7, "'f,' is not a list of types: b,c,d,p,f,l,s with commas between"),
        (r"-regex '\(a\1\)'", 8, r"'\(a\1\)': Invalid back reference"),
    ] {
        assert_eq!(read(line), Err((at, why.to_owned())), "{line}");
    }
    let unknown = read("-newermt P1D").unwrap_err();
    assert!(unknown.1.starts_with("'P1D' is not a date: "), "{unknown:?}");
}

#[cfg(unix)]
#[test]
fn owners_and_modes_are_refused() {
    for (line, at, why) in [
        ("-uid x", 6, "'x' is not a number (N, +N for more, -N for less)"),
        ("-user no-such", 7, "the system knows no user 'no-such'"),
        ("-group ''", 8, "the system knows no group ''"),
        ("-perm +222", 7, "'+222' is not a mode"),
        ("-perm /", 7, "'/' is not a mode"),
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
        ("-fstype ext4 -hidden", r#"-hidden -fstype "ext4""#),
        ("-mtime --5", "-mtime --5"),
        ("-since 2020-01-01", r#"-newermt "2020-01-01""#),
        ("-group 2147483647", "-gid 2147483647"),
        ("-mtime -0.5", "-mtime -0.5"),
        ("-daystart -cmin 3", "-daystart -cmin 3"),
        ("-newer stamp", r#"-newermm "stamp""#),
        ("-cnewer stamp", r#"-newercm "stamp""#),
        ("-newerat 2020-01-01", r#"-newerat "2020-01-01""#),
        ("-regextype posix-extended -regex [.]/(a|b)", r#"-regex "[\\.]/(a|b)""#),
    ] {
        assert_eq!(read(line).as_deref(), Ok(expected), "{line}");
    }
    // Every name is told as a test, and every test that is told is known.
    for name in ["readable", "nogroup", "newer", "xtype"] {
        assert!(is_test(name), "{name}");
    }
}

/// Paths that an expression matches as a whole, and those that it does not.
#[test]
fn regular_expressions_match_with_back_references() {
    for (line, yes, no) in [
        (r"-regex './\(.\)\1'", "./aa", "./ab"),
        (r"-iregex './\(.\)\1'", "./aA", "./ab"),
        (r"-regextype posix-extended -regex './(a|b)*/(c)\2'", "./ab/cc", "./ab/cd"),
        (r"-regextype posix-extended -regex '.*(.).*\1[[:digit:]]'", "./a-a1", "./abc1"),
        (r"-regex '.*\<\(.\)\1\>.*'", "./x aa y", "./xaa y"),
        (r"-regex './\(.\)\10'", "./aa0", "./aa"),
        (r"-regextype posix-basic -regex './\(a*\)b\1'", "./aabaa", "./aaba"),
    ] {
        let stat = |_: &Path, _, _| Err(String::new());
        let filter = Filter::new(parse(line, &context(&now, &stat)).unwrap());
        for (path, fits) in [(yes, true), (no, false)] {
            let (prefix, name) = path.split_at(path.rfind('/').unwrap() + 1);
            let passes = |entry: &brisk::Entry<'_>| brisk::unstable::passes(&filter, entry);
            let depth = prefix.matches('/').count();
            let name = name.as_bytes();
            let prefix = prefix.as_bytes();
            let found = brisk::unstable::as_entry(prefix, depth, name, FileType::File, passes);
            assert_eq!(found, Some(fits), "{line} {path}");
        }
    }
}

#[test]
fn a_test_needs_its_fields_alone() {
    let stat = |_: &Path, _, _| Err(String::new());
    let context = context(&now, &stat);
    for (line, file, link) in [
        ("-name a -o -regex b -o -type d", Fields::empty(), Fields::empty()),
        ("-size 1", Fields::SIZE, Fields::SIZE),
        ("-lname x", Fields::empty(), Fields::LINK_TARGET),
        ("-xtype f", Fields::empty(), Fields::empty()),
        ("-used 1", Fields::ATIME | Fields::CTIME, Fields::ATIME | Fields::CTIME),
        ("-empty", Fields::SIZE, Fields::empty()),
        ("-links 1 -inum 5", Fields::NLINK | Fields::INO, Fields::NLINK | Fields::INO),
    ] {
        let filter = Filter::new(parse(line, &context).unwrap());
        let found = [FileType::File, FileType::Symlink].map(|one| filter.fields(one));
        assert_eq!(found, [file, link], "{line}");
    }
}

/// What a command line says, or the messages that refuse it. Warnings come first.
fn said(words: &[&str]) -> (Vec<String>, Result<CommandLine, Ending>) {
    let known = stat_path(Backend::Native, "/".as_ref(), Fields::all(), Links::NoFollow);
    let stat = |path: &Path, _, _| match path.to_str() {
        Some("." | "./" | "stamp" | "out") => Ok(known.as_ref().unwrap().clone()),
        _ => Err("No such file or directory".to_owned()),
    };
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut warnings = Vec::new();
    let surroundings = Surroundings {
        quote: &|name| {
            let name = String::from_utf8_lossy(name).replace('\\', r"\\").replace('\'', r"\'");
            format!("'{name}'")
        },
        is_posix: false,
        warns: false,
        warn: &mut |warning| warnings.push(warning),
        prepare: &mut |_, _| Ok(()),
    };
    let said = command(&words, &context(&now, &stat), surroundings);
    (warnings, said)
}

/// What is told before anything is searched.
fn told(words: &[&str]) -> Vec<String> {
    let (mut told, said) = said(words);
    if let Err(Ending::Refused { messages, hints }) = said {
        told.extend(messages);
        told.extend(hints.then(|| "Try 'find --help' for more information.".to_owned()));
    }
    told
}

/// Command lines that GNU find refuses or warns of, and what it tells.
const REFUSED: &[(&str, &str)] = &[
    (". -foo", "unknown predicate `-foo'"),
    (". -- -name x", "unknown predicate `--'"),
    (". ---noop", "unknown predicate `---noop'"),
    (". -name", "missing argument to `-name'"),
    (". -links", "invalid argument `-links' to `-links'"),
    (". -inum --1", "invalid argument `--1' to `-inum'"),
    (". -newerxx x", "invalid predicate `-newerxx'"),
    (". -newertm x", "invalid predicate `-newertm'"),
    (". -newermt", "The '-newermt' test needs an argument"),
    (". -newermt x-y", "I cannot figure out how to interpret 'x-y' as a date or time"),
    (". -newer gone", "'gone': No such file or directory"),
    (". -samefile gone", "'gone': No such file or directory"),
    (". -mtime x", "invalid argument `x' to `-mtime'"),
    (". -mtime 1e400", "invalid argument `1e400' to `-mtime'"),
    (". -mtime --1e300", "arithmetic overflow while converting -1e300 days to a number of seconds"),
    (
        ". -amin --1e300",
        "arithmetic overflow while converting -1e300 minutes to a number of seconds",
    ),
    (". -used x", "Invalid argument x to -used"),
    (". -size 3q", "invalid -size type `q'"),
    (". -size ak", "Invalid argument `ak' to -size"),
    (". -size a1", "Invalid argument `a1' to -size"),
    (". -type fd", "Must separate multiple arguments to -type using: ','"),
    (
        ". -xtype f,",
        "Last file type in list argument to -xtype is missing, i.e., list is ending on: ','",
    ),
    (". -type f,f", "Duplicate file type 'f' in the argument list to -type."),
    (". -xtype q", "Unknown argument to -xtype: q"),
    (". -type f,,d", "Unknown argument to -type: ,"),
    (
        ". -type D",
        "-type D is not supported because Solaris doors are not supported on the platform find was \
         compiled on.",
    ),
    (". -regextype", "missing argument to `-regextype'"),
    (
        ". -regextype x",
        "Unknown regular expression type 'x'; valid types are 'findutils-default', 'ed', 'emacs', \
         'gnu-awk', 'grep', 'posix-awk', 'awk', 'posix-basic', 'posix-egrep', 'egrep', \
         'posix-extended', 'posix-minimal-basic', 'sed'.",
    ),
    (r". -regex \(", r"failed to compile regular expression '\(': Unmatched ( or \("),
    (". -maxdepth", "missing argument to `-maxdepth'"),
    (". -maxdepth -1", "Expected a positive decimal integer argument to -maxdepth, but got '-1'"),
    (". -mindepth +1", "Expected a positive decimal integer argument to -mindepth, but got '+1'"),
    (". -mindepth 99999999999", "99999999999: Numerical result out of range"),
    (". -context", "missing argument to `-context'"),
    (". -context x", "invalid predicate -context: SELinux is not enabled."),
    // Operators.
    (". !", "expected an expression after '!'"),
    (". -true -o", "expected an expression after '-o'"),
    (". -true -a -daystart", "expected an expression after '-daystart'"),
    (". -print -o", "invalid expression"),
    (
        ". -o -print",
        "invalid expression; you have used a binary operator '-o' with nothing before it.",
    ),
    (
        ". -true -a -o -print",
        "invalid expression; you have used a binary operator '-o' with nothing before it.",
    ),
    (
        ". -true , -and",
        "invalid expression; you have used a binary operator '-and' with nothing before it.",
    ),
    (". ( -not )", "expected an expression between '-not' and ')'"),
    (". ( -true -a )", "expected an expression between '-a' and ')'"),
    (". ( )", "invalid expression; empty parentheses are not allowed."),
    (". -print ( )", "invalid expression; empty parentheses are not allowed."),
    (
        ". (",
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra \
         predicate after '('",
    ),
    (
        ". -print -o (",
        "invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra \
         predicate after '('",
    ),
    (
        ". ( -true",
        "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
    ),
    (
        ". ( ( -true )",
        "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
    ),
    (". -true )", "you have too many ')'"),
    (". ( -true ) )", "you have too many ')'"),
    (". -true ) -o", "expected an expression after '-o'"),
    (
        "-files0-from x ) -print",
        "invalid expression: expected expression before closing parentheses ')'.",
    ),
    ("-daystart )", "invalid expression: expected expression before closing parentheses ')'."),
    // Paths and options.
    (". -print x", "paths must precede expression: `x'"),
    (
        "-daystart stamp",
        "paths must precede expression: `stamp'\n\
         possible unquoted pattern after predicate `-daystart'?",
    ),
    (
        ". -iname a stamp",
        "paths must precede expression: `stamp'\n\
         possible unquoted pattern after predicate `-iname'?",
    ),
    ("x -files0-from y", "extra operand 'x'\nfile operands cannot be combined with -files0-from"),
    (
        "-files0-from - -ok a ;",
        "option -files0-from reading from standard input cannot be combined with -ok, -okdir\n",
    ),
    ("-D", "Missing argument after the -D option.\nTry 'find --help' for more information."),
    ("-D ,", "Empty argument to the -D option.\nTry 'find --help' for more information."),
    ("-O . -print", "The -O option must be immediately followed by a decimal integer"),
    ("-Ox", "Please specify a decimal number immediately after -O"),
    ("-O3x", "Invalid optimisation level 3x"),
    (
        "-O99999",
        "Optimisation level 99999 is too high.  If you want to find files very quickly, consider \
         using GNU locate.",
    ),
    (
        "-O99999999999999999999999",
        "Invalid optimisation level 99999999999999999999999: Numerical result out of range",
    ),
    // Actions.
    (". -fprint", "missing argument to `-fprint'"),
    (". -fprintf x", "invalid argument `x' to `-fprintf'"),
    (". -printf", "missing argument to `-printf'"),
    (". -exec", "missing argument to `-exec'"),
    (". -exec a", "missing argument to `-exec'"),
    (". -exec a {}+ b", "missing argument to `-exec'"),
    (". -ok a {} +", "missing argument to `-ok'"),
    (". -exec ;", "invalid argument `;' to `-exec'"),
    (". -execdir {} {} +", "Only one instance of {} is supported with -execdir ... +"),
    (
        ". -exec a{} +",
        "In '-exec ... {} +' the '{}' must appear by itself, but you specified 'a{}'",
    ),
    (
        ". -delete -o -prune",
        "The -delete action automatically turns on -depth, but -prune does nothing when -depth is \
         in effect.  If you want to carry on anyway, just explicitly use the -depth option.",
    ),
    // Warnings.
    (
        ". -warn ( -maxdepth 1",
        "warning: you have specified the global option -maxdepth after the argument (, but global \
         options are not positional, i.e., -maxdepth affects tests specified before it as well as \
         those specified after it.  Please specify global options before other arguments.\n\
         invalid expression; I was expecting to find a ')' somewhere but did not see one.",
    ),
    (
        ". -warn -d -nowarn -d -foo",
        "warning: the -d option is deprecated; please use -depth instead, because the latter is a \
         POSIX-compliant feature.\n\
         unknown predicate `-foo'",
    ),
    (
        ". -warn -iname a/b -foo",
        "warning: '-iname' matches against basenames only, but the given pattern contains a \
         directory separator ('/'), thus the expression will evaluate to false all the time.  Did \
         you mean '-iwholename'?\n\
         unknown predicate `-foo'",
    ),
    (
        ". -ipath ./ -foo",
        "warning: -ipath ./ will not match anything because it ends with /.\n\
         unknown predicate `-foo'",
    ),
    ("a/ -path ?/ -foo", "unknown predicate `-foo'"),
    (
        ". -perm /000 -foo",
        "warning: you have specified a mode pattern /000 (which is equivalent to /000). The meaning \
         of -perm /000 has now been changed to be consistent with -perm -000; that is, while it \
         used to match no files, it now matches all files.\n\
         unknown predicate `-foo'",
    ),
    (
        "-D foo,bar,tree . -foo",
        "Ignoring unrecognised debug flag 'foo'\nIgnoring unrecognised debug \
        flag 'foo'\nunknown predicate `-foo'",
    ),
];

/// Those of owners and modes, which only Unix has.
const OF_UNIX: &[(&str, &str)] = &[
    (". -perm +222", "invalid mode '+222'"),
    (". -perm u", "invalid mode 'u'"),
    (". -gid -", "invalid argument `-' to `-gid'"),
    (". -user no-such", "'no-such' is not the name of a known user"),
    (". -user 1x", "'1x' is not the name of a known user"),
    (". -user 4294967294", "4294967294: Numerical result out of range"),
    (". -group x1", "'x1' is not the name of an existing group"),
    (
        ". -group 1x",
        "'1x' is not the name of an existing group and it does not look like a numeric group ID \
         because it has the unexpected suffix 'x'",
    ),
];

fn rows() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    REFUSED.iter().chain(OF_UNIX.iter().filter(|_| cfg!(unix)))
}

#[test]
#[cfg_attr(not(unix), ignore = "modes and owners are Unix's, and so is the link find")]
fn command_lines_are_refused_in_finds_words() {
    for (line, expected) in rows() {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(told(&words).join("\n"), *expected, "{line}");
    }
    for (words, expected) in EMPTY {
        assert_eq!(told(words), [*expected], "{words:?}");
    }
    assert_eq!(told(&["-D", ""])[0], "Empty argument to the -D option.");
}

/// Words without letters.
const EMPTY: &[(&[&str], &str)] = &[
    (&[".", "-xtype", ""], "Arguments to -xtype should contain at least one letter"),
    (&[".", "-size", ""], "invalid null argument to -size"),
    (&[".", "-user", ""], "The argument to -user should not be empty"),
    (&[".", "-group", ""], "argument to -group is empty, but should be a group name"),
    (
        &[".", "-maxdepth", ""],
        "Expected a positive decimal integer argument to -maxdepth, but got \'\'",
    ),
    (&[".", "-name", "a", ""], "paths must precede expression: `\'"),
];

/// What find(1) tells, without its name; `None` if GNU find 4.9 is not there. It runs in a directory
/// with a file `stamp`.
#[cfg(target_os = "linux")]
fn told_by_find(place: &Path, words: &[&str]) -> Option<String> {
    let find = |words: &[&str]| {
        let mut find = std::process::Command::new("find");
        find.args(words).current_dir(place).env("LC_ALL", "C").env_remove("POSIXLY_CORRECT");
        find.stdin(std::process::Stdio::null()).output()
    };
    let version = find(&["--version"]).ok()?.stdout;
    if !version.starts_with(b"find (GNU findutils) 4.9.0") {
        return None;
    }
    let output = find(words).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let told = told.replace("\nfind: ", "\n");
    Some(
        told.strip_prefix("find: ").unwrap_or(&told).strip_suffix('\n').unwrap_or(&told).to_owned(),
    )
}

#[cfg(target_os = "linux")]
#[test]
fn find_tells_the_same() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("stamp"), "").unwrap();
    for (line, expected) in rows() {
        let words: Vec<&str> = line.split(' ').collect();
        let Some(found) = told_by_find(place.path(), &words) else { return };
        assert_eq!(found, *expected, "{line}");
    }
    for (words, expected) in EMPTY {
        let found = told_by_find(place.path(), words);
        assert!(found.is_none_or(|found| found == *expected), "{words:?}");
    }
}

/// As often as `BRISK_EXPRESSIONS` says, or 300 times. The search starts where nothing is, so that no
/// action is reached.
#[cfg(target_os = "linux")]
#[test]
fn random_command_lines_are_refused_as_find_refuses_them() {
    const WORDS: &str = "-print -name x -type f -o -a , ! ( ) ( ) -not -true -size 1 -links +1 -prune \
        -daystart -depth -maxdepth 1 -newer stamp stamp -exec a {} ; -exec b {} + {} -printf %p -ls \
        -regex . -regextype sed -warn -nowarn -d -xdev -follow -fprint out -delete -quit -mtime -1 \
        -perm u+s -path ./ -name a/b -ok -execdir -uid 0 -iname -newermt 2020-01-01 -empty -false \
        -used 1 -group root -files0-from";
    let times = std::env::var("BRISK_EXPRESSIONS").map_or(300, |times| times.parse().unwrap());
    let pool: Vec<&str> = WORDS.split(' ').filter(|word| !word.is_empty()).collect();
    let mut below = random();
    for _ in 0..times {
        let length = 1 + below(9);
        // Mostly words that belong together.
        let mut words = vec!["gone"];
        let mut at = 0;
        for _ in 0..length {
            at = if below(3) == 0 { below(pool.len()) } else { (at + 1) % pool.len() };
            words.push(pool[at]);
            // Any other file might be made outside.
            words.extend((pool[at] == "-fprint").then_some("out"));
            // A comment that does not end is a date only there.
            words.extend((pool[at] == "-newermt").then_some("2020-01-01"));
        }
        let place = tempfile::tempdir().unwrap();
        for name in ["stamp", "out"] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        let (warnings, said) = said(&words);
        let mut told = told(&words);
        if let Ok(line) = said {
            if line.paths.len() > 1 {
                continue;
            }
            told.push("'gone': No such file or directory".to_owned());
        }
        let Some(found) = told_by_find(place.path(), &words) else { return };
        assert_eq!(told.join("\n"), found, "{words:?} {warnings:?}");
    }
}

/// The paths, the expression and the actions of a command line.
fn meant(line: &str) -> (String, String, CommandLine) {
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let mut said = said(&words).1.unwrap();
    let expr = std::mem::replace(&mut said.expr, Expr::Prune);
    let paths: Vec<_> = said.paths.iter().map(|path| path.to_str().unwrap()).collect();
    (paths.join(" "), Filter::new(expr).key().to_owned(), said)
}

#[test]
fn command_lines_mean_what_they_mean_to_find() {
    for (line, paths, expr) in [
        ("", ".", "--act 0"),
        ("a b", "a b", "--act 0"),
        ("-- a -name x", "a", r#"-name "x" --act 0"#),
        ("(1 !2 ) , - -name x", "(1 !2 ) , -", r#"-name "x" --act 0"#),
        ("-name x -o -name y", ".", r#"( -name "x" -o -name "y" ) --act 0"#),
        ("-name x -o -name y -print", ".", r#"( -name "x" -o ( -name "y" --act 0 ) )"#),
        ("-name x -prune -o -quit", ".", r#"( ( -name "x" -prune ) -o --act 0 ) --act 1"#),
        ("-print , -ls", ".", "( --act 0 , --act 1 )"),
        ("-name x -print , -name y , -ls", ".", r#"( ( -name "x" --act 0 ) , --act 1 )"#),
        ("-depth -name x -prune", ".", r#"-name "x" --act 0"#),
        ("-prune -mindepth 2", ".", "( ( --min-depth 2 -prune ) -o -true ) --act 0"),
        ("! -maxdepth 1", ".", "! -true --act 0"),
        ("-- -! -( -true -) -a -print", ".", "! -true --act 0"),
        (r"-name a\\", ".", r#"-name "a\\\\" --act 0"#),
        ("-files0-from x", "", "--act 0"),
    ] {
        let (found, key, _) = meant(line);
        // What prints holds in any case.
        let key = key.replace("( --act 0 , -true )", "--act 0");
        let key = key.replace("( --act 1 , -true )", "--act 1");
        assert_eq!((&*found, &*key), (paths, expr), "{line}");
    }
}

#[test]
fn options_and_actions_are_read() {
    let none = Options::new(false);
    let post = Order::Depth(Shape::Post);
    for (line, options) in [
        ("", none.clone()),
        ("-H -L", Options { follow: Follow::Always, ..none.clone() }),
        ("-L -P -H", Options { follow: Follow::Roots, ..none.clone() }),
        ("-follow", Options { follow: Follow::Always, ..none.clone() }),
        ("-mindepth 1 -maxdepth 02", Options { min_depth: 1, max_depth: 2, ..none.clone() }),
        ("-delete", Options { depth_first: true, order: post, ..none.clone() }),
        ("-d", Options { depth_first: true, order: post, ..none.clone() }),
        ("-S bfs -depth", Options { depth_first: true, order: Order::Breadth, ..none.clone() }),
        ("-S any -j3", Options { order: Order::Unordered, threads: Some(3), ..none.clone() }),
        ("-D explain,tree -D stats", Options { explains: true, stats: true, ..none.clone() }),
        ("-O3 -xdev -noleaf", Options { same_device: true, ..none.clone() }),
        ("-ignore_readdir_race", Options { ignores_races: true, ..none.clone() }),
        ("-ignore_readdir_race -execdir a ;", none.clone()),
        ("-warn", Options { warns: true, ..none.clone() }),
        ("-files0-from -", Options { files_from: Some("-".into()), ..none.clone() }),
        ("-okdir a ;", Options { asks: true, ..none }),
    ] {
        assert_eq!(meant(line).2.options, options, "{line}");
    }
    let line = "-fprint f -fls g -fprint0 f -printf %p -fprintf g %f -quit -delete -exec a{} {} ; \
                -execdir b {} + -ok c + ;";
    let said = meant(line).2;
    let to = |at| Some(File(at));
    let format = |text: &str| text.as_bytes().to_vec();
    let exec = |words: &str, kind, in_directory, asks| {
        let words = words.split(' ').map(OsString::from).collect();
        Action::Exec { words, kind, in_directory, asks }
    };
    assert_eq!(said.files, ["f", "g"]);
    assert_eq!(
        said.actions,
        [
            Action::Print { to: to(0), end: b'\n' },
            Action::Ls { to: to(1) },
            Action::Print { to: to(0), end: 0 },
            Action::Printf { to: None, format: format("%p") },
            Action::Printf { to: to(1), format: format("%f") },
            Action::Quit,
            Action::Delete,
            exec("a{} {}", ExecKind::Each, false, false),
            exec("b", ExecKind::Batch, true, false),
            exec("c +", ExecKind::Each, false, true),
        ]
    );
}

#[test]
fn what_ends_a_command_line_early() {
    for (line, ending) in [
        (". -help -foo", Ending::Help),
        ("--help", Ending::Help),
        ("-name x -version", Ending::Version),
        ("--version", Ending::Version),
        ("-D tree,help -foo", Ending::DebugHelp),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(said(&words).1.err(), Some(ending), "{line}");
    }
}

/// Numbers below a limit.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 42_u64;
    move |most| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % most
    }
}

/// A test with an argument of any characters.
fn any_argument(below: &mut impl FnMut(usize) -> usize) -> [String; 4] {
    const TESTS: [&str; 14] = [
        "-regex",
        "-iregex",
        "-name",
        "-path",
        "-size",
        "-perm",
        "-mtime",
        "-used",
        "-newermt",
        "-type",
        "-links",
        "-user",
        "-maxdepth",
        "-D",
    ];
    const TYPES: [&str; 6] = ["emacs", "sed", "awk", "gnu-awk", "posix-extended", "grep"];
    const CHARS: &str = r"()()[]{}\\\\*+?.^$|0123,--+:=Z @abwWsxdén/'`<>&!kfl";
    let chars: Vec<char> = CHARS.chars().collect();
    let argument: String = (0..below(9)).map(|_| chars[below(chars.len())]).collect();
    let argument = match below(8) {
        0 => format!("{argument} ago"),
        1 => format!("2020-01-01 {argument}"),
        _ => argument,
    };
    ["-regextype", TYPES[below(TYPES.len())], TESTS[below(TESTS.len())], &argument]
        .map(str::to_owned)
}

/// A hundred times as often as `BRISK_EXPRESSIONS` says, or 5,000 times.
#[test]
fn arguments_of_any_characters_are_read_or_refused() {
    let times = std::env::var("BRISK_EXPRESSIONS").map_or(50, |times| times.parse().unwrap());
    let mut below = random();
    let stat = |_: &Path, _, _| Err(String::new());
    let mut refused = 0;
    for _ in 0..100 * times {
        let words = any_argument(&mut below).map(OsString::from);
        let mut context = context(&now, &stat);
        context.length = if below(2) == 0 { |_| 1 } else { |text| 1 + usize::from(text[0] > 127) };
        let surroundings = Surroundings {
            quote: &|name| String::from_utf8_lossy(name).into_owned(),
            is_posix: false,
            warns: true,
            warn: &mut |warning| assert!(!warning.is_empty()),
            prepare: &mut |_, _| Ok(()),
        };
        match command(&words, &context, surroundings) {
            Err(Ending::Refused { messages, .. }) => {
                refused += 1;
                assert!(messages.iter().all(|message| !message.is_empty()), "{words:?}");
            }
            Ok(_) => {}
            Err(ending) => panic!("{words:?}: {ending:?}"),
        }
    }
    assert!(refused > 0 && refused < 100 * times, "{refused}");
}

/// As often as `BRISK_EXPRESSIONS` says, or 200 times.
#[cfg(target_os = "linux")]
#[test]
fn arguments_are_refused_as_find_refuses_them() {
    let place = tempfile::tempdir().unwrap();
    let times = std::env::var("BRISK_EXPRESSIONS").map_or(200, |times| times.parse().unwrap());
    let mut below = random();
    let mut differ = Vec::new();
    for _ in 0..times {
        // Of other characters find(1) shows the bytes; a comment of a date need not end there.
        let mut typed = any_argument(&mut below).map(|word| word.replace('é', "e"));
        if typed[2] == "-newermt" {
            typed[3] = typed[3].replace('(', "");
        }
        let words: Vec<&str> =
            ["gone"].into_iter().chain(typed.iter().map(|word| &**word)).collect();
        let (_, said) = said(&words);
        let mut told = told(&words);
        if said.is_ok() {
            told.push("'gone': No such file or directory".to_owned());
        }
        let Some(found) = told_by_find(place.path(), &words) else { return };
        if told.join("\n") != found {
            differ.push(format!("{words:?}: {told:?} and {found:?}"));
        }
    }
    assert!(differ.is_empty(), "{} differ: {differ:#?}", differ.len());
}
