//! Failures in GNU rm's words.

use brisk::remove::{Failure, Why};

use crate::common::messages::{cause, unnumbered};
use crate::common::quoting::in_message;

/// What went wrong: one line or two, without the program's name before them.
pub(super) fn failure(failure: &Failure) -> Vec<String> {
    let path = in_message(failure.path().as_os_str().as_encoded_bytes());
    match failure.why() {
        Why::System(error) => vec![format!("cannot remove {path}: {}", cause(error))],
        Why::Dots => {
            vec![format!("refusing to remove '.' or '..' directory: skipping {path}")]
        }
        Why::Root => {
            let also = if path == "'/'" { "" } else { " (same as '/')" };
            vec![
                format!("it is dangerous to operate recursively on {path}{also}"),
                "use --no-preserve-root to override this failsafe".to_owned(),
            ]
        }
        Why::Preserved => vec![
            format!("skipping {path}, since it's on a different device"),
            "and --preserve-root=all is in effect".to_owned(),
        ],
        Why::UnknownParent(error) => {
            let mut parent = failure.path().as_os_str().as_encoded_bytes().to_vec();
            parent.extend_from_slice(b"/..");
            let parent = in_message(&parent);
            vec![format!("failed to stat {parent}: skipping {path}: {}", cause(error))]
        }
        Why::OtherDevice => vec![format!("skipping {path}, since it's on a different device")],
        Why::Mounted => vec![format!("skipping {path}, since it's a mount point")],
        Why::LinkBehindSlash => vec![format!("cannot remove {path}: Not a directory")],
        Why::Swapped => vec![format!("skipping {path}, since it was swapped meanwhile")],
        _ => vec![unnumbered(failure)],
    }
}
