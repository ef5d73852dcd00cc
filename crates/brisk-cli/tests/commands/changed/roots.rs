//! The directories that a run is given: each is one of its own, and has a record of its own.

use std::collections::BTreeSet;

use testkit::Installation;

use super::scene::Scene;

/// Directories in another one, of which its own walk comes to the last alone.
const NESTED: &str = "src src/.config src/target src/d/in";

fn nested() -> Scene {
    let scene = Scene::new();
    scene.script(
        "mkdir src/.config src/target src/d/in; echo target >src/.ignore
        touch src/.config/x src/target/y src/d/in/z src/target.tmp-0",
    );
    scene
}

#[test]
fn a_root_in_another_root_is_told_like_any_and_each_entry_once() {
    let scene = nested();
    let found = scene.script(&format!("\"$B\" find '' {NESTED} "));
    let found: BTreeSet<_> = found.lines().map(|path| path.trim_end_matches('/')).collect();
    let roots: Vec<_> = NESTED.split(' ').collect();
    let mut orders = vec![roots.clone(); roots.len()];
    for (at, order) in orders.iter_mut().enumerate() {
        order.rotate_left(at);
        scene.script("rm -f none");
        let told =
            scene.lines(&format!("{} src/d/../d/in --state none --save none", order.join(" ")));
        let paths: BTreeSet<_> = told.iter().map(|line| line.trim_start_matches("A\t")).collect();
        assert_eq!(paths.len(), told.len(), "{order:?}: {told:?}");
        let expected: BTreeSet<_> = found.iter().chain(&roots).copied().collect();
        assert_eq!(paths, expected, "{order:?}");
    }
    scene.script("rm none");
    let file = scene.lines("src/d src/d/c --state none --save none");
    assert_eq!(file, ["A\tsrc/d", "A\tsrc/d/in", "A\tsrc/d/in/z", "A\tsrc/d/c"]);
}

#[test]
fn changes_in_a_root_in_another_root_are_told_once() {
    let scene = nested();
    scene.lines(&format!("{NESTED} --state s --save s"));
    for words in ["", "--no-shortcuts", "--content"] {
        assert!(scene.lines(&format!("{NESTED} --state s --save s {words}")).is_empty());
        scene.script("for d in .config target d/in; do echo >>src/$d/new; done; echo >>src/a");
        let expected = match words {
            "" => ["M\tsrc/a", "A\tsrc/.config/new", "A\tsrc/target/new", "A\tsrc/d/in/new"],
            _ => ["M\tsrc/a", "M\tsrc/.config/new", "M\tsrc/target/new", "M\tsrc/d/in/new"],
        };
        assert_eq!(scene.lines(&format!("{NESTED} --state s --save s {words}")), expected);
    }
    scene.lines(&format!("{NESTED} --state s --stamp t"));
    for name in ["a", "x", "y", "z"] {
        assert_eq!(scene.read("t").matches(&format!("/{name}\tf\t")).count(), 1, "{name}");
    }
    // What is not a root any more is an ordinary directory.
    let roots = NESTED.trim_end_matches(" src/d/in");
    let told = told_once(&scene, roots);
    let from = scene.path("src/d/in");
    let moved = |name| format!("R\t{}{name}\tsrc/d/in{name}", from.display());
    assert_eq!(told, ["", "/new", "/z"].map(moved));
}

/// Runs three times; only the first may tell something.
fn told_once(scene: &Scene, roots: &str) -> Vec<String> {
    let run = || scene.lines(&format!("{roots} --state s --save s"));
    let told = run();
    for _ in 0..2 {
        assert_eq!(run(), [] as [&str; 0], "{roots}: {told:?}");
    }
    told
}

#[test]
fn no_two_roots_have_one_record() {
    let scene = Scene::new();
    scene.script("mkdir a b; echo 1 >a/1; echo 2 >a/2; echo 3 >b/3");
    told_once(&scene, "a b");
    scene.script("mv a c; mkdir a");
    let moved = ["A\tc", "R\ta/1\tc/1", "R\ta/2\tc/2"];
    assert_eq!(told_once(&scene, "a b c"), moved);
    scene.script("mv c d; mv b c; mv d b");
    let swapped = ["A\tb/1", "A\tb/2", "D\tb/3", "D\tc/1", "D\tc/2", "A\tc/3"];
    let told = scene.lines("a b c --state s --save s --no-renames");
    assert_eq!(told, swapped);
    assert_eq!(told_once(&scene, "a b c"), [] as [&str; 0]);
    // The record of a directory that has moved is that of its new place: another one may come to
    // the old place.
    scene.script("mv b d");
    assert_eq!(told_once(&scene, "a c d"), [] as [&str; 0]);
    scene.script("mkdir b");
    assert_eq!(told_once(&scene, "a b c d"), ["A\tb"]);
}

#[test]
fn the_current_version_becomes_the_previous_one() {
    let scene = Scene::new();
    scene.script("mkdir -p v/current; echo 1 >v/current/1; echo 2 >v/current/2");
    let run = || scene.script("cd v; for i in 1 2 3; do b */ --state ../s --save ../s; done");
    assert_eq!(run(), "A\tcurrent/\nA\tcurrent/1\nA\tcurrent/2\n");
    scene.script("cd v; mv current previous; mkdir current; echo other >current/1");
    let moved = "M\tcurrent/1\nA\tprevious/\nA\tprevious/1\nR\tcurrent/2\tprevious/2\n";
    assert_eq!(run(), moved);
}

/// Runs a script on a tmpfs in a mount namespace: `b` is brisk with a state outside of the trees.
fn mounted(test: &str, script: &str) {
    let start =
        "b() { \"$B\" changed \"$@\" --state \"$P/s\" --save \"$P/s\" || echo \"code $?\"; }
        is() { test \"$1\" = \"$2\" || { echo \"expected: $2\"; echo \"told: $1\"; exit 1; }; }
        tab=$(printf '\\t'); line() { printf '%s\\n' \"$@\" | tr ' ' '\\t'; }";
    Installation::new().succeeds(test, &format!("{start}\n{script}"));
}

#[test]
fn a_bind_mount_of_a_root_is_another_root() {
    let test = "a_bind_mount_of_a_root_is_another_root";
    let script = "mkdir a b; echo 1 >a/1; b a; mount --bind a b
        is \"$(b a b)\" \"$(line 'A b' 'A b/1')\"
        echo 2 >a/2
        is \"$(b a b)\" \"$(line 'A a/2' 'A b/2')\"
        is \"$(b a b; b b a)\" ''
        # What a mount covers is not compared with what is there now, and no other root takes it.
        mount -t tmpfs none a
        is \"$(b a b 2>&1)\" \"brisk: 'a' is on another file system than before
code 2\"
        umount a
        is \"$(b a b)\" ''";
    mounted(test, script);
}

/// While an overlay is not mounted, a change in one of its layers leaves the times of a directory
/// that another layer has too.
#[test]
fn a_name_that_a_lower_layer_got_between_two_mounts_is_told() {
    let script = "mkdir -p l/d l/only u/d w m; echo 1 >l/d/1; echo 2 >u/d/2
        o=lowerdir=$PWD/l,upperdir=$PWD/u,workdir=$PWD/w
        up() { mount -t overlay -o $o none m 2>/dev/null || {
            echo 'left out: overlayfs cannot be mounted'; exit 0; }; }
        up; b m >/dev/null; umount m
        echo 3 >l/d/3; rm l/d/1; echo 4 >l/only/4; up
        is \"$(b m)\" \"$(line 'D m/d/1' 'A m/d/3' 'A m/only/4')\"
        is \"$(b m)\" ''";
    mounted("a_name_that_a_lower_layer_got_between_two_mounts_is_told", script);
}

#[test]
fn what_is_in_a_mount_that_is_gone_is_not_deleted_until_the_user_accepts_that() {
    let script = "mkdir -p disk src/m src/d; echo 0 >src/d/0; echo 3 >src/m/covered
        mount -t tmpfs -o mode=755 none disk
        mkdir disk/d disk/x; echo 1 >disk/1; echo 2 >disk/d/2; mount --bind disk src/m
        b src >/dev/null
        is \"$(b src)\" ''
        umount src/m
        gone=\"brisk: cannot open directory 'src/m': it is on another file system than before
?${tab}src/m
code 2\"
        for words in '' '' --no-shortcuts --content; do
            is \"$(b src $words 2>&1)\" \"$gone\"
        done
        echo other >src/d/0; rmdir disk/x; mount --bind disk src/m; echo 4 >src/m/d/4
        is \"$(b src)\" \"$(line 'M src/d/0' 'A src/m/d/4' 'D src/m/x')\"
        umount src/m
        is \"$(b src --other-file-system)\" \"$(line 'D src/m/1' 'A src/m/covered' 'D src/m/d' 'D src/m/d/2' 'D src/m/d/4')\"
        is \"$(b src)\" ''
        # Another file system in its place can be compared.
        mount -t tmpfs -o mode=755 none src/m; echo 5 >src/m/5
        is \"$(b src)\" \"$(line 'A src/m/5' 'D src/m/covered')\"
        umount src/m; mount -t tmpfs -o mode=755 none src/m
        is \"$(b src)\" \"$(line 'D src/m/5')\"
        is \"$(umount src/m; b src)\" \"$(line 'A src/m/covered')\"";
    let test = "what_is_in_a_mount_that_is_gone_is_not_deleted_until_the_user_accepts_that";
    mounted(test, script);
}
