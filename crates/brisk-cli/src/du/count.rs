//! [`Counter`]: what follows the count for one worker: chooses entries, and writes or gathers sums.

use std::collections::BTreeMap;

use brisk::usage::{Choice, Observer, Sums, Total};
use brisk::{Breath, Entry, Error, Fields, FileType, Flow, Follow};

use super::groups;
use super::plan::{Form, Plan, path_bytes};
use super::rows::{MOST_ROWS, Row, Shown};
use crate::common::messages::cause;
use crate::common::quoting::in_message;

/// One worker of a count.
pub(super) struct Counter<'p> {
    plan: &'p Plan<'p>,
    pub rows: Vec<Row>,
    /// Sums by what files are grouped by.
    pub groups: BTreeMap<Vec<u8>, Sums>,
    /// How often the file system itself knew the answer.
    pub answered: usize,
    path: Vec<u8>,
    /// What has counted since the last breath.
    entries: u64,
    bytes: u64,
    /// Requests since the last breath.
    requests: u64,
}

impl<'p> Counter<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Counter<'p> {
        Counter {
            plan,
            rows: Vec::new(),
            groups: BTreeMap::new(),
            answered: 0,
            path: Vec::new(),
            entries: 0,
            bytes: 0,
            requests: 0,
        }
    }

    /// Whether the entry is a link that should be followed and leads nowhere.
    fn dangles(&self, entry: &Entry<'_>) -> bool {
        entry.file_type() == FileType::Symlink
            && match self.plan.options.follow {
                Some(Follow::Always) => true,
                Some(Follow::Roots) => entry.depth() == 0,
                _ => false,
            }
    }

    #[cold]
    fn complain_dangling(&self, entry: &Entry<'_>) {
        let path = entry.path();
        let shown = in_message(path_bytes(&path));
        let why = match std::fs::metadata(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                format!(": {}", cause(&error))
            }
            // As GNU du, which does not know why.
            _ => String::new(),
        };
        self.plan.complain(&format!("cannot access {shown}{why}"));
    }
}

/// Writes or gathers.
fn show(plan: &Plan<'_>, rows: &mut Vec<Row>, shown: &Shown<'_>) -> Flow {
    let Shown { path, depth, sums, outcome, .. } = *shown;
    if plan.form != Form::Rows {
        let mut out = plan.out();
        match plan.form {
            Form::Json => plan.object(shown, &mut out.bytes),
            _ => plan.line(&sums, path, &mut out.bytes),
        }
        return out.end_line();
    }
    rows.push(Row { path: path.into(), depth, sums, is_dir: outcome.is_some() });
    if plan.options.html.is_some() && rows.len() >= 2 * MOST_ROWS {
        let key = |row: &Row| (std::cmp::Reverse(plan.number(&row.sums)), row.depth);
        rows.select_nth_unstable_by_key(MOST_ROWS, key);
        rows.truncate(MOST_ROWS);
    }
    Flow::Continue
}

impl Observer for Counter<'_> {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        let options = self.plan.options;
        self.answered += usize::from(total.answered);
        let sums = if options.separate { total.own } else { total.all };
        let is_shown = options.by.is_none() && total.depth <= options.shown_depth();
        if !is_shown || !self.plan.shows(&sums) {
            return Flow::Continue;
        }
        let (path, depth) = (path_bytes(total.path), total.depth);
        let shown = Shown { path, depth, own: total.own, sums, outcome: Some(total.outcome) };
        show(self.plan, &mut self.rows, &shown)
    }

    fn file(&mut self, entry: &Entry<'_>, sums: Sums) -> Flow {
        let options = self.plan.options;
        self.entries += sums.entries;
        self.bytes += sums.allocated;
        if let Some(group) = options.by {
            groups::add(&mut self.groups, groups::key(group, entry), &sums);
            return Flow::Continue;
        }
        let is_shown = options.all || entry.depth() == 0 || options.html.is_some();
        let depth = entry.depth();
        if !is_shown
            || sums.entries == 0
            || depth > options.shown_depth()
            || !self.plan.shows(&sums)
        {
            return Flow::Continue;
        }
        self.path.clear();
        entry.path_into(&mut self.path);
        let shown = Shown { path: &self.path, depth, own: sums, sums, outcome: None };
        show(self.plan, &mut self.rows, &shown)
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report(&error)
    }

    fn fields(&self) -> Fields {
        let filters = self.plan.filters.as_ref().map(|filters| filters.likely_fields());
        filters.unwrap_or_default() | self.plan.options.by.map(groups::fields).unwrap_or_default()
    }

    fn select(&mut self, entry: &Entry<'_>) -> Choice {
        if !self.plan.exclude.is_empty() {
            self.path.clear();
            entry.path_into(&mut self.path);
            if self.plan.exclude.match_end(&self.path) {
                return Choice::Drop;
            }
        }
        match &self.plan.filters {
            None => Choice::Count,
            Some(_) if entry.file_type() == FileType::Directory => Choice::Enter,
            Some(filters) => match filters.by_name(entry, &mut self.path) {
                Some(_) => Choice::Count,
                None => Choice::Enter,
            },
        }
    }

    fn counts(&mut self, entry: &Entry<'_>) -> bool {
        if self.dangles(entry) {
            self.complain_dangling(entry);
            return false;
        }
        let filters = self.plan.filters.as_ref();
        filters.is_none_or(|filters| filters.by_metadata(entry, &mut self.requests))
    }

    fn breathe(&mut self, slow: bool) -> Breath {
        let counted = (std::mem::take(&mut self.entries), std::mem::take(&mut self.bytes));
        self.plan.note(counted.0, counted.1);
        let flow = if slow { self.plan.out().flush() } else { Flow::Continue };
        Breath { flow, requests: std::mem::take(&mut self.requests), ..Breath::default() }
    }

    fn fork(&self, _: usize) -> Self {
        Counter::new(self.plan)
    }

    fn merge(&mut self, mut other: Self) {
        self.rows.append(&mut other.rows);
        self.answered += other.answered;
        for (key, sums) in &other.groups {
            groups::add(&mut self.groups, key.clone(), sums);
        }
    }
}
