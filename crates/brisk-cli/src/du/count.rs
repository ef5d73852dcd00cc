//! [`Counter`]: what follows the count for one worker: chooses entries, and writes or gathers sums.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use brisk::usage::{Observer, Sums, Total};
use brisk::{
    Breath, Entry, Error, Fields, FileType, Flow, Follow, Meta, Outcome, Select, Timestamp,
};
use brisk_cli_sys::signals;

use super::groups;
use super::plan::{Form, Plan, path_bytes, sizes};
use super::rows::{MOST_ROWS, Row};
use crate::common::filter::Filters;
use crate::common::json;
use crate::common::messages::cause;
use crate::common::quoting::in_message;
use crate::common::time::Stamp;

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
    counted: Sums,
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
            counted: Sums::default(),
            requests: 0,
        }
    }

    /// Whether the entry is a link that should be followed and leads nowhere. A message says so.
    fn dangles(&self, entry: &Entry<'_>) -> bool {
        let follow = self.plan.options.follow;
        let is_followed =
            follow == Some(Follow::Always) || (follow == Some(Follow::Roots) && entry.depth() == 0);
        let dangles = is_followed && entry.file_type() == FileType::Symlink;
        if dangles {
            let path = entry.path();
            // Like GNU du, which does not know why a link leads to nothing.
            let why =
                std::fs::metadata(&path).err().filter(|why| why.kind() != ErrorKind::NotFound);
            let why = why.map(|why| format!(": {}", cause(&why))).unwrap_or_default();
            self.plan.complain(&format!("cannot access {}{why}", in_message(path_bytes(&path))));
        }
        dangles
    }

    /// Writes or gathers what a file takes, or this directory.
    fn show(&mut self, path: &[u8], depth: usize, sums: Sums, dir: Option<&Total<'_>>) -> Flow {
        let plan = self.plan;
        if depth > plan.options.shown_depth() || !plan.shows(&sums) {
            return Flow::Continue;
        }
        if plan.form == Form::Rows {
            self.rows.push(Row { path: path.into(), depth, sums, is_dir: dir.is_some() });
            if plan.options.html.is_some() && self.rows.len() >= 2 * MOST_ROWS {
                self.rows.select_nth_unstable_by_key(MOST_ROWS, |row| row.key(plan));
                self.rows.truncate(MOST_ROWS);
            }
            return Flow::Continue;
        }
        let mut out = plan.out();
        if plan.form == Form::Lines {
            plan.line(&sums, path, &mut out.bytes);
            return out.end_line();
        }
        json::line(&mut out.bytes, |object| {
            object.name("path", path);
            object.text("type", Some(if dir.is_some() { "directory" } else { "file" }));
            object.number("depth", Some(depth as u64));
            sizes(object, "", &sums);
            if let Some(dir) = dir {
                sizes(object, "own_", &dir.own);
                object.plain("complete", dir.outcome == Outcome::Complete);
            }
            if let Some(newest) = sums.newest {
                object.plain("newest", newest.secs);
            }
        });
        out.end_line()
    }
}

impl Observer for Counter<'_> {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        self.answered += usize::from(total.answered);
        if self.plan.options.by.is_some() {
            return Flow::Continue;
        }
        let sums = if self.plan.options.separate { total.own } else { total.all };
        self.show(path_bytes(total.path), total.depth, sums, Some(total))
    }

    fn file(&mut self, entry: &Entry<'_>, sums: Sums) -> Flow {
        let options = self.plan.options;
        self.counted += sums;
        if let Some(group) = options.by {
            *self.groups.entry(groups::key(group, entry)).or_default() += sums;
            return Flow::Continue;
        }
        let is_shown = options.all || entry.depth() == 0 || options.html.is_some();
        if !is_shown || sums.entries == 0 {
            return Flow::Continue;
        }
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        entry.path_into(&mut path);
        let flow = self.show(&path, entry.depth(), sums, None);
        self.path = path;
        flow
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report(&error)
    }

    fn fields(&self) -> Fields {
        let filters = self.plan.filters.as_ref().map(Filters::likely_fields);
        let group = self.plan.options.by.map(groups::fields);
        let stamp = self.plan.stamp().map(Stamp::field);
        [filters, group, stamp].into_iter().flatten().collect()
    }

    fn time(&self, meta: &Meta) -> Option<Timestamp> {
        self.plan.stamp()?.of(meta)
    }

    fn select(&mut self, entry: &Entry<'_>) -> Select {
        if !self.plan.exclude.is_empty() {
            self.path.clear();
            entry.path_into(&mut self.path);
            if self.plan.exclude.match_end(&self.path) {
                return Select::Drop;
            }
        }
        let Some(filters) = &self.plan.filters else { return Select::Take(Fields::empty()) };
        match filters.by_name(entry, &mut self.path) {
            Some(fields) if entry.file_type() != FileType::Directory => Select::Take(fields),
            _ => Select::Enter,
        }
    }

    fn counts(&mut self, entry: &Entry<'_>) -> bool {
        let filters = self.plan.filters.as_ref();
        !self.dangles(entry)
            && filters.is_none_or(|filters| filters.by_metadata(entry, &mut self.requests))
    }

    fn breathe(&mut self, slow: bool) -> Breath {
        self.plan.note(std::mem::take(&mut self.counted));
        let flow = if slow { self.plan.out().flush() } else { Flow::Continue };
        let flow = if signals::interrupted() { Flow::Stop } else { flow };
        Breath { flow, requests: std::mem::take(&mut self.requests), ..Breath::default() }
    }

    fn fork(&self, _: usize) -> Self {
        Counter::new(self.plan)
    }

    fn merge(&mut self, mut other: Self) {
        self.rows.append(&mut other.rows);
        self.answered += other.answered;
        for (key, sums) in other.groups {
            *self.groups.entry(key).or_default() += sums;
        }
    }
}
