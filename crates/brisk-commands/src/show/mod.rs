//! What entries look like: names and paths, sizes, modes, times, owners, templates and JSON.

pub(crate) mod bars;
pub(crate) mod changes;
pub(crate) mod fields;
pub(crate) mod freed;
pub(crate) mod hyperlink;
pub(crate) mod json;
pub(crate) mod long;
pub(crate) mod mode;
pub(crate) mod names;
pub(crate) mod palette;
pub(crate) mod quoting;
pub(crate) mod safe;
pub(crate) mod size;
pub(crate) mod template;
pub(crate) mod text;
pub(crate) mod time;
