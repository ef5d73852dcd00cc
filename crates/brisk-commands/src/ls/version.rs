//! Names in version order (`-v`): numbers in names count by value, and suffixes such as `.tar.gz`
//! last.

use std::cmp::Ordering;

/// Compares two names as `ls -v` does.
///
/// `.`, `..` and hidden names come first. Then the names without their suffixes decide, and if
/// these are equal, the whole names.
pub(crate) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    special(a).cmp(&special(b)).then_with(|| {
        let stem_a = stem(a);
        let stem_b = stem(b);
        let by_stem = revisions(&a[..stem_a], &b[..stem_b]);
        if by_stem != Ordering::Equal || (stem_a == a.len() && stem_b == b.len()) {
            return by_stem;
        }
        revisions(a, b)
    })
}

/// The class of names that come before others, whatever their characters.
fn special(name: &[u8]) -> u8 {
    match name {
        [] => 0,
        b"." => 1,
        b".." => 2,
        [b'.', ..] => 3,
        _ => 4,
    }
}

/// The length of a name without its suffixes. The suffixes are the longest tail of the form (`.`
/// letter or `~`, then letters, digits and `~`)*. A hidden name may consist of suffixes alone.
fn stem(name: &[u8]) -> usize {
    let mut end = name.len();
    let mut at = name.len();
    while at > 0 {
        at -= 1;
        match name[at] {
            b'.' => {
                let begins =
                    name.get(at + 1).is_some_and(|c| c.is_ascii_alphabetic() || *c == b'~');
                if !begins {
                    break;
                }
                end = at;
            }
            c if c.is_ascii_alphanumeric() || c == b'~' => {}
            _ => break,
        }
    }
    end
}

/// The order of characters: `~` before the end, the end before digits, digits before letters,
/// letters before all others.
fn order(byte: Option<&u8>) -> i32 {
    match byte {
        Some(b'~') => -2,
        None => -1,
        Some(c) if c.is_ascii_digit() => 0,
        Some(c) if c.is_ascii_alphabetic() => i32::from(*c),
        Some(c) => i32::from(*c) + 256,
    }
}

/// Compares stretches without digits, character by character, and numbers by value, in alternation.
fn revisions(mut a: &[u8], mut b: &[u8]) -> Ordering {
    let is_letter = |name: &[u8]| name.first().is_some_and(|byte| !byte.is_ascii_digit());
    while !(a.is_empty() && b.is_empty()) {
        while is_letter(a) || is_letter(b) {
            let by_character = order(a.first()).cmp(&order(b.first()));
            if by_character != Ordering::Equal {
                return by_character;
            }
            a = a.get(1..).unwrap_or_default();
            b = b.get(1..).unwrap_or_default();
        }
        let number_a;
        let number_b;
        (number_a, a) = number(a);
        (number_b, b) = number(b);
        let by_value = number_a.len().cmp(&number_b.len()).then_with(|| number_a.cmp(number_b));
        if by_value != Ordering::Equal {
            return by_value;
        }
    }
    Ordering::Equal
}

/// The digits at the beginning, without leading zeros, and the rest.
fn number(name: &[u8]) -> (&[u8], &[u8]) {
    let count = |name: &[u8], is: fn(&u8) -> bool| name.iter().take_while(|byte| is(byte)).count();
    let name = &name[count(name, |byte| *byte == b'0')..];
    name.split_at(count(name, u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Names in their order.
    const ORDERED: &[&str] = &[
        ".",
        "..",
        ".A",
        ".Z",
        ".a~",
        ".a",
        ".b~",
        ".b",
        ".z",
        ".zz~",
        ".zz",
        ".zz.~1~",
        ".0",
        "..x",
        ".9",
        ".zz.0",
        ".\u{1}",
        "0",
        "9",
        "A",
        "Z",
        "a~",
        "a",
        "a.b~",
        "a.b",
        "a.bc~",
        "a.bc",
        "a+",
        "a.",
        "a..a",
        "a.+",
        "b~",
        "b",
        "gcc-c++-10.fc9.tar.gz",
        "gcc-c++-10.8.12-0.7rc2.fc9.tar.bz2",
        "glibc-2-0.1.beta1.fc10.rpm",
        "glibc-common-5-0.2.beta2.fc9.ebuild",
    ];

    #[test]
    fn names_in_their_order() {
        for (i, a) in ORDERED.iter().enumerate() {
            for (j, b) in ORDERED.iter().enumerate() {
                let found = compare(a.as_bytes(), b.as_bytes());
                assert_eq!(found, i.cmp(&j), "{a} {b}");
            }
        }
    }

    #[test]
    fn numbers_count_by_value() {
        assert_eq!(compare(b"f10", b"f9"), Ordering::Greater);
        assert_eq!(compare(b"f09", b"f9"), Ordering::Equal);
        assert_eq!(compare(b"a-1.tar.gz", b"a-10.tar.gz"), Ordering::Less);
    }

    proptest! {
        #[test]
        fn the_order_has_two_sides(a in "[.~a0-2+]{0,8}", b in "[.~a0-2+]{0,8}") {
            let a = a.as_bytes();
            let b = b.as_bytes();
            prop_assert_eq!(compare(a, b), compare(b, a).reverse());
        }
    }
}
