//! The lines of a listing: each entry at once where that is possible, or a whole page in its
//! format.

use std::path::Path;

use brisk::Flow;

use super::flags::{Format, word_of};
use super::grid::{self, Grid};
use super::plan::Plan;
use crate::show::long::{Item, Page, Pen, Sheet, Widths};
use crate::show::text::Strokes;
use crate::write::out::Out;

/// Writes entries in their format.
pub(crate) struct Writer<'p> {
    plan: &'p Plan,
    pub(crate) pen: Pen<'p>,
    sheet: Sheet,
    widths: Widths,
    /// The column of the next name of a stream in its line; `None` before the first name.
    at: Option<usize>,
    scratch: Vec<u8>,
}

impl<'p> Writer<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Writer<'p> {
        Writer {
            plan,
            pen: Pen::new(plan.naming.clone(), plan.colors.as_ref()),
            sheet: plan.sheet.clone(),
            widths: Widths::default(),
            at: None,
            scratch: Vec::new(),
        }
    }

    /// Says that another directory begins.
    pub(crate) fn begin_directory(&mut self, path: &Path) {
        self.pen.some_quoted = false;
        self.widths = Widths::default();
        self.at = None;
        if let Some(links) = &mut self.pen.links {
            links.enter(path);
        }
    }

    /// Takes note of an entry that will be on the page: it may widen the columns.
    pub(crate) fn note(&mut self, item: &Item<'_>) {
        self.pen.note(item.name);
        self.sheet.note(item, &mut self.widths, &mut self.scratch);
    }

    /// Appends an entry whose line depends on no other entry.
    #[inline]
    pub(crate) fn stream(&mut self, item: &Item<'_>, out: &mut Vec<u8>) {
        self.write(item, &Widths::default(), out);
    }

    /// Appends an entry, in a format or a line without columns of names.
    #[inline]
    fn write(&mut self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        match self.plan.format {
            Format::Long | Format::Lines => self.write_line(item, widths, "", out),
            Format::Columns | Format::Across => self.separated(item, widths, out),
            Format::Commas => self.separated(item, &Widths::default(), out),
        }
    }

    /// Appends the end of a stream.
    pub(crate) fn end_stream(&mut self, out: &mut Vec<u8>) {
        if self.at.take().is_some() {
            out.push(self.plan.end);
        }
    }

    /// Appends one name of many, separated by commas or spaces.
    fn separated(&mut self, item: &Item<'_>, widths: &Widths, out: &mut Vec<u8>) {
        let plan = self.plan;
        let length = if plan.width == 0 { 0 } else { self.width(item, None) };
        let mut at = 0;
        if let Some(before) = self.at {
            out.push(if plan.format == Format::Commas { b',' } else { b' ' });
            if plan.width == 0 || before + length + 2 < plan.width {
                out.push(b' ');
                at = before + 2;
            } else {
                out.push(plan.end);
            }
        }
        self.frilled(item, at, widths, "", out);
        self.at = Some(at + length);
    }

    fn width(&mut self, item: &Item<'_>, widths: Option<&Widths>) -> usize {
        self.pen.width(item) + self.sheet.frills_width(item, widths)
    }

    /// Appends a name and what surrounds it. The name begins at column `at` of its line, `branch`
    /// stands before it.
    fn frilled(
        &mut self,
        item: &Item<'_>,
        at: usize,
        widths: &Widths,
        branch: &str,
        out: &mut Vec<u8>,
    ) {
        self.pen.painter.normal(out);
        self.sheet.frills(item, widths, out);
        out.extend_from_slice(branch.as_bytes());
        self.pen.name(item, at, out);
        out.extend(self.pen.mark(item));
    }

    /// Appends a whole directory.
    pub(crate) fn write_page(&mut self, page: &Page, out: &mut Out) {
        if self.plan.format == Format::Long || self.sheet.columns.blocks {
            self.pen.dired.begin_line(&mut out.bytes);
            self.sheet.total(page, self.plan.end, &mut out.bytes);
            self.pen.dired.end_line(&out.bytes);
        }
        self.write_lines(page, out);
    }

    /// Appends the entries of a page, without a total.
    pub(crate) fn write_lines(&mut self, page: &Page, out: &mut Out) {
        if page.is_empty() {
            return;
        }
        let widths = std::mem::take(&mut self.widths);
        let is_grid = matches!(self.plan.format, Format::Columns | Format::Across);
        if is_grid && self.plan.width > 0 {
            return self.write_columns(page, &widths, out);
        }
        for item in page.iter() {
            self.write(&item, &widths, &mut out.bytes);
            if out.write_if_full() == Flow::Stop {
                break;
            }
        }
        self.end_stream(&mut out.bytes);
    }

    /// Appends one line of a listing that has a line for each entry. `branch`: the lines of a tree
    /// that lead to the entry.
    #[inline]
    pub(crate) fn write_line(
        &mut self,
        item: &Item<'_>,
        widths: &Widths,
        branch: &str,
        out: &mut Vec<u8>,
    ) {
        if self.plan.format == Format::Long {
            self.pen.painter.normal(out);
            self.pen.dired.begin_line(out);
            self.sheet.line(item, widths, branch, &mut self.pen, out);
        } else {
            self.frilled(item, 0, widths, branch, out);
        }
        out.push(self.plan.end);
        self.pen.dired.end_line(out);
    }

    /// What the lines of a tree are drawn with.
    pub(crate) fn strokes(&self) -> Strokes {
        Strokes::new(self.pen.naming.header_quoting.charset)
    }

    /// Appends what follows the whole listing.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.pen.painter.finish(out);
        self.pen.dired.finish(word_of(self.plan.naming.quoting.style), out);
    }

    /// The widths that the noted entries need. Resets them.
    pub(crate) fn take_widths(&mut self) -> Widths {
        std::mem::take(&mut self.widths)
    }

    fn write_columns(&mut self, page: &Page, widths: &Widths, out: &mut Out) {
        let format = self.plan.format;
        let lengths: Vec<usize> = page.iter().map(|item| self.width(&item, Some(widths))).collect();
        let grid = Grid::new(&lengths, self.plan.width, format);
        for row in 0..grid.rows {
            let mut at = 0;
            let mut before = None;
            for column in 0..grid.columns {
                let index = match format {
                    Format::Across => row * grid.columns + column,
                    _ => column * grid.rows + row,
                };
                if index >= page.len() {
                    break;
                }
                if let Some(length) = before {
                    let next = at + grid.widths[column - 1];
                    grid::indent(at + length, next, self.plan.tab, &mut out.bytes);
                    at = next;
                }
                self.frilled(&page.get(index), at, widths, "", &mut out.bytes);
                before = Some(lengths[index]);
            }
            out.bytes.push(self.plan.end);
            if out.write_if_full() == Flow::Stop {
                break;
            }
        }
    }
}
