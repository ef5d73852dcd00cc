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
        Ok(true)
    };
    Test::call("call", holds).into()
}

fn told() -> Expr {
    let fails = |_: &Entry<'_>, _: &mut u64| Err(io::ErrorKind::PermissionDenied.into());
    Test::call("told", fails).in_place().into()
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
        assert!(matches!(answer, Yes | No) || filter.has_second_pass(), "{text}");
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
    let mut scratch = Scratch::default();
    with_entry(FileType::File, None, |entry| Filter::new(told()).judge(entry, &mut scratch));
    assert_eq!(scratch.failed.len(), 1);
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
        (All(vec![meta(true), told(), meta(true), name("a")]), "a meta told meta"),
        (All(vec![told(), meta(true), call(), name("a")]), "a told meta call"),
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
    assert!(!filter.is_steady() && filter.has_second_pass() && !filter.is_all());
    assert!(Filter::default().is_all() && Filter::default().is_steady());
    let named = Filter::new(name("x"));
    assert!(!named.has_second_pass() && named.is_steady() && !named.is_all());
}

/// What the actions of an expression see of an entry: the early answer, whether it is refused late,
/// and the actions that are done. Those with odd numbers do not hold.
fn acted(expr: Expr, file_type: FileType, known: Option<&Meta>) -> (Early, bool, Vec<u16>) {
    let filter = Filter::new(expr);
    let early = with_entry(file_type, None, |entry| filter.early(entry, &mut Scratch::default()));
    with_entry(file_type, known, |entry| {
        let mut scratch = Scratch::default();
        let is_refused = !filter.judge(entry, &mut scratch);
        assert_eq!(scratch.requests, 0, "{}", filter.key());
        let mut done = Vec::new();
        filter.judge_and_do(entry, &mut scratch, &|| None, &mut |act, _| {
            done.push(act);
            act % 2 == 0
        });
        assert!(!is_refused || done.is_empty(), "{}", filter.key());
        (early, is_refused, done)
    })
}

#[test]
fn acts_are_done_in_order_and_only_where_they_are_reached() {
    use Early::{Ask, No};
    use Expr::{Action as Act, All, Any, List, Prune};
    use FileType::{Directory, File};
    let size = Fields::SIZE;
    let none = Fields::empty();
    // The expression, the type, the early answer, whether the entry is refused late, what is done.
    let table = [
        (Act(0), File, Ask(none), false, vec![0]),
        (All(vec![name("y"), Act(0)]), File, No, true, vec![]),
        (All(vec![NO, Act(0)]), File, No, true, vec![]),
        (All(vec![meta(true), Act(0)]), File, Ask(size), false, vec![0]),
        (All(vec![meta(false), Act(0)]), File, Ask(size), true, vec![]),
        (All(vec![name("y"), meta(true), Act(0)]), File, No, true, vec![]),
        (All(vec![meta(true), name("y"), Act(0)]), File, No, true, vec![]),
        (All(vec![!meta(false), Act(0), Act(1), Act(2)]), File, Ask(size), false, vec![0, 1]),
        (All(vec![call(), Act(0)]), File, Ask(none), false, vec![0]),
        (All(vec![!call(), Act(0)]), File, Ask(none), false, vec![]),
        // What fails does not hold, and its opposite does.
        (All(vec![told(), Act(0)]), File, Ask(none), false, vec![]),
        (All(vec![!told(), Act(0)]), File, Ask(none), false, vec![0]),
        // A failure is told even where no act is reached, but not where the test is not.
        (Any(vec![told(), All(vec![name("y"), Act(0)])]), File, Ask(none), false, vec![]),
        (All(vec![told(), name("y"), Act(0)]), File, No, true, vec![]),
        // An act's value is not known before.
        (All(vec![Act(0), meta(false), Act(2)]), File, Ask(size), false, vec![0]),
        (Any(vec![Act(1), All(vec![meta(true), Act(2)])]), File, Ask(size), false, vec![1, 2]),
        (Any(vec![Act(0), All(vec![meta(true), Act(2)])]), File, Ask(size), false, vec![0]),
        (All(vec![Any(vec![meta(true), Act(1)]), name("y")]), File, Ask(size), true, vec![]),
        (All(vec![Any(vec![meta(false), Act(1)]), name("y")]), File, Ask(size), false, vec![1]),
        (!All(vec![name("x"), Act(1)]), File, Ask(none), false, vec![1]),
        // What is unreachable costs nothing, whatever stands before it.
        (
            Any(vec![All(vec![meta(true), Act(0)]), All(vec![name("y"), times(), Act(2)])]),
            File,
            Ask(size),
            false,
            vec![0],
        ),
        (
            Any(vec![All(vec![meta(true), NO]), All(vec![name("y"), Act(2)])]),
            File,
            No,
            true,
            vec![],
        ),
        // A list is evaluated whole.
        (List(vec![Act(1), name("y"), Act(3)]), File, Ask(none), false, vec![1, 3]),
        (All(vec![List(vec![Act(1), name("x")]), Act(2)]), File, Ask(none), false, vec![1, 2]),
        (All(vec![List(vec![Act(0), name("y")]), Act(2)]), File, Ask(none), false, vec![0]),
        (All(vec![List(vec![name("y"), name("x")]), Act(2)]), File, Ask(none), false, vec![2]),
        (
            List(vec![Any(vec![meta(true), All(vec![name("x"), Act(0)])]), name("y")]),
            File,
            Ask(size),
            true,
            vec![],
        ),
        // A prune that is not certain waits for metadata, but only of what could be entered.
        (
            Any(vec![All(vec![meta(true), Prune]), All(vec![name("y"), Act(0)])]),
            File,
            No,
            true,
            vec![],
        ),
        (
            Any(vec![All(vec![call(), Prune]), All(vec![name("y"), Act(0)])]),
            Directory,
            Ask(none),
            false,
            vec![],
        ),
        (
            Any(vec![All(vec![meta(true), Prune]), All(vec![name("y"), Act(0)])]),
            Directory,
            Ask(size),
            true,
            vec![],
        ),
        (All(vec![name("x"), Prune, name("y"), Act(0)]), Directory, No, true, vec![]),
    ];
    for (at, (expr, file_type, early, is_refused, done)) in table.into_iter().enumerate() {
        let found = acted(expr, file_type, Some(&Meta::default()));
        assert_eq!(found, (early, is_refused, done), "row {at}");
    }
    // Of metadata that is missing a test does not hold, and its opposite does.
    let missing = |expr| acted(expr, File, None).2;
    assert_eq!(missing(All(vec![meta(true), Act(0)])), []);
    assert_eq!(missing(All(vec![!meta(true), Act(0)])), [0]);
}

#[test]
fn acts_and_lists_keep_their_places() {
    use Expr::{Action as Act, All, List};
    let filter = Filter::new(All(vec![meta(true), name("a"), Act(1), name("c"), name("b")]));
    assert_eq!(filter.key(), "a meta --act 1 b c");
    assert!(
        filter.has_actions() && filter.has_second_pass() && !Filter::new(name("a")).has_actions()
    );
    let list = List(vec![name("a"), Act(0), Act(0), meta(true), name("b")]);
    assert_eq!(Filter::new(list).key(), "( --act 0 , --act 0 , b )");
    assert_eq!(Filter::new(List(vec![meta(true), name("b")])).key(), "b");
    assert_eq!(Filter::new(List(vec![told(), name("b")])).key(), "( told , b )");
}
