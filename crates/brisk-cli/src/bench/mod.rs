//! `brisk bench`: what is fastest here? The command measures on the user's own tree and file system,
//! or runs the user's own commands. It reports what was measured, on which machine, and how much the
//! times varied.

mod attrs;
mod calls;
mod duel;
mod html;
mod ls;
mod machine;
mod options;
mod programs;
mod progress;
mod report;
mod rivals;
mod rm;
mod scratch;
mod storage;
mod times;
mod turns;
mod walk;

use std::ffi::OsString;
use std::fs;

use brisk_cli_sys::signals;
use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueHint};

use crate::front::messages::{Caller, cannot};
use crate::front::standard;
use crate::front::{self, Examples, Line, Refusal, Section, Table};
use crate::show::quoting::quoted;
use crate::write::file;
use options::{Kind, Options};
use rivals::Rival;

type Flag = front::Flag<Options>;

/// Runs of each method. With fewer, the median varies by more than a tenth from one call of the
/// command to the next.
const RUNS: usize = 9;

static KINDS: [Kind; 7] = [
    Kind {
        name: "attrs",
        about: "Name, type, size and time of a directory's entries, by each of the system's \
                methods",
        measure: attrs::measure,
    },
    Kind {
        name: "walk",
        about: "A whole tree: orders, threads, backends, and other programs that are installed",
        measure: walk::measure,
    },
    Kind {
        name: "ls",
        about: "One directory: names, colours, details, by ls and others that are installed",
        measure: ls::measure,
    },
    Kind {
        name: "rm",
        about: "Removing a copy of a tree's shape, by rm and others that are installed",
        measure: rm::measure,
    },
    Kind {
        name: "run",
        about: "Commands of your own, with -- before each",
        measure: programs::given,
    },
    Kind {
        name: "calls",
        about: "What a program asks file systems, and which calls are avoidable, with strace",
        measure: calls::measure,
    },
    Kind {
        name: "storage",
        about: "Requests of each kind, alone and many at once, and what follows from their times",
        measure: storage::measure,
    },
];

/// Runs the command on the words behind its name; returns the exit code.
pub(crate) fn run(words: &[OsString]) -> u8 {
    standard::run(Caller::Brisk, "brisk bench", read(words), command, |options| {
        signals::notice_interrupts();
        let is_fine = measure(&options).map_err(|message| {
            let code = if signals::interrupted() { signals::exit_code() } else { 1 };
            Refusal { code, ..Refusal::value(message) }
        })?;
        Ok(u8::from(!is_fine))
    })
}

/// Reads the words after the command's name.
///
/// # Errors
/// The refusal of a word, or of an argument that cannot be used.
fn read(words: &[OsString]) -> Result<Options, Refusal> {
    let mut options = Options { runs: RUNS, dir: ".".into(), ..Options::default() };
    let operand = |options: &mut Options, word| options.operands.push(word);
    Line::read(&TABLE, operand, words, &mut options)?;
    if options.run.answer.is_none() {
        choose(&mut options)?;
    }
    Ok(options)
}

/// Finds what is to be measured, and on which directory or commands.
fn choose(options: &mut Options) -> Result<(), Refusal> {
    let operands = std::mem::take(&mut options.operands);
    let (name, words) = match &operands[..] {
        [] => ("walk".as_ref(), &[][..]),
        [name, words @ ..] => (&**name, words),
    };
    let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| {
        let names = KINDS.each_ref().map(|kind| kind.name).join(", ");
        Refusal::option(format!("unknown measurement {}: there are {names}", quoted(name)))
    })?;
    if ["calls", "storage"].contains(&kind.name) && (options.runs != RUNS || options.drop_caches) {
        return Err(Refusal::value("--runs and --drop-caches are for programs that are compared"));
    }
    let files = options.files.len();
    let most = match kind.name {
        "rm" | "storage" => 1,
        "attrs" => usize::MAX,
        _ => 0,
    };
    if files > most {
        return Err(Refusal::value(
            "--files is for brisk bench attrs, and one number for rm and storage",
        ));
    }
    if options.scratch.is_some() && (most == 0 || kind.name == "attrs" && files == 0) {
        return Err(Refusal::value(
            "--scratch is for brisk bench rm and storage, and for attrs with --files",
        ));
    }
    match (kind.name, words) {
        ("run", words) => options.commands = Rival::all_given(words)?,
        ("calls", []) => {
            return Err(Refusal::value("there is no command: brisk bench calls -- CMD …"));
        }
        ("calls", words) => options.commands = vec![Rival::given(words)?],
        (_, [_, second, ..]) => {
            let why = format!("one directory is measured, not {} too", quoted(second));
            return Err(Refusal::value(why));
        }
        (_, [dir]) => options.dir = dir.into(),
        (_, []) => {}
    }
    options.kind = Some(kind);
    Ok(())
}

/// Measures and reports. Returns whether all went well: all methods saw the same, each of the user's
/// own commands succeeded, and the table was printed.
fn measure(options: &Options) -> Result<bool, String> {
    let meta = fs::metadata(&options.dir).map_err(|why| cannot("read", &options.dir, &why))?;
    if !meta.is_dir() {
        return Err(format!("{} is not a directory", quoted(&options.dir)));
    }
    let kind = options.kind.expect("BUG: the kind was chosen");
    let report = (kind.measure)(options)?;
    let text = if options.json { report.json() } else { report.text() };
    let printed = standard::print(Caller::Brisk, text, 1) == 0;
    if let Some(path) = &options.html {
        let page = html::page(&report);
        file::write(path, page.as_bytes()).map_err(|error| cannot("write", path, &error))?;
    }
    let failed = kind.name == "run" && report.lines.iter().any(|line| line.failure.is_some());
    Ok(printed && report.disagreements.is_empty() && !failed)
}

const ABOUT: &str = "Measure what is fastest here: brisk, other programs, or commands of your own";

const LONG_ABOUT: &str = "Measure what is fastest here: brisk and the other programs that are \
    installed, on DIR, or commands of your own. Without arguments the tree below the current \
    directory is listed (walk). For each program the report gives the time of the first run (with \
    the system's caches dropped before it, if --drop-caches is given); the minimum, median and \
    maximum of the other runs; the ratio, which is the median divided by brisk's or, for run, by \
    the first command's; system calls per entry, or of the whole run for run (of other programs \
    only if strace is installed); processor time and peak memory. It also gives the date, the \
    machine, every command line, and the versions of the other programs. All of them take turns, \
    in a different order in each round. attrs stops repeating a method whose runs have taken more \
    than 5 s, and a note says so. On a terminal, standard error shows the progress.\n\nResults \
    that should agree are compared. The exit code is 1 if results differ or a command of your own \
    fails, and 2 for a usage error.\n\nDIR is only read, whatever is measured. rm removes copies \
    of DIR's shape (the same directories, an empty file for each file, links as links), one for \
    each run. The copies, and what --files makes, are in a new directory beside DIR, which is \
    removed with everything in it when the measurement ends or is interrupted. If there is no room \
    for a copy, brisk measures nothing. The tables of attrs --files compare each method with the \
    slowest one, in the first run, the second one, and the median.\n\nrun starts each command in \
    the current directory, without a shell and without input, and discards its output. Each \
    command runs once more than --runs says. Then the first command and the two fastest others \
    take turns again, and each command runs once more under strace.\n\ncalls (Linux) runs \
    one command under strace, once, without input and with its output discarded. It counts the \
    calls to file systems, by kind and by entry, with what they cost at 1 ms a request; notes say \
    which of them are avoidable.\n\nstorage makes files in a new directory beside DIR (in DIR, if \
    that is the top of a file system). It measures each kind of request with 1, 4, 16 and 64 in \
    flight, the same in memory (/dev/shm), and computes how long find, ls, rm and a build take for \
    10,000 files, or --files N; notes say what the figures show.";

const USAGE: &str = "brisk bench [OPTIONS] [attrs|walk|ls|rm|storage] [DIR]\n       \
                     brisk bench [OPTIONS] run -- <CMD>... [-- <CMD>...]...\n       \
                     brisk bench [OPTIONS] calls -- <CMD>...";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("walk --runs 3 .", "Compare brisk and other programs on this tree"),
    ("run --runs 3 -- brisk ls -- ls", "Compare two commands"),
    ("calls -- ls --color -l", "What ls asks, and what it could do without"),
];

static TABLE: Table<Options> = Table::new(|| {
    vec![Section::new("Options", [flags()]), Section::new("Help", [Flag::answers()])]
});

fn flags() -> Vec<Flag> {
    vec![
        Flag::positive("runs", "N", |options, runs| options.runs = runs.get())
            .brief("How often each program runs, after a first run [default: 9]"),
        Flag::on("json", |options| options.json = true)
            .brief("Print every figure as a JSON object, not the table"),
        Flag::path("html", "FILE", |options, file| options.html = Some(file))
            .brief("Write the report to FILE, as a page with bar charts"),
        Flag::on("drop-caches", |options| options.drop_caches = true)
            .brief("Drop the whole system's caches before each first run (root on Linux)"),
        Flag::parsed("files", "N,...", |options, numbers| {
            let numbers = numbers.to_string_lossy();
            let numbers = numbers.split(',').map(str::parse).collect::<Result<_, _>>();
            options.files = numbers.map_err(|_| Refusal::value("write numbers as 1000,2000"))?;
            Ok(())
        })
        .brief(
            "Make what is measured: for attrs, a directory of N files for each number; for rm, a \
             tree of N entries such as npm makes; for storage's tasks, N files",
        ),
        Flag::path("scratch", "PLACE", |options, place| options.scratch = Some(place)).brief(
            "Where rm, storage and --files make directories, on DIR's file system [default: beside \
             DIR]",
        ),
    ]
}

/// The command as clap knows it: for help, man page and completions.
pub(crate) fn command() -> Command {
    let kinds = KINDS.each_ref().map(|kind| PossibleValue::new(kind.name).help(kind.about));
    front::command("brisk bench", ABOUT, LONG_ABOUT, EXAMPLES, &TABLE).override_usage(USAGE).args([
        Arg::new("kind")
            .value_name("KIND")
            .value_parser(kinds)
            .help("What is measured (default: walk)"),
        Arg::new("words").value_name("DIR").num_args(0..).value_hint(ValueHint::DirPath).help(
            "The directory to measure on, which is only read (default: the current one); for run \
             and calls, the commands",
        ),
    ])
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
        let words = ["attrs", "--runs", "3", "--drop-caches", "--json", "."];
        let options = read(&words.map(OsString::from)).unwrap();
        assert_eq!(options.kind.map(|kind| kind.name), Some("attrs"));
        assert_eq!((options.runs, options.drop_caches), (3, true));
        assert!(options.json);
        let options = read(&[]).unwrap();
        assert_eq!(options.kind.map(|kind| kind.name), Some("walk"));
        assert_eq!(options.dir, Path::new("."));
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        assert_eq!(run(&["attrs".into(), "/no/such/directory".into()]), 1);
        assert_eq!(run(&["nothing".into(), ".".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--scratch=/".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--files=9".into()]), 2);
        assert_eq!(run(&["rm".into(), ".".into(), "--files=9,8".into()]), 2);
        assert_eq!(run(&["attrs".into(), ".".into(), "--scratch=/".into()]), 2);
        assert_eq!(run(&["attrs".into(), ".".into(), "--files=9,0".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "--runs=0".into()]), 2);
        assert_eq!(run(&["ls".into(), ".".into(), "..".into()]), 2);
        assert_eq!(run(&["run".into()]), 2);
        for commands in [&["no-such-program"][..], &[""], &["ls", "--"], &["ls", "--", "--", "ls"]]
        {
            let words = ["run", "--"].iter().chain(commands).map(OsString::from);
            assert_eq!(run(&Vec::from_iter(words)), 2, "{commands:?}");
        }
    }
}
