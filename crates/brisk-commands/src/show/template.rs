//! Output templates: `{}`, `{/}`, `{size}` and so on.
//!
//! A template is parsed once into pieces and written once for each result, by appending bytes. fd's
//! placeholders print parts of the displayed path ([`parts`]). brisk's own placeholders are words,
//! which print metadata ([`value`]); [`Template::fields`] says which fields they need.
//!
//! Braces are read as fd reads them: `{{` and `}}` are literal braces; one of fd's placeholders
//! with one more `}` is literal text (`{}}` is `{}`); a lone brace stands for itself. brisk's words
//! have no such exception, so `{{"size":{size}}}` prints `{"size":12}`. In brisk's dialects `\t`,
//! `\n`, `\0` and `\\` are a tab, a newline, a null byte and a backslash.

pub mod parts;
mod time;
mod value;

use std::ffi::OsString;

use brisk::Fields;

use parts::Separator;
use value::Value;
pub use value::{EntryChange, Facts};

/// The placeholders that a template may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholders {
    /// fd's placeholders and brisk's words; an unknown `{word}` is an error.
    Brisk,
    /// The same, and `{status}` and `{from}`, for changes.
    Changes,
    /// fd's placeholders alone; a `{word}` is printed as it stands.
    Fd,
}

/// What a template is made of.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(Vec<u8>),
    /// `{}`
    Path,
    /// `{/}`
    Name,
    /// `{//}`
    Parent,
    /// `{.}`
    WithoutExtension,
    /// `{/.}`
    Stem,
    Value(Value),
}

/// fd's placeholders as they are spelled.
const PLACEHOLDERS: [(&str, Piece); 5] = [
    ("{}", Piece::Path),
    ("{/}", Piece::Name),
    ("{//}", Piece::Parent),
    ("{.}", Piece::WithoutExtension),
    ("{/.}", Piece::Stem),
];

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    pieces: Vec<Piece>,
    separator: Separator,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// In brisk's dialect, a message for the user if a `{word}`, or what follows its colon, is
    /// unknown. fd's dialect has no errors.
    pub fn parse(text: &str, known: Placeholders) -> Result<Template, String> {
        let mut template = Template { pieces: Vec::new(), separator: Separator::new(b"/") };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            rest = if let Some(tail) = rest.strip_prefix("{{") {
                template.push_text("{");
                tail
            } else if let Some(tail) = rest.strip_prefix("}}") {
                template.push_text("}");
                tail
            } else if let Some((text, tail)) = escaped(rest).filter(|_| known != Placeholders::Fd) {
                template.push_text(text);
                tail
            } else if let Some(tail) = template.placeholder(rest) {
                tail
            } else if let Some(tail) = template.word(rest, known)? {
                tail
            } else {
                let (text, tail) = rest.split_at(first.len_utf8());
                template.push_text(text);
                tail
            };
        }
        Ok(template)
    }

    /// The template for paths that are displayed with this separator.
    pub fn with_separator(mut self, separator: Separator) -> Template {
        self.separator = separator;
        self
    }

    /// Takes one of fd's placeholders off the front, or returns `None`.
    fn placeholder<'t>(&mut self, rest: &'t str) -> Option<&'t str> {
        let (text, piece) = PLACEHOLDERS.iter().find(|(text, _)| rest.starts_with(text))?;
        let tail = &rest[text.len()..];
        if let Some(tail) = tail.strip_prefix('}') {
            self.push_text(text);
            return Some(tail);
        }
        self.pieces.push(piece.clone());
        Some(tail)
    }

    /// Takes a `{word}` or `{word:suffix}` off the front; `None` if there is none.
    fn word<'t>(&mut self, rest: &'t str, known: Placeholders) -> Result<Option<&'t str>, String> {
        let Some(inner) = rest.strip_prefix('{').filter(|_| known != Placeholders::Fd) else {
            return Ok(None);
        };
        let len = inner.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let (word, after) = inner.split_at(len);
        if !word.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return Ok(None);
        }
        let (suffix, tail) = match after.strip_prefix(':') {
            None => match after.strip_prefix('}') {
                Some(tail) => (None, tail),
                None => return Err(unclosed(word)),
            },
            Some(after) => match after.split_once('}') {
                Some((suffix, tail)) => (Some(suffix), tail),
                None => return Err(unclosed(word)),
            },
        };
        self.pieces.push(match (word, suffix) {
            ("name", None) => Piece::Name,
            _ => Piece::Value(Value::parse(word, suffix, known == Placeholders::Changes)?),
        });
        Ok(Some(tail))
    }

    /// Adds text, joined to text that stands before it.
    fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(before)) => before.extend_from_slice(text.as_bytes()),
            _ => self.pieces.push(Piece::Text(text.as_bytes().to_vec())),
        }
    }

    /// Whether the template is text alone.
    pub fn is_text(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }

    /// The metadata that the template prints, which must be asked of each result.
    pub fn fields(&self) -> Fields {
        self.pieces.iter().fold(Fields::empty(), |fields, piece| match piece {
            Piece::Value(value) => fields | value.fields(),
            _ => fields,
        })
    }

    /// Appends the template, filled in for a path and what is known of its entry. A field without a
    /// value is written as `-`.
    pub fn fill(&self, path: &[u8], facts: &Facts<'_>, out: &mut Vec<u8>) {
        for piece in &self.pieces {
            match piece {
                Piece::Value(value) => value.write(facts, out),
                piece => self.write_part(piece, path, out),
            }
        }
    }

    /// A command's argument: the template, filled in for a path alone. A name that begins with a
    /// dash gets `./` in front, so that no command takes a file for an option. A dash that the user
    /// typed stays as it is.
    pub fn argument(&self, path: &[u8]) -> OsString {
        let mut out = Vec::new();
        for piece in &self.pieces {
            self.write_part(piece, path, &mut out);
        }
        let was_typed = matches!(self.pieces.first(), Some(Piece::Text(_)) | None);
        if out.starts_with(b"-") && !was_typed {
            out.splice(0..0, [b".", self.separator.bytes()].concat());
        }
        parts::os_string(&out)
    }

    fn write_part(&self, piece: &Piece, path: &[u8], out: &mut Vec<u8>) {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Path => self.separator.write(path, out),
            Piece::Name => out.extend_from_slice(parts::name(path)),
            Piece::Parent => self.separator.write(parts::parent(path), out),
            Piece::WithoutExtension => parts::without_extension(path, &self.separator, out),
            Piece::Stem => out.extend_from_slice(parts::stem_alone(path)),
            // Values need an entry. Commands are parsed in fd's dialect, which has no values.
            Piece::Value(_) => out.push(b'-'),
        }
    }
}

/// The character that a text begins with as an escape, and what follows. Any other backslash
/// stands for itself.
fn escaped(rest: &str) -> Option<(&'static str, &str)> {
    [("\\t", "\t"), ("\\n", "\n"), ("\\0", "\0"), (r"\\", "\\")]
        .into_iter()
        .find_map(|(escape, text)| Some((text, rest.strip_prefix(escape)?)))
}

#[cold]
fn unclosed(word: &str) -> String {
    format!("'{{{word}' lacks its closing brace; a literal brace is written '{{{{'")
}

#[cfg(all(test, unix))]
mod tests;
