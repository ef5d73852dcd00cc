//! The styles of GNU's `--time-style` that have one format.

use std::ffi::OsStr;

use crate::front::{Refusal, Words, valid};
use crate::show::quoting::as_argument;
use crate::show::safe::os_str;
use crate::show::time::format::Format;

/// The names of styles, which may be abbreviated.
static STYLES: Words = Words::new("full-iso | long-iso | iso");

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

/// A style without its prefixes `posix-`, and whether it had any. With one, the style does not
/// apply in the POSIX locale.
pub(crate) fn without_posix(mut style: &[u8]) -> (&[u8], bool) {
    let whole = style.len();
    while let Some(rest) = style.strip_prefix(b"posix-") {
        style = rest;
    }
    (style, style.len() < whole)
}

/// The format of the style that an option names, else of the one that the variable TIME_STYLE
/// names; `long-iso` if there is neither.
///
/// # Errors
/// The style is unknown.
pub(crate) fn one_format(option: Option<&OsStr>) -> Result<Format, Refusal> {
    let variable = std::env::var_os("TIME_STYLE").filter(|style| style != "locale");
    let style = match (option, &variable) {
        (Some(style), _) => style.as_encoded_bytes(),
        (None, Some(style)) => {
            let line = style.as_encoded_bytes().split(|byte| *byte == b'\n').next();
            without_posix(line.unwrap_or_default()).0
        }
        (None, None) => b"long-iso",
    };
    let lines = STYLES.names().map(|name| as_argument(name.as_bytes()));
    format_of(style).map(Format::new).ok_or_else(|| unknown(&STYLES, style, lines))
}

/// Refuses a style. These lines say which are known. The message of GNU's programs does not say
/// --time-style.
#[cold]
pub fn unknown(styles: &Words, style: &[u8], known: impl Iterator<Item = String>) -> Refusal {
    let complaint = styles.complaint("time style", os_str(style));
    Refusal::hinted(format!("{complaint}\n{}", valid(known)))
}
