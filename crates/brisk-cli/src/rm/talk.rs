//! Messages in GNU rm's words: failures, names in quotes, the system's error texts.

use std::io;

use brisk::remove::{Failure, Why};

/// What went wrong: one line or two, without the program's name before them.
pub(super) fn failure(failure: &Failure) -> Vec<String> {
    let path = quoted(failure.path().as_os_str().as_encoded_bytes());
    match failure.why() {
        Why::System(error) => vec![format!("cannot remove {path}: {}", system_text(error))],
        Why::Dots => {
            vec![format!("refusing to remove '.' or '..' directory: skipping {path}")]
        }
        Why::Root => {
            let also = if path == "'/'" { "" } else { " (same as '/')" };
            vec![
                format!("it is dangerous to operate recursively on {path}{also}"),
                "use --no-preserve-root to override this failsafe".to_owned(),
            ]
        }
        Why::Preserved => vec![
            format!("skipping {path}, since it's on a different device"),
            "and --preserve-root=all is in effect".to_owned(),
        ],
        Why::UnknownParent(error) => {
            let mut parent = failure.path().as_os_str().as_encoded_bytes().to_vec();
            parent.extend_from_slice(b"/..");
            let parent = quoted(&parent);
            vec![format!("failed to stat {parent}: skipping {path}: {}", system_text(error))]
        }
        Why::OtherDevice => vec![format!("skipping {path}, since it's on a different device")],
        Why::Mounted => vec![format!("skipping {path}, since it's a mount point")],
        Why::LinkBehindSlash => vec![format!("cannot remove {path}: Not a directory")],
        Why::Swapped => vec![format!("skipping {path}, since it was swapped meanwhile")],
        _ => vec![failure.to_string()],
    }
}

/// The system's text of an error, without the number that std appends.
pub(super) fn system_text(error: &io::Error) -> String {
    use io::ErrorKind::{
        DirectoryNotEmpty, InvalidFilename, IsADirectory, NotADirectory, NotFound,
    };
    if error.raw_os_error().is_some() {
        let text = error.to_string();
        let end = text.find(" (os error").unwrap_or(text.len());
        return text[..end].to_owned();
    }
    match error.kind() {
        NotFound => "No such file or directory".to_owned(),
        NotADirectory => "Not a directory".to_owned(),
        IsADirectory => "Is a directory".to_owned(),
        DirectoryNotEmpty => "Directory not empty".to_owned(),
        InvalidFilename => "File name too long".to_owned(),
        _ => error.to_string(),
    }
}

/// A name in quotes that a shell reads back. Single quotes, unless an apostrophe alone makes the
/// name need quotes.
pub(super) fn quoted(name: &[u8]) -> String {
    let plain = |chunk: std::str::Utf8Chunk<'_>| {
        chunk.invalid().is_empty() && !chunk.valid().chars().any(char::is_control)
    };
    let needs_double = |byte: &u8| matches!(byte, b'"' | b'$' | b'`' | b'\\');
    let is_plain = name.utf8_chunks().all(plain);
    if is_plain && name.contains(&b'\'') && !name.iter().any(needs_double) {
        return format!("\"{}\"", String::from_utf8_lossy(name));
    }
    let mut out = Quoting { text: String::from("'"), escaping: false };
    for chunk in name.utf8_chunks() {
        for letter in chunk.valid().chars() {
            out.letter(letter);
        }
        for byte in chunk.invalid() {
            out.escape(&format!("\\{byte:03o}"));
        }
    }
    // An escape ends with the quote that would otherwise end the name.
    out.text.push('\'');
    out.text
}

/// A quotation while it is written: `'a'$'
/// ''b'`.
struct Quoting {
    text: String,
    /// Whether the position is within `$'…'`.
    escaping: bool,
}

impl Quoting {
    fn letter(&mut self, letter: char) {
        match letter {
            '\'' => {
                self.close_escape();
                self.text.push_str("'\\''");
            }
            letter if letter.is_control() => self.control(letter),
            letter => {
                self.close_escape();
                self.text.push(letter);
            }
        }
    }

    fn control(&mut self, letter: char) {
        let short = "\x07\x08\t\n\x0b\x0c\r".find(letter).map(|at| b"abtnvfr"[at] as char);
        if let Some(short) = short {
            return self.escape(&format!("\\{short}"));
        }
        for byte in letter.to_string().bytes() {
            self.escape(&format!("\\{byte:03o}"));
        }
    }

    fn escape(&mut self, text: &str) {
        if !std::mem::replace(&mut self.escaping, true) {
            self.text.push_str("'$'");
        }
        self.text.push_str(text);
    }

    fn close_escape(&mut self) {
        if std::mem::take(&mut self.escaping) {
            self.text.push_str("''");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of GNU rm 9.1.
    #[test]
    fn names_are_quoted_as_gnu_does() {
        for (name, expected) in [
            (&b"d"[..], "'d'"),
            (b"a b", "'a b'"),
            (b"", "''"),
            (b"it's", "\"it's\""),
            (b"q\"q", "'q\"q'"),
            (b"both'\"", "'both'\\''\"'"),
            (b"a\nb", "'a'$'\\n''b'"),
            (b"x\x01y", "'x'$'\\001''y'"),
            (b"\x01\x02", "''$'\\001\\002'"),
            (b"bad\xff", "'bad'$'\\377'"),
            (b"bad\xffz", "'bad'$'\\377''z'"),
            ("é".as_bytes(), "'é'"),
            ("\n\u{e9}z".as_bytes(), "''$'\\n''éz'"),
            (b"\\n", "'\\n'"),
        ] {
            assert_eq!(quoted(name), expected, "{name:?}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn errors_are_said_without_numbers() {
        let error = |code| system_text(&io::Error::from_raw_os_error(code));
        assert_eq!(error(13), "Permission denied");
        assert_eq!(error(39), "Directory not empty");
        assert_eq!(system_text(&io::ErrorKind::NotADirectory.into()), "Not a directory");
    }
}
