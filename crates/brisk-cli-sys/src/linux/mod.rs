//! Linux: signals, the C library's locale, standard descriptors.
//!
//! Every other platform module must provide the same names: [`locale`], [`signals`], and the macro
//! `open_missing_before_main`.

pub mod locale;
pub mod signals;
pub mod standard;
