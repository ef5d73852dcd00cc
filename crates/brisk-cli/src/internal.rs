//! What the program `brisk-scan` takes from this library. It is no interface for other crates.

pub use crate::common::fields::FieldsByType;
pub use crate::common::file::open as open_output;
pub use crate::common::filter::{Criteria, Filters};
pub use crate::common::json::{Object, of as object};
pub use crate::common::messages::{Caller, cannot, cause, told, unnumbered};
pub use crate::common::mounts::file_system;
pub use crate::common::names::{with_group, with_user};
pub use crate::common::options::Refusal;
pub use crate::common::progress::Report;
pub use crate::common::quoting::quoted;
pub use crate::common::standard::tell_stats;
pub use crate::common::stream::Descriptor;
pub use crate::common::time::rfc3339::write_utc;
pub use crate::common::{backend, changes::json::value as path_value, lock};
pub use crate::diff::run as run_diff;
pub use crate::scan::options::{Form, Options};
pub use crate::scan::run as run_scan;
pub use crate::system::{host_name, root, volume_of};
