//! [`Walking`]: a walk that delivers packed entries: the engine's stream of chunks, of which each call
//! of `next` packs some thousand entries for index.js.

use std::fmt::Display;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use brisk::filter::{Expr, Filter};
use brisk::ignore::{Hidden, Options, Rules};
use brisk::{Cancel, Chunks, Fields, OwnedChunk, Walk};
use brisk_filter::{find, globs};
use brisk_sys::paths::{bytes_to_path, without_separator};
use brisk_sys::threads::lock;
use napi::Status;
use napi::bindgen_prelude::{Result, Uint8Array};
use napi_derive::napi;

use crate::fields::{FIELDS, Field, digit};
use crate::job::{JobResult, Stop, answer};
use crate::packed::Packed;

/// The number of entries that index.js makes objects of in one go: about 2 ms of the main thread.
const LIMIT: usize = 4096;

/// How long entries wait for more: those of slow storage come one by one, and each call takes about
/// 0.1 ms of the main thread. One thread finds `LIMIT` in 3 ms where nothing is slow.
const MOMENT: Duration = Duration::from_millis(5);

/// What index.js passes.
#[napi(object, object_to_js = false)]
pub struct WalkOptions {
    pub recursive: bool,
    /// Names are paths below the root.
    pub relative: bool,
    /// JavaScript gets names and paths as bytes.
    pub raw: bool,
    pub fields: Vec<String>,
}

/// What index.js passes of what is left out.
#[napi(object, object_to_js = false)]
pub struct Selecting {
    /// The rules of .gitignore and .ignore files count.
    pub gitignore: bool,
    /// Patterns of what is left out.
    pub ignored: Vec<String>,
    /// Globs of directories that are not entered.
    pub pruned: Vec<String>,
    /// An expression of find(1)'s tests.
    pub tests: Option<String>,
    /// Paths below the root of which a function has said that they are left out.
    pub refused: Vec<Uint8Array>,
}

pub fn invalid(error: impl Display) -> napi::Error {
    napi::Error::new(Status::InvalidArg, error.to_string())
}

fn fields(names: &[String]) -> Result<Vec<&'static Field>> {
    let field = |name: &String| {
        let field = FIELDS.iter().find(|(known, ..)| known == name);
        field.ok_or_else(|| invalid(format_args!("no such field: '{name}'")))
    };
    names.iter().map(field).collect()
}

impl Selecting {
    /// The walk without what is left out; whether it follows links.
    pub fn applied_to(&self, walk: Walk, follows: bool) -> Result<Walk> {
        Ok(walk.rules(self.rules()?).filter(self.filter(follows)?))
    }

    fn rules(&self) -> Result<Option<Rules>> {
        let files = match self.gitignore {
            true => Options { hidden: Hidden::Kept, ..Options::default() },
            false => Options::none(),
        };
        let overrides = self.ignored.iter().map(|pattern| format!("!{pattern}")).collect();
        let has_rules = self.gitignore || !self.ignored.is_empty();
        let rules = Options { overrides, ..files };
        has_rules.then(|| Rules::new(rules)).transpose().map_err(invalid)
    }

    fn filter(&self, follows: bool) -> Result<Filter> {
        let pruning = globs::pruning(&self.pruned).map_err(invalid)?;
        let read = |line: &String| find::tests(line, 1, follows);
        let wrong = |mistake| invalid(format_args!("where, {mistake}"));
        let tests = self.tests.as_ref().map(read).transpose().map_err(wrong)?;
        let refused = globs::except(self.refused.iter().map(|path| path.to_vec()));
        Ok(Filter::new(Expr::All([pruning, refused, tests].into_iter().flatten().collect())))
    }
}

/// What calls of `next` share.
struct WalkingState {
    root: Vec<u8>,
    relative: bool,
    raw: bool,
    fields: Vec<&'static Field>,
    /// The number of entries, and the time, that end a call.
    limit: usize,
    moment: Duration,
    cancel: Cancel,
    /// `None` once the caller has ended the walk.
    chunks: Mutex<Option<Chunks>>,
}

impl WalkingState {
    /// Some thousands of entries; nothing at the end.
    fn next(&self) -> Packed {
        let mut packed = Packed { raw: self.raw, done: true, ..Packed::default() };
        let mut chunks = lock(&self.chunks);
        chunks.take_if(|_| self.cancel.is_cancelled());
        let Some(chunks) = &mut *chunks else { return packed };
        let began = Instant::now();
        let mut chunk = OwnedChunk::default();
        while chunks.refill(&mut chunk) {
            self.pack(&chunk, &mut packed);
            if packed.letters.len() >= self.limit || began.elapsed() >= self.moment {
                packed.done = false;
                break;
            }
        }
        packed.errors.extend(std::iter::from_fn(|| chunks.next_error()).map(Into::into));
        packed
    }

    /// Packs entries. The text has the name of each. Where a directory's entries begin it has an
    /// empty name and the directory's path.
    fn pack(&self, chunk: &OwnedChunk, packed: &mut Packed) {
        let mut last: &[u8] = &[];
        for entry in chunk.iter() {
            let prefix = entry.prefix();
            if self.relative {
                let below = prefix.get(self.root.len()..).unwrap_or_default();
                packed.text.extend_from_slice(below.strip_prefix(b"/").unwrap_or(below));
            } else if !std::ptr::eq(prefix, last) {
                packed.push_text(&[]);
                packed.push_text(without_separator(prefix));
                last = prefix;
            }
            packed.text.extend_from_slice(entry.c_name().to_bytes_with_nul());
            packed.letters.push(digit(entry.file_type()));
            let number = |(.., number): &&Field| entry.meta().and_then(number);
            let numbers = self.fields.iter().map(|field| number(field).unwrap_or(f64::NAN));
            packed.numbers.extend(numbers);
        }
    }
}

/// A walk over what is in a directory.
#[napi]
pub struct Walking {
    shared: Arc<WalkingState>,
}

#[napi]
impl Walking {
    #[napi(constructor)]
    pub fn new(
        root: &[u8],
        options: WalkOptions,
        selecting: Selecting,
        stop: &Stop,
    ) -> Result<Walking> {
        let cancel = stop.cancel.clone();
        let path = bytes_to_path(root);
        let fields = fields(&options.fields)?;
        let needs = fields.iter().fold(Fields::empty(), |all, (_, needs, _)| all | *needs);
        let WalkOptions { recursive: is_tree, relative, raw, .. } = options;
        let walk = Walk::over::<&Path>([]).directory(path).min_depth(1).cancelled_by(&cancel);
        let walk = walk.max_depth(if is_tree { usize::MAX } else { 1 });
        let walk = selecting.applied_to(walk, false)?;
        Ok(Walking {
            shared: Arc::new(WalkingState {
                root: root.to_vec(),
                relative,
                raw,
                fields,
                limit: if is_tree { LIMIT } else { usize::MAX },
                moment: if is_tree { MOMENT } else { Duration::MAX },
                cancel,
                chunks: Mutex::new(Some(walk.par_chunks(needs))),
            }),
        })
    }

    /// Finds the next entries: their names and types, and the fields that were named.
    #[napi]
    pub fn next(&self, sync: bool) -> Result<JobResult> {
        let shared = Arc::clone(&self.shared);
        answer(sync, move || shared.next())
    }
}
