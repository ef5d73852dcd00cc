//! The changes as JSON lines: a head, an object for each change, an end.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk_state::{Change, Differs, Report};
use brisk_sys::paths::with_slashes;

use super::options::Options;
use super::roots::{Roots, named};
use crate::common::json;
use crate::common::time::rfc3339::write_utc;

/// The version of the format. Fields are only ever added to it.
const VERSION: u64 = 1;

/// Appends the head, with its newline. `named`: the directories as the user spelled them.
pub(super) fn head(report: &Report, named: &[PathBuf], out: &mut Vec<u8>) {
    let roots: Vec<String> = named.iter().map(|root| value(&with_slashes(root))).collect();
    let reason = report.full().map(ToString::to_string);
    let mut clock = Vec::new();
    let clock = write_utc(report.began(), &mut clock).map(|()| clock);
    let clock = clock.and_then(|clock| String::from_utf8(clock).ok());
    let line = json::of(|object| {
        object.number("brisk", Some(VERSION));
        object.text("clock", clock.as_deref());
        object.plain("full", reason.is_some());
        object.plain("reason", reason.map_or("null".to_owned(), |why| value(why.as_bytes())));
        object.plain("roots", format_args!("[{}]", roots.join(",")));
    });
    append(&line, out);
}

/// Appends a change, with its newline.
pub(super) fn change(change: &Change, roots: &Roots, out: &mut Vec<u8>) {
    let line = json::of(|object| {
        object.plain("path", value(&roots.path(&change.place)));
        object.text("kind", Some(change.kind.letter().encode_utf8(&mut [0; 4])));
        if let Some(from) = &change.from {
            object.plain("from", value(&roots.path(from)));
        }
        object.plain("fields", fields(change.differs));
        object.text("type", json::type_word(change.file_type));
    });
    append(&line, out);
}

/// Appends the end, with its newline.
pub(super) fn end(count: usize, out: &mut Vec<u8>) {
    let line = json::of(|object| {
        object.plain("end", true);
        object.number("count", Some(count as u64));
    });
    append(&line, out);
}

/// All lines.
pub(super) fn whole(options: &Options, report: &Report, roots: &Roots) -> Vec<u8> {
    let mut out = Vec::new();
    head(report, &named(&options.paths), &mut out);
    report.changes().iter().for_each(|one| change(one, roots, &mut out));
    end(report.changes().len(), &mut out);
    out
}

fn append(line: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// A text, or an object with bytes in base 64 that are none.
fn value(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::Value::from(text).to_string(),
        Err(_) => json::of(|object| object.text("bytes", Some(&STANDARD.encode(bytes)))),
    }
}

/// The names of what differs: `["size","mtime"]`.
fn fields(differs: Differs) -> String {
    let names = differs.fields.iter_names().map(|(name, _)| name.to_lowercase());
    let content = differs.content.then(|| "content".to_owned());
    let quoted: Vec<String> = names.chain(content).map(|name| format!("\"{name}\"")).collect();
    format!("[{}]", quoted.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::{Fields, FileType};
    use brisk_state::{Kind, Place};

    fn line(path: &[u8], kind: Kind, from: Option<&[u8]>) -> String {
        let place = |path: &[u8]| Place { root: 0, path: path.to_vec() };
        let one = Change {
            kind,
            place: place(path),
            from: from.map(place),
            file_type: FileType::File,
            differs: Differs { fields: Fields::SIZE | Fields::LINK_TARGET, content: true },
        };
        let mut out = Vec::new();
        change(&one, &Roots::new(&["d".into()], &["d".into()]), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_change_is_an_object() {
        assert_eq!(
            line(b"a", Kind::Renamed, Some(b"b")),
            "{\"path\":\"d/a\",\"kind\":\"R\",\"from\":\"d/b\",\"fields\":[\"size\",\
             \"link_target\",\"content\"],\"type\":\"file\"}\n"
        );
        assert!(line(b"\xff", Kind::Added, None).starts_with("{\"path\":{\"bytes\":\"ZC//\"},"));
        let mut out = Vec::new();
        end(3, &mut out);
        assert_eq!(out, b"{\"end\":true,\"count\":3}\n");
    }
}
