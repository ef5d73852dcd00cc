//! What decides the order of siblings: the bytes of their names, or the visitor. [`Arrange`] passes
//! on the calls of [`InTurn`] and of [`Act`] to visitors that have them.

use std::cmp::Ordering;

use crate::act::Act;
use crate::emit::leaving::Leaving;
use crate::entry::{Directory, Entry};
use crate::visitor::{Flow, InTurn, Visitor, eight_bytes};

/// Whether the visitors of an ordered walk act.
pub(crate) trait Acts: Send + Sync {
    const ACTS: bool = false;
}

/// The calls of an ordered walk that [`Visitor`] does not have; the defaults are those of
/// [`InTurn`].
pub(crate) trait Arrange<V: Visitor>: Acts {
    #[inline]
    fn rank(_visitor: &V, entry: &Entry<'_>, level: usize) -> u64 {
        eight_bytes(entry.name(), 8 * level)
    }

    #[inline]
    fn compare(_visitor: &V, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        a.name().cmp(b.name())
    }

    fn begin(_visitor: &mut V, _dir: &Directory<'_>, _state: &V::State) -> Flow {
        Flow::Continue
    }

    fn end(_visitor: &mut V, _dir: &Directory<'_>, _state: &V::State) -> Flow {
        Flow::Continue
    }

    fn drafts(_visitor: &V) -> bool {
        false
    }

    fn draft(_visitor: &mut V, _entries: &[Entry<'_>], _out: &mut Vec<u8>) {}

    fn adopt(_visitor: &mut V, _state: &V::State, _draft: &[u8]) -> Flow {
        Flow::Continue
    }

    fn leaving(_visitor: &mut V, _dir: &Leaving<'_>, _: &V::State, _parent: &V::State) -> Flow {
        Flow::Continue
    }
}

/// The bytes of the names decide.
pub(crate) enum ByName {}

impl Acts for ByName {}

impl<V: Visitor> Arrange<V> for ByName {}

/// The visitor acts on siblings one by one, in the walk's order: as listed, as fts, or by rank.
pub(crate) enum OneByOne {}

impl Acts for OneByOne {
    const ACTS: bool = true;
}

impl<V: Act> Arrange<V> for OneByOne {
    fn rank(_: &V, entry: &Entry<'_>, level: usize) -> u64 {
        if V::BY_INODE && level == 0 { entry.ino() } else { eight_bytes(entry.name(), 8 * level) }
    }

    fn leaving(visitor: &mut V, dir: &Leaving<'_>, state: &V::State, parent: &V::State) -> Flow {
        visitor.leaving(dir, state, parent)
    }
}

/// The visitor decides, and may lay out whole directories.
pub(crate) enum ByVisitor {}

impl Acts for ByVisitor {}

impl<V: InTurn> Arrange<V> for ByVisitor {
    #[inline]
    fn rank(visitor: &V, entry: &Entry<'_>, level: usize) -> u64 {
        visitor.rank(entry, level)
    }

    #[inline]
    fn compare(visitor: &V, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        visitor.compare(a, b)
    }

    fn begin(visitor: &mut V, dir: &Directory<'_>, state: &V::State) -> Flow {
        visitor.begin(dir, state)
    }

    fn end(visitor: &mut V, dir: &Directory<'_>, state: &V::State) -> Flow {
        visitor.end(dir, state)
    }

    fn drafts(visitor: &V) -> bool {
        visitor.drafts()
    }

    fn draft(visitor: &mut V, entries: &[Entry<'_>], out: &mut Vec<u8>) {
        visitor.draft(entries, out);
    }

    fn adopt(visitor: &mut V, state: &V::State, draft: &[u8]) -> Flow {
        visitor.adopt(state, draft)
    }
}
