//! [`Evaluation`]: what is known while an expression is evaluated for an entry.

use std::io;

use crate::{Entry, Fields, FileType, Meta};

/// What a worker keeps for the filters that it asks.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Paths are built here.
    pub(super) path: Vec<u8>,
    /// How many requests tests have made since the caller last took the number, for
    /// [`Flushed::requests`](crate::Flushed::requests).
    pub requests: u64,
    /// Why requests of tests failed since the caller last took this. Those tests did not hold.
    pub failed: Vec<io::Error>,
}

/// The evaluation of an expression for an entry.
pub(super) struct Evaluation<'a, 'e> {
    pub entry: &'a Entry<'e>,
    pub scratch: &'a mut Scratch,
    /// Whether this is the second pass: the wanted metadata is there.
    pub has_metadata: bool,
    /// Whether tests may make calls.
    pub may_call: bool,
    /// Which fields an [`Expr::Action`] needs.
    pub action_fields: Option<&'a ActionFields>,
    /// Asks for metadata that the entry has not, where actions are done.
    pub ask: Option<&'a (dyn Fn() -> Option<&'e Meta> + 'a)>,
    /// Does what [`Expr::Action`] says.
    pub action: Option<&'a mut Doing<'a>>,
    /// Whether what is evaluated is certain to be reached.
    pub is_certain: bool,
    /// Whether an action may be reached, or a prune whose turn is not known.
    pub may_have_effect: bool,
    /// What else must be known.
    pub fields: Fields,
}

impl<'a, 'e> Evaluation<'a, 'e> {
    /// The first pass: nothing is known but what the directory says.
    #[inline]
    pub fn first(entry: &'a Entry<'e>, scratch: &'a mut Scratch) -> Evaluation<'a, 'e> {
        Evaluation {
            entry,
            scratch,
            has_metadata: false,
            may_call: false,
            action_fields: None,
            ask: None,
            action: None,
            is_certain: true,
            may_have_effect: false,
            fields: Fields::empty(),
        }
    }

    pub fn is_entered(&self) -> bool {
        matches!(self.entry.file_type(), FileType::Directory | FileType::Unknown)
    }
}

/// Does the action of a number, after telling why requests of tests failed.
pub(super) type Doing<'a> = dyn FnMut(u16, &mut Vec<io::Error>) -> bool + 'a;

/// The fields that an action needs of an entry.
pub(super) type ActionFields = dyn Fn(u16, &Entry<'_>) -> Fields + Send + Sync;
