//! `briskfs`: brisk for Node. Everything that walks, stats, copies or removes is in the engine.
//! What is here calls the engine in a thread of libuv's and packs what it returns; index.js, which
//! alone calls this, makes objects of that.

// In a build for Rust's tests napi exports nothing, and all of this would be unused.
#![cfg(all(unix, not(test)))]

mod changed;
mod copy;
mod fields;
mod job;
mod packed;
mod remove;
mod usage;
mod walk;
mod watch;
