//! Tree cases as data × every mode, order and backend.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::thread::Builder;

use brisk::{Backend, Fields, Follow, Mounts, Order, Walk};

use crate::record::{DEPTH, MODES, Mode, ORDERS, Outcome, Rules, SORTED, in_time, post, run};
use crate::tree::{can_grow, grow};

/// One tree, one walk, and the expected result.
struct Case {
    name: &'static str,
    /// See `tree.rs`; relative to the current directory.
    tree: &'static str,
    roots: &'static [&'static str],
    walk: fn(Walk) -> Walk,
    post_order: bool,
    rules: Rules,
    /// The entries that are handed on, in sorted pre-order: see
    /// [`Found::sign`](crate::record::Found::sign).
    expect: &'static str,
    /// Operation and path of each error. Where several paths lead to the same place, any one of
    /// them.
    errors: &'static [&'static str],
    /// The order decides which of several equal paths is met first: only the number of entries is
    /// checked.
    any_of: Option<usize>,
}

const PLAIN: Case = Case {
    name: "",
    tree: "",
    roots: &["r"],
    walk: |walk| walk,
    post_order: false,
    rules: Rules {
        dropped: &[],
        only_entered: &[],
        pruned: &[],
        refused: &[],
        stop_after: None,
        fields: Fields::empty(),
        lingers: true,
    },
    expect: "",
    errors: &[],
    any_of: None,
};

/// Two levels with a bit of everything.
const SMALL: &str = "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l->a";
const DEEP: &str = "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h";

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    vec![
        // Shapes and types.
        Case { name: "an empty directory", tree: "r/", expect: "r/", ..PLAIN },
        Case { name: "one file", tree: "r/ r/f", expect: "r/ r/f", ..PLAIN },
        Case { name: "a bit of everything", tree: SMALL,
            expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "types", tree: "r/ r/d/ r/f r/l->f r/p|",
            expect: "r/ r/d/ r/f r/l@ r/p|", ..PLAIN },
        Case { name: "sorting goes component by component",
            tree: "r/ r/a/ r/a/x r/a-b r/a.b r/a0 r/ab/ r/ab/y r/A r/a-b2/ r/a-b2/z",
            expect: "r/ r/A r/a/ r/a/x r/a-b r/a-b2/ r/a-b2/z r/a.b r/a0 r/ab/ r/ab/y", ..PLAIN },
        Case { name: "names that begin with the same eight bytes",
            tree: "r/ r/12345678 r/123456789 r/12345678-/ r/12345678-/x r/1234567 r/12345678a r/123456780",
            expect: "r/ r/1234567 r/12345678 r/12345678-/ r/12345678-/x r/123456780 r/123456789 r/12345678a", ..PLAIN },
        Case { name: "a chain of directories", tree: DEEP,
            expect: "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h", ..PLAIN },
        Case { name: "many empty directories", tree: "r/ r/1/ r/2/ r/3/ r/4/ r/5/ r/6/ r/7/ r/8/ r/9/",
            expect: "r/ r/1/ r/2/ r/3/ r/4/ r/5/ r/6/ r/7/ r/8/ r/9/", ..PLAIN },

        // Depth.
        Case { name: "max_depth 0", tree: DEEP, walk: |w| w.max_depth(0), expect: "r/", ..PLAIN },
        Case { name: "max_depth 1", tree: DEEP, walk: |w| w.max_depth(1), expect: "r/ r/a/ r/h", ..PLAIN },
        Case { name: "max_depth 2", tree: DEEP, walk: |w| w.max_depth(2),
            expect: "r/ r/a/ r/a/b/ r/a/g r/h", ..PLAIN },
        Case { name: "min_depth 1", tree: DEEP, walk: |w| w.min_depth(1),
            expect: "r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h", ..PLAIN },
        Case { name: "min_depth 3", tree: DEEP, walk: |w| w.min_depth(3),
            expect: "r/a/b/c/ r/a/b/c/f", ..PLAIN },
        Case { name: "min_depth beyond the tree", tree: DEEP, walk: |w| w.min_depth(9), expect: "", ..PLAIN },
        Case { name: "min_depth equal to max_depth", tree: DEEP, walk: |w| w.min_depth(2).max_depth(2),
            expect: "r/a/b/ r/a/g", ..PLAIN },
        Case { name: "min_depth above max_depth", tree: DEEP, walk: |w| w.min_depth(3).max_depth(2),
            expect: "", ..PLAIN },
        Case { name: "min_depth with post-order", tree: DEEP, walk: |w| w.min_depth(2), post_order: true,
            expect: "r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g", ..PLAIN },

        // The visitor's answers.
        Case { name: "prune", tree: SMALL, rules: Rules { pruned: &["a"], ..PLAIN.rules },
            expect: "r/ r/a/ r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "prune the last one", tree: SMALL, rules: Rules { pruned: &["b", "s"], ..PLAIN.rules },
            expect: "r/ r/a/ r/a/f r/a/s/ r/b/ r/c r/l@", ..PLAIN },
        Case { name: "prune a file", tree: SMALL, rules: Rules { pruned: &["c", "f", "l"], ..PLAIN.rules },
            expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "prune the root", tree: SMALL, rules: Rules { pruned: &["r"], ..PLAIN.rules },
            expect: "r/", ..PLAIN },
        Case { name: "enter refused", tree: SMALL, rules: Rules { refused: &["a"], ..PLAIN.rules },
            expect: "r/ r/a/ r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "enter refused in post-order", tree: SMALL, post_order: true,
            rules: Rules { refused: &["a", "b"], ..PLAIN.rules }, expect: "r/ r/a/ r/b/ r/c r/l@", ..PLAIN },
        Case { name: "root refused", tree: SMALL, rules: Rules { refused: &["r"], ..PLAIN.rules },
            expect: "r/", ..PLAIN },
        Case { name: "drop a directory", tree: SMALL, rules: Rules { dropped: &["a"], ..PLAIN.rules },
            expect: "r/ r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "drop files", tree: SMALL, rules: Rules { dropped: &["f", "g", "h", "c"], ..PLAIN.rules },
            expect: "r/ r/a/ r/a/s/ r/b/ r/l@", ..PLAIN },
        Case { name: "drop the root", tree: SMALL, rules: Rules { dropped: &["r"], ..PLAIN.rules },
            expect: "", ..PLAIN },
        Case { name: "enter without handing on", tree: SMALL,
            rules: Rules { only_entered: &["a", "s", "c"], ..PLAIN.rules },
            expect: "r/ r/a/f r/a/s/g r/b/ r/b/h r/l@", ..PLAIN },
        Case { name: "enter everything, hand on files", tree: SMALL,
            rules: Rules { only_entered: &["r", "a", "s", "b"], ..PLAIN.rules },
            expect: "r/a/f r/a/s/g r/b/h r/c r/l@", ..PLAIN },
        Case { name: "enter without handing on, post-order", tree: SMALL, post_order: true,
            rules: Rules { only_entered: &["a", "b"], ..PLAIN.rules },
            expect: "r/ r/a/f r/a/s/ r/a/s/g r/b/h r/c r/l@", ..PLAIN },
        Case { name: "enter without handing on, at max_depth", tree: SMALL, walk: |w| w.max_depth(1),
            rules: Rules { only_entered: &["a"], ..PLAIN.rules }, expect: "r/ r/b/ r/c r/l@", ..PLAIN },
        Case { name: "drop and prune side by side", tree: SMALL,
            rules: Rules { dropped: &["b"], pruned: &["s"], ..PLAIN.rules },
            expect: "r/ r/a/ r/a/f r/a/s/ r/c r/l@", ..PLAIN },
        Case { name: "metadata asked for", tree: "r/ r/a/ r/a/f:7 r/g:3",
            rules: Rules { fields: Fields::SIZE, ..PLAIN.rules }, expect: "r/ r/a/ r/a/f r/g", ..PLAIN },

        // Post-order.
        Case { name: "post-order", tree: SMALL, post_order: true,
            expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "post-order, max_depth", tree: DEEP, walk: |w| w.max_depth(2), post_order: true,
            expect: "r/ r/a/ r/a/b/ r/a/g r/h", ..PLAIN },
        Case { name: "post-order, two roots", tree: "r/ r/a/ r/a/f s/ s/g", roots: &["s", "r"],
            post_order: true, expect: "s/ s/g r/ r/a/ r/a/f", ..PLAIN },

        // Links.
        Case { name: "links are entries", tree: "r/ r/d/ r/d/f r/l->d r/m->d/f r/n->nowhere",
            expect: "r/ r/d/ r/d/f r/l@ r/m@ r/n@", ..PLAIN },
        Case { name: "a link as root, followed", tree: "d/ d/f r->d", expect: "r/ r/f", ..PLAIN },
        Case { name: "a link as root, not followed", tree: "d/ d/f r->d", walk: |w| w.follow(Follow::Never),
            expect: "r@", ..PLAIN },
        Case { name: "a link as root with a slash", tree: "d/ d/f r->d", roots: &["r/"],
            walk: |w| w.follow(Follow::Never), expect: "r/ r/f", ..PLAIN },
        Case { name: "a dangling link as root", tree: "r->nowhere", expect: "r@", ..PLAIN },
        Case { name: "a link to a file as root", tree: "f:5 r->f", expect: "r", ..PLAIN },
        Case { name: "a link to a link to a directory as root", tree: "d/ d/f m->d r->m", expect: "r/ r/f", ..PLAIN },
        Case { name: "follow: below the roots only with always", tree: "r/ r/l->../d d/ d/f",
            expect: "r/ r/l@", ..PLAIN },
        Case { name: "follow always", tree: "r/ r/l->../d r/m->../d/f r/n->nowhere r/o->l d/ d/f d/s/ d/s/g",
            walk: |w| w.follow(Follow::Always),
            expect: "r/ r/l/ r/l/f r/l/s/ r/l/s/g r/m r/n@ r/o/ r/o/f r/o/s/ r/o/s/g", ..PLAIN },
        Case { name: "follow always, post-order", tree: "r/ r/l->../d d/ d/f",
            walk: |w| w.follow(Follow::Always), post_order: true, expect: "r/ r/l/ r/l/f", ..PLAIN },
        Case { name: "follow always, max_depth", tree: "r/ r/l->../d d/ d/f d/s/ d/s/g",
            walk: |w| w.follow(Follow::Always).max_depth(2), expect: "r/ r/l/ r/l/f r/l/s/", ..PLAIN },
        Case { name: "follow always, prune", tree: "r/ r/l->../d r/m->../d d/ d/f",
            walk: |w| w.follow(Follow::Always), rules: Rules { pruned: &["l"], ..PLAIN.rules },
            expect: "r/ r/l/ r/m/ r/m/f", ..PLAIN },
        Case { name: "a link to itself", tree: "r/ r/l->l r/f", walk: |w| w.follow(Follow::Always),
            expect: "r/ r/f r/l@", ..PLAIN },
        Case { name: "a link to its directory", tree: "r/ r/a/ r/a/f r/a/l->.",
            walk: |w| w.follow(Follow::Always), expect: "r/ r/a/ r/a/f", errors: &["FollowLoop r/a/l"], ..PLAIN },
        Case { name: "a link to the directory above", tree: "r/ r/a/ r/a/f r/a/l->..",
            walk: |w| w.follow(Follow::Always), expect: "r/ r/a/ r/a/f", errors: &["FollowLoop r/a/l"], ..PLAIN },
        Case { name: "a loop does no harm to links that are not followed", tree: "r/ r/a/ r/a/l->..",
            expect: "r/ r/a/ r/a/l@", ..PLAIN },
        Case { name: "two links that lead to each other's directories",
            tree: "r/ r/a/ r/b/ r/a/x->../b r/b/y->../a", walk: |w| w.follow(Follow::Always),
            expect: "r/ r/a/ r/a/x/ r/b/ r/b/y/", errors: &["FollowLoop r/a/x/y", "FollowLoop r/b/y/x"], ..PLAIN },
        Case { name: "a link to above the root", tree: "u/ u/r/ u/r/l->.. u/f", roots: &["u/r"],
            walk: |w| w.follow(Follow::Always), expect: "u/r/ u/r/l/ u/r/l/f u/r/l/r/",
            errors: &["FollowLoop u/r/l/r"], ..PLAIN },
        Case { name: "a loop through a link as root", tree: "d/ d/l->../r r->d",
            walk: |w| w.follow(Follow::Always), expect: "r/", errors: &["FollowLoop r/l"], ..PLAIN },

        // Roots.
        Case { name: "root .", tree: "f d/ d/g", roots: &["."], expect: "./ ./d/ ./d/g ./f", ..PLAIN },
        Case { name: "root ./", tree: "f d/ d/g", roots: &["./"], expect: "./ ./d/ ./d/g ./f", ..PLAIN },
        Case { name: "root ..", tree: "f", roots: &[".."], walk: |w| w.min_depth(1), expect: "../here/ ../here/f", ..PLAIN },
        Case { name: "root ends in /", tree: SMALL, roots: &["r/a/"], expect: "r/a/ r/a/f r/a/s/ r/a/s/g", ..PLAIN },
        Case { name: "root through ..", tree: SMALL, roots: &["r/b/../a"],
            expect: "r/b/../a/ r/b/../a/f r/b/../a/s/ r/b/../a/s/g", ..PLAIN },
        Case { name: "a file as root", tree: "f", roots: &["f"], expect: "f", ..PLAIN },
        Case { name: "a file as root and a slash", tree: "f", roots: &["f/"], errors: &["Stat f/"], ..PLAIN },
        Case { name: "a missing root", tree: "", roots: &["nowhere"], errors: &["Stat nowhere"], ..PLAIN },
        Case { name: "an empty path", tree: "r/ r/f", roots: &["", "r"], expect: "r/ r/f", errors: &["Stat "], ..PLAIN },
        Case { name: "the rest goes on", tree: "r/ r/f s", roots: &["r", "no", "s", "no/way"],
            expect: "r/ r/f s", errors: &["Stat no", "Stat no/way"], ..PLAIN },
        Case { name: "no roots", tree: "", roots: &[], expect: "", ..PLAIN },
        Case { name: "a root given twice", tree: "r/ r/f", roots: &["r", "r"], expect: "r/ r/f r/ r/f", ..PLAIN },
        Case { name: "roots come as they were given", tree: "a/ a/f b/ b/g c", roots: &["c", "b", "a"],
            expect: "c b/ b/g a/ a/f", ..PLAIN },
        Case { name: "many roots", tree: "1/ 1/f 2/ 2/f 3/ 3/f 4/ 4/f 5/ 5/f 6/ 6/f 7/ 7/f 8/ 8/f",
            roots: &["1", "2", "3", "4", "5", "6", "7", "8"],
            expect: "1/ 1/f 2/ 2/f 3/ 3/f 4/ 4/f 5/ 5/f 6/ 6/f 7/ 7/f 8/ 8/f", ..PLAIN },

        // Each file once.
        Case { name: "unique: hard links", tree: "r/ r/f r/g=r/f r/d/ r/d/h=r/f r/i",
            walk: |w| w.unique(true), expect: "r/ r/d/ r/d/h|r/f|r/g r/i", any_of: Some(4), ..PLAIN },
        Case { name: "unique: a root given twice", tree: "r/ r/f r/d/ r/d/g", roots: &["r", "r"],
            walk: |w| w.unique(true), expect: "r/ r/d/ r/d/g r/f", ..PLAIN },
        Case { name: "unique: a root given twice, post-order", tree: "r/ r/f r/d/ r/d/g", roots: &["r", "r"],
            walk: |w| w.unique(true), post_order: true, expect: "r/ r/d/ r/d/g r/f", ..PLAIN },
        Case { name: "unique: a root within a root", tree: "r/ r/f r/d/ r/d/g", roots: &["r", "r/d"],
            walk: |w| w.unique(true), expect: "r/ r/d/ r/d/g r/f", any_of: Some(4), ..PLAIN },
        Case { name: "unique: a root before the one around it", tree: "r/ r/f r/d/ r/d/g", roots: &["r/d", "r"],
            walk: |w| w.unique(true), expect: "r/d/ r/d/g r/ r/f", any_of: Some(4), ..PLAIN },
        Case { name: "unique: a file as root and its directory", tree: "r/ r/f r/g", roots: &["r/f", "r"],
            walk: |w| w.unique(true), expect: "r/f r/ r/g", any_of: Some(3), ..PLAIN },
        Case { name: "unique: a directory and a file in it as root", tree: "r/ r/f r/g", roots: &["r", "r/f"],
            walk: |w| w.unique(true), expect: "r/ r/f r/g", any_of: Some(3), ..PLAIN },
        Case { name: "unique: followed links", tree: "r/ r/d/ r/d/f r/l->d r/m->d/f",
            walk: |w| w.unique(true).follow(Follow::Always), expect: "r/ r/d/|r/l/ r/d/f|r/l/f|r/m",
            any_of: Some(3), ..PLAIN },
        Case { name: "unique: a link is no hard link", tree: "r/ r/f r/l->f",
            walk: |w| w.unique(true), expect: "r/ r/f r/l@", ..PLAIN },
        Case { name: "unique: min_depth", tree: "r/ r/d/ r/d/f r/d/g=r/d/f", walk: |w| w.unique(true).min_depth(1),
            expect: "r/d/ r/d/f|r/d/g", any_of: Some(2), ..PLAIN },

        // One file system: there is only one here (`mounts.rs` has two).
        Case { name: "one file system", tree: SMALL, walk: |w| w.mounts(Mounts::SameDevice),
            expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", ..PLAIN },
        Case { name: "one file system, min_depth", tree: DEEP, walk: |w| w.mounts(Mounts::SameDevice).min_depth(2),
            expect: "r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g", ..PLAIN },

        // The end.
        Case { name: "stop at once", tree: SMALL, rules: Rules { stop_after: Some(1), ..PLAIN.rules },
            expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", any_of: Some(1), ..PLAIN },
        Case { name: "stop in the middle", tree: DEEP, rules: Rules { stop_after: Some(3), ..PLAIN.rules },
            expect: "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h", any_of: Some(3), ..PLAIN },
    ]
}

#[test]
fn cases_in_every_mode() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let mut failures = Vec::new();
    let cases = cases().into_iter().filter(|case| can_grow(case.tree));
    for (at, case) in cases.enumerate() {
        // A directory above, so that `..` holds the case's own tree alone.
        let here = place.path().join(format!("{at}/here"));
        std::fs::create_dir_all(&here).expect("a place for the case");
        grow(&here, case.tree);
        std::env::set_current_dir(&here).expect("the case's own directory");
        failures.extend(every_mode(case));
    }
    std::env::set_current_dir("/").expect("out of the scratch directory");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// All runs of one case, side by side.
fn every_mode(case: Case) -> Vec<String> {
    in_time(case.name, move || {
        let case = &case;
        std::thread::scope(|scope| {
            let mut runs = Vec::new();
            for order in ORDERS {
                for backend in [Backend::Native, Backend::Portable] {
                    let start = || {
                        Builder::new().spawn_scoped(scope, move || {
                            MODES
                                .iter()
                                .filter_map(|&mode| one_mode(case, mode, order, backend))
                                .collect::<Vec<_>>()
                        })
                    };
                    runs.push(start().expect("a thread"));
                }
            }
            runs.into_iter().flat_map(|run| run.join().expect("no panic")).collect()
        })
    })
}

/// One run of one case; `Some` holds what went wrong.
fn one_mode(case: &Case, mode: Mode, order: Order, backend: Backend) -> Option<String> {
    if mode.is_iterator() && !case.rules.is_plain() {
        return None;
    }
    if !cfg!(unix) && backend == Backend::Portable && case.name.starts_with("unique") {
        // std cannot tell files apart there.
        return None;
    }
    let shaped = if case.post_order { post(order)? } else { order };
    let walk = (case.walk)(Walk::over(case.roots)).order(shaped).backend(backend);
    let outcome = run(walk, mode, case.rules);
    let mut wrong = outcome.wrong.clone();
    wrong.extend(check_set(case, &outcome));
    wrong.extend(check_errors(case, &outcome));
    wrong.extend(check_order(case, mode, order, &outcome));
    (!wrong.is_empty()).then(|| {
        let wrong: Vec<_> =
            wrong.iter().map(|line| line.chars().take(300).collect::<String>()).collect();
        format!("{}: {mode:?} {order:?} {backend:?}\n    {}", case.name, wrong.join("\n    "))
    })
}

fn check_set(case: &Case, outcome: &Outcome) -> Option<String> {
    let got = outcome.sorted_signs();
    let mut expected: Vec<_> = case.expect.split_whitespace().map(str::to_owned).collect();
    if let Some(count) = case.any_of {
        // Exactly one of each group, or any number of them where the walk was stopped.
        let is_one =
            |sign: &String| expected.iter().any(|group| group.split('|').any(|one| one == sign));
        let groups: HashSet<_> = got
            .iter()
            .filter_map(|sign| expected.iter().position(|g| g.split('|').any(|o| o == sign)))
            .collect();
        let enough = match case.rules.stop_after {
            Some(_) => got.len() >= count,
            None => got.len() == count && groups.len() == count,
        };
        return (!(got.iter().all(is_one) && enough)).then(|| format!("got {got:?}"));
    }
    expected.sort();
    (got != expected).then(|| format!("got {got:?}\n    for {expected:?}"))
}

fn check_errors(case: &Case, outcome: &Outcome) -> Option<String> {
    let mut expected = case.errors.to_vec();
    expected.sort_unstable();
    (outcome.errors != expected).then(|| format!("errors {:?}", outcome.errors))
}

/// Checks what each order promises.
fn check_order(case: &Case, mode: Mode, order: Order, outcome: &Outcome) -> Option<String> {
    let stops = case.rules.stop_after.is_some();
    if stops && mode.is_parallel() {
        return None;
    }
    if let Some(wrong) = check_depths(case, outcome) {
        return Some(wrong);
    }
    let is_post_order = case.post_order;
    let signs = outcome.signs();
    if order == SORTED && case.any_of.is_none() {
        let mut expected: Vec<_> = case.expect.split_whitespace().map(str::to_owned).collect();
        if is_post_order {
            expected = post_order(&expected);
        }
        return (signs != expected).then(|| format!("in the order {signs:?}"));
    }
    // Where a path comes twice, "before" has no meaning.
    let distinct: HashSet<_> = signs.iter().collect();
    if distinct.len() != signs.len() || case.any_of.is_some() {
        return None;
    }
    let parents = check_parents(outcome, is_post_order);
    let by_depth = order == Order::Breadth && !is_post_order;
    let levels = by_depth.then(|| check_levels(outcome)).flatten();
    let whole = (order == DEPTH || is_post_order).then(|| check_whole(outcome)).flatten();
    parents.or(levels).or(whole)
}

/// A depth is the number of components below the root.
fn check_depths(case: &Case, outcome: &Outcome) -> Option<String> {
    let depth_below = |path: &Path, root: &str| {
        let path = path.to_str()?;
        let rest = path.strip_prefix(root)?;
        if !rest.is_empty() && !root.ends_with('/') && !rest.starts_with('/') {
            return None;
        }
        Some(rest.split('/').filter(|part| !part.is_empty()).count())
    };
    let wrong = outcome.found.iter().find(|found| {
        !case.roots.iter().any(|root| depth_below(&found.path, root) == Some(found.depth))
    })?;
    Some(format!("the depth of {:?} is not {}", wrong.path, wrong.depth))
}

/// A directory comes before its contents, in post-order after them.
fn check_parents(outcome: &Outcome, is_post_order: bool) -> Option<String> {
    let at: BTreeMap<PathBuf, usize> =
        outcome.found.iter().enumerate().map(|(at, found)| (found.path.clone(), at)).collect();
    let wrong = outcome.found.iter().enumerate().find(|(own, found)| {
        let parent = found.path.parent().and_then(|parent| at.get(parent));
        found.depth > 0 && parent.is_some_and(|parent| (parent < own) == is_post_order)
    })?;
    Some(format!("{:?} on the wrong side of its directory: {:?}", wrong.1.path, outcome.signs()))
}

/// Every entry of a level comes after all of the levels above it.
fn check_levels(outcome: &Outcome) -> Option<String> {
    let pairs = outcome.found.windows(2);
    let wrong = pairs.into_iter().find(|pair| pair[0].depth > pair[1].depth)?;
    Some(format!("{:?} after {:?}", wrong[1].path, wrong[0].path))
}

/// The entries below a directory come in one piece.
fn check_whole(outcome: &Outcome) -> Option<String> {
    let mut closed: HashSet<PathBuf> = HashSet::new();
    let mut open: Vec<PathBuf> = Vec::new();
    for found in &outcome.found {
        let above: Vec<_> = found.path.ancestors().skip(1).map(Path::to_owned).collect();
        open.retain(|path| above.contains(path) || !closed.insert(path.clone()));
        if let Some(again) = above.iter().find(|path| closed.contains(*path)) {
            return Some(format!("{again:?} is in pieces: {:?}", outcome.signs()));
        }
        let new: Vec<_> = above.into_iter().filter(|path| !open.contains(path)).collect();
        open.extend(new);
    }
    None
}

/// The same entries, with each directory after the entries below it.
fn post_order(pre_order: &[String]) -> Vec<String> {
    let mut result = Vec::new();
    let mut above: Vec<&String> = Vec::new();
    for sign in pre_order {
        while let Some(last) = above.last()
            && !sign.starts_with(last.as_str())
        {
            result.extend(above.pop().cloned());
        }
        if sign.ends_with('/') {
            above.push(sign);
        } else {
            result.push(sign.clone());
        }
    }
    result.extend(above.into_iter().rev().cloned());
    result
}
