//! A static site that is built beside an editor.

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
