//! Flags that say in which order entries are listed.

use crate::front::{When, Words};
use crate::ls::given::{Flag, Format, Given, Hidden, Sort};

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("S", |given| given.sort = Some(Sort::Size)).brief("Sort by size, largest first"),
        Flag::on("t", |given| given.sort = Some(Sort::Time))
            .brief("Sort by time, newest first; --time says by which"),
        Flag::on("X", |given| given.sort = Some(Sort::Extension)).brief("Sort by extension"),
        Flag::on("v", |given| given.sort = Some(Sort::Version))
            .brief("Sort by name, comparing numbers by value"),
        Flag::on("U", |given| given.sort = Some(Sort::Unsorted))
            .brief("Do not sort: list entries as the directory does")
            .doc(
                "Do not sort: list entries as the directory does. One per line or with commas, the \
             first entries appear at once and none is held in memory, however large the directory.",
            ),
        Flag::on("f", unsorted_all).brief("Like -U and -a; undoes -l, -s, --color and --hyperlink"),
        Flag::word(
            "sort",
            "WORD",
            Words::new("none | time | size | extension | version | width").newer("name"),
            |given, word| given.sort = Some(Sort::from_word(word)),
        )
        .brief("Sort by extension, none, size, time, version or width instead of by name"),
        Flag::on("r, reverse", |given| given.reverse = true).brief("Reverse the order"),
        Flag::on("group-directories-first", |given| given.directories_first = true)
            .brief("List directories, and links to them, before everything else"),
    ]
}

fn unsorted_all(given: &mut Given) {
    given.hidden = Hidden::All;
    given.sort = Some(Sort::Unsorted);
    if given.format == Some(Format::Long) {
        given.format = None;
    }
    given.columns.blocks = false;
    given.color = Some(When::Never);
    given.hyperlink = None;
}
