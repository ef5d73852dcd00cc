//! Whether a test may run here: how it says that it could not, and where that is a failure.

/// What a test may leave out in CI: the list of the README.
const EXCEPTIONS: &str = include_str!("../README.md");

/// Whether the tests run as root.
#[cfg(target_os = "linux")]
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Prints that a test could not run here, and why: `scripts/test` repeats these lines at its end.
///
/// # Panics
///
/// With `BRISK_REQUIRE` in the environment, unless the README names the line as an exception.
pub fn left_out(test: &str, why: &str) {
    let line = format!("{test} left out: {why}");
    println!("{line}");
    let is_required = std::env::var_os("BRISK_REQUIRE").is_some();
    assert!(!is_required || is_exception(&line), "BRISK_REQUIRE is set: {line}");
}

fn is_exception(line: &str) -> bool {
    let mut exceptions = EXCEPTIONS.lines().filter_map(|line| line.strip_prefix("- `"));
    exceptions.any(|exception| line.contains(exception.trim_end_matches('`')))
}

#[cfg(test)]
mod tests {
    use super::is_exception;

    #[test]
    fn the_readme_names_the_exceptions() {
        assert!(is_exception("some test left out: access times are not kept here"));
        assert!(!is_exception("some test left out: there is no /dev/fuse"));
        assert!(!is_exception(""));
    }
}
