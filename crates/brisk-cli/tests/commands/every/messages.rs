//! Messages give the system's reason in words, without the number that Rust appends.

use std::fs;
use std::process::Command;

use testkit::{Installation, brisk};

/// Lines of a shell that make a command fail by what the system answers. `$B` is brisk, `$LONG` a
/// name that is too long.
const FAILING: &[&str] = &[
    "$B find . $LONG",
    "$B find loop",
    "$B find . -L",
    "$B find . --base-directory file",
    "$B find . --base-directory none",
    "$B find . --ignore-file none",
    "$B find . -x ./file",
    "$B find . -X ./file",
    "$B find . -x ./none",
    "$B find . --newer none",
    "$B find . >/dev/full",
    "XDG_CONFIG_HOME=$PWD/config $B find .",
    "$B ls none",
    "$B ls loop/x",
    "$B ls $LONG",
    "$B ls file/x",
    "$B ls -l --json none",
    "$B ls >/dev/full",
    "$B rm none",
    "$B rm loop/x",
    "$B rm $LONG",
    "$B rm dir",
    "$B rm -d dir",
    "$B rm -r file/x",
    "$B rm -rv --dry-run . >/dev/full",
    "XDG_STATE_HOME=$PWD/file HOME=$PWD/file $B rm -r --background dir",
    "XDG_STATE_HOME=$PWD/file HOME=$PWD/file $B rm --finish",
    "$B bench attrs none",
    "$B bench attrs file",
    "$B bench walk none",
    "$B bench ls none",
    "$B bench rm none",
    "$B bench rm dir --scratch none",
    "$B bench rm dir --scratch file",
    "$B generate man file/x",
    "$B generate completions file/x",
    "fd -- . none",
    "fd --base-directory file",
    "fd -x ./file",
    "ls none",
    "rm none",
];

#[test]
fn no_message_holds_a_number_of_the_system() {
    let place = Installation::new();
    for dir in ["dir/sub", "config/brisk/config.toml"] {
        fs::create_dir_all(place.path(dir)).unwrap();
    }
    fs::write(place.path("file"), "text\n").unwrap();
    std::os::unix::fs::symlink("loop", place.path("loop")).unwrap();
    for name in ["fd", "ls"] {
        std::os::unix::fs::symlink("brisk", place.path("bin").join(name)).unwrap();
    }
    let mut reasons = 0;
    for line in FAILING {
        let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", line])
            .envs([("B", brisk()), ("PATH", &path), ("LONG", &"x".repeat(300))])
            .current_dir(place.path(""))
            .output()
            .unwrap();
        let told = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        let told = told.concat();
        assert!(!told.contains("os error"), "{line}: {told}");
        reasons += usize::from(REASONS.iter().any(|reason| told.contains(reason)));
    }
    // The others are refused before the system is asked, or are no failures for every user.
    assert!(reasons > FAILING.len() / 2, "{reasons} of {}", FAILING.len());
}

/// What the system says.
const REASONS: [&str; 7] = [
    "Permission denied",
    "No such file or directory",
    "Not a directory",
    "Is a directory",
    "File name too long",
    "Too many levels of symbolic links",
    "No space left on device",
];
