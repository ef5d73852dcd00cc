//! `--sort`: what results are sorted by, once all of them are found.

use std::io::Write;

use brisk::{Entry, Fields};

use crate::ls::long::Sort as By;
use crate::show::template::parts::extension;
use brisk_filter::Stamp;

/// An order of results: by something, or not, and then by path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    pub(crate) by: By,
    pub(crate) reverse: bool,
}

impl Sort {
    /// A value of the option.
    pub(super) fn from_word(word: &str) -> Sort {
        let (by, reverse) = word.strip_suffix(",reverse").map_or((word, false), |by| (by, true));
        let by = By::from_word(by);
        Sort { by, reverse }
    }

    /// The fields that are compared.
    pub(super) fn fields(self) -> Fields {
        match self.by {
            By::Size => Fields::SIZE,
            By::Time => Fields::MTIME,
            _ => Fields::empty(),
        }
    }

    /// What makes `ls` sort likewise. Its names are whole paths here.
    pub(super) fn of_ls(self) -> (By, bool) {
        (if self.by == By::Unsorted { By::Name } else { self.by }, self.reverse)
    }

    /// Appends the key of an entry with this displayed path. Keys are compared as paths are:
    /// component by component.
    pub(super) fn key(self, entry: &Entry<'_>, path: &[u8], key: &mut Vec<u8>) {
        let meta = entry.meta();
        let name = entry.name();
        match self.by {
            By::Name => key.extend_from_slice(name),
            By::Extension => key.extend_from_slice(extension(name).unwrap_or_default()),
            By::Size => number(u64::MAX - meta.and_then(|meta| meta.size()).unwrap_or(0), key),
            By::Time => {
                let time = meta.and_then(|meta| Stamp::Modified.of(meta)).unwrap_or_default();
                // The order of signed numbers, from the greatest down.
                number(time.secs.cast_unsigned() ^ u64::MAX >> 1, key);
                number(u64::MAX - u64::from(time.nanos), key);
            }
            _ => {}
        }
        if self.by != By::Unsorted {
            key.push(b'/');
        }
        key.extend_from_slice(path);
    }
}

/// Appends a number so that the order of bytes is that of numbers.
fn number(number: u64, key: &mut Vec<u8>) {
    write!(key, "{number:016x}").expect("BUG: a vector takes all bytes");
}
