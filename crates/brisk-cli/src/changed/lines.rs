//! The changes as lines: as git prints them, with null bytes, by a template, or as JSON.

use brisk::{Fields, Flow};
use brisk_state::{Change, Kind};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::slashed::components;
use brisk_sys::{Links, Meta, stat_path};

use super::json;
use super::options::Options;
use super::outcome::Outcome;
use crate::front::config::backend;
use crate::show::changes;
use crate::show::changes::roots::Roots;
use crate::show::safe;
use crate::show::template::parts::{Parts, Separator};
use crate::show::template::{self, Dialect, Facts, Template};
use crate::write::out::Out;
use crate::write::stream::output_is_terminal;

/// How changes become lines.
#[derive(Debug)]
pub(super) enum Form {
    Plain(changes::Form),
    /// A template, and the byte that ends a line.
    Template(Template, u8),
}

impl Form {
    /// The form that the options ask for.
    ///
    /// # Errors
    /// The message for the user: the template cannot be understood.
    pub(super) fn new(options: &Options) -> Result<Form, String> {
        let end = if options.print0 { 0 } else { b'\n' };
        Ok(match &options.format {
            Some(text) => Form::Template(Template::parse(text, Dialect::Changes)?, end),
            None => Form::Plain(changes::Form::of(options.json, options.print0)),
        })
    }

    /// Whether people read this.
    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Form::Plain(changes::Form::Git))
    }

    /// Writes all changes. `Stop`: not all could be written.
    pub(super) fn write(&self, outcome: &Outcome<'_>, out: &mut Out) -> Flow {
        let all = &outcome.report.changes;
        let is_json = matches!(self, Form::Plain(changes::Form::Json));
        let for_terminal = output_is_terminal();
        if is_json {
            json::head(outcome, &mut out.bytes);
        }
        for change in all {
            self.append(change, &outcome.roots, for_terminal, &mut out.bytes);
            if out.end_line() == Flow::Stop {
                return Flow::Stop;
            }
        }
        if is_json {
            changes::json::end(all.len(), &mut out.bytes);
        }
        out.flush()
    }

    /// Appends a change.
    fn append(&self, change: &Change, roots: &Roots, for_terminal: bool, out: &mut Vec<u8>) {
        match self {
            Form::Plain(form) => form.append(change, false, roots, out),
            Form::Template(template, end) => {
                let at = out.len();
                fill(template, change, roots, out);
                if for_terminal {
                    let line = out.split_off(at);
                    safe::append_name(&line, out);
                }
                out.push(*end);
            }
        }
    }
}

fn fill(template: &Template, change: &Change, roots: &Roots, out: &mut Vec<u8>) {
    let path = roots.path(&change.place);
    let from = change.from.as_ref().map(|place| roots.path(place));
    let meta = metadata(template.fields(), change, &path);
    let facts = Facts {
        kind: change.file_type,
        depth: components(&change.place.path).count(),
        meta: meta.as_ref(),
        change: Some(template::Change { status: change.kind.letter(), from: from.as_deref() }),
    };
    template.fill(&Parts::of_path(&path, &Separator::default()), &facts, out);
}

/// What the template shows of an entry that is there. System calls: at most one statx and one
/// readlink.
fn metadata(fields: Fields, change: &Change, path: &[u8]) -> Option<Meta> {
    let is_there = !matches!(change.kind, Kind::Deleted | Kind::Unknown);
    let wanted = is_there && !fields.is_empty();
    wanted.then(|| stat_path(backend(), bytes_to_path(path), fields, Links::NoFollow).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::changes::roots::named;
    use brisk::FileType;
    use brisk_state::{Differs, Place};

    const GIT: Form = Form::Plain(changes::Form::Git);

    fn shown(form: &Form, kind: Kind, path: &[u8], from: Option<&[u8]>) -> String {
        let place = |path: &[u8]| Place { root: 0, path: path.to_vec() };
        let change = Change {
            kind,
            place: place(path),
            from: from.map(place),
            file_type: FileType::File,
            differs: Differs::default(),
        };
        let mut out = Vec::new();
        form.append(&change, &Roots::new(&named(&[]), &[]), false, &mut out);
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
            assert_eq!(shown(&GIT, Kind::Added, path, None), format!("A\t{quoted}\n"));
        }
    }

    #[test]
    fn a_renamed_entry_has_two_paths() {
        let line = |form: &Form| shown(form, Kind::Renamed, b"new", Some(b"o\td"));
        assert_eq!(line(&GIT), "R\t\"o\\td\"\tnew\n");
        assert_eq!(line(&Form::Plain(changes::Form::Null)), "R\0o\td\0new\0");
        let template =
            |text| Form::Template(Template::parse(text, Dialect::Changes).unwrap(), b'\n');
        assert_eq!(line(&template("{status} {from} {} {/}")), "R o\td new new\n");
        assert_eq!(shown(&template("{status}{from}{size}"), Kind::Deleted, b"x", None), "D--\n");
        assert!(Template::parse("{status}", Dialect::Brisk).is_err());
    }
}
