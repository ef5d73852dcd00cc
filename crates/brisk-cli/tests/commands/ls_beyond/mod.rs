//! `brisk ls` where there is more than one call to compare: errors, slow storage, capabilities, and
//! what GNU ls does not have.
//!
//! The comparison of single calls with GNU ls is the test `ls`, whose tree is used here.

mod beyond;
mod errors;
mod slow;

#[path = "../../gnu/ls/case.rs"]
#[expect(dead_code, reason = "the test ls takes variables away")]
mod case;
#[path = "../../gnu/ls/gnu.rs"]
#[expect(dead_code, reason = "the test ls chooses cases")]
mod gnu;
#[path = "../../gnu/ls/run.rs"]
#[expect(dead_code, reason = "the test ls shows differences")]
mod run;
#[path = "../../gnu/ls/tree.rs"]
#[expect(dead_code, reason = "the test ls sets access times, makes a locale and random names")]
mod tree;
