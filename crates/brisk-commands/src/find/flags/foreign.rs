//! find(1)'s words under brisk's own name. As clusters of letters they would mean something else:
//! `-empty` the extension `mpty`, `-xdev` a command named `dev`. They are refused, with the option
//! that means the same here.

use std::ffi::{OsStr, OsString};

use brisk_filter::find::{self, is_test};

use crate::show::quoting::retypable;

/// Words, and the options of `brisk find` that mean the same: none if it does so anyway. `{}`
/// stands for the next word. Options that begin with a letter make a pattern of it.
const OPTIONS: &str = "and=; daystart=--where -daystart; delete=--delete; empty=--type empty; exec=--exec; \
    executable=--where -executable; false=--where -false; follow=--follow; gid=--owner :{}; \
    group=--owner :{}; help=--help; iname=-i -g {}; ipath=-i -p -g {}; iregex=-i -p {}; \
    iwholename=-i -p -g {}; ls=--list-details; maxdepth=--max-depth {}; mindepth=--min-depth {}; \
    mount=--one-file-system; name=-s -g {}; newerBt=--created-within {}; newerct=--ctime-within {}; \
    newermt=--changed-within {}; nogroup=--where -nogroup; not=--where '! TEST'; \
    nouser=--where -nouser; or=--where 'TEST -o TEST'; path=-s -p -g {}; print=; print0=--print0; \
    printf=--format; prune=--exclude GLOB; quit=--max-results 1; readable=--where -readable; \
    regex=-s -p {}; true=--where -true; type=--type {}; uid=--owner {}; user=--owner {}; \
    version=--version; wholename=-s -p -g {}; writable=--where -writable; xdev=--one-file-system";

/// find's other words, which have no equivalent.
const OTHERS: &str = "\
    context depth execdir files0-from flags fls fprint fprint0 fprintf fstype ignore_readdir_race \
    noignore_readdir_race noleaf nowarn ok okdir sparse warn xattr";

/// Why `brisk find` refuses this word, if it is find(1)'s. `rest`: the words that follow, of which
/// those of find(1) are answered too.
pub(super) fn refusal(word: &OsStr, rest: &[OsString]) -> Option<String> {
    Foreign::of(word)?;
    let line: Vec<&OsStr> =
        [word].into_iter().chain(rest.iter().map(OsString::as_os_str)).collect();
    Some(answer(&line))
}

/// A word of find(1)'s.
#[derive(Clone, Copy)]
struct Foreign<'w> {
    /// Without its dash.
    name: &'w str,
    /// The options of `brisk find` that mean the same, if there are any.
    options: Option<&'static str>,
}

impl<'w> Foreign<'w> {
    fn of(word: &'w OsStr) -> Option<Foreign<'w>> {
        let name = word.to_str()?.strip_prefix('-')?;
        let mut known = OPTIONS.split("; ").filter_map(|known| known.split_once('='));
        let options = known.find(|(known, _)| *known == name).map(|(_, options)| options);
        let is_known =
            options.is_some() || is_test(name) || OTHERS.split(' ').any(|other| other == name);
        is_known.then_some(Foreign { name, options })
    }

    /// Whether `--where` takes the word.
    fn is_for_where(self) -> bool {
        is_test(self.name) || matches!(self.name, "and" | "or" | "not")
    }
}

/// What all of find(1)'s words in the line are here.
#[cold]
fn answer(line: &[&OsStr]) -> String {
    let mut answers = Vec::new();
    let mut rest = line;
    while let [word, after @ ..] = rest {
        let (several, behind) = expression(rest);
        if let Some(tests) = several {
            answers.push(format!("{tests} is --where {} here", within(&tests)));
            rest = behind;
            continue;
        }
        rest = after;
        let Some(Foreign { name, options }) = Foreign::of(word) else { continue };
        if options != Some("") || answers.is_empty() {
            answers.push(message(name, options, after));
        }
        // The words of a command are its own.
        if options == Some("--exec") {
            break;
        }
    }
    if answers.len() > 1 {
        answers.push("a link named find takes the line as it is".to_owned());
    }
    answers.join("; ")
}

/// The words as one, in the quotes that they do not have.
fn within(words: &str) -> String {
    let fits = words.contains('\'') && !words.contains(['"', '$', '`', '\\', '!']);
    if fits { format!("\"{words}\"") } else { retypable(words) }
}

/// The expression of several tests that the words begin with, if they do, and the words behind it.
fn expression<'l, 'w>(words: &'l [&'w OsStr]) -> (Option<String>, &'l [&'w OsStr]) {
    let ends = |word: &&OsStr| {
        word.as_encoded_bytes().starts_with(b"--")
            || Foreign::of(word).is_some_and(|word| !word.is_for_where())
    };
    let (tests, behind) = words.split_at(words.iter().position(ends).unwrap_or(words.len()));
    let is_part = |word: &&&OsStr| **word == "!" || **word == "(" || Foreign::of(word).is_some();
    let are_several = tests.iter().filter(is_part).count() > 1;
    let word = |word: &&OsStr| match word.to_str() {
        Some("!") => "-not".to_owned(),
        _ => retypable(word),
    };
    let text = tests.iter().map(word).collect::<Vec<_>>().join(" ");
    (Some(text).filter(|text| are_several && find::tests(text, 0, false).is_ok()), behind)
}

#[cold]
fn message(name: &str, options: Option<&str>, rest: &[&OsStr]) -> String {
    let value = rest.first().map_or_else(|| "X".to_owned(), retypable);
    let place = if options.is_some_and(|it| it.starts_with("-s") || it.starts_with("-i")) {
        ", before the path"
    } else {
        ""
    };
    match options {
        Some("") => format!("-{name} is not needed here"),
        Some("--exec") => {
            let command = rest.split(|word| *word == ";").next().unwrap_or_default();
            let many = command.windows(2).any(|pair| pair[0] == "{}" && pair[1] == "+");
            if many { "-exec … + is --exec-batch here" } else { "-exec is --exec here" }.to_owned()
        }
        Some(options) if options.contains("{}") => {
            let each = value.replace(',', " --type ");
            let options = options.replace("{}", if name == "type" { &each } else { &value });
            format!("-{name} {value} is {options} here{place}")
        }
        Some(options) => format!("-{name} is {options} here"),
        None if is_test(name) => {
            let test = format!("-{name} {value}");
            format!("{test} is --where {} here", retypable(&test))
        }
        None => format!("-{name} has no equivalent here"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::flags::{Options, Origin, TABLE, read_layer};
    use crate::front::Specs;
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
            (". -mtime +7", "-mtime +7 is --where '-mtime +7' here"),
            (". -cmin 5", "-cmin 5 is --where '-cmin 5' here"),
            (". -size -10k", "-size -10k is --where '-size -10k' here"),
            (". -size", "-size X is --where '-size X' here"),
            (". -exec a + {} ;", "-exec is --exec here"),
            (". -newermt 2026-01-31", "-newermt 2026-01-31 is --changed-within 2026-01-31 here"),
            (". -iname A", "-iname A is -i -g A here, before the path"),
            (". -print", "-print is not needed here"),
            ("-ls", "-ls is --list-details here"),
            ("-x echo -name ; -perm 1", "-perm 1 is --where '-perm 1' here"),
            (". -type f,d", "-type f,d is --type f --type d here"),
            (". -nouser", "-nouser is --where -nouser here"),
            (". -okdir", "-okdir has no equivalent here"),
            (". -type f -size +1M -print", "-type f -size +1M is --where '-type f -size +1M' here"),
            (
                ". -maxdepth 2 ! -name *.c -delete",
                "-maxdepth 2 is --max-depth 2 here; -not -name '*.c' is --where \"-not -name '*.c'\" \
                 here; -delete is --delete here; a link named find takes the line as it is",
            ),
            (
                ". -maxdepth 2 ( -name *.c -o -empty ) -exec wc -name ;",
                "-maxdepth 2 is --max-depth 2 here; '(' -name '*.c' -o -empty ')' is --where \
                 \"'(' -name '*.c' -o -empty ')'\" here; -exec is --exec here; a link named find takes \
                 the line as it is",
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
        for (word, _) in OPTIONS.split("; ").filter_map(|known| known.split_once('=')) {
            let answer = refused(&format!("-{word} 1")).unwrap();
            for option in answer.split_once(' ').unwrap().1.split(' ') {
                let Some(name) = option.strip_prefix("--").map(|name| name.trim_matches('"'))
                else {
                    continue;
                };
                let known = TABLE.specs().any(|flag| flag.name == name);
                assert!(
                    known || ["help", "version"].contains(&name) || name.contains('='),
                    "{answer}"
                );
            }
        }
    }
}
