//! Trees from text: one word for each entry, relative to a place.
//!
//! ```text
//!   a/        a directory          l->a/f    a symbolic link
//!   a/f       an empty file        h=a/f     a hard link
//!   a/f:12    a file of 12 bytes   p|        a named pipe
//! ```

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Whether this system can have such a tree: links, pipes, and names that differ in case alone are
/// Unix's.
pub fn can_grow(spec: &str) -> bool {
    let name = |word: &str| word.trim_end_matches('/').to_lowercase();
    let names: HashSet<String> = spec.split_whitespace().map(name).collect();
    let differ = names.len() == spec.split_whitespace().count();
    cfg!(unix) || (differ && !spec.contains("->") && !spec.contains('|'))
}

/// Makes the entries of `spec` below `place`, in their order.
pub fn grow(place: &Path, spec: &str) {
    for word in spec.split_whitespace() {
        let made = if let Some((link, target)) = word.split_once("->") {
            symlink(target, place.join(link))
        } else if let Some((link, target)) = word.split_once('=') {
            fs::hard_link(place.join(target), place.join(link))
        } else if let Some(pipe) = word.strip_suffix('|') {
            Command::new("mkfifo").arg(place.join(pipe)).status().map(|status| {
                assert!(status.success(), "mkfifo {pipe}");
            })
        } else if let Some((file, size)) = word.split_once(':') {
            let size = size.parse().expect("a size");
            fs::write(place.join(file), vec![b'x'; size])
        } else if word.ends_with('/') {
            fs::create_dir(place.join(word))
        } else {
            fs::write(place.join(word), "")
        };
        made.unwrap_or_else(|error| panic!("{word}: {error}"));
    }
}

#[cfg(unix)]
use std::os::unix::fs::symlink;

#[cfg(not(unix))]
fn symlink(_target: &str, _link: std::path::PathBuf) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// `count` empty files with names of `length` bytes or a little less.
pub fn files(place: &Path, count: usize, length: usize) {
    for at in 0..count {
        let name = format!("{at:0>length$}");
        fs::File::create(place.join(name)).expect("a file");
    }
}

/// A tree of `levels` levels below `place`, with `fanout` directories and `count` files in each
/// directory.
pub fn bushy(place: &Path, levels: usize, fanout: usize, count: usize) {
    files(place, count, 3);
    if levels > 0 {
        for at in 0..fanout {
            let below = place.join(format!("d{at}"));
            fs::create_dir(&below).expect("a directory");
            bushy(&below, levels - 1, fanout, count);
        }
    }
}
