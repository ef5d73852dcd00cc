//! The words of `--type`: which types of files are wanted.

use brisk::filter::{Expr, Test, Types};
use brisk::{Fields, FileType, Meta};

use crate::calls;

/// The words that were given, which may be none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeWords {
    named: Types,
    executable: bool,
    empty: bool,
}

impl TypeWords {
    /// Adds a word: [that](FileType::word) of a type, `executable` or `empty`. Other words add nothing.
    pub fn add(&mut self, word: &str) {
        self.executable |= word == "executable";
        self.empty |= word == "empty";
        let word = if word == "executable" { "file" } else { word };
        self.named = FileType::from_word(word).map_or(self.named, |known| self.named.with(known));
    }

    /// Whether only directories are wanted.
    pub fn is_directory(self) -> bool {
        self.named == Types::of([FileType::Directory])
    }

    /// The tests that the words mean, all of which must hold; none if there are no words.
    /// `executable` implies files. `empty` means files and directories, unless one of the two is
    /// named.
    pub fn expr(self) -> Vec<Expr> {
        let TypeWords { mut named, executable, empty } = self;
        let may_be_empty = [FileType::File, FileType::Directory];
        if empty && !may_be_empty.iter().any(|file_type| named.contains(*file_type)) {
            named = may_be_empty.into_iter().fold(named, Types::with);
        }
        let mut all = Vec::new();
        if named != Types::default() {
            all.push(of(named));
        }
        if executable {
            all.extend(may_execute());
        }
        if empty {
            all.push(is_empty());
        }
        all
    }
}

/// Entries of the types that these letters stand for, as `find -type` takes them; `None` if there
/// are no letters.
///
/// # Errors
/// A letter that stands for no type.
pub fn of_letters(letters: &str) -> Result<Option<Expr>, char> {
    let known = |letter| FileType::from_letter(letter).filter(|one| *one != FileType::Unknown);
    let types = letters.chars().map(|letter| known(letter).ok_or(letter));
    let types = Types::of(types.collect::<Result<Vec<_>, _>>()?);
    Ok((types != Types::default()).then(|| of(types)))
}

/// Entries of these types.
pub(crate) fn of(types: Types) -> Expr {
    let letters: String = types.iter().map(FileType::letter).collect();
    Test::types(format!("-type {letters}"), types).into()
}

/// Regular files.
pub(crate) fn files() -> Expr {
    of(Types::of([FileType::File]))
}

/// The need for these fields of entries that may be regular files.
pub(crate) fn of_files(fields: Fields) -> impl Fn(FileType) -> Fields {
    move |file_type| match file_type {
        FileType::File | FileType::Unknown => fields,
        _ => Fields::empty(),
    }
}

/// Asks the kernel only about files that have an executable bit: without one, no user may execute a
/// file, not even root.
fn may_execute() -> [Expr; 2] {
    let has_bit = |_, meta: &Meta| meta.mode().is_none_or(|mode| mode & 0o111 != 0);
    let bit = Test::meta("--type x", of_files(Fields::MODE), has_bit);
    let call = Test::call("-executable", calls::may_execute);
    [Expr::Any(vec![!files(), bit.into()]), call.into()]
}

/// An empty file, or a directory without entries.
pub(crate) fn is_empty() -> Expr {
    let file = Test::meta("--type e", of_files(Fields::SIZE), |_, meta| meta.size() == Some(0));
    let directory = Test::call("-empty", calls::is_empty_directory).in_place();
    Expr::Any(vec![
        Expr::All(vec![files(), file.into()]),
        Expr::All(vec![of(Types::of([FileType::Directory])), directory.into()]),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use brisk::filter::Filter;

    #[test]
    fn empty_and_executable_narrow_the_types() {
        let empty = "( ( -type f --type e ) -o ( -type d -empty ) )";
        let executable = "( ! -type f -o --type x ) -executable";
        for (words, key) in [
            ("", String::new()),
            ("directory symlink", "-type dl".to_owned()),
            ("empty", format!("-type fd {empty}")),
            ("empty file", format!("-type f {empty}")),
            ("empty symlink", format!("-type fdl {empty}")),
            ("executable directory", format!("-type fd {executable}")),
        ] {
            let mut types = TypeWords::default();
            words.split(' ').for_each(|word| types.add(word));
            assert_eq!(Filter::new(Expr::All(types.expr())).key(), key, "{words}");
        }
    }
}
