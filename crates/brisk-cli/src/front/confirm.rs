//! Answers to a command's questions, each a line of standard input.

use std::io::{BufRead as _, BufReader};
use std::sync::{LazyLock, Mutex};

use brisk_cli_sys::{Category, Text, locale};
use brisk_sys::threads::lock;
use regex::bytes::Regex;

use crate::front::list::Input;

/// Bytes of answers that are read at once.
const ANSWERS: usize = 4 << 10;

/// Whether the next line of standard input means yes in the user's language. No line means no.
pub(crate) fn is_yes() -> bool {
    static INPUT: LazyLock<Mutex<BufReader<Input>>> =
        LazyLock::new(|| Mutex::new(BufReader::with_capacity(ANSWERS, Input)));
    let mut input = lock(&INPUT);
    let yes = input.fill_buf().is_ok_and(|line| !line.is_empty() && means_yes(line));
    let _ = input.skip_until(b'\n');
    yes
}

/// Whether a text begins with a line that means yes.
fn means_yes(text: &[u8]) -> bool {
    static YES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        locale::adopt(Category::Messages);
        Regex::new(str::from_utf8(&locale::text(Text::Yes)).ok()?).ok()
    });
    let in_english = || matches!(text.first(), Some(b'y' | b'Y'));
    YES.as_ref().map_or_else(in_english, |yes| yes.is_match(text))
}
