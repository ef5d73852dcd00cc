//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, ValueEnum};
use slowfs::counters::Op;
#[cfg(target_os = "linux")]
use slowfs::faults::{Failure, Faults};
#[cfg(target_os = "linux")]
use slowfs::lies::Lies;
use slowfs::look::Look;
#[cfg(target_os = "linux")]
use slowfs::settings::Plus;
use slowfs::settings::{Mirror, Shown};
use slowfs::shape::Shape;
use slowfs::span;
use slowfs::tree::Tree;

/// Mounts a tree whose every metadata request takes a set time: a synthetic one, or a mirror of a
/// directory.
///
/// Runs in the foreground, prints "ready" once mounted, unmounts on SIGINT, SIGTERM or
/// `fusermount3 -u`, and then writes one JSON line of request counts. SIGUSR1 writes it earlier.
#[derive(Debug, Parser)]
#[command(version, group = ArgGroup::new("shape").required(true).args(["flat", "dirs", "nested", "mirror"]))]
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
    /// The tree in DIR, as it is when it is asked about; read-only unless --writable
    #[arg(long, value_name = "DIR",
          conflicts_with_all = ["FaultFlags", "LieFlags", "plain", "links", "no_xattrs",
                                "removable"])]
    mirror: Option<PathBuf>,
    /// Inode numbers of --mirror are those of DIR, instead of a new number for each path
    #[arg(long, conflicts_with_all = ["flat", "dirs", "nested"])]
    real_inodes: bool,
    /// Entries of --mirror can be made, written, renamed and removed, and attributes set, in DIR
    #[arg(long, conflicts_with_all = ["flat", "dirs", "nested"])]
    writable: bool,
    /// A name of --mirror also leads to an entry whose name differs in the case of ASCII letters
    #[arg(long, conflicts_with_all = ["flat", "dirs", "nested"])]
    ignore_case: bool,

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
    /// readlink, create, mkdir, rename, unlink, rmdir, getxattr, listxattr
    #[arg(long, value_name = "SPAN", default_value = "1ms", value_parser = span::parse)]
    pub(crate) latency: Duration,
    /// Only requests of this kind take the time, such as open (repeatable)
    #[arg(long, value_name = "KIND", value_parser = parse_op)]
    only: Vec<Op>,
    /// How long the kernel may keep a name
    #[arg(long, value_name = "SPAN", default_value = "0", value_parser = span::parse)]
    pub(crate) entry_timeout: Duration,
    /// How long the kernel may keep attributes
    #[arg(long, value_name = "SPAN", default_value = "0", value_parser = span::parse)]
    pub(crate) attr_timeout: Duration,
    /// Directories are read with attributes (FUSE_READDIRPLUS): each read, or those that the
    /// kernel chooses: the first of a directory, and each that follows a lookup in it
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true,
          default_value = "never", default_missing_value = "always")]
    pub(crate) readdirplus: PlusMode,
    /// There are no extended attributes: ENOTSUP to each request for one, not only "no such
    /// attribute"
    #[arg(long)]
    pub(crate) no_xattrs: bool,

    /// Entries can be removed, and modes and owners set; nothing else can be changed
    #[arg(long)]
    pub(crate) removable: bool,
    /// Let other users in
    #[arg(long)]
    pub(crate) allow_other: bool,
    /// Where the counts go instead of stderr
    #[arg(long, value_name = "FILE")]
    pub(crate) counters: Option<PathBuf>,
    #[command(flatten)]
    faults: FaultFlags,
    #[command(flatten)]
    lies: LieFlags,

    /// An existing directory
    #[arg(value_name = "MOUNTPOINT")]
    pub(crate) mountpoint: PathBuf,
}

/// The modes of `--readdirplus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlusMode {
    Never,
    Auto,
    Always,
}

impl PlusMode {
    #[cfg(target_os = "linux")]
    fn plus(self) -> Plus {
        match self {
            PlusMode::Never => Plus::Never,
            PlusMode::Auto => Plus::Auto,
            PlusMode::Always => Plus::Always,
        }
    }
}

/// Names that fail; each flag can be repeated, and `/` is the root.
#[derive(Debug, Args)]
#[command(next_help_heading = "Names that fail (repeatable; / is the root)")]
struct FaultFlags {
    /// EIO to lookup and getattr of entries of this name
    #[arg(long, value_name = "NAME")]
    eio: Vec<OsString>,
    /// EIO after half of the entries of directories of this name
    #[arg(long, value_name = "NAME")]
    eio_readdir: Vec<OsString>,
    /// EIO to unlink and rmdir of entries of this name
    #[arg(long, value_name = "NAME", requires = "removable")]
    eio_remove: Vec<OsString>,
    /// EACCES to opendir of directories of this name
    #[arg(long, value_name = "NAME")]
    eacces: Vec<OsString>,
    /// ELOOP to opendir of directories of this name
    #[arg(long, value_name = "NAME")]
    eloop: Vec<OsString>,
    /// ESTALE after half of the entries of directories of this name
    #[arg(long, value_name = "NAME")]
    estale: Vec<OsString>,
    /// EINTR to lookup and getattr of entries of this name, and so to all that is done to them by
    /// name
    #[arg(long, value_name = "NAME")]
    eintr: Vec<OsString>,
    /// EINTR to opendir of directories of this name
    #[arg(long, value_name = "NAME")]
    eintr_opendir: Vec<OsString>,
    /// EINTR after half of the entries of directories of this name
    #[arg(long, value_name = "NAME")]
    eintr_readdir: Vec<OsString>,
    /// EINTR to unlink and rmdir of entries of this name
    #[arg(long, value_name = "NAME", requires = "removable")]
    eintr_remove: Vec<OsString>,
    /// After N answers of EINTR in all there are no more
    #[arg(long, value_name = "N")]
    eintr_times: Option<u64>,
    /// No answer to lookup and getattr of entries of this name until the file system is unmounted
    #[arg(long, value_name = "NAME")]
    hang: Vec<OsString>,
}

impl FaultFlags {
    /// Which names fail in which operations.
    #[cfg(target_os = "linux")]
    fn faults(&self) -> Faults {
        const NAMED: &[Op] = &[Op::Lookup, Op::Getattr, Op::Access];
        const LISTED: &[Op] = &[Op::Readdir, Op::Readdirplus];
        const REMOVED: &[Op] = &[Op::Unlink, Op::Rmdir];
        const OPENED: &[Op] = &[Op::Opendir];
        Faults::default()
            .with(Failure::Hang, NAMED, &self.hang)
            .with(Failure::Io, NAMED, &self.eio)
            .with(Failure::Io, LISTED, &self.eio_readdir)
            .with(Failure::Io, REMOVED, &self.eio_remove)
            .with(Failure::Denied, OPENED, &self.eacces)
            .with(Failure::Loop, OPENED, &self.eloop)
            .with(Failure::Stale, LISTED, &self.estale)
            .with(Failure::Interrupted, NAMED, &self.eintr)
            .with(Failure::Interrupted, OPENED, &self.eintr)
            .with(Failure::Interrupted, REMOVED, &self.eintr)
            .with(Failure::Interrupted, OPENED, &self.eintr_opendir)
            .with(Failure::Interrupted, LISTED, &self.eintr_readdir)
            .with(Failure::Interrupted, REMOVED, &self.eintr_remove)
    }
}

/// Wrong listings.
#[derive(Debug, Args)]
#[command(next_help_heading = "Wrong listings")]
struct LieFlags {
    /// Every entry is listed as DT_UNKNOWN
    #[arg(long, conflicts_with = "readdirplus")]
    unknown_types: bool,
    /// Directories are listed as files, all else as directories
    #[arg(long, conflicts_with_all = ["readdirplus", "unknown_types"])]
    lying_types: bool,
    /// Every inode number is listed as 0
    #[arg(long, conflicts_with = "readdirplus")]
    zero_inodes: bool,
    /// Every entry is listed twice
    #[arg(long)]
    duplicates: bool,
    /// Positions count the entries that are left, as some servers' do: a listing that goes on after
    /// removals leaves entries out
    #[arg(long, requires = "removable", conflicts_with = "endless_same")]
    live_offsets: bool,
    /// Every file is listed with a slash before its name, which the kernel answers with EIO
    #[arg(long)]
    slash_names: bool,
    /// The root, or the directories of this name, never end: more-0, more-1 and so on (repeatable)
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true,
          default_missing_value = "/")]
    endless: Vec<OsString>,
    /// The root, or the directories of this name, never end: the same names again (repeatable)
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true,
          default_missing_value = "/")]
    endless_same: Vec<OsString>,
}

impl LieFlags {
    #[cfg(target_os = "linux")]
    fn lies(&self) -> Lies {
        Lies {
            types: self.lying_types,
            zero_inodes: self.zero_inodes,
            duplicates: self.duplicates,
            live_offsets: self.live_offsets,
            slash_names: self.slash_names,
            endless: self.endless.clone(),
            endless_same: self.endless_same.clone(),
        }
    }
}

/// The three numbers of `--nested`.
#[derive(Clone, Copy, Debug)]
struct Nested {
    depth: usize,
    fanout: u64,
    files: u64,
}

/// Reads the name of a kind of request, as the counters have it.
fn parse_op(text: &str) -> Result<Op, String> {
    Op::named(text).ok_or_else(|| "expected a key of the counters, such as open".to_owned())
}

/// Reads `DEPTH,FANOUT,FILES`.
fn parse_nested(text: &str) -> Result<Nested, String> {
    let numbers: Option<Vec<u64>> = text.split(',').map(|part| part.parse().ok()).collect();
    match numbers.as_deref() {
        // With more levels the table of levels itself would grow large.
        Some(&[depth @ 0..=100_000, fanout, files]) => {
            Ok(Nested { depth: depth as usize, fanout, files })
        }
        Some(&[_, _, _]) => Err("the depth is limited to 100000".to_owned()),
        _ => Err("expected three whole numbers, such as 3,10,20".to_owned()),
    }
}

impl Flags {
    /// What the flags describe.
    pub(crate) fn shown(&self) -> Result<Shown, String> {
        if let Some(dir) = &self.mirror {
            return Ok(Shown::Mirror(Mirror {
                dir: dir.clone(),
                granularity: self.timestamps,
                real_inodes: self.real_inodes,
                writable: self.writable,
                ignore_case: self.ignore_case,
            }));
        }
        let shape = match (self.flat, self.dirs, self.nested) {
            (Some(files), _, _) => Shape::flat(files),
            (_, Some(dirs), _) => Shape::grid(dirs, self.files.unwrap_or(0)),
            (_, _, Some(Nested { depth, fanout, files })) => Shape::nested(depth, fanout, files),
            (None, None, None) => Err("no shape given".to_owned()),
        };
        let look = Look { plain: self.plain, links: self.links, granularity: self.timestamps };
        Ok(Shown::Tree(Tree { shape: shape?, look }))
    }

    /// The other settings.
    #[cfg(target_os = "linux")]
    pub(crate) fn settings(&self) -> slowfs::settings::Settings {
        slowfs::settings::Settings {
            latency: self.latency,
            only: self.only.clone(),
            faults: self.faults.faults(),
            eintr_times: self.faults.eintr_times,
            lies: self.lies.lies(),
            entry_timeout: self.entry_timeout,
            attr_timeout: self.attr_timeout,
            readdirplus: self.readdirplus.plus(),
            unknown_types: self.lies.unknown_types,
            no_xattrs: self.no_xattrs,
            removable: self.removable,
            allow_other: self.allow_other,
        }
    }
}
