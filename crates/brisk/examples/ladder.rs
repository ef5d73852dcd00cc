//! Where a factor of five comes from: the same list of paths, by seven programs. Each step of the
//! ladder changes one thing.
//!
//! `cargo run --release --example ladder -- STEP DIR`, with STEP from 1 to 7. Without arguments,
//! prints the steps. Directories that cannot be read are left out.
//!
//! Linux only: steps 5 and 6 read directories with getdents64.

#![expect(clippy::disallowed_methods, reason = "an example shows what std has")]

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The steps, in the words that the program prints.
const STEPS: [&str; 7] = [
    "naive: collect the names, stat each for its type, print each path as text",
    "paths as bytes: no conversion to text",
    "no list of names; the type from the directory entry, without a stat",
    "output in batches: one write for many lines",
    "chunks: directories relative to their parent, many entries for each read",
    "bytes: each line is built directly in the output buffer",
    "parallel: the library",
];

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [step, root] = &words[..] else {
        STEPS.iter().zip(1..).for_each(|(step, number)| println!("{number}  {step}"));
        return Ok(());
    };
    let root = Path::new(root);
    match step.as_str() {
        "1" => naive(root, true),
        "2" => naive(root, false),
        "3" => direct(root, &mut io::stdout()),
        "4" => {
            let mut out = BufWriter::with_capacity(64 << 10, io::stdout());
            direct(root, &mut out)?;
            out.flush()
        }
        "5" => linux::chunks(root),
        "6" => linux::bytes(root),
        "7" => library(root),
        _ => Err(io::Error::other("the steps are 1 to 7")),
    }
}

/// Steps 1 and 2. One write for each line: standard output is unbuffered here, as it is in programs
/// that flush after each line.
fn naive(dir: &Path, as_text: bool) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    for name in names {
        let path = dir.join(name);
        let line = match as_text {
            true => format!("{}\n", path.to_string_lossy()).into_bytes(),
            false => [path.as_os_str().as_encoded_bytes(), b"\n"].concat(),
        };
        write_now(&line)?;
        if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) {
            naive(&path, as_text)?;
        }
    }
    Ok(())
}

/// Writes without std's buffer.
fn write_now(line: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(line)?;
    out.flush()
}

/// Steps 3 and 4.
fn direct(dir: &Path, out: &mut impl Write) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(dir) else { return Ok(()) };
    for entry in entries.flatten() {
        let path = entry.path();
        out.write_all(path.as_os_str().as_encoded_bytes())?;
        out.write_all(b"\n")?;
        if entry.file_type().is_ok_and(|file_type| file_type.is_dir()) {
            direct(&path, out)?;
        }
    }
    Ok(())
}

/// Step 7.
fn library(root: &Path) -> io::Result<()> {
    use brisk::{Directory, Entry, Error, Flow, Parallel, Visitor, Walk};

    #[derive(Default)]
    struct List(Vec<u8>);

    impl List {
        fn write(&mut self) -> Flow {
            let result = io::stdout().lock().write_all(&self.0);
            self.0.clear();
            if result.is_ok() { Flow::Continue } else { Flow::Stop }
        }
    }

    impl Visitor for List {
        type State = ();

        fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
            for entry in entries {
                entry.path_into(&mut self.0);
                self.0.push(b'\n');
            }
            if self.0.len() > 60_000 { self.write() } else { Flow::Continue }
        }

        fn error(&mut self, _: Error) -> Flow {
            Flow::Continue
        }
    }

    impl Parallel for List {
        fn fork(&self, _: usize) -> List {
            List::default()
        }

        fn merge(&mut self, mut other: List) {
            let _ = other.write();
        }
    }

    let (mut list, _) = Walk::new(root).min_depth(1).visit_parallel(List::default());
    let _ = list.write();
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CStr, CString};
    use std::io::{self, Write};
    use std::mem::MaybeUninit;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fd::{AsFd, OwnedFd};
    use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};

    const BUFFER: usize = 64 << 10;

    fn open(parent: impl AsFd, name: &CStr) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(parent, name, flags, Mode::empty())
    }

    fn root(path: &Path) -> io::Result<OwnedFd> {
        Ok(open(CWD, &CString::new(path.as_os_str().as_bytes())?)?)
    }

    /// What one directory holds: all names side by side, and those of directories.
    fn read(dir: &OwnedFd, mut entry: impl FnMut(&CStr, bool)) {
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut records = RawDir::new(dir, spare(&mut buffer));
        while let Some(Ok(record)) = records.next() {
            let name = record.file_name();
            if !matches!(name.to_bytes(), b"." | b"..") {
                entry(name, record.file_type() == FileType::Directory);
            }
        }
    }

    fn spare(buffer: &mut Vec<u8>) -> &mut [MaybeUninit<u8>] {
        buffer.spare_capacity_mut()
    }

    /// Step 5: the paths of a directory are made as a list, which is then written.
    pub fn chunks(path: &Path) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(BUFFER, io::stdout());
        chunk(&root(path)?, path.as_os_str().as_bytes(), &mut out)?;
        out.flush()
    }

    fn chunk(dir: &OwnedFd, path: &[u8], out: &mut impl Write) -> io::Result<()> {
        let mut paths = Vec::new();
        let mut below = Vec::new();
        read(dir, |name, is_dir| {
            paths.push([path, b"/", name.to_bytes()].concat());
            if is_dir {
                below.push((name.to_owned(), paths.len() - 1));
            }
        });
        for path in &paths {
            out.write_all(path)?;
            out.write_all(b"\n")?;
        }
        for (name, number) in below {
            if let Ok(child) = open(dir, &name) {
                chunk(&child, &paths[number], out)?;
            }
        }
        Ok(())
    }

    /// Step 6.
    pub fn bytes(path: &Path) -> io::Result<()> {
        let mut out = Vec::with_capacity(2 * BUFFER);
        let mut prefix = path.as_os_str().as_bytes().to_vec();
        prefix.push(b'/');
        line(&root(path)?, &mut prefix, &mut out)?;
        io::stdout().write_all(&out)
    }

    fn line(dir: &OwnedFd, prefix: &mut Vec<u8>, out: &mut Vec<u8>) -> io::Result<()> {
        let mut below = Vec::new();
        read(dir, |name, is_dir| {
            out.extend_from_slice(prefix);
            out.extend_from_slice(name.to_bytes());
            out.push(b'\n');
            if is_dir {
                below.extend_from_slice(name.to_bytes_with_nul());
            }
        });
        if out.len() >= BUFFER {
            io::stdout().write_all(out)?;
            out.clear();
        }
        let length = prefix.len();
        let mut rest = &below[..];
        while let Ok(name) = CStr::from_bytes_until_nul(rest) {
            if let Ok(child) = open(dir, name) {
                prefix.extend_from_slice(name.to_bytes());
                prefix.push(b'/');
                line(&child, prefix, out)?;
                prefix.truncate(length);
            }
            rest = &rest[name.count_bytes() + 1..];
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod linux {
    use std::io;
    use std::path::Path;

    pub fn chunks(_: &Path) -> io::Result<()> {
        Err(io::Error::other("this step is for Linux alone"))
    }

    pub fn bytes(path: &Path) -> io::Result<()> {
        chunks(path)
    }
}
