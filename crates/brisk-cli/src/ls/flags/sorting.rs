//! Flags that say in which order entries are listed.

use crate::front::{Takes, When, Words};
use crate::ls::given::{Flag, Format, Given, Hidden, Sort};

pub(super) const FLAGS: &[Flag] = &[
    Flag::letter(
        "S",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Size)),
        "Sort by size, largest first",
    ),
    Flag::letter(
        "t",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Time)),
        "Sort by time, newest first; --time says by which",
    ),
    Flag::letter(
        "X",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Extension)),
        "Sort by extension",
    ),
    Flag::letter(
        "v",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Version)),
        "Sort by name, comparing numbers by value",
    ),
    Flag::letter(
        "U",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Unsorted)),
        "Do not sort: list entries as the directory does",
    )
    .doc(
        "Do not sort: list entries as the directory does. One per line or with commas, the first \
         entries appear at once and none is held in memory, however large the directory.",
    ),
    Flag::letter(
        "f",
        Takes::Nothing(unsorted_all),
        "Like -U and -a; undoes -l, -s, --color and --hyperlink",
    ),
    Flag::new(
        "sort",
        Takes::Word(
            "WORD",
            &const {
                Words::new(&[
                    &["none"],
                    &["time"],
                    &["size"],
                    &["extension"],
                    &["version"],
                    &["width"],
                ])
                .newer(&[&["name"]])
            },
            |given, word| {
                given.sorting.by = Some(match word {
                    "time" => Sort::Time,
                    "size" => Sort::Size,
                    "extension" => Sort::Extension,
                    "version" => Sort::Version,
                    "width" => Sort::Width,
                    "name" => Sort::Name,
                    _ => Sort::Unsorted,
                });
            },
        ),
        "Sort by extension, none, size, time, version or width instead of by name",
    ),
    Flag::new("reverse", Takes::Nothing(|given| given.sorting.reverse = true), "Reverse the order")
        .short("r"),
    Flag::new(
        "group-directories-first",
        Takes::Nothing(|given| given.sorting.directories_first = true),
        "List directories, and links to them, before everything else",
    ),
];

fn unsorted_all(given: &mut Given) {
    given.selection.hidden = Hidden::All;
    given.sorting.by = Some(Sort::Unsorted);
    if given.shape.format == Some(Format::Long) {
        given.shape.format = None;
    }
    given.details.columns.blocks = false;
    given.naming.color = Some(When::Never);
    given.naming.hyperlink = None;
}
