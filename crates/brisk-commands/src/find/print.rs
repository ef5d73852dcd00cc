//! The line of a result: its path, plain or coloured or linked; a template; or JSON.

use std::sync::Arc;

use brisk::{Entry, Fields, FileType};
use brisk_colors::Colors;

use super::paths::Paths;
use super::sort::Sort;
use crate::ls::long::Long;
use crate::show::fields::FieldsByType;
use crate::show::hyperlink::Addresses;
use crate::show::template::{Facts, Template};
use crate::show::{json, safe};

/// How results become lines.
pub(crate) struct Printer {
    pub(crate) paths: Paths,
    pub(crate) form: LineForm,
    pub(crate) sort: Option<Sort>,
    /// The byte that ends a line: a newline or a null byte.
    pub(crate) end: u8,
    pub(crate) links: Option<Hyperlinks>,
    /// Whether a terminal reads the lines: dangerous characters are then escaped.
    pub(crate) for_terminal: bool,
}

/// What a line shows.
pub(crate) enum LineForm {
    Path,
    Colored(Box<Colors>),
    Template(Template),
    Json,
    /// The line of `ls -l`, which the search makes for many results at once.
    Details(Arc<Long>),
}

/// Memory that a worker uses again for each line, so that a line needs no allocation.
#[derive(Debug, Default)]
pub(crate) struct LineMemory {
    /// The displayed path.
    pub(crate) path: Vec<u8>,
    /// What the line is sorted by, if that is not the path.
    pub(crate) key: Vec<u8>,
    /// The path with `/`, whatever separator is displayed.
    pub(crate) slashed: Vec<u8>,
    text: Vec<u8>,
}

impl Printer {
    /// Whether a line is exactly the path that the walk gives, except for a leading `./` and the
    /// slash after a directory.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.form, LineForm::Path)
            && self.links.is_none()
            && !self.for_terminal
            && self.paths.separator.is_slash()
    }

    /// The fields that the lines show, or are sorted by.
    pub(crate) fn line_fields(&self) -> FieldsByType {
        let fields = self.form_shows();
        let sort = self.sort.map_or(Fields::empty(), Sort::fields);
        FieldsByType::new(|file_type| fields.of(file_type) | sort)
    }

    fn form_shows(&self) -> FieldsByType {
        match &self.form {
            LineForm::Path => FieldsByType::default(),
            LineForm::Colored(colors) => FieldsByType::new(|file_type| match file_type {
                FileType::File | FileType::Directory | FileType::Symlink => {
                    colors.fields(file_type)
                }
                _ => Fields::empty(),
            }),
            LineForm::Template(template) => FieldsByType::new(|_| template.fields()),
            LineForm::Json => FieldsByType::new(|_| json::fields()),
            LineForm::Details(details) => details.fields(),
        }
    }

    /// What makes the lines of `--list-details`.
    pub(crate) fn details(&self) -> Option<&Arc<Long>> {
        match &self.form {
            LineForm::Details(details) => Some(details),
            _ => None,
        }
    }

    /// Appends the displayed path of an entry.
    pub(crate) fn path(&self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        self.paths.append(entry.directory().prefix(), entry.name(), out);
    }

    /// Appends the path of an entry as templates take it: as it is displayed, but with `/`.
    pub(crate) fn slashed(&self, entry: &Entry<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.paths.prefix(entry.directory().prefix(), entry.name()));
        out.extend_from_slice(entry.name());
    }

    /// Appends an entry's line, with its end.
    pub(crate) fn line(&self, entry: &Entry<'_>, memory: &mut LineMemory, out: &mut Vec<u8>) {
        memory.path.clear();
        self.path(entry, &mut memory.path);
        if let Some(links) = &self.links {
            links.begin(entry.directory().prefix(), entry.name(), out);
        }
        match &self.form {
            LineForm::Path => {
                self.show(&memory.path, out);
                if entry.file_type().is_dir() {
                    out.extend_from_slice(self.paths.separator.bytes());
                }
            }
            LineForm::Colored(colors) => self.colored(colors, entry, memory, out),
            LineForm::Template(template) => {
                memory.slashed.clear();
                self.slashed(entry, &mut memory.slashed);
                memory.text.clear();
                template.fill(&memory.slashed, &Facts::of(entry), &mut memory.text);
                self.show(&memory.text, out);
            }
            LineForm::Json => {
                let kind = entry.file_type();
                let depth = entry.depth();
                json::write(&memory.path, entry.name(), kind, depth, entry.meta(), out);
            }
            // `Search` makes these lines.
            LineForm::Details(_) => {}
        }
        if let Some(links) = &self.links {
            links.addresses.end(out);
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
        memory: &mut LineMemory,
        out: &mut Vec<u8>,
    ) {
        let name_at = memory.path.len().saturating_sub(entry.name().len());
        memory.text.clear();
        self.show(&memory.path[..name_at], &mut memory.text);
        let split = memory.text.len();
        self.show(&memory.path[name_at..], &mut memory.text);
        let (dir, name) = memory.text.split_at(split);
        colors.paint_path(dir, name, colors.style(entry), out);
        if entry.file_type().is_dir() {
            colors.paint(self.paths.separator.bytes(), colors.directory_style(), out);
        }
    }
}

/// Hyperlinks to results, as fd makes them: no link is resolved.
#[derive(Debug)]
pub(crate) struct Hyperlinks {
    pub(crate) addresses: Addresses,
    /// The directory where relative paths begin, with a separator at the end.
    pub(crate) base: Vec<u8>,
}

impl Hyperlinks {
    fn begin(&self, prefix: &[u8], name: &[u8], out: &mut Vec<u8>) {
        let has_drive = self.addresses.has_drives
            && matches!(prefix, [drive, b':', b'/', ..] if drive.is_ascii_alphabetic());
        if has_drive || prefix.starts_with(b"/") {
            return self.addresses.begin(&[prefix, name], out);
        }
        let prefix = prefix.strip_prefix(b"./").unwrap_or(prefix);
        self.addresses.begin(&[&self.base, prefix, name], out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::hyperlink::Habit;

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
            let mut addresses = Addresses::new(Habit::Fd);
            addresses.host = host.into();
            addresses.has_drives = host.is_empty();
            let mut out = Vec::new();
            Hyperlinks { addresses, base: [base, b"/"].concat() }.begin(
                prefix.as_bytes(),
                b"n",
                &mut out,
            );
            assert_eq!(String::from_utf8_lossy(&out), format!("\x1b]8;;{expected}n\x1b\\"));
        }
    }
}
