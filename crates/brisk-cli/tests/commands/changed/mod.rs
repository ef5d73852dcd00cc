//! `brisk changed`: each sentence of its contract, and random edits in a real repository against a
//! comparison by content and against git.

mod builds;
mod commands;
mod contents;
mod edits;
mod faults;
mod moving;
mod output;
mod places;
mod roots;
mod rounds;
mod rules;
mod scene;
#[path = "../../attacks/seed.rs"]
mod seed;
mod snapshot;
mod states;
mod ticks;
mod watch;
