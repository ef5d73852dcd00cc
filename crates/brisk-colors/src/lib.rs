//! `LS_COLORS` as GNU ls means it, compiled for two questions: how is this entry painted, and which
//! metadata does that need?
//!
//! `parse.rs` turns the variable's bytes into sequences by key and by suffix. `suffixes.rs` finds
//! the rule for a name without allocating. `indicator.rs` finds the key of an entry: most keys
//! follow from type and name, which a directory read brings at no cost. [`Colors::fields`] says
//! which fields the other keys need for which type, and `cost.rs` says the same to the user.
//!
//! There are two ways to write: [`Painter`] writes exactly the bytes that GNU ls writes around a
//! name, and [`Colors::paint`] only those that change something.

#![forbid(unsafe_code)]

mod cost;
mod indicator;
mod paint;
mod parse;
mod refusal;
mod sgr;
mod suffixes;
mod terminal;

use brisk::{Entry, Fields, FileType, Meta};
pub use cost::Cost;
pub use paint::Painter;
use parse::{Key, Sequences};
pub use refusal::Refusal;
use suffixes::{Rule, Suffixes};
use terminal::is_known_terminal;

/// Whether colours that need metadata are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetadataColors {
    /// Type and name alone decide: painting never needs a request.
    #[default]
    Off,
    /// All colours are used; [`Colors::fields`] says which fields they need.
    On,
}

/// Whether a link's target is shown, and painted in a colour of its own (`ls -l`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TargetColors {
    /// Targets are not shown, and `mi` is not needed.
    #[default]
    Hidden,
    /// Targets are shown.
    Shown,
}

/// How entries are painted: a compiled `LS_COLORS`.
#[derive(Clone, Debug)]
pub struct Colors {
    sequences: Sequences,
    suffixes: Suffixes,
    /// `ln=target`: a link is painted as the file that it leads to.
    as_target: bool,
    /// The sequence that ends painted text: `ec`, or else `lc`, `rs` and `rc` in a row.
    end: Box<[u8]>,
    metadata: MetadataColors,
    targets: TargetColors,
}

impl Colors {
    /// Compiles the value of `LS_COLORS`; `None` and an empty value mean GNU's defaults.
    ///
    /// A value that GNU ls refuses (an unknown key, a broken escape) turns all colours off, and the
    /// refusal says why. Colours that need metadata are off until
    /// [`with_metadata`](Colors::with_metadata). This never makes a system call.
    #[must_use]
    pub fn from_env_value(value: Option<&[u8]>) -> (Colors, Option<Refusal>) {
        let value = value.unwrap_or_default();
        match parse::parse(value) {
            Ok((sequences, suffixes)) => (Colors::compile(sequences, suffixes), None),
            Err(refusal) => (Colors::none(), Some(refusal)),
        }
    }

    /// The same as [`from_env_value`](Colors::from_env_value), except without a value. As in GNU
    /// ls, only a terminal that is known to have colours then gets GNU's
    /// defaults. Any other terminal gets no colours, even if the user asks for them.
    #[must_use]
    pub fn for_terminal(
        value: Option<&[u8]>,
        colorterm: Option<&[u8]>,
        term: Option<&[u8]>,
    ) -> (Colors, Option<Refusal>) {
        let given = value.is_some_and(|value| !value.is_empty());
        if given || is_known_terminal(colorterm, term) {
            Colors::from_env_value(value)
        } else {
            (Colors::none(), None)
        }
    }

    /// No colours: painted text is plain text.
    #[must_use]
    pub fn none() -> Colors {
        Colors {
            sequences: Sequences::empty(),
            suffixes: Suffixes::compile(Vec::new()),
            as_target: false,
            end: Box::default(),
            metadata: MetadataColors::Off,
            targets: TargetColors::Hidden,
        }
    }

    fn compile(sequences: Sequences, suffixes: Vec<Rule>) -> Colors {
        let end = match sequences.get(Key::End) {
            Some(end) => Box::from(end),
            None => [Key::Left, Key::Reset, Key::Right]
                .iter()
                .flat_map(|&key| sequences.get(key).unwrap_or_default())
                .copied()
                .collect(),
        };
        Colors {
            as_target: sequences.get(Key::Link) == Some(b"target"),
            sequences,
            suffixes: Suffixes::compile(suffixes),
            end,
            metadata: MetadataColors::Off,
            targets: TargetColors::Hidden,
        }
    }

    /// Turns colours that need metadata on or off.
    #[must_use]
    pub fn with_metadata(self, metadata: MetadataColors) -> Colors {
        Colors { metadata, ..self }
    }

    /// Says whether links' targets are shown, so that `mi` is needed.
    #[must_use]
    pub fn with_targets(self, targets: TargetColors) -> Colors {
        Colors { targets, ..self }
    }

    /// Spells each sequence as fd writes it: attributes, background, foreground, each number
    /// without leading zeros (`01;34` becomes `1;34`, and `37;41` becomes `41;37`). A sequence with
    /// unknown codes stays as it is.
    #[must_use]
    pub fn normalized(mut self) -> Colors {
        for style in self.sequences.styles_mut().chain(self.suffixes.styles_mut()) {
            if let Some(spelled) = style.as_deref().and_then(sgr::normalize) {
                *style = Some(spelled);
            }
        }
        self
    }

    /// Whether colours are on. They are off after [`none`](Colors::none) and for a refused value.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.sequences.get(Key::Left).is_some()
    }

    /// The fields that colours need of entries of this type, beyond the type itself; none with
    /// [`MetadataColors::Off`]. `mh` alone needs no request: it uses a link count that another
    /// key's request brings.
    #[must_use]
    pub fn fields(&self, file_type: FileType) -> Fields {
        let any = |keys: &[Key]| keys.iter().any(|&key| self.sequences.is_colored(key));
        let mut fields = Fields::empty();
        if self.metadata == MetadataColors::Off {
            return fields;
        }
        match file_type {
            FileType::File => {
                fields.set(Fields::MODE, any(&parse::FILE_MODES));
                fields.set(Fields::CAPS, any(&[Key::Capability]));
            }
            FileType::Directory => fields.set(Fields::MODE, any(&parse::DIRECTORY_MODES)),
            FileType::Symlink => fields.set(Fields::TARGET, self.needs_target()),
            _ => {}
        }
        let counts_links = match file_type {
            FileType::Symlink => self.as_target,
            _ => file_type == FileType::File,
        };
        if counts_links && !fields.is_empty() {
            fields.set(Fields::NLINK, any(&[Key::MultiLink]));
        }
        fields
    }

    /// Whether colours need to know where a link leads. As in GNU ls, `ex` stands for all modes
    /// here: without `ex` and `or`, `ln=target` paints every link as `or`.
    fn needs_target(&self) -> bool {
        let colored = |key| self.sequences.is_colored(key);
        colored(Key::Orphan)
            || (self.as_target && colored(Key::Executable))
            || (self.targets == TargetColors::Shown && colored(Key::Missing))
    }

    /// The sequence that changes how an entry looks, such as `01;34`, or `None` for plain text.
    ///
    /// This never makes a system call and never allocates.
    #[must_use]
    pub fn style(&self, entry: &Entry<'_>) -> Option<&[u8]> {
        self.style_of(entry.name(), entry.file_type(), entry.meta())
    }

    /// The same as [`style`](Colors::style), for a name, a type and the known metadata. Regular
    /// files without a colour of their own have that of ordinary text.
    #[must_use]
    pub fn style_of(&self, name: &[u8], kind: FileType, meta: Option<&Meta>) -> Option<&[u8]> {
        let normal = || self.sequences.get(Key::Normal).filter(|_| kind == FileType::File);
        let sequence = self.indicator_of(name, kind, meta).or_else(normal);
        sequence.filter(|sequence| !parse::is_plain(sequence))
    }

    /// The sequence of directories, which also paints the leading part of a path.
    #[must_use]
    pub fn directory_style(&self) -> Option<&[u8]> {
        self.sequences.get(Key::Directory).filter(|sequence| !parse::is_plain(sequence))
    }

    /// Appends `text` painted in `style`: `\e[01;34m`, the text, `\e[0m`.
    pub fn paint(&self, text: &[u8], style: Option<&[u8]>, out: &mut Vec<u8>) {
        let Some(style) = style else {
            out.extend_from_slice(text);
            return;
        };
        self.left(style, out);
        out.extend_from_slice(text);
        out.extend_from_slice(&self.end);
    }

    /// Appends a sequence and the codes around it.
    fn left(&self, style: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.sequences.get(Key::Left).unwrap_or_default());
        out.extend_from_slice(style);
        out.extend_from_slice(self.sequences.get(Key::Right).unwrap_or_default());
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
