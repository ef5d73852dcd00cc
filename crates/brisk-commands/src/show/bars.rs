//! Bars, and shares of a whole.

/// The nearest number of so many parts; no more than all.
#[must_use]
pub fn share(part: u64, whole: u64, parts: usize) -> usize {
    let whole = u128::from(whole.max(1));
    ((u128::from(part).min(whole) * parts as u128 + whole / 2) / whole) as usize
}

/// A bar of so many columns.
#[must_use]
pub fn bar(part: u64, whole: u64, columns: usize, is_utf8: bool) -> String {
    let bar: String = if is_utf8 {
        let eighths = share(part, whole, columns * 8);
        let last = "▏▎▍▌▋▊▉".chars().nth((eighths % 8).wrapping_sub(1));
        "█".repeat(eighths / 8).chars().chain(last).collect()
    } else {
        "#".repeat(share(part, whole, columns))
    };
    format!("{bar:columns$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_percentages() {
        assert_eq!(bar(1, 2, 10, true), "█████     ");
        assert_eq!(bar(1, 2, 10, false), "#####     ");
        assert_eq!(bar(1, 2, 3, true), "█▌ ");
        assert_eq!(bar(1, 2, 0, true), "");
        let percent = [(0, 1), (1, 200), (1, 201), (2, 3), (u64::MAX, u64::MAX), (3, 2), (1, 0)];
        let percent = percent.map(|(part, whole)| share(part, whole, 100));
        assert_eq!(percent, [0, 1, 0, 67, 100, 100, 100]);
    }
}
