//! `--list-details`: results as `ls -l` shows them.
//!
//! As with fd, this is a batch command: `ls` receives the results, so `ls` sorts them and lays out
//! the columns.

use super::exec::Commands;
use crate::front::messages::cause;
use crate::show::quoting::quoted;
use crate::show::template::parts::Separator;
use crate::system;

/// Whether the system's `ls` is not GNU's. GNU's may be installed there as `gls`.
const BSD: bool = cfg!(any(
    target_os = "macos",
    target_os = "dragonfly",
    target_os = "freebsd",
    target_os = "netbsd",
    target_os = "openbsd"
));

/// Whether the system has no `ls`. This program serves as one there.
const LACKS_LS: bool = cfg!(windows);

/// Whether the system's own `ls` paints with `-G`.
const PAINTS_WITH_G: bool = !cfg!(any(target_os = "netbsd", target_os = "openbsd"));

/// The command that shows details, as a batch command.
///
/// # Errors
/// The system has no `ls`, and this program cannot find its own file.
pub fn command(colored: bool, separator: &Separator) -> Result<Commands, String> {
    if LACKS_LS {
        return Commands::listing(own(&own_file()?, colored), separator);
    }
    let words = if !BSD {
        gnu("ls", colored)
    } else if system::is_installed("gls") {
        gnu("gls", colored)
    } else {
        bsd(colored)
    };
    Commands::listing(words.into_iter().map(str::to_owned).collect(), separator)
}

/// The file of this program.
fn own_file() -> Result<String, String> {
    let failed = |why: String| format!("cannot run this program as ls: {why}");
    let path = std::env::current_exe().map_err(|error| failed(cause(&error)))?;
    let path = path.into_os_string().into_string();
    path.map_err(|path| failed(format!("{} is not UTF-8", quoted(&path))))
}

/// brisk's own `ls`. Braces in its path are doubled, so that they are no placeholders.
fn own(program: &str, colored: bool) -> Vec<String> {
    let program = program.replace('{', "{{").replace('}', "}}");
    let words = gnu("ls", colored);
    std::iter::once(program).chain(words.into_iter().map(str::to_owned)).collect()
}

/// Short options, which BusyBox's `ls` has as well: long listing, human-readable sizes, directories
/// themselves instead of their contents.
fn gnu(program: &'static str, colored: bool) -> Vec<&'static str> {
    let color = if colored { "--color=always" } else { "--color=never" };
    vec![program, "-l", "-h", "-d", color]
}

fn bsd(colored: bool) -> Vec<&'static str> {
    let mut words = vec!["ls", "-l", "-h", "-d"];
    if colored && PAINTS_WITH_G {
        words.push("-G");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ls_receives_fd_s_options() {
        assert_eq!(gnu("ls", true), ["ls", "-l", "-h", "-d", "--color=always"]);
        assert_eq!(gnu("ls", false), ["ls", "-l", "-h", "-d", "--color=never"]);
        let own = own(r"C:\{a}\brisk.exe", false);
        assert_eq!(own[..2], [r"C:\{{a}}\brisk.exe", "ls"]);
        assert_eq!(own[2..], ["-l", "-h", "-d", "--color=never"]);
        assert!(Commands::batch(&[own], &Separator::default()).is_ok_and(|it| it.is_batch()));
        assert!(command(true, &Separator::default()).is_ok_and(|commands| commands.is_batch()));
    }

    #[test]
    #[cfg(unix)]
    fn programs_are_looked_up_in_the_search_path() {
        assert!(system::is_installed("sh"));
        assert!(!system::is_installed("no-such-program"));
    }
}
