//! Changing modes and owners of trees, as a caller of the library sees it.

use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use brisk::change::{Change, Done, Ids, ModeChange, Observer, Status, To};
use brisk::filter::{Expr, Filter, Test, Types};
use brisk::ignore::{Options, Rules};
use brisk::remove::{Failure, Remove};
use brisk::{Error, Fields, FileType, Flow, Flushed, Operation, Pause, Walk};

use crate::tree::grow;

const TREE: &str = "t/ t/a/ t/a/b/ t/a/b/f t/a/g t/c/ t/c/h.o t/l->a";

/// Writes down what became of each entry.
#[derive(Default)]
struct Recorder {
    told: Vec<(String, Status)>,
    errors: Vec<Operation>,
    stops: bool,
}

impl Observer for Recorder {
    fn error(&mut self, error: Error) {
        self.errors.push(error.operation());
    }

    fn done(&mut self, done: &Done<'_>) {
        self.told.push((String::from_utf8_lossy(done.path).into_owned(), done.status));
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        let flow = if self.stops { Flow::Stop } else { Flow::Continue };
        Flushed { flow, ..Flushed::default() }
    }

    fn fork(&self, _: usize) -> Self {
        Recorder { stops: self.stops, ..Recorder::default() }
    }

    fn merge(&mut self, other: Self) {
        self.told.extend(other.told);
        self.errors.extend(other.errors);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o7777
}

fn to(mode: u32) -> To {
    To::Mode(ModeChange::exactly(mode))
}

#[test]
fn what_the_filter_admits_is_changed_and_the_observer_hears_of_it() {
    let scratch = testkit::scratch();
    grow(scratch.path(), TREE);
    let root = scratch.path().join("t");
    let directory = Expr::from(Test::types("d", Types::of([FileType::Directory])));
    let object = Expr::from(Test::name("*.o", |name| name.ends_with(b".o")));
    let sized = Test::meta("size", |_| Fields::SIZE, |_, meta| meta.size().is_some());
    let filter = Filter::new(Expr::All(vec![!directory, !object, sized.into()]));
    let walk = Walk::new(&root).threads(NonZeroUsize::new(4));
    let change = Change::new(walk.clone().filter(filter), to(0o640));
    let (recorder, report) = change.run(Recorder::default());
    let told = |name: &str| recorder.told.iter().find(|(path, _)| path.ends_with(name));
    assert_eq!(recorder.told.len(), 3);
    assert_eq!(told("/l").map(|told| told.1), Some(Status::NoMode));
    assert_eq!(told("/f").map(|told| told.1), Some(Status::Changed));
    assert_eq!((report.changed, report.retained, report.failed), (2, 0, 0));
    assert_eq!(mode(&root.join("a/g")), 0o640);
    assert_ne!(mode(&root.join("c/h.o")), 0o640, "it was not chosen");

    let dry = Change { dry_run: true, ..Change::new(walk, to(0o600)) };
    assert_eq!(dry.run(Vec::new()).1.changed, 7, "each that is not a link");
    assert_eq!(mode(&root.join("a/g")), 0o640);
}

#[test]
fn what_rules_or_a_filter_refuse_is_not_removed_nor_are_the_directories_above() {
    let named = |name: &'static str| Expr::from(Test::name(name, move |is| is == name.as_bytes()));
    let large = Test::meta("large", |_| Fields::SIZE, |_, meta| meta.size() > Some(0));
    let left_out = !Expr::All(vec![named("a"), Expr::Prune]);
    let hides = Options { overrides: vec!["!a".into()], ..Options::none() };
    // (filter, rules, what stays)
    let cases = [
        (Filter::new(named("f")), None, "t t/a t/a/b t/a/g t/c t/c/h.o t/l"),
        (Filter::new(!named("f")), None, "t t/a t/a/b t/a/b/f"),
        (Filter::new(!named("b")), None, "t t/a t/a/b"),
        (Filter::new(left_out), None, "t t/a t/a/b t/a/b/f t/a/g"),
        (Filter::new(large.into()), None, "t t/a t/a/b t/a/b/f t/a/g t/c t/c/h.o"),
        (Filter::default(), Some(hides), "t t/a t/a/b t/a/b/f t/a/g"),
    ];
    for (filter, rules, stays) in cases {
        for threads in [1, 4] {
            let scratch = testkit::scratch();
            grow(scratch.path(), TREE);
            let shown = format!("{filter:?}, {rules:?}, {threads} threads");
            let rules = rules.clone().map(|rules| Rules::new(rules).expect("globs"));
            let walk = Walk::new(scratch.path().join("t")).filter(filter.clone()).rules(rules);
            let walk = walk.threads(NonZeroUsize::new(threads));
            let report = Remove::new(walk.clone()).run(&());
            assert!(report.is_complete(), "{shown}: {report:?}");
            let left = Walk::new(scratch.path().join("t")).into_iter().map(|entry| {
                let entry = entry.expect("no error");
                entry.path().strip_prefix(scratch.path()).expect("below").to_owned()
            });
            let mut left: Vec<_> = left.collect();
            left.sort();
            let stays: Vec<_> = stays.split(' ').map(PathBuf::from).collect();
            assert_eq!(left, stays, "{shown}");
        }
    }
}

/// What rules say of the entries of `a` is not known: it stays, and each reason is told once.
#[test]
fn a_directory_whose_rules_are_not_all_known_stays_with_those_above_it() {
    for threads in [1, 4] {
        for dry_run in [false, true] {
            let scratch = testkit::scratch();
            grow(scratch.path(), TREE);
            fs::write(scratch.path().join("t/a/.ignore"), "{\n")
                .expect("a line that is not a rule");
            let options = Options { names: vec![".ignore".into()], ..Options::none() };
            let rules = Rules::new(options).expect("no globs");
            let walk = Walk::new(scratch.path().join("t")).rules(Some(rules));
            let walk = walk.threads(NonZeroUsize::new(threads));
            let report = Remove { dry_run, ..Remove::new(walk) }.run(&());
            let of =
                |failure: &Failure| failure.path().strip_prefix(scratch.path()).map(Path::to_owned);
            let failures: Vec<_> = report.failures.iter().map(|failure| of(failure).ok()).collect();
            assert_eq!(
                failures,
                ["t/a/.ignore", "t/a"].map(|path| Some(path.into())),
                "{report:?}"
            );
            assert_eq!((report.files, report.directories), (2, 1), "{report:?}");
            let left = |name: &str| scratch.path().join("t").join(name).exists();
            assert!(left("a/b/f") && left("a/g") && left("c") == dry_run);
        }
    }
}

#[test]
fn directories_come_after_what_is_below_where_owners_are_set() {
    let scratch = testkit::scratch();
    grow(scratch.path(), TREE);
    let root = scratch.path().join("t");
    let meta = fs::metadata(&root).expect("it is there");
    let own = To::Owners(Ids { user: Some(meta.uid()), group: Some(meta.gid()) });
    let walk = Walk::new(&root).threads(NonZeroUsize::new(1));
    let change = Change { always: true, exact: true, ..Change::new(walk, own) };
    let (recorder, report) = change.run(Recorder::default());
    assert_eq!((report.changed, report.retained, report.failed), (0, 8, 0));
    let at = |name: &str| recorder.told.iter().position(|(path, _)| path.ends_with(name));
    assert!(at("/f") < at("/b") && at("/b") < at("/a") && at("/a") < at("/t"));

    let others = Ids { user: Some(meta.uid() + 1), group: None };
    let (_, report) = Change { from: others, ..change }.run(Vec::new());
    assert_eq!((report.changed, report.retained), (0, 8), "none is theirs");
}

#[test]
fn errors_go_to_the_observer_and_a_stop_ends_all_roots() {
    let scratch = testkit::scratch();
    let at = |name: &str| scratch.path().join(name);
    fs::write(at("first"), "").expect("a file");
    fs::write(at("second"), "").expect("a file");
    symlink("gone", at("link")).expect("a link");
    let walk = Walk::over([at("gone"), at("link"), at("first")]);
    let (recorder, report) = Change::new(walk, to(0o600)).run(Recorder::default());
    assert_eq!(recorder.errors, [Operation::Stat, Operation::Follow]);
    assert_eq!((report.changed, report.failed), (1, 2));

    let stopper = Recorder { stops: true, ..Recorder::default() };
    let walk = Walk::over([at("first"), at("second")]);
    let (_, report) = Change::new(walk, to(0o640)).run(stopper);
    assert!(report.stopped);
    assert_ne!(mode(&at("second")), 0o640, "the first root ended the change");
}
