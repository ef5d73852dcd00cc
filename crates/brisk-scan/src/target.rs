//! Where the table goes, and what of it a scan must leave out.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf, is_separator};

use brisk::{Directory, Entry};
use brisk_commands::internal::{
    Descriptor, Form, Refusal, open_output, output_is_terminal, quoted,
};
use brisk_sys::output::{Output, directory, follow, is_temporary};
use brisk_table::dataset::{JOURNAL, journal_of};

/// The form of the table: the one that the user names, or the one that the file's extension names.
///
/// # Errors
/// Neither names one, or the table is not for the terminal that it would go to.
pub(crate) fn form(named: Option<Form>, output: &Path) -> Result<Form, Refusal> {
    let is_binary = matches!(named, Some(Form::Parquet | Form::Arrow));
    if is_binary && output == Path::new("-") && output_is_terminal() {
        let why = "the table is not for a terminal: write it to a file or a pipe, or use --as csv";
        return Err(Refusal::usage(why));
    }
    let extension = || output.extension().and_then(OsStr::to_str).and_then(Form::named);
    named.or_else(extension).ok_or_else(|| {
        if output == Path::new("-") {
            return Refusal::hinted("--as is missing: standard output has no name that tells it");
        }
        if is_directory(output) {
            let shown = quoted(output);
            return Refusal::hinted(format!("{shown} is a directory: --continue writes into one"));
        }
        let why = "name it FILE.parquet, FILE.arrow, FILE.csv or FILE.jsonl, or use --as";
        Refusal::hinted(format!("unknown form of {}: {why}", quoted(output)))
    })
}

/// Whether the user means a directory.
pub(crate) fn is_directory(output: &Path) -> bool {
    output.as_os_str().to_string_lossy().ends_with(is_separator) || output.is_dir()
}

/// Checks that an output is in no data set, whose readers would read it too.
///
/// # Errors
/// It is in one.
pub(crate) fn check_place(output: &Path) -> io::Result<()> {
    let path = output.canonicalize().or_else(|_| follow(output))?;
    let dir = directory(&path);
    match journal_of(dir).is_ok_and(|journal| journal.is_file()) {
        true => Err(io::Error::other(format!(
            "{} is a data set of brisk scan --continue, whose readers would read this too",
            quoted(dir)
        ))),
        false => Ok(()),
    }
}

/// Where the table goes.
pub(crate) enum Target {
    StandardOutput,
    Named(Output),
}

/// The name that the table has in the file system, and where.
pub(crate) struct Own {
    dir: PathBuf,
    name: OsString,
}

impl Target {
    /// Opens what is written to.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(output: &Path) -> io::Result<Target> {
        if output == Path::new("-") {
            return Ok(Target::StandardOutput);
        }
        check_place(output)?;
        open_output(output).map(Target::Named)
    }

    /// A stream to the target.
    ///
    /// # Errors
    /// What the system says.
    pub fn writer(&self) -> io::Result<Box<dyn Write + Send>> {
        Ok(match self {
            Target::StandardOutput => Box::new(BufWriter::new(Descriptor::default())),
            Target::Named(output) => Box::new(BufWriter::new(output.file().try_clone()?)),
        })
    }

    /// How many bytes were written, if the target is a file.
    pub fn bytes(&self) -> Option<u64> {
        let Target::Named(output @ Output::File(..)) = self else { return None };
        Some(output.file().metadata().ok()?.len())
    }

    /// What the scan must leave out.
    pub fn own(&self) -> Option<Own> {
        let Target::Named(Output::File(_, target)) = self else { return None };
        let dir = directory(target).canonicalize().ok()?;
        Some(Own { dir, name: target.file_name()?.to_owned() })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// What the system says.
    pub fn commit(self) -> io::Result<()> {
        match self {
            Target::StandardOutput => Ok(()),
            Target::Named(output) => output.commit(),
        }
    }
}

impl Own {
    /// Whether an entry is the table, the journal of a data set, or a temporary beside them, which is
    /// a regular file.
    #[inline]
    pub fn is(&self, entry: &Entry<'_>) -> bool {
        let name = entry.name();
        let rest = name.strip_prefix(self.name.as_encoded_bytes());
        let is_own = rest.is_some_and(|rest| rest.is_empty() || rest == JOURNAL.as_bytes());
        let is_temporary = || entry.file_type().is_file() && is_temporary(name);
        (is_own || is_temporary()) && self.is_here(entry.directory())
    }

    #[cold]
    fn is_here(&self, dir: &Directory<'_>) -> bool {
        dir.path().canonicalize().is_ok_and(|path| path == self.dir)
    }
}
