//! `brisk bench`: what is fastest here, what does a program ask, and how fast is the storage? The
//! command measures on the user's own tree and file system. It reports what was measured, on which
//! machine, and how much the times varied.

mod attrs;
mod calls;
mod machine;
mod options;
mod programs;
mod report;
mod rivals;
mod scratch;
mod storage;
mod turns;

use std::ffi::OsString;
use std::fs;

use brisk_cli_sys::signals;
use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueHint};

use crate::front::messages::{Caller, cannot};
use crate::front::{self, Examples, FlagTable, Parsed, Refusal, Section, standard};
use crate::show::quoting::quoted;
use options::{Bench, Options};

type Flag = front::Flag<Options>;

/// Runs of each method. With fewer, the median varies by more than a tenth from one call of the
/// command to the next.
const RUNS: usize = 9;

static KINDS: [Bench; 6] = [
    Bench {
        name: "attrs",
        about: "Name, type, size and time of a directory's entries, by each of the system's \
                methods",
        measure: attrs::measure,
    },
    Bench {
        name: "walk",
        about: "A whole tree: orders, threads, and other programs that are installed",
        measure: programs::walk,
    },
    Bench {
        name: "ls",
        about: "One directory: names, colours, details, by ls and others that are installed",
        measure: programs::ls,
    },
    Bench {
        name: "rm",
        about: "Removing a copy of a tree's shape, by rm and others that are installed",
        measure: programs::rm,
    },
    Bench {
        name: "calls",
        about: "What a program asks file systems, and which calls are avoidable, with strace",
        measure: calls::measure,
    },
    Bench {
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
            Refusal { code, ..Refusal::usage(message) }
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
    Parsed::read(&TABLE, operand, words, &mut options)?;
    if options.common.answer.is_none() {
        choose(&mut options)?;
    }
    Ok(options)
}

/// Finds what is to be measured, and on which directory or program.
fn choose(options: &mut Options) -> Result<(), Refusal> {
    let operands = std::mem::take(&mut options.operands);
    let mut words = operands.into_iter();
    let name = words.next().unwrap_or("walk".into());
    if name == "run" {
        return Err(Refusal::usage("to compare commands of your own, use hyperfine(1)"));
    }
    let kind = KINDS.iter().find(|kind| name == kind.name).ok_or_else(|| {
        let names = KINDS.each_ref().map(|kind| kind.name).join(", ");
        Refusal::hinted(format!("unknown measurement {}: there are {names}", quoted(&name)))
    })?;
    fits(options, kind.name).map_err(Refusal::usage)?;
    options.kind = Some(kind);
    if kind.name == "calls" {
        options.command = words.collect();
        return Ok(calls::check(&options.command)?);
    }
    options.dir = words.next().unwrap_or(".".into()).into();
    match words.next() {
        Some(second) => {
            let why = format!("one directory is measured, not {} too", quoted(&second));
            Err(Refusal::usage(why))
        }
        None => Ok(()),
    }
}

/// Fails if an option is not for this kind of measurement.
fn fits(options: &Options, kind: &str) -> Result<(), &'static str> {
    let files = options.files.len();
    let most = match kind {
        "rm" | "storage" => 1,
        "attrs" => usize::MAX,
        _ => 0,
    };
    if ["calls", "storage"].contains(&kind) && (options.runs != RUNS || options.drop_caches) {
        return Err("--runs and --drop-caches are for programs that are compared");
    }
    if files > most {
        return Err("--files is for brisk bench attrs, and one number for rm and storage");
    }
    if options.scratch.is_some() && (most == 0 || kind == "attrs" && files == 0) {
        return Err("--scratch is for brisk bench rm and storage, and for attrs with --files");
    }
    Ok(())
}

/// Measures and reports. Returns whether all went well: all methods saw the same, and the table was
/// printed.
fn measure(options: &Options) -> Result<bool, String> {
    let meta = fs::metadata(&options.dir).map_err(|why| cannot("read", &options.dir, &why))?;
    if !meta.is_dir() {
        return Err(format!("{} is not a directory", quoted(&options.dir)));
    }
    let kind = options.kind.expect("BUG: the kind was chosen");
    let report = (kind.measure)(options)?;
    let text = if options.json { report.json() } else { report.text() };
    let printed = standard::print(Caller::Brisk, text, 1) == 0;
    Ok(printed && report.disagreements.is_empty())
}

const ABOUT: &str = "Compare programs' speed, count a program's system calls, or time the storage";

const LONG_ABOUT: &str = "attrs, walk, ls and rm compare brisk with the system's own methods, or with \
    the other programs that are installed, on DIR. Without arguments the tree below the current \
    directory is listed (walk). All take turns, in a different order in each round. The report gives \
    the time of the first run; the minimum, median and maximum of the others; the ratio, which is \
    the median divided by brisk's; processor time and peak memory. Results that should agree are \
    compared. To compare commands of your own, use hyperfine(1).\n\nrm removes copies of DIR's shape \
    (directories, links, an empty file for each file), one for each run. The copies, and the files of \
    storage and --files, are in a new directory beside DIR (in DIR, if that is the top of a file \
    system), which is removed at the end or after an interruption.\n\ncalls (Linux) runs one command \
    under strace, once, without input and with its output discarded. It counts the calls to file \
    systems, by kind and by entry, with what they cost at 1 ms a request; notes say which of them are \
    avoidable.\n\nstorage measures each kind of request with 1, 4, 16 and 64 in flight, the same in \
    memory (/dev/shm), and computes how long find, ls, rm and a build take for 10,000 files, or \
    --files N; notes say what the figures show.";

const USAGE: &str = "brisk bench [OPTIONS] [attrs|walk|ls|rm|storage] [DIR]\n       \
                     brisk bench [OPTIONS] calls -- <CMD>...";

/// A test runs each of them.
pub(crate) const EXAMPLES: Examples = &[
    ("walk --runs 3 .", "Compare brisk and other programs on this tree"),
    ("calls -- ls --color -l", "What ls asks, and what it could do without"),
];

static TABLE: FlagTable<Options> = FlagTable::new(|| {
    vec![Section::new("Options", [flags()]), Section::new("Help", [Flag::answers()])]
});

fn flags() -> Vec<Flag> {
    vec![
        Flag::positive("runs", "N", |options, runs| options.runs = runs.get())
            .brief("How often each program runs, after a first run [default: 9]"),
        Flag::on("json", |options| options.json = true)
            .brief("Print every figure as a JSON object, not the table"),
        Flag::on("drop-caches", |options| options.drop_caches = true)
            .brief("Drop the whole system's caches before each first run (root on Linux)"),
        Flag::parsed("files", "N,...", |options, numbers| {
            let numbers = numbers.to_string_lossy();
            let numbers = numbers.split(',').map(str::parse).collect::<Result<_, _>>();
            options.files = numbers.map_err(|_| Refusal::usage("write numbers as 1000,2000"))?;
            Ok(())
        })
        .brief(
            "Make what is measured: for attrs, a directory of N files for each number; for rm, a \
             tree of N entries such as npm makes; for storage's tasks, N files [default: 10000]. \
             Only attrs takes several numbers",
        ),
        Flag::path("scratch", "PLACE", |options, place| options.scratch = Some(place))
            .brief("Where rm, storage and --files make directories [default: beside DIR]"),
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
        Arg::new("words")
            .value_name("DIR")
            .num_args(0..)
            .value_hint(ValueHint::DirPath)
            .help("The directory to measure on (default: the current one); for calls, the command"),
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
        assert_eq!(run(&["run".into(), "--".into(), "ls".into()]), 2);
        for command in [&[][..], &["no-such-program"], &[""]] {
            let words = ["calls", "--"].iter().chain(command).map(OsString::from);
            assert_eq!(run(&Vec::from_iter(words)), 2, "{command:?}");
        }
    }
}
