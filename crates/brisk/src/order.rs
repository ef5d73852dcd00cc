//! Depth-first and sorted walks: read ahead in parallel, hand on in turn.
//!
//! The calling thread hands on: it goes through the tree in order, and every directory it comes to is
//! read already, being read, or still to be read, which it then does itself. Other workers read ahead,
//! always the unread directory whose turn comes next, until what is out of turn fills its bound.
//!
//! ```text
//!   readers ──► claim the next unread directory ──► Gathering ──► Contents in its slot
//!                       ▲ ordered by turn                             │
//!                       └────────── directories among the entries ◄───┤
//!   caller  ──► entries up to a subdirectory ──► its slot: ready? ────┘  else read it, or help
//! ```
//!
//! The bound cannot deadlock: the directory whose turn it is needs no room under it, because the
//! caller reads that one itself if nobody else has begun.

mod ahead;
mod emit;
mod place;
mod turns;

pub(crate) use emit::Emission;
pub(crate) use place::{Claim, Filled, Place};
pub(crate) use turns::Turns;
