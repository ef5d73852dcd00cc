//! [`Tournament`]: a tree of losers, which finds the run that has the next row.
//!
//! A run's *code* says how its key differs from the last row that was passed on: after how many
//! bytes, and in which byte. Of two runs the one with the lower code has the lower key, so nearly
//! all matches compare two numbers. Only if the codes are equal are the keys compared, after the
//! bytes that the codes describe, and the loser's code then says how it differs from the winner.
//! ("Offset-value coding": Conner 1977; Graefe and Do, "Offset-value coding in database query
//! processing", 2023.)

use std::cmp::Ordering;

/// The code of a run that has no row left.
pub(super) const END: u64 = u64::MAX;

/// The bits of a code that say which byte; 0 for the end of a key.
const BYTE: u64 = 0x1ff;

/// No run has lost here yet.
const NOBODY: usize = usize::MAX;

/// The code of a key that has its first `shared` bytes from a key before it.
#[inline]
pub(super) fn code(key: &[u8], shared: usize) -> u64 {
    let byte = key.get(shared).map_or(0, |byte| u64::from(*byte) + 1);
    (u64::from(u32::MAX) - shared as u64) << 9 | byte
}

/// A tree whose leaves are the runs.
pub(super) struct Tournament {
    codes: Vec<u64>,
    /// For each inner node, the run that lost there; in the first place, the one that won all.
    losers: Vec<usize>,
}

impl Tournament {
    /// Plays all matches. `key` returns the key of a run.
    pub fn new<'k>(codes: Vec<u64>, key: impl Fn(usize) -> &'k [u8]) -> Tournament {
        let runs = codes.len();
        let mut tournament = Tournament { codes, losers: vec![NOBODY; runs] };
        for run in 0..runs {
            tournament.play(run, &key);
        }
        tournament
    }

    /// The run with the lowest key, if any has a row left.
    pub fn winner(&self) -> Option<usize> {
        self.losers.first().copied().filter(|run| self.codes[*run] != END)
    }

    /// Plays the matches of the last winner again, now that it has gone to its next row.
    #[inline]
    pub fn replay<'k>(&mut self, run: usize, code: u64, key: impl Fn(usize) -> &'k [u8]) {
        self.codes[run] = code;
        self.play(run, &key);
    }

    fn play<'k>(&mut self, mut run: usize, key: &impl Fn(usize) -> &'k [u8]) {
        let mut node = (run + self.codes.len()) / 2;
        while node > 0 {
            let other = self.losers[node];
            if other == NOBODY {
                self.losers[node] = run;
                return;
            }
            if self.is_lower(other, run, key) {
                self.losers[node] = run;
                run = other;
            }
            node /= 2;
        }
        self.losers[0] = run;
    }

    /// Whether the row of one run comes before that of another. Rows with the same key come in the
    /// order of the runs.
    #[inline]
    fn is_lower<'k>(&mut self, one: usize, other: usize, key: &impl Fn(usize) -> &'k [u8]) -> bool {
        let code = self.codes[one];
        match code.cmp(&self.codes[other]) {
            Ordering::Equal if code == END || code & BYTE == 0 => one < other,
            Ordering::Equal => self.is_lower_behind(one, other, key),
            order => order == Ordering::Less,
        }
    }

    /// The same for two rows of equal codes.
    fn is_lower_behind<'k>(
        &mut self,
        one: usize,
        other: usize,
        key: &impl Fn(usize) -> &'k [u8],
    ) -> bool {
        let same = (u64::from(u32::MAX) - (self.codes[one] >> 9)) as usize + 1;
        let keys = [key(one), key(other)];
        let [a, b] = keys.map(|key| key.get(same..).unwrap_or_default());
        let shared = same + a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let is_lower = (a, one) < (b, other);
        let loser = if is_lower { other } else { one };
        self.codes[loser] = code(keys[usize::from(is_lower)], shared);
        is_lower
    }
}
