//! [`Manifest`]: a data set as its readers see it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::journal::replay;
use super::line::Line;
use super::parts::check;
use super::unit::{Description, Failure, Seal, Totals};
use super::{Fault, journal_of};

/// A data set as its readers see it: the parts that count, and what all of them together say.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// What the data set is a table of.
    pub what: Description,
    /// The files, in no particular order.
    pub parts: Vec<PathBuf>,
    /// What identifies them.
    seals: Vec<Seal>,
    /// What could not be read.
    pub errors: Vec<Failure>,
    /// The file systems that were met, each once.
    pub volumes: Vec<Value>,
    /// The sums of all outcomes.
    pub totals: Totals,
    /// Whether nothing is left to do.
    pub is_finished: bool,
}

impl Manifest {
    /// Reads the journal. Other processes may go on with the data set meanwhile.
    ///
    /// # Errors
    /// There is no journal; it cannot be read, or is damaged.
    pub fn read(out: &Path) -> Result<Manifest, Fault> {
        let there = |path: &Path, error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Fault::NotThere(out.to_owned()),
            _ => Fault::io("read", path)(error),
        };
        let path = journal_of(out).map_err(|error| there(out, error))?;
        let file = File::open(&path).map_err(|error| there(&path, error))?;
        let mut manifest = Manifest::default();
        let mut is_begun = false;
        replay(&file, &path, |_, line| {
            is_begun |= line.scan.is_some();
            manifest.add(line, out);
            true
        })?;
        if is_begun { Ok(manifest) } else { Err(Fault::NotThere(out.to_owned())) }
    }

    /// Checks that each part is there, and is the one that was recorded.
    ///
    /// # Errors
    /// A part is missing, is another one, or cannot be read.
    pub fn check(&self) -> Result<(), Fault> {
        self.parts.iter().zip(&self.seals).try_for_each(|(part, seal)| check(part, *seal))
    }

    fn add(&mut self, line: Line, out: &Path) {
        if let Some(scan) = line.scan {
            self.what = scan;
        }
        self.is_finished |= line.done.is_some();
        let Some(outcome) = line.unit else { return };
        self.totals.add(&outcome);
        if let Some(part) = outcome.part {
            self.parts.push(out.join(part));
            self.seals.push(outcome.seal);
        }
        self.errors.extend(outcome.errors);
        for volume in outcome.volumes {
            if !self.volumes.contains(&volume) {
                self.volumes.push(volume);
            }
        }
    }
}
