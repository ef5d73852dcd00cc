//! What the programs `brisk-scan` and `brisk-look` take from this library. It is no interface for
//! other crates.

pub use crate::diff::run as run_diff;
pub use crate::du::{Interactive, run_looking as run_du};
pub use crate::front::Refusal;
pub use crate::front::messages::{Caller, cannot, cause, error_text, unnumbered};
pub use crate::front::progress::{Messenger, grouped};
pub use crate::front::standard::{eprint_stats, print};
pub use crate::scan::flags::{Form, Options, read_unit as unit_options};
pub use crate::scan::run as run_scan;
pub use crate::show::bars::{bar, share};
pub use crate::show::fields::FieldsByType;
pub use crate::show::freed::is_bound;
pub use crate::show::json::{
    Object, line as object_line, name_of, of as object, paths as path_list,
};
pub use crate::show::names::{give_name, with_name};
pub use crate::show::palette::{Paint, of_share as paint_of_share, of_size as paint_of_size};
pub use crate::show::quoting::quoted;
pub use crate::show::safe::append_name as append_safe;
pub use crate::show::size::Scale;
pub use crate::show::time::rfc3339::write_utc;
pub use crate::system::{Owner, file_system, host_name, root};
pub use crate::write::file::open as open_output;
pub use crate::write::out::{Descriptor, output_is_terminal};
