//! Where things meet that are used in several places: directories above them, and ranges of a device.

use std::collections::HashSet;

use super::account::Account;

/// The lowest directory that holds all of these.
pub(super) fn common<'a>(places: impl Iterator<Item = &'a Account>) -> Option<&'a Account> {
    places.reduce(|one, other| {
        let above: HashSet<_> = one.upwards().map(std::ptr::from_ref).collect();
        let mut common =
            other.upwards().filter(|place| above.contains(&std::ptr::from_ref(*place)));
        common.next().expect("BUG: the place above the roots holds all")
    })
}

/// Each place, and the lowest directory above it that holds an earlier place as well: it may be
/// the place itself, and the first place has none.
pub(super) fn joins<'a>(
    places: impl Iterator<Item = &'a Account>,
) -> impl Iterator<Item = (&'a Account, Option<&'a Account>)> {
    let mut met = HashSet::new();
    places.map(move |place| {
        (place, place.upwards().find(|above| !met.insert(std::ptr::from_ref(*above))))
    })
}

/// Calls `each` with the length of every range that at least `least` of these use, and with the
/// uses: each a beginning, an end, and whose use it is.
pub(super) fn each_range<T: Copy>(
    mut uses: Vec<(u64, u64, T)>,
    least: usize,
    mut each: impl FnMut(u64, &[T]),
) {
    uses.sort_unstable_by_key(|(start, ..)| *start);
    let mut cuts: Vec<_> = uses.iter().flat_map(|(start, end, _)| [*start, *end]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut later = uses.into_iter().peekable();
    let mut now = Vec::new();
    for cut in cuts.windows(2) {
        now.retain(|(end, _)| *end > cut[0]);
        while let Some((_, end, by)) = later.next_if(|(start, ..)| *start <= cut[0]) {
            now.push((end, by));
        }
        if now.len() >= least {
            let users: Vec<_> = now.iter().map(|(_, by)| *by).collect();
            each(cut[1] - cut[0], &users);
        }
    }
}
