//! The colours of changes and of sizes, for terminals.

use brisk_state::ChangeKind;

/// One of the eight colours that every terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paint {
    pub number: u8,
    pub is_bold: bool,
}

const RED: Paint = Paint { number: 1, is_bold: false };
const GREEN: Paint = Paint { number: 2, is_bold: false };
const YELLOW: Paint = Paint { number: 3, is_bold: false };
const MAGENTA: Paint = Paint { number: 5, is_bold: false };
const CYAN: Paint = Paint { number: 6, is_bold: false };

/// What the letter of a change is painted with: as in git's summaries.
pub(crate) fn of_change(kind: ChangeKind) -> Paint {
    match kind {
        ChangeKind::Added => GREEN,
        ChangeKind::Deleted => RED,
        ChangeKind::Renamed => CYAN,
        _ => YELLOW,
    }
}

/// What a size is painted with: bytes, K, M, G and what is larger, graded as in eza.
#[must_use]
pub fn of_size(bytes: u64) -> Paint {
    match bytes {
        0..0x400 => GREEN,
        0x400..0x10_0000 => Paint { is_bold: true, ..GREEN },
        0x10_0000..0x4000_0000 => YELLOW,
        0x4000_0000..0x100_0000_0000 => RED,
        _ => MAGENTA,
    }
}

/// What the bar of a share is painted with.
#[must_use]
pub fn of_share(percent: usize) -> Paint {
    match percent {
        0..20 => GREEN,
        20..50 => YELLOW,
        _ => RED,
    }
}

/// Appends a text, in a colour if there is one.
pub(crate) fn append(paint: Option<Paint>, text: &str, out: &mut Vec<u8>) {
    let Some(Paint { number, is_bold }) = paint else { return out.extend(text.as_bytes()) };
    let bold = if is_bold { "1;" } else { "" };
    out.extend_from_slice(format!("\x1b[{bold}3{number}m{text}\x1b[0m").as_bytes());
}
