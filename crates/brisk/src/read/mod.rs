//! From an open directory to entries of which everything wanted is known.
//!
//! ```text
//!   open ─► bulk (read) ─► classify: type known? ─► select ─► plan ─► fetch ─┐
//!     │                      (else fetch)   Drop, Enter, Take                ├─► emit
//!     └─ loops                    … the next record …                        │
//!                            batches: slow requests go to other workers ◄────┘
//! ```

pub(crate) mod batches;
pub(crate) mod buffers;
pub(crate) mod bulk;
pub(crate) mod classify;
pub(crate) mod fetch;
pub(crate) mod guard;
pub(crate) mod lacking;
pub(crate) mod loops;
pub(crate) mod open;
pub(crate) mod post;
pub(crate) mod reach;
