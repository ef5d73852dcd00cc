//! `brisk find` beyond fd: what is printed, which entries are results, what it costs, how it ends, and
//! what acts on results.

#[cfg(target_os = "linux")]
mod colors;
mod costs;
#[cfg(target_os = "linux")]
mod delete;
#[cfg(target_os = "linux")]
mod delete_or_say;
#[cfg(target_os = "linux")]
mod details;
#[cfg(target_os = "linux")]
mod exclusions;
#[cfg(target_os = "linux")]
mod expressions;
mod failures;
mod filters;
#[cfg(target_os = "linux")]
mod git_settings;
mod index;
mod parts;
mod results;
mod scene;
mod words;
