//! One tree, one walk and the expected result: how a case is run in a group of ways, and checked.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::Builder;

use brisk::{Backend, Order, Shape, Walk};

use crate::record::{Mode, Outcome, Rules, in_time, run};
use crate::tree::{can_grow, grow};

/// One tree, one walk, and the expected result.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    /// See `tree.rs`; relative to the current directory.
    pub tree: &'static str,
    pub roots: &'static [&'static str],
    pub walk: fn(Walk) -> Walk,
    pub rules: Rules,
    /// The entries that are delivered, in sorted pre-order: see
    /// [`Found::sign`](crate::record::Found::sign).
    pub expect: &'static str,
    /// Operation and path of each error. Where several paths lead to the same place, any one of
    /// them.
    pub errors: &'static [&'static str],
    /// The order decides which of several equal paths is met first: only the number of entries is
    /// checked.
    pub any_of: Option<usize>,
}

pub const PLAIN: Case = Case {
    name: "",
    tree: "",
    roots: &["r"],
    walk: |walk| walk,
    rules: Rules { lingers: true, ..Rules::NONE },
    expect: "",
    errors: &[],
    any_of: None,
};

/// The case whose tree is the current directory of this process.
struct Current {
    name: &'static str,
    /// How many tests walk the tree.
    users: usize,
    /// Holds the tree until the last of these tests has ended.
    place: tempfile::TempDir,
}

static CURRENT: Mutex<Option<Current>> = Mutex::new(None);
static LEFT: Condvar = Condvar::new();

/// The current directory is a case's own tree until this is dropped. Tests of the same case share
/// the tree; those of other cases wait.
struct Here;

impl Here {
    fn enter(case: &Case) -> Here {
        let current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = |current: &mut Option<Current>| {
            current.as_ref().is_some_and(|current| current.name != case.name)
        };
        let mut current =
            LEFT.wait_while(current, is_other).unwrap_or_else(PoisonError::into_inner);
        current.get_or_insert_with(|| Here::grown(case)).users += 1;
        Here
    }

    fn grown(case: &Case) -> Current {
        let place = tempfile::tempdir().expect("a scratch directory");
        // A directory above, so that `..` holds the case's own tree alone.
        let here = place.path().join("here");
        std::fs::create_dir(&here).expect("a place for the case");
        grow(&here, case.tree);
        std::env::set_current_dir(&here).expect("the case's own directory");
        Current { name: case.name, users: 0, place }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
        let is_last = |current: &mut Current| {
            current.users -= 1;
            current.users == 0
        };
        if let Some(last) = current.take_if(is_last) {
            std::env::set_current_dir("/").expect("out of the scratch directory");
            drop(last.place);
            LEFT.notify_all();
        }
    }
}

/// The backends to test: both, or the native one alone with `BRISK_BACKEND=native`, which
/// `scripts/test fast` sets.
fn backends() -> &'static [Backend] {
    match std::env::var("BRISK_BACKEND").as_deref() {
        Err(_) => &[Backend::Native, Backend::Portable],
        Ok("native") => &[Backend::Native],
        Ok(other) => panic!("BRISK_BACKEND={other}: not native"),
    }
}

/// Runs a case in each of these modes and orders, with each backend, side by side.
pub fn check(case: Case, modes: &'static [Mode], orders: &'static [Order]) {
    if !can_grow(case.tree) {
        return;
    }
    let _here = Here::enter(&case);
    let failures = in_time(case.name, move || side_by_side(&case, modes, orders));
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn side_by_side(case: &Case, modes: &[Mode], orders: &[Order]) -> Vec<String> {
    std::thread::scope(|scope| {
        let mut runs = Vec::new();
        for &order in orders {
            for &mode in modes {
                for &backend in backends() {
                    let start = move || one_run(case, mode, order, backend);
                    runs.push(Builder::new().spawn_scoped(scope, start).expect("a thread"));
                }
            }
        }
        runs.into_iter().filter_map(|run| run.join().expect("no panic")).collect()
    })
}

/// One run of one case; `Some` holds what went wrong.
fn one_run(case: &Case, mode: Mode, order: Order, backend: Backend) -> Option<String> {
    if mode.is_iterator() && !case.rules.is_plain() {
        return None;
    }
    if !case.rules.pruned.is_empty() && shape(order) == Some(Shape::Post) {
        // A directory that is delivered is done: pruning it comes too late.
        return None;
    }
    if !cfg!(unix) && backend == Backend::Portable && case.name.starts_with("unique") {
        // std does not identify files there.
        return None;
    }
    let walk = (case.walk)(Walk::over(case.roots)).order(order).backend(backend);
    let outcome = run(walk, mode, case.rules);
    let mut wrong = outcome.wrong.clone();
    wrong.extend(check_set(case, &outcome));
    wrong.extend(check_errors(case, &outcome));
    wrong.extend(check_unfinished(case, &outcome));
    wrong.extend(check_order(case, mode, order, &outcome));
    (!wrong.is_empty()).then(|| {
        let wrong: Vec<_> =
            wrong.iter().map(|line| line.chars().take(300).collect::<String>()).collect();
        format!("{}: {mode:?} {order:?} {backend:?}\n    {}", case.name, wrong.join("\n    "))
    })
}

fn shape(order: Order) -> Option<Shape> {
    match order {
        Order::Depth(shape) | Order::Sorted(shape) => Some(shape),
        Order::Unordered | Order::Breadth => None,
    }
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

/// Directories are left complete. One that turns out to be one of those above it after it was
/// opened is left unread.
fn check_unfinished(case: &Case, outcome: &Outcome) -> Option<String> {
    let loops = case.errors.iter().filter_map(|error| error.strip_prefix("FollowLoop "));
    let loops: Vec<_> = loops.map(|path| format!("Unread {path}")).collect();
    let is_right = outcome.unfinished.iter().all(|directory| loops.contains(directory));
    (!is_right).then(|| format!("unfinished {:?}", outcome.unfinished))
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
    let shape = shape(order);
    let signs = outcome.signs();
    if let (Order::Sorted(shape), None) = (order, case.any_of) {
        let expected = shaped(case.expect.split_whitespace().map(str::to_owned).collect(), shape);
        return (signs != expected).then(|| format!("in the order {signs:?}"));
    }
    // Where a path comes twice, "before" has no meaning.
    let distinct: HashSet<_> = signs.iter().collect();
    if distinct.len() != signs.len() || case.any_of.is_some() {
        return None;
    }
    // Workers hand chunks over one by one: what is below a directory may overtake it.
    let overtakes = order == Order::Unordered && mode == Mode::ParallelIter;
    let is_post = shape == Some(Shape::Post);
    let parents = (!overtakes).then(|| check_parents(outcome, is_post)).flatten();
    let levels = (order == Order::Breadth).then(|| check_levels(outcome)).flatten();
    let whole = shape.and_then(|_| check_whole(outcome));
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

/// The same entries, which are in pre-order, in another shape.
fn shaped(pre_order: Vec<String>, shape: Shape) -> Vec<String> {
    match shape {
        Shape::Pre => pre_order,
        Shape::Post => post_order(&pre_order),
        Shape::SiblingsFirst => siblings_first(&pre_order, 1),
    }
}

/// The same entries: those of this number of components first, and then directory by directory
/// what is below them.
fn siblings_first(pre_order: &[String], components: usize) -> Vec<String> {
    let parts = |sign: &String| -> Vec<String> {
        sign.trim_end_matches('/').split('/').map(str::to_owned).collect()
    };
    let (own, below): (Vec<_>, Vec<_>) =
        pre_order.iter().cloned().partition(|sign| parts(sign).len() == components);
    let is_together = |a: &String, b: &String| parts(a)[..components] == parts(b)[..components];
    let below = below.chunk_by(is_together);
    own.into_iter().chain(below.flat_map(|part| siblings_first(part, components + 1))).collect()
}

/// The same entries, with each directory after the entries below it.
fn post_order(pre_order: &[String]) -> Vec<String> {
    let mut result = Vec::new();
    let mut above: Vec<&String> = Vec::new();
    for sign in pre_order {
        while let Some(last) = above.last()
            && (sign == *last || !sign.starts_with(last.as_str()))
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
