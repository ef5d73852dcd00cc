//! What a walk costs: a table of trees and walks, with the file-system calls that they may make.

use brisk::{Calls, Fields, Follow, Mounts, Shape, Stats, Walk};

use crate::record::{Mode, ORDERS, Rules, run};
use crate::tree::grow;

/// Six directories (one of them empty), four files, three links (one leads nowhere).
const TREE: &str = "r/ r/a/ r/a/f:1 r/a/s/ r/a/s/g r/b/ r/b/h r/b/e/ r/b/l->../../out r/c r/l->c \
    r/n->nowhere r/d/ out/ out/o";
const DIRECTORIES: u64 = 6;
const ENTRIES: u64 = 13;
const FILES: u64 = 4;
const LINKS: u64 = 3;

struct Row {
    name: &'static str,
    roots: &'static [&'static str],
    walk: fn(Walk) -> Walk,
    rules: Rules,
    /// Directories opened.
    open: u64,
    stat: u64,
    read_link: u64,
    xattr: u64,
}

const PLAIN: Row = Row {
    name: "",
    roots: &["r"],
    walk: |walk| walk,
    rules: Rules::NONE,
    open: DIRECTORIES,
    stat: 1,
    read_link: 0,
    xattr: 0,
};

const fn taking(fields: Fields) -> Rules {
    Rules { fields, ..PLAIN.rules }
}

#[rustfmt::skip]
fn table() -> Vec<Row> {
    vec![
        // A directory costs an open and its reads. A root costs a stat, and a second one if it is a
        // link. An entry costs nothing.
        Row { name: "names", ..PLAIN },
        Row { name: "the type is given", rules: taking(Fields::TYPE), ..PLAIN },
        Row { name: "a file as root", roots: &["r/c"], open: 0, ..PLAIN },
        Row { name: "a link as root", roots: &["r/b/l"], open: 1, stat: 2, ..PLAIN },
        Row { name: "a link as root, not followed", roots: &["r/b/l"], walk: |w| w.follow(Follow::Never),
            open: 0, ..PLAIN },
        Row { name: "three roots", roots: &["r/a", "r/b", "r/c"], open: 4, stat: 3, ..PLAIN },
        Row { name: "a root given twice", roots: &["r", "r"], open: 2 * DIRECTORIES, stat: 2, ..PLAIN },
        Row { name: "post-order", walk: |w| w.order(brisk::Order::Depth(Shape::Post)), ..PLAIN },
        Row { name: "min_depth", walk: |w| w.min_depth(2), ..PLAIN },

        // A directory that is not entered is not opened.
        Row { name: "max_depth 0", walk: |w| w.max_depth(0), open: 0, ..PLAIN },
        Row { name: "max_depth 1", walk: |w| w.max_depth(1), open: 1, ..PLAIN },
        Row { name: "max_depth 2", walk: |w| w.max_depth(2), open: 4, ..PLAIN },
        Row { name: "pruned", rules: Rules { pruned: &["a"], ..PLAIN.rules }, open: 4, ..PLAIN },
        Row { name: "refused", rules: Rules { refused: &["a"], ..PLAIN.rules }, open: 4, ..PLAIN },
        Row { name: "dropped", rules: Rules { dropped: &["a", "b"], ..PLAIN.rules }, open: 2, ..PLAIN },
        Row { name: "entered alone", rules: Rules { only_entered: &["r", "a", "b"], ..PLAIN.rules }, ..PLAIN },

        // One stat for each entry that is taken with fields, and none for the others.
        Row { name: "sizes", rules: taking(Fields::SIZE), stat: ENTRIES, ..PLAIN },
        Row { name: "all of a stat's fields at once",
            rules: taking(Fields::SIZE.union(Fields::MODE).union(Fields::MTIME).union(Fields::TYPE)),
            stat: ENTRIES, ..PLAIN },
        Row { name: "sizes, dropping files",
            rules: Rules { dropped: &["f", "g", "h", "c"], ..taking(Fields::SIZE) }, stat: ENTRIES - 4, ..PLAIN },
        Row { name: "sizes, dropping directories",
            rules: Rules { dropped: &["a"], ..taking(Fields::SIZE) }, open: 4, stat: ENTRIES - 4, ..PLAIN },
        Row { name: "sizes, entering alone",
            rules: Rules { only_entered: &["a", "b", "d", "s", "e"], ..taking(Fields::SIZE) },
            stat: ENTRIES - 5, ..PLAIN },
        Row { name: "sizes at a depth", walk: |w| w.min_depth(2).max_depth(2), rules: taking(Fields::SIZE),
            open: 4, stat: 1 + 5, ..PLAIN },
        Row { name: "links' targets", rules: taking(Fields::LINK_TARGET), read_link: LINKS, ..PLAIN },
        Row { name: "links' targets and sizes", rules: taking(Fields::LINK_TARGET.union(Fields::SIZE)),
            stat: ENTRIES, read_link: LINKS, ..PLAIN },
        Row { name: "what links lead to", rules: taking(Fields::TARGET), stat: 1 + LINKS, ..PLAIN },
        Row { name: "what links lead to, and their texts", rules: taking(Fields::TARGET.union(Fields::LINK_TARGET)),
            stat: 1 + LINKS, read_link: LINKS, ..PLAIN },
        Row { name: "what links lead to, and modes", rules: taking(Fields::TARGET.union(Fields::MODE)),
            stat: ENTRIES + LINKS, ..PLAIN },
        // A followed link's target is known; a link that could not be followed leads nowhere.
        Row { name: "what followed links lead to", walk: |w| w.follow(Follow::Always),
            rules: taking(Fields::TARGET), open: DIRECTORIES + 1, stat: 1 + LINKS, ..PLAIN },

        // Extended attributes: capabilities of files alone, and one call for several attributes, after
        // one that asks whether the device stores any.
        Row { name: "capabilities", rules: taking(Fields::CAPS), xattr: FILES, ..PLAIN },
        Row { name: "access", rules: taking(Fields::ACCESS), xattr: ENTRIES + 1, ..PLAIN },
        Row { name: "access and capabilities", rules: taking(Fields::ACCESS.union(Fields::CAPS)),
            xattr: ENTRIES + 1, ..PLAIN },
        Row { name: "access and contexts, of which there are none",
            rules: taking(Fields::ACCESS.union(Fields::CONTEXT)), xattr: ENTRIES + 1, ..PLAIN },
        Row { name: "contexts and modes", rules: taking(Fields::CONTEXT.union(Fields::MODE)),
            stat: ENTRIES, xattr: ENTRIES, ..PLAIN },

        // A followed link costs a stat, and a directory that it leads to an open.
        Row { name: "following", walk: |w| w.follow(Follow::Always), open: DIRECTORIES + 1,
            stat: 1 + LINKS, ..PLAIN },
        Row { name: "following, dropping links", walk: |w| w.follow(Follow::Always),
            rules: Rules { dropped: &["l", "n"], ..PLAIN.rules }, stat: 1 + LINKS, ..PLAIN },
        Row { name: "following where there is no link", roots: &["r/a"],
            walk: |w| w.follow(Follow::Always), open: 2, ..PLAIN },

        // The walk's own questions: a stat for a directory, and a stat for an entry.
        Row { name: "one file system", walk: |w| w.mounts(Mounts::SameDevice), stat: DIRECTORIES + 1, ..PLAIN },
        Row { name: "unique", walk: |w| w.unique(true), stat: ENTRIES, ..PLAIN },
        Row { name: "unique, with sizes", walk: |w| w.unique(true), rules: taking(Fields::SIZE),
            stat: ENTRIES, ..PLAIN },
    ]
}

#[test]
fn a_walk_makes_these_calls_and_no_others() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    let mut wrong = Vec::new();
    for row in table() {
        for order in ORDERS {
            // A worker that reads ahead may open a directory that is pruned later.
            let ordered = matches!(order, brisk::Order::Depth(_) | brisk::Order::Sorted(_));
            let ahead = ordered && !row.rules.pruned.is_empty();
            for mode in [Mode::Serial, Mode::Threads(4)] {
                if ahead && mode != Mode::Serial {
                    continue;
                }
                let roots = row.roots.iter().map(|root| place.path().join(root));
                let rules = Rules { lingers: mode != Mode::Serial, ..row.rules };
                let outcome = run((row.walk)(Walk::over(roots).order(order)), mode, rules);
                let Row { open, stat, read_link, xattr, .. } = row;
                let what = format!("{}: {order:?} {mode:?}", row.name);
                let Stats { calls, directories, .. } = outcome.stats();
                let read = reads(open, calls.read);
                let made = kinds(&calls);
                let expected = [open, read, stat, read_link, xattr, 0, 0];
                if made != expected || directories != open || !outcome.wrong.is_empty() {
                    wrong.push(format!("{what}: {calls:?}, not {expected:?} {:?}", outcome.wrong));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All kinds of calls.
fn kinds(calls: &Calls) -> [u64; 7] {
    let Calls { open, read, stat, read_link, xattr, reopen, visitor, .. } = *calls;
    let kinds = [open, read, stat, read_link, xattr, reopen, visitor];
    assert_eq!(kinds.iter().sum::<u64>(), calls.total());
    kinds
}

/// The reads of small directories: one each where the file system marks the end, and elsewhere a
/// second one each, which returns 0.
fn reads(directories: u64, made: u64) -> u64 {
    if made == directories { made } else { 2 * directories }
}

/// A huge directory is read by one call for each buffer that it fills, and one more.
#[test]
fn a_huge_directory_is_read_in_full_buffers() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let count = 10_000;
    crate::tree::files(place.path(), count, 40);
    // A record has 19 bytes before its name, then a NUL, and is padded to eight bytes.
    let bytes = count as u64 * 64;
    for order in ORDERS {
        let stats =
            run(Walk::new(place.path()).order(order), Mode::Serial, Rules::default()).stats();
        let most = bytes.div_ceil(60 << 10) + 2;
        assert!(stats.calls.read <= most, "{order:?}: {} reads, not {most}", stats.calls.read);
        assert_eq!((stats.calls.open, stats.calls.stat), (1, 1), "{order:?}");
    }
}

/// If no handles can be kept, a directory may be opened again for each of its children, and nothing
/// else is asked.
#[test]
fn few_handles_cost_opens_alone() {
    let place = tempfile::tempdir().expect("a scratch directory");
    grow(place.path(), TREE);
    for order in ORDERS {
        let walk = Walk::new(place.path().join("r")).order(order).handle_limit(0);
        let calls = run(walk, Mode::Serial, Rules::default()).stats().calls;
        let Calls { open, read, stat, reopen, .. } = calls;
        let reads = reads(DIRECTORIES, read);
        assert_eq!((open, read, stat), (DIRECTORIES, reads, 1), "{order:?}");
        // At most: the root for the three directories in it, and again for the two below those.
        assert!(reopen <= 7, "{order:?}: {calls:?}");
    }
}
