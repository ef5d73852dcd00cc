//! Changes as JSON lines: an object for each, and an end object. Each command has its own header.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use brisk_state::{Change, Differs};

use super::roots::Roots;
use crate::show::json;

/// The version of the format. Fields are only ever added to it.
pub(crate) const VERSION: u64 = 1;

/// Appends a change, with its newline. `whole`: the change stands for all that is below a directory.
pub(crate) fn change(change: &Change, whole: bool, roots: &Roots, out: &mut Vec<u8>) {
    let line = json::of(|object| {
        object.plain("path", value(&roots.path(&change.place)));
        object.text("kind", Some(change.kind.letter().encode_utf8(&mut [0; 4])));
        if let Some(from) = &change.from {
            object.plain("from", value(&roots.path(from)));
        }
        object.plain("fields", fields(change.differs));
        object.text("type", json::type_word(change.file_type));
        if whole {
            object.plain("whole", true);
        }
    });
    append(&line, out);
}

/// Appends the end, with its newline.
pub(crate) fn end(count: usize, out: &mut Vec<u8>) {
    let line = json::of(|object| {
        object.plain("end", true);
        object.number("count", Some(count as u64));
    });
    append(&line, out);
}

/// Appends a line, with its newline.
pub(crate) fn append(line: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// A text, or an object with bytes in base 64 that are none.
pub fn value(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            let mut out = Vec::new();
            json::string(text, &mut out);
            String::from_utf8(out).expect("BUG: JSON is UTF-8")
        }
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
        change(&one, false, &Roots::new(&["d".into()], &["d".into()]), &mut out);
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
