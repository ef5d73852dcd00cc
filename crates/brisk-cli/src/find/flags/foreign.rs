//! find(1)'s words under brisk's own name. As clusters of letters they would mean something else:
//! `-empty` the extension `mpty`, `-xdev` a command named `dev`. They are refused, with the option
//! that means the same here.

use std::ffi::{OsStr, OsString};

use brisk_filter::find::is_test;

use crate::show::quoting::retypable;

/// Words, and the options of `brisk find` that mean the same: none if it does so anyway. `{}` stands
/// for the next word. Options that begin with a letter make a pattern of it.
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

/// Why `brisk find` refuses this word, if it is find(1)'s. `rest`: the words that follow.
pub(super) fn refusal(word: &OsStr, rest: &[OsString]) -> Option<String> {
    let name = word.to_str()?.strip_prefix('-')?;
    let mut known = OPTIONS.split("; ").filter_map(|known| known.split_once('='));
    let options = known.find(|(known, _)| *known == name).map(|(_, options)| options);
    let is_known =
        options.is_some() || is_test(name) || OTHERS.split(' ').any(|other| other == name);
    is_known.then(|| message(name, options, rest))
}

#[cold]
fn message(name: &str, options: Option<&str>, rest: &[OsString]) -> String {
    let value = rest.first().map_or_else(|| "X".to_owned(), retypable);
    let place = if options.is_some_and(|it| it.starts_with("-s") || it.starts_with("-i")) {
        ", before the path"
    } else {
        ""
    };
    match options {
        Some("") => format!("-{name} need not be said here"),
        Some("--exec") => {
            let command = rest.split(|word| word == ";").next().unwrap_or_default();
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
            (". -mtime +7", "-mtime +7 is --where '-mtime +7' here"),
            (". -cmin 5", "-cmin 5 is --where '-cmin 5' here"),
            (". -size -10k", "-size -10k is --where '-size -10k' here"),
            (". -size", "-size X is --where '-size X' here"),
            (". -exec a + {} ;", "-exec is --exec here"),
            (". -newermt 2026-01-31", "-newermt 2026-01-31 is --changed-within 2026-01-31 here"),
            (". -iname A", "-iname A is -i -g A here, before the path"),
            (". -print", "-print need not be said here"),
            ("-ls", "-ls is --list-details here"),
            ("-x echo -name ; -perm 1", "-perm 1 is --where '-perm 1' here"),
            (". -type f,d", "-type f,d is --type f --type d here"),
            (". -nouser", "-nouser is --where -nouser here"),
            (". -okdir", "-okdir has no equivalent here"),
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
                let known = flags(&TABLE).any(|flag| flag.name == name);
                assert!(
                    known || ["help", "version"].contains(&name) || name.contains('='),
                    "{answer}"
                );
            }
        }
    }
}
