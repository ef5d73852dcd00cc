//! Names: quoted, painted, linked, marked. This is everything that surrounds a name in every
//! format, and the number of columns that it takes.

use std::path::{Path, is_separator};

use brisk::{FileType, Meta, Target};
use brisk_colors::{Colors, Painter};

use super::dired::Dired;
use super::icons;
use super::item::Item;
use crate::show::hyperlink::Hyperlinks;
use crate::show::quoting::Quoting;
use crate::show::text;

/// What stands behind a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Indicator {
    #[default]
    None,
    /// `/` behind directories.
    Slash,
    /// `/`, `@`, `|`, `=` and `>` by type.
    FileType,
    /// The same, and `*` behind executables.
    Classify,
}

/// How names are written.
#[derive(Clone, Debug)]
pub(crate) struct Naming {
    pub(crate) quoting: Quoting,
    pub(crate) header_quoting: Quoting,
    /// Columns of a line, for painted names that run over its end; 0: no end.
    pub(crate) line: usize,
    pub(crate) indicator: Indicator,
    pub(crate) icons: bool,
    /// Whether names are hyperlinks.
    pub(crate) links: bool,
    /// Whether symbolic links are followed, so that a name may stand for its link's target.
    pub(crate) follows: bool,
    /// Whether the offsets of names are asked for.
    pub(crate) dired: bool,
    /// Whether names without quotes are shifted where other names have some.
    pub(crate) aligns: bool,
}

/// The writer of names.
pub(crate) struct Pen<'p> {
    pub(crate) naming: Naming,
    pub(crate) painter: Painter<'p>,
    pub(crate) links: Option<Hyperlinks>,
    /// The offsets of names. Names that are hyperlinks have none.
    pub(crate) dired: Dired,
    /// Whether some name of this directory is quoted: the others are then shifted.
    pub(crate) some_quoted: bool,
    scratch: Vec<u8>,
}

impl<'p> Pen<'p> {
    pub(crate) fn new(naming: Naming, colors: Option<&'p Colors>) -> Pen<'p> {
        Pen {
            painter: Painter::new(colors),
            links: naming.links.then(Hyperlinks::new),
            dired: Dired::new(naming.dired),
            naming,
            some_quoted: false,
            scratch: Vec::new(),
        }
    }

    /// Takes note of a name that will be written later: a quoted name shifts the others.
    pub(crate) fn note(&mut self, name: &[u8]) {
        if self.naming.aligns && !self.some_quoted {
            self.some_quoted = self.quote(name);
        }
    }

    /// Writes a name as it is quoted to the scratch space. Returns whether it is.
    fn quote(&mut self, name: &[u8]) -> bool {
        self.scratch.clear();
        self.naming.quoting.write(name, &mut self.scratch)
    }

    /// The same. Returns whether the name is shifted.
    fn is_shifted(&mut self, name: &[u8]) -> bool {
        let is_quoted = self.quote(name);
        self.naming.aligns && self.some_quoted && !is_quoted
    }

    /// Says that a colour was written before.
    pub(crate) fn goes_on(&mut self) {
        if self.painter.first_code().is_none() {
            self.painter.adopt(b"", Some(0), &mut Vec::new());
        }
    }

    /// Appends a colour code by `paint`.
    #[inline]
    fn code(&mut self, out: &mut Vec<u8>, paint: impl FnOnce(&mut Painter<'p>, &mut Vec<u8>)) {
        let before = out.len();
        paint(&mut self.painter, out);
        self.dired.note_code(out.len() - before);
    }

    /// The number of columns that [`name`](Pen::name) takes.
    pub(crate) fn width(&mut self, item: &Item<'_>) -> usize {
        let shift = usize::from(self.is_shifted(item.name));
        let icon = if self.naming.icons { icons::WIDTH } else { 0 };
        let mark = usize::from(self.mark(item).is_some());
        text::width(&self.scratch, self.naming.quoting.charset) + shift + icon + mark
    }

    /// Appends a name and its mark. The name begins at column `at` of its line. Returns its length
    /// in bytes as GNU counts it, without colours and mark.
    pub(crate) fn name(&mut self, item: &Item<'_>, at: usize, out: &mut Vec<u8>) -> usize {
        if self.naming.icons {
            out.extend_from_slice(icons::icon(item.name, item.file_type).as_bytes());
            out.push(b' ');
        }
        let colors = self.painter.colors();
        let style =
            colors.and_then(|colors| colors.indicator_of(item.name, item.file_type, item.meta));
        let length = self.linked(item.name, item.file_type, style, out);
        let wraps = self.wraps(at, length);
        self.code(out, |painter, out| painter.end(style, wraps, out));
        length
    }

    /// Whether a text that begins at column `at` runs over the end of its line.
    fn wraps(&self, at: usize, length: usize) -> bool {
        let last = (at + length).saturating_sub(1);
        self.naming.line > 0 && at / self.naming.line != last / self.naming.line
    }

    fn linked(
        &mut self,
        name: &[u8],
        file_type: FileType,
        style: Option<&[u8]>,
        out: &mut Vec<u8>,
    ) -> usize {
        let shifts = self.is_shifted(name);
        if shifts {
            out.push(b' ');
        }
        self.code(out, |painter, out| painter.begin(style, out));
        let shown = &self.scratch[..];
        match &self.links {
            None => {
                self.dired.note_name(out);
                brisk::unstable::append(out, shown);
                self.dired.note_name(out);
            }
            Some(links) => {
                // Where only some names have quotes, the quotes stay out of the link.
                let bare = self.naming.aligns && self.some_quoted && !shifts && shown.len() > 1;
                let inner = if bare { &shown[1..shown.len() - 1] } else { shown };
                if bare {
                    out.push(shown[0]);
                }
                // An argument is a path.
                let is_path = name.iter().any(|byte| is_separator(char::from(*byte)));
                let is_plain = file_type != FileType::Symlink
                    && !(self.naming.follows || is_path)
                    && !matches!(name, b"." | b"..");
                links.begin(name, is_plain, out);
                out.extend_from_slice(inner);
                links.end(out);
                if bare {
                    out.push(shown[shown.len() - 1]);
                }
            }
        }
        shown.len() + usize::from(shifts)
    }

    /// Appends the target of a link, as a long listing shows it. The text begins at column `at`.
    pub(crate) fn target(&mut self, item: &Item<'_>, at: usize, out: &mut Vec<u8>) {
        let (Some(link), Some(meta)) = (item.link(), item.meta) else { return };
        out.extend_from_slice(b" -> ");
        let colors = self.painter.colors();
        let style = colors.and_then(|colors| colors.target_indicator(link, Some(meta)));
        self.code(out, |painter, out| painter.begin(style, out));
        if let Some(links) = &self.links {
            links.begin(item.name, false, out);
        }
        let before = out.len();
        self.naming.quoting.write(link, out);
        let wraps = self.wraps(at, out.len() - before);
        if let Some(links) = &self.links {
            links.end(out);
        }
        self.code(out, |painter, out| painter.end(style, wraps, out));
        if let Some(Target::Mode(mode)) = meta.target() {
            out.extend(self.mark_of(FileType::from_mode(mode), mode));
        }
    }

    /// The mark after a name.
    pub(crate) fn mark(&self, item: &Item<'_>) -> Option<u8> {
        self.mark_of(item.file_type, item.meta.and_then(Meta::mode).unwrap_or(0))
    }

    fn mark_of(&self, file_type: FileType, mode: u32) -> Option<u8> {
        let indicator = self.naming.indicator;
        let executes = indicator == Indicator::Classify && mode & 0o111 != 0;
        Some(match file_type {
            _ if indicator == Indicator::None => return None,
            FileType::File if executes => b'*',
            FileType::Directory => b'/',
            _ if indicator == Indicator::Slash => return None,
            FileType::Symlink => b'@',
            FileType::Fifo => b'|',
            FileType::Socket => b'=',
            _ => return None,
        })
    }

    /// Appends the header of a directory.
    pub(crate) fn header(&mut self, path: &Path, shown: &[u8], out: &mut Vec<u8>) {
        self.dired.begin_line(out);
        if let Some(links) = &mut self.links {
            links.enter(path);
            links.begin_directory(out);
        }
        self.dired.note_directory(out);
        self.naming.header_quoting.write(shown, out);
        self.dired.note_directory(out);
        if let Some(links) = &self.links {
            links.end(out);
        }
        out.extend_from_slice(b":\n");
        self.dired.end_line(out);
    }
}
