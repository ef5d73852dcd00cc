//! Texts without control characters and without characters that hide or reorder others. In messages
//! these are escaped everywhere, in results only for a terminal: pipes and files receive the bytes
//! of results unchanged.

use std::ffi::OsStr;
use std::fmt::Write;

use brisk_sys::quoting::is_deceptive;
pub(crate) use brisk_sys::quoting::line;

/// A message of several lines.
pub(crate) fn lines(message: &str) -> String {
    message.split('\n').map(|text| line(text.as_bytes())).collect::<Vec<_>>().join("\n")
}

/// Appends a name with dangerous characters spelled out, and bytes that are not UTF-8 as U+FFFD.
pub fn append_name(name: &[u8], out: &mut Vec<u8>) {
    if name.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        out.extend_from_slice(name);
        return;
    }
    let mut spelled = String::with_capacity(name.len() + 8);
    for c in String::from_utf8_lossy(name).chars() {
        // A tab is harmless.
        if is_deceptive(c) && c != '\t' { spell_out(c, &mut spelled) } else { spelled.push(c) }
    }
    out.extend_from_slice(spelled.as_bytes());
}

/// The bytes of an argument as the system's string. On Unix every byte string is one; elsewhere
/// bytes that are not UTF-8 are lost.
#[cfg(unix)]
pub(crate) fn os_str(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[cfg(not(unix))]
pub(crate) fn os_str(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}

/// The bytes of a path.
pub(crate) fn path_bytes<P: AsRef<OsStr> + ?Sized>(path: &P) -> &[u8] {
    path.as_ref().as_encoded_bytes()
}

fn spell_out(c: char, out: &mut String) {
    let code = u32::from(c);
    // Writing to a string cannot fail.
    let _ =
        if code <= 0xff { write!(out, "\\x{code:02X}") } else { write!(out, "\\u{{{code:04X}}}") };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn safe(name: &[u8]) -> String {
        let mut out = Vec::new();
        append_name(name, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn harmless_names_stay() {
        for name in ["hello.txt", "résumé.pdf", "文档.txt", "🦀.rs", "a\tb"] {
            assert_eq!(safe(name.as_bytes()), name);
        }
    }

    #[test]
    fn dangerous_characters_are_spelled_out() {
        assert_eq!(safe(b"a\x1b]52;c\x1b\\"), "a\\x1B]52;c\\x1B\\");
        assert_eq!(safe(b"a\nb\rc\x7f\x07"), "a\\x0Ab\\x0Dc\\x7F\\x07");
        assert_eq!(safe("a\u{202e}b\u{9b}".as_bytes()), "a\\u{202E}b\\x9B");
        assert_eq!(safe(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn a_message_keeps_its_lines() {
        assert_eq!(lines("a\n\tb\u{202e}"), "a\n\\tb\\342\\200\\256");
    }
}
