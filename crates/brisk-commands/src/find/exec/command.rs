//! The commands that `-x` and `-X` were given, and how results are filled in.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use crate::front::messages::cause;
use crate::show::quoting::retypable;
use crate::show::template::parts::Separator;
use crate::show::template::{Placeholders, Template};

/// Whether all commands succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Success {
    /// All did, or no command was run.
    Fine,
    /// A command failed or could not be started.
    Failed,
}

/// All commands of one invocation, in order: each `-x` or `-X` is one.
#[derive(Clone, Debug)]
pub struct Commands {
    lines: Vec<CommandLine>,
    /// `-X`: one run takes many results; `-x`: one.
    pub(super) is_batch: bool,
}

/// One command: the program and its arguments, at least one of which holds a placeholder.
#[derive(Clone, Debug)]
pub(super) struct CommandLine {
    arguments: Vec<Template>,
}

impl Commands {
    /// The commands of `-x`, each the words of one occurrence.
    ///
    /// # Errors
    /// A message for the user (a usage error, as with fd) if a command is empty.
    pub fn each(lines: &[Vec<String>], separator: &Separator) -> Result<Commands, String> {
        let lines = lines.iter().map(|words| CommandLine::parse(words, separator));
        Ok(Commands { lines: lines.collect::<Result<_, _>>()?, is_batch: false })
    }

    /// The commands of `-X`, each the words of one occurrence.
    ///
    /// # Errors
    /// A message for the user (a usage error, as with fd) if a command is empty, if its program is
    /// a placeholder, or if more than one argument holds placeholders.
    pub fn batch(lines: &[Vec<String>], separator: &Separator) -> Result<Commands, String> {
        let mut commands = Commands::each(lines, separator)?;
        commands.is_batch = true;
        for line in &commands.lines {
            let filled = line.arguments.iter().filter(|argument| !argument.is_text());
            if !line.arguments[0].is_text() {
                return Err("First argument of --exec-batch must be a fixed executable, \
                            not a placeholder"
                    .to_owned());
            }
            if filled.count() > 1 {
                return Err("Only one placeholder allowed for batch commands".to_owned());
            }
        }
        Ok(commands)
    }

    pub(super) fn lines(&self) -> &[CommandLine] {
        &self.lines
    }
}

impl CommandLine {
    /// Placeholders are fd's in both dialects: words such as `{print}` belong to the command.
    fn parse(words: &[String], separator: &Separator) -> Result<CommandLine, String> {
        if words.is_empty() {
            return Err("No executable provided for --exec or --exec-batch".to_owned());
        }
        let template = |word: &str| {
            let template = Template::parse(word, Placeholders::Fd)?;
            Ok::<_, String>(template.with_separator(separator.clone()))
        };
        let mut arguments: Vec<Template> =
            words.iter().map(|word| template(word)).collect::<Result<_, _>>()?;
        if arguments.iter().all(Template::is_text) {
            arguments.push(template("{}")?);
        }
        Ok(CommandLine { arguments })
    }

    /// The command. `fill` makes words of an argument that holds placeholders.
    pub(super) fn command(&self, mut fill: impl FnMut(&Template) -> Vec<OsString>) -> Command {
        let mut words = self.arguments.iter().flat_map(|argument| match argument.is_text() {
            true => vec![argument.argument(b"")],
            false => fill(argument),
        });
        let program = words.next().expect("BUG: a command has at least its program");
        let mut command = Command::new(program);
        command.args(words);
        command
    }

    /// The one argument that holds a placeholder.
    pub(super) fn placeholder(&self) -> &Template {
        let placeholder = self.arguments.iter().find(|argument| !argument.is_text());
        placeholder.expect("BUG: a command without a placeholder was given one")
    }
}

/// The message about a command that could not be started, in fd's words.
#[cold]
pub(super) fn not_started(command: &Command, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        format!("Command not found: {}", retypable(command.get_program()))
    } else {
        let program = retypable(command.get_program());
        format!("Problem while executing command: {program}: {}", cause(error))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Vec<String>> {
        vec![line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()]
    }

    fn each(line: &str, path: &str) -> String {
        let separator = Separator::default();
        let commands = Commands::each(&words(line), &separator).expect(line);
        let fill = |argument: &Template| vec![argument.argument(path.as_bytes())];
        let command = commands.lines()[0].command(fill);
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn placeholders_are_filled_in_any_argument() {
        assert_eq!(each("mv {} {.}.bak", "d/a.txt"), "mv d/a.txt d/a.bak");
        assert_eq!(each("{/} x", "d/a.txt"), "a.txt x");
        assert_eq!(each("awk {print}", "a"), "awk {print} a");
        assert_eq!(each("echo {{}}", "a"), "echo {} a");
    }

    #[test]
    fn the_path_is_appended_where_no_placeholder_stands() {
        assert_eq!(each("ls -l", "./a b"), "ls -l ./a b");
    }

    #[test]
    fn usage_errors_are_fd_s() {
        let separator = Separator::default();
        let batch = |line| Commands::batch(&words(line), &separator).map(|_| ()).unwrap_err();
        assert_eq!(batch(""), "No executable provided for --exec or --exec-batch");
        assert_eq!(batch("echo {} {/}"), "Only one placeholder allowed for batch commands");
        assert!(batch("{} x").starts_with("First argument of --exec-batch must be"));
        assert!(Commands::batch(&words("echo {}{/}"), &separator).is_ok());
        assert!(Commands::each(&words("{}"), &separator).is_ok());
    }
}
