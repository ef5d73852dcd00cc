//! Where the table goes: to standard output, or to a temporary file beside the target, which is
//! renamed to the target when the table is complete.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use brisk::Directory;

use super::options::Form;
use crate::common::options::Refusal;
use crate::common::stream::Descriptor;

/// The form of the table: the one that the user names, or the one that the file's extension names.
///
/// # Errors
/// Neither names one.
pub(super) fn form(named: Option<Form>, output: &Path) -> Result<Form, Refusal> {
    let extension = || output.extension().and_then(OsStr::to_str).and_then(Form::named);
    named.or_else(extension).ok_or_else(|| {
        if output == Path::new("-") {
            return Refusal::option(
                "--format is missing: standard output has no name that tells it",
            );
        }
        let why = "name it FILE.parquet, FILE.arrow, FILE.csv or FILE.jsonl, or use --format";
        Refusal::option(format!("unknown form of '{}': {why}", output.display()))
    })
}

/// Where the table goes.
pub(super) enum Target {
    StandardOutput,
    /// A device, a pipe: it is written as it is.
    Special(File),
    File(Replacement),
}

/// A file that takes the place of another one.
pub(super) struct Replacement {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    is_committed: bool,
}

/// The names that this program itself has in the file system, and where.
pub(super) struct Own {
    dir: PathBuf,
    names: [OsString; 2],
}

/// How many names of temporary files are tried. One is taken only if a scan of the same process
/// number was killed.
const TRIES: usize = 100;

impl Target {
    /// Opens what is written to.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(output: &Path) -> io::Result<Target> {
        if output == Path::new("-") {
            return Ok(Target::StandardOutput);
        }
        // A link stays, and what it leads to is replaced.
        let target = match output.canonicalize() {
            Ok(target) => target,
            Err(_) => output.to_owned(),
        };
        match target.metadata() {
            Ok(meta) if meta.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(meta) if !meta.is_file() => {
                return fs::OpenOptions::new().write(true).open(target).map(Target::Special);
            }
            _ => {}
        }
        Replacement::new(target).map(Target::File)
    }

    /// A stream to the target.
    ///
    /// # Errors
    /// What the system says.
    pub fn writer(&self) -> io::Result<Box<dyn Write + Send>> {
        Ok(match self {
            Target::StandardOutput => Box::new(BufWriter::new(Descriptor::default())),
            Target::Special(file) | Target::File(Replacement { file, .. }) => {
                Box::new(BufWriter::new(file.try_clone()?))
            }
        })
    }

    /// What the scan must leave out.
    pub fn own(&self) -> Option<Own> {
        let Target::File(Replacement { target, temporary, .. }) = self else { return None };
        let name = |path: &Path| path.file_name().map(OsStr::to_owned).unwrap_or_default();
        let dir = directory(target).canonicalize().ok()?;
        Some(Own { dir, names: [name(target), name(temporary)] })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the system says.
    pub fn commit(self) -> io::Result<()> {
        let Target::File(mut replacement) = self else { return Ok(()) };
        fs::rename(&replacement.temporary, &replacement.target)?;
        replacement.is_committed = true;
        Ok(())
    }
}

impl Replacement {
    fn new(target: PathBuf) -> io::Result<Replacement> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let dir = directory(&target);
        for attempt in 0..TRIES {
            let mut temporary = OsString::from(".");
            temporary.push(name);
            temporary.push(format!(".brisk-{}-{attempt}", std::process::id()));
            let temporary = dir.join(temporary);
            match File::create_new(&temporary) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    return Ok(Replacement { target, temporary, file, is_committed: false });
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// A table that is not whole leaves nothing behind.
impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_committed {
            // What cannot be removed now was removed by another process, or stays.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Own {
    /// Whether an entry is one of the program's own files.
    #[inline]
    pub fn is(&self, dir: &Directory<'_>, name: &[u8]) -> bool {
        self.names.iter().any(|own| own.as_encoded_bytes() == name) && self.is_here(dir)
    }

    #[cold]
    fn is_here(&self, dir: &Directory<'_>) -> bool {
        dir.path().canonicalize().is_ok_and(|path| path == self.dir)
    }
}
