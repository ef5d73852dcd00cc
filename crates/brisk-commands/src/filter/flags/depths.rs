//! Flags that say how deep the results are, and on which file system.

use super::Selects;
use crate::front::Flag;

impl<O: Selects> Flag<O> {
    pub(crate) fn depths() -> Vec<Self> {
        vec![
            Self::number("max-depth", "depth", |options, depth| {
                options.selecting().max_depth = Some(depth)
            })
            .brief("Go at most this many levels deep (default: no limit)")
            .short("d")
            .aliases("maxdepth")
            .on_the_command_line_alone()
            .doc(
                "Go at most this many levels deep (default: no limit). A search path has depth 0, \
             its entries have depth 1.",
            ),
            Self::number("min-depth", "depth", |options, depth| {
                options.selecting().min_depth = depth
            })
            .rare("List only entries at this depth or deeper")
            .aliases("mindepth")
            .on_the_command_line_alone(),
            Self::number("exact-depth", "depth", |options, depth| {
                options.selecting().max_depth = Some(depth);
                options.selecting().min_depth = depth;
            })
            .rare("List only entries at exactly this depth")
            .conflicts("max-depth min-depth")
            .on_the_command_line_alone(),
            Self::on("one-file-system", |options| options.selecting().one_file_system = true)
                .rare("Stay on the file system of the search path")
                .short(Self::letter("x"))
                .aliases("mount xdev"),
        ]
    }
}
