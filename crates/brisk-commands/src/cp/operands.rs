//! The operands, by GNU cp's rules: which are copied, and under which names.

use std::path::{Path, PathBuf};

use brisk::copy::{Pair, TargetDir};

use brisk_sys::{output, slashed};

use super::options::Options;
use crate::front::Refusal;
use crate::front::messages::cannot;
use crate::show::quoting::quoted;
use crate::show::safe::{os_str, path_bytes};

/// What is copied, and where to.
pub(super) struct Operands {
    pub sources: Vec<PathBuf>,
    pub to: To,
}

pub(super) enum To {
    /// The copies are entries of this directory.
    Directory(TargetDir),
    /// The one copy has this path.
    Name(PathBuf),
}

impl Operands {
    /// Looks whether the last operand is a directory. System calls: one openat.
    ///
    /// # Errors
    /// GNU cp's refusals.
    pub fn find(options: &Options) -> Result<Operands, Refusal> {
        let paths = &options.paths;
        let Some(last) = paths.last() else {
            return Err(Refusal::hinted("missing file operand"));
        };
        if let ([only], None) = (&paths[..], &options.target) {
            let shown = quoted(only);
            let why = format!("missing destination file operand after {shown}");
            return Err(Refusal::hinted(why));
        }
        if options.no_target_directory {
            if options.target.is_some() {
                return Err(Refusal::usage(
                    "cannot combine --target-directory (-t) and --no-target-directory (-T)",
                ));
            }
            if let Some(extra) = paths.get(2) {
                return Err(Refusal::hinted(format!("extra operand {}", quoted(extra))));
            }
            return named(options, &paths[0], last);
        }
        let given = options.target.as_ref();
        let directory = given.unwrap_or(last);
        let failed = |what: &str, error| {
            let message = cannot("", directory, error);
            Refusal::failure(message.replacen("cannot ", what, 1))
        };
        match (TargetDir::open(without_slashes(directory)), given) {
            (Ok(target), _) => {
                let sources = &paths[..paths.len() - usize::from(given.is_none())];
                let stripped = |path: &PathBuf| without_slashes(path).to_owned();
                let sources = match options.strip_slashes {
                    true => sources.iter().map(stripped).collect(),
                    false => sources.to_vec(),
                };
                Ok(Operands { sources, to: To::Directory(target) })
            }
            (Err(error), Some(_)) => Err(failed("target directory", &error)),
            (Err(error), None) if paths.len() > 2 => Err(failed("target", &error)),
            (Err(_), None) => named(options, &paths[0], last),
        }
    }

    /// The copies, without the directories of `--parents`.
    pub fn pair(&self, source: &Path) -> Pair {
        match &self.to {
            To::Directory(target) => target.pair(source.to_owned(), name_of(source)),
            To::Name(name) => Pair::new(source.to_owned(), name.clone()),
        }
    }
}

/// One file is copied to another name.
fn named(options: &Options, source: &Path, name: &Path) -> Result<Operands, Refusal> {
    if options.parents {
        return Err(Refusal::hinted("with --parents, the destination must be a directory"));
    }
    Ok(Operands { sources: vec![source.to_owned()], to: To::Name(name.to_owned()) })
}

/// With -f and a backup, a file that is to be copied to itself is copied to its backup's name.
pub(super) fn own_backup(options: &Options, operands: &mut Operands) -> bool {
    let To::Name(name) = &mut operands.to else { return false };
    let Some(control) = options.backup.filter(|_| options.copy.force) else { return false };
    if operands.sources[0].as_os_str() != name.as_os_str() || !name.is_file() {
        return false;
    }
    // If no backup name is found, the engine refuses to copy the file to itself.
    let backup = control.name(path_bytes(name), options.suffix.as_deref());
    backup.map(|backup| name.set_file_name(backup)).is_ok()
}

/// The name of a source in the target directory: its last component. The contents of `..` are
/// copied into the directory itself.
fn name_of(source: &Path) -> &Path {
    let bytes = slashed::without_slashes(path_bytes(source));
    match &bytes[output::prefix_of(bytes).len()..] {
        b"" | b".." => Path::new("."),
        name => Path::new(os_str(name)),
    }
}

/// A path without slashes at its end; the root keeps one.
fn without_slashes(path: &Path) -> &Path {
    Path::new(os_str(slashed::without_slashes(path_bytes(path))))
}
