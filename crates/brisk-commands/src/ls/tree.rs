//! `--tree`: everything below a path, after lines that show which entry is in which directory.
//!
//! The lines that lead to an entry depend on whether its parents have later siblings, so a tree is
//! gathered before it is drawn. Its names lie in one piece, as in any page.

use std::path::{Path, PathBuf};

use crate::show::long::{Item, Page};
use crate::show::safe::os_str;
use crate::show::text::Strokes;

/// The directories that lead to the entry that is being drawn.
pub(crate) struct Parents(Vec<PathBuf>);

impl Parents {
    pub(crate) fn new(root: &Path) -> Parents {
        Parents(vec![root.to_owned()])
    }

    /// The directory of the next entry, which is this deep.
    pub(crate) fn of(&mut self, item: &Item<'_>, depth: usize) -> &Path {
        self.0.truncate(depth);
        let own = self.0[depth - 1].join(os_str(item.name));
        self.0.push(own);
        &self.0[depth - 1]
    }
}

/// A tree while it is gathered, in the order of its lines.
#[derive(Default)]
pub(crate) struct Tree {
    root: PathBuf,
    page: Page,
    depths: Vec<u32>,
}

impl Tree {
    pub(crate) fn clear(&mut self) {
        self.page.clear();
        self.depths.clear();
    }

    /// Bytes that the tree holds.
    pub(crate) fn bytes(&self) -> usize {
        self.page.bytes() + self.depths.len() * size_of::<u32>()
    }

    /// Says that what follows is below this directory.
    pub(crate) fn plant(&mut self, root: &Path) {
        root.clone_into(&mut self.root);
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn push(&mut self, item: &Item<'_>, depth: usize) {
        self.page.push(item);
        self.depths.push(u32::try_from(depth).unwrap_or(u32::MAX));
    }

    /// For each entry whether a sibling follows it.
    fn followed(&self) -> Vec<bool> {
        // By depth: whether an entry of that depth was met since the last entry that is less deep.
        let mut open: Vec<bool> = Vec::new();
        let mut followed = vec![false; self.depths.len()];
        for (index, depth) in self.depths.iter().enumerate().rev() {
            let depth = *depth as usize;
            open.resize(depth + 1, false);
            followed[index] = std::mem::replace(&mut open[depth], true);
        }
        followed
    }

    /// Calls `draw` with each entry, its depth, and the lines that lead to it.
    pub(crate) fn draw(&self, strokes: Strokes, mut draw: impl FnMut(Item<'_>, usize, &str)) {
        let followed = self.followed();
        let mut branch = String::new();
        // By depth: whether the line goes on below.
        let mut lines: Vec<bool> = Vec::new();
        for (index, item) in self.page.iter().enumerate() {
            let depth = (self.depths[index] as usize).max(1);
            lines.truncate(depth - 1);
            lines.resize(depth - 1, false);
            branch.clear();
            lines
                .iter()
                .for_each(|goes_on| branch.push_str(if *goes_on { strokes.past } else { "    " }));
            branch.push_str(if followed[index] { strokes.branch } else { strokes.last });
            lines.push(followed[index]);
            draw(item, depth, &branch);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::text::Charset;
    use brisk::FileType;

    #[test]
    fn lines_lead_to_entries() {
        let mut tree = Tree::default();
        for (name, depth) in [("a", 1), ("b", 2), ("c", 3), ("d", 2), ("e", 1), ("f", 2)] {
            let item = Item {
                name: name.as_bytes(),
                file_type: FileType::File,
                meta: None,
                failed: false,
            };
            tree.push(&item, depth);
        }
        let mut drawn = String::new();
        tree.draw(Strokes::new(Charset::Utf8), |item, _, branch| {
            drawn += &format!("{branch}{}\n", String::from_utf8_lossy(item.name));
        });
        let expected = "├── a\n│   ├── b\n│   │   └── c\n│   └── d\n└── e\n    └── f\n";
        assert_eq!(drawn, expected);
    }
}
