//! [`Row`], and the [`Key`] by which rows are sorted.

use crate::tree::Id;

/// A row: a directory of the tree, or an entry of the listing, by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    Dir(Id),
    Entry(usize),
}

/// The sort key of the rows. The largest and the newest come first; names are in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Key {
    #[default]
    Size,
    Count,
    Time,
    Name,
}
