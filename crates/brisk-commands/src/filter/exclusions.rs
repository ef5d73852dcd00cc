//! `--exclude`: the globs that the user typed as overrides of ignore rules. A glob without a slash
//! is compared with names. Any other one is compared with the path below each root and, resolved
//! against the working directory, with the absolute path: so `keep`, `./keep`, `../here/keep` and
//! `/home/me/here/keep` all leave out something, or are refused.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf, is_separator};

use brisk_sys::paths::with_slashes;
use brisk_sys::slashed::resolved;

use crate::front::messages::Caller;
use crate::show::quoting::retypable;

/// The overrides for these globs.
///
/// # Errors
/// A glob that no path can match, or that leads out of every root. Under fd's name, only the first,
/// and only if the command removes, changes or runs something (`changes_files`): fd leaves out
/// nothing then.
pub(super) fn overrides(
    globs: &[String],
    caller: Caller,
    roots: &[PathBuf],
    changes_files: bool,
) -> Result<Vec<String>, String> {
    if globs.is_empty() {
        return Ok(Vec::new());
    }
    let here = env::current_dir().unwrap_or_default();
    let is_fd = caller == Caller::Fd;
    let roots = if roots.is_empty() { &[PathBuf::from(".")] } else { roots };
    let leads_in = |glob: &str| roots.iter().any(|root| may_hold(&here.join(root), glob));
    let mut all = Vec::new();
    for glob in globs {
        let [shown, root] = [retypable(glob), retypable(&roots[0])];
        match read(glob, &here) {
            Reading::Name => all.push(format!("!{glob}")),
            Reading::Nothing if changes_files || !is_fd => {
                return Err(format!("-E {shown}: no path below {root} is spelled so"));
            }
            Reading::Nothing => {}
            Reading::Path { below: None, absolute } if !is_fd && !leads_in(&absolute) => {
                let advice = match glob.starts_with('/') {
                    true => format!("; for what is directly in {root}: -E .{shown}"),
                    false => String::new(),
                };
                return Err(format!(
                    "-E {shown}: leads out of {root}, and leaves out nothing{advice}"
                ));
            }
            Reading::Path { below, absolute } => {
                all.extend(below.map(|below| format!("!{below}")));
                all.extend(is_fd.then(|| format!("!{glob}")));
                all.push(format!("!/{absolute}"));
            }
        }
    }
    Ok(all)
}

/// What a glob is compared with.
#[derive(Debug, PartialEq)]
enum Reading {
    Name,
    /// The path below a root, unless the glob begins elsewhere, and the absolute path without the
    /// slash at its beginning.
    Path {
        below: Option<String>,
        absolute: String,
    },
    Nothing,
}

fn read(glob: &str, here: &Path) -> Reading {
    let path = glob.strip_suffix('/').unwrap_or(glob);
    if is_separator('\\') && path.contains('\\') {
        return Reading::Nothing;
    }
    let rest = path.strip_prefix("**/").unwrap_or(path);
    let Some(GlobPath { up, parts }) = glob_path(path) else { return Reading::Nothing };
    if !rest.contains(is_separator) {
        return Reading::Name;
    }
    let tail = parts.join("/") + if glob.ends_with('/') { "/" } else { "" };
    let is_absolute = path.starts_with('/') || Path::new(path).is_absolute();
    if is_absolute {
        return Reading::Path { below: None, absolute: tail };
    }
    let mut base = here.to_owned();
    (0..up).for_each(|_| _ = base.pop());
    let Some(base) = base.to_str().map(escaped) else { return Reading::Nothing };
    let absolute = if base.is_empty() { tail.clone() } else { format!("{base}/{tail}") };
    // A single name with a slash before it is one directly below the root.
    let below = if parts.len() == 1 { format!("/{tail}") } else { tail };
    Reading::Path { below: (up == 0).then_some(below), absolute }
}

/// The parts of a path without `.` and `..`, and how far up it begins.
struct GlobPath<'g> {
    up: usize,
    parts: Vec<&'g str>,
}

/// `None` if a glob has no parts, or a `..` behind a wildcard.
fn glob_path(path: &str) -> Option<GlobPath<'_>> {
    let mut parts: Vec<&str> = Vec::new();
    let mut up = 0;
    for part in path.split(is_separator) {
        match &*part.replace('\\', "") {
            "" | "." => {}
            ".." => match parts.pop() {
                Some(part) if part.contains(WILD) => return None,
                Some(_) => {}
                None => up += usize::from(!path.starts_with('/')),
            },
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then_some(GlobPath { up, parts })
}

const WILD: [char; 5] = ['*', '?', '[', '{', '\\'];

/// A path as a glob, without the slash at its beginning.
fn escaped(path: &str) -> String {
    let mut glob = String::new();
    for c in path.trim_start_matches(is_separator).chars() {
        match c {
            '*' | '?' | '[' | '{' | '}' => glob.extend(['[', c, ']']),
            c if is_separator(c) => glob.push('/'),
            '\\' => glob.push_str("\\\\"),
            c => glob.push(c),
        }
    }
    glob
}

/// Whether something below a root may have a path that matches.
fn may_hold(root: &Path, absolute: &str) -> bool {
    let root = with_slashes(root);
    let names: Vec<_> = resolved(&root).into_iter().map(String::from_utf8_lossy).collect();
    let parts: Vec<&str> = absolute.split('/').filter(|part| !part.is_empty()).collect();
    let deep = parts.iter().position(|part| *part == "**");
    let agree = |(part, name): (&&str, &Cow<'_, str>)| part.contains(WILD) || part == name;
    let fixed = deep.unwrap_or(parts.len());
    parts[..fixed].iter().zip(&names).all(agree) && (deep.is_some() || parts.len() > names.len())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_glob_with_a_slash_is_one_of_paths_below_a_root_and_absolute() {
        let path = |below: &str, absolute: &str| Reading::Path {
            below: Some(below.to_owned()).filter(|below| !below.is_empty()),
            absolute: absolute.to_owned(),
        };
        for (glob, expected) in [
            ("keep", Reading::Name),
            ("keep/", Reading::Name),
            ("**/keep", Reading::Name),
            ("*.o", Reading::Name),
            ("./keep", path("/keep", "h/me[*]/keep")),
            ("././keep/", path("/keep/", "h/me[*]/keep/")),
            ("l/../keep", path("/keep", "h/me[*]/keep")),
            ("l//keep", path("l/keep", "h/me[*]/l/keep")),
            ("../me/k*", path("", "h/me/k*")),
            ("../../../../x", path("", "x")),
            ("/x/./y/../z", path("", "x/z")),
            ("\\./keep", path("/keep", "h/me[*]/keep")),
            ("", Reading::Nothing),
            (".", Reading::Nothing),
            ("./", Reading::Nothing),
            ("..", Reading::Nothing),
            ("*/../x", Reading::Nothing),
        ] {
            assert_eq!(read(glob, Path::new("/h/me*")), expected, "{glob}");
        }
    }

    #[test]
    fn a_glob_that_leads_out_of_every_root_is_refused() {
        let refused = |glob: &str, root: &str| {
            let roots = [PathBuf::from(root)];
            overrides(&[glob.to_owned()], Caller::Brisk, &roots, false).is_err()
        };
        for (glob, root) in [("/x", "/x"), ("/x", "/y"), ("/x/y", "/x/y/z"), ("/x/z/*", "/x/y")] {
            assert!(refused(glob, root), "{glob} {root}");
        }
        for (glob, root) in [
            ("/x", "/"),
            ("/x/**", "/x/y"),
            ("/*/y/z", "/x/y"),
            ("/x/y/z", "/x/q/../y"),
            ("a/b", "/x"),
        ] {
            assert!(!refused(glob, root), "{glob} {root}");
        }
    }
}
