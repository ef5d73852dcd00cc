//! What is printed: the letters, the forms, the paths.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use serde_json::Value;
use testkit::{brisk, left_out, obedient, stderr, stdout};

use super::scene::{Scene, code};

#[test]
fn the_first_run_lists_everything_and_says_why() {
    let scene = Scene::new();
    let told = scene.lines("src --state s --dry-run --json");
    let paths = ["src", "src/a", "src/b", "src/d", "src/d/c"];
    let lines = paths.map(|path| format!("{{\"path\":\"{path}\",\"status\":\"A\""));
    assert_eq!(told.len(), 7);
    assert!(
        told[1..].iter().zip(&lines).all(|(line, wanted)| line.starts_with(wanted)),
        "{told:?}"
    );
    let head: Value = serde_json::from_str(&told[0]).unwrap();
    assert_eq!(head["brisk"], 1);
    assert_eq!(head["full"], true);
    assert_eq!(head["reason"], "there is no state yet");
    assert_eq!(head["roots"], serde_json::json!(["src"]));
    assert!(head["clock"].as_str().unwrap().ends_with('Z'), "{head}");
}

#[test]
fn each_letter_is_git_s() {
    let scene = Scene::accepted();
    assert!(scene.told().is_empty());
    scene.write("src/new", "");
    scene.write("src/a", "other");
    scene.rename("src/d/c", "src/d/moved");
    fs::remove_file(scene.path("src/b")).unwrap();
    fs::create_dir(scene.path("src/b")).unwrap();
    let told = scene.told();
    assert_eq!(told, ["M\tsrc/a", "T\tsrc/b", "R\tsrc/d/c\tsrc/d/moved", "A\tsrc/new"]);
    fs::remove_dir(scene.path("src/b")).unwrap();
    assert!(scene.told().contains(&"D\tsrc/b".to_owned()));
}

#[test]
fn what_cannot_be_read_is_unknown_and_not_removed() {
    let test = "what_cannot_be_read_is_unknown_and_not_removed";
    let scene = Scene::new();
    scene.script("mkdir src/d/e; echo >src/d/e/f");
    scene.lines("src --state s --save s");
    // Without permission to read the directory, and to search it.
    for (mode, unknown, errors) in [("000", "?\tsrc/d\n", 1), ("444", "?\tsrc/d/e\n", 2)] {
        scene.script(&format!("chmod {mode} src/d"));
        let Some(command) = obedient(brisk()) else {
            return left_out(test, "root cannot give up its rights");
        };
        let words = ["changed", "src", "--state", "s", "--save", "s"];
        let output = scene.prepared(command, &words).output().unwrap();
        assert_eq!(code(&output), Some(2), "{}", stderr(&output));
        assert_eq!(stderr(&output).matches("'src/d").count(), errors, "{}", stderr(&output));
        let told = stdout(&output);
        assert!(told.contains(unknown), "{told}");
        assert!(!told.contains("D\t"), "{told}");
        scene.script("chmod 755 src/d");
        assert_eq!(scene.told(), ["M\tsrc/d"], "the records were kept");
    }
}

#[test]
fn paths_are_quoted_as_git_quotes_them() {
    let scene = Scene::new();
    let names: [&[u8]; 8] = [
        b"tab\there",
        b"quote\"d",
        b"back\\slash",
        b"new\nline",
        "\u{fc}".as_bytes(),
        b"\xff\x01",
        b"it's fine $#~",
        b"\x7f",
    ];
    for name in names {
        fs::write(scene.path("src").join(OsStr::from_bytes(name)), "").unwrap();
    }
    let git = scene.script("cd src; git init -q; git add -A; git ls-files");
    let mut git: Vec<String> = git.lines().map(|line| format!("A\t{line}")).collect();
    let output = scene.sh("cd src; b --state ../s -t f");
    let mut told: Vec<String> = stdout(&output).lines().map(str::to_owned).collect();
    git.sort();
    told.sort();
    assert_eq!(told, git);
    assert_eq!(told.len(), names.len() + 3);
}

#[test]
fn with_null_bytes_paths_are_raw_and_a_rename_has_two() {
    let scene = Scene::new();
    fs::write(scene.path("src").join(OsStr::from_bytes(b"\xff\n")), "").unwrap();
    scene.lines("src --state s --save s -t f");
    scene.rename("src/a", "src/z z");
    fs::remove_file(scene.path("src").join(OsStr::from_bytes(b"\xff\n"))).unwrap();
    let output = scene.changed("src --state s -t f -0");
    assert_eq!(output.stdout, b"R\0src/a\0src/z z\0D\0src/\xff\n\0");
}

#[test]
fn without_renames_the_old_name_is_deleted_and_the_new_one_added() {
    let scene = Scene::accepted();
    scene.rename("src/a", "src/z");
    assert_eq!(scene.lines("src --state s --no-renames"), ["D\tsrc/a", "A\tsrc/z"]);
}

#[test]
fn a_renamed_directory_lists_each_entry_below_it() {
    let scene = Scene::accepted();
    scene.rename("src/d", "src/e");
    assert_eq!(scene.told(), ["R\tsrc/d\tsrc/e", "R\tsrc/d/c\tsrc/e/c"]);
}

#[test]
fn json_lines_have_a_head_an_object_a_change_and_an_end() {
    let scene = Scene::new();
    fs::write(scene.path("src").join(OsStr::from_bytes(b"\xff")), "").unwrap();
    scene.lines("src --state s --save s");
    scene.write("src/a", "longer than before");
    scene.rename("src/b", "src/z");
    fs::remove_file(scene.path("src").join(OsStr::from_bytes(b"\xff"))).unwrap();
    let lines = scene.lines("src --state s --json");
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["full"], false);
    assert_eq!(lines[0]["reason"], Value::Null);
    assert_eq!((&lines[1]["path"], &lines[1]["status"]), (&"src/a".into(), &"M".into()));
    let fields = lines[1]["fields"].as_array().unwrap();
    assert!(fields.contains(&"size".into()) && fields.contains(&"mtime".into()), "{fields:?}");
    assert!(!fields.contains(&"mode".into()), "{fields:?}");
    assert_eq!((&lines[2]["path"], &lines[2]["from"]), (&"src/z".into(), &"src/b".into()));
    assert_eq!(lines[2]["status"], "R");
    assert_eq!(lines[3]["path_b64"], "c3JjL/8=");
    assert_eq!(lines[4], serde_json::json!({"end": true, "count": 3}));
    assert_eq!(lines.len(), 5);
}

#[test]
fn a_template_is_filled_in_for_each_change() {
    let scene = Scene::accepted();
    scene.write("src/a", "123");
    scene.rename("src/b", "src/z");
    fs::remove_file(scene.path("src/d/c")).unwrap();
    let output = scene
        .command()
        .args(["src", "--state", "s", "--format", "{status}|{from}|{}|{/}|{size}"])
        .output();
    let told = stdout(&output.unwrap());
    assert_eq!(told, "M|-|src/a|a|3\nD|-|src/d/c|c|-\nR|src/b|src/z|z|4\n");
    let output = scene.changed("src --state s --format {sise}");
    assert_eq!(code(&output), Some(2));
    assert!(stderr(&output).contains("unknown field '{sise}'"));
}

#[test]
fn the_exit_code_says_whether_something_changed_if_the_user_asks() {
    let scene = Scene::accepted();
    assert_eq!(code(&scene.changed("src --state s --exit-code")), Some(0));
    scene.write("src/a", "!");
    assert_eq!(code(&scene.changed("src --state s --exit-code")), Some(1));
    assert_eq!(code(&scene.changed("src --state s")), Some(0));
}

#[test]
fn paths_are_spelled_as_the_directory_was() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    assert_eq!(scene.lines("./src --state s"), ["M\t./src/a"]);
    assert_eq!(scene.lines("src/ --state s"), ["M\tsrc/a"]);
    assert_eq!(scene.lines("src/../src --state s"), ["M\tsrc/../src/a"]);
    let whole = format!("{} --state s", scene.path("src").display());
    assert_eq!(scene.lines(&whole), [format!("M\t{}/a", scene.path("src").display())]);
    scene.write("src/-x", "");
    let output = scene.sh("cd src; b --state ../s");
    assert_eq!(stdout(&output), "A\t./-x\nM\ta\n");
    let output = scene.sh("cd src; b . --state ../s");
    assert_eq!(stdout(&output), "A\t./-x\nM\t./a\n");
}

#[test]
fn reports_go_to_standard_error() {
    let scene = Scene::accepted();
    let output = scene.changed("src --state s --stats=json --explain");
    assert_eq!(stdout(&output), "");
    let told = stderr(&output);
    assert!(told.contains("\"directories\":"), "{told}");
}

#[test]
fn what_is_not_printed_is_not_accepted() {
    let scene = Scene::accepted();
    scene.write("src/a", "!");
    let output = scene.sh("b src --state s --save s >/dev/full");
    assert_eq!(code(&output), Some(2), "{}", stderr(&output));
    let closed = scene.sh("b src --state s --save s >&-");
    assert_eq!(code(&closed), Some(2), "{}", stderr(&closed));
    assert_eq!(scene.told(), ["M\tsrc/a"]);
}

#[test]
fn a_command_line_that_makes_no_sense_is_trouble() {
    let scene = Scene::new();
    for (line, exit) in
        [("none", 2), ("none -- true", 125), ("--exitcode", 2), ("--state x/y src", 2)]
    {
        let output = scene.changed(line);
        assert_eq!(code(&output), Some(exit), "{line}");
        assert!(stderr(&output).starts_with("brisk: "), "{line}: {}", stderr(&output));
    }
    let told = stderr(&scene.changed("src --state s --exitcode"));
    assert!(told.contains("Did you mean --exit-code?"), "{told}");
}
