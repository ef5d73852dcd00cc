//! [`Counter`]: follows the count for one worker; chooses entries, and writes or gathers sums.

use std::collections::BTreeMap;
use std::collections::hash_map::{Entry as Place, HashMap};
use std::io::ErrorKind;

use brisk::usage::{Observer, Sums, Total};
use brisk::{
    Entry, Error, Fields, FileType, Flow, Flushed, Follow, Meta, Outcome, Pause, Timestamp,
};
use brisk_cli_sys::signals;
use brisk_sys::Identity;

use super::plan::{Plan, sizes};
use super::rows::{Row, Rows};
use crate::front::messages::{Caller, failure};
use crate::show::quoting::in_message;
use crate::show::safe::path_bytes;
use crate::show::{freed, json};
use brisk_filter::Stamp;
use brisk_sys::threads::lock;

/// One worker of a count.
pub(super) struct Counter<'p> {
    plan: &'p Plan<'p>,
    pub rows: Rows,
    /// The objects of files with several names, each under the name whose directory comes first.
    /// They wait until the end, because a name that is met later may come first.
    pub linked: HashMap<Identity, (Row<'static>, Vec<u8>)>,
    /// Sums by what files are grouped by.
    pub groups: BTreeMap<Vec<u8>, Sums>,
    /// For how many paths the file system itself knew the sums.
    pub answered: usize,
    path: Vec<u8>,
    /// What has counted since the last flush.
    counted: Sums,
}

impl<'p> Counter<'p> {
    pub fn new(plan: &'p Plan<'p>) -> Counter<'p> {
        Counter {
            plan,
            rows: Rows::default(),
            linked: HashMap::new(),
            groups: BTreeMap::new(),
            answered: 0,
            path: Vec::new(),
            counted: Sums::default(),
        }
    }

    /// Whether the entry is a link that should be followed and leads nowhere. A message says so.
    fn dangles(&self, entry: &Entry<'_>) -> bool {
        let is_followed = match self.plan.options.follow {
            Some(Follow::Roots) => entry.depth() == 0,
            follow => follow == Some(Follow::Always),
        };
        let dangles = is_followed && entry.file_type() == FileType::Symlink;
        if dangles {
            let path = entry.path();
            let what = "cannot access";
            // Without a cause, as in GNU du's message about a dangling link.
            let why =
                std::fs::metadata(&path).err().filter(|why| why.kind() != ErrorKind::NotFound);
            let short = || format!("{what} {}", in_message(path_bytes(&path)));
            let told = why.map_or_else(short, |why| failure(what, path_bytes(&path), &why));
            self.plan.report.complain(&told);
        }
        dangles
    }

    /// With -L, GNU du prints a path that ends in a slash without it where the directory is empty.
    fn loses_slash(&self, total: &Total<'_>) -> bool {
        let plan = self.plan;
        let may = plan.caller == Caller::Du && plan.options.follow == Some(Follow::Always);
        let is_empty = || std::fs::read_dir(total.path).is_ok_and(|mut all| all.next().is_none());
        may && total.depth == 0 && path_bytes(total.path).ends_with(b"/") && is_empty()
    }

    /// In a tree without files: gathers a row for the files of a directory that has subdirectories
    /// too. The row includes the directory itself, so that the percentages add up.
    fn show_files(&mut self, path: &[u8], total: &Total<'_>) {
        let options = self.plan.options;
        let has_both = 1 < total.own.entries && total.own.entries < total.all.entries;
        let adds_up = !options.separate && !options.frees;
        if self.plan.draws && !options.all && adds_up && has_both {
            let separator: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
            let row = [path, separator, b"(files)"].concat();
            // Rows that are gathered do not stop the walk.
            let _ = self.show(&row, total.depth + 1, FileType::File, total.own, None, None);
        }
    }

    /// Writes or gathers the sums of a file or a directory.
    fn show(
        &mut self,
        path: &[u8],
        depth: usize,
        kind: FileType,
        sums: Sums,
        dir: Option<&Total<'_>>,
        link: Option<Identity>,
    ) -> Flow {
        let plan = self.plan;
        let options = plan.options;
        let is_deeper = options.max_depth.is_some_and(|most| depth > most);
        // --json lists every directory: its objects say more than sums, and --from reads them all.
        let is_chosen = !plan.chooses || options.json || depth == 0 || sums.entries > 0;
        if is_deeper || options.by.is_some() || !is_chosen || !plan.shows(&sums) {
            return Flow::Continue;
        }
        if plan.gathers {
            let row = Row { path: path.into(), depth, sums, is_dir: dir.is_some(), link };
            self.rows.push(plan.number(&sums), &row);
            self.rows.keep(plan.most);
            return Flow::Continue;
        }
        if let Some(id) = link.filter(|_| options.json) {
            let path = path.to_vec().into();
            let row = Row { path, depth, sums, is_dir: false, link };
            let mut line = Vec::new();
            object(plan, &row, kind, None, &mut line);
            self.keep_first(id, row, line);
            return Flow::Continue;
        }
        let mut out = lock(&plan.out);
        if options.json {
            let row = Row { path: path.into(), depth, sums, is_dir: dir.is_some(), link };
            object(plan, &row, kind, dir, &mut out.bytes);
        } else {
            plan.line(&sums, path, &mut out.bytes);
        }
        out.write_if_full()
    }

    /// Keeps the object of a file with several names, unless the kept one's directory comes first.
    fn keep_first(&mut self, id: Identity, row: Row<'static>, line: Vec<u8>) {
        match self.linked.entry(id) {
            Place::Occupied(held) if !row.precedes(&held.get().0) => {}
            entry => drop(entry.insert_entry((row, line))),
        }
    }
}

/// Appends the object of `--json`.
fn object(
    plan: &Plan<'_>,
    row: &Row<'_>,
    kind: FileType,
    dir: Option<&Total<'_>>,
    out: &mut Vec<u8>,
) {
    let frees = plan.options.frees;
    json::line(out, |object| {
        object.name("path", &row.path);
        object.text("type", kind.word());
        object.number("depth", Some(row.depth as u64));
        if frees {
            freed::keys(object, row.sums.allocated, row.sums.apparent);
            object.number("entries", Some(row.sums.entries));
        } else {
            sizes(object, "", &row.sums);
        }
        if let Some(dir) = dir {
            if !frees {
                sizes(object, "own_", &dir.own);
            }
            object.plain("complete", dir.outcome == Outcome::Complete);
        }
        object.time("newest", row.sums.newest);
    });
}

impl Observer for Counter<'_> {
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        self.answered += usize::from(total.answered);
        let sums = if self.plan.options.separate { total.own } else { total.all };
        let path = path_bytes(total.path);
        let path = if self.loses_slash(total) { &path[..path.len() - 1] } else { path };
        self.show_files(path, total);
        self.show(path, total.depth, FileType::Directory, sums, Some(total), None)
    }

    fn file(&mut self, entry: &Entry<'_>, sums: Sums) -> Flow {
        let options = self.plan.options;
        self.counted += sums;
        if let Some(group) = options.by {
            let name = (group.name)(entry).unwrap_or_else(|| "(unknown)".into());
            *self.groups.entry(name).or_default() += sums;
            return Flow::Continue;
        }
        let is_shown = options.all || entry.depth() == 0 || options.html.is_some();
        if !is_shown || sums.entries == 0 {
            return Flow::Continue;
        }
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        entry.path_into(&mut path);
        // It counts again if a later name's directory comes first.
        let once = !options.count_links && !options.frees && !entry.file_type().is_dir();
        let has_more = |meta: &&Meta| once && meta.nlink().is_some_and(|it| it > 1);
        let link = entry.meta().filter(has_more).and_then(Meta::identity);
        let flow = self.show(&path, entry.depth(), entry.file_type(), sums, None, link);
        self.path = path;
        flow
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report(&error);
        Flow::Continue
    }

    fn fields(&self) -> Fields {
        let group = self.plan.options.by.map(|group| group.fields);
        let stamp = self.plan.stamp().map(Stamp::field);
        [group, stamp].into_iter().flatten().collect()
    }

    fn time(&self, meta: &Meta) -> Option<Timestamp> {
        self.plan.stamp()?.of(meta)
    }

    fn matches(&mut self, entry: &Entry<'_>) -> bool {
        !self.dangles(entry)
    }

    fn flush(&mut self, Pause { write_is_cheap, .. }: Pause) -> Flushed {
        let counted = std::mem::take(&mut self.counted);
        self.plan.report.add(counted.entries, counted.allocated);
        let flow = if write_is_cheap { lock(&self.plan.out).flush() } else { Flow::Continue };
        let flow = if signals::interrupted() { Flow::Stop } else { flow };
        Flushed { flow, ..Flushed::default() }
    }

    fn fork(&self, _: usize) -> Self {
        Counter::new(self.plan)
    }

    fn merge(&mut self, other: Self) {
        self.rows.append(other.rows);
        self.answered += other.answered;
        other.linked.into_iter().for_each(|(id, (row, line))| self.keep_first(id, row, line));
        for (key, sums) in other.groups {
            *self.groups.entry(key).or_default() += sums;
        }
    }
}
