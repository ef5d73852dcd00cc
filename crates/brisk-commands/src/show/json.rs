//! The one writer of JSON, which appends bytes: [`write`] for an entry, [`stats`] for a walk,
//! [`Object`] for the rest. docs/json.md explains the keys of all commands.
//!
//! Keys stand in a fixed order; a key without a value is left out. A JSON string cannot hold bytes
//! that are not UTF-8: `path` then becomes `path_b64`, which holds the bytes in base64, and so do
//! all keys of paths, names and targets. In a list, such a path is an object with `path_b64`.
//!
//! A character that would control a terminal, or deceive who reads there, is written as `\u202e`. A
//! program reads the same text.

use std::fmt::Display;
use std::io::{self, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk::{Fields, FileType, Meta, Stats, Timestamp};
use brisk_sys::quoting::is_deceptive;
use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::Formatter;

use crate::show::names::with_name;
use crate::show::time::rfc3339::write_utc;
use crate::system::Owner;

/// The metadata that an entry's object holds.
pub(crate) fn fields() -> Fields {
    let others = Fields::TYPE | Fields::MNT_ID;
    Fields::STATX.difference(others) | Fields::DEV | Fields::LINK_TARGET
}

/// Appends the object for an entry, without a newline.
pub(crate) fn write(
    path: &[u8],
    name: &[u8],
    kind: FileType,
    depth: usize,
    meta: Option<&Meta>,
    out: &mut Vec<u8>,
) {
    append(out, |object| {
        object.name("path", path);
        object.name("name", name);
        object.text("type", kind.word());
        object.number("depth", Some(depth as u64));
        if let Some(meta) = meta {
            object.meta(meta);
        }
    });
}

/// The counts of a walk as one object, without a newline.
pub(crate) fn stats(stats: &Stats) -> String {
    of(|object| {
        object.number("entries", Some(stats.entries));
        object.number("taken", Some(stats.taken));
        object.number("directories", Some(stats.directories));
        object.number("errors", Some(stats.errors));
        let calls = &stats.calls;
        object.key("calls");
        append(object.out, |kinds| {
            kinds.number("open", Some(calls.open));
            kinds.number("read", Some(calls.read));
            kinds.number("stat", Some(calls.stat));
            kinds.number("read_link", Some(calls.read_link));
            kinds.number("xattr", Some(calls.xattr));
            kinds.number("reopen", Some(calls.reopen));
            kinds.number("other", Some(calls.visitor));
        });
        object.number("peak_workers", Some(stats.peak_workers as u64));
        object.plain("wall_seconds", format_args!("{:.6}", stats.wall.as_secs_f64()));
        object.plain("waiting", format_args!("{:.3}", stats.waiting));
        object.plain("entries_per_second", format_args!("{:.0}", stats.entries_per_second()));
    })
}

/// Appends an object.
fn append(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    fill(&mut Object { out });
    out.push(b'}');
}

/// An object as a text.
pub fn of(fill: impl FnOnce(&mut Object<'_>)) -> String {
    let mut out = Vec::new();
    append(&mut out, fill);
    String::from_utf8(out).expect("BUG: JSON is UTF-8")
}

/// A list of paths, or of other texts.
pub fn paths(paths: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let element = |path: &[u8]| match std::str::from_utf8(path) {
        Ok(text) => {
            let mut out = Vec::new();
            string(text, &mut out);
            String::from_utf8(out).expect("BUG: JSON is UTF-8")
        }
        Err(_) => of(|object| object.name("path", path)),
    };
    let elements = paths.into_iter().map(|path| element(path.as_ref()));
    format!("[{}]", elements.collect::<Vec<_>>().join(","))
}

/// A name or a path, as [`Object::name`] wrote it.
pub fn name_of(object: &Value, key: &str) -> Option<Vec<u8>> {
    match object[key].as_str() {
        Some(text) => Some(text.into()),
        None => STANDARD.decode(object[&format!("{key}_b64")].as_str()?).ok(),
    }
}

/// Appends a text in quotes.
fn string(text: &str, out: &mut Vec<u8>) {
    let mut serializer = serde_json::Serializer::with_formatter(out, Careful);
    text.serialize(&mut serializer).expect("BUG: a Vec takes every write");
}

/// Escapes the characters that JSON may hold but a terminal must not see.
struct Careful;

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return writer.write_all(fragment.as_bytes());
        }
        for c in fragment.chars() {
            if is_deceptive(c) {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            } else {
                writer.write_all(c.encode_utf8(&mut [0; 4]).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Appends an object on a line of its own.
pub fn line(out: &mut Vec<u8>, fill: impl FnOnce(&mut Object<'_>)) {
    append(out, fill);
    out.push(b'\n');
}

/// An object that is being written. A key without a value is left out.
pub struct Object<'a> {
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

    /// A text that stands as it is: a number, `true`, an object, a quoted text.
    pub fn plain(&mut self, key: &str, text: impl Display) {
        self.key(key);
        write!(self.out, "{text}").expect("BUG: a Vec takes every write");
    }

    pub fn text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.key(key);
            string(text, self.out);
        }
    }

    /// A name or a path, in base64 if it is not UTF-8.
    pub fn name(&mut self, key: &str, bytes: &[u8]) {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(key, Some(text)),
            Err(_) => self.text(&format!("{key}_b64"), Some(&STANDARD.encode(bytes))),
        }
    }

    pub fn number(&mut self, key: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.key(key);
            self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
    }

    /// A number with a fraction; left out if it is not finite, which JSON cannot hold.
    pub fn real(&mut self, key: &str, number: Option<f64>) {
        if let Some(number) = number.filter(|number| number.is_finite()) {
            self.plain(key, number);
        }
    }

    /// Permission bits, in octal.
    pub fn mode(&mut self, mode: Option<u32>) {
        if let Some(mode) = mode {
            self.plain("mode", format_args!("\"{mode:o}\""));
        }
    }

    fn meta(&mut self, meta: &Meta) {
        self.number("size", meta.size());
        self.number("blocks", meta.blocks());
        self.mode(meta.mode());
        self.number("uid", meta.uid().map(u64::from));
        self.number("gid", meta.gid().map(u64::from));
        if let Some(uid) = meta.uid() {
            with_name(Owner::User(uid), |name| self.text("user", name));
        }
        if let Some(gid) = meta.gid() {
            with_name(Owner::Group(gid), |name| self.text("group", name));
        }
        self.number("nlink", meta.nlink());
        self.number("inode", meta.ino());
        self.number("device", meta.dev());
        self.time("atime", meta.atime());
        self.time("mtime", meta.mtime());
        self.time("ctime", meta.ctime());
        self.time("btime", meta.btime());
        if let Some(target) = meta.link_target() {
            self.name("target", target);
        }
    }

    pub fn time(&mut self, key: &str, time: Option<Timestamp>) {
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
    use std::os::unix::fs::MetadataExt;

    fn object(path: &[u8], name: &[u8], kind: FileType, meta: Option<&Meta>) -> Value {
        let mut out = Vec::new();
        write(path, name, kind, 2, meta, &mut out);
        assert!(!out.contains(&b'\n'), "one line");
        serde_json::from_slice(&out).expect("valid JSON")
    }

    #[test]
    fn the_counts_of_a_walk_are_whole() {
        let mut walked = Stats::default();
        walked.calls.open = 1;
        walked.calls.visitor = 2;
        walked.wall = std::time::Duration::from_millis(1500);
        walked.entries = 3;
        assert_eq!(
            stats(&walked),
            "{\"entries\":3,\"taken\":0,\"directories\":0,\"errors\":0,\"calls\":{\"open\":1,\
             \"read\":0,\"stat\":0,\"read_link\":0,\"xattr\":0,\"reopen\":0,\"other\":2},\
             \"peak_workers\":0,\"wall_seconds\":1.500000,\"waiting\":0.000,\
             \"entries_per_second\":2}"
        );
        assert_eq!(walked.calls.total(), 3);
    }

    #[test]
    fn metadata_is_whole_and_in_utc() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("f");
        std::fs::write(&path, b"12345").expect("a file");
        let std = std::fs::metadata(&path).expect("metadata");
        let meta = stat_path(Backend::default(), &path, fields(), Links::NoFollow).expect("stat");
        let object = object(b"d/f", b"f", FileType::File, Some(&meta));
        assert_eq!(object["path"], "d/f");
        assert_eq!(object["name"], "f");
        assert_eq!(object["type"], "file");
        assert_eq!(object["depth"], 2);
        assert_eq!(object["size"], 5);
        assert_eq!(object["mode"], format!("{:o}", std.mode() & 0o7777));
        assert_eq!(object["uid"], std.uid());
        assert_eq!(object["gid"], std.gid());
        assert_eq!(object["blocks"], std.blocks());
        for (key, id) in [("user", std.uid()), ("group", std.gid())] {
            assert!(id != 0 || object[key] == "root", "{key}: {}", object[key]);
        }
        assert_eq!(object["inode"], std.ino());
        assert_eq!(object["device"], std.dev());
        assert_eq!(object["nlink"], 1);
        let mtime: jiff::Timestamp =
            object["mtime"].as_str().and_then(|text| text.parse().ok()).expect("a time");
        assert_eq!(mtime.as_second(), std.mtime());
        assert_eq!(i64::from(mtime.subsec_nanosecond()), std.mtime_nsec());
        assert_eq!(object.get("target"), None);
    }

    #[test]
    fn no_character_is_dangerous() {
        let text = "a\u{9b}b\u{202e}c\u{7f}d\u{e0041}é\"\n\u{1b}";
        let mut out = Vec::new();
        string(text, &mut out);
        let shown = String::from_utf8(out).unwrap();
        assert_eq!(shown, r#""a\u009bb\u202ec\u007fd\udb40\udc41é\"\n\u001b""#);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }

    #[test]
    fn a_path_in_a_list_is_a_text_or_an_object() {
        assert_eq!(paths(["a", "b\n"]), r#"["a","b\n"]"#);
        assert_eq!(paths([b"\xff"]), r#"[{"path_b64":"/w=="}]"#);
        assert_eq!(paths([""; 0]), "[]");
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut out = Vec::new();
        write(b"a", b"a", FileType::Unknown, 1, None, &mut out);
        assert_eq!(out, br#"{"path":"a","name":"a","depth":1}"#);
    }

    #[test]
    fn a_time_that_is_none_is_left_out() {
        let text = of(|object| {
            object.time("mtime", Some(Timestamp { secs: 0, nanos: u32::MAX }));
            object.time("ctime", Some(Timestamp { secs: 0, nanos: 5 }));
        });
        assert_eq!(text, r#"{"ctime":"1970-01-01T00:00:00.000000005Z"}"#);
    }

    proptest! {
        #[test]
        fn every_name_survives(path in proptest::collection::vec(any::<u8>(), 0..20)) {
            let object = object(&path, &path, FileType::Fifo, None);
            prop_assert!(object.get("path").is_some() != object.get("path_b64").is_some());
            prop_assert_eq!(name_of(&object, "path"), Some(path));
        }
    }
}
