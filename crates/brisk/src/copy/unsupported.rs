//! On systems other than Linux nothing is copied.

use std::io;

use super::{Copy, NotCopied, Observer, Pair, Report, Step};

pub(super) fn run(
    _: &Copy,
    pairs: impl IntoIterator<Item = Pair>,
    observer: &dyn Observer,
) -> Report {
    let mut report = Report::default();
    for Pair { source, destination, .. } in pairs {
        let error = Some(io::ErrorKind::Unsupported.into());
        let failure = NotCopied { step: Step::Stat, source, destination, error };
        observer.failed(&failure);
        report.add_failure(failure);
    }
    report
}
