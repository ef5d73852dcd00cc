//! The owner's identifier in a security descriptor, and its text.
//!
//! A self-relative descriptor has the offset of its owner at byte 4. An identifier consists of a
//! revision (one byte), the number of its parts (one byte), an authority (six bytes, big-endian),
//! and the parts (four bytes each, little-endian).

use std::fmt::Write;

/// The size, in bytes, of what stands in front of an identifier's parts.
const HEAD: usize = 8;

/// The owner's identifier in a self-relative security descriptor, as bytes. `None`: the descriptor
/// has no owner, or is cut. Makes no system call.
#[must_use]
pub fn of(descriptor: &[u8]) -> Option<&[u8]> {
    let offset = u32::from_le_bytes(descriptor.get(4..8)?.try_into().ok()?);
    let rest = descriptor.get(usize::try_from(offset).ok().filter(|offset| *offset > 0)?..)?;
    let parts = usize::from(*rest.get(1)?);
    rest.get(..HEAD + 4 * parts)
}

/// An identifier as text: `S-1-5-32-544`. `None`: the identifier is cut. Makes no system call.
#[must_use]
pub fn text(identifier: &[u8]) -> Option<String> {
    let (head, parts) = identifier.split_at_checked(HEAD)?;
    let authority = head[2..].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let mut text = format!("S-{}-{authority}", head[0]);
    for part in parts.chunks_exact(4).take(usize::from(head[1])) {
        let _ = write!(text, "-{}", u32::from_le_bytes(part.try_into().ok()?));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The administrators' group.
    const ADMINISTRATORS: [u8; 16] = [1, 2, 0, 0, 0, 0, 0, 5, 32, 0, 0, 0, 32, 2, 0, 0];

    #[test]
    fn the_owner_is_found_where_the_descriptor_says() {
        let mut descriptor = vec![1, 0, 0, 0x80, 24, 0, 0, 0];
        descriptor.resize(24, 0);
        descriptor.extend(ADMINISTRATORS);
        descriptor.extend([7; 4]);
        assert_eq!(of(&descriptor), Some(&ADMINISTRATORS[..]));
        assert_eq!(text(&ADMINISTRATORS).as_deref(), Some("S-1-5-32-544"));
        // A descriptor that is cut, or has no owner, has no identifier.
        for length in 0..40 {
            assert_eq!(of(&descriptor[..length]), None, "{length}");
        }
        descriptor[4] = 0;
        assert_eq!(of(&descriptor), None);
        assert_eq!(text(&[1, 1, 0]), None);
    }
}
