//! [`Line`]: a line of the journal, with its checksum and its place.
//!
//! `{"crc":"0a1b2c3d","at":120,…}`: the CRC-32 is that of the bytes from its comma to the end of
//! the line, both excluded. `at` is the line's own offset in the file, so a line that was removed
//! or moved is noticed, too.

use serde::{Deserialize, Serialize};

use super::unit::{Description, Totals, UnitDir, UnitOutcome, to_json};

/// What stands before the rest of a line: `{"crc":"0a1b2c3d",`.
const LEAD: usize = 18;

/// A line of the journal. It has one of `scan`, `directories`, `unit` and `done`; `of` comes with
/// `unit`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub at: u64,
    /// The first line: what the data set is. It is also the first unit, which begins with the
    /// roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<Description>,
    /// A new unit, of directories that an outcome has handed back. It counts once the line of that
    /// outcome follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directories: Option<Vec<UnitDir>>,
    /// The line of the unit whose outcome this is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitOutcome>,
    /// The last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<Totals>,
}

impl Line {
    /// Appends the line to what will stand in the journal from offset `from` on.
    pub fn append(mut self, from: u64, out: &mut Vec<u8>) {
        self.at = from + out.len() as u64;
        let json = to_json(&self);
        let rest = &json[1..];
        out.extend_from_slice(format!("{{\"crc\":\"{:08x}\",{rest}\n", crc(rest)).as_bytes());
    }

    /// A line with its end; `None` if it is not as it was written.
    pub fn read(bytes: &[u8]) -> Option<Line> {
        let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
        let (lead, rest) = text.split_at_checked(LEAD)?;
        if lead != format!("{{\"crc\":\"{:08x}\",", crc(rest)) {
            return None;
        }
        serde_json::from_str(text).ok()
    }

    /// Whether all lines up to this one count.
    pub fn commits(&self) -> bool {
        self.directories.is_none()
    }
}

fn crc(text: &str) -> u32 {
    crc32fast::hash(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_counts() {
        let mut out = b"before\n".to_vec();
        let place = UnitDir { below: b"a/\xff"[..].into(), ..UnitDir::default() };
        Line { directories: Some(vec![place]), ..Line::default() }.append(100, &mut out);
        let line = out.split_off(7);
        let read = Line::read(&line).expect("a line");
        assert!(read.at == 107 && read.directories.is_some());
        for at in 0..line.len() * 8 {
            let mut flipped = line.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            assert!(Line::read(&flipped).is_none(), "bit {at}");
        }
        for end in 0..line.len() {
            assert!(Line::read(&line[..end]).is_none(), "{end}");
        }
    }
}
