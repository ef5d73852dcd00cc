//! The order of a listing, as the engine's ranks and comparisons.
//!
//! Ranks decide most comparisons by a number: eight bytes of the name, the size, or the time.

use std::cmp::Ordering;
use std::ffi::CStr;

use brisk::{FileType, Meta, Target};
use brisk_cli_sys::locale;

use super::flags::Sort;
use super::version;
use crate::show::long::Item;
use crate::show::quoting::Quoting;
use crate::show::text;
use brisk_filter::Stamp;

/// How siblings are ordered.
#[derive(Clone)]
pub(crate) struct Arrangement {
    pub(crate) by: Sort,
    pub(crate) reverse: bool,
    pub(crate) directories_first: bool,
    pub(crate) time: Stamp,
    /// Whether the locale collates names; if not, their bytes decide.
    pub(crate) collated: bool,
    /// How names are quoted, for their widths.
    pub(crate) quoting: Quoting,
    /// Whether names without quotes are shifted by one where any name has some; if no name has any,
    /// this changes nothing.
    pub(crate) shifts: bool,
}

/// Bytes of the longest name that is copied for C on the stack.
const ON_STACK: usize = 256;

/// Calls `use_name` with the name as a C string.
fn with_c_str<R>(name: &[u8], use_name: impl FnOnce(&CStr) -> R) -> R {
    let mut room = [0; ON_STACK];
    if name.len() < ON_STACK {
        room[..name.len()].copy_from_slice(name);
        // The byte after the name is a null byte.
        return use_name(CStr::from_bytes_until_nul(&room).unwrap_or_default());
    }
    let mut long = name.to_vec();
    long.push(0);
    use_name(CStr::from_bytes_until_nul(&long).unwrap_or_default())
}

/// Eight bytes of a name as a number. Numbers of this kind compare as the bytes do.
#[inline]
pub(crate) fn eight_bytes(name: &[u8], from: usize) -> u64 {
    let mut eight = [0; 8];
    let rest = name.get(from..).unwrap_or_default();
    let length = rest.len().min(8);
    eight[..length].copy_from_slice(&rest[..length]);
    u64::from_be_bytes(eight)
}

/// Whether the entry is a directory, or a link known to lead to one.
fn is_directory(item: &Item<'_>) -> bool {
    match item.file_type {
        FileType::Directory => true,
        FileType::Symlink => match item.meta.and_then(Meta::target) {
            Some(Target::Mode(mode)) => FileType::from_mode(mode).is_dir(),
            Some(Target::Dangling) | None => false,
        },
        _ => false,
    }
}

/// The extension: the name from its last dot on.
fn extension(name: &[u8]) -> &[u8] {
    let at = name.iter().rposition(|byte| *byte == b'.');
    at.map_or(&[], |at| &name[at..])
}

impl Arrangement {
    /// Whether the bytes of names alone decide.
    #[inline]
    pub(crate) fn is_by_bytes(&self) -> bool {
        self.by == Sort::Name && !(self.collated || self.reverse || self.directories_first)
    }

    /// Numbers that order entries as [`compare`](Arrangement::compare) does. Where the numbers of
    /// one level are equal, those of the next decide, and after the last level the comparison.
    #[inline]
    pub(crate) fn rank(&self, item: &Item<'_>, level: usize) -> u64 {
        if !self.directories_first {
            return self.turned(item, level);
        }
        match level.checked_sub(1) {
            None => u64::from(!is_directory(item)),
            Some(level) => self.turned(item, level),
        }
    }

    #[inline]
    fn turned(&self, item: &Item<'_>, level: usize) -> u64 {
        let rank = self.plain_rank(item, level);
        if self.reverse { !rank } else { rank }
    }

    #[inline]
    fn plain_rank(&self, item: &Item<'_>, level: usize) -> u64 {
        match (self.by, level) {
            (Sort::Name, _) => self.name_rank(item.name, level),
            (Sort::Size, 0) => !item.size(),
            // Newest first. The sign bit is inverted, so that times before 1970 come last.
            (Sort::Time, 0) => !(item.time(self.time).unwrap_or_default().secs as u64 ^ 1 << 63),
            (Sort::Time, 1) => !u64::from(item.time(self.time).unwrap_or_default().nanos),
            (Sort::Time, _) => self.name_rank(item.name, level - 2),
            (Sort::Width, 0) => self.width(item.name) as u64,
            (Sort::Size | Sort::Width, _) => self.name_rank(item.name, level - 1),
            (Sort::Extension, 0) => self.name_rank(extension(item.name), 0),
            (Sort::Unsorted | Sort::Extension | Sort::Version, _) => 0,
        }
    }

    #[inline]
    fn name_rank(&self, name: &[u8], level: usize) -> u64 {
        match (self.collated, level) {
            (false, _) => eight_bytes(name, 8 * level),
            (true, 0) => with_c_str(name, locale::rank),
            // The comparison decides where the beginnings of two names are equal in the locale's
            // order.
            (true, _) => 0,
        }
    }

    fn width(&self, name: &[u8]) -> usize {
        let mut shown = Vec::new();
        let is_quoted = self.quoting.write(name, &mut shown);
        text::width(&shown, self.quoting.charset) + usize::from(self.shifts && !is_quoted)
    }

    fn names(&self, a: &[u8], b: &[u8]) -> Ordering {
        if self.collated {
            return with_c_str(a, |a| with_c_str(b, |b| locale::compare(a, b)));
        }
        a.cmp(b)
    }

    /// Which of two siblings comes first.
    pub(crate) fn compare(&self, a: &Item<'_>, b: &Item<'_>) -> Ordering {
        let groups = if self.directories_first {
            is_directory(b).cmp(&is_directory(a))
        } else {
            Ordering::Equal
        };
        groups.then_with(|| if self.reverse { self.plain(b, a) } else { self.plain(a, b) })
    }

    fn plain(&self, a: &Item<'_>, b: &Item<'_>) -> Ordering {
        let time = |item: &Item<'_>| item.time(self.time).unwrap_or_default();
        let first = match self.by {
            Sort::Unsorted => return Ordering::Equal,
            Sort::Name => Ordering::Equal,
            Sort::Size => b.size().cmp(&a.size()),
            Sort::Time => time(b).cmp(&time(a)),
            Sort::Extension => self.names(extension(a.name), extension(b.name)),
            Sort::Version => {
                return version::compare(a.name, b.name).then_with(|| a.name.cmp(b.name));
            }
            Sort::Width => self.width(a.name).cmp(&self.width(b.name)),
        };
        first.then_with(|| self.names(a.name, b.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::quoting::Style;
    use crate::show::text::Charset;

    fn sorted(by: Sort, reverse: bool, names: &[&str]) -> Vec<String> {
        let quoting = Quoting::new(Style::Literal, false, Charset::Ascii);
        let arrangement = Arrangement {
            by,
            reverse,
            directories_first: true,
            time: Stamp::Modified,
            collated: false,
            quoting,
            shifts: false,
        };
        let item = |name: &'static str| {
            let file_type = if name.ends_with('/') { FileType::Directory } else { FileType::File };
            Item { name: name.as_bytes(), file_type, meta: None, failed: false }
        };
        let mut items: Vec<Item<'_>> =
            names.iter().map(|name| item(String::from(*name).leak())).collect();
        items.sort_by(|a, b| arrangement.compare(a, b));
        let ranks = |item| (0..4).map(|level| arrangement.rank(item, level)).collect();
        let ranks: Vec<Vec<u64>> = items.iter().map(ranks).collect();
        assert!(ranks.is_sorted(), "{by:?} {ranks:x?}");
        items.iter().map(|item| String::from_utf8_lossy(item.name).into_owned()).collect()
    }

    #[test]
    fn ranks_agree_with_comparisons() {
        let names = ["b.c", "a.d", "aaaaaaaab", "aaaaaaaaa", "z/", "y10/", "y9/", ".x"];
        assert_eq!(
            sorted(Sort::Name, false, &names),
            ["y10/", "y9/", "z/", ".x", "a.d", "aaaaaaaaa", "aaaaaaaab", "b.c"]
        );
        assert_eq!(
            sorted(Sort::Name, true, &names),
            ["z/", "y9/", "y10/", "b.c", "aaaaaaaab", "aaaaaaaaa", "a.d", ".x"]
        );
        assert_eq!(
            sorted(Sort::Version, false, &names),
            ["y9/", "y10/", "z/", ".x", "a.d", "aaaaaaaaa", "aaaaaaaab", "b.c"]
        );
        assert_eq!(
            sorted(Sort::Extension, false, &names),
            ["y10/", "y9/", "z/", "aaaaaaaaa", "aaaaaaaab", "b.c", "a.d", ".x"]
        );
        assert_eq!(
            sorted(Sort::Width, false, &names),
            ["z/", "y9/", "y10/", ".x", "a.d", "b.c", "aaaaaaaaa", "aaaaaaaab"]
        );
        for by in [Sort::Size, Sort::Time] {
            assert_eq!(sorted(by, false, &names), sorted(Sort::Name, false, &names));
        }
    }
}
