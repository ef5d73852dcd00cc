//! The styles of GNU's `--time-style` that have one format.

use crate::common::options::Words;
use crate::common::safe::os_str;

/// The names of styles, which may be abbreviated.
pub(crate) static STYLES: Words = Words::new(&[&["full-iso"], &["long-iso"], &["iso"]]);

/// The format of a style, or the text behind `+`; `None` if the style is unknown.
pub(crate) fn format_of(style: &[u8]) -> Option<&[u8]> {
    if let Some(format) = style.strip_prefix(b"+") {
        return Some(format);
    }
    Some(match STYLES.get(os_str(style))? {
        "full-iso" => b"%Y-%m-%d %H:%M:%S.%N %z",
        "long-iso" => b"%Y-%m-%d %H:%M",
        _ => b"%Y-%m-%d",
    })
}
