//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Parser};
use slowfs::look::Look;
use slowfs::shape::Shape;
use slowfs::span;
use slowfs::tree::Tree;

/// Mounts a synthetic tree whose every metadata request takes a set time.
///
/// Runs in the foreground, prints "ready" once mounted, unmounts on SIGINT, SIGTERM or
/// `fusermount3 -u`, and then writes one JSON line of request counts. SIGUSR1 writes it earlier.
#[derive(Debug, Parser)]
#[command(version, group = ArgGroup::new("shape").required(true).args(["flat", "dirs", "nested"]))]
pub(crate) struct Flags {
    /// N files in the root
    #[arg(long, value_name = "N")]
    flat: Option<u64>,
    /// D directories in the root (with --files)
    #[arg(long, value_name = "D", requires = "files")]
    dirs: Option<u64>,
    /// Files in each of the directories of --dirs
    #[arg(long, value_name = "F", requires = "dirs")]
    files: Option<u64>,
    /// FANOUT directories in every directory down to DEPTH, FILES files in each, root included
    #[arg(long, value_name = "DEPTH,FANOUT,FILES", value_parser = parse_nested)]
    nested: Option<Nested>,

    /// Only regular files of mode 0644 and directories of mode 0755
    #[arg(long, conflicts_with = "links")]
    plain: bool,
    /// Percentage of the files that are symbolic links: half to files, a quarter each to a
    /// directory (their own) and to nothing
    #[arg(long, value_name = "PERCENT", default_value_t = 0,
          value_parser = clap::value_parser!(u8).range(..=100))]
    links: u8,
    /// Granularity of times, such as 10ms or 2s
    #[arg(long, value_name = "SPAN", default_value = "0", value_parser = span::parse)]
    timestamps: Duration,

    /// Time each metadata request takes: lookup, getattr, access, opendir, readdir, open,
    /// readlink, unlink, rmdir, getxattr, listxattr
    #[arg(long, value_name = "SPAN", default_value = "1ms", value_parser = span::parse)]
    pub(crate) latency: Duration,
    /// How long the kernel may keep a name
    #[arg(long, value_name = "SPAN", default_value = "0", value_parser = span::parse)]
    pub(crate) entry_timeout: Duration,
    /// How long the kernel may keep attributes
    #[arg(long, value_name = "SPAN", default_value = "0", value_parser = span::parse)]
    pub(crate) attr_timeout: Duration,
    /// Directories are read with attributes (FUSE_READDIRPLUS)
    #[arg(long)]
    pub(crate) readdirplus: bool,
    /// Every entry is listed as DT_UNKNOWN
    #[arg(long, conflicts_with = "readdirplus")]
    pub(crate) unknown_types: bool,

    /// There are no extended attributes: ENOTSUP to each request for one, not only "no such attribute"
    #[arg(long)]
    pub(crate) no_xattrs: bool,

    /// Entries of this name answer EIO to lookup and getattr (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) eio: Vec<OsString>,
    /// Directories of this name answer EIO after half of their entries (repeatable; / is the root)
    #[arg(long, value_name = "NAME")]
    pub(crate) eio_readdir: Vec<OsString>,
    /// Directories of this name answer EACCES to opendir (repeatable; / is the root)
    #[arg(long, value_name = "NAME")]
    pub(crate) eacces: Vec<OsString>,

    /// Entries of this name answer EIO to unlink and rmdir (repeatable)
    #[arg(long, value_name = "NAME", requires = "removable")]
    pub(crate) eio_remove: Vec<OsString>,

    /// Entries can be removed; nothing else can be changed
    #[arg(long)]
    pub(crate) removable: bool,
    /// Let other users in
    #[arg(long)]
    pub(crate) allow_other: bool,
    /// Where the counts go instead of stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) counters: Option<PathBuf>,
    /// An existing directory
    #[arg(value_name = "MOUNTPOINT")]
    pub(crate) mountpoint: PathBuf,
}

/// The three numbers of `--nested`.
#[derive(Clone, Copy, Debug)]
struct Nested {
    depth: usize,
    fanout: u64,
    files: u64,
}

/// Reads `DEPTH,FANOUT,FILES`.
fn parse_nested(text: &str) -> Result<Nested, String> {
    let numbers: Option<Vec<u64>> = text.split(',').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        // Beyond this depth the table of levels itself would grow large.
        Some(&[depth @ 0..=100_000, fanout, files]) => {
            Ok(Nested { depth: depth as usize, fanout, files })
        }
        Some(&[_, _, _]) => Err("the depth is limited to 100000".to_owned()),
        _ => Err("expected three whole numbers, such as 3,10,20".to_owned()),
    }
}

impl Flags {
    /// The tree that the shape and look flags describe.
    pub(crate) fn tree(&self) -> Result<Tree, String> {
        let shape = match (self.flat, self.dirs, self.nested) {
            (Some(files), _, _) => Shape::flat(files),
            (_, Some(dirs), _) => Shape::grid(dirs, self.files.unwrap_or(0)),
            (_, _, Some(Nested { depth, fanout, files })) => Shape::nested(depth, fanout, files),
            (None, None, None) => Err("no shape given".to_owned()),
        };
        let look = Look { plain: self.plain, links: self.links, granularity: self.timestamps };
        Ok(Tree { shape: shape?, look })
    }

    /// Everything else.
    #[cfg(target_os = "linux")]
    pub(crate) fn settings(&self, tree: Tree) -> slowfs::mount::Settings {
        slowfs::mount::Settings {
            tree,
            latency: self.latency,
            faults: slowfs::faults::Faults {
                eio: self.eio.clone(),
                eio_readdir: self.eio_readdir.clone(),
                eacces: self.eacces.clone(),
                eio_remove: self.eio_remove.clone(),
            },
            entry_timeout: self.entry_timeout,
            attr_timeout: self.attr_timeout,
            readdirplus: self.readdirplus,
            unknown_types: self.unknown_types,
            no_xattrs: self.no_xattrs,
            removable: self.removable,
            allow_other: self.allow_other,
        }
    }
}
