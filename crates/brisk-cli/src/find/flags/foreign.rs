//! find(1)'s words under brisk's own name. As clusters of letters they would mean something else:
//! `-empty` the extension `mpty`, `-xdev` a command named `dev`. They are refused, with the option
//! that means the same here.

use std::ffi::{OsStr, OsString};

use brisk_filter::find::is_test;

use crate::show::quoting::typed;

/// What find(1) means by a word, in the options of `brisk find`.
#[derive(Clone, Copy)]
enum Equivalent {
    /// An option. `{}` stands for the next word.
    Is(&'static str),
    /// Options in front of the pattern, which is the next word.
    Pattern(&'static str),
    /// A number of units of time, with the options for a later and an earlier time.
    Age {
        within: &'static str,
        before: &'static str,
        unit: &'static str,
    },
    Size,
    Type,
    Command,
    /// The word asks for what is done anyway.
    Needless,
    /// The word is one of an expression.
    Where,
    Nothing,
}

use Equivalent::{Age, Command, Is, Needless, Nothing, Pattern, Size, Type, Where};

const WORDS: &[(&str, Equivalent)] = &[
    ("and", Needless),
    ("cmin", Age { within: "--ctime-within", before: "--ctime-before", unit: "min" }),
    ("cnewer", Is("--ctime-within \"$(date -r {} --rfc-3339=ns)\"")),
    ("ctime", Age { within: "--ctime-within", before: "--ctime-before", unit: "d" }),
    ("delete", Is("--delete")),
    ("empty", Is("--type empty")),
    ("exec", Command),
    ("executable", Is("--type executable")),
    ("follow", Is("--follow")),
    ("gid", Is("--owner :{}")),
    ("group", Is("--owner :{}")),
    ("help", Is("--help")),
    ("iname", Pattern("-i -g")),
    ("ipath", Pattern("-i -p -g")),
    ("iregex", Pattern("-i -p")),
    ("iwholename", Pattern("-i -p -g")),
    ("ls", Is("--list-details")),
    ("maxdepth", Is("--max-depth {}")),
    ("mindepth", Is("--min-depth {}")),
    ("mmin", Age { within: "--changed-within", before: "--changed-before", unit: "min" }),
    ("mount", Is("--one-file-system")),
    ("mtime", Age { within: "--changed-within", before: "--changed-before", unit: "d" }),
    ("name", Pattern("-s -g")),
    ("newer", Is("--changed-within \"$(date -r {} --rfc-3339=ns)\"")),
    ("newerBt", Is("--created-within {}")),
    ("newerct", Is("--ctime-within {}")),
    ("newermt", Is("--changed-within {}")),
    ("path", Pattern("-s -p -g")),
    ("print", Needless),
    ("print0", Is("--print0")),
    ("printf", Is("--format")),
    ("prune", Is("--exclude GLOB")),
    ("quit", Is("--max-results 1")),
    ("regex", Pattern("-s -p")),
    ("size", Size),
    ("type", Type),
    ("uid", Is("--owner {}")),
    ("user", Is("--owner {}")),
    ("version", Is("--version")),
    ("wholename", Pattern("-s -p -g")),
    ("xdev", Is("--one-file-system")),
];

/// Words that nothing here is equivalent to.
const OTHERS: &str = "\
    context depth execdir files0-from flags fls fprint fprint0 fprintf fstype ignore_readdir_race \
    noignore_readdir_race noleaf nowarn ok okdir sparse warn xattr";

/// The message about an option of find(1), which `rest` follows; `None` for any other word.
pub(super) fn refusal(word: &OsStr, rest: &[OsString]) -> Option<String> {
    let name = word.to_str()?.strip_prefix('-')?;
    let known = WORDS.iter().find(|(known, _)| *known == name).map(|(_, answer)| *answer);
    let test = || (is_test(name) || matches!(name, "not" | "or")).then_some(Where);
    let other = || OTHERS.split(' ').any(|other| other == name).then_some(Nothing);
    known.or_else(test).or_else(other).map(|answer| message(word, answer, rest))
}

#[cold]
fn message(word: &OsStr, answer: Equivalent, rest: &[OsString]) -> String {
    let word = word.to_string_lossy();
    let value = rest.first().map_or_else(|| "X".to_owned(), typed);
    let is = |options: &str| format!("{word} {value} is {options} here");
    match answer {
        Is(options) if options.contains("{}") => is(&options.replace("{}", &value)),
        Is(options) => format!("{word} is {options} here"),
        Pattern(options) => is(&format!("{options} {value}")) + ", before the path",
        Age { within, before, unit } => is(&age(&value, within, before, unit)),
        Size => is(&format!("--size {}", size(&value))),
        Type => is(&format!("--type {}", value.replace(',', " --type "))),
        Command => {
            let command = rest.split(|word| word == ";").next().unwrap_or_default();
            let many = command.windows(2).any(|pair| pair[0] == "{}" && pair[1] == "+");
            if many { "-exec … + is --exec-batch here" } else { "-exec is --exec here" }.to_owned()
        }
        Needless => format!("{word} need not be said here"),
        Where => format!("{word} is for --where here, such as --where '-links +1 -o -perm /u+s'"),
        Nothing => format!("{word} has no equivalent here"),
    }
}

/// find(1) counts whole days: `-mtime 1` is an age of one to two days, `+1` of two and more.
/// Minutes it counts up: `-mmin 1` is an age of up to one.
fn age(value: &str, within: &str, before: &str, unit: &str) -> String {
    let number = value.trim_start_matches(['+', '-']);
    let Ok(count) = number.parse::<u32>() else { return format!("{within} {number}{unit}") };
    let count = u64::from(count);
    let (youngest, oldest) =
        if unit == "d" { (count, count + 1) } else { (count.max(1) - 1, count) };
    match value.as_bytes().first() {
        Some(b'-') => format!("{within} {number}{unit}"),
        Some(b'+') => format!("{before} {}{unit}", if unit == "d" { oldest } else { count }),
        _ => format!("{within} {oldest}{unit} {before} {youngest}{unit}"),
    }
}

/// The size in brisk's units. find(1) rounds sizes up to whole units, which is left out.
fn size(value: &str) -> String {
    let digits = value.trim_end_matches(|unit: char| unit.is_ascii_alphabetic());
    let number = digits.trim_start_matches(['+', '-']);
    let unit = &value[digits.len()..];
    let sign = &digits[..digits.len() - number.len()];
    let block: u64 = if unit == "w" { 2 } else { 512 };
    match (unit, number.parse::<u32>()) {
        ("c", _) => format!("{digits}b"),
        ("k" | "M" | "G", _) => format!("{digits}{}i", unit.to_lowercase()),
        (_, Ok(blocks)) => format!("{sign}{}b", u64::from(blocks) * block),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::flags::{Options, Origin, TABLE, read_layer};
    use crate::front::flags;
    use crate::front::messages::Caller;

    fn refused(line: &str) -> Option<String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut options = Options::default();
        let read = read_layer(Caller::Brisk, Origin::CommandLine, &words, &mut options);
        read.err().map(|refusal| refusal.message).filter(|message| message.contains(" here"))
    }

    #[test]
    fn equivalents() {
        for (line, expected) in [
            (". -empty", "-empty is --type empty here"),
            ("-Hu -user root", "-user root is --owner root here"),
            (". -mtime +7", "-mtime +7 is --changed-before 8d here"),
            (". -mtime 7", "-mtime 7 is --changed-within 8d --changed-before 7d here"),
            (". -mmin -5", "-mmin -5 is --changed-within 5min here"),
            (". -mmin +5", "-mmin +5 is --changed-before 5min here"),
            (". -cmin 5", "-cmin 5 is --ctime-within 5min --ctime-before 4min here"),
            (". -size -10k", "-size -10k is --size -10ki here"),
            (". -size 8", "-size 8 is --size 4096b here"),
            (". -size +3c", "-size +3c is --size +3b here"),
            (". -size", "-size X is --size X here"),
            (". -mtime", "-mtime X is --changed-within Xd here"),
            (". -exec a + {} ;", "-exec is --exec here"),
            (". -newermt 2026-01-31", "-newermt 2026-01-31 is --changed-within 2026-01-31 here"),
            (". -iname A", "-iname A is -i -g A here, before the path"),
            (". -print", "-print need not be said here"),
            ("-ls", "-ls is --list-details here"),
            (
                "-x echo -name ; -perm 1",
                "-perm is for --where here, such as --where '-links +1 -o -perm /u+s'",
            ),
        ] {
            assert_eq!(refused(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_lines_are_left_alone() {
        for line in [
            "",
            "a",
            "-Hu",
            "-tf -tx",
            "-sg a",
            "-HIL",
            "-dash",
            "-",
            "-- -empty",
            "--and -name",
            "-x echo -name",
            "-Hx echo -name a",
            "--exec-batch ls -print",
            "-p a",
            "-erb -l",
        ] {
            assert_eq!(refused(line), None, "{line}");
        }
    }

    #[test]
    fn options_in_answers_exist() {
        for (word, _) in WORDS {
            let answer = refused(&format!("-{word} 1")).unwrap();
            for option in answer.split_once(' ').unwrap().1.split(' ') {
                let Some(name) = option.strip_prefix("--").map(|name| name.trim_matches('"'))
                else {
                    continue;
                };
                let known = flags(&TABLE).any(|flag| flag.name == name);
                assert!(
                    known || ["help", "version"].contains(&name) || name.contains('='),
                    "{answer}"
                );
            }
        }
    }
}
