//! Short byte strings: file names and paths, appended by the hundred thousand.

/// Appends `bytes` to `out`.
///
/// As `extend_from_slice`, but in blocks whose size the compiler knows, so that no function is called:
/// names are so short that the call (and with some C libraries the copy: musl's memcpy took four tenths
/// of our time in a warm walk) costs more than the bytes.
#[inline]
pub fn append(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len());
    let (blocks, rest) = bytes.as_chunks::<16>();
    for block in blocks {
        out.extend_from_slice(block);
    }
    let rest = append_block::<8>(out, rest);
    let rest = append_block::<4>(out, rest);
    let rest = append_block::<2>(out, rest);
    append_block::<1>(out, rest);
}

/// Appends the first `N` bytes if there are so many; returns the others.
#[inline]
fn append_block<'a, const N: usize>(out: &mut Vec<u8>, bytes: &'a [u8]) -> &'a [u8] {
    let Some((block, rest)) = bytes.split_first_chunk::<N>() else { return bytes };
    out.extend_from_slice(block);
    rest
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
            assert_eq!(out, [b"before", &bytes[..length]].concat());
        }
    }
}
