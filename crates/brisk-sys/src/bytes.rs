//! Appending short byte strings: file names and paths, hundreds of thousands in a walk.

/// Appends `bytes` to `out`, as `extend_from_slice` does. Makes no system call.
///
/// Names are so short that a call of memcpy costs more than the copy itself. With musl, whose
/// memcpy is made for long copies, such calls took four tenths of brisk's own time in a warm walk.
/// A block whose size the compiler knows is copied without a call; the last block overlaps the one
/// before.
#[inline]
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len());
    let start = out.len();
    let Some(spare) = out.spare_capacity_mut().get_mut(..bytes.len()) else { return };
    let to = spare.as_mut_ptr().cast::<u8>();
    match bytes.len() {
        16.. => copy::<16>(bytes, to),
        8.. => copy::<8>(bytes, to),
        4.. => copy::<4>(bytes, to),
        2.. => copy::<2>(bytes, to),
        _ => copy::<1>(bytes, to),
    }
    // SAFETY: the capacity was reserved, and `copy` has filled `bytes.len()` bytes from `start` on.
    unsafe { out.set_len(start + bytes.len()) };
}

/// Copies `bytes` to `to` in blocks of `N` bytes. `bytes` is empty or has at least `N` bytes, and
/// `to` has room for all of them.
#[inline(always)]
fn copy<const N: usize>(bytes: &[u8], to: *mut u8) {
    let Some(last) = bytes.len().checked_sub(N) else { return };
    let mut at = 0;
    while at < last {
        block::<N>(bytes, to, at);
        at += N;
    }
    block::<N>(bytes, to, last);
}

#[inline(always)]
fn block<const N: usize>(bytes: &[u8], to: *mut u8, at: usize) {
    let from = bytes[at..at + N].as_ptr();
    // SAFETY: `at + N` was just checked against the length of `bytes`, and `to` has room for as
    // many bytes: `append` took the pointer from a slice of that length.
    let to = unsafe { to.add(at) };
    // SAFETY: both sides have `N` bytes, as above; nothing borrows the spare capacity at `to`.
    unsafe { std::ptr::copy_nonoverlapping(from, to, N) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_appended_whole() {
        let bytes: Vec<u8> = (0..100).collect();
        for length in 0..=100 {
            let mut out = b"before".to_vec();
            append(&mut out, &bytes[..length]);
            append(&mut out, b"!");
            assert_eq!(out, [b"before", &bytes[..length], b"!"].concat());
        }
    }
}
