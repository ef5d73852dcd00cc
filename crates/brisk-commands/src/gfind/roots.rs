//! Where a search begins, if the names are in a file: `-files0-from`.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};

use super::outputs::identity;
use crate::front::list::List;
use crate::show::quoting::as_argument;
use crate::show::safe::path_bytes;

/// Reads names that end in NULs. In the place of a name that is none there is a message. `asks`:
/// answers are read from standard input.
///
/// # Errors
/// The message about a file that cannot be opened, or that is standard input where that is read.
pub(super) fn read(file: &OsStr, asks: bool) -> Result<Vec<Result<OsString, String>>, String> {
    let name = as_argument(if file == "-" { b"(standard input)" } else { path_bytes(file) });
    let starts = RefCell::new(Vec::new());
    let complain = |why: &str| starts.borrow_mut().push(Err(why.to_owned()));
    let list = List::named(file, [&name, &name], None, complain);
    if !list.is_fine() {
        return Err(starts.take().into_iter().find_map(Result::err).unwrap_or_default());
    }
    if asks && identity(file) == identity("/dev/stdin") {
        return Err(format!(
            "option -files0-from: standard input must not refer to the same file when combined with \
             -ok, -okdir: {name}\n"
        ));
    }
    list.for_each(|name| starts.borrow_mut().push(Ok(name.into())));
    Ok(starts.into_inner())
}
