//! Any name in each style of quoting that can be read back: a shell or C reads the same name.

#![no_main]

use libfuzzer_sys::fuzz_target;

// The library keeps these modules to itself.
#[expect(dead_code, reason = "the target calls a part of these modules")]
#[path = "../../crates/brisk-commands/src/show"]
mod show {
    pub mod quoting;
    pub mod text;
}

use show::quoting::{Quoting, Style};
use show::text::Charset;

/// The byte of an escape of C, and what follows.
fn unescaped(bytes: &[u8]) -> (u8, &[u8]) {
    if let [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', rest @ ..] = bytes {
        return ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), rest);
    }
    let (first, rest) = bytes.split_first().expect("an escape has a letter");
    let byte = match first {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        other => *other,
    };
    (byte, rest)
}

/// Appends what stands before a closing quote; returns what follows that quote.
fn inside<'a>(mut rest: &'a [u8], close: u8, escapes: bool, name: &mut Vec<u8>) -> &'a [u8] {
    loop {
        let (byte, after) = rest.split_first().expect("a closing quote");
        rest = match byte {
            byte if *byte == close => return after,
            b'\\' if escapes => {
                let (byte, after) = unescaped(after);
                name.push(byte);
                after
            }
            byte => {
                name.push(*byte);
                after
            }
        };
    }
}

/// The word that a shell reads.
fn read_by_shell(mut rest: &[u8]) -> Vec<u8> {
    let mut name = Vec::new();
    loop {
        rest = match rest {
            [] => return name,
            [b'\'', after @ ..] => inside(after, b'\'', false, &mut name),
            [b'"', after @ ..] => inside(after, b'"', false, &mut name),
            [b'$', b'\'', after @ ..] => inside(after, b'\'', true, &mut name),
            [b'\\', byte, after @ ..] | [byte, after @ ..] => {
                name.push(*byte);
                after
            }
        };
    }
}

fn read_by_c(text: &[u8]) -> Vec<u8> {
    let mut name = Vec::new();
    match text {
        [b'"', rest @ ..] => assert!(inside(rest, b'"', true, &mut name).is_empty()),
        _ => {
            // The end closes it.
            let text = [text, b"\0"].concat();
            inside(&text, 0, true, &mut name);
        }
    }
    name
}

fn quoted(style: Style, name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Quoting::new(style, false, Charset::Ascii).write(name, &mut out);
    out
}

fuzz_target!(|bytes: &[u8]| {
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let Some(last) = name.last() else { return };
    for style in [Style::Shell, Style::ShellAlways] {
        assert_eq!(read_by_shell(&quoted(style, name)), name);
    }
    // Such a name begins as if it stood within escapes: GNU ls writes it so, and brisk writes what
    // GNU ls writes.
    if !name.contains(&b'\'') || matches!(last, b' '..=b'~') {
        for style in [Style::ShellEscape, Style::ShellEscapeAlways] {
            let text = quoted(style, name);
            assert_eq!(read_by_shell(&text), name);
            assert!(text.iter().all(|byte| matches!(byte, b' '..=b'~')));
        }
    }
    for style in [Style::C, Style::Escape] {
        let text = quoted(style, name);
        assert!(text.iter().all(|byte| matches!(byte, b' '..=b'~')));
        assert!(style == Style::Escape || read_by_c(&text) == name);
        // Without quotes around it, a quote at its beginning is the name's own.
        assert!(name[0] == b'"' || read_by_c(&text) == name);
    }
    let text = quoted(Style::CMaybe, name);
    assert!(text == name || read_by_c(&text) == name);
});
