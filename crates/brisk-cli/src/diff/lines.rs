//! The differences as lines, one at a time: as git prints them, with null bytes, or as JSON.

use brisk::Flow;
use brisk_state::Difference;
use brisk_sys::paths::with_slashes;

use super::options::Options;
use crate::show::changes::roots::Roots;
use crate::show::changes::{Form, json};
use crate::show::json as objects;
use crate::write::out::Out;

/// Writes differences.
pub(super) struct Lines<'a> {
    form: Form,
    roots: &'a Roots,
    out: Out,
    /// How many lines there were, without head and end.
    pub(super) count: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(options: &'a Options, roots: &'a Roots) -> Lines<'a> {
        let mut out = Out::default();
        if options.json {
            head(options, &mut out.bytes);
        }
        let form = Form::of(options.json, options.print0);
        Lines { form, roots, out, count: 0 }
    }

    /// Writes a difference. `Stop`: the reader has gone, or the output is full.
    pub(super) fn write(&mut self, told: &Difference) -> Flow {
        let Difference { change, whole, .. } = told;
        self.count += 1;
        self.form.append(change, *whole, self.roots, &mut self.out.bytes);
        self.out.end_line()
    }

    /// Writes a line of JSON.
    pub(super) fn line(&mut self, line: &[u8]) -> Flow {
        self.out.bytes.extend_from_slice(line);
        self.out.end_line()
    }

    /// The output, with the end of JSON lines behind these many objects.
    pub(super) fn end(mut self, count: usize) -> Out {
        if matches!(self.form, Form::Json) {
            json::end(count, &mut self.out.bytes);
        }
        self.out
    }
}

fn head(options: &Options, out: &mut Vec<u8>) {
    objects::line(out, |object| {
        object.number("brisk", Some(json::VERSION));
        for (key, side) in ["old", "new"].iter().zip(&options.sides) {
            object.name(key, &with_slashes(side));
        }
    });
}
