//! The requests of one run of brisk to the kernel and to the allocator.

use std::collections::BTreeMap;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::corpora::Corpora;

/// Every call on a path, the calls on handles that a walk and a copy make, and writes. A leading `?`
/// tells strace that an architecture may lack the call.
const TRACED: &str = "trace=%file,getdents64,close,?fstat,fstatfs,write,copy_file_range,lseek,\
                      ftruncate,fchmod,fchown,flistxattr,fgetxattr,fsetxattr";

/// Words that are added to every command line: one worker, and lines that are not held back,
/// because the end of holding back depends on the clock.
fn always(command: &str) -> &'static [&'static str] {
    match command {
        "ls" | "changed" | "cp" | "du" => &["--threads=1"],
        _ => &["-j1", "--max-buffer-time=0"],
    }
}

/// A command line: the assignments `NAME=value` before it, and its words.
fn split(command: &str) -> (Vec<(String, String)>, Vec<String>) {
    let words = shlex::split(command).unwrap();
    let is_variable = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| {
            name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    let count = words.iter().take_while(is_variable).count();
    let pair = |word: &String| word.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
    (words[..count].iter().filter_map(pair).collect(), words[count..].to_vec())
}

/// Names of statx's mask bits, in their order.
const MASK: &[&str] = &[
    "TYPE", "MODE", "NLINK", "UID", "GID", "ATIME", "MTIME", "CTIME", "INO", "SIZE", "BLOCKS",
    "BTIME", "MNT_ID",
];

/// Counter to value.
pub type Counts = BTreeMap<String, i64>;

/// One traced system call.
#[derive(Debug)]
pub struct Call {
    pub name: String,
    /// From the opening parenthesis on.
    pub rest: String,
}

impl Call {
    /// `12  statx(3, "a", 0x900, 0x200, …` → name and rest; `None` for lines that begin no call.
    fn parse(line: &str) -> Option<Call> {
        let (_, call) = line.split_once(char::is_whitespace)?;
        let (name, rest) = call.trim_start().split_once('(')?;
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        // A statx of a handle by AT_STATX_DONT_SYNC stands before an fstatfs, and may replace it.
        let is_fstatfs = name == "statx" && rest.contains("\"\", 0x4000|0x1000");
        let name = if is_fstatfs { "fstatfs" } else { name };
        is_name.then(|| Call { name: name.to_owned(), rest: rest.to_owned() })
    }

    /// The argument at `index`; the corpora have no names with commas. (strace 6.1 writes flags
    /// that follow none as `|0x900`.)
    pub fn argument(&self, index: usize) -> &str {
        self.rest.split(", ").nth(index).unwrap_or_default().trim_start_matches('|')
    }

    /// The fields that a statx asks for: `MTIME|SIZE`, or `-` for those that every answer brings
    /// (the device).
    pub fn mask(&self) -> String {
        let hex = self.argument(3).trim_start_matches("0x");
        let mask = u32::from_str_radix(hex, 16).unwrap_or_default();
        let bit = |(index, name): (usize, &&'static str)| (mask >> index & 1 == 1).then_some(*name);
        let names: Vec<&str> = MASK.iter().enumerate().filter_map(bit).collect();
        if names.is_empty() { "-".to_owned() } else { names.join("|") }
    }

    /// Whether the call is about a path outside `scratch`, by name or by handle (`3</etc/passwd>`):
    /// such calls are the system's, and differ between machines.
    fn is_elsewhere(&self, scratch: &Path) -> bool {
        let scratch = scratch.to_str().unwrap();
        let by_path = ["\"/", "</"].iter().any(|before| {
            let mut absolute = self.rest.match_indices(before).map(|(at, _)| &self.rest[at + 1..]);
            absolute.any(|path| !path.starts_with(scratch) && !path.starts_with("/proc/self/fd/"))
        });
        // A socket to the system's directory of users; or, after a failed statx, the question
        // whether the call exists, which a library asks once.
        by_path
            || self.rest.contains("<socket:")
            || self.name == "statx" && self.argument(1) == "NULL"
    }

    /// Whether the call read a directory and returned that there is no more. The number of such
    /// reads depends on the file system: see `end.rs` in brisk-sys.
    pub fn ends_directory(&self) -> bool {
        self.name == "getdents64" && self.rest.ends_with(" = 0")
    }

    /// The name under which the call is counted; for a statx, with its mask.
    fn counter(&self) -> String {
        match self.name.as_str() {
            "statx" => format!("statx {}", self.mask()),
            // By number where strace is older than the call; by path on older kernels.
            "listxattrat" | "syscall_0x1d1" | "listxattr" | "llistxattr" => "listxattr".to_owned(),
            "getxattrat" | "syscall_0x1d0" | "getxattr" | "lgetxattr" => "getxattr".to_owned(),
            name => name.to_owned(),
        }
    }
}

/// Why system calls cannot be counted here, if they cannot.
pub fn no_strace() -> Option<String> {
    let run = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    match run {
        Ok(output) if output.status.success() => None,
        Ok(output) => Some(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Some(format!("strace: {error}")),
    }
}

/// `program` in the corpus, with the command's words after it and without this user's environment.
fn prepared(corpora: &Corpora, program: &str, command: &str, corpus: &str) -> Command {
    // What cp makes.
    let _ = fs::remove_dir_all(corpora.path("copy"));
    let mut prepared = Command::new(program);
    prepared
        .current_dir(corpora.path(corpus))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", corpora.path("home"))
        .env("TZ", "UTC")
        .stdin(Stdio::null());
    if program != env!("CARGO_BIN_EXE_brisk") {
        let file = corpora.path("trace");
        prepared.args(["-f", "-qq", "-y", "-X", "raw", "-e", TRACED, "-o"]).arg(file);
        prepared.arg(env!("CARGO_BIN_EXE_brisk"));
    }
    let (variables, words) = split(command);
    prepared.envs(variables).args(&words).args(always(&words[0]));
    prepared
}

fn run(mut command: Command) -> Vec<u8> {
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {complaint}");
    output.stdout
}

/// The system calls of a whole run in the corpora or on the standard streams, in their order.
pub fn calls(corpora: &Corpora, command: &str, corpus: &str) -> Vec<Call> {
    run(prepared(corpora, "strace", command, corpus));
    let trace = fs::read_to_string(corpora.path("trace")).unwrap();
    let scratch = corpora.path("");
    let calls = trace.lines().filter_map(Call::parse);
    calls.filter(|call| !call.is_elsewhere(&scratch)).collect()
}

/// strace's output for a run in which tracing slows every call, with as many workers as pay.
pub fn whole_trace(corpora: &Corpora, command: &str, corpus: &str) -> String {
    let (file, (variables, words)) = (corpora.path("trace"), split(command));
    let mut traced = Command::new("strace");
    traced
        .current_dir(corpora.path(corpus))
        .env("HOME", corpora.path("home"))
        .envs(variables)
        .args(["-f", "-qq", "-o"])
        .arg(&file)
        .arg(env!("CARGO_BIN_EXE_brisk"))
        .args(words)
        .stdin(Stdio::null());
    run(traced);
    fs::read_to_string(file).unwrap()
}

/// The command's own counts, from `--stats=json`.
pub fn stats(corpora: &Corpora, command: &str, corpus: &str) -> serde_json::Value {
    let output = prepared(corpora, env!("CARGO_BIN_EXE_brisk"), command, corpus).output().unwrap();
    serde_json::from_slice(&output.stderr).unwrap()
}

/// The command's output.
pub fn printed(corpora: &Corpora, command: &str, corpus: &str) -> String {
    let printed = run(prepared(corpora, env!("CARGO_BIN_EXE_brisk"), command, corpus));
    String::from_utf8(printed).unwrap()
}

/// What each write to standard output wrote. The output is a socket of datagrams, which keeps
/// writes apart and makes none of them slower.
pub fn written_pieces(corpora: &Corpora, command: &str, corpus: &str) -> Vec<Vec<u8>> {
    let (reader, writer) = UnixDatagram::pair().unwrap();
    reader.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut prepared = prepared(corpora, env!("CARGO_BIN_EXE_brisk"), command, corpus);
    let mut child = prepared.stdout(OwnedFd::from(writer)).spawn().unwrap();
    // It holds the other end.
    drop(prepared);
    let mut pieces = Vec::new();
    let mut room = vec![0; 1 << 20];
    loop {
        let has_ended = child.try_wait().unwrap();
        match reader.recv(&mut room) {
            Ok(length) if length > 0 => pieces.push(room[..length].to_vec()),
            _ if has_ended.is_some() => break,
            _ => {}
        }
    }
    assert!(child.wait().unwrap().success(), "{command}");
    pieces
}

fn allocations(corpora: &Corpora, command: &str, corpus: &str) -> i64 {
    let report = corpora.path("allocations");
    let mut prepared = prepared(corpora, env!("CARGO_BIN_EXE_brisk"), command, corpus);
    prepared.env("BRISK_COUNT_ALLOCATIONS", &report);
    run(prepared);
    read_number(&report)
}

fn read_number(path: &Path) -> i64 {
    let text = fs::read_to_string(path).unwrap();
    fs::remove_file(path).unwrap();
    text.parse().unwrap()
}

/// The system calls of a whole run, by kind.
fn requests(corpora: &Corpora, command: &str, corpus: &str) -> Counts {
    let mut counts = Counts::new();
    let counted = |call: &Call| call.name != "write" && !call.ends_directory();
    for call in calls(corpora, command, corpus).into_iter().filter(counted) {
        *counts.entry(call.counter()).or_default() += 1;
    }
    counts
}

/// What a command costs in an empty directory, measured once. The allocations are the least of
/// three runs, because a busy machine may give output a thread of its own.
fn bare(corpora: &Corpora, command: &str) -> Counts {
    if let Some(known) = corpora.bare.borrow().get(command) {
        return known.clone();
    }
    let mut counts = requests(corpora, command, "empty");
    let least = (0..3).map(|_| allocations(corpora, command, "empty")).min().unwrap();
    counts.insert("allocations".to_owned(), least);
    corpora.bare.borrow_mut().insert(command.to_owned(), counts.clone());
    counts
}

/// The cost of the corpus to the command, beyond its start and an empty directory.
pub fn counts(corpora: &Corpora, command: &str, corpus: &str) -> Counts {
    let mut counts = requests(corpora, command, corpus);
    counts.insert("allocations".to_owned(), allocations(corpora, command, corpus));
    for (counter, count) in bare(corpora, command) {
        *counts.entry(counter).or_default() -= count;
    }
    counts.retain(|_, count| *count != 0);
    counts
}
