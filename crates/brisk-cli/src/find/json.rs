//! One JSON object for each result.
//!
//! Keys stand in a fixed order; a key without a value is left out. A JSON string cannot hold names
//! that are not UTF-8: `path`, `name` and `target` then become `path_b64`, `name_b64` and
//! `target_b64`, which hold the raw bytes in base64.
//!
//! `type` is a word that `--type` takes: `file`, `directory`, `symlink`, `block-device`,
//! `char-device`, `socket`, `pipe` (or `other`). `mode` holds the permission bits as an integer,
//! `blocks` counts 512 bytes, times are RFC 3339 in UTC with nanoseconds.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk::{Fields, FileType, Meta, Timestamp};

use super::Item;
use super::format::Facts;
use super::format::parts::{Parts, Separator};
use crate::common::names;
use crate::common::time::rfc3339::write_utc;

/// The metadata that an object holds.
#[must_use]
pub fn fields() -> Fields {
    Fields::MODE
        | Fields::NLINK
        | Fields::UID
        | Fields::GID
        | Fields::INO
        | Fields::SIZE
        | Fields::BLOCKS
        | Fields::ATIME
        | Fields::MTIME
        | Fields::CTIME
        | Fields::BTIME
        | Fields::LINK_TARGET
}

/// Appends the object for a result, without a newline.
pub fn write(item: &Item<'_>, out: &mut Vec<u8>) {
    let name = Parts::of_item(item, &Separator::default()).name();
    write_object(item.path, name, &Facts::of(item.entry), out);
}

/// Appends the object for an entry from these facts, without a newline.
pub(crate) fn write_entry(
    path: &[u8],
    name: &[u8],
    kind: FileType,
    depth: usize,
    meta: Option<&Meta>,
    out: &mut Vec<u8>,
) {
    write_object(path, name, &Facts { kind, depth, meta }, out);
}

fn write_object(path: &[u8], name: &[u8], facts: &Facts<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let mut object = Object { out };
    object.name("path", path);
    object.name("name", name);
    if let Some(word) = type_word(facts.kind) {
        object.key("type");
        object.text(word);
    }
    object.number("depth", Some(facts.depth as u64));
    if let Some(meta) = facts.meta {
        object.meta(meta);
    }
    out.push(b'}');
}

/// The word for a type, as `--type` takes it.
fn type_word(kind: FileType) -> Option<&'static str> {
    Some(match kind {
        FileType::Unknown => return None,
        FileType::File => "file",
        FileType::Directory => "directory",
        FileType::Symlink => "symlink",
        FileType::BlockDevice => "block-device",
        FileType::CharDevice => "char-device",
        FileType::Fifo => "pipe",
        FileType::Socket => "socket",
        _ => "other",
    })
}

/// An object that is being written.
struct Object<'a> {
    out: &'a mut Vec<u8>,
}

impl Object<'_> {
    /// Appends a comma if one is due, the key and the colon.
    fn key(&mut self, key: &str) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn text(&mut self, text: &str) {
        serde_json::to_writer(&mut *self.out, text).expect("BUG: a Vec takes every write");
    }

    fn name(&mut self, key: &str, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.key(key);
                self.text(text);
            }
            Err(_) => {
                self.key(&format!("{key}_b64"));
                self.text(&STANDARD.encode(bytes));
            }
        }
    }

    fn number(&mut self, key: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.key(key);
            self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
    }

    fn meta(&mut self, meta: &Meta) {
        self.number("size", meta.size());
        self.number("blocks", meta.blocks());
        self.number("mode", meta.mode().map(u64::from));
        self.number("uid", meta.uid().map(u64::from));
        self.number("gid", meta.gid().map(u64::from));
        if let Some(uid) = meta.uid() {
            names::with_user(uid, |name| self.owner("user", name));
        }
        if let Some(gid) = meta.gid() {
            names::with_group(gid, |name| self.owner("group", name));
        }
        self.number("ino", meta.ino());
        self.number("nlink", meta.nlink());
        self.time("mtime", meta.mtime());
        self.time("atime", meta.atime());
        self.time("ctime", meta.ctime());
        self.time("btime", meta.btime());
        if let Some(target) = meta.link_target() {
            self.name("target", target);
        }
    }

    fn owner(&mut self, key: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.key(key);
            self.text(name);
        }
    }

    fn time(&mut self, key: &str, time: Option<Timestamp>) {
        let Some(time) = time else { return };
        let before = self.out.len();
        self.key(key);
        self.out.push(b'"');
        match write_utc(time, self.out) {
            Some(()) => self.out.push(b'"'),
            // An invalid time is left out, like a time that the file system does not keep.
            None => self.out.truncate(before),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use brisk_sys::{Backend, Links, stat_path};
    use proptest::prelude::*;
    use serde_json::Value;
    use std::os::unix::fs::MetadataExt;

    fn object(path: &[u8], name: &[u8], facts: &Facts<'_>) -> Value {
        let mut out = Vec::new();
        write_object(path, name, facts, &mut out);
        assert!(!out.contains(&b'\n'), "one line");
        serde_json::from_slice(&out).expect("valid JSON")
    }

    #[test]
    fn metadata_is_whole_and_in_utc() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("f");
        std::fs::write(&path, b"12345").expect("a file");
        let std = std::fs::metadata(&path).expect("metadata");
        let meta = stat_path(Backend::default(), &path, fields(), Links::NoFollow).expect("stat");
        let facts = Facts { kind: FileType::File, depth: 2, meta: Some(&meta) };
        let object = object(b"d/f", b"f", &facts);
        assert_eq!(object["path"], "d/f");
        assert_eq!(object["name"], "f");
        assert_eq!(object["type"], "file");
        assert_eq!(object["depth"], 2);
        assert_eq!(object["size"], 5);
        assert_eq!(object["mode"], std.mode() & 0o7777);
        assert_eq!(object["uid"], std.uid());
        assert_eq!(object["gid"], std.gid());
        assert_eq!(object["blocks"], std.blocks());
        for (key, id) in [("user", std.uid()), ("group", std.gid())] {
            assert!(id != 0 || object[key] == "root", "{key}: {}", object[key]);
        }
        assert_eq!(object["ino"], std.ino());
        assert_eq!(object["nlink"], 1);
        let mtime: jiff::Timestamp =
            object["mtime"].as_str().and_then(|text| text.parse().ok()).expect("a time");
        assert_eq!(mtime.as_second(), std.mtime());
        assert_eq!(i64::from(mtime.subsec_nanosecond()), std.mtime_nsec());
        assert_eq!(object.get("target"), None);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let facts = Facts { kind: FileType::Unknown, depth: 1, meta: None };
        let mut out = Vec::new();
        write_object(b"a", b"a", &facts, &mut out);
        assert_eq!(out, br#"{"path":"a","name":"a","depth":1}"#);
    }

    #[test]
    fn a_time_that_is_none_is_left_out() {
        let mut out = b"{".to_vec();
        let mut object = Object { out: &mut out };
        object.time("mtime", Some(Timestamp { secs: 0, nanos: u32::MAX }));
        object.time("ctime", Some(Timestamp { secs: 0, nanos: 5 }));
        assert_eq!(out, br#"{"ctime":"1970-01-01T00:00:00.000000005Z""#);
    }

    proptest! {
        #[test]
        fn every_name_survives(path in proptest::collection::vec(any::<u8>(), 0..20)) {
            let facts = Facts { kind: FileType::Fifo, depth: 0, meta: None };
            let object = object(&path, &path, &facts);
            let read = match (object["path"].as_str(), object["path_b64"].as_str()) {
                (Some(text), None) => text.as_bytes().to_vec(),
                (None, Some(encoded)) => STANDARD.decode(encoded).expect("base64"),
                both => panic!("{both:?}"),
            };
            prop_assert_eq!(read, path);
        }
    }
}
