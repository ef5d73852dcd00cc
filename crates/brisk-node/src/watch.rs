//! [`ChangeStream`]: what `watch` calls: the next batch of changes, which a thread of its own waits for.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::Duration;

use brisk::Cancel;
use brisk_state::{Batches, ChangeBatch, Rescan, RescanError, Waker};
use brisk_sys::paths::bytes_to_path;
use brisk_sys::threads::lock;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, Result};
use napi_derive::napi;

use crate::changed::{ChangeOptions, failure, pack};
use crate::job::{JobResult, answer};
use crate::packed::Packed;

/// Batches of changes in trees.
#[napi]
pub struct ChangeStream {
    pulled: Arc<Pulled>,
}

struct Pulled {
    file: Option<PathBuf>,
    settle: Duration,
    cancel: Cancel,
    /// What is watched, until that has begun.
    rescan: Mutex<Option<Rescan>>,
    batches: Mutex<Option<Batches>>,
    waker: Mutex<Option<Waker>>,
}

#[napi]
impl ChangeStream {
    #[napi(constructor)]
    pub fn new(
        roots: Vec<Uint8Array>,
        file: Option<Uint8Array>,
        settle: u32,
        options: ChangeOptions,
    ) -> ChangeStream {
        let roots: Vec<_> = roots.iter().map(|root| bytes_to_path(root).to_owned()).collect();
        let ChangeOptions { content, ctime, renames } = options;
        let cancel = Cancel::new();
        let rescan =
            Rescan { content, ctime, renames, cancel: cancel.clone(), ..Rescan::over(roots) };
        let pulled = Pulled {
            file: file.map(|file| bytes_to_path(&file).to_owned()),
            settle: Duration::from_millis(settle.into()),
            cancel,
            rescan: Mutex::new(Some(rescan)),
            batches: Mutex::default(),
            waker: Mutex::default(),
        };
        ChangeStream { pulled: Arc::new(pulled) }
    }

    /// A promise of the next batch. The last one is accepted.
    #[napi]
    pub fn next<'env>(&self, env: &'env Env) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let pulled = Arc::clone(&self.pulled);
        // It may wait for long, and libuv has four threads.
        let thread = Builder::new().name("brisk-watch".to_owned()).spawn(move || {
            let packed = pulled.next().unwrap_or_else(|why| failure(&why).into());
            deferred.resolve(move |_| Ok(packed.into_found()));
        });
        thread?;
        Ok(promise)
    }

    /// Ends the wait.
    #[napi]
    pub fn close(&self) {
        self.pulled.cancel.now();
        lock(&self.pulled.waker).iter().for_each(Waker::wake);
    }

    /// Saves what was accepted, after `close`.
    #[napi]
    pub fn save(&self) -> Result<JobResult> {
        let pulled = Arc::clone(&self.pulled);
        answer(false, move || {
            let saved = lock(&pulled.batches).take().map_or(Ok(()), |mut batches| batches.save());
            saved.map_or_else(|why| failure(&why).into(), |()| Packed::default())
        })
    }
}

impl Pulled {
    fn next(&self) -> std::result::Result<Packed, RescanError> {
        let mut batches = lock(&self.batches);
        if let Some(rescan) = lock(&self.rescan).take() {
            let new = Batches::new(rescan, self.file.as_deref(), self.settle)?;
            *lock(&self.waker) = Some(new.waker());
            *batches = Some(new);
        }
        let batch = batches.as_mut().map_or(Ok(None), |batches| batches.next(None))?;
        Ok(batch.map_or_else(|| Packed { done: true, ..Packed::default() }, packed))
    }
}

/// The reason, the changes, and the parts that were scanned, with their reasons.
fn packed(batch: &ChangeBatch) -> Packed {
    let mut packed = Packed::default();
    packed.push_text(batch.reason().unwrap_or_default().as_bytes());
    pack(&batch.report, &mut packed);
    for (path, why) in batch.parts() {
        packed.push_text(path.as_os_str().as_encoded_bytes());
        packed.push_text(why.as_bytes());
    }
    packed
}
