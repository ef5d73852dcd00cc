//! What the link `find` says about itself, and about directories that contain themselves.

use std::ffi::OsString;
use std::path::Path;

use super::outputs::identity;
use crate::front::messages::Caller;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;

pub(super) fn help() -> String {
    format!("Usage: {} {HELP}", Caller::Find.as_typed("find"))
}

pub(super) fn version() -> String {
    format!("find {}\n", Caller::Find.version())
}

pub(super) fn hint() -> String {
    format!("Try '{} --help' for more information.\n", Caller::Find.as_typed("find"))
}

const HELP: &str = "\
[-H] [-L] [-P] [-D words] [-O level] [path...] [expression]

find(1) of GNU find 4.9, by brisk. Without a path it looks in the current directory; without an
action it prints.

Operators, the tightest first:
  ( EXPR )   ! EXPR  -not EXPR   EXPR EXPR  EXPR -a EXPR  EXPR -and EXPR
  EXPR -o EXPR  EXPR -or EXPR   EXPR , EXPR

Options, before the tests:
  -depth -files0-from FILE -maxdepth N -mindepth N -mount -xdev -noleaf
  -ignore_readdir_race -noignore_readdir_race -j N -S dfs|bfs|any

Options, for the tests behind them:
  -daystart -follow -regextype TYPE -warn -nowarn

Tests (N may be +N or -N):
  -amin N -anewer FILE -atime N -cmin N -cnewer FILE -context PATTERN -ctime N -empty
  -executable -false -fstype TYPE -gid N -group NAME -ilname PATTERN -iname PATTERN -inum N
  -ipath PATTERN -iregex PATTERN -links N -lname PATTERN -mmin N -mtime N -name PATTERN
  -newer FILE -newerXY FILE -nogroup -nouser -path PATTERN -perm [-/]MODE -readable
  -regex PATTERN -samefile FILE -size N[bcwkMG] -true -type [bcdflps] -uid N -used N
  -user NAME -wholename PATTERN -writable -xtype [bcdflps]

Actions:
  -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -execdir COMMAND {} +
  -fls FILE -fprint FILE -fprint0 FILE -fprintf FILE FORMAT -ls -ok COMMAND ;
  -okdir COMMAND ; -print -print0 -printf FORMAT -prune -quit

-D explain says which requests a search makes, and for what; -D stats counts them.
";

pub(super) const DEBUG: &str = "\
Words for -D, with commas between them:
explain  Say which requests the search makes, and for what
stats    Count the requests, and say how long it took
help     Show this
GNU's words (exec, opt, rates, search, stat, time, tree, all) are accepted, and do nothing.
";

/// The message about a directory that leads back to one above it. Starting points that end in a slash
/// are shown so.
#[cold]
pub(super) fn loop_at(path: &Path, slashed: &[OsString]) -> String {
    let own = identity(path);
    let above = path.ancestors().skip(1).find(|above| identity(above) == own);
    let above = above.unwrap_or(path);
    let given = slashed.iter().find(|given| Path::new(given) == above);
    let above = given.map_or(path_bytes(above), path_bytes);
    let above = as_argument(above);
    let shown = as_argument(path_bytes(path));
    format!("File system loop detected; {shown} is part of the same file system loop as {above}.")
}
