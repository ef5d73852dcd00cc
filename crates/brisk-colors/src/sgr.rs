//! Sequences of "select graphic rendition" codes, spelled as fd prints them.
//!
//! fd takes a sequence apart into attributes, background and foreground, and writes these in this
//! order. Where scripts compare bytes, `brisk find` must write the same.

use std::collections::VecDeque;

/// The effect of a sequence of codes.
#[derive(Default)]
struct Rendition {
    /// Bit `n` stands for code `n`: bold 1, faint 2, italic 3, underline 4, blink 5, reverse 7,
    /// hidden 8, struck out 9.
    attributes: u16,
    foreground: Option<Color>,
    background: Option<Color>,
}

/// A colour, of foreground or background.
#[derive(Clone, Copy)]
enum Color {
    /// The eight basic colours.
    Basic(u8),
    /// One of 256 colours.
    Palette(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// The codes as fd spells them; empty if they change nothing. `None` if a part of the sequence is
/// not a code that fd knows.
pub(super) fn normalize(sequence: &[u8]) -> Option<Box<[u8]>> {
    let codes: Option<VecDeque<u8>> = sequence
        .split(|&byte| byte == b';')
        .map(|code| std::str::from_utf8(code).ok()?.parse().ok())
        .collect();
    Some(Rendition::read(codes?)?.spell().into_bytes().into_boxed_slice())
}

impl Rendition {
    fn read(mut codes: VecDeque<u8>) -> Option<Rendition> {
        let mut rendition = Rendition::default();
        while let Some(code) = codes.pop_front() {
            match code {
                // As in fd's library, zero resets the attributes alone.
                0 => rendition.attributes = 0,
                // Terminals blink at one speed.
                6 => rendition.attributes |= 1 << 5,
                1..=9 => rendition.attributes |= 1 << code,
                22 => rendition.attributes &= !(1 << 1 | 1 << 2),
                25 => rendition.attributes &= !(1 << 5),
                23 | 24 | 27..=29 => rendition.attributes &= !(1 << (code - 20)),
                30..=37 => rendition.foreground = Some(Color::Basic(code - 30)),
                40..=47 => rendition.background = Some(Color::Basic(code - 40)),
                90..=97 => rendition.foreground = Some(Color::Palette(code - 90 + 8)),
                100..=107 => rendition.background = Some(Color::Palette(code - 100 + 8)),
                38 => rendition.foreground = Some(Color::read(&mut codes)?),
                48 => rendition.background = Some(Color::read(&mut codes)?),
                39 => rendition.foreground = None,
                49 => rendition.background = None,
                _ => return None,
            }
        }
        Some(rendition)
    }

    fn spell(&self) -> String {
        let mut parts: Vec<String> = (1..=9u8)
            .filter(|code| self.attributes & (1 << code) != 0)
            .map(|code| code.to_string())
            .collect();
        parts.extend(self.background.map(|color| color.spell(40)));
        parts.extend(self.foreground.map(|color| color.spell(30)));
        parts.join(";")
    }
}

impl Color {
    /// Reads the codes after 38 or 48.
    fn read(codes: &mut VecDeque<u8>) -> Option<Color> {
        match codes.pop_front()? {
            5 => Some(Color::Palette(codes.pop_front()?)),
            2 => Some(Color::Rgb(codes.pop_front()?, codes.pop_front()?, codes.pop_front()?)),
            _ => None,
        }
    }

    /// The codes of this colour, as foreground (`base` 30) or background (40).
    fn spell(self, base: u8) -> String {
        match self {
            Color::Basic(number) => (base + number).to_string(),
            Color::Palette(number) => format!("{};5;{number}", base + 8),
            Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", base + 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The right column is the output of fd 10.5 for `LS_COLORS='fi=…'`.
    #[test]
    fn codes_are_spelled_as_fd_spells_them() {
        let cases = [
            ("01;34", Some("1;34")),
            ("37;41", Some("41;37")),
            ("40;33;01", Some("1;40;33")),
            ("0;38;5;16;48;5;203", Some("48;5;203;38;5;16")),
            ("38;2;1;2;3", Some("38;2;1;2;3")),
            ("4;97;101", Some("4;48;5;9;38;5;15")),
            ("1;0;31", Some("31")),
            ("6", Some("5")),
            ("1;22", Some("")),
            ("target", None),
            ("1;300", None),
            ("1;", None),
            ("38;5", None),
            ("77", None),
        ];
        for (sequence, expected) in cases {
            let spelled = normalize(sequence.as_bytes());
            assert_eq!(spelled.as_deref(), expected.map(str::as_bytes), "{sequence}");
        }
    }
}
