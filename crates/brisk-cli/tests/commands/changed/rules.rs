//! What leaves entries out or lets them back in: rule files in the tree, above it and elsewhere,
//! repositories, markers, and what filters ask of an entry. `changed` tells what a full listing
//! shows, and an index has what a walk finds.

use std::collections::BTreeSet;

use testkit::pass_ticks;

use super::scene::Scene;

/// (words, what is there before, what happens then). `git` names a repository around the tree.
const ROWS: &[(&str, &str, &str)] = &[
    ("", "", "echo c >src/d/.ignore"),
    ("", "echo c >src/d/.ignore", "rm src/d/.ignore"),
    ("", "echo c >src/d/.ignore", "echo x >src/d/.ignore"),
    ("", "echo '*' >src/d/.ignore", "echo x >src/d/.ignore"),
    ("", "echo x >src/.ignore", "echo c >src/.ignore"),
    ("", "echo d >src/.ignore", "echo a >src/.ignore"),
    ("", "", "echo c >.ignore"),
    ("", "echo c >.ignore", "rm .ignore"),
    ("", "echo a >.ignore", "rm .ignore"),
    ("", "echo a >.ignore", "echo d >.ignore"),
    ("", "echo /src/d >.fdignore", "echo /src/b >.fdignore"),
    ("", "git init -q .; echo c >.gitignore", "rm .gitignore"),
    ("", "git init -q .; echo a >.gitignore", "rm -r .git"),
    ("", "echo a >.gitignore", "git init -q ."),
    ("", "git init -q .; echo a >.gitignore", "git init -q src"),
    ("", "git init -q .; echo a >.gitignore; git init -q src", "rm -r src/.git"),
    ("", "git init -q src; echo c >src/.git/info/exclude", "echo a >src/.git/info/exclude"),
    ("", "git init -q .; echo c >.git/info/exclude", "rm .git/info/exclude"),
    ("", "git init -q src; mkdir -p .config/git; echo c >.config/git/ignore", "rm -r .config"),
    ("", "git init -q src; echo c >r", "printf '[core]\\nexcludesFile=~/r\\n' >.gitconfig"),
    ("--no-ignore-parent", "echo a >.ignore", "rm .ignore"),
    ("--ignore-contain T", "", "touch src/d/T"),
    ("--ignore-contain T", "touch src/d/T", "rm src/d/T"),
    ("--ignore-contain T", "mkdir src/d/e; touch src/d/e/x src/d/e/T", "rm src/d/e/T"),
    ("--ignore-contain T", "touch src/T", "rm src/T"),
    ("--ignore-contain T", "", "touch src/T"),
    ("--ignore-contain T", "touch src/d/T", "touch src/d/n"),
    ("-u --ignore-contain T", "touch src/d/T", "rm src/d/T; touch src/d/n"),
    ("-e rs", "", "mv src/a src/a.rs"),
    ("-e rs", "touch src/d/x.rs", "mv src/d/x.rs src/d/x"),
    ("-t x", "", "chmod +x src/d/c"),
    ("-t x", "chmod +x src/d/c", "chmod -x src/d/c"),
    ("-S +1k", "", "truncate -s 4k src/d/c"),
    ("-S +1k", "truncate -s 4k src/d/c", "truncate -s 0 src/d/c"),
    ("-E d", "", "mv src/d src/e"),
    ("-E e", "", "mv src/d src/e"),
    ("-t f", "", "rm src/a; ln -s b src/a"),
    ("--where=-empty", "", "truncate -s 0 src/d/c"),
    ("--where=-empty", "truncate -s 0 src/d/c", "echo x >src/d/c"),
];

#[test]
fn what_rules_and_filters_let_in_or_out_is_noticed() {
    for (words, before, after) in ROWS {
        let scene = Scene::new();
        let row = format!("{words} | {before} | {after}");
        let list = || -> BTreeSet<String> {
            let found = scene.script(&format!("\"$B\" find {words} . src"));
            found.lines().map(|line| line.trim_end_matches('/').to_owned()).collect()
        };
        let indexed = || {
            let search = format!("\"$B\" find --order=sorted {words}");
            scene.script(&format!(
                "cd src; {search} >../walked; {search} --index=../index >../indexed; cd ..
                 sort walked >w; sort indexed >i; diff w i || echo differs"
            ))
        };
        scene.script(before);
        pass_ticks();
        let old = list();
        scene.changed(&format!("src {words} --state s --save s"));
        assert_eq!(indexed(), "", "{row}");
        pass_ticks();
        scene.script(after);
        let new = list();
        let added = new.difference(&old).map(|path| format!("A\t{path}"));
        let gone = old.difference(&new).map(|path| format!("D\t{path}"));
        let expected: BTreeSet<String> = added.chain(gone).collect();
        for run in ["", "--save s"] {
            let told = scene.lines(&format!("src {words} --state s {run}"));
            // A search does not list its root.
            let is_below = |line: &String| !line.starts_with("M\t") && !line.ends_with("\tsrc");
            let told = told.into_iter().filter(is_below).collect();
            assert_eq!(expected, told, "{row}");
        }
        let again = scene.lines(&format!("src {words} --state s"));
        assert!(again.iter().all(|line| line.starts_with("M\t")), "{row}: {again:?}");
        assert_eq!(indexed(), "", "{row}");
    }
}
