//! What was found in directories above the roots.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::matcher::Matcher;
use super::step::Kind;

/// What is known of the directories above the roots.
#[derive(Debug, Default)]
pub(super) struct Ancestors(pub(super) Mutex<BTreeMap<PathBuf, Ancestor>>);

/// One of them; what was not asked yet is `None`.
#[derive(Debug, Default)]
pub(super) struct Ancestor {
    pub(super) is_repository: Option<bool>,
    pub(super) named: Option<Found>,
    pub(super) git: Option<Found>,
}

pub(super) type Found = Vec<(Kind, Arc<Matcher>)>;
