//! How much memory this process may still take: by the machine, its control groups and its own
//! limit.

use std::fs::read_to_string;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::OnceLock;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use rustix::process::Resource;

use super::limits::limit_on;

/// How many bytes this process may take before the system runs short or refuses; `None` if the
/// system does not report it. The call reads about ten small files of `/proc` and `/sys`, which is
/// too much for every walk.
#[must_use]
pub fn available() -> Option<u64> {
    let limits = [machine(), control_group(), own()];
    limits.into_iter().flatten().min()
}

/// How many bytes of files wait to be written to devices, or are being written. `None` if the
/// system does not report it. The call reads `/proc/meminfo`.
#[must_use]
pub fn dirty() -> Option<u64> {
    let told = read_to_string("/proc/meminfo").ok()?;
    Some(kibibytes(&told, "Dirty:")? + kibibytes(&told, "Writeback:")?)
}

fn machine() -> Option<u64> {
    kibibytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// Gives memory that was freed back to the system, for programs that go on for long. With glibc
/// one madvise or more; elsewhere none.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: the call only concerns memory that nothing uses.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The number in a line of a text of `/proc`, converted from KiB to bytes.
fn kibibytes(told: &str, key: &str) -> Option<u64> {
    let line = told.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// The bytes left in the fullest control group of this process: one of version 2, or the one of
/// version 1 that a container sees as its root.
fn control_group() -> Option<u64> {
    let mounted = Path::new("/sys/fs/cgroup");
    let told = read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = told.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let groups = Path::new(own).ancestors().map(|group| mounted.join(group));
    let second = groups.filter_map(|group| left(&group, "memory.max", "memory.current"));
    let first = left(&mounted.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes");
    second.chain(first).min()
}

/// The bytes that a control group has left. File pages that were not used recently count as free.
fn left(group: &Path, limit: &str, usage: &str) -> Option<u64> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let stat = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let inactive = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok());
    Some(number(limit)?.saturating_sub(number(usage)?.saturating_sub(inactive.unwrap_or(0))))
}

/// The bytes left below this process's limit on its address space.
fn own() -> Option<u64> {
    let limit = address_limit()?;
    let told = read_to_string("/proc/self/status").ok()?;
    Some(limit.saturating_sub(kibibytes(&told, "VmSize:")?))
}

/// This process's limit on its address space (`ulimit -v`), in bytes, as it was at the first call.
/// `None` if there is none, or if the system does not report it. One getrlimit, in the first call.
#[must_use]
pub fn address_limit() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| limit_on(Resource::As)?.current)
}

/// Whether this process can map `bytes` more. System calls: one getrlimit, in the first call; with
/// a limit on the address space, also mmap and munmap.
#[must_use]
pub fn has_room(bytes: usize) -> bool {
    if address_limit().is_none() {
        return true;
    }
    // SAFETY: the kernel chooses an address that nothing uses.
    let mapped =
        unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::empty(), MapFlags::PRIVATE) };
    // SAFETY: these bytes were mapped above, and nothing refers to them.
    mapped.is_ok_and(|start| unsafe { munmap(start, bytes) }.is_ok())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_was_just_written_is_dirty() {
        use std::io::Write;
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(&vec![1; 8 << 20]).expect("written");
        assert!(super::dirty().expect("it has /proc") > 1 << 20);
    }

    #[test]
    fn a_machine_tells_how_much_is_left() {
        let available = super::available().expect("it has /proc");
        assert!(available > 1 << 20);
    }

    #[test]
    fn without_a_limit_there_is_room() {
        if super::address_limit().is_none() {
            assert!(super::has_room(usize::MAX));
        }
    }
}
