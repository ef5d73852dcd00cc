//! Linux: memory, signals, the C library's locale, standard descriptors.
//!
//! Every other platform module must provide the same names: [`holders`], [`locale`], [`signals`],
//! [`waiting`].

#[cfg(feature = "count-allocations")]
pub mod allocations;
pub mod holders;
pub mod locale;
pub mod memory;
pub mod signals;
#[cfg(target_os = "linux")]
pub(crate) mod spawned;
pub mod standard;
pub mod waiting;
