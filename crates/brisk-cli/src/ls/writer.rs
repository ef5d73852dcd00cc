//! The lines of a listing: each entry at once where that is possible, or a whole page in its
//! format.

use std::path::Path;

use brisk::Flow;

use super::flags::{Format, word_of};
use super::grid::{self, Direction, Grid};
use super::plan::Plan;
use super::settings::Settings;
use super::tree::Strokes;
use crate::show::long::{Item, Page, Pen, Sheet, Widths};
use crate::write::out::Out;

/// Writes entries in their format.
pub(crate) struct Writer<'p> {
    settings: &'p Settings,
    pub(crate) pen: Pen<'p>,
    sheet: Sheet,
    widths: Widths,
    /// The column of the next name of a stream in its line; `None` before the first name.
    at: Option<usize>,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Writer<'p> {
        let settings = &plan.settings;
        Writer {
            settings,
            pen: plan.pen(),
            sheet: plan.sheet(),
            widths: Widths::default(),
            at: None,
        }
    }

    /// Says that another directory begins.
    pub(crate) fn begin_directory(&mut self, path: &Path) {
        self.pen.clear();
        self.widths = Widths::default();
        self.at = None;
        if let Some(links) = &mut self.pen.links {
            links.enter(path);
        }
    }

    /// Appends the header of a directory.
    pub(crate) fn header(&mut self, path: &Path, shown: &[u8], out: &mut Vec<u8>) {
        self.pen.header(path, shown, out);
    }

    /// Takes note of an entry that will be on the page: it may widen the columns.
    pub(crate) fn note(&mut self, item: &Item<'_>) {
        self.pen.note(item.name);
        self.widths.note(item, &self.sheet);
    }

    /// Appends an entry whose line depends on no other entry.
    #[inline]
    pub(crate) fn stream(&mut self, item: &Item<'_>, out: &mut Vec<u8>) {
        if self.settings.format == Format::Lines {
            self.frilled(item, 0, &Widths::default(), out);
            out.push(self.settings.end);
        } else {
            self.separated(item, out);
        }
    }

    /// Appends the end of a stream.
    pub(crate) fn end_stream(&mut self, out: &mut Vec<u8>) {
        if self.at.take().is_some() {
            out.push(self.settings.end);
        }
    }

    /// Appends one name of many, separated by commas or spaces.
    fn separated(&mut self, item: &Item<'_>, out: &mut Vec<u8>) {
        let settings = self.settings;
        let length = if settings.width == 0 { 0 } else { self.width(item, None) };
        let mut at = 0;
        if let Some(before) = self.at {
            out.push(if settings.format == Format::Commas { b',' } else { b' ' });
            if settings.width == 0 || before + length + 2 < settings.width {
                out.push(b' ');
                at = before + 2;
            } else {
                out.push(settings.end);
            }
        }
        self.frilled(item, at, &Widths::default(), out);
        self.at = Some(at + length);
    }

    fn width(&mut self, item: &Item<'_>, widths: Option<&Widths>) -> usize {
        self.pen.width(item) + self.sheet.frills_width(item, widths)
    }

    fn frilled(&mut self, item: &Item<'_>, at: usize, widths: &Widths, out: &mut Vec<u8>) {
        self.pen.painter.normal(out);
        self.sheet.frills(item, widths, out);
        self.pen.name(item, at, out);
        self.pen.mark_after(item, out);
    }

    /// Appends a whole directory.
    pub(crate) fn write_page(&mut self, page: &Page, out: &mut Out) {
        if self.settings.format == Format::Long || self.settings.columns.blocks {
            self.pen.begin_line(&mut out.bytes);
            self.sheet.total(page, self.settings.end, &mut out.bytes);
            self.pen.end_line(&out.bytes);
        }
        self.write_lines(page, out);
    }

    /// Appends the entries of a page, without a total.
    pub(crate) fn write_lines(&mut self, page: &Page, out: &mut Out) {
        if page.is_empty() {
            return;
        }
        let widths = std::mem::take(&mut self.widths);
        match self.settings.format {
            Format::Long => self.write_long(page, &widths, out),
            Format::Lines => {
                for item in page.iter() {
                    self.frilled(&item, 0, &widths, &mut out.bytes);
                    out.bytes.push(self.settings.end);
                    if out.end_line() == Flow::Stop {
                        break;
                    }
                }
            }
            Format::Commas => self.write_separated(page, out),
            Format::Columns | Format::Across if self.settings.width == 0 => {
                self.write_separated(page, out);
            }
            Format::Columns => self.write_columns(page, &widths, Direction::Down, out),
            Format::Across => self.write_columns(page, &widths, Direction::Across, out),
        }
    }

    fn write_long(&mut self, page: &Page, widths: &Widths, out: &mut Out) {
        for item in page.iter() {
            self.write_line(&item, widths, &mut out.bytes);
            if out.end_line() == Flow::Stop {
                break;
            }
        }
    }

    /// Appends one line of a long listing.
    pub(crate) fn write_line(&mut self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        self.pen.painter.normal(out);
        self.pen.begin_line(out);
        self.sheet.line(item, widths, "", &mut self.pen, out);
        out.push(self.settings.end);
        self.pen.end_line(out);
    }

    /// Appends one entry of a tree, after the lines that lead to it.
    pub(crate) fn write_branch(
        &mut self,
        item: &Item<'_>,
        widths: &Widths,
        branch: &str,
        out: &mut Vec<u8>,
    ) {
        self.pen.painter.normal(out);
        if self.settings.format == Format::Long {
            self.sheet.line(item, widths, branch, &mut self.pen, out);
        } else {
            self.sheet.frills(item, widths, out);
            out.extend_from_slice(branch.as_bytes());
            self.pen.name(item, 0, out);
            self.pen.mark_after(item, out);
        }
        out.push(self.settings.end);
    }

    /// What the lines of a tree are drawn with.
    pub(crate) fn strokes(&self) -> Strokes {
        Strokes::new(self.pen.naming.header_quoting.charset)
    }

    /// Appends what follows the whole listing.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.pen.painter.finish(out);
        if let Some(dired) = &self.pen.dired {
            dired.finish(word_of(self.settings.style), out);
        }
    }

    /// The widths that the noted entries need. Resets them.
    pub(crate) fn take_widths(&mut self) -> Widths {
        std::mem::take(&mut self.widths)
    }

    fn write_separated(&mut self, page: &Page, out: &mut Out) {
        for item in page.iter() {
            self.separated(&item, &mut out.bytes);
            if out.end_line() == Flow::Stop {
                break;
            }
        }
        self.end_stream(&mut out.bytes);
    }

    fn write_columns(&mut self, page: &Page, widths: &Widths, direction: Direction, out: &mut Out) {
        let lengths: Vec<usize> = page.iter().map(|item| self.width(&item, Some(widths))).collect();
        let grid = Grid::new(&lengths, self.settings.width, direction);
        for row in 0..grid.rows {
            let mut at = 0;
            let mut before = None;
            for column in 0..grid.columns {
                let index = match direction {
                    Direction::Down => column * grid.rows + row,
                    Direction::Across => row * grid.columns + column,
                };
                if index >= page.len() {
                    break;
                }
                if let Some(length) = before {
                    let next = at + grid.widths[column - 1];
                    grid::indent(at + length, next, self.settings.tab, &mut out.bytes);
                    at = next;
                }
                self.frilled(&page.get(index), at, widths, &mut out.bytes);
                before = Some(lengths[index]);
            }
            out.bytes.push(self.settings.end);
            if out.end_line() == Flow::Stop {
                break;
            }
        }
    }
}
