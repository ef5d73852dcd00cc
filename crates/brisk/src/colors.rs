//! `LS_COLORS` as GNU ls means it, compiled for one question: how is this entry painted?
//!
//! [`parse`] turns the variable's bytes into sequences by key and by suffix, [`suffixes`] finds the
//! rule for a name without allocating, [`sgr`] respells sequences as fd prints them. This file puts
//! them together: which key an entry falls under, and how a painted path is written.
//!
//! Most colours follow from the type and the name, which a directory read gives for nothing. Some
//! need metadata (`ex su sg mh` for regular files, `st ow tw` for directories): [`Colors::fields`]
//! says which, and [`MetadataColors`] switches them off as a whole.

mod parse;
mod sgr;
mod suffixes;

use crate::{Entry, Fields, FileType, Meta};
use parse::{Key, Sequences};
use suffixes::Suffixes;

/// Whether colours that need metadata take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetadataColors {
    /// Type and name alone decide: painting never forces a stat.
    #[default]
    Off,
    /// Modes and link counts count where [`Colors::fields`] were filled.
    On,
}

/// How entries are painted: a compiled `LS_COLORS`.
#[derive(Clone, Debug)]
pub struct Colors {
    /// Only sequences that change something: an empty one, `0` and `00` are left out.
    sequences: Sequences,
    suffixes: Suffixes,
    /// What ends a painted text: `ec`, or else `lc`, `rs` and `rc` in a row.
    end: Box<[u8]>,
    metadata: MetadataColors,
}

impl Colors {
    /// Compiles the value of `LS_COLORS`; `None` and an empty value mean GNU's defaults.
    ///
    /// A value that GNU ls refuses (an unknown key, a broken escape) switches colour off wholly,
    /// and the warning says why. Colours that need metadata are off until
    /// [`with_metadata`](Colors::with_metadata). This never makes a system call.
    #[must_use]
    pub fn from_env_value(value: Option<&[u8]>) -> (Colors, Option<String>) {
        match parse::parse(value.unwrap_or_default()) {
            Ok(parsed) => (Colors::compile(parsed), None),
            Err(malformed) => (Colors::none(), Some(malformed.to_string())),
        }
    }

    /// No colour at all: nothing that is painted changes.
    #[must_use]
    pub fn none() -> Colors {
        Colors {
            sequences: Sequences::empty(),
            suffixes: Suffixes::compile(Vec::new()),
            end: Box::default(),
            metadata: MetadataColors::Off,
        }
    }

    fn compile(parsed: parse::Parsed) -> Colors {
        let parse::Parsed { mut sequences, mut suffixes } = parsed;
        // Names of regular files inherit the colour of ordinary text, unless `fi` says otherwise.
        if sequences.get(Key::File).is_none()
            && let Some(normal) = sequences.get(Key::Normal).map(Box::from)
        {
            sequences.set(Key::File, normal);
        }
        let end = match sequences.get(Key::End) {
            Some(end) => Box::from(end),
            None => [Key::Left, Key::Reset, Key::Right]
                .iter()
                .flat_map(|&key| sequences.get(key).unwrap_or_default())
                .copied()
                .collect(),
        };
        sequences.drop_plain();
        for rule in &mut suffixes {
            rule.style = rule.style.take().filter(|style| !parse::is_plain(style));
        }
        let suffixes = Suffixes::compile(suffixes);
        Colors { sequences, suffixes, end, metadata: MetadataColors::Off }
    }

    /// Lets colours that need metadata take part, or not.
    #[must_use]
    pub fn with_metadata(mut self, metadata: MetadataColors) -> Colors {
        self.metadata = metadata;
        self
    }

    /// Respells each sequence as fd writes it: attributes, background, foreground, each number
    /// without leading zeros (`01;34` becomes `1;34`, and `37;41` becomes `41;37`). A sequence that
    /// is not made of known codes stays as it is.
    #[must_use]
    pub fn normalized(mut self) -> Colors {
        for style in self.sequences.styles_mut().chain(self.suffixes.styles_mut()) {
            if let Some(spelled) = style.as_deref().and_then(sgr::normalize) {
                *style = (!spelled.is_empty()).then_some(spelled);
            }
        }
        self
    }

    /// The metadata that colours need of entries of this type, beyond the type itself. Nothing with
    /// [`MetadataColors::Off`]. `mh` never asks by itself: it is judged where a link count is there.
    #[must_use]
    pub fn fields(&self, file_type: FileType) -> Fields {
        let any = |keys: &[Key]| keys.iter().any(|&key| self.sequences.get(key).is_some());
        let mut fields = Fields::empty();
        if self.metadata == MetadataColors::Off {
            return fields;
        }
        match file_type {
            FileType::File => {
                fields.set(Fields::MODE, any(&[Key::SetUid, Key::SetGid, Key::Executable]));
                fields.set(Fields::CAPS, any(&[Key::Capability]));
            }
            FileType::Directory => {
                let keys = [Key::StickyOtherWritable, Key::OtherWritable, Key::Sticky];
                fields.set(Fields::MODE, any(&keys));
            }
            _ => {}
        }
        fields
    }

    /// The sequence that an entry is painted in, such as `01;34`, or `None` for plain text.
    ///
    /// This never makes a system call and never allocates.
    #[must_use]
    pub fn style(&self, entry: &Entry<'_>) -> Option<&[u8]> {
        self.style_of(entry.name(), entry.file_type(), entry.meta())
    }

    /// The sequence for a name, a type and what is known of the metadata; as
    /// [`style`](Colors::style).
    #[must_use]
    pub fn style_of(&self, name: &[u8], kind: FileType, meta: Option<&Meta>) -> Option<&[u8]> {
        let meta = meta.filter(|_| self.metadata == MetadataColors::On);
        let mode = meta.and_then(Meta::mode).unwrap_or(0);
        let key = match kind {
            // A type that could not be found out is painted by its name, as a file.
            FileType::File | FileType::Unknown => {
                self.file_key(mode, meta.and_then(Meta::nlink).unwrap_or(1))
            }
            FileType::Directory => self.directory_key(mode),
            FileType::Symlink => Key::Link,
            FileType::Fifo => Key::Fifo,
            FileType::Socket => Key::Socket,
            FileType::BlockDevice => Key::Block,
            FileType::CharDevice => Key::Char,
            _ => Key::Door,
        };
        // Suffixes count only where nothing else made the file special: an executable x.tar is ex.
        if key == Key::File
            && let Some(style) = self.suffixes.find(name)
        {
            return style;
        }
        self.sequences.get(key)
    }

    /// A regular file's key by GNU's priority: su, sg, ex, mh, fi.
    fn file_key(&self, mode: u32, nlink: u64) -> Key {
        let has = |key| self.sequences.get(key).is_some();
        if mode & 0o4000 != 0 && has(Key::SetUid) {
            Key::SetUid
        } else if mode & 0o2000 != 0 && has(Key::SetGid) {
            Key::SetGid
        } else if mode & 0o111 != 0 && has(Key::Executable) {
            Key::Executable
        } else if nlink > 1 && has(Key::MultiLink) {
            Key::MultiLink
        } else {
            Key::File
        }
    }

    /// A directory's key by GNU's priority: tw, ow, st, di.
    fn directory_key(&self, mode: u32) -> Key {
        let has = |key| self.sequences.get(key).is_some();
        if mode & 0o1002 == 0o1002 && has(Key::StickyOtherWritable) {
            Key::StickyOtherWritable
        } else if mode & 0o002 != 0 && has(Key::OtherWritable) {
            Key::OtherWritable
        } else if mode & 0o1000 != 0 && has(Key::Sticky) {
            Key::Sticky
        } else {
            Key::Directory
        }
    }

    /// The sequence of directories, in which a path's leading part is painted.
    #[must_use]
    pub fn directory_style(&self) -> Option<&[u8]> {
        self.sequences.get(Key::Directory)
    }

    /// Appends `text` painted in `style`: `\e[01;34m`, the text, `\e[0m`.
    pub fn paint(&self, text: &[u8], style: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some(style) = style else {
            out.extend_from_slice(text);
            return;
        };
        out.extend_from_slice(self.sequences.get(Key::Left).unwrap_or_default());
        out.extend_from_slice(style);
        out.extend_from_slice(self.sequences.get(Key::Right).unwrap_or_default());
        out.extend_from_slice(text);
        out.extend_from_slice(&self.end);
    }

    /// Appends a path: its directory part (with the separator at its end, or empty) in the colour
    /// of directories, then the name in `style`. A separator that follows a directory's name is
    /// painted by itself, in [`directory_style`](Colors::directory_style).
    pub fn paint_path(&self, dir: &[u8], name: &[u8], style: Option<&[u8]>, out: &mut Vec<u8>) {
        if !dir.is_empty() {
            self.paint(dir, self.directory_style(), out);
        }
        self.paint(name, style, out);
    }
}

#[cfg(test)]
mod tests;
