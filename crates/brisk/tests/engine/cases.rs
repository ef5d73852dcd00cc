//! Tree cases as data × every mode, order and backend: one test for each tree and group of ways.

use brisk::{Fields, Follow, Mounts, Order, Shape};

use crate::case::{Case, PLAIN, check};
use crate::record::{Mode, Rules};

/// The tests of one case, in a module of its name.
macro_rules! tests {
    ($($test:ident: $modes:ident, $orders:ident;)*) => {
        $(#[test]
        fn $test() {
            check(CASE, &$modes, &$orders);
        })*
    };
}

macro_rules! cases {
    ($($name:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        $(mod $name {
            use super::*;

            const CASE: Case = Case { name: stringify!($name), $($field: $value,)* ..PLAIN };

            tests! {
                serial_unordered: SERIAL, UNORDERED;
                serial_breadth: SERIAL, BREADTH;
                serial_depth: SERIAL, DEPTH;
                serial_sorted: SERIAL, SORTED;
                parallel_unordered: PARALLEL, UNORDERED;
                parallel_breadth: PARALLEL, BREADTH;
                parallel_depth: PARALLEL, DEPTH;
                parallel_sorted: PARALLEL, SORTED;
            }
        })*
    };
}

// Visitors and iterators.
const SERIAL: [Mode; 2] = [Mode::Serial, Mode::Iter];
const PARALLEL: [Mode; 4] =
    [Mode::Threads(2), Mode::Threads(8), Mode::Adaptive, Mode::ParallelIter];

const UNORDERED: [Order; 1] = [Order::Unordered];
const BREADTH: [Order; 1] = [Order::Breadth];
const DEPTH: [Order; 3] =
    [Order::Depth(Shape::Pre), Order::Depth(Shape::Post), Order::Depth(Shape::SiblingsFirst)];
const SORTED: [Order; 3] =
    [Order::Sorted(Shape::Pre), Order::Sorted(Shape::Post), Order::Sorted(Shape::SiblingsFirst)];

/// Two levels with a bit of everything.
const SMALL: &str = "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l->a";
const DEEP: &str = "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h";

cases! {
    // Shapes and types.
    an_empty_directory { tree: "r/", expect: "r/" }
    one_file { tree: "r/ r/f", expect: "r/ r/f" }
    a_bit_of_everything { tree: SMALL, expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@" }
    types { tree: "r/ r/d/ r/f r/l->f r/p|", expect: "r/ r/d/ r/f r/l@ r/p|" }
    sorting_goes_component_by_component {
        tree: "r/ r/a/ r/a/x r/a-b r/a.b r/a0 r/ab/ r/ab/y r/A r/a-b2/ r/a-b2/z",
        expect: "r/ r/A r/a/ r/a/x r/a-b r/a-b2/ r/a-b2/z r/a.b r/a0 r/ab/ r/ab/y",
    }
    names_that_begin_with_the_same_eight_bytes {
        tree: "r/ r/12345678 r/123456789 r/12345678-/ r/12345678-/x r/1234567 r/12345678a \
            r/123456780",
        expect: "r/ r/1234567 r/12345678 r/12345678-/ r/12345678-/x r/123456780 r/123456789 \
            r/12345678a",
    }
    a_chain_of_directories { tree: DEEP, expect: "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h" }
    many_empty_directories {
        tree: "r/ r/1/ r/2/ r/3/ r/4/ r/5/ r/6/ r/7/ r/8/ r/9/",
        expect: "r/ r/1/ r/2/ r/3/ r/4/ r/5/ r/6/ r/7/ r/8/ r/9/",
    }

    // Depth.
    max_depth_0 { tree: DEEP, walk: |w| w.max_depth(0), expect: "r/" }
    max_depth_1 { tree: DEEP, walk: |w| w.max_depth(1), expect: "r/ r/a/ r/h" }
    max_depth_2 { tree: DEEP, walk: |w| w.max_depth(2), expect: "r/ r/a/ r/a/b/ r/a/g r/h" }
    min_depth_1 {
        tree: DEEP, walk: |w| w.min_depth(1), expect: "r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h",
    }
    min_depth_3 { tree: DEEP, walk: |w| w.min_depth(3), expect: "r/a/b/c/ r/a/b/c/f" }
    min_depth_beyond_the_tree { tree: DEEP, walk: |w| w.min_depth(9), expect: "" }
    min_depth_equal_to_max_depth {
        tree: DEEP, walk: |w| w.min_depth(2).max_depth(2), expect: "r/a/b/ r/a/g",
    }
    min_depth_above_max_depth { tree: DEEP, walk: |w| w.min_depth(3).max_depth(2), expect: "" }
    min_depth_2 { tree: DEEP, walk: |w| w.min_depth(2), expect: "r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g" }

    // The visitor's answers.
    prune {
        tree: SMALL, rules: Rules { pruned: &["a"], ..PLAIN.rules },
        expect: "r/ r/a/ r/b/ r/b/h r/c r/l@",
    }
    prune_the_last_one {
        tree: SMALL, rules: Rules { pruned: &["b", "s"], ..PLAIN.rules },
        expect: "r/ r/a/ r/a/f r/a/s/ r/b/ r/c r/l@",
    }
    prune_a_file {
        tree: SMALL, rules: Rules { pruned: &["c", "f", "l"], ..PLAIN.rules },
        expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@",
    }
    prune_the_root { tree: SMALL, rules: Rules { pruned: &["r"], ..PLAIN.rules }, expect: "r/" }
    enter_refused {
        tree: SMALL, rules: Rules { refused: &["a"], ..PLAIN.rules },
        expect: "r/ r/a/ r/b/ r/b/h r/c r/l@",
    }
    enter_refused_twice {
        tree: SMALL, rules: Rules { refused: &["a", "b"], ..PLAIN.rules },
        expect: "r/ r/a/ r/b/ r/c r/l@",
    }
    root_refused { tree: SMALL, rules: Rules { refused: &["r"], ..PLAIN.rules }, expect: "r/" }
    drop_a_directory {
        tree: SMALL, rules: Rules { dropped: &["a"], ..PLAIN.rules },
        expect: "r/ r/b/ r/b/h r/c r/l@",
    }
    drop_files {
        tree: SMALL, rules: Rules { dropped: &["f", "g", "h", "c"], ..PLAIN.rules },
        expect: "r/ r/a/ r/a/s/ r/b/ r/l@",
    }
    drop_the_root { tree: SMALL, rules: Rules { dropped: &["r"], ..PLAIN.rules }, expect: "" }
    enter_without_handing_on {
        tree: SMALL, rules: Rules { only_entered: &["a", "s", "c"], ..PLAIN.rules },
        expect: "r/ r/a/f r/a/s/g r/b/ r/b/h r/l@",
    }
    enter_everything_hand_on_files {
        tree: SMALL, rules: Rules { only_entered: &["r", "a", "s", "b"], ..PLAIN.rules },
        expect: "r/a/f r/a/s/g r/b/h r/c r/l@",
    }
    enter_two_without_handing_on {
        tree: SMALL, rules: Rules { only_entered: &["a", "b"], ..PLAIN.rules },
        expect: "r/ r/a/f r/a/s/ r/a/s/g r/b/h r/c r/l@",
    }
    enter_without_handing_on_at_max_depth {
        tree: SMALL, walk: |w| w.max_depth(1),
        rules: Rules { only_entered: &["a"], ..PLAIN.rules }, expect: "r/ r/b/ r/c r/l@",
    }
    drop_and_prune_side_by_side {
        tree: SMALL, rules: Rules { dropped: &["b"], pruned: &["s"], ..PLAIN.rules },
        expect: "r/ r/a/ r/a/f r/a/s/ r/c r/l@",
    }
    metadata_asked_for {
        tree: "r/ r/a/ r/a/f:7 r/g:3", rules: Rules { fields: Fields::SIZE, ..PLAIN.rules },
        expect: "r/ r/a/ r/a/f r/g",
    }

    // Post-order.
    two_roots { tree: "r/ r/a/ r/a/f s/ s/g", roots: &["s", "r"], expect: "s/ s/g r/ r/a/ r/a/f" }

    // Links.
    links_are_entries {
        tree: "r/ r/d/ r/d/f r/l->d r/m->d/f r/n->nowhere", expect: "r/ r/d/ r/d/f r/l@ r/m@ r/n@",
    }
    a_link_as_root_followed { tree: "d/ d/f r->d", expect: "r/ r/f" }
    a_link_as_root_not_followed {
        tree: "d/ d/f r->d", walk: |w| w.follow(Follow::Never), expect: "r@",
    }
    a_link_as_root_with_a_slash {
        tree: "d/ d/f r->d", roots: &["r/"], walk: |w| w.follow(Follow::Never), expect: "r/ r/f",
    }
    a_dangling_link_as_root { tree: "r->nowhere", expect: "r@" }
    a_link_to_a_file_as_root { tree: "f:5 r->f", expect: "r" }
    a_link_to_a_link_to_a_directory_as_root { tree: "d/ d/f m->d r->m", expect: "r/ r/f" }
    follow_below_the_roots_only_with_always { tree: "r/ r/l->../d d/ d/f", expect: "r/ r/l@" }
    follow_always {
        tree: "r/ r/l->../d r/m->../d/f r/n->nowhere r/o->l d/ d/f d/s/ d/s/g",
        walk: |w| w.follow(Follow::Always),
        expect: "r/ r/l/ r/l/f r/l/s/ r/l/s/g r/m r/n@ r/o/ r/o/f r/o/s/ r/o/s/g",
    }
    follow_always_one_link {
        tree: "r/ r/l->../d d/ d/f", walk: |w| w.follow(Follow::Always), expect: "r/ r/l/ r/l/f",
    }
    follow_always_max_depth {
        tree: "r/ r/l->../d d/ d/f d/s/ d/s/g", walk: |w| w.follow(Follow::Always).max_depth(2),
        expect: "r/ r/l/ r/l/f r/l/s/",
    }
    follow_always_prune {
        tree: "r/ r/l->../d r/m->../d d/ d/f", walk: |w| w.follow(Follow::Always),
        rules: Rules { pruned: &["l"], ..PLAIN.rules }, expect: "r/ r/l/ r/m/ r/m/f",
    }
    a_link_to_itself {
        tree: "r/ r/l->l r/f", walk: |w| w.follow(Follow::Always), expect: "r/ r/f r/l@",
    }
    a_link_to_its_directory {
        tree: "r/ r/a/ r/a/f r/a/l->.", walk: |w| w.follow(Follow::Always),
        expect: "r/ r/a/ r/a/f", errors: &["FollowLoop r/a/l"],
    }
    a_link_to_the_directory_above {
        tree: "r/ r/a/ r/a/f r/a/l->..", walk: |w| w.follow(Follow::Always),
        expect: "r/ r/a/ r/a/f", errors: &["FollowLoop r/a/l"],
    }
    a_loop_does_no_harm_to_links_that_are_not_followed {
        tree: "r/ r/a/ r/a/l->..", expect: "r/ r/a/ r/a/l@",
    }
    two_links_that_lead_to_each_others_directories {
        tree: "r/ r/a/ r/b/ r/a/x->../b r/b/y->../a", walk: |w| w.follow(Follow::Always),
        expect: "r/ r/a/ r/a/x/ r/b/ r/b/y/",
        errors: &["FollowLoop r/a/x/y", "FollowLoop r/b/y/x"],
    }
    a_link_to_above_the_root {
        tree: "u/ u/r/ u/r/l->.. u/f", roots: &["u/r"], walk: |w| w.follow(Follow::Always),
        expect: "u/r/ u/r/l/ u/r/l/f u/r/l/r/", errors: &["FollowLoop u/r/l/r"],
    }
    a_loop_through_a_link_as_root {
        tree: "d/ d/l->../r r->d", walk: |w| w.follow(Follow::Always), expect: "r/",
        errors: &["FollowLoop r/l"],
    }

    // Roots.
    root_dot { tree: "f d/ d/g", roots: &["."], expect: "./ ./d/ ./d/g ./f" }
    root_dot_slash { tree: "f d/ d/g", roots: &["./"], expect: "./ ./d/ ./d/g ./f" }
    root_dot_dot {
        tree: "f", roots: &[".."], walk: |w| w.min_depth(1), expect: "../here/ ../here/f",
    }
    root_ends_in_a_slash { tree: SMALL, roots: &["r/a/"], expect: "r/a/ r/a/f r/a/s/ r/a/s/g" }
    root_through_dot_dot {
        tree: SMALL, roots: &["r/b/../a"], expect: "r/b/../a/ r/b/../a/f r/b/../a/s/ r/b/../a/s/g",
    }
    a_file_as_root { tree: "f", roots: &["f"], expect: "f" }
    a_file_as_root_and_a_slash { tree: "f", roots: &["f/"], errors: &["Stat f/"] }
    a_missing_root { tree: "", roots: &["nowhere"], errors: &["Stat nowhere"] }
    an_empty_path { tree: "r/ r/f", roots: &["", "r"], expect: "r/ r/f", errors: &["Stat "] }
    the_rest_goes_on {
        tree: "r/ r/f s", roots: &["r", "no", "s", "no/way"], expect: "r/ r/f s",
        errors: &["Stat no", "Stat no/way"],
    }
    no_roots { tree: "", roots: &[], expect: "" }
    a_root_given_twice { tree: "r/ r/f", roots: &["r", "r"], expect: "r/ r/f r/ r/f" }
    roots_come_as_they_were_given {
        tree: "a/ a/f b/ b/g c", roots: &["c", "b", "a"], expect: "c b/ b/g a/ a/f",
    }
    many_roots {
        tree: "1/ 1/f 2/ 2/f 3/ 3/f 4/ 4/f 5/ 5/f 6/ 6/f 7/ 7/f 8/ 8/f",
        roots: &["1", "2", "3", "4", "5", "6", "7", "8"],
        expect: "1/ 1/f 2/ 2/f 3/ 3/f 4/ 4/f 5/ 5/f 6/ 6/f 7/ 7/f 8/ 8/f",
    }

    // Each file once.
    unique_hard_links {
        tree: "r/ r/f r/g=r/f r/d/ r/d/h=r/f r/i", walk: |w| w.unique(true),
        expect: "r/ r/d/ r/d/h|r/f|r/g r/i", any_of: Some(4),
    }
    unique_a_root_given_twice {
        tree: "r/ r/f r/d/ r/d/g", roots: &["r", "r"], walk: |w| w.unique(true),
        expect: "r/ r/d/ r/d/g r/f",
    }
    unique_a_root_within_a_root {
        tree: "r/ r/f r/d/ r/d/g", roots: &["r", "r/d"], walk: |w| w.unique(true),
        expect: "r/ r/d/ r/d/g r/f", any_of: Some(4),
    }
    unique_a_root_before_the_one_around_it {
        tree: "r/ r/f r/d/ r/d/g", roots: &["r/d", "r"], walk: |w| w.unique(true),
        expect: "r/d/ r/d/g r/ r/f", any_of: Some(4),
    }
    unique_a_file_as_root_and_its_directory {
        tree: "r/ r/f r/g", roots: &["r/f", "r"], walk: |w| w.unique(true), expect: "r/f r/ r/g",
        any_of: Some(3),
    }
    unique_a_directory_and_a_file_in_it_as_root {
        tree: "r/ r/f r/g", roots: &["r", "r/f"], walk: |w| w.unique(true), expect: "r/ r/f r/g",
        any_of: Some(3),
    }
    unique_followed_links {
        tree: "r/ r/d/ r/d/f r/l->d r/m->d/f", walk: |w| w.unique(true).follow(Follow::Always),
        expect: "r/ r/d/|r/l/ r/d/f|r/l/f|r/m", any_of: Some(3),
    }
    unique_a_link_is_no_hard_link {
        tree: "r/ r/f r/l->f", walk: |w| w.unique(true), expect: "r/ r/f r/l@",
    }
    unique_min_depth {
        tree: "r/ r/d/ r/d/f r/d/g=r/d/f", walk: |w| w.unique(true).min_depth(1),
        expect: "r/d/ r/d/f|r/d/g", any_of: Some(2),
    }

    // One file system: there is only one here (`mounts.rs` has two).
    one_file_system {
        tree: SMALL, walk: |w| w.mounts(Mounts::SameDevice),
        expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@",
    }
    one_file_system_min_depth {
        tree: DEEP, walk: |w| w.mounts(Mounts::SameDevice).min_depth(2),
        expect: "r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g",
    }

    // The end.
    stop_at_once {
        tree: SMALL, rules: Rules { stop_after: Some(1), ..PLAIN.rules },
        expect: "r/ r/a/ r/a/f r/a/s/ r/a/s/g r/b/ r/b/h r/c r/l@", any_of: Some(1),
    }
    stop_in_the_middle {
        tree: DEEP, rules: Rules { stop_after: Some(3), ..PLAIN.rules },
        expect: "r/ r/a/ r/a/b/ r/a/b/c/ r/a/b/c/f r/a/g r/h", any_of: Some(3),
    }
}
