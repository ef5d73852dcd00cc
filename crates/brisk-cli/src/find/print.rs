//! The line of a result: its path, plain or coloured or linked; a template; or JSON.

use brisk::{Entry, Fields, FileType};
use brisk_colors::Colors;

use super::format::Template;
use super::paths::Paths;
use super::{Item, json};
use crate::common::fields::FieldsByType;
use crate::common::safe;

/// How results become lines.
pub(crate) struct Printer {
    pub(crate) paths: Paths,
    pub(crate) form: Form,
    /// The byte that ends a line: a newline or a null byte.
    pub(crate) end: u8,
    pub(crate) links: Option<Links>,
    /// Whether a terminal reads the lines: dangerous characters are then spelled out.
    pub(crate) for_terminal: bool,
}

/// What a line shows.
pub(crate) enum Form {
    Path,
    Colored(Box<Colors>),
    Template(Template),
    Json,
}

/// Scratch space of a worker, so that a line needs no allocation.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The displayed path.
    pub(crate) path: Vec<u8>,
    text: Vec<u8>,
}

impl Printer {
    /// Whether a line is exactly the path as the walk spells it, except for a leading `./`.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.form, Form::Path)
            && self.links.is_none()
            && !self.for_terminal
            && self.paths.separator.is_none()
    }

    /// The fields that the lines show.
    pub(crate) fn shown(&self) -> FieldsByType {
        match &self.form {
            Form::Path => FieldsByType::default(),
            Form::Colored(colors) => FieldsByType::new(|file_type| match file_type {
                FileType::File | FileType::Directory | FileType::Symlink => {
                    colors.fields(file_type)
                }
                _ => Fields::empty(),
            }),
            Form::Template(template) => FieldsByType::new(|_| template.fields()),
            Form::Json => FieldsByType::new(|_| json::fields()),
        }
    }

    /// Appends the displayed path of an entry.
    pub(crate) fn path(&self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        self.paths.append(entry.directory().prefix(), entry.name(), out);
    }

    /// Appends an entry's line, with its end.
    pub(crate) fn line(&self, entry: &Entry<'_>, scratch: &mut Scratch, out: &mut Vec<u8>) {
        scratch.path.clear();
        self.path(entry, &mut scratch.path);
        if let Some(links) = &self.links {
            links.begin(entry, out);
        }
        match &self.form {
            Form::Path => {
                self.show(&scratch.path, out);
                self.mark(entry, None, out);
            }
            Form::Colored(colors) => self.colored(colors, entry, scratch, out),
            Form::Template(template) => {
                scratch.text.clear();
                template.write(&Item { path: &scratch.path, entry }, &mut scratch.text);
                self.show(&scratch.text, out);
            }
            Form::Json if self.for_terminal => {
                scratch.text.clear();
                json::write(&Item { path: &scratch.path, entry }, &mut scratch.text);
                safe::append_json(&scratch.text, out);
            }
            Form::Json => json::write(&Item { path: &scratch.path, entry }, out),
        }
        if self.links.is_some() {
            out.extend_from_slice(Links::END);
        }
        out.push(self.end);
    }

    fn show(&self, text: &[u8], out: &mut Vec<u8>) {
        if self.for_terminal {
            safe::append_name(text, out);
        } else {
            out.extend_from_slice(text);
        }
    }

    fn colored(
        &self,
        colors: &Colors,
        entry: &Entry<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let name_at = scratch.path.len().saturating_sub(entry.name().len());
        scratch.text.clear();
        self.show(&scratch.path[..name_at], &mut scratch.text);
        let split = scratch.text.len();
        self.show(&scratch.path[name_at..], &mut scratch.text);
        let (dir, name) = scratch.text.split_at(split);
        colors.paint_path(dir, name, colors.style(entry), out);
        self.mark(entry, Some(colors), out);
    }

    /// Appends a separator to directories.
    fn mark(&self, entry: &Entry<'_>, colors: Option<&Colors>, out: &mut Vec<u8>) {
        if !entry.file_type().is_dir() {
            return;
        }
        match colors {
            Some(colors) => colors.paint(self.paths.mark(), colors.directory_style(), out),
            None => out.extend_from_slice(self.paths.mark()),
        }
    }
}

/// Terminal hyperlinks (OSC 8) to `file://` addresses.
#[derive(Debug)]
pub(crate) struct Links {
    host: Vec<u8>,
    /// The directory where relative paths begin, with a separator at the end.
    base: Vec<u8>,
}

impl Links {
    const END: &'static [u8] = b"\x1b]8;;\x1b\\";

    /// Links of this host, with relative paths that begin at `base`.
    pub(crate) fn new(host: Vec<u8>, mut base: Vec<u8>) -> Links {
        if !base.ends_with(b"/") {
            base.push(b'/');
        }
        Links { host, base }
    }

    fn begin(&self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b]8;;");
        self.address(entry.directory().prefix(), out);
        percent_encode(entry.name(), out);
        out.extend_from_slice(b"\x1b\\");
    }

    /// Appends the address of a prefix.
    fn address(&self, prefix: &[u8], out: &mut Vec<u8>) {
        let is_absolute = prefix.starts_with(b"/") || has_drive(prefix, &self.base);
        let first = if is_absolute { prefix } else { &self.base };
        // On systems with drives, a share's path begins with its host.
        let has_shares = !self.base.starts_with(b"/") || self.base.starts_with(b"//");
        if has_shares && first.starts_with(b"//") {
            out.extend_from_slice(b"file:");
        } else {
            out.extend_from_slice(b"file://");
            out.extend_from_slice(&self.host);
        }
        if !first.starts_with(b"/") {
            out.push(b'/');
        }
        if !is_absolute {
            percent_encode(&self.base, out);
        }
        percent_encode(prefix.strip_prefix(b"./").unwrap_or(prefix), out);
    }
}

/// Whether a path begins with a drive. The current directory tells whether the system has drives.
fn has_drive(path: &[u8], base: &[u8]) -> bool {
    !base.starts_with(b"/")
        && matches!(path, [drive, b':', b'/', ..] if drive.is_ascii_alphabetic())
}

/// Appends bytes, encoding every byte that an address cannot hold, including all that are not
/// ASCII.
fn percent_encode(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'/' | b':' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte);
            }
            other => {
                let high = HEX[usize::from(other >> 4)];
                out.extend_from_slice(&[b'%', high, HEX[usize::from(other & 15)]]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_three_slashes_or_a_host() {
        let table: [(&str, &[u8], &str, &str); 9] = [
            ("h", b"/base", "", "file://h/base/"),
            ("h", b"/base", "./a/", "file://h/base/a/"),
            ("h", b"/base", "/a/", "file://h/a/"),
            ("h", b"/base", "C:/", "file://h/base/C:/"),
            ("h", b"/base", "//a/", "file://h//a/"),
            ("", b"C:/base", "a/", "file:///C:/base/a/"),
            ("", b"C:/base", "D:/a/", "file:///D:/a/"),
            ("", b"C:/base", "//host/share/", "file://host/share/"),
            ("", b"//host/share", "a/", "file://host/share/a/"),
        ];
        for (host, base, prefix, expected) in table {
            let mut out = Vec::new();
            Links::new(host.into(), base.to_vec()).address(prefix.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{prefix}");
        }
    }

    #[test]
    fn addresses_are_ascii() {
        let mut out = Vec::new();
        percent_encode("$*\x1bßé/∫😃\x07a_b".as_bytes(), &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "%24%2A%1B%C3%9F%C3%A9/%E2%88%AB%F0%9F%98%83%07a_b"
        );
    }
}
