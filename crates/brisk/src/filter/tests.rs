//! Tables: what is known early, in which order tests come, and their text.

use brisk_sys::{Meta, Timestamp};

use super::*;
use crate::Directory;

const YES: Expr = Expr::All(Vec::new());
const NO: Expr = Expr::Any(Vec::new());

fn meta(fits: bool) -> Expr {
    Test::meta("meta", |_| Fields::SIZE, move |_, _| fits).into()
}

fn times() -> Expr {
    let ask = |file_type: FileType| match file_type {
        FileType::Directory => Fields::empty(),
        _ => Fields::MTIME,
    };
    Test::meta("times", ask, |_, meta| meta.mtime() > Some(Timestamp::default())).unsteady().into()
}

fn call() -> Expr {
    let holds = |_: &Entry<'_>, requests: &mut u64| {
        *requests += 1;
        true
    };
    Test::call("call", holds).into()
}

fn types(file_type: FileType) -> Expr {
    Test::types(format!("{file_type:?}"), Types::of([file_type])).into()
}

fn name(text: &'static str) -> Expr {
    Test::name(text, move |name| name == text.as_bytes()).into()
}

fn path(text: &'static str) -> Expr {
    Test::path(format!("/{text}"), PathOf::BelowRoot, move |path| path == text.as_bytes()).into()
}

/// An entry `dir/x` of this type at depth 1.
fn with_entry<T>(file_type: FileType, meta: Option<&Meta>, see: impl FnOnce(&Entry<'_>) -> T) -> T {
    let dir = Directory::new(b"dir/", 0, None);
    see(&Entry { meta, ..Entry::new(&dir, c"x", 1, file_type, 1) })
}

#[test]
fn what_is_known_early() {
    use Early::{Ask, No, Yes};
    use Expr::{All, Any, Prune};
    use FileType::{Directory, File, Unknown};
    let size = Fields::SIZE;
    let none = Fields::empty();
    // The expression, the type, the answer, and whether the entry is pruned.
    let table = [
        (YES, File, Yes, false),
        (NO, File, No, false),
        (!YES, File, No, false),
        (!!name("x"), File, Yes, false),
        (name("y"), File, No, false),
        (path("x"), File, Yes, false),
        (types(File), File, Yes, false),
        (types(File), Directory, No, false),
        (types(File), Unknown, Ask(Fields::TYPE), false),
        (meta(true), File, Ask(size), false),
        (!meta(true), File, Ask(size), false),
        (call(), File, Ask(none), false),
        (All(vec![meta(true), name("x")]), File, Ask(size), false),
        (All(vec![meta(true), name("y")]), File, No, false),
        (All(vec![meta(true), times()]), File, Ask(size | Fields::MTIME), false),
        (All(vec![meta(true), times()]), Directory, Ask(size), false),
        (Any(vec![meta(true), name("x")]), File, Yes, false),
        (Any(vec![meta(true), name("y")]), File, Ask(size), false),
        (!Any(vec![meta(true), name("x")]), File, No, false),
        // What a name leaves out is not asked.
        (Any(vec![All(vec![meta(true), name("y")]), times()]), File, Ask(Fields::MTIME), false),
        (All(vec![Any(vec![meta(true), name("x")]), times()]), File, Ask(Fields::MTIME), false),
        (Any(vec![All(vec![types(File), meta(true)]), call()]), Directory, Ask(none), false),
        (Prune, Directory, Yes, true),
        (All(vec![name("x"), Prune, NO]), Directory, No, true),
        (All(vec![name("y"), Prune]), Directory, No, false),
        (Any(vec![All(vec![name("x"), Prune]), name("y")]), Directory, Yes, true),
        (Any(vec![!name("x"), Prune]), Directory, Yes, true),
        (!All(vec![name("x"), Prune]), Directory, No, true),
        // Nothing is pruned before it is known.
        (All(vec![meta(true), Prune]), Directory, Ask(size), false),
        (All(vec![meta(true), Prune, NO]), Directory, Ask(size), false),
        (All(vec![meta(true), Prune, NO]), Unknown, Ask(size), false),
        (All(vec![meta(true), Prune, NO]), File, No, false),
        (Any(vec![All(vec![meta(true), Prune]), name("x")]), Directory, Ask(size), false),
        (Any(vec![All(vec![meta(true), Prune]), name("x"), times()]), File, Yes, false),
        (Any(vec![meta(true), name("x"), Prune]), Directory, Yes, false),
        (Any(vec![meta(true), All(vec![Prune, times()])]), File, Ask(size | Fields::MTIME), false),
    ];
    for (expr, file_type, answer, is_pruned) in table {
        let filter = Filter::new(expr);
        let text = filter.key();
        let found = with_entry(file_type, None, |entry| {
            (filter.early(entry, &mut Scratch::default()), entry.is_pruned())
        });
        assert_eq!(found, (answer, is_pruned), "{text}");
        assert!(matches!(answer, Yes | No) || filter.is_late(), "{text}");
    }
}

#[test]
fn metadata_decides_late() {
    use Expr::{All, Any, Prune};
    let table = [
        (meta(true), true, false, 0),
        (meta(false), false, false, 0),
        (!meta(false), true, false, 0),
        (All(vec![call(), meta(false)]), false, false, 0),
        (All(vec![call(), meta(true)]), true, false, 1),
        (Any(vec![call(), meta(true)]), true, false, 0),
        (All(vec![meta(true), Prune]), true, true, 0),
        (All(vec![meta(true), Any(vec![!name("x"), Prune])]), true, true, 0),
        (All(vec![meta(false), Prune]), false, false, 0),
        (All(vec![meta(true), Prune, name("y")]), false, true, 0),
        (Any(vec![All(vec![meta(true), Prune]), name("x")]), true, true, 0),
        (Any(vec![All(vec![meta(false), Prune]), name("x")]), true, false, 0),
        (All(vec![types(FileType::File), name("x")]), false, false, 0),
    ];
    for (expr, passes, is_pruned, requests) in table {
        let filter = Filter::new(expr);
        let text = filter.key();
        let known = Meta::default();
        with_entry(FileType::Directory, Some(&known), |entry| {
            let mut scratch = Scratch::default();
            assert_eq!(filter.judge(entry, &mut scratch), passes, "{text}");
            assert_eq!((entry.is_pruned(), scratch.requests), (is_pruned, requests), "{text}");
        });
    }
    for expr in [meta(true), !meta(true), !meta(false)] {
        let filter = Filter::new(expr);
        let missing = |entry: &Entry<'_>| filter.judge(entry, &mut Scratch::default());
        assert!(
            !with_entry(FileType::File, None, missing),
            "metadata that is missing fits no test"
        );
    }
}

#[test]
fn cheaper_tests_come_first_and_texts_are_canonical() {
    use Expr::{All, Any, Prune};
    let file = || types(FileType::File);
    let table = [
        (YES, ""),
        (
            All(vec![call(), meta(true), path("p"), name("b"), name("a"), file()]),
            "File a b /p meta call",
        ),
        (All(vec![name("a"), All(vec![file(), name("a")])]), "File a"),
        (Any(vec![meta(true), name("a"), Any(vec![file()])]), "( File -o a -o meta )"),
        (
            All(vec![Any(vec![call(), file()]), Any(vec![name("b"), name("a")])]),
            "( a -o b ) ( File -o call )",
        ),
        (!!name("a"), "a"),
        (All(vec![!NO, !YES]), "! -false ! -true"),
        (!All(vec![name("b"), name("a")]), "! ( a b )"),
        // Nothing moves past what can be seen.
        (All(vec![meta(true), name("b"), Prune, call(), name("a")]), "b meta -prune a call"),
        (All(vec![Prune, Prune]), "-prune -prune"),
    ];
    for (expr, key) in table {
        assert_eq!(Filter::new(expr).key(), key);
    }
}

#[test]
fn a_filter_tells_what_it_needs() {
    let filter = Filter::new(Expr::Any(vec![times(), meta(true), name("x")]));
    assert_eq!(filter.fields(FileType::Directory), Fields::SIZE);
    assert_eq!(filter.fields(FileType::Unknown), Fields::SIZE | Fields::MTIME);
    assert!(!filter.is_steady() && filter.is_late() && !filter.is_all());
    assert!(Filter::default().is_all() && Filter::default().is_steady());
    let named = Filter::new(name("x"));
    assert!(!named.is_late() && named.is_steady() && !named.is_all());
}
