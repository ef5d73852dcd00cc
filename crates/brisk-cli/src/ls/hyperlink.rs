//! Terminal hyperlinks (OSC 8) to `file://` addresses, as GNU ls writes them: each address is that
//! of the file that a name leads to, with links resolved.

use std::path::{Path, PathBuf};

use crate::common::safe::os_str;

/// The addresses of entries, one directory at a time.
pub(crate) struct Links {
    host: Vec<u8>,
    /// The directory whose entries are being written, with links resolved and a separator at the
    /// end.
    base: Vec<u8>,
    directory: PathBuf,
    /// Whether paths are Windows's.
    has_drives: bool,
}

impl Links {
    pub(crate) const END: &'static [u8] = b"\x1b]8;;\x07";

    /// `separator` stands between the components of this system's paths.
    pub(crate) fn new(host: Vec<u8>, separator: &str) -> Links {
        let has_drives = separator == r"\";
        Links { host, base: Vec::new(), directory: PathBuf::new(), has_drives }
    }

    /// Says that the entries of this directory come next. Except for links, resolving the
    /// directory's path is the only request.
    pub(crate) fn enter(&mut self, directory: &Path) {
        self.directory = directory.to_owned();
        let resolved =
            resolve(if directory.as_os_str().is_empty() { Path::new(".") } else { directory });
        self.base = self.address(&resolved);
        if self.base.last() != Some(&b'/') {
            self.base.push(b'/');
        }
    }

    /// Appends the beginning of a link to the entry of this name. `resolved`: the name leads
    /// through no link.
    pub(crate) fn begin(&self, name: &[u8], resolved: bool, out: &mut Vec<u8>) {
        if resolved {
            return self.begin_at(&[&self.base, name].concat(), out);
        }
        let path = resolve(&self.directory.join(os_str(name)));
        self.begin_at(&self.address(&path), out);
    }

    /// Appends the beginning of a link to the directory itself.
    pub(crate) fn begin_directory(&self, out: &mut Vec<u8>) {
        let path = self.base.strip_suffix(b"/").unwrap_or(&self.base);
        self.begin_at(if path.is_empty() { b"/" } else { path }, out);
    }

    fn address(&self, path: &Path) -> Vec<u8> {
        let path = path.as_os_str().as_encoded_bytes();
        if self.has_drives { slashed(path) } else { path.to_vec() }
    }

    fn begin_at(&self, path: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b]8;;file:");
        // The path of a share begins with its host.
        if !path.starts_with(b"//") {
            out.extend_from_slice(b"//");
            percent_encode(&self.host, b"", out);
            if path.first() != Some(&b'/') {
                out.push(b'/');
            }
        }
        percent_encode(path, if self.has_drives { b"/:" } else { b"/" }, out);
        out.push(7);
    }
}

/// The path with links resolved. Components that do not exist stay as they are.
fn resolve(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    // A link that leads nowhere: its target, relative to the link's directory.
    if let (Ok(target), Some(parent)) = (path.read_link(), path.parent()) {
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let joined = parent.join(target);
        return resolve_missing(&joined);
    }
    resolve_missing(path)
}

fn resolve_missing(path: &Path) -> PathBuf {
    let parent = path
        .parent()
        .map(|parent| if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
    match (parent, path.file_name()) {
        (Some(parent), Some(name)) if parent != path => match parent.canonicalize() {
            Ok(parent) => parent.join(name),
            Err(_) => resolve_missing(parent).join(name),
        },
        _ => path.to_owned(),
    }
}

/// A resolved path of Windows as addresses spell it: `C:/x` for `\\?\C:\x`, `//host/x` for
/// `\\?\UNC\host\x`.
fn slashed(path: &[u8]) -> Vec<u8> {
    let path = match path.strip_prefix(br"\\?\") {
        Some(rest) => match rest.strip_prefix(br"UNC\") {
            Some(share) => [br"\\", share].concat(),
            None => rest.to_vec(),
        },
        None => path.to_vec(),
    };
    path.into_iter().map(|byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

/// Appends bytes, encoding all that are neither unreserved nor in `plain`.
fn percent_encode(bytes: &[u8], plain: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for &byte in bytes {
        let unreserved = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        if unreserved || plain.contains(&byte) {
            out.push(byte);
        } else {
            let high = HEX[usize::from(byte >> 4)];
            out.extend_from_slice(&[b'%', high, HEX[usize::from(byte & 15)]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_s_paths_become_addresses() {
        let table: [(&[u8], &str); 4] = [
            (br"\\?\C:\a b\c", "file:///C:/a%20b/c"),
            (br"\\?\C:\", "file:///C:/"),
            (br"\\?\UNC\host\share\x", "file://host/share/x"),
            (br"Z:\x", "file:///Z:/x"),
        ];
        for (path, expected) in table {
            let mut out = Vec::new();
            Links::new(Vec::new(), r"\").begin_at(&slashed(path), &mut out);
            assert_eq!(String::from_utf8_lossy(&out), format!("\x1b]8;;{expected}\x07"));
        }
    }

    #[test]
    #[cfg(unix)]
    fn addresses_are_ascii_and_absolute() {
        let mut links = Links::new(b"host".to_vec(), "/");
        links.enter(Path::new("/"));
        let mut out = Vec::new();
        links.begin("a ü".as_bytes(), true, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\x1b]8;;file://host/a%20%c3%bc\x07");
        out.clear();
        links.begin_directory(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), "\x1b]8;;file://host/\x07");
    }
}
