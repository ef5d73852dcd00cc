//! [`Unit`] and [`UnitOutcome`]: what is asked of a worker, and what it answers, as JSON.

use std::fs::File;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Fault;
use crate::seal;

/// The version of units, outcomes and journals.
pub const VERSION: u32 = 1;

/// The bytes of a path, or of a word of a command line. In JSON a text, or `{"path_b64":"…"}` where
/// the bytes are not UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Spelling", into = "Spelling")]
pub struct Name(pub Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Text(String),
    Bytes { path_b64: String },
}

impl TryFrom<Spelling> for Name {
    type Error = base64::DecodeError;

    fn try_from(spelling: Spelling) -> Result<Name, base64::DecodeError> {
        Ok(Name(match spelling {
            Spelling::Text(text) => text.into_bytes(),
            Spelling::Bytes { path_b64 } => STANDARD.decode(path_b64)?,
        }))
    }
}

impl From<Name> for Spelling {
    fn from(Name(bytes): Name) -> Spelling {
        match String::from_utf8(bytes) {
            Ok(text) => Spelling::Text(text),
            Err(error) => Spelling::Bytes { path_b64: STANDARD.encode(error.into_bytes()) },
        }
    }
}

impl<T: Into<Vec<u8>>> From<T> for Name {
    fn from(bytes: T) -> Name {
        Name(bytes.into())
    }
}

/// What a data set is a table of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// [`VERSION`].
    pub version: u32,
    /// The roots as rows spell them.
    pub roots: Vec<Name>,
    /// Their absolute paths, without links.
    pub absolute_roots: Vec<Name>,
    /// Words of `brisk scan`: columns and filters.
    pub options: Vec<Name>,
    /// When the data set was begun, in RFC 3339 and UTC. Ages count back from then.
    pub began: String,
    /// How many units should wait: an outcome's directories are divided into as many as are missing.
    pub split: usize,
}

/// A directory that a unit begins with, or has not entered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnitDir {
    /// The number of its root.
    #[serde(skip_serializing_if = "is_default")]
    pub root: usize,
    /// Its path below the root; empty for the root itself.
    #[serde(skip_serializing_if = "is_default")]
    pub below: Name,
    /// Whether the name is a link's, which is followed.
    #[serde(skip_serializing_if = "is_default")]
    pub link: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A piece of a scan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// [`VERSION`].
    #[serde(deserialize_with = "this_version")]
    pub version: u32,
    /// The digest of the rest. May be missing in a unit that a user has written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The directory of the data set, absolute.
    pub out: Name,
    /// The roots as rows spell them.
    pub roots: Vec<Name>,
    /// Where to begin. If there are none: with the roots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directories: Vec<UnitDir>,
    /// See [`Description::options`].
    #[serde(default)]
    pub options: Vec<Name>,
    /// See [`Description::began`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub began: String,
    /// After so many seconds the unit enters no other directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_seconds: Option<f64>,
    /// After so many entries the unit enters no other directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_entries: Option<u64>,
    /// The most requests in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<usize>,
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The entry.
    pub path: Name,
    /// What failed, in words.
    pub error: String,
}

/// What identifies a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The size of the file.
    pub bytes: u64,
    /// The CRC-32 in its seal, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<u32>,
}

impl Seal {
    /// That of this file.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn of(file: &File) -> io::Result<Seal> {
        let checksum = seal::find(file)?.map(|(_, crc)| crc);
        Ok(Seal { bytes: file.metadata()?.len(), checksum })
    }

    /// Whether a file with this seal can be the one that was recorded with another.
    pub(super) fn fits(self, recorded: Seal) -> bool {
        self.bytes == recorded.bytes
            && (recorded.checksum.is_none() || self.checksum == recorded.checksum)
    }
}

/// What a unit has done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitOutcome {
    /// [`VERSION`].
    #[serde(deserialize_with = "this_version")]
    pub version: u32,
    /// The unit's id.
    pub unit: String,
    /// The name of the part; none if there are no rows.
    pub part: Option<String>,
    /// The number of rows in the part.
    pub rows: u64,
    /// The size of the part, and its checksum.
    #[serde(flatten)]
    pub seal: Seal,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Failure>,
    /// The directories that were not entered. Their own rows are in the part, or in an earlier one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unvisited: Vec<UnitDir>,
    /// The file systems that were met, as `brisk.volumes` of a table has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Value>,
    /// How long the unit took.
    pub seconds: f64,
}

/// The sums of all outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// The number of outcomes.
    pub units: u64,
    /// The number of parts; a unit without rows has none.
    pub parts: u64,
    /// The rows of all parts.
    pub rows: u64,
    /// The size of all parts.
    pub bytes: u64,
    /// How often something could not be read.
    pub errors: u64,
}

impl Totals {
    pub(super) fn add(&mut self, outcome: &UnitOutcome) {
        self.units += 1;
        self.parts += u64::from(outcome.part.is_some());
        self.rows += outcome.rows;
        self.bytes += outcome.seal.bytes;
        self.errors += outcome.errors.len() as u64;
    }
}

impl Unit {
    /// The digest of the rest.
    #[must_use]
    pub fn digest(&self) -> String {
        let rest = Unit { id: String::new(), ..self.clone() };
        digest(&rest.to_json())
    }

    /// One line, without its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// Reads what [`to_json`](Unit::to_json) has written, or a user.
    ///
    /// # Errors
    /// The text is not a unit of this version, or is not as it was written.
    pub fn from_json(text: &str) -> Result<Unit, Fault> {
        let unit: Unit = from_json("a unit", text)?;
        let id = unit.digest();
        let why = if !unit.id.is_empty() && unit.id != id {
            "it has another digest"
        } else if unit.directories.iter().any(|place| place.root >= unit.roots.len()) {
            "it lacks a root"
        } else {
            return Ok(Unit { id, ..unit });
        };
        Err(Fault::Unreadable("a unit", why.to_owned()))
    }
}

impl UnitOutcome {
    /// One line, without its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// Reads what [`to_json`](UnitOutcome::to_json) has written.
    ///
    /// # Errors
    /// The text is no outcome of this version.
    pub fn from_json(text: &str) -> Result<UnitOutcome, Fault> {
        from_json("an outcome", text)
    }
}

/// 128 bits of BLAKE3, in hexadecimal.
pub(super) fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

pub(super) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("BUG: a value that JSON cannot hold")
}

fn from_json<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|why| Fault::Unreadable(what, why.to_string()))
}

fn this_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        VERSION => Ok(VERSION),
        other => Err(D::Error::custom(format!("version {other}, and not {VERSION}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let place = |below: &[u8], link| UnitDir { root: 1, below: below.into(), link };
        let unit = Unit {
            version: VERSION,
            out: "/out".into(),
            roots: vec!["/data".into(), b"/\xff"[..].into()],
            directories: vec![place(b"a/\xfe", false), place(b"", true), UnitDir::default()],
            options: vec!["--columns=path".into()],
            budget_seconds: Some(1.5),
            budget_entries: Some(5_000_000),
            ..Unit::default()
        };
        let unit = Unit { id: unit.digest(), ..unit };
        assert_eq!(Unit::from_json(&unit.to_json()).expect("a unit"), unit);
        let text = unit.to_json();
        assert!(
            text.contains(r#"[{"root":1,"below":{"path_b64":"YS/+"}},{"root":1,"link":true},{}]"#)
        );
        for (from, to) in [("1.5", "1.6"), ("\"version\":1", "\"version\":2"), ("/out", "/in")] {
            assert!(Unit::from_json(&text.replace(from, to)).is_err(), "{from}");
        }
        let by_hand = r#"{"version":1,"out":"/o","roots":["/r"]}"#;
        assert_eq!(Unit::from_json(by_hand).expect("a unit").id.len(), 32);
        assert!(Unit::from_json(&by_hand.replace("out", "frob")).is_err());
        let lacks = by_hand.replace('}', r#","directories":[{"root":1}]}"#);
        assert!(Unit::from_json(&lacks).is_err());
        assert!(UnitOutcome::from_json("{}").is_err());
    }
}
