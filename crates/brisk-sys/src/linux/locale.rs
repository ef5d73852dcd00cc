//! The C library's locale: how names are collated, which characters a name is made of, how months are
//! called. Nothing here is read unless [`adopt`] was called; until then the C locale holds.

use std::cmp::Ordering;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use crate::{Category, Glyph, Text};

/// Room for mbstate_t, which no C library makes larger than this.
#[repr(C, align(8))]
struct ShiftState([u8; 128]);

/// C's wchar_t as every Linux has it.
type WideChar = i32;

unsafe extern "C" {
    fn mbrtowc(out: *mut WideChar, bytes: *const c_char, len: usize, state: *mut c_void) -> usize;
    fn wcwidth(c: WideChar) -> c_int;
    fn iswprint(c: c_uint) -> c_int;
    fn iswcntrl(c: c_uint) -> c_int;
}

fn number(category: Category) -> c_int {
    match category {
        Category::Characters => libc::LC_CTYPE,
        Category::Collation => libc::LC_COLLATE,
        Category::Time => libc::LC_TIME,
    }
}

/// Adopts what the environment says about one category (`LC_ALL`, its own variable, `LANG`); whether
/// that locale exists. Opens the locale's files.
///
/// To be called before the program has a second thread: the C library changes the locale of all of
/// them, without a lock.
pub fn adopt(category: Category) -> bool {
    // SAFETY: the empty string ends in a null byte; that no other thread reads the locale is what the
    // doc asks of the caller, and a program that keeps it cannot race.
    !unsafe { libc::setlocale(number(category), c"".as_ptr()) }.is_null()
}

/// Whether characters are made of several bytes in UTF-8.
#[must_use]
pub fn is_utf8() -> bool {
    langinfo(libc::CODESET).eq_ignore_ascii_case(b"UTF-8")
}

fn langinfo(item: libc::nl_item) -> Vec<u8> {
    // SAFETY: any item is allowed; an unknown one gives an empty string.
    let text = unsafe { libc::nl_langinfo(item) };
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: nl_langinfo returns a string that ends in a null byte and stays until the locale changes.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

/// A word of the calendar.
#[must_use]
pub fn text(text: Text) -> Vec<u8> {
    let (first, index) = match text {
        Text::Month(index) => (libc::MON_1, index),
        Text::ShortMonth(index) => (libc::ABMON_1, index),
        Text::Day(index) => (libc::DAY_1, index),
        Text::ShortDay(index) => (libc::ABDAY_1, index),
        Text::Am => (libc::AM_STR, 0),
        Text::Pm => (libc::PM_STR, 0),
        Text::DateTime => (libc::D_T_FMT, 0),
        Text::Date => (libc::D_FMT, 0),
        Text::Time => (libc::T_FMT, 0),
        Text::Time12 => (libc::T_FMT_AMPM, 0),
    };
    langinfo(first + libc::nl_item::from(index))
}

/// Compares two names as the adopted locale collates them (strcoll).
#[must_use]
pub fn compare(a: &CStr, b: &CStr) -> Ordering {
    // SAFETY: both end in a null byte.
    unsafe { libc::strcoll(a.as_ptr(), b.as_ptr()) }.cmp(&0)
}

/// The first eight bytes of what strxfrm makes of a name, as a number: where two of them differ, they
/// order as [`compare`] does.
#[must_use]
pub fn rank(name: &CStr) -> u64 {
    let mut key = [0u8; 8];
    let mut room = [0u8; 512];
    // SAFETY: the destination has as many bytes as the call is told, and the name ends in a null byte.
    let needed = unsafe { libc::strxfrm(room.as_mut_ptr().cast(), name.as_ptr(), room.len()) };
    if needed < room.len() {
        let length = needed.min(8);
        key[..length].copy_from_slice(&room[..length]);
        return u64::from_be_bytes(key);
    }
    let mut whole = vec![0u8; needed + 1];
    // SAFETY: as above.
    unsafe { libc::strxfrm(whole.as_mut_ptr().cast(), name.as_ptr(), whole.len()) };
    key.copy_from_slice(&whole[..8]);
    u64::from_be_bytes(key)
}

/// The first character of `bytes`, which must not be empty.
#[must_use]
pub fn first_glyph(bytes: &[u8]) -> Glyph {
    let mut state = ShiftState([0; 128]);
    let mut wide: WideChar = 0;
    // SAFETY: at most `len` bytes are read; the state is zeroed, which is the initial one, and large
    // enough for the call to write to.
    let length = unsafe {
        mbrtowc(&raw mut wide, bytes.as_ptr().cast(), bytes.len(), (&raw mut state.0).cast())
    };
    match length {
        usize::MAX => Glyph::Invalid,
        // Incomplete at the end of the bytes.
        length if length > bytes.len() => Glyph::Incomplete,
        length => {
            let character = wide.cast_unsigned();
            Glyph::Character {
                length: length.max(1),
                // SAFETY: any number is allowed.
                width: usize::try_from(unsafe { wcwidth(wide) }).ok(),
                // SAFETY: as above.
                printable: unsafe { iswprint(character) } != 0,
                // SAFETY: as above.
                control: unsafe { iswcntrl(character) } != 0,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without [`adopt`] the C locale holds, in every test of this program.
    #[test]
    fn the_c_locale_knows_ascii() {
        assert!(!is_utf8());
        assert_eq!(text(Text::ShortMonth(0)), b"Jan");
        assert_eq!(text(Text::Day(6)), b"Saturday");
        let letter =
            Glyph::Character { length: 1, width: Some(1), printable: true, control: false };
        assert_eq!(first_glyph(b"abc"), letter);
        assert!(matches!(
            first_glyph(b"\n"),
            Glyph::Character { printable: false, control: true, .. }
        ));
    }

    #[test]
    fn ranks_order_as_comparisons_do() {
        let names = [c"", c"a", c"ab", c"abcdefgh", c"abcdefghi", c"b", c"B"];
        for a in names {
            for b in names {
                if rank(a) != rank(b) {
                    assert_eq!(rank(a).cmp(&rank(b)), compare(a, b), "{a:?} {b:?}");
                }
            }
        }
        let long = std::ffi::CString::new(vec![b'x'; 2_000]).expect("no null byte");
        assert_eq!(rank(&long), u64::from_be_bytes(*b"xxxxxxxx"));
    }
}
