//! Flags that choose columns and how they are written.

use std::ffi::OsStr;

use crate::front::{Refusal, Takes, Words};
use crate::ls::given::{Flag, Format, Given};
use crate::show::numbers::Unfit;
use crate::show::size::Scale;
use crate::show::time::Stamp;

pub(super) const FLAGS: &[Flag] = &[
    Flag::letter(
        "g",
        Takes::Nothing(|given| {
            long(given);
            given.details.columns.without_owner = true;
        }),
        "Like -l, but without the owner",
    ),
    Flag::letter(
        "o",
        Takes::Nothing(|given| {
            long(given);
            given.details.columns.without_group = true;
        }),
        "Like -l, but without the group",
    ),
    Flag::new(
        "no-group",
        Takes::Nothing(|given| given.details.columns.without_group = true),
        "With -l, leave out the group",
    )
    .short("G"),
    Flag::new(
        "author",
        Takes::Nothing(|given| given.details.columns.author = true),
        "With -l, show the author (here: the owner) too",
    )
    .doc(
        "With -l, show the author (here: the owner) too. On Windows, which has neither modes nor \
         numbers for owners, -l shows attributes, and --author shows the owner, at the cost of one \
         request per file.",
    ),
    Flag::new(
        "numeric-uid-gid",
        Takes::Nothing(|given| {
            long(given);
            given.details.columns.numeric = true;
        }),
        "Like -l, but with numbers for owner and group",
    )
    .short("n"),
    Flag::new(
        "inode",
        Takes::Nothing(|given| given.details.columns.inode = true),
        "Show each file's inode number",
    )
    .short("i")
    .doc(
        "Show each file's inode number. Costs one statx per file, because the number in the \
         directory is a different one at mount points and on overlayfs.",
    ),
    Flag::new(
        "size",
        Takes::Nothing(|given| given.details.columns.blocks = true),
        "Show the blocks that each file takes",
    )
    .short("s"),
    Flag::new(
        "human-readable",
        Takes::Nothing(|given| given.details.scale = Some(Scale::BINARY)),
        "With -l and -s, show sizes like 1K 234M 2G",
    )
    .short("h"),
    Flag::new(
        "si",
        Takes::Nothing(|given| given.details.scale = Some(Scale::DECIMAL)),
        "Like -h, but in powers of 1000",
    ),
    Flag::new(
        "kibibytes",
        Takes::Nothing(|given| given.details.kibibytes = true),
        "Count blocks of 1024 bytes, with -s and in totals",
    )
    .short("k"),
    Flag::new(
        "block-size",
        Takes::Parsed("SIZE", block_size),
        "With -l and -s, show sizes in this unit: K, MB, 1000 …",
    )
    .doc(
        "With -l and -s, show sizes in this unit: a number, or K, M, G, T, P, E, Z, Y (powers of \
         1024), KB, MB … (powers of 1000), or both. An apostrophe in front groups digits as the \
         locale does.",
    ),
    Flag::new(
        "context",
        Takes::Nothing(|given| given.details.columns.context = true),
        "Show each file's security context",
    )
    .short("Z"),
    Flag::letter(
        "c",
        Takes::Nothing(|given| given.details.time = Stamp::Changed),
        "Show when metadata last changed; without -l, sort by it",
    ),
    Flag::letter(
        "u",
        Takes::Nothing(|given| given.details.time = Stamp::Accessed),
        "Show when files were last accessed; without -l, sort by it",
    ),
    Flag::new(
        "time",
        Takes::Word(
            "WORD",
            &const {
                Words::new(&[
                    &["atime", "access", "use"],
                    &["ctime", "status"],
                    &["birth", "creation"],
                ])
                .newer(&[&["mtime", "modification"]])
            },
            |given, word| {
                given.details.time = match word {
                    "atime" => Stamp::Accessed,
                    "ctime" => Stamp::Changed,
                    "birth" => Stamp::Born,
                    _ => Stamp::Modified,
                };
            },
        ),
        "Show another time than that of the last modification: atime, ctime or birth",
    ),
    Flag::new(
        "time-style",
        Takes::Bytes("STYLE", |given, style| given.details.time_style = Some(style)),
        "Show times as full-iso, long-iso, iso, locale, or +FORMAT",
    )
    .doc(
        "Show times as full-iso, long-iso, iso, locale, or +FORMAT as in date(1). If FORMAT has \
         two lines, the first is for files that are older than half a year. posix-STYLE has no \
         effect in the POSIX locale. The variable TIME_STYLE sets the default.",
    ),
    Flag::new("full-time", Takes::Nothing(full_time), "Like -l --time-style=full-iso"),
];

fn long(given: &mut Given) {
    given.shape.format = Some(Format::Long);
}

fn full_time(given: &mut Given) {
    long(given);
    given.details.time_style = Some("full-iso".into());
}

fn block_size(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    let scale = Scale::parse(text.as_encoded_bytes());
    let refused =
        |why: Unfit| Refusal::value(why.in_words("--block-size", text.as_encoded_bytes()));
    given.details.scale = Some(scale.map_err(refused)?);
    Ok(())
}
