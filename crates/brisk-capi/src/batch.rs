//! [`Batch`]: entries of several directories, packed on their way to the thread that pulls them.
//!
//! ```text
//!   bytes   dir/␀ name␀ name␀ name␀ dir/other/␀ name␀ …
//!   packed  one for each entry: where its name and its directory are in `bytes`
//!   metas   if any were asked for
//! ```
//! The memory is used again: a batch that was read goes back to the workers.

use std::ptr::null;

use brisk::unstable::append;
use brisk::{Directory, Entry, Error, FileType};

use crate::entry::{self, Meta, kept};

#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    packed: Vec<Packed>,
    metas: Vec<brisk::Meta>,
    pub errors: Vec<Error>,
}

/// An entry. Offsets and lengths are of `bytes`, which no batch fills with 4 GiB.
struct Packed {
    ino: u64,
    name: u32,
    name_len: u32,
    dir: u32,
    dir_len: u32,
    depth: u32,
    /// The number of entries with metadata up to this one; 0 if it has none.
    meta: u32,
    file_type: FileType,
    is_hidden: bool,
    is_followed_link: bool,
}

impl Batch {
    pub fn len(&self) -> usize {
        self.packed.len()
    }

    /// How many bytes the names and paths take.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.packed.is_empty() && self.errors.is_empty()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.packed.clear();
        self.metas.clear();
        self.errors.clear();
    }

    /// Adds entries of a directory.
    pub fn add(&mut self, dir: &Directory<'_>, entries: &[Entry<'_>]) {
        let prefix = dir.prefix();
        let dir = self.bytes.len() as u32;
        append(&mut self.bytes, prefix);
        self.bytes.push(0);
        self.packed.reserve(entries.len());
        for entry in entries {
            let name = self.bytes.len() as u32;
            append(&mut self.bytes, entry.c_name().to_bytes_with_nul());
            self.metas.extend(entry.meta().cloned());
            self.packed.push(Packed {
                ino: entry.ino(),
                name,
                name_len: entry.name().len() as u32,
                dir,
                dir_len: prefix.len() as u32,
                depth: entry.depth() as u32,
                meta: entry.meta().map_or(0, |_| self.metas.len() as u32),
                file_type: entry.file_type(),
                is_hidden: entry.is_hidden(),
                is_followed_link: entry.is_followed_link(),
            });
        }
    }

    /// The entries from `from` on, at most `count`, as C has them; their metadata go to `metas`. They
    /// are valid until the batch or `metas` is changed.
    pub fn view<'a>(
        &'a self,
        from: usize,
        count: usize,
        metas: &'a mut Vec<Meta>,
    ) -> impl ExactSizeIterator<Item = entry::Entry> {
        let packed = &self.packed[from..self.len().min(from.saturating_add(count))];
        metas.clear();
        metas.reserve(if self.metas.is_empty() { 0 } else { packed.len() });
        packed.iter().map(|packed| {
            let meta = (packed.meta as usize).checked_sub(1).map(|at| Meta::from(&self.metas[at]));
            entry::Entry {
                name: self.bytes[packed.name as usize..].as_ptr().cast(),
                dir: self.bytes[packed.dir as usize..].as_ptr().cast(),
                meta: meta.map_or(null(), |meta| kept(metas, meta)),
                ino: packed.ino,
                name_len: packed.name_len,
                dir_len: packed.dir_len,
                depth: packed.depth,
                r#type: entry::letter(packed.file_type),
                is_hidden: packed.is_hidden,
                is_followed_link: packed.is_followed_link,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_entry_stays_small() {
        assert!(size_of::<Packed>() <= 40, "{}", size_of::<Packed>());
    }
}
