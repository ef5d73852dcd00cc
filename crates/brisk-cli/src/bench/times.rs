//! Times of repeated runs: medians, the least and the greatest, spread, and ratios of neighbours.

use std::time::Duration;

/// All runs of one method.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    /// The first run, for which caches may have been cold.
    pub(crate) first: Option<Duration>,
    pub(crate) again: Vec<Duration>,
}

impl Times {
    /// Adds the time of the next run.
    pub(crate) fn push(&mut self, time: Duration) {
        if self.first.is_none() { self.first = Some(time) } else { self.again.push(time) }
    }

    /// The least, the median and the greatest of all runs but the first.
    pub(crate) fn range(&self) -> [Duration; 3] {
        range(&self.sorted()).unwrap_or([self.first.unwrap_or_default(); 3])
    }

    /// The median of all runs but the first.
    pub(crate) fn median(&self) -> Duration {
        self.range()[1]
    }

    fn sorted(&self) -> Vec<Duration> {
        let mut sorted = self.again.clone();
        sorted.sort_unstable();
        sorted
    }

    /// The runs against those of another method that ran in turns with this one: the least, the
    /// median and the greatest ratio of two neighbours.
    pub(crate) fn ratio_to(&self, other: &Times) -> [f64; 3] {
        let seconds = |time: &Duration| time.as_secs_f64().max(1e-9);
        let pairs = self.again.iter().zip(&other.again);
        let mut ratios: Vec<f64> =
            pairs.map(|(own, other)| seconds(own) / seconds(other)).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        range(&ratios).unwrap_or([f64::NAN; 3])
    }

    /// How far the runs lie apart: the middle half, as a share of the median.
    pub(crate) fn spread(&self) -> f64 {
        let sorted = self.sorted();
        let (Some(low), Some(high)) =
            (sorted.get(sorted.len() / 4), sorted.get(sorted.len() * 3 / 4))
        else {
            return 0.0;
        };
        (*high - *low).as_secs_f64() / self.median().as_secs_f64().max(1e-9)
    }
}

/// The least, the median and the greatest.
fn range<T: Copy>(sorted: &[T]) -> Option<[T; 3]> {
    Some([*sorted.first()?, sorted[sorted.len() / 2], *sorted.last()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_run_stands_apart() {
        let mut times = Times::default();
        for millis in [100, 3, 1, 2, 9, 2] {
            times.push(Duration::from_millis(millis));
        }
        assert_eq!(times.first, Some(Duration::from_millis(100)));
        assert_eq!(times.range(), [1, 2, 9].map(Duration::from_millis));
        assert!((times.spread() - 0.5).abs() < 1e-9, "{}", times.spread());
        assert_eq!(Times::default().median(), Duration::ZERO);
    }

    #[test]
    fn neighbours_are_compared() {
        let times = |all: &[u64]| Times {
            first: None,
            again: all.iter().copied().map(Duration::from_millis).collect(),
        };
        // The machine became slower and slower, and the ratio of the two medians would show that.
        let own = times(&[10, 20, 30]);
        let other = times(&[20, 40, 50]);
        assert_eq!(own.ratio_to(&other), [0.5, 0.5, 0.6]);
    }
}
