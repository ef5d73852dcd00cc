//! The lines of `ls -l -h -d` for results that another command finds.
//!
//! Columns are as wide as the widest value so far: in the first page all lines are aligned, and a
//! column that a later page widens stays so. Several workers can write pages.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use brisk::{Entry, Fields};

use super::arguments;
pub(crate) use super::flags::Sort;
use super::flags::{Format, Given, Refusal};
use super::plan::Plan;
use super::surroundings::Surroundings;
pub(crate) use super::writer::Writer;
use crate::front::When;
use crate::front::messages::Caller;
use crate::show::fields::FieldsByType;
use crate::show::long::{Item, Page, Widths};
use crate::show::size::Scale;
use brisk_sys::threads::lock;

/// What all workers share.
pub(crate) struct Long {
    plan: Plan,
    layout: Mutex<Layout>,
}

/// What the lines so far have in common.
#[derive(Clone, Debug, Default)]
struct Layout {
    widths: Widths,
    /// Whether some name was quoted: the others are then shifted.
    quotes: bool,
    /// Whether a colour was written: codes that belong before the first one are then left out.
    paints: bool,
}

impl Long {
    /// Compiles the options of `ls` in this environment. A page is sorted by `sort`, or in the
    /// reverse order. `caller` begins messages.
    ///
    /// # Errors
    /// A variable of the environment cannot be understood.
    pub fn new(caller: Caller, colored: bool, sort: Option<(Sort, bool)>) -> Result<Long, Refusal> {
        let around = Surroundings::current(caller);
        let given = Given {
            format: Some(Format::Long),
            scale: Some(Scale::BINARY),
            themselves: true,
            color: colored.then_some(When::Always),
            sort: sort.map(|(by, _)| by),
            reverse: sort.is_some_and(|(_, reverse)| reverse),
            ..Given::new(Caller::Ls, around.terminal)
        };
        Ok(Long { plan: Plan::new(given, &around)?, layout: Mutex::default() })
    }

    /// The fields that lines need.
    pub(crate) fn fields(&self) -> FieldsByType {
        self.plan.wants
    }

    /// Adds an entry to a page under its displayed path, unless its metadata is missing. As fd, the
    /// entry is then asked about by its path, as fd's `ls` does. `requests` counts system calls
    /// that the walk does not.
    pub(crate) fn add(&self, path: &[u8], entry: &Entry<'_>, page: &mut Page, requests: &mut u64) {
        let wanted = self.plan.wants.of(entry.file_type()) | Fields::TYPE;
        let item = Item { name: path, ..Item::new(entry, wanted) };
        if entry.is_followed_link() || item.failed && self.plan.caller == Caller::Fd {
            *requests += 2;
            let asked = arguments::look(&self.plan, &[entry.path().into_os_string()]).files;
            asked.iter().for_each(|item| page.push(&Item { name: path, ..item }));
        } else if !item.failed {
            page.push(&item);
        }
    }

    /// Whether a message said that an entry could not be listed.
    pub(crate) fn has_failed(&self) -> bool {
        self.plan.code.load(Ordering::Relaxed) > 0
    }

    /// The first `most` lines of a page, in the order of `ls` if they are to be sorted.
    pub(crate) fn lines(&self, page: &Page, is_sorted: bool, most: usize) -> Vec<u8> {
        let mut order: Vec<usize> = (0..page.len()).collect();
        if is_sorted {
            let compare =
                |a: &usize, b: &usize| self.plan.arrangement.compare(&page.get(*a), &page.get(*b));
            order.sort_by(compare);
        }
        let mut out = Vec::new();
        let items = order.into_iter().take(most).map(|index| page.get(index));
        self.write(&mut self.writer(), items, &mut out);
        out
    }

    /// A worker's writer.
    pub(crate) fn writer(&self) -> Writer<'_> {
        Writer::new(&self.plan)
    }

    /// Appends the lines of some results.
    pub(crate) fn write<'i>(
        &self,
        writer: &mut Writer<'_>,
        items: impl Iterator<Item = Item<'i>> + Clone,
        out: &mut Vec<u8>,
    ) {
        items.clone().for_each(|item| writer.note(&item));
        let mut layout = lock(&self.layout);
        layout.widths.widen(&writer.take_widths());
        layout.quotes |= writer.pen.some_quoted;
        let Layout { widths, quotes, paints } = layout.clone();
        drop(layout);
        writer.pen.some_quoted = quotes;
        if paints {
            writer.pen.goes_on();
        }
        for item in items {
            writer.write_line(&item, &widths, "", out);
        }
        if !paints && writer.pen.painter.first_code().is_some() {
            lock(&self.layout).paints = true;
        }
    }

    /// Appends what follows all lines.
    pub(crate) fn finish(&self, out: &mut Vec<u8>) {
        let mut writer = self.writer();
        if lock(&self.layout).paints {
            writer.pen.goes_on();
        }
        writer.finish(out);
    }
}
