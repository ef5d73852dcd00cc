//! The command line, against GNU rm's manual.

use std::path::PathBuf;

use super::*;
use crate::front::StatsForm;

fn words(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn given(line: &str) -> Options {
    read(Caller::Brisk, &words(line)).unwrap()
}

fn as_rm(line: &str) -> Options {
    read(Caller::Rm, &words(line)).unwrap()
}

#[test]
fn the_last_of_force_and_questions_is_in_force() {
    for (line, prompt, force) in [
        ("-fi", Prompt::Always, false),
        ("-if", Prompt::Never, true),
        ("-fI", Prompt::Once, false),
        ("-I --interactive=never", Prompt::Never, false),
        ("-f --interactive=never", Prompt::Never, true),
        ("--interactive", Prompt::Always, false),
        ("--interactive=n", Prompt::Never, false),
        ("--inter=onc", Prompt::Once, false),
        ("", Prompt::IfProtected, false),
    ] {
        let options = as_rm(line);
        assert_eq!((options.prompt, options.force), (prompt, force), "{line}");
    }
}

#[test]
fn names_come_anywhere_and_may_begin_with_a_dash() {
    let options = given("a -r - b -- -f --");
    assert_eq!(options.paths, ["a", "-", "b", "-f", "--"].map(PathBuf::from));
    assert!(options.recursive && !options.force);
}

#[test]
fn abbreviations_are_gnus() {
    assert!(as_rm("--rec").recursive && as_rm("--d").empty_dirs && as_rm("--f").force);
    assert!(given("--dry-run").dry_run && given("--finish").finish);
    assert_eq!(as_rm("--pres=all").preserve, Preserve::RootAndMounts);
    assert!(given("---presume-input-tty").presume_terminal);
    for (line, message, hint) in [
        ("--no", "you may not abbreviate the --no-preserve-root option", false),
        ("--ver", "option '--ver' is ambiguous; possibilities: '--verbose' '--version'", true),
        ("--foo", "unrecognized option '--foo'", true),
        ("--force=x", "option '--force' doesn't allow an argument", true),
        ("-rZ", "invalid option -- 'Z'", true),
        ("--preserve-root=x", "unrecognized --preserve-root argument: 'x'", false),
        ("--older-than", "option '--older-than' requires an argument", true),
        (
            "--older-than soon",
            "invalid argument 'soon' for '--older-than': write an age as 30d, a date as 2026-01-31, or yesterday",
            true,
        ),
        (
            "--older-than 1m",
            "'1m' for '--older-than' may be minutes or months: write min or mo",
            true,
        ),
        (
            "--older-than -30d",
            "'-30d' for '--older-than' lies in the future: write an age as 30d, a date as \
             2026-01-31, or yesterday",
            true,
        ),
        ("--background -i x", "--background cannot be used with --interactive", true),
        ("--background --json x", "--background cannot be used with --json", true),
        ("--finish --older-than 1d", "--finish cannot be used with --older-than", true),
        ("--finish -d", "--finish cannot be used with --dir", true),
        ("--finish x", "--finish takes no files: extra operand 'x'", true),
        ("--finish --list -I", "--list cannot be used with --interactive", true),
        ("--finish --list --explain", "--list cannot be used with --explain", true),
        ("--list", "--list needs --finish", true),
        ("--files0-from=l --finish", "--finish cannot be used with --files0-from", true),
        ("--files0-from=l --background", "--background cannot be used with --files0-from", true),
        ("--files0-from=- -i", "--files0-from=- cannot be used with --interactive", true),
        (
            "--files0-from=l a b",
            "extra operand 'a'\nfile operands cannot be combined with --files0-from",
            true,
        ),
    ] {
        let refusal = read(Caller::Rm, &words(line)).unwrap_err();
        assert_eq!((refusal.message.as_str(), refusal.has_hint), (message, hint), "{line}");
    }
}

#[test]
fn finish_obeys_what_means_something() {
    let options = given("--finish -rfv --dry-run --stats --json --threads 2");
    assert!(options.finish && options.dry_run && options.verbose && options.json);
    assert_eq!(options.common.stats, Some(StatsForm::Text));
    assert_eq!(given("--stats=json").common.stats, Some(StatsForm::Json));
    assert!(given("--finish --list --json").list);
    assert!(given("--finish x --help").common.answer.is_some());
}

#[test]
fn clap_can_make_the_command() {
    command(Caller::Brisk).debug_assert();
    command(Caller::Rm).debug_assert();
    assert!(command(Caller::Brisk).render_long_help().to_string().contains("--cross-mounts"));
}

#[test]
fn letters_of_brisk_are_not_rms() {
    assert!(given("-r --changed-before 30d x").older_than.is_some());
    assert_eq!(given("-j2").common.threads, std::num::NonZeroUsize::new(2));
    for line in ["-j2", "-V"] {
        let refusal = read(Caller::Rm, &words(line)).unwrap_err();
        assert_eq!(refusal.message, format!("invalid option -- '{}'", &line[1..2]));
    }
}
