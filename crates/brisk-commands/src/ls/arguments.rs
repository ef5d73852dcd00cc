//! The paths that the user gave: first all are asked about, then each is listed as a file or as a
//! directory.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;

use brisk::{
    Directory, Entry, Error, Fields, FileType, Flow, Follow, InTurn, Meta, Needs, Operation, Order,
    Parallel, Select, Shape, Visitor, Walk,
};
use brisk_sys::{Links, stat_path};

use super::flags::{Dereference, Sort};
use super::plan::Plan;
use crate::front::config::backend;
use crate::show::long::{Item, Page};

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

/// Asks about paths.
pub(crate) fn look(plan: &Plan, paths: &[OsString]) -> Arguments {
    let follow = match plan.dereference {
        Dereference::Paths | Dereference::Always => Follow::Roots,
        Dereference::Never | Dereference::PathsToDirectories => Follow::Never,
    };
    let walk = Walk::over(paths)
        .order(Order::Depth(Shape::Pre))
        .max_depth(0)
        .follow(follow)
        .cached(plan.given.common.cached)
        .threads(plan.given.common.threads)
        .backend(backend());
    let (mut found, _) = walk.visit_in_turn(ArgumentVisitor::new(plan));
    found.report();
    found.sorted()
}

/// The visitor of the paths.
struct ArgumentVisitor<'p> {
    plan: &'p Plan,
    entries: Page,
    /// For each path, whether it is listed as a directory.
    leads: Vec<bool>,
    errors: Vec<Error>,
}

impl<'p> ArgumentVisitor<'p> {
    fn new(plan: &'p Plan) -> ArgumentVisitor<'p> {
        ArgumentVisitor { plan, entries: Page::default(), leads: Vec::new(), errors: Vec::new() }
    }

    /// Reports what went wrong, in the order of the paths.
    fn report(&mut self) {
        if self.errors.len() > 1 {
            let paths = self.plan.given.paths.iter().map(OsString::as_os_str);
            let places: HashMap<&OsStr, usize> = paths.zip(0..).collect();
            self.errors.sort_by_key(|error| places.get(error.path().as_os_str()).copied());
        }
        self.errors.iter().for_each(|error| self.plan.report(error));
    }

    fn fields(&self, file_type: FileType) -> Fields {
        self.plan.wants.of(file_type) | Fields::TYPE
    }

    /// What a link leads to, if links are followed.
    fn target(&self, entry: &Entry<'_>) -> Option<io::Result<Meta>> {
        let follows = self.plan.dereference != Dereference::Never;
        let fields = self.fields(FileType::Directory);
        (follows && entry.file_type() == FileType::Symlink)
            .then(|| stat_path(backend(), &entry.path(), fields, Links::Follow))
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
                arguments.directories.push(crate::show::safe::os_str(item.name).to_owned());
                arguments.beside.push(&item);
            } else {
                arguments.files.push(&item);
            }
        }
        arguments
    }
}

impl Visitor for ArgumentVisitor<'_> {
    type State = ();

    fn needs(&self) -> Needs {
        Needs::fields(self.fields(FileType::File))
    }

    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        let only = self.plan.given.paths.len() == 1;
        let themselves = self.plan.given.themselves;
        if entry.file_type() == FileType::Directory && only && !themselves {
            return Select::Take(Fields::empty());
        }
        Select::Take(self.fields(entry.file_type()))
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let plan = self.plan;
        let lists_dangling = plan.dereference == Dereference::PathsToDirectories;
        for entry in entries {
            let mut item = Item::new(entry, Fields::empty());
            let target = self.target(entry);
            match target {
                // It stands where the directory stands.
                Some(Ok(ref meta)) if meta.file_type().is_some_and(FileType::is_dir) => {
                    item.file_type = FileType::Directory;
                    item.meta = Some(meta);
                }
                Some(Err(error))
                    if !(lists_dangling && error.kind() == io::ErrorKind::NotFound) =>
                {
                    self.errors.push(Error::new(Operation::Stat, entry.path(), 0, error));
                    continue;
                }
                _ => {}
            }
            let is_listed = item.file_type == FileType::Directory;
            self.leads.push(is_listed && !plan.given.themselves);
            self.entries.push(&item);
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.errors.push(error);
        Flow::Continue
    }
}

impl InTurn for ArgumentVisitor<'_> {}

impl Parallel for ArgumentVisitor<'_> {
    fn fork(&self, _: usize) -> Self {
        ArgumentVisitor::new(self.plan)
    }

    fn merge(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }
}
