//! One worker's way to the [`Sink`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use brisk::Flow;

use super::{Arrangement, Held, PATIENCE, SharedLines, Sink};
use crate::show::long::Page;
use crate::write::out::PIECE;
use brisk_sys::threads::lock;

/// One worker's lines.
pub(crate) struct Lines {
    sink: Arc<Sink>,
    /// Lines that are not handed over yet. Their keys are kept only while results are held back.
    own: Held,
    /// Whether results were still being held back when this worker last looked.
    holding: bool,
    /// Where other workers find its lines between two chunks, in a search that requests metadata.
    shared: Option<SharedLines>,
    /// Whether lines were shared since this worker last handed lines over.
    has_shared: bool,
    /// When this worker last had nothing to write.
    clean: Instant,
    /// How long this worker has waited for its output since [`Lines::waited`] was last called.
    waited: Duration,
}

impl Lines {
    /// A worker's way to the sink.
    pub(crate) fn new(sink: &Arc<Sink>) -> Lines {
        Lines {
            sink: Arc::clone(sink),
            own: Held::default(),
            holding: sink.is_holding(),
            shared: None,
            has_shared: false,
            clean: sink.started,
            waited: Duration::ZERO,
        }
    }

    /// A way to the same sink for another worker.
    pub(crate) fn fork(&self) -> Lines {
        Lines::new(&self.sink)
    }

    /// For a search that asks for metadata: while this worker waits for an answer, other workers
    /// can write its lines.
    pub(crate) fn sharing(mut self) -> Lines {
        if self.streams() {
            let shared = SharedLines::default();
            let mut all = lock(&self.sink.shared);
            all.push(Arc::clone(&shared));
            drop(all);
            self.shared = Some(shared);
        }
        self
    }

    /// Swaps the private buffer with the shared one: lines are shared between two calls with entries,
    /// and private within one. One of the buffers is always empty.
    #[inline]
    fn exchange(&mut self) {
        if let Some(shared) = &self.shared {
            let mut shared = lock(shared);
            std::mem::swap(&mut *shared, &mut self.own.bytes);
        }
    }

    /// Says that entries of a directory come.
    #[inline]
    pub(crate) fn begin_entries(&mut self) {
        if !self.holding {
            self.exchange();
        }
    }

    /// Whether lines need a key.
    #[inline]
    pub(crate) fn are_held(&self) -> bool {
        self.holding
    }

    /// Where the caller leaves results whose lines are not made yet.
    pub(crate) fn page(&mut self) -> &mut Page {
        &mut self.own.page
    }

    /// Makes the lines of these results.
    pub(crate) fn make(&mut self, write: impl FnOnce(&Page, &mut Vec<u8>)) {
        write(&self.own.page, &mut self.own.bytes);
        self.own.page.clear();
    }

    /// Where the caller appends a line and its end.
    #[inline]
    pub(crate) fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.own.bytes
    }

    /// Says that the line of this path was appended.
    pub(crate) fn end_line(&mut self, key: &[u8]) {
        if self.holding {
            self.own.end_line(key);
        }
    }

    /// Says that these entries are done.
    #[inline]
    pub(crate) fn end_entries(&mut self) -> Flow {
        if self.own.bytes.len() < PIECE && !self.holding && self.streams() {
            self.has_shared |= !self.own.bytes.is_empty();
            self.exchange();
            return Flow::Continue;
        }
        self.hand_over()
    }

    #[inline]
    fn streams(&self) -> bool {
        self.sink.arrangement != Arrangement::InTurn
    }

    /// Moves all lines towards standard output, and counts the time that this takes.
    fn hand_over(&mut self) -> Flow {
        let began = Instant::now();
        let flow = self.move_on();
        self.note_wait(began.elapsed());
        flow
    }

    /// Counts time spent on output.
    pub(crate) fn note_wait(&mut self, time: Duration) {
        self.waited += time;
    }

    /// How long this worker has waited for its output since the last call.
    pub(crate) fn waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// Moves all lines into the sink, or to standard output.
    fn move_on(&mut self) -> Flow {
        if self.holding {
            let flow = self.sink.hold(&mut self.own);
            self.holding = self.sink.is_holding();
            return flow;
        }
        let mut state = self.sink.lock();
        let flow = if self.streams() {
            let flow = state.out.write(&self.own.bytes);
            self.clean = self.sink.written(&state);
            flow
        } else {
            state.out.bytes.extend_from_slice(&self.own.bytes);
            state.out.end_line()
        };
        self.own.clear();
        flow
    }

    /// Says that the worker pauses between two units of work, or (`slow`) that its storage makes it
    /// wait anyway: lines that have waited long enough are written.
    pub(crate) fn pause(&mut self, slow: bool) -> Flow {
        if self.holding {
            if slow {
                self.sink.start_timer();
            }
            return self.hand_over();
        }
        if !self.streams() {
            return self.pause_in_turn(slow);
        }
        if self.shared.is_some() {
            return self.pause_sharing(slow);
        }
        if self.own.bytes.is_empty() {
            return Flow::Continue;
        }
        if slow || self.clean.elapsed() >= PATIENCE { self.hand_over() } else { Flow::Continue }
    }

    /// The pause where lines are shared between chunks: while the storage is slow, this worker writes
    /// the lines of all workers.
    fn pause_sharing(&mut self, slow: bool) -> Flow {
        let mut flow = Flow::Continue;
        if slow || (self.has_shared && self.clean.elapsed() >= PATIENCE) {
            self.has_shared = false;
            self.exchange();
            if !self.own.bytes.is_empty() {
                flow = self.hand_over();
            }
        }
        if slow && flow == Flow::Continue { self.sink.write_shared() } else { flow }
    }

    /// The pause where all workers share one buffer.
    fn pause_in_turn(&mut self, slow: bool) -> Flow {
        let mut state = self.sink.lock();
        let has_waited = || self.sink.written(&state).elapsed() >= PATIENCE;
        if !state.out.bytes.is_empty() && (slow || has_waited()) {
            return state.out.flush();
        }
        Flow::Continue
    }

    /// Hands over the last lines. [`Sink::finish`] reports what goes wrong.
    pub(crate) fn close(mut self) {
        self.begin_entries();
        let _ = self.hand_over();
    }
}
