//! What a row is, and by what rows are sorted.

use crate::tree::Id;

/// A row: a directory of the tree, or an entry of the listing by its place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Dir(Id),
    Entry(usize),
}

/// By what rows are sorted: the largest and the newest come first, and names in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Key {
    #[default]
    Size,
    Count,
    Time,
    Name,
}
