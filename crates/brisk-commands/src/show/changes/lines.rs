//! [`Lines`]: writes changes as lines: as git does, with null bytes, by a template, or as JSON
//! between a head and an end.

use std::io::Write;

use brisk::{Fields, Flow};
use brisk_state::{Change, ChangeKind};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::components;
use brisk_sys::{Backend, Links, Meta, stat_path};

use super::roots::DisplayedPaths;
use super::{json, quote};
use crate::show::json::{Object, line};
use crate::show::template::{self, Facts, Template};
use crate::show::{palette, safe};
use crate::write::out::Out;

/// How a change becomes a line.
#[derive(Debug)]
pub(crate) enum Form {
    /// The letter, a tab, and the path as git quotes it; for terminals the letter in a colour.
    Git {
        paints: bool,
    },
    /// The letter and the path as it is, each followed by a null byte.
    Null,
    Json,
    /// A template, the byte that ends a line, what reads metadata, and whether lines are for a
    /// terminal.
    Template {
        template: Template,
        end: u8,
        backend: Backend,
        for_terminal: bool,
    },
}

impl Form {
    /// The form that the flags `--json` and `--print0` ask for. `paints`: whether letters have
    /// colours, which is asked if they can.
    pub(crate) fn of(json: bool, print0: bool, paints: impl FnOnce() -> bool) -> Form {
        match (json, print0) {
            (true, _) => Form::Json,
            (false, true) => Form::Null,
            (false, false) => Form::Git { paints: paints() },
        }
    }

    /// Appends a change. `whole`: the change stands for everything below a directory.
    fn append(&self, change: &Change, whole: bool, labels: &DisplayedPaths, out: &mut Vec<u8>) {
        let raw = |path: &[u8], out: &mut Vec<u8>| out.extend_from_slice(path);
        match self {
            Form::Git { paints: true } => {
                let letter = change.kind.letter().to_string();
                palette::append(Some(palette::of_change(change.kind)), &letter, out);
                separated(change, whole, labels, *b"\t\n", out, quote);
            }
            Form::Git { paints: false } => {
                out.push(change.kind.letter() as u8);
                separated(change, whole, labels, *b"\t\n", out, quote);
            }
            Form::Null => {
                out.push(change.kind.letter() as u8);
                separated(change, whole, labels, *b"\0\0", out, raw);
            }
            Form::Json => json::change(change, whole, labels, out),
            Form::Template { template, end, backend, for_terminal } => {
                let at = out.len();
                fill(template, change, labels, *backend, out);
                if *for_terminal {
                    let line = out.split_off(at);
                    safe::append_name(&line, out);
                }
                out.push(*end);
            }
        }
    }
}

/// Writes changes, one a line.
pub(crate) struct Lines<'a, W> {
    form: &'a Form,
    labels: &'a DisplayedPaths,
    out: &'a mut Out<W>,
    /// How many lines were written, without the head and the end.
    pub(crate) count: usize,
}

impl<'a, W: Write> Lines<'a, W> {
    /// `head` adds to the head of JSON lines.
    pub(crate) fn new(
        form: &'a Form,
        labels: &'a DisplayedPaths,
        out: &'a mut Out<W>,
        head: impl FnOnce(&mut Object<'_>),
    ) -> Lines<'a, W> {
        if matches!(form, Form::Json) {
            line(&mut out.bytes, |object| {
                object.number("brisk", Some(json::VERSION));
                head(object);
            });
        }
        Lines { form, labels, out, count: 0 }
    }

    /// Writes a change. `whole`: the change stands for everything below a directory. `Stop`: the
    /// reader has gone, or the output is full.
    pub(crate) fn write(&mut self, change: &Change, whole: bool) -> Flow {
        self.count += 1;
        self.form.append(change, whole, self.labels, &mut self.out.bytes);
        self.out.write_if_full()
    }

    /// Writes a JSON object that is not a change.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Object<'_>)) -> Flow {
        self.count += 1;
        line(&mut self.out.bytes, fill);
        self.out.write_if_full()
    }

    /// Writes the end of JSON lines, and flushes. `Stop`: not everything could be written.
    pub(crate) fn end(&mut self) -> Flow {
        if matches!(self.form, Form::Json) {
            json::end(self.count, &mut self.out.bytes);
        }
        self.out.flush()
    }
}

/// Appends the path or, for a renamed entry, the old path and the new one.
fn separated(
    change: &Change,
    whole: bool,
    labels: &DisplayedPaths,
    separators: [u8; 2],
    out: &mut Vec<u8>,
    write: impl Fn(&[u8], &mut Vec<u8>),
) {
    for place in change.from.iter().chain([&change.place]) {
        out.push(separators[0]);
        let mut path = labels.path(place);
        if whole {
            path.push(b'/');
        }
        write(&path, out);
    }
    out.push(separators[1]);
}

fn fill(
    format: &Template,
    change: &Change,
    labels: &DisplayedPaths,
    backend: Backend,
    out: &mut Vec<u8>,
) {
    let path = labels.path(&change.place);
    let from = change.from.as_ref().map(|place| labels.path(place));
    let meta = metadata(format.fields(), change, &path, backend);
    let facts = Facts {
        kind: change.file_type,
        depth: components(&change.place.path).count(),
        meta: meta.as_ref(),
        change: Some(template::EntryChange { status: change.kind.letter(), from: from.as_deref() }),
    };
    format.fill(&path, &facts, out);
}

/// The metadata that the template shows of an entry that exists. System calls: at most one statx and
/// one readlink.
fn metadata(fields: Fields, change: &Change, path: &[u8], backend: Backend) -> Option<Meta> {
    let is_there = !matches!(change.kind, ChangeKind::Deleted | ChangeKind::Unknown);
    let wanted = is_there && !fields.is_empty();
    wanted.then(|| stat_path(backend, bytes_to_path(path), fields, Links::NoFollow).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::FileType;
    use brisk_state::{Differs, RootedPath};

    use crate::show::changes::roots::CURRENT;
    use crate::show::template::Placeholders;

    const GIT: Form = Form::Git { paints: false };

    fn shown(form: &Form, kind: ChangeKind, path: &[u8], from: Option<&[u8]>) -> String {
        let place = |path: &[u8]| RootedPath { root: 0, path: path.to_vec() };
        let change = Change {
            kind,
            place: place(path),
            from: from.map(place),
            file_type: FileType::File,
            differs: Differs::default(),
        };
        let mut out = Vec::new();
        form.append(&change, false, &DisplayedPaths::new(&[CURRENT.into()], true), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn paths_are_quoted_as_git_quotes_them() {
        for (path, quoted) in [
            (&b"a b'c"[..], "a b'c"),
            (b"a\tb", "\"a\\tb\""),
            (b"a\"b", "\"a\\\"b\""),
            (b"a\\b", "\"a\\\\b\""),
            (b"\xc3\xa9", "\"\\303\\251\""),
            (b"\x01\x7f\n", "\"\\001\\177\\n\""),
            (b"#~?*$", "#~?*$"),
        ] {
            assert_eq!(shown(&GIT, ChangeKind::Added, path, None), format!("A\t{quoted}\n"));
        }
    }

    #[test]
    fn a_renamed_entry_has_two_paths() {
        let line = |form: &Form| shown(form, ChangeKind::Renamed, b"new", Some(b"o\td"));
        assert_eq!(line(&GIT), "R\t\"o\\td\"\tnew\n");
        assert_eq!(line(&Form::Null), "R\0o\td\0new\0");
        let template = |text| Form::Template {
            template: Template::parse(text, Placeholders::Changes).unwrap(),
            end: b'\n',
            backend: Backend::Native,
            for_terminal: false,
        };
        assert_eq!(line(&template("{status} {from} {} {/}")), "R o\td new new\n");
        assert_eq!(
            shown(&template("{status}{from}{size}"), ChangeKind::Deleted, b"x", None),
            "D--\n"
        );
        assert!(Template::parse("{status}", Placeholders::Brisk).is_err());
    }
}
