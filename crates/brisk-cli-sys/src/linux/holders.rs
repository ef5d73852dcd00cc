//! Who uses a file: `/proc` shows the descriptors of this user's processes, of all of them to root.

use std::fs;
use std::path::Path;

use crate::Holder;

/// The processes that have `path` open, or something below it, or that work in it. Reads a few links
/// for each process, and one for each of its descriptors.
#[must_use]
pub fn of(path: &Path) -> Vec<Holder> {
    let Ok(path) = fs::canonicalize(path) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let place = entry.path();
        let descriptors = fs::read_dir(place.join("fd")).into_iter().flatten().flatten();
        let mut links = descriptors.map(|link| link.path()).chain([place.join("cwd")]);
        if links.any(|link| fs::read_link(link).is_ok_and(|target| target.starts_with(&path))) {
            let name = fs::read_to_string(place.join("comm")).unwrap_or_default();
            found.push(Holder { process, name: name.trim_end().to_owned() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_file_and_a_directory_above_it_have_this_process() {
        let place = tempfile::tempdir().expect("a directory");
        let path = place.path().join("file");
        let this = |path| of(path).iter().any(|holder| holder.process == std::process::id());
        let file = fs::File::create(&path).expect("a file");
        assert!(this(&path) && this(place.path()));
        drop(file);
        assert!(!this(&path) && !this(place.path()));
    }
}
