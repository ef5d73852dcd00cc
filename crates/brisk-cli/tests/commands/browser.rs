//! Pages in Debian's chromium, headless. Its tests are named `in_a_browser`, and `scripts/test all`
//! runs them.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::{left_out, stderr, stdout};

/// Shows a page with a script behind its own. Returns the page afterwards, and the log.
pub fn dump(page: &Path, script: &str) -> Option<(String, String)> {
    let source = fs::read_to_string(page).unwrap();
    let changed = source.replace("</body>", &format!("<script>{{{script}}}</script></body>"));
    fs::write(page, changed).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"])
        .args(["--window-size=390,844", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output();
    let Ok(output) = output else {
        left_out("the page in a browser", "there is no chromium");
        return None;
    };
    Some((stdout(&output), stderr(&output)))
}
