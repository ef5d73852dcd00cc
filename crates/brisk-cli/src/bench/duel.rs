//! Who meets whom once more, alone and in turns, and what that says: brisk and the best others. The
//! ratio of neighbouring runs depends neither on how fast the machine was in which minute nor on
//! what ran before.

use super::report::Line;

/// Rounds of a duel for each run of all methods, where no run needs preparing. With more rounds the
/// ratio varies less.
pub(crate) const ROUNDS: usize = 3;

/// The contenders of each group: brisk's own choice, which is its first line, and the best two of
/// the others. Chance may decide which of these two is faster.
pub(crate) fn contenders(lines: &[Line]) -> Vec<Vec<usize>> {
    let mut contenders = Vec::new();
    for (own, line) in lines.iter().enumerate() {
        let is_of_group = |other: &Line| other.group == line.group;
        let first = lines.iter().position(|other| is_of_group(other) && other.is_own);
        if first != Some(own) || line.failure.is_some() {
            continue;
        }
        let is_other =
            |other: &Line| is_of_group(other) && other.failure.is_none() && !other.is_own;
        let mut others: Vec<usize> = (0..lines.len()).filter(|&at| is_other(&lines[at])).collect();
        others.sort_unstable_by_key(|&at| lines[at].times.median());
        others.truncate(2);
        if !others.is_empty() {
            others.insert(0, own);
            contenders.push(others);
        }
    }
    contenders
}

/// What runs in turns say of the first line, which is brisk's, and of the others.
pub(crate) fn verdict(lines: &[Line]) -> Option<String> {
    let (own, others) = lines.split_first().filter(|(own, _)| own.failure.is_none())?;
    let others = others.iter().filter(|other| other.failure.is_none());
    let ratios = others.map(|other| (other, other.times.ratio_to(&own.times)));
    let (best, [least, ratio, most]) =
        ratios.min_by(|(_, [_, a, _]), (_, [_, b, _])| a.total_cmp(b))?;
    Some(format!(
        "{}, the fastest of the others, takes {ratio:.2} times as long as {} ({least:.2} to \
         {most:.2} times in {} rounds of their own)",
        best.name,
        own.name,
        own.times.again.len()
    ))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::bench::times::Times;

    fn line(name: &str, group: &str, millis: &[u64]) -> Line {
        let mut times = Times::default();
        millis.iter().for_each(|millis| times.push(Duration::from_millis(*millis)));
        let is_own = name.starts_with("brisk");
        Line { name: name.to_owned(), group: group.to_owned(), is_own, times, ..Line::default() }
    }

    #[test]
    fn brisk_meets_the_best_two_of_its_group() {
        let mut lines = vec![
            line("a", "one", &[9, 5]),
            line("brisk", "one", &[9, 4]),
            line("brisk -j1", "one", &[9, 1]),
            line("b", "one", &[9, 3]),
            line("c", "one", &[9, 2]),
            line("brisk", "two", &[9, 1]),
            line("brisk", "three", &[9, 7]),
            line("d", "three", &[9, 8]),
        ];
        assert_eq!(contenders(&lines), [vec![1, 4, 3], vec![6, 7]]);
        lines[4].failure = Some("gone".to_owned());
        lines[6].failure = Some("gone".to_owned());
        assert_eq!(contenders(&lines), [[1, 3, 0]]);
    }

    #[test]
    fn the_verdict_is_of_neighbouring_runs_and_the_best_other() {
        let mut lines = vec![
            line("brisk", "", &[99, 10, 20, 30]),
            line("slow", "", &[1, 100, 100, 100]),
            line("quick", "", &[1, 20, 10, 60]),
        ];
        let expected = "quick, the fastest of the others, takes 2.00 times as long as brisk (0.50 \
                        to 2.00 times in 3 rounds of their own)";
        assert_eq!(verdict(&lines).as_deref(), Some(expected));
        lines[0].failure = Some("gone".to_owned());
        assert_eq!(verdict(&lines), None);
        assert_eq!(verdict(&lines[1..2]), None);
    }
}
