//! What a record says: which trees were set aside, and how each is recognised.
//!
//! A record is JSON. It names only entries called `.brisk-rm-<32 hexadecimal digits>`. With each it
//! holds the identity of its directory and of the entry itself: device, inode, time of birth, owner.
//! A tree is removed only if all of these still agree.

use std::ffi::{CStr, CString};
use std::io;
use std::path::PathBuf;

use brisk::unstable::FileIdentity;
use brisk::{Fields, Meta};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::{Backend, Dir, Freshness, Links};
use serde_json::Value;

use super::folder::{self, birth};
use crate::front::messages::cause;
use crate::show::json;
use crate::show::safe::path_bytes;

/// The beginning of the name of a tree that was set aside; 32 digits follow.
pub(super) const PREFIX: &str = ".brisk-rm-";
const DIGITS: usize = 32;

/// The fields by which a file is recognised.
const IDENTITY: Fields = Fields::DEV.union(Fields::INO).union(Fields::BTIME);

/// A tree that was set aside, or is about to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SetAside {
    /// The directory that holds the tree; its path has no links.
    pub(super) parent: PathBuf,
    /// The name that the tree gets.
    pub(super) name: CString,
    /// The name that the tree had.
    pub(super) was: Vec<u8>,
    known: FileIdentity,
    /// The times of birth of the directory and of the tree itself, in nanoseconds since 1970, where
    /// the file system keeps them. Unlike a device's number, they are the same after the next
    /// mount.
    born: [Option<u64>; 2],
}

/// Why a tree cannot be reached although its path leads somewhere.
const ELSEWHERE: &str = "another directory is in its place, or its file system is not mounted";

/// What was found where a target should be.
#[derive(Debug)]
pub(super) enum Whereabouts {
    /// The directory is there, and so is an entry of this name. The entry is removed only if it has
    /// this identity.
    There(FileIdentity),
    /// The directory is there, and no entry has this name.
    Gone,
    /// The directory is not there, or another one is in its place; with the reason.
    Unreachable(String),
}

impl SetAside {
    /// The tree with this identity, which had the name `was` in `parent`.
    pub(super) fn new(parent: PathBuf, was: &[u8], known: FileIdentity) -> io::Result<SetAside> {
        let name = CString::new(format!("{PREFIX}{}", digits()?))?;
        let born = |meta: io::Result<Meta>, id: (u64, u64)| {
            meta.ok().filter(|meta| meta.identity() == Some(id)).and_then(|meta| birth(&meta))
        };
        let itself = CString::new(was)?;
        let born = Dir::open_path_only(Backend::Native, &parent).map_or([None; 2], |dir| {
            [born(dir.stat_self(IDENTITY), known.parent), born(ask(&dir, &itself), known.itself)]
        });
        Ok(SetAside { parent, name, was: was.to_vec(), known, born })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.parent.join(bytes_to_path(self.name.to_bytes()))
    }

    /// Looks for the tree. System calls: one openat, two statx.
    pub(super) fn look(&self) -> Whereabouts {
        let unreachable = |error: io::Error| Whereabouts::Unreachable(cause(&error));
        let parent = match Dir::open_path_only(Backend::Native, &self.parent) {
            Ok(parent) => parent,
            Err(error) => return unreachable(error),
        };
        let above = match parent.stat_self(IDENTITY) {
            Ok(meta) => meta,
            Err(error) => return unreachable(error),
        };
        let other = || Whereabouts::Unreachable(ELSEWHERE.to_owned());
        let Some(above) = same(&above, self.known.parent, self.born[0]) else { return other() };
        match ask(&parent, &self.name) {
            Ok(meta) => Whereabouts::There(match same(&meta, self.known.itself, self.born[1]) {
                Some(itself) => FileIdentity { parent: above, itself, owner: self.known.owner },
                // Another tree than the one that was set aside: the removal refuses it as swapped.
                None => self.known,
            }),
            // A device's number may change from one mount to the next, so a directory with another
            // number may still be the recorded one. But only the same number proves that the tree
            // is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if above.0 == self.known.parent.0 { Whereabouts::Gone } else { other() }
            }
            Err(error) => unreachable(error),
        }
    }

    fn to_json(&self) -> String {
        let FileIdentity { parent, itself, owner } = self.known;
        let pair = |(device, inode): (u64, u64)| format!("[{device},{inode}]");
        json::of(|object| {
            object.name("parent", path_bytes(&self.parent));
            object.name("name", self.name.to_bytes());
            object.name("was", &self.was);
            object.plain("parent_id", pair(parent));
            object.number("parent_born", self.born[0]);
            object.plain("id", pair(itself));
            object.number("born", self.born[1]);
            object.plain("owner", owner);
        })
    }

    fn from_json(value: &Value) -> Option<SetAside> {
        let pair = |key: &str| {
            let pair = value.get(key)?;
            Some((pair.get(0)?.as_u64()?, pair.get(1)?.as_u64()?))
        };
        let born = |key: &str| value.get(key).and_then(Value::as_u64);
        let owner = u32::try_from(value.get("owner")?.as_u64()?).ok()?;
        let name = json::name_of(value, "name").filter(|name| is_ours(name))?;
        let parent = bytes_to_path(&json::name_of(value, "parent")?).to_owned();
        if !parent.is_absolute() {
            return None;
        }
        Some(SetAside {
            parent,
            name: CString::new(name).ok()?,
            was: json::name_of(value, "was").unwrap_or_default(),
            known: FileIdentity { parent: pair("parent_id")?, itself: pair("id")?, owner },
            born: [born("parent_born"), born("born")],
        })
    }
}

/// The text of a record.
pub(super) fn text(targets: &[SetAside]) -> String {
    let all: Vec<String> = targets.iter().map(SetAside::to_json).collect();
    format!("{{\"version\":1,\"targets\":[{}]}}", all.join(","))
}

/// The targets of a record; `None` if the text is cut off, or not of this program's making.
pub(super) fn parse(text: &[u8]) -> Option<Vec<SetAside>> {
    let value: Value = serde_json::from_slice(text).ok()?;
    if value.get("version")?.as_u64()? != 1 {
        return None;
    }
    value.get("targets")?.as_array()?.iter().map(SetAside::from_json).collect()
}

/// Whether a name is one that this program makes up.
fn is_ours(name: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    name.strip_prefix(PREFIX.as_bytes())
        .is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(is_digit))
}

/// 128 random bits.
pub(super) fn digits() -> io::Result<String> {
    Ok(format!("{:0DIGITS$x}", folder::random()?))
}

/// Asks about an entry itself.
fn ask(dir: &Dir, name: &CStr) -> io::Result<Meta> {
    dir.stat(name, IDENTITY, Links::NoFollow, Freshness::AsStat)
}

/// The identity of a file, if it is the recorded one. The inode must agree, and also the time of
/// birth or, where one of the two times is not known, the device.
fn same(meta: &Meta, id: (u64, u64), born: Option<u64>) -> Option<(u64, u64)> {
    let found = meta.identity()?;
    let agrees = match (born, birth(meta)) {
        (Some(then), Some(now)) => then == now,
        _ => found.0 == id.0,
    };
    (agrees && found.1 == id.1).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn identity(path: &Path) -> (u64, u64) {
        Dir::open_path_only(Backend::Native, path).unwrap().identity().unwrap()
    }

    fn target(place: &Path) -> SetAside {
        let itself = identity(&place.join("tree"));
        let parent = identity(place);
        let known = FileIdentity { parent, itself, owner: 0 };
        SetAside::new(place.to_owned(), b"tree", known).unwrap()
    }

    #[test]
    fn a_record_says_what_was_written() {
        let mut target = SetAside::new(
            if cfg!(windows) { "C:/a\u{e9}".into() } else { "/a\u{e9}".into() },
            b"n\xff",
            FileIdentity { parent: (1, 2), itself: (u64::MAX, 4), owner: 7 },
        )
        .unwrap();
        target.born = [Some(5), None];
        let text = text(std::slice::from_ref(&target));
        assert_eq!(parse(text.as_bytes()), Some(vec![target]));
        for cut in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..cut]), None, "cut at {cut}");
        }
        assert_eq!(parse(br#"{"version":2,"targets":[]}"#), None);
        assert_eq!(parse(br#"{"version":1,"targets":[]}"#), Some(Vec::new()));
    }

    #[test]
    fn a_record_names_only_what_was_set_aside() {
        assert!(is_ours(b".brisk-rm-00112233445566778899aabbccddeeff"));
        for name in [
            ".brisk-rm-",
            "home",
            "..",
            ".brisk-rm-00112233445566778899AABBCCDDEEFF",
            ".brisk-rm-00112233445566778899aabbccddeeff0",
            ".brisk-rm-00112233445566778899aabbccddee/f",
            "x.brisk-rm-00112233445566778899aabbccddeeff",
        ] {
            assert!(!is_ours(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn a_tree_is_there_or_gone_or_out_of_reach() {
        let scratch = tempfile::tempdir().unwrap();
        let place = crate::system::absolute(scratch.path()).unwrap();
        let parent = place.join("p");
        std::fs::create_dir_all(parent.join("tree")).unwrap();
        let target = target(&parent);
        assert!(matches!(target.look(), Whereabouts::Gone));
        std::fs::rename(parent.join("tree"), target.path()).unwrap();
        assert!(matches!(target.look(), Whereabouts::There(known) if known == target.known));
        std::fs::rename(&parent, place.join("q")).unwrap();
        assert!(matches!(target.look(), Whereabouts::Unreachable(why) if why != ELSEWHERE));
        std::fs::create_dir(&parent).unwrap();
        assert!(matches!(target.look(), Whereabouts::Unreachable(why) if why == ELSEWHERE));
        std::fs::remove_dir(&parent).unwrap();
        std::fs::rename(place.join("q"), &parent).unwrap();
        // After the next mount the device may have another number: the times of birth decide.
        let mut moved = target.clone();
        moved.known.parent.0 ^= 1;
        moved.known.itself.0 ^= 1;
        let told = target.born.iter().all(Option::is_some);
        match moved.look() {
            Whereabouts::There(known) => assert!(told && known == target.known),
            Whereabouts::Unreachable(_) => assert!(!told),
            Whereabouts::Gone => panic!("it is there"),
        }
        std::fs::remove_dir(target.path()).unwrap();
        assert!(matches!(moved.look(), Whereabouts::Unreachable(_)));
        assert!(matches!(target.look(), Whereabouts::Gone));
    }
}
