use std::ffi::OsString;

use super::*;
use crate::ls::flags::GETOPT;
use crate::show::size::Scale;

fn plan(words: &str, env: &[(&str, &str)], terminal: bool) -> Result<Plan, Refusal> {
    let words: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
    let mut given = Given { on_terminal: terminal, ..Given::default() };
    GETOPT.read(Caller::Brisk, &words, &mut given)?;
    let var = |name: &str| {
        let mut env = env.iter().chain(&[("TERM", "xterm")]);
        env.find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
    };
    let columns = terminal.then_some(100);
    let around = Surroundings { caller: Caller::Ls, var: &var, terminal, columns };
    Plan::compiled(given, &around, |_, _, _| (Charset::Ascii, false))
}

fn ok(words: &str, env: &[(&str, &str)], terminal: bool) -> Plan {
    match plan(words, env, terminal) {
        Ok(plan) => plan,
        Err(refusal) => panic!("{words}: {}", refusal.message),
    }
}

#[test]
fn a_terminal_gets_columns_quotes_and_question_marks() {
    let there = ok("", &[], true);
    assert_eq!((there.format, there.width), (Format::Columns, 100));
    assert_eq!(
        (there.naming.quoting.style, there.naming.quoting.question_marks),
        (Style::ShellEscape, true)
    );
    let elsewhere = ok("", &[], false);
    assert_eq!((elsewhere.format, elsewhere.naming.quoting.style), (Format::Lines, Style::Literal));
    assert!(!elsewhere.naming.quoting.question_marks);
    assert!(!elsewhere.naming.aligns && there.naming.aligns);
}

#[test]
fn what_auto_means() {
    assert!(ok("--color=auto", &[], true).colors.is_some());
    assert!(ok("--color=auto", &[], false).colors.is_none());
    assert!(ok("--color=auto", &[("NO_COLOR", "1")], true).colors.is_none());
    assert!(ok("--color=auto", &[("CLICOLOR_FORCE", "1")], false).colors.is_some());
    assert!(ok("--color=auto", &[("CLICOLOR_FORCE", "0")], false).colors.is_none());
    assert!(ok("--color", &[("NO_COLOR", "1")], false).colors.is_some());
    assert!(ok("", &[("CLICOLOR_FORCE", "1")], true).colors.is_none());
}

#[test]
fn widths_come_from_the_option_the_terminal_or_the_environment() {
    assert_eq!(ok("-C -w0", &[], true).width, 0);
    assert_eq!(ok("-C", &[("COLUMNS", "40")], true).width, 100);
    assert_eq!(ok("-C", &[("COLUMNS", "40")], false).width, 40);
    let bad = ok("-C", &[("COLUMNS", "x"), ("TABSIZE", "y")], false);
    assert_eq!((bad.width, bad.tab), (80, 8));
}

#[test]
fn units_by_option_and_environment() {
    let scales = |words: &str, env: &[(&str, &str)]| {
        let sheet = ok(words, env, false).sheet;
        (sheet.block_scale, sheet.size_scale)
    };
    let one = Scale::units(1);
    let kilo = Scale::units(1024);
    assert_eq!(scales("-l", &[]), (kilo, one));
    assert_eq!(scales("-l", &[("POSIXLY_CORRECT", "")]), (Scale::units(512), one));
    assert_eq!(scales("-l", &[("BLOCKSIZE", "512")]), (Scale::units(512), one));
    // Of a number with an unknown unit GNU takes the number.
    assert_eq!(scales("-l", &[("LS_BLOCK_SIZE", "7x")]), (Scale::units(7), Scale::units(7)));
    assert_eq!(scales("-l", &[("BLOCK_SIZE", "7")]), (Scale::units(7), Scale::units(7)));
    assert_eq!(scales("-lk", &[("BLOCK_SIZE", "7")]), (kilo, Scale::units(7)));
    assert_eq!(scales("-lh", &[("BLOCK_SIZE", "7")]), (Scale::BINARY, Scale::BINARY));
}

#[test]
fn times_sort_unless_they_are_shown() {
    assert_eq!(ok("-c", &[], false).arrangement.by, Sort::Time);
    assert_eq!(ok("-lc", &[], false).arrangement.by, Sort::Name);
    assert_eq!(ok("-ltc", &[], false).arrangement.by, Sort::Time);
    assert_eq!(ok("-cU", &[], false).arrangement.by, Sort::Unsorted);
}

#[test]
fn time_styles_are_judged_where_times_are_shown() {
    assert!(plan("--time-style=x", &[], false).is_ok());
    assert!(plan("-l --time-style=x", &[], false).is_err());
    assert!(plan("-l", &[("TIME_STYLE", "x")], false).is_err());
    assert!(plan("-l --dired --zero", &[], false).is_err());
    assert!(
        ok("-l --dired", &[], false).naming.dired
            && !ok("-C --dired --zero", &[], false).naming.dired
    );
}

#[test]
fn the_locale_is_named_by_the_first_variable_that_is_filled() {
    let var = |name: &str| match name {
        "LC_ALL" => Some(OsString::new()),
        "LC_TIME" => Some(OsString::from("de_DE")),
        "LANG" => Some(OsString::from("C")),
        _ => None,
    };
    let around = Surroundings { caller: Caller::Ls, var: &var, terminal: false, columns: None };
    assert_eq!(surroundings::locale_name(&around, "LC_TIME"), "de_DE");
    assert!(
        surroundings::is_hard(&around, "LC_TIME") && !surroundings::is_hard(&around, "LC_COLLATE")
    );
}
