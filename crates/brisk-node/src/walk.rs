//! [`Walking`]: a walk that hands on packed entries.
//!
//! ```text
//!   a tree       a thread walks; each worker's Packer ──► a channel ──► next, in a thread of libuv's
//!   one level    the first call of next walks to the end
//! ```

use std::fmt::Display;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use brisk::filter::{Filter, Filtered};
use brisk::ignore::{Hidden, Options, Rules};
use brisk::{Cancel, Directory, Entry, Error, Fields, Flow, Flushed, Parallel, Visitor, Walk};
use brisk_sys::errno;
use brisk_sys::paths::bytes_to_path;
use napi::Status;
use napi::bindgen_prelude::Result;
use napi_derive::napi;

use crate::fields::{FIELDS, Field, digit};
use crate::job::{Answer, Stop, answer};
use crate::packed::{Failure, Packed};

/// The number of entries that index.js makes objects of in one go: about 2 ms of the main thread.
const LIMIT: usize = 4096;

/// The most chunks of so many entries that wait: enough that workers need not wait while the caller
/// is busy, few enough to bound memory.
const CHUNKS: usize = 16;

/// How long a chunk waits for more entries: those of slow storage come one by one, and each chunk
/// takes about 0.1 ms of the main thread.
const MOMENT: Duration = Duration::from_millis(2);

/// What index.js passes.
#[napi(object, object_to_js = false)]
pub struct WalkOptions {
    pub recursive: bool,
    /// Names are paths below the root.
    pub relative: bool,
    /// JavaScript gets names and paths as bytes.
    pub raw: bool,
    /// The rules of .gitignore and .ignore files count.
    pub gitignore: bool,
    /// Patterns of what is left out.
    pub ignored: Vec<String>,
    /// Globs of directories that are not entered.
    pub pruned: Vec<String>,
    pub fields: Vec<String>,
}

/// What all workers know.
struct Plan {
    root: Vec<u8>,
    relative: bool,
    raw: bool,
    fields: Vec<&'static Field>,
}

fn invalid(error: impl Display) -> napi::Error {
    napi::Error::new(Status::InvalidArg, error.to_string())
}

fn fields(names: &[String]) -> Result<Vec<&'static Field>> {
    let field = |name: &String| {
        let field = FIELDS.iter().find(|(known, ..)| known == name);
        field.ok_or_else(|| invalid(format_args!("no such field: '{name}'")))
    };
    names.iter().map(field).collect()
}

fn filter(root: &Path, options: &WalkOptions, fields: &[&Field]) -> Result<Filter> {
    let files = match options.gitignore {
        true => Options { hidden: Hidden::Kept, ..Options::default() },
        false => Options::none(),
    };
    let overrides = options.ignored.iter().map(|pattern| format!("!{pattern}")).collect();
    let has_rules = options.gitignore || !options.ignored.is_empty();
    let rules = Options { overrides, overrides_base: root.to_owned(), ..files };
    let rules = has_rules.then(|| Rules::new(rules)).transpose().map_err(invalid)?;
    let needs = fields.iter().fold(Fields::empty(), |all, (_, needs, _)| all | *needs);
    Ok(Filter::new().prune(&options.pruned).map_err(invalid)?.rules(rules).fields(needs))
}

/// Packs entries, and hands them on a few thousand at a time. The text has the name of each entry.
/// Where a directory's entries begin it has an empty name and the directory's path.
struct Packer {
    plan: Arc<Plan>,
    packed: Packed,
    /// Without one all entries stay here.
    sink: Option<SyncSender<Packed>>,
    /// How long it has waited for the caller.
    waited: Duration,
}

impl Packer {
    fn new(plan: &Arc<Plan>, sink: Option<SyncSender<Packed>>) -> Packer {
        let packed = Packed { raw: plan.raw, ..Packed::default() };
        Packer { plan: Arc::clone(plan), packed, sink, waited: Duration::ZERO }
    }

    fn hand_on(&mut self) -> Flow {
        let Some(sink) = &self.sink else { return Flow::Continue };
        if self.packed.is_empty() {
            return Flow::Continue;
        }
        let began = Instant::now();
        let rest = Packed { raw: self.packed.raw, ..Packed::default() };
        let sent = sink.send(std::mem::replace(&mut self.packed, rest));
        self.waited += began.elapsed();
        // The channel is closed once the caller has stopped the walk.
        if sent.is_ok() { Flow::Continue } else { Flow::Stop }
    }

    /// Packs the path of the directory, or returns what stands before names in paths below the root.
    fn begin<'a>(&mut self, dir: &Directory<'a>) -> &'a [u8] {
        if self.plan.relative {
            let below = dir.prefix().get(self.plan.root.len()..).unwrap_or_default();
            return below.strip_prefix(b"/").unwrap_or(below);
        }
        self.packed.push_text(&[]);
        self.packed.push_text(dir.path().as_os_str().as_encoded_bytes());
        &[]
    }
}

impl Visitor for Packer {
    type State = ();

    fn entries(&mut self, dir: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        let above = self.begin(dir);
        let Packer { plan, packed, .. } = self;
        for entry in entries {
            packed.text.extend_from_slice(above);
            packed.push_text(entry.name());
            packed.letters.push(digit(entry.file_type()));
            let number = |(.., number): &&Field| entry.meta().and_then(number);
            let numbers = plan.fields.iter().map(|field| number(field).unwrap_or(f64::NAN));
            packed.numbers.extend(numbers);
        }
        if packed.letters.len() >= LIMIT { self.hand_on() } else { Flow::Continue }
    }

    fn error(&mut self, error: Error) -> Flow {
        self.packed.errors.push(error.into());
        Flow::Continue
    }

    fn flush(&mut self, slow: bool) -> Flushed {
        let flow = if slow { self.hand_on() } else { Flow::Continue };
        Flushed { flow, waited: std::mem::take(&mut self.waited), ..Flushed::default() }
    }
}

impl Parallel for Packer {
    fn fork(&self, _: usize) -> Packer {
        Packer::new(&self.plan, self.sink.clone())
    }

    fn merge(&mut self, mut other: Packer) {
        let _ = other.hand_on();
        self.packed.append(other.packed);
    }
}

/// Where entries come from.
enum Source {
    /// The walk, which has not begun.
    Walk(Walk),
    Thread(Receiver<Packed>, JoinHandle<()>),
    /// There are no more.
    End,
}

/// What calls of `next` share.
struct Shared {
    plan: Arc<Plan>,
    filter: Arc<Filter>,
    is_tree: bool,
    cancel: Cancel,
    source: Mutex<Source>,
}

impl Shared {
    /// Some thousands of entries; nothing at the end.
    fn next(&self) -> Packed {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        if let Source::Walk(walk) = &*source {
            let walk = walk.clone();
            let visitor =
                |sink| Filtered::new(Arc::clone(&self.filter), Packer::new(&self.plan, sink));
            if !self.is_tree {
                *source = Source::End;
                return walk.visit_parallel(visitor(None)).0.into_inner().packed;
            }
            let (sink, chunks) = sync_channel(CHUNKS);
            let visitor = visitor(Some(sink));
            let run = move || _ = walk.visit_parallel(visitor).0.into_inner().hand_on();
            *source = match Builder::new().name("brisk-node".to_owned()).spawn(run) {
                Ok(thread) => Source::Thread(chunks, thread),
                Err(error) => {
                    let root = bytes_to_path(&self.plan.root);
                    return Failure::new(errno(&error), "scandir", root).into();
                }
            };
        }
        let Source::Thread(chunks, _) = &*source else { return Packed::default() };
        if let Some(packed) = gathered(chunks).filter(|_| !self.cancel.is_cancelled()) {
            return packed;
        }
        if let Source::Thread(chunks, thread) = std::mem::replace(&mut *source, Source::End) {
            // A worker may wait for room in it.
            drop(chunks);
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
        Packed::default()
    }
}

/// One chunk and a little more. Waits until there is anything, and a moment for the rest.
fn gathered(chunks: &Receiver<Packed>) -> Option<Packed> {
    let mut packed = chunks.recv().ok()?;
    let until = Instant::now() + MOMENT;
    while packed.letters.len() < LIMIT
        && let Ok(more) = chunks.recv_timeout(until.saturating_duration_since(Instant::now()))
    {
        packed.append(more);
    }
    Some(packed)
}

/// A walk over what is in a directory.
#[napi]
pub struct Walking {
    shared: Arc<Shared>,
}

#[napi]
impl Walking {
    #[napi(constructor)]
    pub fn new(root: &[u8], options: WalkOptions, stop: &Stop) -> Result<Walking> {
        let cancel = stop.cancel();
        let walk = Walk::over::<&Path>([]).directory(bytes_to_path(root)).min_depth(1);
        let walk = walk.max_depth(if options.recursive { usize::MAX } else { 1 });
        let source = Mutex::new(Source::Walk(walk.cancelled_by(&cancel)));
        let fields = fields(&options.fields)?;
        let filter = Arc::new(filter(bytes_to_path(root), &options, &fields)?);
        let WalkOptions { recursive: is_tree, relative, raw, .. } = options;
        let plan = Arc::new(Plan { root: root.to_vec(), relative, raw, fields });
        Ok(Walking { shared: Arc::new(Shared { plan, filter, is_tree, cancel, source }) })
    }

    /// Finds the next entries: their names and types, and the fields that were named.
    #[napi]
    pub fn next(&self, sync: bool) -> Result<Answer> {
        let shared = Arc::clone(&self.shared);
        answer(sync, move || shared.next())
    }
}
