//! Colours around names, or no colours: the painter of `brisk-colors`, which is told where names
//! wrap.

use brisk::Meta;
use brisk_colors::Colors;

use super::item::Item;

/// Paints names, or does nothing.
pub(crate) struct Painter<'p> {
    painter: Option<brisk_colors::Painter<'p>>,
    /// Columns of a line, for names that run over its end; 0: no end.
    line: usize,
}

impl<'p> Painter<'p> {
    pub(crate) fn new(colors: Option<&'p Colors>, line: usize) -> Painter<'p> {
        Painter { painter: colors.map(brisk_colors::Painter::new), line }
    }

    /// Says that ordinary text comes next, which may have a colour too.
    #[inline]
    pub(crate) fn normal(&mut self, out: &mut Vec<u8>) {
        if let Some(painter) = &mut self.painter {
            painter.normal(out);
        }
    }

    /// How the name of an entry is painted.
    #[inline]
    pub(crate) fn style(&self, item: &Item<'_>) -> Option<&'p [u8]> {
        let colors = self.painter.as_ref()?.colors();
        colors.indicator_of(item.name, item.file_type, item.meta)
    }

    /// How the target of a link is painted: as the file that it names.
    pub(crate) fn target_style(&self, text: &[u8], meta: &Meta) -> Option<&'p [u8]> {
        self.painter.as_ref()?.colors().target_indicator(text, Some(meta))
    }

    /// Says that a name begins, which is painted like this.
    #[inline]
    pub(crate) fn begin(&mut self, style: Option<&[u8]>, out: &mut Vec<u8>) {
        if let Some(painter) = &mut self.painter {
            painter.begin(style, out);
        }
    }

    /// Says that the name ends. It began at column `at` of its line and is `length` bytes long.
    #[inline]
    pub(crate) fn end(
        &mut self,
        style: Option<&[u8]>,
        at: usize,
        length: usize,
        out: &mut Vec<u8>,
    ) {
        if let Some(painter) = &mut self.painter {
            let last = (at + length).saturating_sub(1);
            let wraps = self.line > 0 && at / self.line != last / self.line;
            painter.end(style, wraps, out);
        }
    }

    /// Begins a draft that another painter will adopt.
    pub(crate) fn restart(&mut self) {
        if let Some(painter) = &mut self.painter {
            *painter = brisk_colors::Painter::new(painter.colors());
        }
    }

    /// The position of the first colour code in the draft.
    pub(crate) fn first_code(&self) -> Option<usize> {
        self.painter.as_ref().and_then(brisk_colors::Painter::first_code)
    }

    /// Appends a draft.
    pub(crate) fn adopt(&mut self, draft: &[u8], first: Option<usize>, out: &mut Vec<u8>) {
        match &mut self.painter {
            Some(painter) => painter.adopt(draft, first, out),
            None => out.extend_from_slice(draft),
        }
    }

    /// Ends the output: the terminal is left in its own colours.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        if let Some(painter) = &self.painter {
            painter.finish(out);
        }
    }
}
