//! find(1)'s actions.

use std::ffi::OsString;

use brisk::filter::Expr;

use super::fault::{Fault, Why};
use super::line::{Action, ExecKind, File};
use super::line_reader::LineReader;
use super::word_reader::WordReader;

impl LineReader<'_> {
    /// Reads an action. `None` if there is none of this name.
    pub fn action(
        &mut self,
        words: &mut WordReader<'_>,
        name: &str,
    ) -> Result<Option<Expr>, Fault> {
        let action = match name {
            "print" => Action::Print { to: None, end: b'\n' },
            "print0" => Action::Print { to: None, end: 0 },
            "fprint" => Action::Print { to: Some(self.output(words)?), end: b'\n' },
            "fprint0" => Action::Print { to: Some(self.output(words)?), end: 0 },
            "printf" => Action::Printf { to: None, format: format(words)? },
            "fprintf" => {
                let to = Some(self.output(words)?);
                // find(1) names the file here.
                let name = words.refused(Why::NUMBER);
                Action::Printf { to, format: format(words).map_err(|_| name)? }
            }
            "ls" => Action::Ls { to: None },
            "fls" => Action::Ls { to: Some(self.output(words)?) },
            "quit" => Action::Quit,
            "delete" => {
                self.said.options.depth_first = true;
                Action::Delete
            }
            "exec" | "execdir" | "ok" | "okdir" => self.exec(words, name)?,
            _ => return Ok(None),
        };
        self.act(action, words.of).map(Some)
    }

    /// Adds an action, which is named by a word.
    pub fn act(&mut self, action: Action, of: usize) -> Result<Expr, Fault> {
        let said = |message: String| Fault::new(Why::SAID, of).because(message);
        (self.surroundings.prepare)(&action, &self.said.files).map_err(said)?;
        self.prints |= action != Action::Quit;
        let is_true = match &action {
            Action::Print { .. } => true,
            Action::Exec { kind, .. } => *kind == ExecKind::Batch,
            _ => false,
        };
        let number = u16::try_from(self.said.actions.len());
        let act = number.map_err(|_| said("too many actions".to_owned())).map(Expr::Action)?;
        self.said.actions.push(action);
        // An action that is always true is known to be true before it runs.
        Ok(if is_true { Expr::List(vec![act, Expr::All(Vec::new())]) } else { act })
    }

    fn output(&mut self, words: &mut WordReader<'_>) -> Result<File, Fault> {
        let name = words.argument()?;
        let files = &mut self.said.files;
        let known = files.iter().position(|known| known == name);
        Ok(File(known.unwrap_or_else(|| {
            files.push(name.to_owned());
            files.len() - 1
        })))
    }

    /// Reads the command up to its `;`, or its `{} +`.
    fn exec(&mut self, words: &mut WordReader<'_>, name: &str) -> Result<Action, Fault> {
        let asks = name.starts_with("ok");
        let suffix = if name.ends_with("dir") { "dir" } else { "" };
        let in_directory = !suffix.is_empty();
        let options = &mut self.said.options;
        options.asks |= asks;
        options.ignores_races &= !in_directory;
        let (command, is_batch) = up_to_end(words, asks)?;
        let exec = |words: &[OsString], kind| {
            Ok(Action::Exec { words: words.to_vec(), kind, in_directory, asks })
        };
        let Some((braces, before)) = command.split_last().filter(|_| is_batch) else {
            return exec(command, ExecKind::Each);
        };
        if before.iter().any(has_braces) {
            return Err(words.refused(Why::BRACES).because(suffix));
        }
        if braces != "{}" {
            return Err(Fault::new(Why::BRACES_INSIDE, words.at - 2).because(suffix));
        }
        exec(before, ExecKind::Batch)
    }
}

/// The words up to `;`, or up to a `+` after a word with `{}`, and whether it is a `+`.
fn up_to_end<'c>(words: &mut WordReader<'c>, asks: bool) -> Result<(&'c [OsString], bool), Fault> {
    let rest = &words.all[words.at..];
    let is_batch = |at: usize| !asks && rest[at] == "+" && at > 0 && has_braces(&rest[at - 1]);
    let end = (0..rest.len()).find(|at| rest[*at] == ";" || is_batch(*at));
    let end = end.ok_or_else(|| Fault::new(Why::MISSING, words.of))?;
    words.at += end + 1;
    match end {
        0 => Err(words.refused(Why::NUMBER)),
        _ => Ok((&rest[..end], rest[end] == "+")),
    }
}

fn has_braces(word: &OsString) -> bool {
    word.as_encoded_bytes().windows(2).any(|pair| pair == b"{}")
}

fn format(words: &mut WordReader<'_>) -> Result<Vec<u8>, Fault> {
    Ok(words.argument()?.as_encoded_bytes().to_vec())
}
