//! The bytes that GNU ls puts around names, and around everything that it prints.

use super::Colors;
use super::parse::Key;

/// Writes codes where GNU ls writes them.
///
/// ```text
///   \e[0m                          once, before the first code of all
///   \e[1m                          `no`, where ordinary text begins          normal
///   \e[m \e[01;34m  name  \e[0m    the first only with `no`                  begin, end
///   \e[K                           after a name that wraps a line            end
///   lc rc                          once, at the end, unless they are \e[ m   finish
/// ```
///
/// It remembers whether a code was written: one for all output, in the order of the output.
#[derive(Clone, Debug)]
pub struct Painter<'a> {
    colors: &'a Colors,
    used: bool,
}

impl<'a> Painter<'a> {
    /// Nothing is written yet.
    #[must_use]
    pub fn new(colors: &'a Colors) -> Painter<'a> {
        Painter { colors, used: false }
    }

    /// The colours that it writes.
    #[must_use]
    pub fn colors(&self) -> &'a Colors {
        self.colors
    }

    /// Where a line of `ls -l`, or a name with what stands before it, begins: the code of ordinary
    /// text, if `no` has one.
    pub fn normal(&mut self, out: &mut Vec<u8>) {
        if let Some(normal) = self.normal_style() {
            self.first(out);
            self.colors.left(normal, out);
        }
    }

    /// What stands before a name that is painted in `style`.
    pub fn begin(&mut self, style: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some(style) = style else { return };
        self.first(out);
        if self.normal_style().is_some() {
            self.colors.left(b"", out);
        }
        self.colors.left(style, out);
    }

    /// What stands behind that name; `wraps` says that it does not end in the line of the terminal in
    /// which it began.
    pub fn end(&mut self, style: Option<&[u8]>, wraps: bool, out: &mut Vec<u8>) {
        if style.is_none() && self.normal_style().is_none() {
            return;
        }
        self.first(out);
        out.extend_from_slice(&self.colors.end);
        if wraps {
            out.extend_from_slice(self.colors.sequences.get(Key::ClearLine).unwrap_or_default());
        }
    }

    /// What ends the output.
    pub fn finish(&self, out: &mut Vec<u8>) {
        let sequence = |key| self.colors.sequences.get(key);
        let ordinary = sequence(Key::Left) == Some(b"\x1b[") && sequence(Key::Right) == Some(b"m");
        if self.used && !ordinary {
            self.colors.left(b"", out);
        }
    }

    fn normal_style(&self) -> Option<&'a [u8]> {
        let sequences = &self.colors.sequences;
        sequences.get(Key::Normal).filter(|_| sequences.is_colored(Key::Normal))
    }

    /// Before the first code of all, what ends one: whatever was on before is off.
    fn first(&mut self, out: &mut Vec<u8>) {
        if !self.used {
            self.used = true;
            out.extend_from_slice(&self.colors.end);
        }
    }
}
