//! The tests: one for each case, on one tree.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use libtest_mimic::{Failed, Trial};

use super::case::{Case, Place};
use super::cases;
use super::gnu::Gnu;
use super::run::{Outcome, outcome};
use super::tree::Tree;

/// What the tests share.
struct Comparison {
    gnu: Gnu,
    tree: Tree,
    /// Held to write by a case that shows access times, since every other listing changes them.
    times: RwLock<()>,
}

impl Comparison {
    /// How the outcomes of a case differ. A minute that ends between the two runs makes a difference
    /// once, so only what differs three times differs.
    fn check(&self, case: &Case) -> Result<(), Failed> {
        let mut text = String::new();
        for _ in 0..3 {
            let (theirs, ours) = self.both(case);
            if theirs == ours {
                return Ok(());
            }
            text = theirs.difference(&ours);
        }
        Err(text.into())
    }

    fn both(&self, case: &Case) -> (Outcome, Outcome) {
        let theirs = || outcome(self.gnu.path(), &self.tree, case);
        let ours = || outcome(self.tree.ls(), &self.tree, case);
        if !case.shows_access_times() {
            let _others = self.times.read().unwrap_or_else(PoisonError::into_inner);
            return (theirs(), ours());
        }
        let _alone = self.times.write().unwrap_or_else(PoisonError::into_inner);
        self.tree.set_access_times();
        let theirs = theirs();
        self.tree.set_access_times();
        (theirs, ours())
    }

    /// A case that must differ does differ, so the comparison can fail.
    fn sees_a_difference(&self) -> Result<(), Failed> {
        let (theirs, _) = self.both(&Case::new("-C types", Place::Pipe));
        let (_, ours) = self.both(&Case::new("-1 types", Place::Pipe));
        assert_ne!(theirs, ours);
        assert!(!theirs.difference(&ours).is_empty());
        Ok(())
    }
}

/// The groups of cases. Names are collated in the order of a locale that the tree makes, if the
/// locale's sources are installed.
fn groups(tree: &Tree) -> Vec<(&'static str, Vec<Case>)> {
    let mut groups = vec![
        ("options", cases::options()),
        ("quoting", cases::quoting()),
        ("colours", cases::colours()),
        ("environment", cases::environment()),
        ("refusals", cases::refusals()),
    ];
    match tree.make_locale() {
        Some(locales) => groups.push(("collation", cases::collation(&locales))),
        None => testkit::left_out("collation", "localedef cannot make en_US.UTF-8"),
    }
    groups
}

/// A test for each case, if there is a GNU ls.
pub fn trials() -> Vec<Trial> {
    let Some(gnu) = Gnu::find("ls") else { return Vec::new() };
    let tree = Tree::new();
    tree.random_names();
    let comparison = Arc::new(Comparison { gnu, tree, times: RwLock::new(()) });
    let shared = Arc::clone(&comparison);
    let mut trials =
        vec![Trial::test("a difference of ls is seen", move || shared.sees_a_difference())];
    // A call that is in two lists is one test.
    let mut names = HashSet::new();
    for (group, cases) in groups(&comparison.tree) {
        for case in cases.into_iter().filter(|case| comparison.gnu.is_comparable(case)) {
            let name = format!("{group}: {case}");
            let shared = Arc::clone(&comparison);
            if names.insert(name.clone()) {
                trials.push(Trial::test(name, move || shared.check(&case)));
            }
        }
    }
    trials
}
