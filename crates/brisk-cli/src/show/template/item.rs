//! One result, as every output form receives it: the displayed path, and the entry.

/// A result that passed all filters.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// The displayed path: `./` stripped or kept as the options say, absolute with `-a`, separators
    /// replaced, without a separator at the end.
    pub path: &'a [u8],
    /// The entry, with the metadata that filters and output declared.
    pub entry: &'a brisk::Entry<'a>,
}
