//! What is printed: orders, counts, limits, forms.

use std::fs;

use super::scene::{Scene, TREE, stderr};

#[test]
fn results_are_sorted_by_what_the_user_names() {
    let scene = Scene::new(&["b.rs", "d/a.txt", "d/c", "z.md"]);
    for (name, size, seconds) in [("b.rs", 7, 30), ("d/a.txt", 900, 20), ("d/c", 30, 10)] {
        let file = fs::File::create(scene.tree().join(name)).unwrap();
        file.set_len(size).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        file.set_modified(time).unwrap();
    }
    for (words, expected) in [
        ("path", ["b.rs", "d/a.txt", "d/c", "z.md"]),
        ("path,reverse", ["z.md", "d/c", "d/a.txt", "b.rs"]),
        ("name", ["d/a.txt", "b.rs", "d/c", "z.md"]),
        ("extension", ["d/c", "z.md", "b.rs", "d/a.txt"]),
        ("size", ["d/a.txt", "d/c", "b.rs", "z.md"]),
        ("size,reverse", ["z.md", "b.rs", "d/c", "d/a.txt"]),
        ("time", ["z.md", "b.rs", "d/a.txt", "d/c"]),
    ] {
        assert_eq!(scene.lines(&["find", "-tf", "--sort", words]), expected, "{words}");
        let long = scene.lines(&["find", "-tf", "-l", "--sort", words]);
        let names: Vec<_> = long.iter().filter_map(|line| line.split(" ./").nth(1)).collect();
        if words != "name" {
            assert_eq!(names, expected, "-l {words}");
        }
        let first = scene.lines(&["find", "-tf", "-1", "--sort", words]);
        assert_eq!(first, expected[..1], "the first of all, not of those found first");
    }
}

#[test]
fn results_are_counted() {
    let scene = Scene::new(&["a", "b.rs", "d/c.rs", ".h"]);
    for (words, expected) in [
        (&["--count"][..], "4"),
        (&["--count", "-u", "-j3"], "5"),
        (&["--count", "-e", "rs"], "2"),
        (&["--count", "nothing"], "0"),
        (&["--count", "--max-results", "3"], "3"),
        (&["--count", "-S", "+1k", "-tf"], "0"),
        (&["--count", "--order", "sorted"], "4"),
    ] {
        for time in ["--max-buffer-time=60000", "--max-buffer-time=0"] {
            let counted = scene.lines(&[&["find", time], words].concat());
            assert_eq!(counted, [expected], "{time} {words:?}");
        }
    }
}

#[test]
fn orders() {
    let scene = Scene::new(TREE);
    let sorted = ["a/", "a/a", "a/b/", "a/b/c", "a-b", "b/", "b/x", "c"];
    assert_eq!(scene.lines(&["find", "--max-buffer-time=60000"]), sorted);
    for threads in ["1", "4"] {
        let order = |order| scene.lines(&["find", "--order", order, "-j", threads]);
        assert_eq!(order("sorted"), sorted);
        let depths: Vec<usize> = order("breadth")
            .iter()
            .map(|path| path.trim_end_matches('/').split('/').count())
            .collect();
        assert!(depths.is_sorted() && depths.len() == sorted.len(), "{depths:?}");
        let depth = order("depth");
        let at = |path| depth.iter().position(|line| line == path).unwrap();
        assert_eq!(at("b/x"), at("b/") + 1);
        assert!(at("a/b/c") == at("a/b/") + 1 && at("a/b/c") > at("a/"));
        let mut none = order("none");
        none.sort();
        assert_eq!(none, {
            let mut all = sorted.to_vec();
            all.sort_unstable();
            all
        });
    }
}

#[test]
fn json_names_what_is_known() {
    let scene = Scene::new(&["a \"b\""]);
    let lines = scene.lines(&["find", "--json"]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with('{') && lines[0].contains(r#""path":"a \"b\"""#), "{}", lines[0]);
}

#[test]
fn formats_know_metadata() {
    let scene = Scene::new(&["d/a"]);
    fs::write(scene.tree().join("d/a"), "12345").unwrap();
    let format = "{size} {type} {depth} {}";
    assert_eq!(scene.lines(&["find", "--format", format, "a"]), ["5 file 2 d/a"]);
    let output = scene.run(&["find", "--format", "{nonsense}"]);
    assert!(stderr(&output).starts_with("brisk: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn unique_lists_a_file_once() {
    let scene = Scene::new(&["a"]);
    fs::hard_link(scene.tree().join("a"), scene.tree().join("b")).unwrap();
    assert_eq!(scene.lines(&["find"]).len(), 2);
    assert_eq!(scene.lines(&["find", "--unique"]).len(), 1);
}

#[test]
fn limits_on_results_are_exact_with_many_workers() {
    let names: Vec<String> = (0..500).map(|n| format!("{}/{n}", n % 20)).collect();
    let scene = Scene::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for order in ["none", "depth", "breadth", "sorted"] {
        let words = ["find", "-j4", "--max-results", "77", "--order", order];
        assert_eq!(scene.lines(&words).len(), 77, "{order}");
    }
}
