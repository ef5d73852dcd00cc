//! Calls of the engine off the main thread, and how they end early.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brisk::Cancel;
use napi::bindgen_prelude::{AsyncTask, Either};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

use crate::packed::{Packed, PackedObject};

/// Ends the calls that it was given to.
#[napi]
#[derive(Default)]
pub struct Stop {
    pub(crate) cancel: Cancel,
}

#[napi]
impl Stop {
    #[napi(constructor)]
    pub fn new() -> Stop {
        Stop::default()
    }

    #[napi]
    pub fn now(&self) {
        self.cancel.now();
    }
}

/// A call of the engine.
pub struct Job(Option<Box<dyn FnOnce() -> Packed + Send>>);

/// What the call has found, or a promise of that.
pub type JobResult = Either<PackedObject, AsyncTask<Job>>;

impl Task for Job {
    type Output = PackedObject;
    type JsValue = PackedObject;

    fn compute(&mut self) -> Result<PackedObject> {
        let work = self.0.take().expect("BUG: a job runs once");
        catch_unwind(AssertUnwindSafe(work)).map(Packed::into_found).map_err(|panic| {
            let words = panic.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
            Error::from_reason(format!("brisk panicked: {}", words.unwrap_or_default()))
        })
    }

    fn resolve(&mut self, _: Env, found: PackedObject) -> Result<PackedObject> {
        Ok(found)
    }
}

/// Runs `work` in one of libuv's threads, or at once on this one.
pub fn answer(sync: bool, work: impl FnOnce() -> Packed + Send + 'static) -> Result<JobResult> {
    let mut job = Job(Some(Box::new(work)));
    if sync { job.compute().map(Either::A) } else { Ok(Either::B(AsyncTask::new(job))) }
}
