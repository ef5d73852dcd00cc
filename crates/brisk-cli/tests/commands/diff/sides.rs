//! States and directories: lines, objects and counts of each kind of difference; exit codes and
//! messages.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output};

use testkit::{brisk, left_out, obedient, stderr, stdout};

use super::scene::Scene;

/// A tree `t`, and its state `s`.
fn grown() -> Scene {
    let scene = Scene::empty();
    fs::create_dir_all(scene.path("t/a/b")).unwrap();
    fs::create_dir_all(scene.path("t/q")).unwrap();
    for (file, text) in [("top", "1"), ("a/one", "22"), ("a/b/deep", "333"), ("q/r", "4444")] {
        write(&scene, file, text);
    }
    symlink("top", scene.path("t/link")).unwrap();
    accept(&scene);
    scene
}

fn write(scene: &Scene, below: &str, text: &str) {
    fs::write(scene.path("t").join(below), text).unwrap();
}

fn accept(scene: &Scene) {
    let output = scene.run("changed t --state s --save s -u");
    assert_eq!(stderr(&output), "");
}

/// What brisk prints for a user who has only these rights to the directory `t/a`. `None`, and the
/// test says so, if root cannot become such a user.
fn denied(scene: &Scene, test: &str, mode: u32, words: &[&str]) -> Option<Output> {
    let Some(mut command) = obedient(brisk()) else {
        left_out(test, "root cannot give up its capabilities");
        return None;
    };
    fs::set_permissions(scene.path("t/a"), fs::Permissions::from_mode(mode)).unwrap();
    let output = command.args(words).current_dir(scene.path("")).output();
    let output = output.unwrap();
    fs::set_permissions(scene.path("t/a"), fs::Permissions::from_mode(0o755)).unwrap();
    Some(output)
}

#[test]
fn each_kind_of_difference_between_a_state_and_a_directory() {
    let scene = grown();
    assert_eq!(scene.shown("s t -u"), "");
    scene.sh("cd t; mv a/one q/uno; mv a/b z; rm top; mkdir -p new/deeper; touch new/deeper/x; \
         ln -sfn other link; rm -r q/r; mkdir q/r; touch q/r/in; chmod 700 a");
    let expected =
        "m\ta\nM\tlink\nA\tnew/\nT\tq/r\nA\tq/r/in\nR\ta/one\tq/uno\nD\ttop\nR\ta/b/\tz/\n";
    assert_eq!(scene.shown("s t -u"), expected);
    scene.sh("cp -a s old");
    accept(&scene);
    assert_eq!(scene.shown("old s"), expected, "two states");
    let expected = "m\ta\nD\ta/b\nD\ta/b/deep\nD\ta/one\nM\tlink\nA\tnew\nA\tnew/deeper\n\
                    A\tnew/deeper/x\nT\tq/r\nA\tq/r/in\nA\tq/uno\nD\ttop\nA\tz\nA\tz/deep\n";
    assert_eq!(scene.shown("old s -r --no-renames"), expected);
    let output = scene.run("changed t --state old -u --no-renames");
    let told = stdout(&output).replace("\tt/", "\t");
    assert_eq!(told.replace("M\ta\n", "m\ta\n"), expected, "brisk changed");
    assert_eq!(scene.shown("old s --no-renames").lines().count(), 10);
}

#[test]
fn two_directories() {
    let scene = grown();
    scene.sh("cp -a t copy");
    assert_eq!(scene.shown("t copy"), "");
    scene.sh("cd copy; mv a z; echo 55555 >q/r; touch -d 2001-01-01 top; touch .hidden");
    assert_eq!(scene.shown("t copy"), "A\t.hidden\nM\tq/r\nm\ttop\nR\ta/\tz/\n");
    assert_eq!(scene.shown("t copy --content"), "A\t.hidden\nM\tq/r\nR\ta/\tz/\n");
    assert_eq!(scene.shown("copy t"), "D\t.hidden\nR\tz/\ta/\nM\tq/r\nm\ttop\n");
    assert_eq!(scene.shown("t copy -E top"), "A\t.hidden\nM\tq/r\nR\ta/\tz/\n");
    // Without inodes a directory is known by what is in it.
    scene.sh("echo more >copy/z/one");
    let expected = "A\t.hidden\nD\ta/\nM\tq/r\nm\ttop\nA\tz/\nR\ta/b/\tz/b/\n";
    assert_eq!(scene.shown("t copy"), expected);
    // A time that many files have says nothing.
    scene.sh("rm -r copy; cp -a t copy; cd copy; rm top; echo 2 >pot; echo 1 >../t/top; touch -d 1985-10-26 ../t/top pot");
    assert_eq!(scene.shown("t copy"), "A\tpot\nD\ttop\n");
    assert_eq!(scene.shown("t copy -0"), "A\0pot\0D\0top\0");
}

#[test]
fn objects() {
    let scene = grown();
    scene.sh("cd t; mv a z; echo more >>z/one; rm -r q; touch \"$(printf '\\377')\"");
    let expected = "{\"brisk\":1,\"old\":\"s\",\"new\":\"t\"}\n\
        {\"path\":\"q\",\"status\":\"D\",\"fields\":[],\"type\":\"directory\",\"whole\":true}\n\
        {\"path\":\"z\",\"status\":\"R\",\"from\":\"a\",\"fields\":[],\"type\":\"directory\",\"whole\":true}\n\
        {\"path\":\"z/one\",\"status\":\"M\",\"fields\":[\"mtime\",\"ctime\",\"size\"],\"type\":\"file\"}\n\
        {\"path_b64\":\"/w==\",\"status\":\"A\",\"fields\":[],\"type\":\"file\"}\n\
        {\"end\":true,\"count\":4}\n";
    assert_eq!(scene.shown("s t -u --json"), expected);
}

#[test]
fn counts() {
    let scene = grown();
    scene.sh("cd t; mv a/one z; printf 666666 >q/r; mkdir -p new/er; head -c 5000 s /dev/zero >new/er/x || :");
    scene.sh("rm t/new/er/x; head -c 5000 /dev/zero >t/new/er/x; rm t/top");
    let expected = "\
        added  bytes  deleted  bytes  modified  metadata only  renamed  directory\n    \
            3   4.9K        1      1         1              0        1  .\n    \
            3   4.9K        0      0         0              0        0  new\n    \
            0      2        0      0         1              0        0  q\n";
    assert_eq!(scene.shown("s t -u --summary"), expected);
    let found = scene.shown("s t -u --summary --json --max-depth 0");
    let expected = "{\"brisk\":1,\"old\":\"s\",\"new\":\"t\"}\n\
        {\"path\":\".\",\"added\":3,\"deleted\":1,\"modified\":1,\"metadata_only\":0,\"renamed\":1,\
        \"bytes_added\":5002,\"bytes_deleted\":1}\n{\"end\":true,\"count\":1}\n";
    assert_eq!(found, expected);
    assert_eq!(scene.shown("s s --summary"), "");
}

#[test]
fn a_sum_of_bytes_that_does_not_fit_is_the_largest_number() {
    let test = "a_sum_of_bytes_that_does_not_fit_is_the_largest_number";
    let Some(place) = testkit::huge_files(test) else { return };
    let scene = Scene::empty();
    scene.sh(&format!("mkdir empty; ln -s {} h", place.path().join("h").display()));
    let counted = |words: &str| scene.shown(&format!("{words} --summary --json --max-depth 0"));
    assert!(counted("empty h/").contains(&format!("\"bytes_added\":{}", u64::MAX)));
    assert!(counted("h/ empty").contains(&format!("\"bytes_deleted\":{}", u64::MAX)));
}

#[test]
fn hostile_names() {
    let scene = grown();
    scene.sh(
        "cd t; mv a \"$(printf 'n\\nl')\"; touch -- -x \"$(printf 'q/\\033[31m')\" 'q/a b' 'q/\"'",
    );
    let expected = "A\t-x\nR\ta/\t\"n\\nl/\"\nA\t\"q/\\033[31m\"\nA\t\"q/\\\"\"\nA\tq/a b\n";
    assert_eq!(scene.shown("s t -u"), expected);
    let expected = "A\0-x\0R\0a/\0n\nl/\0A\0q/\x1b[31m\0A\0q/\"\0A\0q/a b\0";
    assert_eq!(scene.shown("s t -u -0"), expected);
}

#[test]
fn exit_codes() {
    let scene = grown();
    assert_eq!(scene.run("diff s t -u --exit-code").status.code(), Some(0));
    write(&scene, "top", "other");
    assert_eq!(scene.run("diff s t -u").status.code(), Some(0));
    assert_eq!(scene.run("diff s t -u --exit-code").status.code(), Some(1));
    assert_eq!(scene.run("diff s t -u --exit-code --summary").status.code(), Some(1));
    for words in ["s", "s t t", "s t --frob", "s nowhere", "nowhere t", "s t/top", "s t -0 --json"]
    {
        let output = scene.run(&format!("diff {words}"));
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{words}");
        assert!(stderr(&output).starts_with("brisk: "), "{words}: {}", stderr(&output));
    }
    let mut command = Command::new(brisk());
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    command.args(["diff", "s", "t"]).current_dir(scene.path("")).stdout(full);
    assert_eq!(command.status().unwrap().code(), Some(2), "a full disk");
}

#[test]
fn torn_and_foreign_states_are_refused_with_one_line() {
    let scene = grown();
    scene.sh("rm -r t/a t/q");
    let whole = fs::read(scene.path("s")).unwrap();
    let mut newer = whole.clone();
    newer[8] = 99;
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    let cases: [(&[u8], &str); 5] = [
        (&whole[..whole.len() / 2], "the state is damaged"),
        (&flipped, "the state is damaged"),
        (b"", "the state is damaged"),
        (b"#!/bin/sh\n", "the file is not a state of brisk"),
        (&newer, "the state has version 99, which this brisk cannot read"),
    ];
    for (bytes, why) in cases {
        fs::write(scene.path("x"), bytes).unwrap();
        for words in ["x t", "t x"] {
            let output = scene.run(&format!("diff {words}"));
            let told = (output.status.code(), stdout(&output), stderr(&output));
            assert_eq!(told, (Some(2), String::new(), format!("brisk: 'x': {why}\n")), "{words}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_not_gone() {
    let scene = grown();
    let words = ["diff", "s", "t", "-u"];
    let test = "what_cannot_be_read_is_not_gone";
    let Some(output) = denied(&scene, test, 0o000, &words) else { return };
    assert_eq!((stdout(&output), output.status.code()), ("m\ta\n?\ta\n".into(), Some(2)));
    assert!(stderr(&output).contains("t/a"), "{}", stderr(&output));
}

#[test]
fn what_neither_side_can_read_is_unknown() {
    let scene = grown();
    scene.sh("cp -a t u; rm -r u/a/*");
    // Without the right to search `a`, its names are known, but nothing else of its entries is.
    for (mode, side, expected) in [
        (0o000, "t", "?\ta\n"),
        (0o600, "t", "?\ta/b\n?\ta/one\n"),
        (0o600, "u", "m\ta\n?\ta/b\n?\ta/one\n"),
    ] {
        let test = "what_neither_side_can_read_is_unknown";
        let Some(output) = denied(&scene, test, mode, &["diff", side, "t"]) else { return };
        assert_eq!((stdout(&output), output.status.code()), (expected.into(), Some(2)), "{side}");
    }
}

#[test]
fn a_state_in_the_directory_is_left_out() {
    let scene = grown();
    scene.sh("cp s t/state");
    assert_eq!(scene.shown("t/state t -u"), "");
    assert_eq!(scene.shown("s t -u"), "A\tstate\n");
}

#[test]
fn a_directory_is_read_with_the_filters_of_its_state() {
    let scene = grown();
    scene.sh("touch t/.hidden t/x.rs t/x.c");
    let recorded = |more: &str| {
        scene.run(&format!("changed t --state f --save f {more}"));
        scene.sh("rm -f t/*.new; touch t/x.new; echo 1 >>t/x.rs; touch t/.new");
    };
    recorded("");
    assert_eq!(scene.shown("f t"), "A\tx.new\nM\tx.rs\n");
    let refused = |words: &str, why: &str| {
        let output = scene.run(words);
        let told = (output.status.code(), stdout(&output), stderr(&output));
        assert_eq!(told, (Some(2), String::new(), format!("brisk: {why}\n")), "{words}");
    };
    refused("diff f t -u", "'f' was made with no filters, not with these filters: leave them out");
    scene.sh("rm f");
    recorded("-u -e rs");
    assert_eq!(scene.shown("t f"), "M\tx.rs\n");
    assert_eq!(scene.shown("f t -e rs -HI"), "M\tx.rs\n");
    let made = "'f' was made with --unrestricted '--extension=rs'";
    refused("diff t f -u", &format!("{made}, not with these filters: leave them out"));
    let neither = "'--extension=rs': filters apply to directories, and neither side is one";
    refused("diff f s -e rs", neither);
    assert_eq!(scene.run("diff f s -u").status.code(), Some(0));
}

#[test]
fn states_of_several_directories_are_compared_root_by_root() {
    let scene = grown();
    scene.sh("mkdir u; touch u/x");
    scene.run("changed t u --state many --save many -u");
    write(&scene, "top", "other");
    scene.sh("rm u/x");
    scene.run("changed t u --state many --save more -u");
    let place = fs::canonicalize(scene.path("")).unwrap();
    let place = place.display();
    let expected = format!("M\t{place}/t/top\nD\t{place}/u/x\n");
    assert_eq!(scene.shown("many more"), expected);
    let expected = format!("M\t{place}/t/top\nD\t{place}/u/\n");
    assert_eq!(scene.shown("many t -u"), expected);
}
