//! What the flags ask for: what is mounted, how slow it is, and how it misbehaves.

use std::path::PathBuf;
use std::time::Duration;

use crate::counters::Op;
use crate::faults::Faults;
use crate::lies::Lies;
use crate::tree::Tree;

/// Which reads of a directory bring attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Plus {
    /// None.
    #[default]
    Never,
    /// The first of a directory, and each that follows a lookup in the directory or the first use
    /// of attributes that an earlier read brought (FUSE_READDIRPLUS_AUTO).
    Auto,
    /// All.
    Always,
}

/// What is mounted.
#[derive(Clone, Debug)]
pub enum Shown {
    /// A synthetic tree.
    Tree(Tree),
    /// A directory tree that exists.
    Mirror(Mirror),
}

/// A directory tree that is shown as it is when it is asked about.
#[derive(Clone, Debug)]
pub struct Mirror {
    /// Its top.
    pub dir: PathBuf,
    /// Times are truncated to a multiple of this; zero keeps nanoseconds.
    pub granularity: Duration,
    /// Inode numbers are those of the tree, instead of a number for each path.
    pub real_inodes: bool,
    /// Entries can be made, written, renamed and removed.
    pub writable: bool,
    /// A name also leads to an entry whose name differs in the case of ASCII letters alone.
    pub ignore_case: bool,
}

/// The settings that the flags make.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long each metadata request takes.
    pub latency: Duration,
    /// The only operations that take so long; none stands for all.
    pub only: Vec<Op>,
    /// Which names fail.
    pub faults: Faults,
    /// How many requests are answered with EINTR; `None`: no limit.
    pub eintr_times: Option<u64>,
    /// Wrong listings.
    pub lies: Lies,
    /// How long the kernel may believe a lookup.
    pub entry_timeout: Duration,
    /// How long the kernel may believe attributes.
    pub attr_timeout: Duration,
    /// Which reads of a directory bring attributes.
    pub readdirplus: Plus,
    /// Every d_type is DT_UNKNOWN.
    pub unknown_types: bool,
    /// Whether requests for extended attributes are refused.
    pub no_xattrs: bool,
    /// Entries can be removed.
    pub removable: bool,
    /// Users other than the mounting one may look.
    pub allow_other: bool,
}
