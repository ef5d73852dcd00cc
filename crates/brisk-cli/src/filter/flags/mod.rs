//! The flags of filters, for every command that has filters: [`Flags`] is their table for a command
//! whose options [`Selects`] names.

mod filtering;
mod ignoring;
mod matching;

use std::marker::PhantomData;

use super::Criteria;
use crate::front::Flag;

/// The options of a command that has filters.
pub(crate) trait Selects: 'static {
    /// The letter of `--owner`; empty if the command uses it for another flag.
    const OWNER: &'static str;

    fn criteria(&mut self) -> &mut Criteria;
}

/// The flags that set filters in `O`.
pub(crate) struct Flags<O>(PhantomData<O>);

impl<O: Selects> Flags<O> {
    /// The filters without `--prune`, their last, for commands that look at what is below a
    /// directory whether or not it matches.
    pub(crate) const WITHOUT_PRUNE: &'static [Flag<O>] = match Flags::<O>::FILTERING.split_last() {
        Some((_, filters)) => filters,
        None => &[],
    };
}
