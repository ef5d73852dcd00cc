//! What only whole command lines have: find(1)'s options and actions.

use std::ffi::{OsStr, OsString};

use brisk::filter::Expr;
use brisk::{Follow, Order, Shape};

use super::line::{Action, ExecKind, File, Options};
use super::parser::{Line, Parser, is_expression};
use super::primaries::no_test;
use super::refusal::{Refusal, Why};
use super::tree::{What, YES};

/// Options that mean the same wherever they stand.
const GLOBAL: [&str; 10] = [
    "d",
    "depth",
    "files0-from",
    "ignore_readdir_race",
    "maxdepth",
    "mindepth",
    "mount",
    "noignore_readdir_race",
    "noleaf",
    "xdev",
];

/// Options for what follows them.
const POSITIONAL: [&str; 5] = ["daystart", "follow", "nowarn", "regextype", "warn"];

impl<'l> Parser<'_, 'l> {
    /// Warns of an option that stands behind something else.
    pub(super) fn check_place(&mut self, name: &str) {
        let Some(line) = &mut self.line else { return };
        if GLOBAL.contains(&name) {
            let Some(first) = line.first else { return };
            let [option, first] = [self.of, first].map(|at| self.words[at].to_string_lossy());
            self.warn(false, |_| {
                format!(
                    "warning: you have specified the global option {option} after the argument \
                     {first}, but global options are not positional, i.e., {option} affects tests \
                     specified before it as well as those specified after it.  Please specify \
                     global options before other arguments."
                )
            });
        } else if !POSITIONAL.contains(&name) {
            line.first.get_or_insert(self.of);
        }
    }

    /// An option or an action.
    pub(super) fn of_line(&mut self, name: &str) -> Result<(), Refusal> {
        let is_line = self.line.is_some();
        let is_known = is_line && (self.option(name)? || self.action(name)?);
        if !is_known {
            let reason = no_test(&self.words[self.of].to_string_lossy());
            return Err(Refusal::new(Why::Unknown, self.of).because(reason));
        }
        Ok(())
    }

    fn line(&mut self) -> &mut Line<'l> {
        self.line.as_mut().expect("BUG: options and actions are read in command lines")
    }

    fn options(&mut self) -> &mut Options {
        &mut self.line().said.options
    }

    fn option(&mut self, name: &str) -> Result<bool, Refusal> {
        match name {
            "d" | "depth" => {
                if name == "d" {
                    let text = "warning: the -d option is deprecated; please use -depth instead, \
                                because the latter is a POSIX-compliant feature.";
                    self.warn(false, |_| text.to_owned());
                }
                self.options().depth_first = true;
                self.line().is_depth_typed = true;
            }
            "maxdepth" => self.options().max_depth = self.depth()?,
            "mindepth" => self.options().min_depth = self.depth()?,
            "mount" | "xdev" => self.options().same_device = true,
            "follow" => self.options().follow = Follow::Always,
            "ignore_readdir_race" => self.options().ignores_races = true,
            "noignore_readdir_race" => self.options().ignores_races = false,
            "warn" => self.options().warns = true,
            "nowarn" => self.options().warns = false,
            "noleaf" => {}
            "files0-from" => {
                self.options().files_from = Some(self.argument()?.to_owned());
                self.rename();
                return Ok(true);
            }
            "help" | "-help" => return Err(Refusal::new(Why::Help, self.of)),
            "version" | "-version" => return Err(Refusal::new(Why::Version, self.of)),
            _ => return Ok(false),
        }
        self.push(What::Part(YES));
        Ok(true)
    }

    fn depth(&mut self) -> Result<usize, Refusal> {
        let text = self.text()?;
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.refused(Why::Depth));
        }
        let depth: Option<i32> = text.parse().ok();
        depth.map(|depth| depth as usize).ok_or_else(|| self.refused(Why::Range))
    }

    fn action(&mut self, name: &str) -> Result<bool, Refusal> {
        let action = match name {
            "print" => Action::Print { to: None, end: b'\n' },
            "print0" => Action::Print { to: None, end: 0 },
            "fprint" => Action::Print { to: Some(self.output()?), end: b'\n' },
            "fprint0" => Action::Print { to: Some(self.output()?), end: 0 },
            "printf" => Action::Printf { to: None, format: self.format()? },
            "fprintf" => {
                let name = self.argument()?;
                let missing = self.refused(Why::Argument);
                let format = self.format().map_err(|_| missing)?;
                Action::Printf { to: Some(self.output_named(name)), format }
            }
            "ls" => Action::Ls { to: None },
            "fls" => Action::Ls { to: Some(self.output()?) },
            "quit" => Action::Quit,
            "delete" => {
                self.options().depth_first = true;
                Action::Delete
            }
            "exec" => self.exec(false, false)?,
            "execdir" => self.exec(true, false)?,
            "ok" => self.exec(false, true)?,
            "okdir" => self.exec(true, true)?,
            _ => return Ok(false),
        };
        let act = self.act(action)?;
        self.push(What::Part(act));
        Ok(true)
    }

    /// Adds an action.
    pub(super) fn act(&mut self, action: Action) -> Result<Expr, Refusal> {
        let of = self.of;
        let said = |message: String| Refusal::new(Why::Said, of).because(message);
        let line = self.line();
        (line.surroundings.prepare)(&action, &line.said.files).map_err(said)?;
        line.prints |= action != Action::Quit;
        let number = u16::try_from(line.said.actions.len());
        line.said.actions.push(action);
        number.map(Expr::Act).map_err(|_| said("too many actions".to_owned()))
    }

    fn output(&mut self) -> Result<File, Refusal> {
        let name = self.argument()?;
        Ok(self.output_named(name))
    }

    fn output_named(&mut self, name: &OsStr) -> File {
        let files = &mut self.line().said.files;
        let known = files.iter().position(|known| known == name);
        File(known.unwrap_or_else(|| {
            files.push(name.to_owned());
            files.len() - 1
        }))
    }

    fn format(&mut self) -> Result<Vec<u8>, Refusal> {
        Ok(self.argument()?.as_encoded_bytes().to_vec())
    }

    /// The command up to its `;`, or its `{} +`.
    fn exec(&mut self, in_directory: bool, asks: bool) -> Result<Action, Refusal> {
        let options = self.options();
        options.asks |= asks;
        options.ignores_races &= !in_directory;
        let from = self.at;
        let words = &self.words[from..];
        let has_braces = |word: &OsString| word.as_encoded_bytes().windows(2).any(|it| it == b"{}");
        let ends = |at: &usize| {
            words[*at] == ";"
                || !asks && words[*at] == "+" && *at > 0 && has_braces(&words[*at - 1])
        };
        let end = (0..words.len()).find(ends);
        let end = end.ok_or_else(|| Refusal::new(Why::Missing, self.of))?;
        self.at += end + 1;
        if end == 0 {
            return Err(self.refused(Why::Argument));
        }
        if words[end] == ";" {
            let words = words[..end].to_vec();
            return Ok(Action::Exec { words, kind: ExecKind::Each, in_directory, asks });
        }
        let suffix = if in_directory { "dir" } else { "" };
        if words[..end].iter().filter(|word| has_braces(word)).count() > 1 {
            return Err(self.refused(Why::Braces).because(suffix));
        }
        if words[end - 1] != "{}" {
            let refusal = Refusal::new(Why::BracesInside, from + end - 1);
            return Err(refusal.because(suffix));
        }
        let words = words[..end - 1].to_vec();
        Ok(Action::Exec { words, kind: ExecKind::Batch, in_directory, asks })
    }
}

impl<'l> Parser<'_, 'l> {
    /// Reads the options that come first: `-H`, `-L`, `-P`, `-D`, `-O`; and brisk's `-S` and `-j`.
    pub(super) fn leading(&mut self) -> Result<(), Refusal> {
        while let Some(word) = self.words.get(self.at) {
            self.of = self.at;
            let text = word.to_string_lossy();
            let value = self.words.get(self.at + 1).and_then(|word| word.to_str());
            match &*text {
                "-H" => self.options().follow = Follow::Roots,
                "-L" => self.options().follow = Follow::Always,
                "-P" => self.options().follow = Follow::Never,
                "-D" => {
                    self.at += 1;
                    self.debug()?;
                }
                "-S" if value == Some("bfs") => self.order(Order::Breadth),
                "-S" if value == Some("dfs") => self.order(Order::Depth(Shape::Pre)),
                "-S" if value == Some("any") => self.order(Order::Unordered),
                text if text.starts_with("-O") => self.level(&text[2..])?,
                text if text.starts_with("-j") && text[2..].parse::<usize>().is_ok() => {
                    self.options().threads = text[2..].parse().ok();
                }
                text => {
                    self.at += usize::from(text == "--");
                    break;
                }
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Reads the paths, which precede the expression.
    pub(super) fn paths(&mut self) {
        let paths = self.words[self.at..].iter().take_while(|word| !is_expression(word, true));
        let paths: Vec<OsString> = paths.cloned().collect();
        self.at += paths.len();
        self.line().said.paths = paths;
    }

    /// Whether an action was read that leaves no need for `-print`.
    pub(super) fn prints(&mut self) -> bool {
        self.line().prints
    }

    fn order(&mut self, order: Order) {
        self.options().order = order;
        self.at += 1;
    }

    /// `-D`: GNU find's flags are known, and explain nothing here.
    fn debug(&mut self) -> Result<(), Refusal> {
        let word = self.words.get(self.at);
        let word = word.ok_or_else(|| Refusal::new(Why::DebugMissing, self.of))?;
        let text = word.to_string_lossy();
        let flags = || text.split(',').filter(|flag| !flag.is_empty());
        for flag in flags() {
            match flag {
                "explain" => self.options().explains = true,
                "stats" => self.options().stats = true,
                _ if DEBUG.contains(&flag) => {}
                _ => {
                    let first = flags().next().unwrap_or_default().as_bytes();
                    self.warn(true, |surroundings| {
                        let flag = (surroundings.quote)(first);
                        format!("Ignoring unrecognised debug flag {flag}")
                    });
                }
            }
        }
        if flags().any(|flag| flag == "help") {
            return Err(Refusal::new(Why::DebugHelp, self.of));
        }
        flags().next().map(drop).ok_or_else(|| Refusal::new(Why::DebugEmpty, self.of))
    }

    /// `-O`: how much GNU find may reorder. Here tests are always reordered where nobody can tell.
    fn level(&self, text: &str) -> Result<(), Refusal> {
        let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &text[..text.len() - digits.len()];
        let why = match number.parse::<u64>() {
            _ if text.is_empty() => Why::LevelMissing,
            _ if number.is_empty() => Why::LevelNumber,
            _ if !digits.is_empty() => Why::LevelSuffix,
            Ok(..=0xffff) => return Ok(()),
            Ok(_) => Why::LevelHigh,
            Err(_) => Why::LevelRange,
        };
        Err(Refusal::new(why, self.at).because(text))
    }
}

/// What GNU find's `-D` takes.
const DEBUG: [&str; 9] = ["all", "exec", "help", "opt", "rates", "search", "stat", "time", "tree"];
