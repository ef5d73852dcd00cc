//! Changes as JSON lines: an object for each, and an end object. Each command has its own header.

use brisk::Fields;
use brisk_state::{Change, Differs};

use super::roots::DisplayedPaths;
use crate::show::json;

/// The version of the format. Fields are only ever added to it.
pub(crate) const VERSION: u64 = 1;

/// Appends a change, with its newline. `whole`: the change stands for all that is below a directory.
pub(crate) fn change(change: &Change, whole: bool, labels: &DisplayedPaths, out: &mut Vec<u8>) {
    json::line(out, |object| {
        object.name("path", &labels.path(&change.place));
        object.text("status", Some(change.kind.letter().encode_utf8(&mut [0; 4])));
        if let Some(from) = &change.from {
            object.name("from", &labels.path(from));
        }
        object.plain("fields", fields(change.differs));
        object.text("type", change.file_type.word());
        if whole {
            object.plain("whole", true);
        }
    });
}

/// Appends the end, with its newline.
pub(crate) fn end(count: usize, out: &mut Vec<u8>) {
    json::line(out, |object| {
        object.plain("end", true);
        object.number("count", Some(count as u64));
    });
}

/// The keys of what differs: `["size","mtime"]`.
fn fields(differs: Differs) -> String {
    // The names of fields in lower case, but for three, are the keys in the objects of entries.
    let key = |(name, _): (&str, Fields)| match name {
        "INO" => "inode".to_owned(),
        "DEV" => "device".to_owned(),
        "LINK_TARGET" => "target".to_owned(),
        name => name.to_lowercase(),
    };
    let content = differs.content.then(|| "content".to_owned());
    json::paths(differs.fields.iter_names().map(key).chain(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::FileType;
    use brisk_state::{ChangeKind, RootedPath};

    fn line(path: &[u8], kind: ChangeKind, from: Option<&[u8]>) -> String {
        let place = |path: &[u8]| RootedPath { root: 0, path: path.to_vec() };
        let one = Change {
            kind,
            place: place(path),
            from: from.map(place),
            file_type: FileType::File,
            differs: Differs { fields: Fields::SIZE | Fields::LINK_TARGET, content: true },
        };
        let mut out = Vec::new();
        change(&one, false, &DisplayedPaths::new(&["d".into()], false), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_change_is_an_object() {
        assert_eq!(
            line(b"a", ChangeKind::Renamed, Some(b"b")),
            "{\"path\":\"d/a\",\"status\":\"R\",\"from\":\"d/b\",\"fields\":[\"size\",\
             \"target\",\"content\"],\"type\":\"file\"}\n"
        );
        assert!(line(b"\xff", ChangeKind::Added, None).starts_with("{\"path_b64\":\"ZC//\","));
        let mut out = Vec::new();
        end(3, &mut out);
        assert_eq!(out, b"{\"end\":true,\"count\":3}\n");
    }
}
