//! Exclusions that may leave out less than the user typed. A glob of `--exclude` means a name or, if
//! it has a slash, a path that begins below the first search path. So `./keep`, `/home/me/keep` or
//! `dir/keep` may match nothing.

use std::env;
use std::path::{Path, PathBuf, is_separator};

use crate::show::quoting::{quoted, typed};

/// Why an exclusion may leave out less than was typed, and what to write instead. Without `acts` only
/// one that leaves out nothing in some search path counts.
pub(super) fn doubt(
    globs: &[String],
    regexes: &[String],
    roots: &[PathBuf],
    acts: bool,
) -> Option<String> {
    let here = env::current_dir().unwrap_or_default();
    let first = roots.first().map_or(Path::new("."), PathBuf::as_path);
    let is_one = roots.iter().all(|root| root == first);
    let is_doubtful = |glob: &&String| {
        let path = glob.strip_suffix('/').unwrap_or(glob);
        let is_name = !path.strip_prefix("**/").unwrap_or(path).contains(is_separator);
        let below = path.strip_prefix('/').unwrap_or(path);
        let typed = here.join(path);
        let agrees = is_one && here.join(first).join(below) == typed;
        let misses = !is_one || typed.starts_with(here.join(first));
        is_odd(below) || !is_name && !agrees && (acts || misses)
    };
    if let Some(glob) = globs.iter().find(is_doubtful) {
        return Some(refusal(glob, first, here == here.join(first)));
    }
    let is_rooted = |regex: &&String| {
        let path = regex.trim_start_matches('^').replace('\\', "");
        regex.starts_with("^/") || path.starts_with("./") || path.starts_with("../")
    };
    let regex = typed(regexes.iter().find(is_rooted)?);
    Some(format!("--exclude-regex {regex}: paths begin below the search path: 'src/main.rs'"))
}

/// Whether no path below a search path is spelled so.
fn is_odd(path: &str) -> bool {
    let mut parts = path.split(is_separator).map(|part| part.replace('\\', ""));
    let is_escaped = is_separator('\\') && path.contains('\\');
    is_escaped || parts.any(|part| matches!(&*part, "" | "." | ".."))
}

#[cold]
fn refusal(glob: &str, first: &Path, is_here: bool) -> String {
    let name = Path::new(glob).file_name().filter(|name| *name != "**");
    let named = name.map(|name| format!("; use the name: -E {}", typed(name))).unwrap_or_default();
    let place = typed(first);
    let there = if is_here {
        String::new()
    } else {
        format!("; or cd {place}, and use the path from there")
    };
    let [glob, first] = [typed(glob), quoted(first)];
    format!("-E {glob}: a glob with a slash is compared with the path below {first}{named}{there}")
}
