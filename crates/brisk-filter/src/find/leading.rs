//! What comes before the expression: the options that must come first, and the paths.

use std::ffi::OsStr;

use brisk::{Follow, Order, Shape};

use super::fault::{Fault, Why};
use super::line_reader::LineReader;
use super::names::lists;
use super::word_reader::WordReader;

impl LineReader<'_> {
    /// Reads the options that come first: `-H`, `-L`, `-P`, `-D`, `-O`; and brisk's `-S` and `-j`.
    pub fn leading(&mut self, words: &mut WordReader<'_>) -> Result<(), Fault> {
        while let Some(word) = words.next() {
            words.of = words.at;
            let text = word.to_string_lossy();
            let value = words.all.get(words.at + 1).and_then(|word| word.to_str());
            match &*text {
                "-H" => self.said.options.follow = Follow::Roots,
                "-L" => self.said.options.follow = Follow::Always,
                "-P" => self.said.options.follow = Follow::Never,
                "-D" => self.debug(words)?,
                "-S" if value.and_then(order).is_some() => {
                    words.at += 1;
                    self.said.options.order = value.and_then(order).unwrap_or_default();
                }
                text if text.starts_with("-O") => level(words.of, &text[2..])?,
                text if text.starts_with("-j") && text[2..].parse::<usize>().is_ok() => {
                    self.said.options.threads = text[2..].parse().ok();
                }
                text => {
                    words.at += usize::from(text == "--");
                    break;
                }
            }
            words.at += 1;
        }
        Ok(())
    }

    /// Reads the paths, which precede the expression.
    pub fn paths(&mut self, words: &mut WordReader<'_>) {
        let paths = words.all[words.at..].iter().take_while(|word| !is_expression(word, true));
        self.said.paths = paths.cloned().collect();
        words.at += self.said.paths.len();
    }

    /// `-D`: of GNU find's flags, all are accepted, and most have no effect.
    fn debug(&mut self, words: &mut WordReader<'_>) -> Result<(), Fault> {
        words.at += 1;
        let word = words.next().ok_or_else(|| Fault::new(Why::DEBUG_MISSING, words.of))?;
        let text = word.to_string_lossy();
        let flags = || text.split(',').filter(|flag| !flag.is_empty());
        for flag in flags() {
            match flag {
                "explain" => self.said.options.explains = true,
                "stats" => self.said.options.stats = true,
                _ if lists(DEBUG, flag) => {}
                // find(1) names the first flag in each message.
                _ => self.warn(true, |surroundings| {
                    let first = flags().next().unwrap_or_default();
                    let flag = (surroundings.quote)(first.as_bytes());
                    format!("Ignoring unrecognised debug flag {flag}")
                }),
            }
        }
        if flags().any(|flag| flag == "help") {
            return Err(Fault::new(Why::DEBUG_HELP, words.of));
        }
        flags().next().map(drop).ok_or_else(|| Fault::new(Why::DEBUG_EMPTY, words.of))
    }
}

/// `-S`: bfs's orders, and one of brisk's own.
fn order(word: &str) -> Option<Order> {
    Some(match word {
        "bfs" => Order::Breadth,
        "dfs" => Order::Depth(Shape::Pre),
        "any" => Order::Unordered,
        _ => return None,
    })
}

/// The flags that GNU find's `-D` takes.
const DEBUG: &str = "all exec help opt rates search stat time tree";

/// `-O`: how much GNU find may reorder. brisk checks the number and ignores it: it always reorders
/// tests where the output stays the same.
fn level(at: usize, text: &str) -> Result<(), Fault> {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &text[..text.len() - digits.len()];
    let why = match number.parse::<u64>() {
        _ if text.is_empty() => Why::LEVEL_MISSING,
        _ if number.is_empty() => Why::LEVEL_NUMBER,
        _ if !digits.is_empty() => Why::LEVEL_SUFFIX,
        Ok(..=0xffff) => return Ok(()),
        Ok(_) => Why::LEVEL_HIGH,
        Err(_) => Why::LEVEL_RANGE,
    };
    Err(Fault::new(why, at).because(text))
}

/// Whether a word belongs to an expression and is not a path. `begins`: it may be the first one.
pub(super) fn is_expression(word: &OsStr, begins: bool) -> bool {
    match word.as_encoded_bytes() {
        b")" | b"," => !begins,
        b"!" | b"(" => true,
        word => word.len() > 1 && word[0] == b'-',
    }
}
