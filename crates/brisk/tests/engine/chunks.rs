//! Packed chunks: what they hold is what iterators yield, in every order.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use brisk::filter::Filter;
use brisk::{
    Cancel, ChunkEntry, DirEntry, Fields, FileType, Follow, Meta, Order, OwnedChunk, Shape, Walk,
};

use crate::record::in_time;
use crate::tree::{bushy, can_grow, files, grow};

pub const ALL_ORDERS: [Order; 8] = [
    Order::Unordered,
    Order::Breadth,
    Order::Depth(Shape::Pre),
    Order::Depth(Shape::Post),
    Order::Depth(Shape::SiblingsFirst),
    Order::Sorted(Shape::Pre),
    Order::Sorted(Shape::Post),
    Order::Sorted(Shape::SiblingsFirst),
];

/// Whether what is delivered is in the same order at every run over an unchanged tree.
pub fn is_settled(order: Order) -> bool {
    !matches!(order, Order::Unordered | Order::Breadth)
}

const ASKED: Fields = Fields::SIZE.union(Fields::MTIME).union(Fields::LINK_TARGET);

/// Path, type, whether a link was followed, inode, depth, metadata.
type Seen = (PathBuf, FileType, bool, u64, usize, Option<Meta>);

/// What was asked for, and no more: the kernel also reports access times, which walks change.
fn asked(meta: Option<&Meta>) -> Option<Meta> {
    let mut meta = meta?.clone();
    meta.retain(ASKED);
    Some(meta)
}

fn of_owned(entry: &DirEntry) -> Seen {
    let path = entry.path().to_owned();
    let meta = asked(entry.meta());
    (path, entry.file_type(), entry.is_followed_link(), entry.ino(), entry.depth(), meta)
}

fn of_packed(entry: &ChunkEntry<'_>) -> Seen {
    let meta = asked(entry.meta());
    let path = entry.to_owned().into_path();
    (path, entry.file_type(), entry.is_followed_link(), entry.ino(), entry.depth(), meta)
}

/// Checks that all ways to an entry of the chunk agree.
fn check(chunk: &OwnedChunk) {
    assert!(!chunk.is_empty());
    assert_eq!(chunk.iter().len(), chunk.len());
    assert!(chunk.get(chunk.len()).is_none());
    for (at, entry) in chunk.iter().enumerate() {
        let mut path = b"before ".to_vec();
        entry.path_into(&mut path);
        assert_eq!(path, [b"before ", entry.prefix(), entry.name()].concat());
        assert_eq!(entry.c_name().to_bytes(), entry.name());
        assert_eq!(entry.prefix_with_nul(), [entry.prefix(), b"\0"].concat());
        assert_eq!(&path[7..], entry.to_owned().path().as_os_str().as_encoded_bytes());
        assert_eq!(entry.is_hidden(), entry.name().starts_with(b"."));
        assert_eq!(entry.prefix().is_empty(), entry.depth() == 0);
        let owned = entry.to_owned();
        assert_eq!(of_owned(&owned), of_packed(&entry));
        assert_eq!(owned.file_name().as_encoded_bytes(), entry.name());
        assert_eq!(chunk.get(at).map(|entry| of_packed(&entry)), Some(of_packed(&entry)));
    }
}

/// All entries of the walk, by chunks.
fn by_chunks(walk: Walk, fields: Fields) -> Vec<Seen> {
    let mut all = Vec::new();
    for chunk in walk.par_chunks(fields) {
        let chunk = chunk.expect("a chunk");
        check(&chunk);
        all.extend(chunk.iter().map(|entry| of_packed(&entry)));
    }
    all
}

fn by_entries(walk: impl Iterator<Item = Result<DirEntry, brisk::Error>>) -> Vec<Seen> {
    walk.map(|entry| of_owned(&entry.expect("an entry"))).collect()
}

/// Sorts by the bytes of paths: as paths, `d` and `d/.` are equal.
fn sort(seen: &mut [Seen]) {
    seen.sort_by(|a, b| a.0.as_os_str().cmp(b.0.as_os_str()));
}

/// Compares two long lists, and shows where they first differ.
fn same(seen: &[Seen], expected: &[Seen], what: &str) {
    let first = seen.iter().zip(expected).find(|(seen, expected)| seen != expected);
    assert_eq!(first, None, "{what}");
    assert_eq!(seen.len(), expected.len(), "{what}");
}

#[test]
fn chunks_hold_what_iterators_yield() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 3, 4);
    // More than a buffer of one directory, and more than one level.
    files(place.path(), 3000, 40);
    grow(place.path(), ".hidden:3 .d/ .d/f:70");
    let links = "l->d0 m->000 n->nowhere";
    if can_grow(links) {
        grow(place.path(), links);
    }
    for order in ALL_ORDERS {
        for threads in [1, 4] {
            for fields in [Fields::empty(), ASKED] {
                let walk = Walk::new(place.path()).order(order).threads(NonZeroUsize::new(threads));
                let mut expected = by_entries(walk.clone().iter_with(fields));
                let mut chunks = by_chunks(walk.clone(), fields);
                let mut entries = by_entries(walk.par_iter(fields));
                if !is_settled(order) {
                    for seen in [&mut expected, &mut chunks, &mut entries] {
                        sort(seen);
                    }
                }
                let what = format!("{order:?}, {threads} threads, {fields:?}");
                same(&chunks, &expected, &what);
                same(&entries, &expected, &what);
            }
        }
    }
}

/// Breadth first, no worker keeps what it has read of one level until the next.
#[test]
fn levels_come_one_after_the_other_from_several_workers() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 4, 2);
    for _ in 0..20 {
        let walk = Walk::new(place.path()).order(Order::Breadth).threads(NonZeroUsize::new(4));
        let entries = walk.par_iter(Fields::empty());
        assert!(entries.map(|entry| entry.expect("an entry").depth()).is_sorted());
    }
}

#[test]
fn a_filter_leaves_out_what_is_below_a_directory_in_every_order() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 3, 2);
    let root = place.path().to_owned();
    let is_kept = |(path, ..): &Seen| {
        path.strip_prefix(&root).expect("below").iter().all(|name| name != "d1")
    };
    for order in ALL_ORDERS {
        for threads in [1, 4] {
            let walk = Walk::new(&root).order(order).threads(NonZeroUsize::new(threads)).dots(true);
            let mut expected = by_entries(walk.clone().into_iter());
            let filtered = walk.filter(Filter::dirs(|dir| {
                assert!(dir.depth() > 0 && dir.file_type().is_dir(), "{dir:?}");
                assert!(!matches!(dir.name(), b"." | b".."));
                dir.name() != b"d1"
            }));
            let mut serial = by_entries(filtered.clone().into_iter());
            let mut parallel = by_entries(filtered.par_iter(Fields::empty()));
            expected.retain(is_kept);
            for seen in [&mut expected, &mut serial, &mut parallel] {
                sort(seen);
            }
            same(&serial, &expected, &format!("{order:?}, serial"));
            same(&parallel, &expected, &format!("{order:?}, {threads} threads"));
            assert!(expected.len() > 20);
        }
    }
}

#[test]
fn links_that_are_followed_are_so_in_chunks() {
    let place = tempfile::tempdir().expect("a scratch directory");
    let spec = "d/ f:5 l->d m->f";
    if !can_grow(spec) {
        return;
    }
    grow(place.path(), spec);
    let walk = Walk::new(place.path()).min_depth(1).follow(Follow::Always);
    let walk = walk.order(Order::Sorted(Shape::Pre));
    let seen = by_chunks(walk, Fields::SIZE);
    let seen: Vec<_> = seen
        .iter()
        .map(|seen| (seen.0.file_name().and_then(|name| name.to_str()), seen.1, seen.2))
        .collect();
    let file = FileType::File;
    let directory = FileType::Directory;
    let expected = [("d", directory, false), ("f", file, false), ("l", directory, true)];
    let expected = [&expected[..], &[("m", file, true)]].concat();
    let expected: Vec<_> =
        expected.into_iter().map(|(name, kind, is)| (Some(name), kind, is)).collect();
    assert_eq!(seen, expected);
}

#[test]
fn errors_come_between_chunks() {
    let place = tempfile::tempdir().expect("a scratch directory");
    files(place.path(), 3, 1);
    let missing = place.path().join("missing");
    let walk = Walk::over([place.path(), &missing]);
    let (chunks, errors): (Vec<_>, Vec<_>) =
        walk.clone().par_chunks(Fields::empty()).partition(Result::is_ok);
    let entries: usize = chunks.iter().flatten().map(OwnedChunk::len).sum();
    assert_eq!((entries, errors.len()), (4, 1));
    let error = errors.into_iter().find_map(Result::err).expect("an error");
    assert_eq!(error.path(), missing);
    let (entries, errors): (Vec<_>, Vec<_>) =
        walk.par_iter(Fields::empty()).partition(Result::is_ok);
    assert_eq!((entries.len(), errors.len()), (4, 1));
}

/// More chunks than may wait: the walk stands still until the iterator is dropped.
#[test]
fn dropping_the_iterator_ends_the_walk() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 4, 4, 60);
    for taken in [0, 1, 5] {
        let walk = Walk::new(place.path());
        let chunks = move || {
            let chunks = walk.par_chunks(Fields::empty());
            chunks.take(taken).filter(Result::is_ok).count()
        };
        assert_eq!(in_time("a walk whose iterator is dropped", chunks), taken);
    }
}

/// A chunk outlives its walk, and another thread reads it.
#[test]
fn a_chunk_outlives_its_walk_in_another_thread() {
    let place = tempfile::tempdir().expect("a scratch directory");
    files(place.path(), 5, 3);
    let walk = Walk::new(place.path()).min_depth(1);
    let chunks = walk.par_chunks(Fields::SIZE).collect::<Result<Vec<_>, _>>();
    let chunks = chunks.expect("chunks");
    drop(place);
    let names = in_time("reading a chunk", move || {
        let entries = chunks.iter().flat_map(OwnedChunk::iter);
        let mut names: Vec<_> = entries.map(|entry| entry.name().to_vec()).collect();
        names.sort();
        names
    });
    assert_eq!(names, [b"000", b"001", b"002", b"003", b"004"]);
}

/// The thread that pulls is the walk's first worker, and may change from chunk to chunk.
#[test]
fn any_thread_can_pull() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 4, 60);
    for order in ALL_ORDERS {
        for threads in [1, 3] {
            let walk = Walk::new(place.path()).order(order).threads(NonZeroUsize::new(threads));
            let expected = walk.clone().into_iter().count();
            let found = in_time("a walk that threads pull in turn", move || {
                let mut chunks = walk.par_chunks(Fields::empty());
                let mut chunk = OwnedChunk::default();
                let mut found = 0;
                let mut pull = || {
                    let goes_on = chunks.refill(&mut chunk);
                    found += if goes_on { chunk.len() } else { 0 };
                    goes_on
                };
                while std::thread::scope(|scope| scope.spawn(&mut pull).join().expect("a chunk")) {}
                assert!(!pull());
                found
            });
            assert_eq!(found, expected, "{order:?}, {threads} threads");
        }
    }
}

/// While its caller is busy elsewhere, the walk goes on until 16,384 entries wait. Six chunks may
/// come on top: one that the caller has taken, one that waits beyond the limit, and one for each of
/// four workers. A chunk has at most 511 entries and those of one more directory.
#[test]
#[expect(clippy::disallowed_methods, reason = "the walk gets time to run away")]
fn a_walk_does_not_run_away_from_its_caller() {
    let place = tempfile::tempdir().expect("a scratch directory");
    bushy(place.path(), 3, 4, 400);
    let cancel = Cancel::new();
    let walk = Walk::new(place.path()).threads(NonZeroUsize::new(4)).cancelled_by(&cancel);
    let mut chunks = walk.par_chunks(Fields::empty());
    let mut chunk = OwnedChunk::default();
    assert!(chunks.refill(&mut chunk));
    std::thread::sleep(Duration::from_millis(200));
    cancel.now();
    let mut found = chunk.len();
    while chunks.refill(&mut chunk) {
        found += chunk.len();
    }
    let chunk = 511 + 404;
    assert!(found < 16_384 + 6 * chunk, "{found} of 34,000");
}
