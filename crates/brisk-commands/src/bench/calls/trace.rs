//! A whole trace: which calls ask a file system about which entry, counted by kind and by entry, and
//! how many of them followed one another.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead};
use std::time::Duration;

use super::findings::Findings;
use super::strace::{Call, Request, StraceLines, place};

/// The calls that are traced: those that name an entry (strace's `%file`), list a directory, or ask
/// about or change what is open; and those that make a thread or wait for one. A `?` stands before a
/// call that not every machine has.
pub(super) const TRACED: &str = "trace=%file,?getdents,?getdents64,?fstat,?fstat64,?fstatfs,\
    ?fstatfs64,?fchdir,?fchmod,?fchown,?fchown32,?ftruncate,?ftruncate64,?fgetxattr,?fsetxattr,\
    ?flistxattr,?fremovexattr,?fsync,?fdatasync,?fork,?vfork,?clone,?clone3,?wait4,?waitpid,?waitid,\
    ?io_uring_enter";

/// The calls of one kind.
#[derive(Debug, Default)]
pub(super) struct CallKind {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) took: Duration,
    pub(super) entries: HashSet<Vec<u8>>,
}

/// A thread, or a process with one thread.
#[derive(Clone, Debug, Default)]
struct Thread {
    /// Its current directory. Threads of a process share theirs, which strace writes with AT_FDCWD.
    directory: Vec<u8>,
    /// Requests that were made one after another until now: by this thread, by its parent before this
    /// thread began, and by children that this thread has waited for.
    chain: u64,
}

/// What has been read of a trace.
#[derive(Debug, Default)]
pub(super) struct Trace {
    lines: StraceLines,
    threads: HashMap<u32, Thread>,
    /// The first thread before its first call.
    first: Thread,
    /// How many calls were about each entry.
    pub(super) entries: HashMap<Vec<u8>, u64>,
    pub(super) kinds: BTreeMap<String, CallKind>,
    pub(super) findings: Findings,
    /// Whether the program itself was started.
    pub(super) has_begun: bool,
}

impl Trace {
    /// Reads a trace to its end; `note` gets the number of requests from time to time.
    pub(super) fn read(
        source: impl BufRead,
        start: Vec<u8>,
        mut note: impl FnMut(u64),
    ) -> io::Result<Trace> {
        let first = Thread { directory: start, chain: 0 };
        let mut trace = Trace { first, ..Trace::default() };
        for (at, line) in (1_u64..).zip(source.split(b'\n')) {
            trace.take(&String::from_utf8_lossy(&line?));
            if at.is_multiple_of(4096) {
                note(at);
            }
        }
        Ok(trace)
    }

    fn take(&mut self, line: &str) {
        let Some((thread, text)) = self.lines.whole(line) else { return };
        let Some(call) = Call::parse(thread, &text) else { return };
        // The first call of a thread can be written before the end of the call that made it.
        self.begin(thread, self.lines.cloning());
        match call.name {
            "fork" | "vfork" | "clone" | "clone3" => self.begin(child(&call), Some(thread)),
            "wait4" | "waitpid" | "waitid" => self.join(thread, child(&call)),
            "io_uring_enter" => self.findings.rings += 1,
            // Asks no file system.
            "getcwd" => {}
            _ => self.request(&call),
        }
    }

    fn begin(&mut self, thread: u32, parent: Option<u32>) {
        if !self.threads.contains_key(&thread) {
            let parent = parent.and_then(|parent| self.threads.get(&parent));
            self.threads.insert(thread, parent.unwrap_or(&self.first).clone());
        }
    }

    /// A thread has waited for a child to end, so what it does next comes after what the child did.
    fn join(&mut self, thread: u32, child: u32) {
        let chain = self.threads.get(&child).map_or(0, |it| it.chain);
        let own = self.threads.get_mut(&thread).expect("BUG: the thread has begun");
        own.chain = own.chain.max(chain);
    }

    fn request(&mut self, call: &Call<'_>) {
        let own = self.threads.get_mut(&call.thread).expect("BUG: the thread has begun");
        own.chain += 1;
        if let Some(here) = call.arguments.first().filter(|it| it.starts_with("AT_FDCWD<")) {
            own.directory = place(here);
        }
        let request = Request::of(call, &own.directory);
        if ["chdir", "fchdir"].contains(&call.name) && call.number() == 0 {
            own.directory.clone_from(&request.path);
        }
        self.has_begun |= call.name.starts_with("execve") && call.number() == 0;
        *self.entries.entry(request.path.clone()).or_default() += 1;
        let kind = self.kinds.entry(call.name.to_owned()).or_default();
        kind.calls += 1;
        kind.failed += u64::from(call.error().is_some());
        kind.took += call.took;
        kind.entries.insert(request.path.clone());
        self.findings.take(&request);
    }

    /// All requests.
    pub(super) fn calls(&self) -> u64 {
        self.entries.values().sum()
    }

    /// The most requests that followed one another.
    pub(super) fn chain(&self) -> u64 {
        self.threads.values().map(|thread| thread.chain).max().unwrap_or(0)
    }

    /// The entries that were asked about most often, with the numbers of calls.
    pub(super) fn busiest(&self, most: usize) -> Vec<(&[u8], u64)> {
        let entries = self.entries.iter().map(|(path, calls)| (&**path, *calls));
        let mut entries: Vec<(&[u8], u64)> = entries.collect();
        entries.sort_unstable_by_key(|(path, calls)| (std::cmp::Reverse(*calls), *path));
        entries.truncate(most);
        entries
    }
}

/// The thread that a call has made or waited for; 0 for none. waitid(2) does not return it.
fn child(call: &Call<'_>) -> u32 {
    let told = call.arguments.get(2).and_then(|it| it.split_once("si_pid="));
    let digits = told.and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
    digits.or(u32::try_from(call.number()).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::strace::tests::in_hex;
    use super::*;

    fn trace(text: &str) -> Trace {
        Trace::read(in_hex(text).as_bytes(), b"/start".to_vec(), |_| {}).expect("read")
    }

    /// A process, a thread of it, and a child, whose first call stands before the end of the call that
    /// made it.
    #[test]
    fn paths_follow_each_thread_s_directory() {
        let trace = trace(
            "1 execve(\"/bin/x\", [\"x\"], 0x7 /* 3 vars */) = 0 <0.1>\n\
             1 access(\"./a//b\", R_OK) = -1 ENOENT (No such file) <0.1>\n\
             1 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD, exit_signal=0}, 88) = 2 <0.1>\n\
             1 vfork( <unfinished ...>\n\
             3 chdir(\"d\") = 0 <0.1>\n\
             1 <... vfork resumed>) = 3 <0.1>\n\
             3 readlink(\"l\", \"x\", 9) = 1 <0.1>\n\
             2 newfstatat(AT_FDCWD</start>, \"/away\", {st_mode=S_IFDIR}, 0) = 0 <0.1>\n\
             1 chdir(\"/away\") = 0 <0.1>\n\
             1 unlink(\"f\") = 0 <0.1>\n\
             1 openat(5</t>, \"g\", O_RDONLY) = 6</t/g> <0.1>\n\
             1 newfstatat(6</t/g>, \"\", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0 <0.1>\n\
             1 symlink(\"to\", \"s\") = 0 <0.1>\n\
             1 fgetxattr(6</t/g>, \"user.x\", 0x7, 9) = -1 ENODATA (No data) <0.1>\n\
             1 getcwd(\"/away\", 9) = 6 <0.1>\n\
             1 rename(\"/a\", \"/b\") = 0 <0.1>\n",
        );
        let mut paths: Vec<&[u8]> = trace.entries.keys().map(|path| &**path).collect();
        paths.sort_unstable();
        let expected = [
            "/a",
            "/away",
            "/away/f",
            "/away/s",
            "/bin/x",
            "/start/a/b",
            "/start/d",
            "/start/d/l",
            "/t/g",
        ];
        assert_eq!(paths, expected.map(str::as_bytes));
        assert_eq!((trace.calls(), trace.entries.len(), trace.has_begun), (12, 9, true));
        assert_eq!(trace.busiest(1), [(&b"/t/g"[..], 3)]);
        let access = &trace.kinds["access"];
        assert_eq!((access.calls, access.failed, access.entries.len()), (1, 1, 1));
        assert_eq!(access.took, Duration::from_millis(100));
    }

    #[test]
    fn a_chain_goes_through_children_that_were_waited_for() {
        let begun = "1 mkdir(\"a\", 0777) = 0 <0.1>\n1 fork() = 2 <0.1>\n1 fork() = 3 <0.1>\n\
                     2 rmdir(\"b\") = 0 <0.1>\n2 rmdir(\"c\") = 0 <0.1>\n3 rmdir(\"d\") = 0 <0.1>\n";
        assert_eq!(trace(begun).chain(), 3);
        let ended = "1 mkdir(\"e\", 0777) = 0 <0.1>\n";
        assert_eq!(trace(&format!("{begun}{ended}")).chain(), 3, "beside its children");
        let waited = "1 wait4(-1, [{WIFEXITED(s)}], 0, NULL) = 2 <0.1>\n";
        assert_eq!(trace(&format!("{begun}{waited}{ended}")).chain(), 4);
        let waited =
            "1 waitid(P_PID, 3, {si_signo=SIGCHLD, si_pid=3, si_uid=0}, WEXITED, NULL) = 0\n";
        assert_eq!(trace(&format!("{begun}{waited}{ended}")).chain(), 3);
    }
}
