//! Any three names in version order: it is an order, and a number keeps its value with zeros before
//! it.

#![no_main]

use std::cmp::Ordering;

use libfuzzer_sys::fuzz_target;

// The command is a program, whose modules no other crate can name. This one stands alone.
#[path = "../../crates/brisk-commands/src/ls/version.rs"]
mod version;

use version::compare;

fuzz_target!(|bytes: &[u8]| {
    let mut names = bytes.split(|&byte| byte == 0);
    let mut next = || names.next().unwrap_or_default();
    let (a, b, c) = (next(), next(), next());
    for name in [a, b, c] {
        assert_eq!(compare(name, name), Ordering::Equal);
        if name.first().is_some_and(u8::is_ascii_digit) {
            let (zeros, bare) = ([b"x00", name].concat(), [b"x", name].concat());
            assert_eq!(compare(&zeros, &bare), Ordering::Equal);
        }
    }
    for (a, b) in [(a, b), (b, c), (a, c)] {
        assert_eq!(compare(a, b), compare(b, a).reverse());
    }
    let mut sorted = [a, b, c];
    sorted.sort_by(|a, b| compare(a, b));
    assert_ne!(compare(sorted[0], sorted[1]), Ordering::Greater);
    assert_ne!(compare(sorted[1], sorted[2]), Ordering::Greater);
    assert_ne!(compare(sorted[0], sorted[2]), Ordering::Greater);
    if compare(a, b) == Ordering::Equal {
        assert_eq!(compare(a, c), compare(b, c));
    }
});
