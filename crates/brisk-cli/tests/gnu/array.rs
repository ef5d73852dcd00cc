//! Covering arrays: few calls in which each two values meet.
//!
//! A fault shows in a call with one value, such as an option or a tree, or with two that meet. So
//! the tests do not try each value with all others at once, but every two of them in some call.
//! With `BRISK_PRODUCTS` in the environment, as `scripts/test all` sets it, the tests try the full
//! products as well.

use std::collections::BTreeSet;

pub use testkit::has_products;

/// Rows of one value from each of these lists. Each two values from different lists stand in at
/// least one row. Where any value would do, a row has the first of its list.
pub fn rows<'a>(lists: &[&[&'a str]]) -> Vec<Vec<&'a str>> {
    let mut missing = Missing::new(lists);
    let mut rows = Vec::new();
    while let Some(pair) = missing.first() {
        let mut row: Vec<Option<usize>> = vec![None; lists.len()];
        for (list, value) in pair {
            row[list] = Some(value);
        }
        for list in 0..lists.len() {
            if row[list].is_none() {
                row[list] = Some(missing.best(list, &row));
            }
        }
        missing.cover(&row);
        let values = row.iter().zip(lists).filter_map(|(value, list)| Some(list[(*value)?]));
        rows.push(values.collect());
    }
    rows
}

/// The rows above, or, where the full products are wanted, every combination.
pub fn combined<'a>(lists: &[&[&'a str]]) -> Vec<Vec<&'a str>> {
    if !has_products() {
        return rows(lists);
    }
    lists.iter().fold(vec![Vec::new()], |rows, list| {
        let with = |row: &Vec<&'a str>, value: &&'a str| [row.as_slice(), &[*value]].concat();
        rows.iter().flat_map(|row| list.iter().map(move |value| with(row, value))).collect()
    })
}

/// A list and a value in it, by their numbers.
type Place = (usize, usize);

/// The pairs of values that stand in no row yet.
struct Missing {
    /// How many values each list has.
    sizes: Vec<usize>,
    pairs: BTreeSet<[Place; 2]>,
}

impl Missing {
    fn new(lists: &[&[&str]]) -> Missing {
        let sizes: Vec<usize> = lists.iter().map(|list| list.len()).collect();
        let places =
            |list: usize| (0..sizes[list]).map(move |value| (list, value)).collect::<Vec<_>>();
        let mut pairs = BTreeSet::new();
        for list in 0..sizes.len() {
            for other in list + 1..sizes.len() {
                for place in places(list) {
                    pairs.extend(places(other).into_iter().map(|second| [place, second]));
                }
            }
        }
        Missing { sizes, pairs }
    }

    fn first(&self) -> Option<[Place; 2]> {
        self.pairs.first().copied()
    }

    /// The missing pairs that a value of a list makes with the values of a row.
    fn new_pairs(&self, place: Place, row: &[Option<usize>]) -> Vec<[Place; 2]> {
        let others = row.iter().enumerate().filter_map(|(list, value)| Some((list, (*value)?)));
        others
            .map(|other| if other < place { [other, place] } else { [place, other] })
            .filter(|pair| self.pairs.contains(pair))
            .collect()
    }

    /// The value of a list that makes the most missing pairs, the first of several.
    fn best(&self, list: usize, row: &[Option<usize>]) -> usize {
        let gain = |value: &usize| self.new_pairs((list, *value), row).len();
        (0..self.sizes[list]).rev().max_by_key(gain).unwrap_or(0)
    }

    fn cover(&mut self, row: &[Option<usize>]) {
        for (list, value) in row.iter().enumerate() {
            for pair in value.map(|value| self.new_pairs((list, value), row)).unwrap_or_default() {
                self.pairs.remove(&pair);
            }
        }
    }
}
