//! Flags that GNU ls does not have.

use crate::front::{Words, texts};
use crate::ls::given::Flag;

const EXPLAIN: Words = Words::new("requests | measure").docs("their number | their time as well");

pub(super) fn flags() -> Vec<Flag> {
    vec![
        Flag::on("tree", |given| given.tree = true)
            .brief("Show the whole tree, with lines from each directory to its entries"),
        Flag::number("max-depth", "N", |given, depth| given.max_depth = Some(depth))
            .brief("With --tree or -R, go at most this many levels deep; 0 lists only the paths")
            .doc(
                "With --tree or -R, go at most this many levels deep; 0 lists only the paths. With \
                 --tree, -L N says the same, as with tree and eza.",
            ),
        Flag::on("git-ignore", |given| given.git_ignore = true)
            .brief("Leave out what .gitignore, .ignore and .fdignore exclude, as brisk find does"),
        Flag::on("json", |given| given.json = true).brief(texts::JSON).doc(
            "Print one JSON object per line, with the fields that the other options ask for: by \
         default path, name and type; with -l all of its columns; with -i the inode, with -s the \
         blocks, with -S the size, with -t the time. A path that is listed itself has depth 0. \
         Names that are not UTF-8 appear as name_b64 and path_b64.",
        ),
        Flag::on("icons", |given| given.icons = true)
            .brief("Show a symbol in front of each name, chosen by name and type"),
        Flag::word("explain", "HOW", EXPLAIN, |given, word| {
            given.common.explain = true;
            given.measure = word == "measure";
        })
        .brief("Say what is requested from the file system, and why")
        .bare("requests")
        .doc(
            "Print to standard error, after listing, which colours and columns cost a system call \
         here, for how many entries, and which LS_COLORS would make the listing free. With \
         measure, also the time that the requests of each colour take, those of colours that are \
         switched off too: the mean of at most 100 entries, times the number of entries.",
        ),
        Flag::stats("FORM"),
        Flag::threads("N"),
        Flag::cached(),
        Flag::on("no-config", |given| given.no_config = true).brief(texts::NO_CONFIG),
        Flag::help(),
        Flag::version().short("V"),
    ]
}
