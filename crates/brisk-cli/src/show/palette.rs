//! The colours of changes and of sizes, for terminals.

use brisk_state::ChangeKind;

/// A colour in the form of LS_COLORS.
pub(crate) type Color = &'static str;

const RED: Color = "31";
const GREEN: Color = "32";
const YELLOW: Color = "33";
const MAGENTA: Color = "35";
const CYAN: Color = "36";

/// What the letter of a change is painted with: as in git's summaries.
pub(crate) fn of_change(kind: ChangeKind) -> Color {
    match kind {
        ChangeKind::Added => GREEN,
        ChangeKind::Deleted => RED,
        ChangeKind::Renamed => CYAN,
        _ => YELLOW,
    }
}

/// What a size is painted with: bytes, K, M, G and what is larger, graded as in eza.
pub(crate) fn of_size(bytes: u64) -> Color {
    match bytes {
        0..0x400 => GREEN,
        0x400..0x10_0000 => "1;32",
        0x10_0000..0x4000_0000 => YELLOW,
        0x4000_0000..0x100_0000_0000 => RED,
        _ => MAGENTA,
    }
}

/// What the bar of a share is painted with.
pub(crate) fn of_share(percent: usize) -> Color {
    match percent {
        0..20 => GREEN,
        20..50 => YELLOW,
        _ => RED,
    }
}

/// Appends a text, in a colour if there is one.
pub(crate) fn append(color: Option<Color>, text: &str, out: &mut Vec<u8>) {
    match color {
        Some(color) => out.extend_from_slice(format!("\x1b[{color}m{text}\x1b[0m").as_bytes()),
        None => out.extend_from_slice(text.as_bytes()),
    }
}
