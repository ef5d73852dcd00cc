//! Flags that say which entries are listed, and whether links are followed.

use crate::front::Takes;
use crate::ls::given::{Dereference, Flag, Hidden};

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        "all",
        Takes::Nothing(|given| given.selection.hidden = Hidden::All),
        "List names that begin with a dot too, . and .. included",
    )
    .short("a"),
    Flag::new(
        "almost-all",
        Takes::Nothing(|given| given.selection.hidden = Hidden::AlmostAll),
        "Like -a, but without . and .. themselves",
    )
    .short("A"),
    Flag::new(
        "ignore-backups",
        Takes::Nothing(|given| given.selection.ignore.extend(["*~".into(), ".*~".into()])),
        "Leave out names that end in ~",
    )
    .short("B"),
    Flag::new(
        "ignore",
        Takes::Bytes("PATTERN", |given, pattern| given.selection.ignore.push(pattern)),
        "Leave out names that match this shell pattern",
    )
    .short("I"),
    Flag::new(
        "hide",
        Takes::Bytes("PATTERN", |given, pattern| given.selection.hide.push(pattern)),
        "Leave out names that match this shell pattern, unless -a or -A is given",
    ),
    Flag::new(
        "directory",
        Takes::Nothing(|given| given.selection.themselves = true),
        "List directories themselves, not their contents",
    )
    .short("d"),
    Flag::new(
        "recursive",
        Takes::Nothing(|given| given.selection.recursive = true),
        "List subdirectories too, one after another",
    )
    .short("R"),
    Flag::new(
        "dereference",
        Takes::Nothing(|given| given.selection.dereference = Some(Dereference::Always)),
        "Show what links lead to instead of the links",
    )
    .short("L")
    .doc(
        "Show what links lead to instead of the links. Costs one statx per link if the listing needs \
         its type or metadata. With -R a link that leads back to a directory above it is \
         reported and not entered.",
    ),
    Flag::new(
        "dereference-command-line",
        Takes::Nothing(|given| given.selection.dereference = Some(Dereference::Paths)),
        "Follow links that are given as paths",
    )
    .short("H"),
    Flag::new(
        "dereference-command-line-symlink-to-dir",
        Takes::Nothing(|given| {
            given.selection.dereference = Some(Dereference::PathsToDirectories);
        }),
        "Follow links that are given as paths and lead to directories",
    )
    .doc(
        "Follow links that are given as paths and lead to directories. This is the default, \
         unless -d, -F or -l is given.",
    ),
];
