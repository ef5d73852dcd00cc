//! [`PackedNames`]: names side by side in one allocation, each with an inode, a number and flags.
//! Lists of directories that wait and of entries that wait for their turn are such lists.

use std::ffi::CStr;

use brisk_sys::{append, until_nul};

/// A name in a list of packed names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackedName<'a> {
    pub name: &'a CStr,
    pub ino: u64,
    /// The list's own number for the name: an index among metadata, a count.
    pub tag: u32,
    /// The list's own flags.
    pub flags: u8,
}

/// Packed names. A record is eight bytes of inode, four of tag, one of flags, the name and its NUL.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackedNames {
    bytes: Vec<u8>,
    count: usize,
}

const TAG_AT: usize = 8;
const FLAGS_AT: usize = 12;
const NAME_AT: usize = 13;

impl PackedName<'_> {
    /// The bytes that the record takes.
    #[inline(always)]
    pub fn size(&self) -> usize {
        NAME_AT + self.name.count_bytes() + 1
    }
}

impl PackedNames {
    pub fn with_capacity(bytes: usize) -> PackedNames {
        PackedNames { bytes: Vec::with_capacity(bytes), count: 0 }
    }

    /// Adds a name, and returns where its record is.
    #[inline(always)]
    pub fn push(&mut self, name: PackedName<'_>) -> usize {
        let at = self.bytes.len();
        let mut head = [0; NAME_AT];
        head[..TAG_AT].copy_from_slice(&name.ino.to_ne_bytes());
        head[TAG_AT..FLAGS_AT].copy_from_slice(&name.tag.to_ne_bytes());
        head[FLAGS_AT] = name.flags;
        append(&mut self.bytes, &head);
        append(&mut self.bytes, name.name.to_bytes_with_nul());
        self.count += 1;
        at
    }

    /// The name whose record begins at `at`, which [`push`](Self::push) returned.
    #[inline(always)]
    pub fn at(&self, at: usize) -> PackedName<'_> {
        let (head, rest) = self.bytes[at..].split_at(NAME_AT);
        let (ino, rest_of_head) = head.split_first_chunk().expect("BUG: a record's head is whole");
        let (tag, flags) = rest_of_head.split_first_chunk().expect("BUG: a record's head is whole");
        PackedName {
            name: until_nul(rest).expect("BUG: every name was packed with its NUL"),
            ino: u64::from_ne_bytes(*ino),
            tag: u32::from_ne_bytes(*tag),
            flags: flags[0],
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = PackedName<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let name = (at < self.bytes.len()).then(|| self.at(at))?;
            at += name.size();
            Some(name)
        })
    }

    /// Removes all names but those that `keeps` accepts.
    pub fn retain(&mut self, keeps: impl Fn(&CStr) -> bool) {
        let all = std::mem::take(self);
        for name in all.iter().filter(|name| keeps(name.name)) {
            self.push(name);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The bytes that all records take.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    #[cfg(test)]
    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.count = 0;
    }

    /// A copy of the names in no more space than they need.
    pub fn to_exact(&self) -> PackedNames {
        PackedNames { bytes: self.bytes.as_slice().to_vec(), count: self.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_were_packed() {
        let names = [c"a", c"", c"a longer name with spaces", c"\xff"];
        let packed = |at: usize| PackedName {
            name: names[at],
            ino: u64::MAX - at as u64,
            tag: u32::MAX / (at as u32 + 1),
            flags: at as u8,
        };
        let mut list = PackedNames::default();
        let places: Vec<_> = (0..names.len()).map(|at| list.push(packed(at))).collect();
        for (at, place) in places.into_iter().enumerate() {
            assert_eq!(list.at(place), packed(at));
        }
        assert_eq!(list.iter().collect::<Vec<_>>(), [0, 1, 2, 3].map(packed));
        list.retain(|name| name.count_bytes() < 2);
        let kept: Vec<_> = list.iter().map(|packed| packed.name).collect();
        assert_eq!(kept, [c"a", c"", c"\xff"]);
    }
}
