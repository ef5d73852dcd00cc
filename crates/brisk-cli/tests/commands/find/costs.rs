//! `--explain` and `--stats`: what is asked of the file system.

use std::os::unix::fs::symlink;

use super::scene::{Scene, stderr, stdout};

#[test]
fn explanations_and_statistics_go_to_standard_error() {
    let scene = Scene::new(&["a"]);
    let output = scene.run(&["find", "--explain", "--stats=json", "-S", "+0b"]);
    assert_eq!(stdout(&output), ["a"]);
    let text = stderr(&output);
    assert!(text.contains("--size needs size of regular files"), "{text}");
    assert!(text.lines().last().unwrap().starts_with("{\"entries\":"), "{text}");
    assert!(text.contains("\"stat\":1"), "one for the file: {text}");
}

/// The entries that `--explain` names are those that are asked about.
#[test]
fn colours_cost_what_is_explained() {
    let scene = Scene::new(&["a", "b.md", "d/c"]);
    symlink("a", scene.tree().join("l")).unwrap();
    let free = "ex=0:su=0:sg=0:or=0:st=0:ow=0:tw=0:di=34:*.md=33";
    for (keys, option, explained, stats) in [
        ("", "-j1", "", 0),
        ("ex=32", "-j1", "LS_COLORS (ex) needs mode of regular files", 3),
        ("ow=32", "-j1", "LS_COLORS (ow) needs mode of directories", 1),
        ("or=32", "-j1", "LS_COLORS (or) needs target of symbolic links", 1),
        ("ex=32", "-q", "", 0),
        ("", "-L", "--follow needs", 1),
        ("", "--unique", "--unique needs", 6),
        ("", "--one-file-system", "--one-file-system needs", 3),
    ] {
        let mut command =
            scene.command(&["find", "-c", "always", "--explain", "--stats=json", option]);
        let output = command.env("LS_COLORS", format!("{free}:{keys}")).output().unwrap();
        let text = stderr(&output);
        assert!(text.contains(&format!("\"stat\":{stats},")), "{keys} {option}: {text}");
        let nothing = text.contains("Nothing else is requested for any entry.");
        assert_eq!(nothing, explained.is_empty(), "{keys} {option}: {text}");
        assert!(text.contains(explained), "{keys} {option}: {text}");
    }
}
