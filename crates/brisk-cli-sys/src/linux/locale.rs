//! The C library's locale: how names are collated, which bytes make a character, and the names of
//! months. Nothing of a locale is read unless [`adopt`] was called; until then the C locale holds.
//!
//! The process's own locale stays as it is, because setlocale changes it while other threads read
//! it. An adopted locale is a locale object, which is complete before another thread can see it, is
//! never changed after that, and never freed:
//!
//! ```text
//!   adopt ──► duplocale(the last object) ──► newlocale(one category more) ──► ADOPTED ◄── readers
//! ```

use std::cmp::Ordering;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Mutex, PoisonError};

use libc::locale_t;

use crate::{Category, Glyph, Text};

/// Bytes for an mbstate_t; no C library needs more.
#[repr(C, align(8))]
struct ShiftState([u8; 128]);

/// C's wchar_t on every Linux.
type WideChar = i32;

unsafe extern "C" {
    fn mbrtowc(out: *mut WideChar, bytes: *const c_char, len: usize, state: *mut c_void) -> usize;
    fn wcwidth(c: WideChar) -> c_int;
    fn iswprint(c: c_uint) -> c_int;
    fn iswcntrl(c: c_uint) -> c_int;
    fn nl_langinfo_l(item: libc::nl_item, locale: locale_t) -> *const c_char;
    fn strcoll_l(a: *const c_char, b: *const c_char, locale: locale_t) -> c_int;
    fn strxfrm_l(to: *mut c_char, from: *const c_char, len: usize, locale: locale_t) -> usize;
}

/// The adopted locale object; null for the C locale. It may get more categories while other threads
/// read it.
static ADOPTED: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Adopts the environment's locale for one category (`LC_ALL`, the category's own variable,
/// `LANG`). Returns whether that locale exists. Opens the locale's files.
pub fn adopt(category: Category) -> bool {
    adopt_named(category, c"")
}

/// Adds a category of the locale with this name; the empty name means the environment's.
fn adopt_named(category: Category, name: &CStr) -> bool {
    static ADOPTING: Mutex<()> = Mutex::new(());
    let _adopting = ADOPTING.lock().unwrap_or_else(PoisonError::into_inner);
    let before = ADOPTED.load(Acquire);
    // SAFETY: a locale object, which is never freed; a null pointer is not copied.
    let base = if before.is_null() { before } else { unsafe { libc::duplocale(before) } };
    // SAFETY: the name ends in a null byte. The base is null, for the C locale, or a copy that no
    // other thread knows; if the call succeeds, the copy is part of its result.
    let object = unsafe { libc::newlocale(mask(category), name.as_ptr(), base) };
    if object.is_null() {
        if !base.is_null() {
            // SAFETY: the copy, which a failed call leaves as it was.
            unsafe { libc::freelocale(base) };
        }
        return false;
    }
    // The previous object stays, because other threads may be reading it. There are four
    // categories, so at most four objects.
    ADOPTED.store(object, Release);
    true
}

fn mask(category: Category) -> c_int {
    match category {
        Category::Characters => libc::LC_CTYPE_MASK,
        Category::Collation => libc::LC_COLLATE_MASK,
        Category::Messages => libc::LC_MESSAGES_MASK,
        Category::Time => libc::LC_TIME_MASK,
    }
}

/// The object, for functions that take one.
fn object() -> locale_t {
    let adopted = ADOPTED.load(Acquire);
    if adopted.is_null() { c_locale() } else { adopted }
}

/// Whether the adopted characters are UTF-8.
#[must_use]
pub fn is_utf8() -> bool {
    langinfo(libc::CODESET).eq_ignore_ascii_case(b"UTF-8")
}

fn langinfo(item: libc::nl_item) -> Vec<u8> {
    // SAFETY: any item is allowed, and an unknown one gives an empty string; the locale is never
    // freed.
    let text = unsafe { nl_langinfo_l(item, object()) };
    if text.is_null() {
        return Vec::new();
    }
    // SAFETY: the call returns a string that ends in a null byte and stays as long as the locale.
    unsafe { CStr::from_ptr(text) }.to_bytes().to_vec()
}

/// A word or a format of the locale.
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
        Text::Yes => (libc::YESEXPR, 0),
    };
    langinfo(first + libc::nl_item::from(index))
}

/// Compares two names as the adopted locale collates them (strcoll).
#[must_use]
pub fn compare(a: &CStr, b: &CStr) -> Ordering {
    // SAFETY: both end in a null byte; the locale is never freed.
    unsafe { strcoll_l(a.as_ptr(), b.as_ptr(), object()) }.cmp(&0)
}

/// The first eight bytes of strxfrm's result for a name, as a number. Where two such numbers
/// differ, they order as [`compare`] does.
#[must_use]
pub fn rank(name: &CStr) -> u64 {
    let mut key = [0u8; 8];
    let mut room = [0u8; 512];
    let locale = object();
    // SAFETY: the destination has as many bytes as the call is told, the name ends in a null byte,
    // and the locale is never freed.
    let needed = unsafe { strxfrm_l(room.as_mut_ptr().cast(), name.as_ptr(), room.len(), locale) };
    if needed < room.len() {
        let length = needed.min(8);
        key[..length].copy_from_slice(&room[..length]);
        return u64::from_be_bytes(key);
    }
    let mut whole = vec![0u8; needed + 1];
    // SAFETY: as above.
    unsafe { strxfrm_l(whole.as_mut_ptr().cast(), name.as_ptr(), whole.len(), locale) };
    key.copy_from_slice(&whole[..8]);
    u64::from_be_bytes(key)
}

/// The first character of `bytes`, which must not be empty.
#[must_use]
pub fn first_glyph(bytes: &[u8]) -> Glyph {
    let _here = InThread::new(object());
    let mut state = ShiftState([0; 128]);
    let mut wide: WideChar = 0;
    // SAFETY: at most `len` bytes are read. The state is zeroed, which is its initial value, and
    // large enough for the call to write to.
    let length = unsafe {
        mbrtowc(&raw mut wide, bytes.as_ptr().cast(), bytes.len(), (&raw mut state.0).cast())
    };
    match length {
        usize::MAX => Glyph::NONE,
        // The bytes end within the character.
        length if length > bytes.len() => Glyph { length: bytes.len(), ..Glyph::NONE },
        length => {
            let character = wide.cast_unsigned();
            Glyph {
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

/// The C locale's object, made once and never freed.
fn c_locale() -> locale_t {
    static C: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    let made = C.load(Acquire);
    if !made.is_null() {
        return made;
    }
    // Without a base, categories outside of the mask are those of "C" as well.
    // SAFETY: the name ends in a null byte, and no object is to be changed.
    let new = unsafe { libc::newlocale(libc::LC_CTYPE_MASK, c"C".as_ptr(), null_mut()) };
    assert!(!new.is_null(), "out of memory");
    // If two threads make the object at once, both objects stay.
    C.store(new, Release);
    new
}

/// Makes the calling thread read this locale until the value is dropped: for functions that take no
/// locale object.
struct InThread {
    before: locale_t,
}

impl InThread {
    fn new(object: locale_t) -> InThread {
        // SAFETY: a locale object that is never freed; it is set for this thread alone.
        InThread { before: unsafe { libc::uselocale(object) } }
    }
}

impl Drop for InThread {
    fn drop(&mut self) {
        // SAFETY: the locale that this thread had before, which was valid then and is not freed by
        // this module.
        unsafe { libc::uselocale(self.before) };
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
        assert_eq!(text(Text::Yes), b"^[yY]");
        let letter = Glyph { length: 1, width: Some(1), printable: true, control: false };
        assert_eq!(first_glyph(b"abc"), letter);
        assert!(matches!(first_glyph(b"\n"), Glyph { printable: false, control: true, .. }));
    }

    /// setlocale, which was used before, changes what all threads read. Here a second thread reads
    /// while categories are added, and the process's own locale stays as it was. The test runs in a
    /// process of its own, because the other tests rely on the C locale.
    #[test]
    fn a_locale_is_adopted_while_other_threads_read_it() {
        const APART: &str = "BRISK_TEST_APART";
        const NAME: &str = "native::locale::tests::a_locale_is_adopted_while_other_threads_read_it";
        if std::env::var_os(APART).is_none() {
            let own = std::env::current_exe().expect("a test program");
            let mut command = std::process::Command::new(own);
            let output = command.args(["--exact", NAME]).env(APART, "1").output().expect("started");
            let told = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && told.contains("1 passed"), "{told}");
            return;
        }
        let utf8 = Glyph { length: 2, width: Some(1), printable: true, control: false };
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                while first_glyph("é".as_bytes()) == Glyph::NONE {
                    assert_eq!(compare(c"a", c"b"), Ordering::Less);
                }
                first_glyph("é".as_bytes())
            });
            for _ in 0..50 {
                assert!(adopt_named(Category::Collation, c"C"));
            }
            if !adopt_named(Category::Characters, c"C.UTF-8") {
                testkit::left_out("a locale of UTF-8", "there is no C.UTF-8");
                assert!(adopt_named(Category::Characters, c"en_US.UTF-8"), "a UTF-8 locale");
            }
            assert_eq!(reader.join().expect("no panic"), utf8);
        });
        assert!(is_utf8());
        assert!(adopt_named(Category::Time, c"C") && is_utf8());
        assert!(!adopt_named(Category::Time, c"no such locale") && is_utf8());
        // SAFETY: no locale is given: the call only asks.
        let own = unsafe { libc::setlocale(libc::LC_CTYPE, std::ptr::null()) };
        // SAFETY: the call returns a string that ends in a null byte.
        assert_eq!(unsafe { CStr::from_ptr(own) }, c"C");
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
