//! [`DirFilter`]: the caller's answer to which directories a walk visits.

use std::fmt;
use std::sync::Arc;

use crate::Entry;

/// Which directories a walk visits: see [`Walk::filter_dir`](crate::Walk::filter_dir).
#[derive(Clone)]
pub(crate) struct DirFilter(pub Arc<dyn Fn(&Entry<'_>) -> bool + Send + Sync>);

impl DirFilter {
    pub fn keeps(&self, dir: &Entry<'_>) -> bool {
        (self.0)(dir)
    }
}

impl fmt::Debug for DirFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DirFilter")
    }
}
