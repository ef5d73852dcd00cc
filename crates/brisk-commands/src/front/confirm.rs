//! Answers to a command's questions, each a line of standard input.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::sync::{LazyLock, Mutex};

use brisk_cli_sys::signals::interrupted;
use brisk_cli_sys::{Category, Text, locale};
use brisk_sys::threads::lock;
use regex::bytes::Regex;

use crate::front::list::Input;
use crate::front::messages::Caller;

/// Bytes of answers that are read at once.
const ANSWERS: usize = 4 << 10;

/// Asks on standard error and reads from standard input, as GNU's programs do. Returns whether the answer
/// means yes: no answer means no, and so does a signal that ends the program.
pub(crate) fn ask(caller: Caller, question: &str) -> bool {
    if interrupted() {
        return false;
    }
    let _ = io::stderr().write_all(format!("{}{question} ", caller.prefix()).as_bytes());
    let agreed = is_yes();
    if interrupted() {
        // The next message must not stand on the question's line.
        let _ = io::stderr().write_all(b"\n");
        return false;
    }
    agreed
}

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
