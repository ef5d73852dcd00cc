//! Standard descriptors that are missing: left to the Rust runtime.

/// Has the program open its missing standard descriptors before `main`: nothing to do here.
#[macro_export]
macro_rules! open_missing_before_main {
    () => {};
}
