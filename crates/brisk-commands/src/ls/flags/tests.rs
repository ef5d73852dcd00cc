use std::ffi::OsString;

use super::*;
use crate::front::Answer;
use crate::front::Specs;
use crate::front::{StatsForm, When};
use crate::show::long::Indicator;
use crate::show::quoting::Style;
use crate::show::size::Scale;
use brisk_filter::Stamp;

fn given(words: &[&str]) -> Result<Given, Refusal> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut given = Given::default();
    GETOPT.read(Caller::Ls, &words, &mut given).map(|()| given)
}

fn ok(words: &[&str]) -> Given {
    given(words).unwrap_or_else(|refusal| panic!("{words:?}: {}", refusal.message))
}

/// Whether a flag was set.
type Check = fn(&Given) -> bool;

/// Every flag under each of its names, and what it sets.
const EACH: &[(&[&str], Check)] = &[
    (&["-a", "--all"], |given| given.hidden == Hidden::All),
    (&["-A", "--almost-all"], |given| given.hidden == Hidden::AlmostAll),
    (&["-B", "--ignore-backups"], |given| given.ignore == ["*~", ".*~"]),
    (&["-Ix", "--ignore=x"], |given| given.ignore == ["x"]),
    (&["--hide=x"], |given| given.hide == ["x"]),
    (&["-d", "--directory"], |given| given.themselves),
    (&["-R", "--recursive"], |given| given.recursive),
    (&["-L", "--dereference"], |given| given.dereference == Some(Dereference::Always)),
    (&["-H", "--dereference-command-line"], |given| given.dereference == Some(Dereference::Paths)),
    (&["--dereference-command-line-symlink-to-dir"], |given| {
        given.dereference == Some(Dereference::PathsToDirectories)
    }),
    (&["-C", "--format=vertical", "--layout=vertical"], |given| {
        given.format == Some(Format::Columns)
    }),
    (&["-x", "--format=across"], |given| given.format == Some(Format::Across)),
    (&["-m", "--format=commas"], |given| given.format == Some(Format::Commas)),
    (&["-1", "--format=single-column"], |given| given.format == Some(Format::Lines)),
    (&["-l", "--format=long"], |given| given.format == Some(Format::Long)),
    (&["-w5", "--width=5"], |given| given.width == Some(5)),
    (&["-T5", "--tabsize=5"], |given| given.tab == Some(5)),
    (&["--zero"], |given| given.zero && given.style == Some(Style::Literal)),
    (&["-S", "--sort=size"], |given| given.sort == Some(Sort::Size)),
    (&["-t", "--sort=time"], |given| given.sort == Some(Sort::Time)),
    (&["-X", "--sort=extension"], |given| given.sort == Some(Sort::Extension)),
    (&["-v", "--sort=version"], |given| given.sort == Some(Sort::Version)),
    (&["-U", "--sort=none"], |given| given.sort == Some(Sort::Unsorted)),
    (&["--sort=width"], |given| given.sort == Some(Sort::Width)),
    (&["-f"], |given| given.hidden == Hidden::All),
    (&["-r", "--reverse"], |given| given.reverse),
    (&["--group-directories-first"], |given| given.directories_first),
    (&["-g"], |given| given.columns.without_owner),
    (&["-o", "-G", "--no-group"], |given| given.columns.without_group),
    (&["--author"], |given| given.columns.author),
    (&["-n", "--numeric-uid-gid"], |given| given.columns.numeric),
    (&["-i", "--inode"], |given| given.columns.inode),
    (&["-s", "--size"], |given| given.columns.blocks),
    (&["-h", "--human-readable"], |given| given.scale == Some(Scale::BINARY)),
    (&["--si"], |given| given.scale == Some(Scale::DECIMAL)),
    (&["-k", "--kibibytes"], |given| given.kibibytes),
    (&["--block-size=7"], |given| given.scale == Some(Scale::units(7))),
    (&["-Z", "--context"], |given| given.columns.context),
    (&["-c", "--time=ctime"], |given| given.time == Stamp::Changed),
    (&["-u", "--time=access"], |given| given.time == Stamp::Accessed),
    (&["--time=birth"], |given| given.time == Stamp::Born),
    (&["--time-style=iso"], |given| given.time_style == Some("iso".into())),
    (&["--full-time"], |given| given.time_style == Some("full-iso".into())),
    (&["-F", "--classify", "--indicator-style=classify"], |given| {
        given.indicator == Indicator::Classify
    }),
    (&["--file-type"], |given| given.indicator == Indicator::FileType),
    (&["-p"], |given| given.indicator == Indicator::Slash),
    (&["--color"], |given| given.color == Some(When::Always)),
    (&["--color=auto"], |given| given.color == Some(When::Auto)),
    (&["--hyperlink"], |given| given.hyperlink == Some(When::Always)),
    (&["-N", "--literal"], |given| given.style == Some(Style::Literal)),
    (&["-b", "--escape"], |given| given.style == Some(Style::Escape)),
    (&["-Q", "--quote-name"], |given| given.style == Some(Style::C)),
    (&["--quoting-style=c-maybe"], |given| given.style == Some(Style::CMaybe)),
    (&["-q", "--hide-control-chars"], |given| given.question_marks == Some(true)),
    (&["--show-control-chars"], |given| given.question_marks == Some(false)),
    (&["-D", "--dired"], |given| given.dired),
    (&["--tree"], |given| given.tree),
    (&["--max-depth=2"], |given| given.max_depth == Some(2)),
    (&["--git-ignore"], |given| given.git_ignore),
    (&["--json"], |given| given.json),
    (&["--icons"], |given| given.icons),
    (&["--explain"], |given| given.common.explain),
    (&["--stats=json"], |given| given.common.stats == Some(StatsForm::Json)),
    (&["--threads=3"], |given| given.common.threads.is_some_and(|threads| threads.get() == 3)),
    (&["--cached"], |given| given.common.cached),
    (&["--no-config"], |given| given.no_config),
    (&["--help"], |given| given.common.answer == Some(Answer::Help)),
    (&["--version"], |given| given.common.answer == Some(Answer::Version)),
];

#[test]
fn each_flag_sets_what_it_says() {
    for (spellings, check) in EACH {
        assert!(!check(&Given::default()), "{spellings:?} is set from the beginning");
        for spelling in *spellings {
            assert!(check(&ok(&[spelling])), "{spelling}");
        }
    }
}

#[test]
fn each_flag_of_the_table_is_tried_above() {
    let tried: Vec<&str> = EACH.iter().flat_map(|(spellings, _)| *spellings).copied().collect();
    for flag in GETOPT.table.specs() {
        let spelling = flag.spelling();
        let is_tried = tried.iter().any(|word| match flag.is_letter() {
            true => word.starts_with(&spelling),
            false => word.split('=').next() == Some(&spelling),
        });
        assert!(is_tried, "{spelling}");
        assert!(flag.brief.len() > 10 && !flag.brief.ends_with('.'), "{}", flag.brief);
    }
}

#[test]
fn clap_takes_the_table() {
    for caller in [Caller::Brisk, Caller::Ls] {
        command(caller).debug_assert();
    }
}

#[test]
fn the_last_one_counts() {
    assert_eq!(ok(&["-l", "-1"]).format, Some(Format::Long));
    assert_eq!(ok(&["-1", "-C"]).format, Some(Format::Columns));
    assert_eq!(ok(&["-lf"]).format, None);
    assert_eq!(ok(&["-fl"]).format, Some(Format::Long));
    assert_eq!(ok(&["--color", "-f"]).color, Some(When::Never));
    assert_eq!(ok(&["-f", "--color"]).color, Some(When::Always));
    assert_eq!(ok(&["-tU"]).sort, Some(Sort::Unsorted));
}

#[test]
fn words_are_read_as_getopt_reads_them() {
    assert_eq!(ok(&["a", "-l", "--", "-b"]).paths, ["a", "-b"]);
    assert_eq!(ok(&["-"]).paths, ["-"]);
    assert_eq!(ok(&["-laI", "x", "y"]).ignore, ["x"]);
    assert!(ok(&["--recur"]).recursive);
    assert!(ok(&["--help", "--nonsense"]).common.answer.is_some());
}

/// Options that only brisk has make no abbreviation of GNU's names ambiguous, and have none. Under
/// brisk's own name no option has one.
#[test]
fn only_gnus_names_are_abbreviated() {
    assert_eq!(ok(&["--li"]).style, Some(Style::Literal));
    assert!(ok(&["--max-depth=3"]).max_depth.is_some());
    let refusal = |words| given(words).map(|_| ()).unwrap_err().message;
    assert_eq!(refusal(&["--git"]), "unrecognized option '--git'");
    assert_eq!(refusal(&["--max=3"]), "unrecognized option '--max=3'");
    for (word, message) in [
        ("--git", "unrecognized option '--git': names are written in full: --git-ignore"),
        ("--rec", "unrecognized option '--rec': names are written in full: --recursive"),
        (
            "--hid",
            "unrecognized option '--hid': names are written in full: --hide, --hide-control-chars",
        ),
    ] {
        let mut given = Given::default();
        let read = GETOPT.read(Caller::Brisk, &[word.into()], &mut given);
        assert_eq!(read.unwrap_err().message, message);
    }
    let message = given(&["--t"]).map(|_| ()).unwrap_err().message;
    let expected = "option '--t' is ambiguous; possibilities: '--tabsize' '--time' '--time-style'";
    assert_eq!(message, expected);
}

#[test]
fn each_style_has_its_word() {
    let words = ["literal", "shell", "shell-always", "shell-escape", "shell-escape-always"];
    for word in words.into_iter().chain(["c", "c-maybe", "escape", "locale", "clocale"]) {
        assert_eq!(style_of(word.as_ref()).map(word_of), Some(word));
    }
}
