//! Passing a command to another program of brisk's: `brisk-scan` has the code for tables,
//! `brisk-look` that for the tree of `du -i`. `brisk` does not link these. With tables every command
//! would start more slowly: 0.2 ms, for twice as many pages that the loader writes to. With the tree
//! the first build would take longer.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use crate::front::messages::cause;
use crate::show::quoting::quoted;
use crate::system;

/// Another program of brisk's.
pub(crate) struct OtherProgram {
    name: &'static str,
    /// What needs it, and what it does, in words.
    needs: &'static str,
    does: &'static str,
}

pub(crate) const TABLES: OtherProgram = OtherProgram {
    name: "brisk-scan",
    needs: "tables need another program",
    does: "reads and writes tables",
};

pub(crate) const LOOK: OtherProgram =
    OtherProgram { name: "brisk-look", needs: "-i needs another program", does: "shows the tree" };

impl OtherProgram {
    /// Has the program beside this one run a command; returns the exit code.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn run(&self, command: &str, words: &[OsString]) -> Result<u8, String> {
        let program = format!("{}{}", self.name, std::env::consts::EXE_SUFFIX);
        let own = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
        let program = own.with_file_name(program);
        let error =
            system::replace_by(std::process::Command::new(&program).arg(command).args(words));
        error.map_err(|error| self.refusal(&program, &error))
    }

    #[cold]
    fn refusal(&self, program: &Path, error: &io::Error) -> String {
        let OtherProgram { name, needs, does } = self;
        let shown = quoted(program);
        match error.kind() {
            io::ErrorKind::NotFound => format!(
                "{needs}, and there is no {shown}: in brisk's sources, \
                 'cargo build --release -p {name}' builds it"
            ),
            _ => format!("cannot run {shown}, which {does}: {}", cause(error)),
        }
    }
}
