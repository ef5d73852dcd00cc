//! The flag table against command lines: every flag has a case, and every refusal is tested.

use clap::error::ErrorKind;

use super::*;
use crate::filter::Syntax;
use crate::find::options::Output;

/// Command lines, words separated by spaces, each with what must hold of the options.
pub(super) type Cases = &'static [(&'static str, fn(&Options) -> bool)];

fn parse(line: &str) -> Result<Options, clap::Error> {
    let mut options = Options::default();
    read_with_clap(Caller::Brisk, Origin::CommandLine, &split(line), &mut options)?;
    Ok(options)
}

fn split(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn cases() -> impl Iterator<Item = &'static (&'static str, fn(&Options) -> bool)> {
    [
        shared::MATCHING,
        shared::IGNORING,
        walking::CASES,
        shared::FILTERING,
        output::CASES,
        running::CASES,
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_case_sets_what_it_says() {
    for (line, holds) in cases() {
        let options = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(holds(&options), "{line}: {options:?}");
    }
}

#[test]
fn every_flag_and_alias_has_a_case() {
    let said = |wanted: &str| {
        cases().any(|(line, _)| {
            let mut words = line.split_whitespace();
            words.any(|word| word == wanted || word.starts_with(&format!("{wanted}=")))
        })
    };
    for flag in flags(TABLE) {
        let long = (!flag.short_only).then_some(flag.name);
        for name in long.iter().chain(flag.aliases).chain(&flag.inverse) {
            let name = format!("--{name}");
            assert!(said(&name), "no case for {name}");
        }
    }
}

#[test]
fn the_table_is_sound() {
    command(Caller::Brisk).debug_assert();
    command(Caller::Fd).debug_assert();
}

/// Lines that are refused, or answered by clap itself.
const REFUSED: &[(&str, ErrorKind)] = {
    use ErrorKind::*;
    &[
        ("-g -F", ArgumentConflict),
        ("--exact -g", ArgumentConflict),
        ("--exact -F", ArgumentConflict),
        ("-l -a", ArgumentConflict),
        ("-l -0", ArgumentConflict),
        ("-l -1", ArgumentConflict),
        ("-l -x echo", ArgumentConflict),
        ("-l --format {}", ArgumentConflict),
        ("-q --max-results 1", ArgumentConflict),
        ("-1 -x echo", ArgumentConflict),
        ("-q -X echo", ArgumentConflict),
        ("--max-results 3 -x echo", ArgumentConflict),
        ("-x echo ; -X echo", ArgumentConflict),
        ("--prune -S 1b", ArgumentConflict),
        ("--prune --exact-depth 1", ArgumentConflict),
        ("--exact-depth 1 -d 1", ArgumentConflict),
        ("--exact-depth 1 --min-depth 1", ArgumentConflict),
        ("p path --search-path x", ArgumentConflict),
        ("p path --strip-cwd-prefix", ArgumentConflict),
        ("--search-path x --strip-cwd-prefix", ArgumentConflict),
        ("--json --format {}", ArgumentConflict),
        ("--batch-size 3", MissingRequiredArgument),
        ("-t q", InvalidValue),
        ("-S 1", ValueValidation),
        ("-S 1x", ValueValidation),
        ("-j 0", ValueValidation),
        ("-d x", ValueValidation),
        ("-o a:b:c", ValueValidation),
        ("-e -H", InvalidValue),
        ("--frobnicate", UnknownArgument),
        ("--order sideways", InvalidValue),
        ("--color", InvalidValue),
        ("-h", DisplayHelp),
        ("-V", DisplayVersion),
    ]
};

#[test]
fn what_is_refused() {
    for (line, kind) in REFUSED {
        match parse(line) {
            Ok(options) => panic!("{line} was accepted: {options:?}"),
            Err(error) => assert_eq!(error.kind(), *kind, "{line}: {error}"),
        }
    }
}

/// What the quick reader accepts, clap accepts and understands in the same way.
fn quick_and_clap_agree(line: &str) {
    let quick = quick::read(TABLE, Origin::CommandLine, &split(line), &Options::default());
    let Some(quick) = quick else { return };
    match parse(line) {
        Ok(options) => assert_eq!(format!("{quick:?}"), format!("{options:?}"), "{line}"),
        Err(error) => panic!("{line}: clap refuses: {error}"),
    }
}

#[test]
fn the_quick_reader_agrees_with_clap() {
    let cases: Vec<&str> = cases().map(|(line, _)| *line).collect();
    let refused: Vec<&str> = REFUSED.iter().map(|(line, _)| *line).collect();
    let odd = ["-tf=x", "-t=f", "--type=", "-e", "-ers", "-", "-- -x", "a -- b c", "-uHI a", "-1u"];
    let lines: Vec<&str> = cases.into_iter().chain(refused).chain(odd).collect();
    for one in &lines {
        quick_and_clap_agree(one);
        for other in &lines {
            quick_and_clap_agree(&format!("{one} {other}"));
        }
    }
}

#[test]
fn ordinary_lines_are_read_quickly() {
    for line in [
        "",
        "-u",
        "-uu pattern dir",
        "-HI -tf -e rs -e toml -S +1k -d3 --changed-within 1d .",
        "--order=sorted --stats --color never -E node_modules -j 4 . a b",
        "-g *.rs -0 -a -q",
        "-- -dash",
    ] {
        let quick = quick::read(TABLE, Origin::CommandLine, &split(line), &Options::default());
        assert!(quick.is_some(), "{line}");
    }
}

#[test]
fn a_later_layer_overrides_an_earlier_one_and_conflicts_with_none() {
    let mut options = Options::default();
    for (origin, layer) in
        [(Origin::Configuration, "-u -g -E a"), (Origin::CommandLine, "--no-hidden -F -E b p")]
    {
        read_layer(Caller::Brisk, origin, &split(layer), &mut options).unwrap();
    }
    assert!(options.ignoring.no_ignore && !options.ignoring.hidden);
    assert_eq!(options.matching.syntax, Syntax::Fixed);
    assert_eq!(options.ignoring.exclude, ["a", "b"]);
    assert_eq!(options.matching.pattern, "p");
}

/// Lines that configuration may not hold, and how the refusal names the word.
const TYPED_ONLY: &[(&str, &str)] = &[
    ("p", "a pattern"),
    ("p path", "a pattern"),
    ("--and p", "--and"),
    ("-1", "-1"),
    ("--max-results 3", "--max-results"),
    ("-q", "--quiet"),
    ("-x echo", "--exec"),
    ("-X echo", "--exec-batch"),
    ("-H --batch-size 3 -X echo", "--exec-batch"),
    ("--delete", "--delete"),
    ("-C x", "--base-directory"),
    ("--search-path x", "--search-path"),
    ("--no-config", "--no-config"),
    ("--gen-completions=zsh", "--gen-completions"),
];

#[test]
fn configuration_says_how_and_never_what() {
    for (line, word) in TYPED_ONLY {
        let read =
            read_layer(Caller::Brisk, Origin::Configuration, &split(line), &mut Options::default());
        let why = read.err().unwrap_or_else(|| panic!("{line} was accepted")).to_string();
        let expected = format!("error: {word} is accepted only on the command line");
        assert_eq!(why.lines().next(), Some(&*expected), "{line}");
    }
    let refused = |flag: &&Flag| TYPED_ONLY.iter().any(|(_, word)| *word == flag.spelling());
    for flag in flags(TABLE).filter(|flag| flag.typed_only) {
        assert!(refused(&flag) || flag.requires.is_some(), "no case for {}", flag.spelling());
    }
    let how = "-H -I -u -E a --exclude-regex b -L -d 3 --min-depth 1 --one-file-system \
               --order sorted --unique --cached -j 4 -t f -e rs -S +1k --newer 1d -o 0 -s -g -p \
               -a --format {} --color never --hyperlink --max-errors 3 --stats --explain";
    read_layer(Caller::Brisk, Origin::Configuration, &split(how), &mut Options::default()).unwrap();
}

/// The form that a layer names replaces the form of an earlier layer.
#[test]
fn a_later_form_replaces_an_earlier_one() {
    let forms = ["-l", "--json", "--format {}", "-0"];
    for earlier in forms {
        for later in forms {
            let mut options = Options::default();
            for layer in [earlier, later] {
                read_layer(Caller::Brisk, Origin::CommandLine, &split(layer), &mut options)
                    .unwrap();
            }
            let Output { details, json, format, print0, .. } = options.output;
            let told = (details, json, format.is_some(), print0);
            match later {
                "-l" => assert_eq!(told, (true, false, false, false), "{earlier}"),
                "--json" => assert_eq!(told, (false, true, false, false), "{earlier}"),
                "-0" => assert_eq!((told.0, told.1, told.3), (false, false, true), "{earlier}"),
                _ => assert_eq!((told.0, told.1, told.2), (false, false, true), "{earlier}"),
            }
        }
    }
}
