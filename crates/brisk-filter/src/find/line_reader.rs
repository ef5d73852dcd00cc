//! [`LineReader`]: what is known of a command line while its words are read; find(1)'s options.

use brisk::Follow;

use super::fault::{Fault, Why};
use super::line::{CommandLine, Options, Surroundings};
use super::names::{GLOBAL, POSITIONAL, lists};
use super::operators::YES;
use super::word_reader::WordReader;

/// What is known of a command line while its words are read.
pub(super) struct LineReader<'l> {
    pub surroundings: Surroundings<'l>,
    pub said: CommandLine,
    /// The first word that is not an option, for the warning about options after it.
    pub first: Option<usize>,
    /// Whether an action makes `-print` unnecessary.
    pub prints: bool,
    /// Whether `-depth` was typed.
    pub is_depth_typed: bool,
}

impl<'l> LineReader<'l> {
    pub fn new(surroundings: Surroundings<'l>) -> LineReader<'l> {
        let options = Options::new(surroundings.warns);
        let paths = Vec::new();
        let actions = Vec::new();
        let files = Vec::new();
        let said = CommandLine { paths, options, expr: YES, actions, files };
        let [prints, is_depth_typed] = [false; 2];
        LineReader { surroundings, said, first: None, prints, is_depth_typed }
    }

    pub fn warns(&self) -> bool {
        self.said.options.warns && !self.surroundings.is_posix
    }

    /// Passes a warning on. `always`: even if warnings are not wanted.
    pub fn warn(&mut self, always: bool, text: impl FnOnce(&Surroundings<'_>) -> String) {
        if always || self.warns() {
            let text = text(&self.surroundings);
            (self.surroundings.warn)(text);
        }
    }

    /// Warns of an option that comes after something else.
    pub fn check_place(&mut self, words: &WordReader<'_>, name: &str) {
        if lists(GLOBAL, name) {
            let Some(first) = self.first else { return };
            let [option, first] = [words.of, first].map(|at| words.all[at].to_string_lossy());
            self.warn(false, |_| {
                format!(
                    "warning: you have specified the global option {option} after the argument \
                     {first}, but global options are not positional, i.e., {option} affects tests \
                     specified before it as well as those specified after it.  Please specify \
                     global options before other arguments."
                )
            });
        } else if !lists(POSITIONAL, name) {
            self.first.get_or_insert(words.of);
        }
    }

    /// Reads an option. `false` if there is none of this name.
    pub fn option(&mut self, words: &mut WordReader<'_>, name: &str) -> Result<bool, Fault> {
        let options = &mut self.said.options;
        match name {
            "depth" => {
                options.depth_first = true;
                self.is_depth_typed = true;
            }
            "d" => {
                let text = "warning: the -d option is deprecated; please use -depth instead, \
                            because the latter is a POSIX-compliant feature.";
                self.warn(false, |_| text.to_owned());
                return self.option(words, "depth");
            }
            "maxdepth" => options.max_depth = depth(words)?,
            "mindepth" => options.min_depth = depth(words)?,
            "mount" | "xdev" => options.same_device = true,
            "follow" => options.follow = Follow::Always,
            "ignore_readdir_race" => options.ignores_races = true,
            "noignore_readdir_race" => options.ignores_races = false,
            "warn" | "nowarn" => options.warns = name == "warn",
            "noleaf" => {}
            "help" | "-help" => return Err(Fault::new(Why::HELP, words.of)),
            "version" | "-version" => return Err(Fault::new(Why::VERSION, words.of)),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A number of levels.
fn depth(words: &mut WordReader<'_>) -> Result<usize, Fault> {
    let text = words.text()?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(words.refused(Why::DEPTH));
    }
    let depth: Option<i32> = text.parse().ok();
    depth.map(|depth| depth as usize).ok_or_else(|| words.refused(Why::RANGE))
}
