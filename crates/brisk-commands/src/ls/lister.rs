//! The visitor of `brisk ls`: a directory begins, its entries come in order, and the directory
//! ends.
//!
//! ```text
//!   begin ──► entries (a chunk) ──► entries … ──► end
//!   header    streams: a line each                 held: total, widths, lines
//!             held: copied to the page
//! ```

use std::cmp::Ordering;
use std::ffi::OsString;
use std::time::Duration;

use brisk::unstable::bound;
use brisk::{
    Directory, Entry, Error, Fields, FileType, Flow, Flushed, InTurn, Needs, Operation, Parallel,
    Pause, Select, Visitor,
};

use super::explain::Census;
use super::flags::Dereference;
use super::object;
use super::order::eight_bytes;
use super::plan::{MINOR, Plan};
use super::tree::{Parents, Tree};
use super::writer::Writer;
use crate::show::long::{Item, Page};
use crate::write::out::Out;

/// One worker of a listing. The first, on the calling thread, writes; the others select entries and
/// compare them.
pub(crate) struct Lister<'p> {
    plan: &'p Plan,
    pub(crate) writing: Option<Writing<'p>>,
    /// Writes drafts: lines of a directory whose turn has not come.
    drafting: Option<Writer<'p>>,
}

/// Bytes at the beginning of a draft: a number, which is 1 more than the position of the first
/// colour code in the draft.
const DRAFT_HEAD: usize = size_of::<u32>();

/// The state of the writing worker.
pub(crate) struct Writing<'p> {
    pub(crate) writer: Writer<'p>,
    pub(crate) out: Out,
    pub(crate) headers: Headers,
    pub(crate) census: Census,
    page: Page,
    tree: Tree,
}

/// Bytes that most lines have besides the name: the end, and perhaps a colour.
const AROUND_A_NAME: usize = 4;

/// The headers above directories.
#[derive(Default)]
pub(crate) struct Headers {
    /// Whether there are headers.
    pub(crate) shown: bool,
    /// Whether the next header is the first line of the output.
    pub(crate) first: bool,
    /// The user's paths that have not been met yet, the last first.
    pub(crate) given: Vec<OsString>,
}

impl<'p> Lister<'p> {
    /// The worker that writes.
    pub(crate) fn new(plan: &'p Plan, writing: Writing<'p>) -> Lister<'p> {
        Lister { plan, writing: Some(writing), drafting: None }
    }
}

impl Headers {
    /// The directory's path as the user gave it, or as the walk found it.
    fn text(&mut self, dir: &Directory<'_>) -> Vec<u8> {
        if dir.depth() > 0 {
            return dir.path().as_os_str().as_encoded_bytes().to_vec();
        }
        // Directories that could not be opened are passed over.
        while let Some(given) = self.given.pop() {
            let mut prefix = given.as_encoded_bytes().to_vec();
            if prefix.last() != Some(&b'/') {
                prefix.push(b'/');
            }
            if prefix == dir.prefix() {
                return given.into_encoded_bytes();
            }
        }
        dir.path().as_os_str().as_encoded_bytes().to_vec()
    }
}

/// The entry as it is listed: `failed` where the request for its metadata failed.
fn item<'a>(plan: &Plan, entry: &Entry<'a>) -> Item<'a> {
    let mut item = Item::new(entry, plan.wants.of(entry.file_type()));
    if is_dangling(plan, entry) {
        item.failed = true;
        item.meta = None;
    }
    item
}

/// Whether the entry is a link although links are followed: it then leads nowhere.
#[inline]
fn is_dangling(plan: &Plan, entry: &Entry<'_>) -> bool {
    entry.file_type() == FileType::Symlink
        && plan.dereference == Dereference::Always
        && plan.follows()
}

impl<'p> Writing<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Writing<'p> {
        Writing {
            writer: Writer::new(plan),
            out: Out::default(),
            headers: Headers::default(),
            census: Census::default(),
            page: Page::default(),
            tree: Tree::default(),
        }
    }

    fn begin(&mut self, plan: &Plan, dir: &Directory<'_>) -> Flow {
        let given = &plan.given;
        if given.json || (given.tree && dir.depth() > 0) {
            return Flow::Continue;
        }
        if given.tree {
            self.begin_tree(plan, dir);
            return Flow::Continue;
        }
        self.page.clear();
        self.writer.begin_directory(dir.path());
        if self.headers.shown {
            if !std::mem::replace(&mut self.headers.first, false) {
                self.out.bytes.push(b'\n');
                self.writer.pen.dired.note_blank();
            }
            let text = self.headers.text(dir);
            self.writer.pen.header(dir.path(), &text, &mut self.out.bytes);
        }
        Flow::Continue
    }

    /// A tree begins with the path of its root.
    fn begin_tree(&mut self, plan: &Plan, dir: &Directory<'_>) {
        self.end_tree();
        self.writer.begin_directory(dir.path());
        let text = self.headers.text(dir);
        self.writer.pen.naming.header_quoting.write(&text, &mut self.out.bytes);
        self.out.bytes.push(plan.end);
        self.tree.plant(dir.path());
    }

    /// Draws the gathered tree.
    pub(crate) fn end_tree(&mut self) {
        let widths = self.writer.take_widths();
        let Writing { tree, writer, out, .. } = self;
        let mut parents = Parents::new(tree.root());
        tree.draw(writer.strokes(), |item, depth, branch| {
            if let Some(links) = &mut writer.pen.links {
                links.enter(parents.of(&item, depth));
            }
            writer.write_line(&item, &widths, branch, &mut out.bytes);
            let _ = out.write_if_full();
        });
        self.tree.clear();
    }

    /// Whether the listing holds more than it may. The walk bounds the entries of a sorted page,
    /// since it holds them first.
    fn is_full(&self, plan: &Plan) -> bool {
        bound::is_reached(self.tree.bytes())
            || (!plan.is_sorted() && bound::is_reached(self.page.bytes()))
    }

    /// Ends the listing with an error: a directory may have no end.
    #[cold]
    fn give_up(&mut self, plan: &Plan, dir: &Directory<'_>) -> Flow {
        plan.report(&Error::new(
            Operation::Read,
            dir.path().to_owned(),
            dir.depth(),
            bound::error(),
        ));
        self.page.clear();
        self.tree.clear();
        Flow::Stop
    }

    /// Keeps an entry whose line is not written at once.
    fn hold(&mut self, plan: &Plan, entry: &Entry<'_>, item: &Item<'_>) {
        self.writer.note(item);
        if plan.given.tree {
            self.tree.push(item, entry.depth());
        } else {
            self.page.push(item);
        }
    }
}

impl Visitor for Lister<'_> {
    type State = ();

    /// As in GNU ls, a vanished file is an error ("No such file or directory"). A link that leads
    /// back up is listed, and only with `-R` does a message say that the link is not entered.
    fn needs(&self) -> Needs {
        Needs {
            vanished: true,
            loops: true,
            ..Needs::fields(Fields::TYPE | self.plan.wants.of(FileType::File))
        }
    }

    #[inline]
    fn select(&mut self, (): &(), entry: &Entry<'_>) -> Select {
        if entry.depth() == 0 {
            return Select::Enter;
        }
        if self.plan.leaves_out(entry.name()) {
            return Select::Drop;
        }
        Select::Take(self.plan.wants.of(entry.file_type()))
    }

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let Some(writing) = &mut self.writing else {
            return Flow::Continue;
        };
        let plan = self.plan;
        let streams = plan.streams();
        let mut path = Vec::new();
        for entry in entries {
            let item = item(plan, entry);
            if is_dangling(plan, entry) {
                dangling(plan, entry);
            }
            if plan.given.common.explain {
                writing.census.note(entry.file_type());
            }
            if plan.given.json {
                object::write(entry, &item, &mut path, &mut writing.out.bytes);
            } else if streams {
                writing.writer.stream(&item, &mut writing.out.bytes);
            } else {
                writing.hold(plan, entry, &item);
                continue;
            }
            if writing.out.write_if_full() == Flow::Stop {
                return Flow::Stop;
            }
        }
        if streams {
            return writing.out.end_group();
        }
        if writing.is_full(plan) { writing.give_up(plan, dir) } else { Flow::Continue }
    }

    fn error(&mut self, error: Error) -> Flow {
        self.plan.report(&error);
        Flow::Continue
    }

    fn flush(&mut self, _: Pause) -> Flushed {
        let waited = |writing: &mut Writing<'_>| writing.out.take_waited();
        let waited = self.writing.as_mut().map_or(Duration::ZERO, waited);
        Flushed { waited, ..Flushed::default() }
    }
}

impl Parallel for Lister<'_> {
    fn fork(&self, _: usize) -> Self {
        Lister { plan: self.plan, writing: None, drafting: None }
    }

    fn merge(&mut self, _: Self) {}
}

impl InTurn for Lister<'_> {
    #[inline]
    fn rank(&self, entry: &Entry<'_>, level: usize) -> u64 {
        let arrangement = &self.plan.arrangement;
        if arrangement.is_by_bytes() {
            return eight_bytes(entry.name(), 8 * level);
        }
        arrangement.rank(&item(self.plan, entry), level)
    }

    #[inline]
    fn compare(&self, a: &Entry<'_>, b: &Entry<'_>) -> Ordering {
        let arrangement = &self.plan.arrangement;
        if arrangement.is_by_bytes() {
            return a.name().cmp(b.name());
        }
        arrangement.compare(&item(self.plan, a), &item(self.plan, b))
    }

    fn begin(&mut self, dir: &Directory<'_>, (): &()) -> Flow {
        self.writing.as_mut().map_or(Flow::Continue, |writing| writing.begin(self.plan, dir))
    }

    fn drafts(&self) -> bool {
        self.plan.drafts()
    }

    fn draft(&mut self, entries: &[Entry<'_>], out: &mut Vec<u8>) {
        let plan = self.plan;
        let writer = self.drafting.get_or_insert_with(|| Writer::new(plan));
        let names: usize = entries.iter().map(|entry| entry.name().len()).sum();
        out.reserve_exact(DRAFT_HEAD + names + entries.len() * AROUND_A_NAME);
        out.extend_from_slice(&[0; DRAFT_HEAD]);
        writer.pen.painter.restart();
        for entry in entries {
            writer.stream(&item(plan, entry), out);
        }
        let first = writer.pen.painter.first_code().map_or(0, |at| at - DRAFT_HEAD + 1);
        let first = u32::try_from(first).expect("BUG: a draft has less than 4 GiB");
        out[..DRAFT_HEAD].copy_from_slice(&first.to_ne_bytes());
    }

    fn adopt(&mut self, (): &(), draft: &[u8]) -> Flow {
        let Some((Writing { writer, out, .. }, (first, lines))) =
            self.writing.as_mut().zip(draft.split_first_chunk::<DRAFT_HEAD>())
        else {
            return Flow::Continue;
        };
        let first = (u32::from_ne_bytes(*first) as usize).checked_sub(1);
        writer.pen.painter.adopt(lines, first, &mut out.bytes);
        out.end_group()
    }

    fn end(&mut self, _: &Directory<'_>, (): &()) -> Flow {
        let Some(Writing { writer, page, out, .. }) = &mut self.writing else {
            return Flow::Continue;
        };
        if self.plan.streams() {
            writer.end_stream(&mut out.bytes);
        } else if !self.plan.given.tree {
            writer.write_page(page, out);
            page.clear();
        }
        out.end_group()
    }
}

/// Asks once more about a link that leads nowhere, where links are followed, to report the system's
/// answer.
#[cold]
fn dangling(plan: &Plan, entry: &Entry<'_>) {
    let path = entry.path();
    if let Err(error) = std::fs::metadata(&path) {
        let bytes = path.as_os_str().as_encoded_bytes();
        plan.complain("cannot access", plan.shown(bytes), &error, MINOR);
    }
}
