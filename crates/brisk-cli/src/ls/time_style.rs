//! The styles of `--time-style` and its variable.

use std::ffi::OsStr;

use crate::front::time_style;
use crate::front::{Refusal, Words};
use crate::show::long::TimeStyle;
use crate::show::quoting;
use crate::show::safe::os_str;

static STYLES: Words = Words::new("full-iso | long-iso | iso | locale");

/// The style of `--time-style` or its variable. `hard`: the locale's words differ from the C
/// locale's.
///
/// # Errors
/// The word is unknown, or the format has more than two lines.
pub(crate) fn parse(text: &OsStr, hard: bool) -> Result<TimeStyle, Refusal> {
    let (name, is_posix) = time_style::without_posix(text.as_encoded_bytes());
    if is_posix && !hard {
        return Ok(TimeStyle::default());
    }
    if let Some(format) = name.strip_prefix(b"+") {
        return from_format(format);
    }
    let both = |format: &[u8]| TimeStyle { old: format.to_vec(), recent: format.to_vec() };
    Ok(match STYLES.get(os_str(name)) {
        Some(word @ ("full-iso" | "long-iso")) => {
            both(time_style::format_of(word.as_bytes()).unwrap_or_default())
        }
        Some("iso") => TimeStyle { old: b"%Y-%m-%d ".to_vec(), recent: b"%m-%d %H:%M".to_vec() },
        Some(_) => TimeStyle::default(),
        None => return Err(refusal(name)),
    })
}

fn from_format(format: &[u8]) -> Result<TimeStyle, Refusal> {
    let mut lines = format.split(|byte| *byte == b'\n');
    let old = lines.next().unwrap_or_default().to_vec();
    let recent = lines.next().unwrap_or(&old).to_vec();
    if lines.next().is_some() {
        let shown = quoting::as_argument(format);
        return Err(Refusal::value(format!("invalid time style format {shown}")));
    }
    Ok(TimeStyle { old, recent })
}

#[cold]
fn refusal(name: &[u8]) -> Refusal {
    let styles = STYLES.names().map(|name| format!("[posix-]{name}"));
    let format = "+FORMAT (e.g., +%H:%M) for a 'date'-style format".to_owned();
    time_style::unknown(&STYLES, name, styles.chain([format]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(text: &str) -> Result<TimeStyle, Refusal> {
        parse(OsStr::new(text), false)
    }

    #[test]
    fn styles_by_word_and_by_format() {
        let iso = style("iso").expect("known");
        assert_eq!((&iso.old[..], &iso.recent[..]), (&b"%Y-%m-%d "[..], &b"%m-%d %H:%M"[..]));
        assert_eq!(style("posix-iso"), Ok(TimeStyle::default()));
        let two = style("+%Y\n%m").expect("two formats");
        assert_eq!((&two.old[..], &two.recent[..]), (&b"%Y"[..], &b"%m"[..]));
        assert!(style("+a\nb\nc").is_err());
        assert_eq!(style("x").unwrap_err().code, 2);
    }
}
