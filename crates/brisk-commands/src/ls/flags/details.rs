//! Flags that choose columns and how they are written.

use std::ffi::OsStr;

use crate::front::{Refusal, Words};
use crate::ls::given::{Flag, Format, Given};
use crate::show::size::{Scale, refused};
use brisk_filter::Stamp;
use brisk_filter::numbers::Unfit;

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("g", |given| {
            long(given);
            given.columns.without_owner = true;
        })
        .brief("Like -l, but without the owner"),
        Flag::on("o", |given| {
            long(given);
            given.columns.without_group = true;
        })
        .brief("Like -l, but without the group"),
        Flag::on("G, no-group", |given| given.columns.without_group = true)
            .brief("With -l, leave out the group"),
        Flag::on("author", |given| given.columns.author = true)
            .brief("With -l, show the author (here: the owner) too")
            .doc(
                "With -l, show the author (here: the owner) too. On Windows, which has neither \
                 modes nor numbers for owners, -l shows attributes, and --author shows the owner, \
                 at the cost of one request per file.",
            ),
        Flag::on("n, numeric-uid-gid", |given| {
            long(given);
            given.columns.numeric = true;
        })
        .brief("Like -l, but with numbers for owner and group"),
        Flag::on("i, inode", |given| given.columns.inode = true)
            .brief("Show each file's inode number")
            .doc(
                "Show each file's inode number. Costs one statx per file, because the number in \
                 the directory is a different one at mount points and on overlayfs.",
            ),
        Flag::on("s, size", |given| given.columns.blocks = true)
            .brief("Show the blocks that each file takes"),
        Flag::on("h, human-readable", |given| given.scale = Some(Scale::BINARY))
            .brief("With -l and -s, show sizes like 1K 234M 2G"),
        Flag::on("si", |given| given.scale = Some(Scale::DECIMAL))
            .brief("Like -h, but in powers of 1000"),
        Flag::on("k, kibibytes", |given| given.kibibytes = true)
            .brief("Count blocks of 1024 bytes, with -s and in totals"),
        Flag::parsed("block-size", "SIZE", block_size)
            .brief("With -l and -s, show sizes in this unit: K, MB, 1000 …")
            .doc(
                "With -l and -s, show sizes in this unit: a number, or K, M, G, T, P, E, Z, Y \
                 (powers of 1024), KB, MB … (powers of 1000), or both. An apostrophe in front \
                 groups digits as the locale does.",
            ),
        Flag::on("Z, context", |given| given.columns.context = true)
            .brief("Show each file's security context"),
        Flag::on("c", |given| given.time = Stamp::Changed)
            .brief("Show when metadata last changed; without -l, sort by it"),
        Flag::on("u", |given| given.time = Stamp::Accessed)
            .brief("Show when files were last accessed; without -l, sort by it"),
        Flag::word(
            "time",
            "WORD",
            Words::new("atime access use | ctime status | birth creation")
                .newer("mtime modification"),
            |given, word| given.time = Stamp::from_word(word),
        )
        .brief("Show another time than that of the last modification: atime, ctime or birth"),
        Flag::bytes("time-style", "STYLE", |given, style| given.time_style = Some(style))
            .brief("Show times as full-iso, long-iso, iso, locale, or +FORMAT")
            .doc(
                "Show times as full-iso, long-iso, iso, locale, or +FORMAT as in date(1). If \
                 FORMAT has two lines, the first is for files that are older than half a year. \
                 posix-STYLE has no effect in the POSIX locale. The variable TIME_STYLE sets the \
                 default.",
            ),
        Flag::on("full-time", full_time).brief("Like -l --time-style=full-iso"),
    ]
}

fn long(given: &mut Given) {
    given.format = Some(Format::Long);
}

fn full_time(given: &mut Given) {
    long(given);
    given.time_style = Some("full-iso".into());
}

fn block_size(given: &mut Given, text: &OsStr) -> Result<(), Refusal> {
    let scale = Scale::parse(text.as_encoded_bytes());
    let refused =
        |why: Unfit| Refusal::usage(refused(why, "--block-size", text.as_encoded_bytes()));
    given.scale = Some(scale.map_err(refused)?);
    Ok(())
}
