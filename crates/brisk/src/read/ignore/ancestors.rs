//! [`Ancestors`]: the rules found in directories above the roots, shared by all roots of a walk.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::matcher::Matcher;
use super::repository::Repository;
use super::step::RuleSource;

/// The directories above the roots, by absolute path.
#[derive(Debug, Default)]
pub(super) struct Ancestors(pub(super) Mutex<BTreeMap<PathBuf, Ancestor>>);

/// What is known of one of them; `None` where it was not looked up yet.
#[derive(Debug, Default)]
pub(super) struct Ancestor {
    pub(super) is_repository: Option<bool>,
    pub(super) named: Option<RankedRules>,
    pub(super) repository: Option<Repository>,
    pub(super) gitignore: Option<RankedRules>,
}

pub(super) type RankedRules = Vec<(RuleSource, Arc<Matcher>)>;
