//! Names in a form that is safe for a terminal: control characters, and characters that hide or
//! reorder others, are escaped. Pipes and files receive the bytes unchanged.

use std::ffi::OsStr;
use std::fmt::Write;

/// Whether a terminal must not see the character as it is. A tab is harmless.
fn must_be_spelled_out(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c,
            '\u{00AD}' // soft hyphen: invisible
            | '\u{180E}' // Mongolian vowel separator: invisible
            | '\u{200B}'..='\u{200F}' // zero width, direction marks
            | '\u{202A}'..='\u{202E}' // bidirectional overrides
            | '\u{2060}'..='\u{206F}' // word joiner, invisible operators, isolates
            | '\u{FEFF}' // byte order mark
            | '\u{FFF9}'..='\u{FFFB}' // annotations
            | '\u{E0000}'..='\u{E007F}') // tags
}

/// Appends `text` with dangerous characters spelled out; newlines of messages stay.
pub(crate) fn append_str(text: &str, out: &mut String) {
    for c in text.chars() {
        if c != '\n' && must_be_spelled_out(c) {
            spell_out(c, out);
        } else {
            out.push(c);
        }
    }
}

/// Appends a name with dangerous characters spelled out, and bytes that are not UTF-8 as U+FFFD.
pub(crate) fn append_name(name: &[u8], out: &mut Vec<u8>) {
    if name.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        out.extend_from_slice(name);
        return;
    }
    let mut spelled = String::with_capacity(name.len() + 8);
    for c in String::from_utf8_lossy(name).chars() {
        if must_be_spelled_out(c) { spell_out(c, &mut spelled) } else { spelled.push(c) }
    }
    out.extend_from_slice(spelled.as_bytes());
}

/// Appends JSON with dangerous characters, which occur in strings alone, escaped as in JSON:
/// `\u202e`.
pub(crate) fn append_json(json: &[u8], out: &mut Vec<u8>) {
    if json.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        out.extend_from_slice(json);
        return;
    }
    for c in String::from_utf8_lossy(json).chars() {
        if must_be_spelled_out(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
            }
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
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
    fn json_says_the_same_in_other_words() {
        let text = "a\u{9b}b\u{202e}c\u{7f}d\u{e0041}é";
        let json = serde_json::to_vec(text).unwrap();
        let mut out = Vec::new();
        append_json(&json, &mut out);
        let shown = String::from_utf8(out).unwrap();
        assert_eq!(shown, r#""a\u009bb\u202ec\u007fd\udb40\udc41é""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn messages_keep_their_lines() {
        let mut out = String::new();
        append_str("a\nb\x1b", &mut out);
        assert_eq!(out, "a\nb\\x1B");
    }
}
