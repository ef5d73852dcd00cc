//! Terminal hyperlinks (OSC 8) to `file://` addresses: [`Addresses`] spells them, [`Hyperlinks`] finds the
//! file that a name leads to.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::show::safe::os_str;
use crate::system;

/// Bytes that an address cannot hold as they are, for GNU.
const ENCODED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
/// The same where a colon is a part of every path, and for fd everywhere.
const BUT_COLONS: AsciiSet = ENCODED.remove(b':');

/// Whose links they are, byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    Gnu,
    Fd,
}

/// Addresses of files on this machine.
#[derive(Debug)]
pub(crate) struct Addresses {
    habit: Habit,
    pub(crate) host: Vec<u8>,
    /// Whether paths are Windows's.
    pub(crate) has_drives: bool,
}

impl Addresses {
    pub(crate) fn new(habit: Habit) -> Addresses {
        Addresses { habit, host: system::host_name(), has_drives: system::SEPARATOR == r"\" }
    }

    /// Appends the beginning of a link to the absolute path that these parts are together.
    pub(crate) fn begin(&self, path: &[&[u8]], out: &mut Vec<u8>) {
        let first = path.first().copied().unwrap_or_default();
        out.extend_from_slice(b"\x1b]8;;file:");
        // The path of a share begins with its host.
        if !(self.has_drives && first.starts_with(b"//")) {
            out.extend_from_slice(b"//");
            self.encode(&self.host, out);
            if !first.starts_with(b"/") {
                out.push(b'/');
            }
        }
        path.iter().for_each(|part| self.encode(part, out));
        out.extend_from_slice(self.terminator());
    }

    /// Appends the end of a link.
    pub(crate) fn end(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b]8;;");
        out.extend_from_slice(self.terminator());
    }

    fn terminator(&self) -> &'static [u8] {
        if self.habit == Habit::Gnu { b"\x07" } else { b"\x1b\\" }
    }

    fn encode(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let is_gnu = self.habit == Habit::Gnu;
        let encoded = if is_gnu && !self.has_drives { &ENCODED } else { &BUT_COLONS };
        for part in percent_encode(bytes, encoded) {
            let at = out.len();
            out.extend_from_slice(part.as_bytes());
            if is_gnu && part.starts_with('%') {
                out[at..].make_ascii_lowercase();
            }
        }
    }
}

/// Links to entries as GNU ls makes them, one directory at a time: each leads to the file that a
/// name leads to, with links resolved.
pub(crate) struct Hyperlinks {
    addresses: Addresses,
    /// The directory whose entries are being written, with links resolved and a separator at the
    /// end.
    base: Vec<u8>,
    directory: PathBuf,
}

impl Hyperlinks {
    pub(crate) fn new() -> Hyperlinks {
        let addresses = Addresses::new(Habit::Gnu);
        Hyperlinks { addresses, base: Vec::new(), directory: PathBuf::new() }
    }

    /// Says that the entries of this directory come next. Except for links, resolving the
    /// directory's path is the only request.
    pub(crate) fn enter(&mut self, directory: &Path) {
        if !self.base.is_empty() && self.directory == directory {
            return;
        }
        self.directory = directory.to_owned();
        self.base = self.resolved(or_here(directory));
        if self.base.last() != Some(&b'/') {
            self.base.push(b'/');
        }
    }

    /// Appends the beginning of a link to the entry of this name. `resolved`: the name leads
    /// through no link.
    pub(crate) fn begin(&self, name: &[u8], resolved: bool, out: &mut Vec<u8>) {
        if resolved {
            return self.addresses.begin(&[&self.base, name], out);
        }
        let path = self.resolved(&self.directory.join(os_str(name)));
        self.addresses.begin(&[&path], out);
    }

    /// Appends the beginning of a link to the directory itself.
    pub(crate) fn begin_directory(&self, out: &mut Vec<u8>) {
        let path = self.base.strip_suffix(b"/").unwrap_or(&self.base);
        self.addresses.begin(&[if path.is_empty() { b"/" } else { path }], out);
    }

    /// Appends the end of a link.
    pub(crate) fn end(&self, out: &mut Vec<u8>) {
        self.addresses.end(out);
    }

    fn resolved(&self, path: &Path) -> Vec<u8> {
        let path = resolve(path).into_os_string().into_encoded_bytes();
        if self.addresses.has_drives { slashed(&path) } else { path }
    }
}

/// The path, or the current directory's if it is empty.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// The path with links resolved. Components that do not exist stay as they are.
fn resolve(path: &Path) -> PathBuf {
    if let Ok(path) = path.canonicalize() {
        return path;
    }
    // A link that leads nowhere: its target, relative to the link's directory.
    if let (Ok(target), Some(parent)) = (path.read_link(), path.parent()) {
        return resolve_missing(&or_here(parent).join(target));
    }
    resolve_missing(path)
}

fn resolve_missing(path: &Path) -> PathBuf {
    match (path.parent().map(or_here), path.file_name()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn address(habit: Habit, host: &str, has_drives: bool, path: &[&[u8]]) -> String {
        let mut out = Vec::new();
        Addresses { habit, host: host.into(), has_drives }.begin(path, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn windows_s_paths_become_addresses() {
        let table: [(&[u8], &str); 4] = [
            (br"\\?\C:\a b\c", "file:///C:/a%20b/c"),
            (br"\\?\C:\", "file:///C:/"),
            (br"\\?\UNC\host\share\x", "file://host/share/x"),
            (br"Z:\x", "file:///Z:/x"),
        ];
        for (path, expected) in table {
            let shown = address(Habit::Gnu, "", true, &[&slashed(path)]);
            assert_eq!(shown, format!("\x1b]8;;{expected}\x07"));
        }
    }

    #[test]
    fn addresses_are_ascii_in_the_manner_of_each_program() {
        let path = ["/".as_bytes(), "$*\x1bß/∫:\x07a_b~".as_bytes()];
        assert_eq!(
            address(Habit::Gnu, "h", false, &path),
            "\x1b]8;;file://h/%24%2a%1b%c3%9f/%e2%88%ab%3a%07a_b~\x07"
        );
        assert_eq!(
            address(Habit::Fd, "h", false, &path),
            "\x1b]8;;file://h/%24%2A%1B%C3%9F/%E2%88%AB:%07a_b~\x1b\\"
        );
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_is_linked_without_its_last_slash() {
        let mut links = Hyperlinks::new();
        links.addresses.host = b"host".to_vec();
        links.enter(Path::new("/"));
        let mut out = Vec::new();
        links.begin(b"a", true, &mut out);
        links.begin_directory(&mut out);
        links.end(&mut out);
        let expected = "\x1b]8;;file://host/a\x07\x1b]8;;file://host/\x07\x1b]8;;\x07";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
