//! Flags that say which entries are listed, and whether links are followed.

use crate::ls::given::{Dereference, Flag, Hidden};

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("a, all", |given| given.hidden = Hidden::All)
            .brief("List names that begin with a dot too, . and .. included"),
        Flag::on("A, almost-all", |given| given.hidden = Hidden::AlmostAll)
            .brief("Like -a, but without . and .. themselves"),
        Flag::on("B, ignore-backups", |given| given.ignore.extend(["*~".into(), ".*~".into()]))
            .brief("Leave out names that end in ~"),
        Flag::bytes("I, ignore", "PATTERN", |given, pattern| given.ignore.push(pattern))
            .brief("Leave out names that match this shell pattern"),
        Flag::bytes("hide", "PATTERN", |given, pattern| given.hide.push(pattern))
            .brief("Leave out names that match this shell pattern, unless -a or -A is given"),
        Flag::on("d, directory", |given| given.themselves = true)
            .brief("List directories themselves, not their contents"),
        Flag::on("R, recursive", |given| given.recursive = true)
            .brief("List subdirectories too, one after another"),
        Flag::on("L, dereference", |given| given.dereference = Some(Dereference::Always))
            .brief("Show what links lead to instead of the links")
            .doc(
                "Show what links lead to instead of the links. Costs one statx per link if the \
                 listing needs its type or metadata. With -R a link that leads back to a directory \
                 above it is reported and not entered.",
            ),
        Flag::on("H, dereference-command-line", |given| {
            given.dereference = Some(Dereference::Paths)
        })
        .brief("Follow links that are given as paths"),
        Flag::on("dereference-command-line-symlink-to-dir", |given| {
            given.dereference = Some(Dereference::PathsToDirectories);
        })
        .brief("Follow links that are given as paths and lead to directories")
        .doc(
            "Follow links that are given as paths and lead to directories. This is the default, \
             unless -d, -F or -l is given.",
        ),
    ]
}
