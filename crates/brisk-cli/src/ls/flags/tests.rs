use std::ffi::OsString;

use super::*;
use crate::front::Answer;
use crate::front::flags;
use crate::front::getopt::Mixing;
use crate::front::{StatsForm, When};
use crate::show::long::Indicator;
use crate::show::quoting::Style;
use crate::show::size::Scale;
use crate::show::time::Stamp;

fn given(words: &[&str]) -> Result<Given, Refusal> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut given = Given::default();
    GETOPT.read(Caller::Brisk, &words, Mixing::Free, &mut given).map(|()| given)
}

fn ok(words: &[&str]) -> Given {
    given(words).unwrap_or_else(|refusal| panic!("{words:?}: {}", refusal.message))
}

/// Whether a flag was set.
type Check = fn(&Given) -> bool;

/// Every flag under each of its names, and what it sets.
const EACH: &[(&[&str], Check)] = &[
    (&["-a", "--all"], |given| given.selection.hidden == Hidden::All),
    (&["-A", "--almost-all"], |given| given.selection.hidden == Hidden::AlmostAll),
    (&["-B", "--ignore-backups"], |given| given.selection.ignore == ["*~", ".*~"]),
    (&["-Ix", "--ignore=x"], |given| given.selection.ignore == ["x"]),
    (&["--hide=x"], |given| given.selection.hide == ["x"]),
    (&["-d", "--directory"], |given| given.selection.themselves),
    (&["-R", "--recursive"], |given| given.selection.recursive),
    (&["-L", "--dereference"], |given| given.selection.dereference == Some(Dereference::Always)),
    (&["-H", "--dereference-command-line"], |given| {
        given.selection.dereference == Some(Dereference::Paths)
    }),
    (&["--dereference-command-line-symlink-to-dir"], |given| {
        given.selection.dereference == Some(Dereference::PathsToDirectories)
    }),
    (&["-C", "--format=vertical", "--layout=vertical"], |given| {
        given.shape.format == Some(Format::Columns)
    }),
    (&["-x", "--format=across"], |given| given.shape.format == Some(Format::Across)),
    (&["-m", "--format=commas"], |given| given.shape.format == Some(Format::Commas)),
    (&["-1", "--format=single-column"], |given| given.shape.format == Some(Format::Lines)),
    (&["-l", "--format=long"], |given| given.shape.format == Some(Format::Long)),
    (&["-w5", "--width=5"], |given| given.shape.width == Some(5)),
    (&["-T5", "--tabsize=5"], |given| given.shape.tab == Some(5)),
    (&["--zero"], |given| given.shape.zero && given.naming.style == Some(Style::Literal)),
    (&["-S", "--sort=size"], |given| given.sorting.by == Some(Sort::Size)),
    (&["-t", "--sort=time"], |given| given.sorting.by == Some(Sort::Time)),
    (&["-X", "--sort=extension"], |given| given.sorting.by == Some(Sort::Extension)),
    (&["-v", "--sort=version"], |given| given.sorting.by == Some(Sort::Version)),
    (&["-U", "--sort=none"], |given| given.sorting.by == Some(Sort::Unsorted)),
    (&["--sort=width"], |given| given.sorting.by == Some(Sort::Width)),
    (&["-f"], |given| given.selection.hidden == Hidden::All),
    (&["-r", "--reverse"], |given| given.sorting.reverse),
    (&["--group-directories-first"], |given| given.sorting.directories_first),
    (&["-g"], |given| given.details.columns.without_owner),
    (&["-o", "-G", "--no-group"], |given| given.details.columns.without_group),
    (&["--author"], |given| given.details.columns.author),
    (&["-n", "--numeric-uid-gid"], |given| given.details.columns.numeric),
    (&["-i", "--inode"], |given| given.details.columns.inode),
    (&["-s", "--size"], |given| given.details.columns.blocks),
    (&["-h", "--human-readable"], |given| given.details.scale == Some(Scale::BINARY)),
    (&["--si"], |given| given.details.scale == Some(Scale::DECIMAL)),
    (&["-k", "--kibibytes"], |given| given.details.kibibytes),
    (&["--block-size=7"], |given| given.details.scale == Some(Scale::units(7))),
    (&["-Z", "--context"], |given| given.details.columns.context),
    (&["-c", "--time=ctime"], |given| given.details.time == Stamp::Changed),
    (&["-u", "--time=access"], |given| given.details.time == Stamp::Accessed),
    (&["--time=birth"], |given| given.details.time == Stamp::Born),
    (&["--time-style=iso"], |given| given.details.time_style == Some("iso".into())),
    (&["--full-time"], |given| given.details.time_style == Some("full-iso".into())),
    (&["-F", "--classify", "--indicator-style=classify"], |given| {
        given.naming.indicator == Indicator::Classify
    }),
    (&["--file-type"], |given| given.naming.indicator == Indicator::FileType),
    (&["-p"], |given| given.naming.indicator == Indicator::Slash),
    (&["--color"], |given| given.naming.color == Some(When::Always)),
    (&["--color=auto"], |given| given.naming.color == Some(When::Auto)),
    (&["--hyperlink"], |given| given.naming.hyperlink == Some(When::Always)),
    (&["-N", "--literal"], |given| given.naming.style == Some(Style::Literal)),
    (&["-b", "--escape"], |given| given.naming.style == Some(Style::Escape)),
    (&["-Q", "--quote-name"], |given| given.naming.style == Some(Style::C)),
    (&["--quoting-style=c-maybe"], |given| given.naming.style == Some(Style::CMaybe)),
    (&["-q", "--hide-control-chars"], |given| given.naming.question_marks == Some(true)),
    (&["--show-control-chars"], |given| given.naming.question_marks == Some(false)),
    (&["-D", "--dired"], |given| given.shape.dired),
    (&["--tree"], |given| given.beyond.tree),
    (&["--max-depth=2"], |given| given.beyond.max_depth == Some(2)),
    (&["--git-ignore"], |given| given.beyond.git_ignore),
    (&["--json"], |given| given.beyond.json),
    (&["--icons"], |given| given.beyond.icons),
    (&["--explain"], |given| given.beyond.run.explain),
    (&["--stats=json"], |given| given.beyond.run.stats == Some(StatsForm::Json)),
    (&["--threads=3"], |given| given.beyond.run.threads.is_some_and(|threads| threads.get() == 3)),
    (&["--cached"], |given| given.beyond.run.cached),
    (&["--no-config"], |given| given.beyond.no_config),
    (&["--help"], |given| given.beyond.run.answer == Some(Answer::Help)),
    (&["--version"], |given| given.beyond.run.answer == Some(Answer::Version)),
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
    for flag in flags(&GETOPT.table) {
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
    assert_eq!(ok(&["-l", "-1"]).shape.format, Some(Format::Long));
    assert_eq!(ok(&["-1", "-C"]).shape.format, Some(Format::Columns));
    assert_eq!(ok(&["-lf"]).shape.format, None);
    assert_eq!(ok(&["-fl"]).shape.format, Some(Format::Long));
    assert_eq!(ok(&["--color", "-f"]).naming.color, Some(When::Never));
    assert_eq!(ok(&["-f", "--color"]).naming.color, Some(When::Always));
    assert_eq!(ok(&["-tU"]).sorting.by, Some(Sort::Unsorted));
}

#[test]
fn words_are_read_as_getopt_reads_them() {
    assert_eq!(ok(&["a", "-l", "--", "-b"]).paths, ["a", "-b"]);
    assert_eq!(ok(&["-"]).paths, ["-"]);
    assert_eq!(ok(&["-laI", "x", "y"]).selection.ignore, ["x"]);
    assert!(ok(&["--recur"]).selection.recursive);
    assert!(ok(&["--help", "--nonsense"]).beyond.run.answer.is_some());
    let words = ["a".into(), "-l".into()];
    let mut strict = Given::default();
    assert_eq!(GETOPT.read(Caller::Brisk, &words, Mixing::OperandsLast, &mut strict), Ok(()));
    assert_eq!(strict.paths, ["a", "-l"]);
}

/// Options that only brisk has are matched after GNU's: they make no abbreviation of GNU's names
/// ambiguous.
#[test]
fn own_options_do_not_disturb_abbreviations() {
    assert_eq!(ok(&["--li"]).naming.style, Some(Style::Literal));
    assert!(ok(&["--max=3"]).beyond.max_depth.is_some());
    assert!(ok(&["--tr"]).beyond.tree);
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
