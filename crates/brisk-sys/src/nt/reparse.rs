//! Where a link points: decoding the answer to FSCTL_GET_REPARSE_POINT.
//!
//! ```text
//!   0     4        6     8        10       12      14      16      20
//!   | tag | length | 0   | sub at | length | show at | length | flags | characters … symbolic link
//!   | tag | length | 0   | sub at | length | show at | length | characters …         junction
//!   | tag | length | 0   | 2       | UTF-8 …                                         made by Linux
//! ```
//!
//! Offsets and lengths count bytes, from where the characters begin. Users wrote the name to show.
//! The system follows the substitute name, which is `\??\C:\dir` for an absolute target.

use super::{kind::tag, wtf8};

/// The size, in bytes, of the head with tag and length.
const CHARACTERS: usize = 8;

/// The target of a link in WTF-8. `None`: the bytes are no link, or are cut. Makes no system call.
#[must_use]
pub fn target(bytes: &[u8]) -> Option<Vec<u8>> {
    let reparse_tag = u32::from_le_bytes(*bytes.first_chunk()?);
    let length = usize::from(u16_at(bytes, 4)?);
    let body = bytes.get(CHARACTERS..)?.get(..length)?;
    match reparse_tag {
        tag::SYMLINK => names(body, 12),
        tag::MOUNT_POINT => names(body, 8),
        tag::LX_SYMLINK => {
            body.get(4..).filter(|target| wtf8::is_valid(target)).map(<[u8]>::to_vec)
        }
        _ => None,
    }
}

/// The name to show. If that is empty, the substitute name without its `\??\`.
fn names(body: &[u8], characters_at: usize) -> Option<Vec<u8>> {
    let characters = body.get(characters_at..)?;
    let name = |at: usize| {
        let start = usize::from(u16_at(body, at)?);
        characters.get(start..)?.get(..usize::from(u16_at(body, at + 2)?))
    };
    let substitute = name(0)?;
    let shown = name(4)?;
    let mut target = Vec::new();
    if shown.is_empty() {
        wtf8::append_utf16le(&mut target, substitute);
        if target.starts_with(br"\??\") {
            target.drain(..4);
        }
    } else {
        wtf8::append_utf16le(&mut target, shown);
    }
    Some(target)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reparse point as NTFS stores it: substitute first, then the name to show.
    fn reparse(reparse_tag: u32, substitute: &str, shown: &str, flags: Option<u32>) -> Vec<u8> {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let substitute = wide(substitute);
        let shown = wide(shown);
        let numbers = [0, substitute.len(), substitute.len(), shown.len()];
        let mut body: Vec<u8> =
            numbers.iter().flat_map(|number| (*number as u16).to_le_bytes()).collect();
        body.extend(flags.into_iter().flat_map(u32::to_le_bytes));
        body.extend(substitute.into_iter().chain(shown));
        let mut bytes = reparse_tag.to_le_bytes().to_vec();
        bytes.extend((body.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend(body);
        bytes
    }

    #[test]
    fn targets_are_what_the_user_wrote() {
        let cases = [
            (reparse(tag::SYMLINK, r"\??\C:\a", r"C:\a", Some(0)), r"C:\a"),
            (reparse(tag::SYMLINK, r"..\b", r"..\b", Some(1)), r"..\b"),
            (reparse(tag::SYMLINK, r"\??\C:\ü", "", Some(0)), r"C:\ü"),
            (reparse(tag::MOUNT_POINT, r"\??\D:\x\", r"D:\x", None), r"D:\x"),
            (reparse(tag::MOUNT_POINT, r"\??\Volume{1}\", "", None), r"Volume{1}\"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(target(&bytes).as_deref(), Some(expected.as_bytes()));
            for cut in 0..bytes.len() {
                assert_eq!(target(&bytes[..cut]), None, "cut to {cut}");
            }
        }
    }

    #[test]
    fn links_made_by_linux_hold_their_target_in_utf8() {
        let bytes =
            [&tag::LX_SYMLINK.to_le_bytes()[..], &[7, 0, 0, 0, 2, 0, 0, 0], b"a/b"].concat();
        assert_eq!(target(&bytes).as_deref(), Some(&b"a/b"[..]));
    }

    #[test]
    fn other_tags_have_no_target() {
        assert_eq!(target(&reparse(tag::DEDUP, "a", "b", None)), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 8 } else { 256 }, ..Default::default() })]

        #[test]
        fn any_bytes_do(which in 0_usize..3, mut bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let known = [tag::SYMLINK, tag::MOUNT_POINT, tag::LX_SYMLINK][which];
            if let Some(head) = bytes.first_chunk_mut() {
                *head = known.to_le_bytes();
            }
            if let Some(target) = target(&bytes) {
                prop_assert!(wtf8::is_valid(&target));
            }
        }
    }
}
