//! printf(3): one directive of a format that a user gives, which the C library fills.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr;

/// The largest width and precision. Programs that print by printf(3) know no limit but that of
/// their output.
const MOST: u32 = 1_000_000;

/// The flags, the width and the precision of a directive.
#[derive(Clone, Debug)]
pub struct Directive(Vec<u8>);

impl Directive {
    /// Reads what stands between the `%` at the beginning of `text` and the directive's letter.
    /// Returns the letter's place as well; `None` if a number is too large.
    pub fn read(text: &[u8]) -> Option<(Directive, usize)> {
        let behind = |from: usize, known: &[u8]| {
            from + text[from..].iter().take_while(|byte| known.contains(byte)).count()
        };
        let width = behind(1, b"-+ #");
        let point = behind(width, b"0123456789");
        let precision = point + usize::from(text.get(point) == Some(&b'.'));
        let end = behind(precision, b"0123456789");
        let numbers = [&text[width..point], &text[precision..end]];
        let fits = |digits: &[u8]| match str::from_utf8(digits).unwrap_or_default() {
            "" => true,
            digits => digits.parse::<u32>().is_ok_and(|number| number <= MOST),
        };
        numbers.into_iter().all(fits).then(|| (Directive(text[..end].to_vec()), end))
    }

    /// Whether it has no flags, no width and no precision.
    pub fn is_plain(&self) -> bool {
        self.0.len() == 1
    }

    /// `%s`: lays out the text that `out` has from `at` on.
    #[inline]
    pub fn fit(&self, at: usize, out: &mut Vec<u8>) {
        if !self.is_plain() {
            let mut text = out.split_off(at);
            text.push(0);
            self.text(CStr::from_bytes_until_nul(&text).unwrap_or_default(), out);
        }
    }

    fn text(&self, text: &CStr, out: &mut Vec<u8>) {
        // SAFETY: the directive takes a text that ends in a NUL, and this one does.
        self.print(b's', out, |to, size, format| unsafe {
            libc::snprintf(to, size, format, text.as_ptr())
        });
    }

    /// `%d`
    pub fn decimal(&self, number: usize, out: &mut Vec<u8>) {
        let number = c_int::try_from(number).unwrap_or(c_int::MAX);
        // SAFETY: the directive takes an int.
        self.print(b'd', out, |to, size, format| unsafe {
            libc::snprintf(to, size, format, number)
        });
    }

    /// `%o`
    pub fn octal(&self, number: c_uint, out: &mut Vec<u8>) {
        // SAFETY: the directive takes an unsigned int.
        self.print(b'o', out, |to, size, format| unsafe {
            libc::snprintf(to, size, format, number)
        });
    }

    /// `%g`
    pub fn general(&self, number: f64, out: &mut Vec<u8>) {
        // SAFETY: the directive takes a double.
        self.print(b'g', out, |to, size, format| unsafe {
            libc::snprintf(to, size, format, number)
        });
    }

    /// Appends what `call` prints. It gets room, how much that is, and the format.
    fn print(
        &self,
        letter: u8,
        out: &mut Vec<u8>,
        call: impl Fn(*mut c_char, usize, *const c_char) -> c_int,
    ) {
        let format = [&self.0[..], &[letter, 0]].concat();
        let format = format.as_ptr().cast();
        let length = usize::try_from(call(ptr::null_mut(), 0, format)).unwrap_or(0);
        let at = out.len();
        out.resize(at + length + 1, 0);
        call(out[at..].as_mut_ptr().cast(), length + 1, format);
        out.truncate(at + length);
    }
}
