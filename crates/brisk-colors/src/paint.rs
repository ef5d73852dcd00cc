//! The bytes that GNU ls puts around names, and around everything that it prints.

use crate::Colors;
use crate::parse::Key;

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
/// A painter remembers whether a code was written, so one painter serves all output, in its order.
#[derive(Clone, Debug)]
pub struct Painter<'a> {
    /// `None`: nothing is painted.
    colors: Option<&'a Colors>,
    /// The length of the output when the first code was written.
    first: Option<usize>,
}

impl<'a> Painter<'a> {
    /// A painter that has written nothing. Without colours it never writes anything.
    #[must_use]
    pub fn new(colors: impl Into<Option<&'a Colors>>) -> Painter<'a> {
        Painter { colors: colors.into(), first: None }
    }

    /// Forgets what was written: a draft begins.
    pub fn restart(&mut self) {
        self.first = None;
    }

    /// The length of the output when the first code was written, if there was one.
    #[must_use]
    pub fn first_code(&self) -> Option<usize> {
        self.first
    }

    /// Appends the text of another painter of the same colours, whose first code stands at `first`.
    /// If this painter has written a code before, the bytes that belong only before the first code
    /// are left out.
    pub fn adopt(&mut self, text: &[u8], first: Option<usize>, out: &mut Vec<u8>) {
        let end = self.colors.map_or(0, |colors| colors.end.len());
        match first {
            Some(at) if self.first.is_some() && at + end <= text.len() => {
                out.extend_from_slice(&text[..at]);
                out.extend_from_slice(&text[at + end..]);
            }
            _ => {
                self.first = self.first.or(first.map(|at| out.len() + at));
                out.extend_from_slice(text);
            }
        }
    }

    /// The colours of this painter, if it has any.
    #[inline]
    #[must_use]
    pub fn colors(&self) -> Option<&'a Colors> {
        self.colors
    }

    /// Begins a line of `ls -l`, or a name with the columns before it: appends the code of ordinary
    /// text, if `no` has one.
    #[inline]
    pub fn normal(&mut self, out: &mut Vec<u8>) {
        if let Some((colors, normal)) = self.colors.zip(self.normal_style()) {
            self.first(colors, out);
            colors.left(normal, out);
        }
    }

    /// Appends the codes before a name that is painted in `style`.
    #[inline]
    pub fn begin(&mut self, style: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some((colors, style)) = self.colors.zip(style) else { return };
        self.first(colors, out);
        if self.normal_style().is_some() {
            colors.left(b"", out);
        }
        colors.left(style, out);
    }

    /// Appends the codes after that name. `wraps`: the name does not end on the terminal line on
    /// which it began.
    #[inline]
    pub fn end(&mut self, style: Option<&[u8]>, wraps: bool, out: &mut Vec<u8>) {
        let Some(colors) = self.colors else { return };
        if style.is_none() && self.normal_style().is_none() {
            return;
        }
        self.first(colors, out);
        out.extend_from_slice(&colors.end);
        if wraps {
            out.extend_from_slice(colors.sequences.get(Key::ClearLine).unwrap_or_default());
        }
    }

    /// Appends the codes that end the output.
    pub fn finish(&self, out: &mut Vec<u8>) {
        let Some(colors) = self.colors else { return };
        let sequence = |key| colors.sequences.get(key);
        let ordinary = sequence(Key::Left) == Some(b"\x1b[") && sequence(Key::Right) == Some(b"m");
        if self.first.is_some() && !ordinary {
            colors.left(b"", out);
        }
    }

    #[inline]
    fn normal_style(&self) -> Option<&'a [u8]> {
        let sequences = &self.colors?.sequences;
        sequences.get(Key::Normal).filter(|_| sequences.is_colored(Key::Normal))
    }

    /// Before the first code, appends the code that ends painted text: the terminal may have been
    /// left in a colour.
    fn first(&mut self, colors: &Colors, out: &mut Vec<u8>) {
        if self.first.is_none() {
            self.first = Some(out.len());
            out.extend_from_slice(&colors.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drafts put together read as if one painter had written everything.
    #[test]
    fn a_draft_is_adopted_with_the_first_code_of_all_in_its_place() {
        let (colors, _) = Colors::from_env_value(Some(b"di=34:ec=END"));
        let draft = |styles: &[Option<&[u8]>]| {
            let mut painter = Painter::new(&colors);
            let mut text = Vec::new();
            for style in styles {
                painter.begin(*style, &mut text);
                text.push(b'n');
                painter.end(*style, false, &mut text);
            }
            (text, painter.first_code())
        };
        let blue: Option<&[u8]> = Some(b"34");
        let pieces: [&[Option<&[u8]>]; 4] = [&[None], &[None, blue], &[], &[blue, None, blue]];
        for count in 0..=pieces.len() {
            let (whole, _) = draft(&pieces[..count].concat());
            let mut painter = Painter::new(&colors);
            let mut out = Vec::new();
            for piece in &pieces[..count] {
                let (text, first) = draft(piece);
                painter.adopt(&text, first, &mut out);
            }
            assert_eq!(out.escape_ascii().to_string(), whole.escape_ascii().to_string());
        }
    }
}
