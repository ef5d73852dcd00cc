//! The flag table against command lines: every flag has a case, every refusal is a refusal.

use clap::error::ErrorKind;

use super::*;

/// Command lines, words separated by spaces, each with what must hold of the options.
pub(super) type Cases = &'static [(&'static str, fn(&Options) -> bool)];

fn parse(line: &str) -> Result<Options, clap::Error> {
    let mut options = Options::default();
    let words = line.split_whitespace().map(OsString::from);
    read_layer(&mut command(Caller::Brisk), words, &mut options)?;
    Ok(options)
}

fn cases() -> impl Iterator<Item = &'static (&'static str, fn(&Options) -> bool)> {
    [
        matching::CASES,
        ignoring::CASES,
        walking::CASES,
        filtering::CASES,
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
    for flag in table() {
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

#[test]
fn what_is_refused() {
    use ErrorKind::*;
    for (line, kind) in [
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
    ] {
        match parse(line) {
            Ok(options) => panic!("{line} was accepted: {options:?}"),
            Err(error) => assert_eq!(error.kind(), kind, "{line}: {error}"),
        }
    }
}

#[test]
fn a_later_layer_overrides_an_earlier_one_and_conflicts_with_none() {
    let mut options = Options::default();
    let mut command = command(Caller::Brisk);
    for layer in ["-u -g -E a", "--no-hidden -F -E b p"] {
        let words = layer.split_whitespace().map(OsString::from);
        read_layer(&mut command, words, &mut options).unwrap();
    }
    assert!(options.ignoring.no_ignore && !options.ignoring.hidden);
    assert_eq!(options.matching.syntax, Syntax::Fixed);
    assert_eq!(options.ignoring.exclude, ["a", "b"]);
    assert_eq!(options.matching.pattern, "p");
}
