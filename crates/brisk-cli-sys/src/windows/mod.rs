//! Windows: the interrupt key, the console.

pub mod console;
pub mod group;
// Windows has a locale of its own, but no strcoll that agrees with other systems'.
pub mod holders;
#[path = "../other/locale.rs"]
pub mod locale;
pub mod signals;
pub mod standard;
pub mod waiting;
