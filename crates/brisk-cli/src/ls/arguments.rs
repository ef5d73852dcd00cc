//! The paths that the user gave: first all are asked about, then each is listed as a file or as a
//! directory.

use std::ffi::OsString;

use brisk::{
    Directory, Entry, Error, Fields, FileType, Flow, Follow, Needs, Order, Parallel, Select, Shape,
    Target, Visitor, Walk,
};

use super::flags::{Dereference, Sort};
use super::item::{Item, Page};
use super::plan::{Plan, SERIOUS};

/// What was found at the paths.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Paths that are listed by a line of their own.
    pub(crate) files: Page,
    /// Paths that are listed as directories, in the order of the listing.
    pub(crate) directories: Vec<OsString>,
    /// The directories as entries: as in GNU ls, the columns of files are wide enough for them too.
    pub(crate) beside: Page,
}

/// Asks about the paths.
pub(crate) fn look(plan: &Plan) -> Arguments {
    let settings = &plan.settings;
    let follow = match settings.dereference {
        Dereference::Paths | Dereference::Always => Follow::Roots,
        Dereference::Never | Dereference::PathsToDirectories => Follow::Never,
    };
    let walk = Walk::over(&settings.paths)
        .order(Order::Depth(Shape::Pre))
        .max_depth(0)
        .follow(follow)
        .cached(settings.beyond.cached)
        .threads(settings.beyond.threads)
        .backend(crate::common::backend());
    let found = Found { plan, entries: Page::default(), leads: Vec::new() };
    let (found, _) = walk.visit_parallel(found);
    found.sorted()
}

/// The visitor of the paths.
struct Found<'p> {
    plan: &'p Plan,
    entries: Page,
    /// For each path, whether it is listed as a directory.
    leads: Vec<bool>,
}

impl Found<'_> {
    fn fields(&self, file_type: FileType) -> Fields {
        let settings = &self.plan.settings;
        let mut fields = self.plan.wants.of(file_type) | Fields::TYPE;
        let follows = settings.dereference == Dereference::PathsToDirectories;
        if follows && file_type == FileType::Symlink {
            fields |= Fields::TARGET;
        }
        fields
    }

    /// Whether the path is listed as a directory.
    fn leads_in(&self, item: &Item<'_>) -> bool {
        let settings = &self.plan.settings;
        if settings.selection.themselves {
            return false;
        }
        match item.file_type {
            FileType::Directory => true,
            FileType::Symlink if settings.dereference == Dereference::PathsToDirectories => {
                let target = item.meta.and_then(brisk::Meta::target);
                target.and_then(Target::file_type) == Some(FileType::Directory)
            }
            _ => false,
        }
    }

    fn sorted(self) -> Arguments {
        let arrangement = &self.plan.arrangement;
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        if arrangement.by != Sort::Unsorted {
            let item = |index: &usize| self.entries.get(*index);
            order.sort_by(|a, b| arrangement.compare(&item(a), &item(b)));
        }
        let mut arguments = Arguments::default();
        for index in order {
            let item = self.entries.get(index);
            if self.leads[index] {
                arguments.directories.push(crate::common::safe::os_str(item.name).to_owned());
                arguments.beside.push(&item);
            } else {
                arguments.files.push(&item);
            }
        }
        arguments
    }
}

impl Visitor for Found<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields(FileType::File))
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let only = self.plan.settings.paths.len() == 1;
        let themselves = self.plan.settings.selection.themselves;
        if entry.file_type() == FileType::Directory && only && !themselves {
            return Select::Take(Fields::empty());
        }
        Select::Take(self.fields(entry.file_type()))
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let follows =
            matches!(self.plan.settings.dereference, Dereference::Always | Dereference::Paths);
        for entry in entries {
            let item = Item::new(entry, Fields::empty());
            if follows && entry.file_type() == FileType::Symlink {
                // The link leads nowhere.
                if let Err(error) = std::fs::metadata(entry.path()) {
                    self.plan.complain("cannot access", item.name, &error, SERIOUS);
                    continue;
                }
            }
            self.leads.push(self.leads_in(&item));
            self.entries.push(&item);
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report(&error);
        Flow::Continue
    }
}

impl Parallel for Found<'_> {
    fn fork(&self, _: usize) -> Self {
        Found { plan: self.plan, entries: Page::default(), leads: Vec::new() }
    }

    fn merge(&mut self, _: Self) {}
}
