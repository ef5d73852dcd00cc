//! [`TextTable`]: the table as CSV or as JSON lines.
//!
//! CSV follows RFC 4180, but with `\n`: names are the bytes themselves, in quotes where necessary,
//! and an unknown value is empty. JSON is that of all commands. In both, modes are in octal and
//! digests in hexadecimal.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use brisk_commands::internal::{Form, Object, Owner, object_line, with_name, write_utc};
use brisk_sys::threads::lock;
use brisk_table::{Column, Digest, Group, RowRef, Sink, Value};

/// The table as lines.
pub(crate) struct TextTable<W> {
    to: Mutex<W>,
    columns: Vec<Column>,
    form: Form,
}

impl<W: Write + Send> TextTable<W> {
    /// Begins the table.
    ///
    /// # Errors
    /// What `to` says.
    pub fn new(mut to: W, columns: Vec<Column>, form: Form) -> io::Result<TextTable<W>> {
        if form == Form::Csv {
            let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
            writeln!(to, "{}", names.join(","))?;
        }
        Ok(TextTable { to: Mutex::new(to), columns, form })
    }

    fn csv(&self, row: &RowRef<'_>, out: &mut Vec<u8>) {
        for (at, column) in self.columns.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            cell(&row.value(*column), out);
        }
        out.push(b'\n');
    }

    fn json(&self, row: &RowRef<'_>, out: &mut Vec<u8>) {
        object_line(out, |object| {
            for column in &self.columns {
                member(object, column.name(), &row.value(*column));
            }
        });
    }
}

impl<W: Write + Send> Sink for TextTable<W> {
    fn write(&self, group: &Group) -> io::Result<()> {
        let mut out = Vec::new();
        for row in group.rows(0..group.len()) {
            match self.form {
                Form::Csv => self.csv(&row, &mut out),
                _ => self.json(&row, &mut out),
            }
        }
        lock(&self.to).write_all(&out)
    }

    fn finish(self: Box<Self>, _: &[(String, String)]) -> io::Result<()> {
        self.to.into_inner().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

fn hexadecimal(digest: &Digest) -> String {
    blake3::Hash::from_bytes(*digest).to_string()
}

fn cell(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Path(prefix, name) => quoted(&[prefix, name], out),
        Value::Bytes(bytes) => quoted(&[bytes], out),
        Value::Text(text) => quoted(&[text.as_bytes()], out),
        Value::Number(number) => {
            out.extend_from_slice(itoa::Buffer::new().format(*number).as_bytes());
        }
        Value::Mode(mode) => out.extend_from_slice(format!("{mode:o}").as_bytes()),
        Value::User(uid) => with_name(Owner::User(*uid), |name| text(name, out)),
        Value::Group(gid) => with_name(Owner::Group(*gid), |name| text(name, out)),
        // An invalid time is left out, like a time that the file system does not keep.
        Value::Time(time) => _ = write_utc(*time, out),
        Value::Digest(digest) => out.extend_from_slice(hexadecimal(digest).as_bytes()),
    }
}

fn text(name: Option<&str>, out: &mut Vec<u8>) {
    quoted(&[name.unwrap_or_default().as_bytes()], out);
}

/// Appends a text, in quotes if a reader would take a part of it for the end.
fn quoted(parts: &[&[u8]], out: &mut Vec<u8>) {
    let ends = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
    if !parts.iter().any(|part| part.iter().any(ends)) {
        parts.iter().for_each(|part| out.extend_from_slice(part));
        return;
    }
    out.push(b'"');
    for byte in parts.iter().copied().flatten() {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
}

fn member(object: &mut Object<'_>, key: &str, value: &Value<'_>) {
    match value {
        Value::Null => {}
        Value::Path(prefix, name) => object.name(key, &[*prefix, *name].concat()),
        Value::Bytes(bytes) => object.name(key, bytes),
        Value::Text(text) => object.text(key, Some(text)),
        Value::Number(number) => object.number(key, Some(*number)),
        Value::Mode(mode) => object.mode(Some(*mode)),
        Value::User(uid) => with_name(Owner::User(*uid), |name| object.text(key, name)),
        Value::Group(gid) => with_name(Owner::Group(*gid), |name| object.text(key, name)),
        Value::Time(time) => object.time(key, Some(*time)),
        Value::Digest(digest) => object.text(key, Some(&hexadecimal(digest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotes(text: &str) -> String {
        let mut out = Vec::new();
        quoted(&[text.as_bytes()], &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_ends_a_cell_is_quoted() {
        assert_eq!(quotes("a b'c"), "a b'c");
        assert_eq!(quotes("a,b"), "\"a,b\"");
        assert_eq!(quotes("a\"b\n"), "\"a\"\"b\n\"");
        assert_eq!(quotes("\r"), "\"\r\"");
        assert_eq!(hexadecimal(&[0x0f; 32]), "0f".repeat(32));
    }
}
