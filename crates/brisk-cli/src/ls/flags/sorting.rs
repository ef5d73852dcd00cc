//! Flags that say in which order entries are listed.

use crate::common::options::{Takes, When, Words};
use crate::ls::given::{Flag, Format, Given, Hidden, Sort};

pub(super) const FLAGS: &[Flag] = &[
    Flag::letter("S", Takes::Nothing(|given| given.sorting.by = Some(Sort::Size)), "Largest first"),
    Flag::letter(
        "t",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Time)),
        "Newest first, by the time that --time says",
    ),
    Flag::letter(
        "X",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Extension)),
        "By extension",
    ),
    Flag::letter(
        "v",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Version)),
        "By name, with numbers compared by value",
    ),
    Flag::letter(
        "U",
        Takes::Nothing(|given| given.sorting.by = Some(Sort::Unsorted)),
        "As the directory lists them",
    )
    .doc(
        "As the directory lists them. One on each line or with commas, the first ones appear at \
         once and none is held in memory, however large the directory.",
    ),
    Flag::letter(
        "f",
        Takes::Nothing(unsorted_all),
        "The same with -a; takes back -l, -s, --color and --hyperlink",
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
        "By extension, none, size, time, version or width instead of the name",
    ),
    Flag::new("reverse", Takes::Nothing(|given| given.sorting.reverse = true), "In reverse order")
        .short("r"),
    Flag::new(
        "group-directories-first",
        Takes::Nothing(|given| given.sorting.directories_first = true),
        "Directories, and links to them, before all else",
    ),
];

fn unsorted_all(given: &mut Given) {
    given.selection.hidden = Hidden::All;
    given.sorting.by = Some(Sort::Unsorted);
    if given.shape.format == Some(Format::Long) {
        given.shape.format = None;
    }
    given.details.blocks = false;
    given.naming.color = Some(When::Never);
    given.naming.hyperlink = None;
}
