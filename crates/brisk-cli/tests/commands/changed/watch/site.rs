//! Examples: a static site, tests and a copy beside an editor.

use std::process::Command;

use testkit::left_out;

use super::super::scene::Scene;
use super::Watch;

/// Builds the pages of the posts that are named, and removes those of posts that are gone.
const BUILD: &str = r#"
for post; do
    page=site/$(basename "$post" .md).html
    echo "<p>$(cat "$post")</p>" >"$page"
    echo "ran $page"
done
sed -n 's/.*"path":"posts.\(.*\).md","status":"D".*/\1/p' "$BRISK_CHANGED" | while read -r post; do
    rm "site/$post.html"
    echo "ran -$post"
done
"#;

#[test]
fn one_edited_post_builds_one_page() {
    let scene = Scene::new();
    scene.script("mkdir posts site; for n in $(seq 200); do echo $n >posts/$n.md; done");
    let line = "posts -t f -e md --no-renames --state s";
    let watch = Watch::begin(&scene, line, Some(BUILD));
    for _ in 0..200 {
        watch.ran();
    }
    scene.write("posts/7.md", "seven");
    assert_eq!(watch.ran(), "site/7.html");
    assert_eq!(scene.read("site/7.html"), "<p>seven</p>\n");
    // As editors save.
    scene.script("echo eight >posts/.8.md.swp; mv posts/.8.md.swp posts/8.md; rm posts/9.md");
    let mut ran = [watch.ran(), watch.ran()];
    ran.sort();
    assert_eq!(ran, ["-9", "site/8.html"]);
    assert!(!scene.exists("site/9.html"));
    assert_eq!(scene.script("ls site | wc -l"), "199\n");
}

#[test]
fn the_tests_that_changed_are_run_until_they_pass() {
    let scene = Scene::new();
    scene.script("mkdir tests; for n in 1 2 3; do echo 'echo ran' $n >tests/$n.test; done");
    let runner = "for test; do sh \"$test\" || exit; done";
    let line = "tests -t f -e test --state s";
    scene.lines("tests -t f -e test --state s --save s");
    let watch = Watch::begin(&scene, line, Some(runner));
    scene.write("tests/2.test", "echo ran two; false");
    assert_eq!(watch.ran(), "two");
    // What has failed runs again with what changes then.
    scene.write("tests/3.test", "echo ran three");
    assert_eq!(watch.ran(), "two");
    scene.write("tests/2.test", "echo ran two");
    assert_eq!([watch.ran(), watch.ran()], ["two", "three"]);
    scene.write("tests/1.test", "echo ran one");
    assert_eq!(watch.ran(), "one");
}

#[test]
fn rsync_copies_each_batch() {
    if Command::new("rsync").arg("--version").output().is_err() {
        return left_out("rsync_copies_each_batch", "there is no rsync");
    }
    let scene = Scene::new();
    scene.script("mkdir copy");
    let copy = "rsync -a --from0 --files-from=- . ../copy/ && echo ran";
    let mut command = scene.signalled();
    let words = [". -t f --watch --stdin0 --state ../s -- sh -c"];
    command.args(words[0].split(' ')).arg(copy).current_dir(scene.path("src"));
    let watch = Watch::of(&mut command);
    watch.ran();
    assert_eq!(scene.script("diff -r src copy"), "");
    scene.script("mkdir src/new; echo 1 >src/new/file; echo 2 >>src/a");
    while scene.sh("diff -r src copy").status.code() != Some(0) {
        watch.ran();
    }
}
