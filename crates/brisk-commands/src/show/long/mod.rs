//! The long line of an entry, and its name as every listing shows it: quoted, painted, linked,
//! marked.

mod clock;
mod dired;
mod icons;
mod item;
mod pen;
mod sheet;

pub(crate) use clock::{Clock, TimeStyle};
pub(crate) use item::{Item, Page};
pub(crate) use pen::{Indicator, Naming, Pen};
pub(crate) use sheet::{Columns, Sheet, Widths};
