//! [`Conversion`]: flags, width and precision of a directive, as printf(3) applies them.

/// The largest width and precision. GNU find knows no limit but that of its output.
const MOST: usize = 1_000_000;
/// No number has more significant digits than this.
const DIGITS: usize = 1_100;

/// How a value is laid out.
#[derive(Clone, Copy, Debug, Default)]
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
        let end = text[1..].iter().take_while(|byte| b"-+ #".contains(byte)).count() + 1;
        let has = |flag: &u8| text[1..end].contains(flag);
        let (width, at) = number(text, end)?;
        let conversion = Conversion {
            left: has(&b'-'),
            zeros: text.get(end) == Some(&b'0'),
            alternate: has(&b'#'),
            sign: [b'+', b' '].into_iter().find(has),
            width,
            precision: None,
        };
        if text.get(at) != Some(&b'.') {
            return Some((conversion, at));
        }
        let (precision, at) = number(text, at + 1)?;
        Some((Conversion { precision: Some(precision), ..conversion }, at))
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

    /// Does the same with the number that `%d`, `%m` or `%S` has appended.
    pub(super) fn fit_number(&self, letter: u8, at: usize, out: &mut Vec<u8>) {
        let is_octal = letter == b'm';
        let sign = self.sign.filter(|_| !is_octal);
        let precision = self.precision.filter(|_| letter != b'S');
        if precision == Some(0) && out[at..] == *b"0" {
            out.truncate(at);
        }
        let mut least = precision.unwrap_or(0);
        if is_octal && self.alternate && out.get(at) != Some(&b'0') {
            least = least.max(out.len() - at + 1);
        }
        if self.zeros && !self.left && precision.is_none() {
            least = least.max(self.width.saturating_sub(sign.iter().len()));
        }
        let zeros = least.saturating_sub(out.len() - at);
        out.splice(at..at, sign.into_iter().chain(std::iter::repeat_n(b'0', zeros)));
        self.fill(at, out);
    }

    /// A number that is not negative, as `%g` prints it: without zeros at the end unless they are
    /// asked for, with an exponent if that is less than -4 or the precision has too few digits.
    pub(super) fn general(&self, number: f64) -> String {
        let digits = self.precision.unwrap_or(6).clamp(1, DIGITS);
        let scientific = format!("{number:.*e}", digits - 1);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let decimals = usize::try_from(digits as i32 - 1 - exponent).ok();
        let decimals = decimals.filter(|_| exponent >= -4);
        let mut shown =
            decimals.map_or(mantissa.to_owned(), |decimals| format!("{number:.decimals$}"));
        if !self.alternate && shown.contains('.') {
            shown.truncate(shown.trim_end_matches('0').trim_end_matches('.').len());
        } else if self.alternate && number.is_finite() && !shown.contains('.') {
            shown.push('.');
        }
        match decimals {
            Some(_) => shown,
            None => format!("{shown}e{exponent:+03}"),
        }
    }
}

/// The number whose digits begin here, 0 if there are none, and where they end; `None` if the
/// number is too large.
fn number(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let digits = text[from..].iter().take_while(|byte| byte.is_ascii_digit());
    let next = |number: usize, digit: &u8| (number * 10 + usize::from(digit - b'0')).min(MOST + 1);
    let number = digits.clone().fold(0, next);
    (number <= MOST).then_some((number, from + digits.count()))
}
