//! The flag table against command lines: every flag has a case, and every refusal is tested.

use std::num::NonZeroUsize;
use std::time::Duration;

use brisk::{Order, Shape};

use super::*;
use crate::find::lists::Limit;
use crate::find::options::Output;
use crate::find::sort::Sort;
use crate::front::{Answer, Specs, StatsForm, When};
use crate::ls::long::Sort as By;
use brisk_filter::TypeWords;
use brisk_filter::pattern::{Case, Syntax};

/// Command lines, words separated by spaces, each with what must hold of the options.
type Cases = &'static [(&'static str, fn(&Options) -> bool)];

const MATCHING: Cases = &[
    ("-s", |o| o.selecting.matching.case == Case::Sensitive),
    ("--case-sensitive -i", |o| o.selecting.matching.case == Case::Insensitive),
    ("--ignore-case", |o| o.selecting.matching.case == Case::Insensitive),
    ("-i -s", |o| o.selecting.matching.case == Case::Sensitive),
    ("-g *.rs", |o| {
        o.selecting.matching.syntax == Syntax::Glob && o.selecting.matching.pattern == "*.rs"
    }),
    ("--glob --regex", |o| o.selecting.matching.syntax == Syntax::Regex),
    ("-F", |o| o.selecting.matching.syntax == Syntax::Fixed),
    ("--literal", |o| o.selecting.matching.syntax == Syntax::Fixed),
    ("--fixed-strings", |o| o.selecting.matching.syntax == Syntax::Fixed),
    ("--exact a", |o| o.selecting.matching.syntax == Syntax::Exact),
    ("--match a b", |o| o.selecting.matching.pattern == "a" && o.paths == [PathBuf::from("b")]),
    ("--and a --and -b", |o| o.selecting.matching.and == ["a", "-b"]),
    ("-p", |o| o.selecting.matching.full_path),
    ("--full-path", |o| o.selecting.matching.full_path),
];

const IGNORING: Cases = &[
    ("-H", |o| o.selecting.ignoring.hidden),
    ("--hidden --no-hidden", |o| !o.selecting.ignoring.hidden),
    ("--no-hidden -H", |o| o.selecting.ignoring.hidden),
    ("-I", |o| o.selecting.ignoring.no_ignore),
    ("--no-ignore --ignore", |o| !o.selecting.ignoring.no_ignore),
    ("--no-ignore-vcs", |o| o.selecting.ignoring.no_ignore_vcs),
    ("--no-ignore-vcs --ignore-vcs", |o| !o.selecting.ignoring.no_ignore_vcs),
    ("--no-require-git", |o| o.selecting.ignoring.no_require_git),
    ("--no-require-git --require-git", |o| !o.selecting.ignoring.no_require_git),
    ("--no-ignore-parent", |o| o.selecting.ignoring.no_ignore_parent),
    ("--no-ignore-parent --ignore-parent", |o| !o.selecting.ignoring.no_ignore_parent),
    ("--no-global-ignore-file", |o| o.selecting.ignoring.no_global_ignore_file),
    ("-u", |o| o.selecting.ignoring.hidden && o.selecting.ignoring.no_ignore),
    ("-uuu", |o| o.selecting.ignoring.hidden && o.selecting.ignoring.no_ignore),
    ("-u --no-hidden", |o| !o.selecting.ignoring.hidden && !o.selecting.ignoring.no_ignore),
    ("-u --ignore", |o| !o.selecting.ignoring.hidden && !o.selecting.ignoring.no_ignore),
    ("--no-hidden --ignore -u", |o| o.selecting.ignoring.hidden && o.selecting.ignoring.no_ignore),
    ("--ignored", |o| o.ignored && o.selecting.ignoring.hidden),
    ("--unrestricted", |o| o.selecting.ignoring.hidden && o.selecting.ignoring.no_ignore),
    ("-E a --exclude b", |o| o.selecting.ignoring.exclude == ["a", "b"]),
    ("--exclude-regex ^a", |o| o.selecting.ignoring.exclude_regex == ["^a"]),
    ("--ignore-file x", |o| o.selecting.ignoring.ignore_files == [PathBuf::from("x")]),
    ("--ignore-contain x", |o| o.selecting.ignoring.ignore_contain == ["x"]),
];

const FILTERING: Cases = &[
    ("-t f -td --type=l", |o| {
        o.selecting.filtering.types == types(&["file", "directory", "symlink"])
    }),
    ("-t dir -t pipe -t p", |o| o.selecting.filtering.types == types(&["directory", "pipe"])),
    ("-tx -te", |o| o.selecting.filtering.types == types(&["executable", "empty"])),
    ("-e rs --extension .toml", |o| o.selecting.filtering.extensions == ["rs", ".toml"]),
    ("-S +1k --size -2ki", |o| o.selecting.filtering.sizes.len() == 2),
    ("--changed-within 1d", |o| {
        o.selecting.filtering.times.modified_after.as_deref() == Some("1d")
    }),
    ("--newer 1d", |o| o.selecting.filtering.times.modified_after.is_some()),
    ("--change-newer-than 1d", |o| o.selecting.filtering.times.modified_after.is_some()),
    ("--changed-after 1d", |o| o.selecting.filtering.times.modified_after.is_some()),
    ("--changed-before 1d", |o| o.selecting.filtering.times.modified_before.is_some()),
    ("--older 1d", |o| o.selecting.filtering.times.older_than.is_some()),
    ("--where -true", |o| o.selecting.filtering.wheres == ["-true"]),
    ("--older-than 1d", |o| o.selecting.filtering.times.older_than.is_some()),
    ("--change-older-than 1d", |o| o.selecting.filtering.times.older_than.is_some()),
    ("--ctime-within 1d", |o| o.selecting.filtering.times.changed_after.is_some()),
    ("--ctime-before 1d", |o| o.selecting.filtering.times.changed_before.is_some()),
    ("--created-within 1d", |o| o.selecting.filtering.times.created_after.is_some()),
    ("--created-before 1d", |o| o.selecting.filtering.times.created_before.is_some()),
    ("-o 5:8", |o| o.selecting.filtering.owner.is_some()),
    ("--owner :", |o| o.selecting.filtering.owner.is_none()),
    ("--prune", |o| o.selecting.filtering.prune),
];

const WALKING: Cases = &[
    ("-L", |o| o.selecting.follow),
    ("--dereference", |o| o.selecting.follow),
    ("--follow --no-follow", |o| !o.selecting.follow),
    ("-d 3 -d4", |o| o.selecting.max_depth == Some(4)),
    ("--maxdepth=3", |o| o.selecting.max_depth == Some(3)),
    ("--max-depth 0", |o| o.selecting.max_depth == Some(0)),
    ("--min-depth 2", |o| o.selecting.min_depth == 2),
    ("--exact-depth 2", |o| o.selecting.min_depth == 2 && o.selecting.max_depth == Some(2)),
    ("--one-file-system", |o| o.selecting.one_file_system),
    ("--mindepth 2", |o| o.selecting.min_depth == 2),
    ("--mount", |o| o.selecting.one_file_system),
    ("--xdev", |o| o.selecting.one_file_system),
    ("--order breadth --order=sorted", |o| o.order == Some(Order::Sorted(Shape::Pre))),
    ("--order none", |o| o.order == Some(Order::Unordered)),
    ("--unique", |o| o.unique),
    ("--index f", |o| o.index == Some(PathBuf::from("f"))),
    ("--cached", |o| o.common.cached),
    ("-j8", |o| o.common.threads == NonZeroUsize::new(8)),
    ("--threads 2", |o| o.common.threads == NonZeroUsize::new(2)),
    ("-C x", |o| o.base_directory == Some(PathBuf::from("x"))),
    ("--base-directory x", |o| o.base_directory == Some(PathBuf::from("x"))),
    ("--search-path a --search-path b p", |o| {
        o.paths == [PathBuf::from("a"), PathBuf::from("b")] && o.selecting.matching.pattern == "p"
    }),
    ("p a b", |o| o.paths == [PathBuf::from("a"), PathBuf::from("b")]),
];

const OUTPUT: Cases = &[
    ("-a", |o| o.output.absolute),
    ("--absolute-path --relative-path", |o| !o.output.absolute),
    ("-l", |o| o.output.details),
    ("--list-details", |o| o.output.details),
    ("--format {}", |o| o.output.format.as_deref() == Some("{}")),
    ("--json", |o| o.output.json),
    ("-0", |o| o.output.print0),
    ("--print0", |o| o.output.print0),
    ("-c always --color=never", |o| o.output.color == When::Never),
    ("--hyperlink", |o| o.output.hyperlink == Some(When::Auto)),
    ("--hyper=always", |o| o.output.hyperlink == Some(When::Always)),
    ("--path-separator //", |o| o.output.path_separator.as_deref() == Some("//")),
    ("--strip-cwd-prefix", |o| o.output.strip_cwd_prefix == When::Always),
    ("--strip-cwd-prefix=never", |o| o.output.strip_cwd_prefix == When::Never),
    ("--max-results 5", |o| o.output.max_results == Some(5)),
    ("--max-results 5 -1", |o| o.output.max_results == Some(1)),
    ("-1 --max-results 5", |o| o.output.max_results == Some(5)),
    ("-q", |o| o.output.quiet),
    ("--quiet -1", |o| o.output.quiet),
    ("--count", |o| o.output.count),
    ("--sort size", |o| o.output.sort == Some(Sort { by: By::Size, reverse: false })),
    ("--sort=name,reverse", |o| o.output.sort == Some(Sort { by: By::Name, reverse: true })),
    ("--parts 3", |o| o.output.list_limit == Some(Limit::Lists(3))),
    ("--parts 3 --part-size 2k", |o| o.output.list_limit == Some(Limit::Bytes(2_000))),
    ("--part-size 1g --part-files 1m", |o| o.output.list_limit == Some(Limit::Results(1_000_000))),
    ("--part-name p", |o| o.output.part_name.as_deref() == Some("p".as_ref())),
    ("--part-name p --overwrite", |o| o.output.overwrites_lists),
    ("--has-results", |o| o.output.quiet),
    ("--show-errors", |o| o.output.show_errors == Some(true)),
    ("--show-errors --no-show-errors", |o| o.output.show_errors == Some(false)),
    ("--max-errors 3", |o| o.output.max_errors == Some(3)),
    ("--max-buffer-time 7", |o| o.output.max_buffer_time == Some(Duration::from_millis(7))),
    ("--explain", |o| o.common.explain),
    ("--stats", |o| o.common.stats == Some(StatsForm::Text)),
    ("--stats=json", |o| o.common.stats == Some(StatsForm::Json)),
    ("--progress", |o| o.common.progress == When::Always),
    ("--no-config", |o| o.output.no_config),
    ("--gen-completions=zsh", |o| o.output.completions.as_deref() == Some("zsh")),
    ("--gen-completions fish", |o| o.output.completions.as_deref() == Some("fish")),
    ("--gen-completions", |o| o.output.completions.as_deref() == Some("")),
];

const RUNNING: Cases = &[
    ("--delete", |o| o.delete),
    ("--delete --dry-run", |o| o.delete && o.dry_run),
    ("-x echo {} -l", |o| o.exec == [["echo", "{}", "-l"]]),
    ("--exec echo ; -x ls -H ; -H", |o| {
        o.exec == [vec!["echo"], vec!["ls", "-H"]] && o.selecting.ignoring.hidden
    }),
    ("-X echo a", |o| o.exec_batch == [["echo", "a"]]),
    ("--batch-size 3 --exec-batch echo", |o| o.batch_size == 3),
];

const ANSWERS: Cases = &[
    ("--help", |o| o.common.answer == Some(Answer::Help)),
    ("--version", |o| o.common.answer == Some(Answer::Version)),
];

fn types(words: &[&str]) -> TypeWords {
    let mut types = TypeWords::default();
    words.iter().for_each(|word| types.add(word));
    types
}

fn parse(line: &str) -> Result<Options, Refusal> {
    let mut options = Options::default();
    read_layer(Caller::Brisk, Origin::CommandLine, &split(line), &mut options)?;
    Ok(options)
}

fn split(line: &str) -> Vec<OsString> {
    line.split_whitespace().map(OsString::from).collect()
}

fn cases() -> impl Iterator<Item = &'static (&'static str, fn(&Options) -> bool)> {
    [MATCHING, IGNORING, WALKING, FILTERING, OUTPUT, RUNNING, ANSWERS].into_iter().flatten()
}

#[test]
fn every_case_sets_what_it_says() {
    for (line, holds) in cases() {
        let options = parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
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
    for flag in TABLE.specs() {
        let long = (!flag.is_letter()).then_some(flag.name);
        for name in
            long.into_iter().chain(flag.aliases.split_ascii_whitespace()).chain(flag.inverse)
        {
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

/// Lines that are refused, and how.
const REFUSED: &[(&str, &str)] = &[
    ("-g -F", "'--glob' cannot be used with '--fixed-strings'"),
    ("--exact -g", "'--exact' cannot be used with '--glob'"),
    ("--exact -F", "'--exact' cannot be used with '--fixed-strings'"),
    ("-l -a", "'--list-details' cannot be used with '--absolute-path'"),
    ("-a -l", "'--absolute-path' cannot be used with '--list-details'"),
    ("-l -0", "'--list-details' cannot be used with '--print0'"),
    ("-l -x echo", "'--list-details' cannot be used with '--exec'"),
    ("-l --format {}", "'--list-details' cannot be used with '--format'"),
    ("-q --max-results 1", "'--quiet' cannot be used with '--max-results'"),
    ("-1 -x echo", "'-1' cannot be used with '--exec'"),
    ("--count -x echo", "'--count' cannot be used with '--exec'"),
    ("--count -X echo", "'--count' cannot be used with '--exec-batch'"),
    ("--count --delete", "'--count' cannot be used with '--delete'"),
    ("-q -X echo", "'--quiet' cannot be used with '--exec-batch'"),
    ("--max-results 3 -x echo", "'--max-results' cannot be used with '--exec'"),
    ("-x echo ; -X echo", "'--exec' cannot be used with '--exec-batch'"),
    ("--prune -S 1b", "'--prune' cannot be used with '--size'"),
    ("--prune --exact-depth 1", "'--prune' cannot be used with '--exact-depth'"),
    ("--exact-depth 1 -d 1", "'--exact-depth' cannot be used with '--max-depth'"),
    ("--exact-depth 1 --min-depth 1", "'--exact-depth' cannot be used with '--min-depth'"),
    ("p path --search-path x", "'--search-path' cannot be used with '[path]...'"),
    ("p path --strip-cwd-prefix", "'--strip-cwd-prefix' cannot be used with '[path]...'"),
    (
        "--search-path x --strip-cwd-prefix",
        "'--search-path' cannot be used with '--strip-cwd-prefix'",
    ),
    ("--json --format {}", "'--json' cannot be used with '--format'"),
    ("--batch-size 3", "'--batch-size' requires '--exec-batch'"),
    ("-t q", "invalid value 'q' for '--type' [possible values: file, "),
    ("-S 1", "invalid value '1' for '--size': a size needs a unit"),
    ("-S 1x", "invalid value '1x' for '--size': "),
    ("-j 0", "invalid value '0' for '--threads': a whole number of 1 or more"),
    ("-d x", "invalid value 'x' for '--max-depth': "),
    ("-d=x", "invalid value 'x' for '--max-depth': "),
    ("-d -1", "invalid value '-1' for '--max-depth': a whole number is needed, such as 3"),
    ("-o a:b:c", "invalid value 'a:b:c' for '--owner': "),
    (
        "-e -H",
        "'--extension <ext>' lacks its value; one that begins with a dash is written --extension=-H",
    ),
    ("--extension", "'--extension <ext>' lacks its value"),
    ("-x ;", "'--exec <cmd>...' lacks its value"),
    ("--frobnicate", "unrecognized option '--frobnicate'"),
    ("-z", "invalid option -- 'z'"),
    ("--hidden=3", "option '--hidden' doesn't allow an argument"),
    ("--order sideways", "invalid value 'sideways' for '--order' "),
    ("--color", "'--color <when>' lacks its value"),
];

#[test]
fn what_is_refused() {
    for (line, why) in REFUSED {
        match parse(line) {
            Ok(options) => panic!("{line} was accepted: {options:?}"),
            Err(refusal) => {
                assert!(refusal.message.starts_with(why), "{line}: {}", refusal.message);
            }
        }
    }
}

/// As for fd, of two flags the later counts where one takes the other back, and nothing is read
/// behind a question for help.
#[test]
fn what_a_later_flag_takes_back() {
    let cases: Cases = &[
        ("-H --no-hidden", |o| !o.selecting.ignoring.hidden),
        ("--no-hidden -H", |o| o.selecting.ignoring.hidden),
        ("-u --no-hidden", |o| !o.selecting.ignoring.no_ignore && !o.selecting.ignoring.hidden),
        ("--no-hidden -u", |o| o.selecting.ignoring.no_ignore),
        ("-d 3 -d 4", |o| o.selecting.max_depth == Some(4)),
        ("-F -F", |o| o.selecting.matching.syntax == Syntax::Fixed),
        ("--max-results 3 -1", |o| o.output.max_results == Some(1)),
        ("-1 --max-results 3", |o| o.output.max_results == Some(3)),
        ("-e=rs -ec", |o| o.selecting.filtering.extensions.len() == 2),
        ("a -- -b --c", |o| o.selecting.matching.pattern == "a" && o.paths.len() == 2),
        ("-", |o| o.selecting.matching.pattern == "-"),
        ("-xecho a", |o| o.exec == [["echo"]] && o.selecting.matching.pattern == "a"),
        ("-h --frobnicate", |o| o.common.answer == Some(Answer::Summary)),
        ("-uh", |o| o.common.answer == Some(Answer::Summary)),
        ("-V", |o| o.common.answer == Some(Answer::Version)),
    ];
    for (line, holds) in cases {
        let options = parse(line).unwrap_or_else(|error| panic!("{line}: {error:?}"));
        assert!(holds(&options), "{line}: {options:?}");
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
    assert!(options.selecting.ignoring.no_ignore && !options.selecting.ignoring.hidden);
    assert_eq!(options.selecting.matching.syntax, Syntax::Fixed);
    assert_eq!(options.selecting.ignoring.exclude, ["a", "b"]);
    assert_eq!(options.selecting.matching.pattern, "p");
}

/// Lines that configuration may not hold, and how the refusal names the word.
const TYPED_ONLY: &[(&str, &str)] = &[
    ("p", "a pattern"),
    ("--match p", "--match"),
    ("p path", "a pattern"),
    ("--and p", "--and"),
    ("-1", "-1"),
    ("--max-results 3", "--max-results"),
    ("--count", "--count"),
    ("-q", "--quiet"),
    ("-x echo", "--exec"),
    ("-X echo", "--exec-batch"),
    ("-H --batch-size 3 -X echo", "--batch-size"),
    ("--delete", "--delete"),
    ("--ignored", "--ignored"),
    ("--index f", "--index"),
    ("-C x", "--base-directory"),
    ("--search-path x", "--search-path"),
    ("--no-config", "--no-config"),
    ("--gen-completions=zsh", "--gen-completions"),
    ("--help", "--help"),
    ("-V", "--version"),
    ("-t f", "--type"),
    ("-e rs", "--extension"),
    ("-S +1k", "--size"),
    ("--newer 1d", "--changed-within"),
    ("--changed-before 1d", "--changed-before"),
    ("--older-than 1d", "--older-than"),
    ("--ctime-within 1d", "--ctime-within"),
    ("--ctime-before 1d", "--ctime-before"),
    ("--created-within 1d", "--created-within"),
    ("--created-before 1d", "--created-before"),
    ("-o 0", "--owner"),
    ("--where -true", "--where"),
    ("--prune", "--prune"),
    ("-d 3", "--max-depth"),
    ("--min-depth 1", "--min-depth"),
    ("--exact-depth 1", "--exact-depth"),
    ("--parts 2", "--parts"),
    ("--part-size 1k", "--part-size"),
    ("--part-files 1", "--part-files"),
    ("--part-name p", "--part-name"),
    ("--overwrite", "--overwrite"),
];

#[test]
fn configuration_says_how_and_never_what() {
    for (line, word) in TYPED_ONLY {
        let read =
            read_layer(Caller::Brisk, Origin::Configuration, &split(line), &mut Options::default());
        let why = read.err().unwrap_or_else(|| panic!("{line} was accepted")).message;
        assert_eq!(why, format!("{word} is accepted only on the command line"), "{line}");
    }
    let refused = |flag: &&Spec| TYPED_ONLY.iter().any(|(_, word)| *word == flag.spelling());
    for flag in TABLE.specs().filter(|flag| flag.typed_only) {
        assert!(refused(&flag) || flag.requires.is_some(), "no case for {}", flag.spelling());
    }
    let how = "-H -I -u -E a --exclude-regex b --ignore-file c --ignore-contain d -L \
               --one-file-system --order sorted --unique --cached -j 4 -s -g -p -a --format {} \
               --color never --hyperlink --max-errors 3 --stats --explain";
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
