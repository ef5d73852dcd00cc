//! On whose behalf this process acts.

/// The user on whose behalf this process acts. One geteuid.
#[must_use]
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The group of what this process makes, unless the directory says otherwise. One getegid.
#[must_use]
pub fn effective_group() -> u32 {
    rustix::process::getegid().as_raw()
}

/// Whether this process may give its files to a group: it is one of the user's. One getegid, two
/// getgroups.
#[must_use]
pub fn has_group(group: u32) -> bool {
    let others = rustix::process::getgroups().unwrap_or_default();
    group == effective_group() || others.iter().any(|it| it.as_raw() == group)
}
