//! Driving a walk: what a worker does from its first task to its last.
//!
//! ```text
//!   run ─► roots, or resume ─► tasks ─► queue ─► worker: pops a task, opens, reads, hands on
//!    │                           ▲                 │
//!    └─ steps: only while the    └── directories ──┘     worker: what each has,
//!       caller asks for more                             shared: what all workers share
//! ```

pub(crate) mod perform;
pub(crate) mod queue;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod shared;
pub(crate) mod steps;
pub(crate) mod task;
pub(crate) mod worker;
#[cfg(test)]
mod writes;
