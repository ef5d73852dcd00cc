//! A walk that obeys ignore rules: in every form, where it goes on, and what a visitor may ask for.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use brisk::ignore::{Hidden, Options, Rules};
use brisk::{
    Cancel, Directory, Enter, Entry, Error, Fields, Flow, Needs, Operation, Order, Parallel,
    Select, Shape, Visitor, Walk,
};

use crate::tree::grow;

/// Rules of `.ignore` files, and of the directories above the root; directories with `tag` are out.
fn rules() -> Rules {
    let contain = vec!["tag".into()];
    let names = vec![".ignore".into()];
    let parents = brisk::ignore::Parents::Apply;
    let options = Options { hidden: Hidden::Ignored, names, contain, parents, ..Options::none() };
    Rules::new(options).expect("no overrides")
}

/// A tree below the root `r`, with rules above the root and in `r/d`, and a marker in `r/m`.
fn plant() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("a directory");
    grow(place.path(), "r/ r/.h r/a r/x r/d/ r/d/x r/d/y r/d/z r/d/e/ r/d/e/y r/d/e/z r/m/ r/m/a");
    fs::write(place.path().join(".ignore"), "x\n").expect("written");
    fs::write(place.path().join("r/d/.ignore"), "y\n{\n").expect("written");
    fs::write(place.path().join("r/m/tag"), "").expect("written");
    place
}

/// What is left of it.
const LEFT: &[&str] = &["", "a", "d", "d/e", "d/e/z", "d/z"];

fn paths(below: &Path, paths: impl IntoIterator<Item = PathBuf>) -> BTreeSet<String> {
    let relative = |path: PathBuf| path.strip_prefix(below).expect("below").to_owned();
    paths.into_iter().map(|path| relative(path).to_str().expect("UTF-8").to_owned()).collect()
}

#[test]
fn iterators_and_chunks_obey_rules_in_any_order() {
    let place = plant();
    let root = place.path().join("r");
    let left: BTreeSet<String> = LEFT.iter().map(|path| (*path).to_owned()).collect();
    for order in [Order::Unordered, Order::Breadth, Order::Sorted(Shape::Post)] {
        let walk = Walk::new(&root).order(order).rules(rules());
        let found = walk.clone().into_iter().map(|entry| entry.expect("no error").into_path());
        assert_eq!(paths(&root, found), left, "{order:?}");
        let found = walk.par_iter(Fields::SIZE).map(|entry| entry.expect("no error").into_path());
        assert_eq!(paths(&root, found), left, "{order:?}");
    }
    assert_eq!(Walk::new(root.join("m")).rules(rules()).into_iter().count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_root_that_the_caller_has_open_is_looked_at_by_its_handle() {
    let place = plant();
    for (root, count) in [("r", LEFT.len()), ("r/m", 0)] {
        let open = fs::File::open(place.path().join(root)).expect("open");
        let elsewhere = place.path().join("elsewhere");
        let walk = Walk::over::<&Path>([]).root_at(&open, elsewhere).rules(rules());
        // The rules above it are found by its path.
        let more = if count > 0 { 2 } else { 0 };
        assert_eq!(walk.into_iter().count(), count + more, "{root}");
    }
}

/// Gathers what it gets. Ends the walk at the first entry, at a boundary, if it has a `cancel`.
#[derive(Clone, Default)]
struct Gather {
    needs: Needs,
    cancel: Option<Cancel>,
    found: Vec<PathBuf>,
    pruned: Vec<PathBuf>,
    errors: Vec<(Operation, bool)>,
    flow: Flow,
    /// The fingerprints of the rules that each directory inherits.
    inherited: Vec<(PathBuf, u64)>,
}

impl Visitor for Gather {
    type State = ();

    fn needs(&self) -> Needs {
        self.needs
    }

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        let rules = entry.directory().rules().expect("rules");
        self.inherited.push((entry.path(), rules.fingerprint()));
        Enter::Read(())
    }

    fn opened(&mut self, dir: &Directory<'_>, (): &mut ()) -> Enter<()> {
        let (_, inherited) = self.inherited.last().expect("it was entered");
        assert_eq!(dir.rules().expect("rules").fingerprint(), *inherited);
        Enter::Read(())
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(Fields::empty())
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let list = if entry.is_pruned() { &mut self.pruned } else { &mut self.found };
            list.push(entry.path());
        }
        self.cancel.iter().for_each(Cancel::at_boundary);
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push((error.operation(), error.is_malformed_rule()));
        self.flow
    }
}

impl Parallel for Gather {
    fn fork(&self, _: usize) -> Self {
        unreachable!("one worker")
    }

    fn merge(&mut self, _: Self) {}
}

#[test]
fn a_walk_that_goes_on_has_the_rules_above() {
    let place = plant();
    let root = place.path().join("r");
    let walk = Walk::new(&root).order(Order::Breadth).rules(rules());
    let mut found = Vec::new();
    let mut unvisited = Vec::new();
    loop {
        let cancel = Cancel::new();
        let gather = Gather { cancel: Some(cancel.clone()), ..Gather::default() };
        let walk = walk.clone().cancelled_by(&cancel);
        let again = !found.is_empty();
        let walk = if again { walk.resume(std::mem::take(&mut unvisited)) } else { walk };
        found.extend(walk.visit(gather).0.found);
        unvisited = cancel.take_unvisited();
        if unvisited.is_empty() {
            break;
        }
    }
    assert_eq!(paths(&root, found), LEFT.iter().map(|path| (*path).to_owned()).collect());
}

#[test]
fn a_visitor_gets_what_is_refused_and_malformed_if_it_needs_that() {
    let place = plant();
    let root = place.path().join("r");
    let walk = || Walk::new(&root).rules(rules());
    let needs = Needs { refused: true, malformed_rules: true, ..Needs::default() };
    let (all, _) = walk().visit(Gather { needs, ..Gather::default() });
    assert_eq!(paths(&root, all.found), LEFT.iter().map(|path| (*path).to_owned()).collect());
    let refused = [".h", "x", "m", "d/.ignore", "d/x", "d/y", "d/e/y"];
    assert_eq!(paths(&root, all.pruned), refused.map(str::to_owned).into());
    assert_eq!(all.errors, [(Operation::ReadIgnoreFile, true)]);
    let inherited = |name: &str| {
        let path = root.join(name);
        let found = all.inherited.iter().find(|(of, _)| path == *of);
        found.unwrap_or_else(|| panic!("{name} is not entered")).1
    };
    assert_eq!(inherited(""), inherited("d"));
    assert_ne!(inherited("d"), inherited("d/e"));

    let needs = Needs { complete_rules: true, ..Needs::default() };
    let (some, _) = walk().visit(Gather { needs, ..Gather::default() });
    assert_eq!(paths(&root, some.found), ["", "a", "d"].map(str::to_owned).into());
    assert_eq!(some.errors, [(Operation::ReadIgnoreFile, true), (Operation::LearnRules, false)]);

    let stops = Gather { needs, flow: Flow::Stop, ..Gather::default() };
    assert_eq!(walk().visit(stops).0.errors.len(), 2, "both are known before the walk stops");
}
