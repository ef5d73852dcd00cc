//! [`Conversion`]: flags, width and precision of a directive, as printf(3) applies them.

use std::ops::Range;

/// The largest width and precision. GNU find knows no limit but that of its output.
const MOST: usize = 1_000_000;
/// No number has more significant digits than this.
const DIGITS: usize = 1_100;

/// How a value is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversion {
    /// `-`: blanks are added on the right.
    left: bool,
    /// `0`: numbers are filled with zeros.
    zeros: bool,
    /// `#`: octal numbers begin with 0, sparseness keeps its zeros.
    alternate: bool,
    /// `+` or a blank: what stands before a number that is not negative.
    sign: Option<u8>,
    width: usize,
    precision: Option<usize>,
}

impl Conversion {
    /// Reads what stands between the `%` at the beginning of `text` and the directive's letter.
    /// Returns the letter's place as well; `None` if a number is too large.
    pub(super) fn read(text: &[u8]) -> Option<(Conversion, usize)> {
        let mut shape = Conversion::default();
        let flags = text[1..].iter().take_while(|byte| b"-+ #".contains(byte)).count();
        for flag in &text[1..=flags] {
            match flag {
                b'-' => shape.left = true,
                b'#' => shape.alternate = true,
                sign => shape.sign = shape.sign.max(Some(*sign)),
            }
        }
        let width = digits(text, flags + 1);
        shape.zeros = text[width.clone()].starts_with(b"0");
        shape.width = number(&text[width.clone()])?;
        if text.get(width.end) != Some(&b'.') {
            return Some((shape, width.end));
        }
        let precision = digits(text, width.end + 1);
        shape.precision = Some(number(&text[precision.clone()])?);
        Some((shape, precision.end))
    }

    /// Cuts and fills the text that `out` has from `at` on.
    #[inline]
    pub(super) fn fit(&self, at: usize, out: &mut Vec<u8>) {
        if let Some(precision) = self.precision {
            out.truncate(at.saturating_add(precision));
        }
        self.fill(at, out);
    }

    #[inline]
    fn fill(&self, at: usize, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(out.len() - at);
        if missing > 0 {
            let to = if self.left { out.len() } else { at };
            out.splice(to..to, std::iter::repeat_n(b' ', missing));
        }
    }

    /// Appends a decimal number.
    pub(super) fn decimal(&self, number: u64, out: &mut Vec<u8>) {
        let digits = self.digits(number > 0, itoa::Buffer::new().format(number));
        self.number(self.sign, &digits, self.precision.is_none(), out);
    }

    /// Appends an octal number.
    pub(super) fn octal(&self, number: u32, out: &mut Vec<u8>) {
        let mut digits = self.digits(number > 0, &format!("{number:o}"));
        if self.alternate && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        self.number(None, &digits, self.precision.is_none(), out);
    }

    /// As many digits as the precision asks for. Zero has none if that is 0.
    fn digits(&self, is_some: bool, shown: &str) -> String {
        let least = self.precision.unwrap_or(1);
        let shown = if is_some || least > 0 { shown } else { "" };
        let zeros = least.saturating_sub(shown.len());
        ["0".repeat(zeros).as_str(), shown].concat()
    }

    /// Appends a number as `%g` prints it.
    pub(super) fn general(&self, number: f64, out: &mut Vec<u8>) {
        let digits = general(number, self.precision.unwrap_or(6).clamp(1, DIGITS), self.alternate);
        self.number(self.sign, &digits, number.is_finite(), out);
    }

    fn number(&self, sign: Option<u8>, digits: &str, may_have_zeros: bool, out: &mut Vec<u8>) {
        let at = out.len();
        out.extend(sign);
        if self.zeros && !self.left && may_have_zeros {
            let missing = self.width.saturating_sub(out.len() - at + digits.len());
            out.extend(std::iter::repeat_n(b'0', missing));
        }
        out.extend_from_slice(digits.as_bytes());
        self.fill(at, out);
    }
}

/// Where the digits from this place on are.
fn digits(text: &[u8], from: usize) -> Range<usize> {
    from..from + text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The number that digits mean, 0 without any; `None` if it is too large.
fn number(digits: &[u8]) -> Option<usize> {
    let next = |number: usize, digit: &u8| (number * 10 + usize::from(digit - b'0')).min(MOST + 1);
    Some(digits.iter().fold(0, next)).filter(|number| *number <= MOST)
}

/// This many significant digits of a number that is not negative, without zeros at the end unless
/// they are to be kept; with an exponent if that is less than -4 or would need more digits.
fn general(number: f64, digits: usize, keeps_zeros: bool) -> String {
    if !number.is_finite() {
        return "inf".to_owned();
    }
    let scientific = format!("{number:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let is_plain = exponent >= -4 && exponent < digits as i32;
    let mut shown = match is_plain {
        true => format!("{number:.*}", (digits as i32 - 1 - exponent) as usize),
        false => mantissa.to_owned(),
    };
    if keeps_zeros {
        shown.push_str(if shown.contains('.') { "" } else { "." });
    } else if shown.contains('.') {
        shown.truncate(shown.trim_end_matches('0').trim_end_matches('.').len());
    }
    if !is_plain {
        let sign = if exponent < 0 { '-' } else { '+' };
        shown.push_str(&format!("e{sign}{:02}", exponent.abs()));
    }
    shown
}
