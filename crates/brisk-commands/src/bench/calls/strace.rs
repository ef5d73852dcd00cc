//! What strace writes, a line at a time: whole calls, their arguments, paths, and answers.
//!
//! ```text
//! 15788 newfstatat(5<\x2f\x61>, "\x62", {st_mode=S_IFREG|0644, ...}, 0) = 0 <0.000008>
//! 15788 wait4(16004,  <unfinished ...>
//! 15788 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 16004 <0.002101>
//! ```
//!
//! With -y, strace writes what a descriptor stands for behind its number: `5</a>`. It has looked that up
//! in /proc, so the path is right whichever way the process got the descriptor. With -xx, each byte of a
//! path and of a text is `\xHH`, so these hold neither commas nor brackets.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

/// A call that has returned. All texts are strace's, with its quotes and escapes.
#[derive(Debug)]
pub(super) struct Call<'t> {
    pub(super) thread: u32,
    pub(super) name: &'t str,
    pub(super) arguments: Vec<&'t str>,
    /// What it returned: a number, and perhaps a path or the name of an error.
    pub(super) answer: &'t str,
    /// How long it took, with strace's own work.
    pub(super) took: Duration,
}

/// Joins the two lines of a call during which strace wrote lines of other threads.
#[derive(Debug, Default)]
pub(super) struct StraceLines {
    unfinished: HashMap<u32, String>,
}

impl StraceLines {
    /// The thread, and the text of the call that this line ends.
    pub(super) fn whole<'t>(&mut self, line: &'t str) -> Option<(u32, Cow<'t, str>)> {
        let (thread, text) = line.split_once(' ')?;
        let thread = thread.parse().ok()?;
        let text = text.trim_start();
        if let Some(begun) = text.strip_suffix(" <unfinished ...>") {
            self.unfinished.insert(thread, begun.to_owned());
            return None;
        }
        let Some(resumed) = text.strip_prefix("<... ") else {
            return Some((thread, text.into()));
        };
        let (_, rest) = resumed.split_once(" resumed>")?;
        let begun = self.unfinished.remove(&thread)?;
        Some((thread, (begun + rest).into()))
    }

    /// A thread that is making another one, which may not be known yet.
    pub(super) fn cloning(&self) -> Option<u32> {
        let makes = |text: &str| ["clone", "fork(", "vfork("].iter().any(|it| text.starts_with(it));
        self.unfinished.iter().find(|(_, text)| makes(text)).map(|(thread, _)| *thread)
    }
}

impl<'t> Call<'t> {
    /// Reads a call; `None` of other lines, and of a call that never returned.
    pub(super) fn parse(thread: u32, text: &'t str) -> Option<Call<'t>> {
        let (name, rest) = text.split_once('(')?;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let (arguments, rest) = parts(rest, b')')?;
        let answer = rest.trim_start().strip_prefix("= ")?;
        let (answer, seconds) = answer.rsplit_once(" <").unwrap_or((answer, ""));
        let seconds = seconds.trim_end_matches('>').parse().unwrap_or(0.0);
        let took = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        (!answer.starts_with('?')).then_some(Call { thread, name, arguments, answer, took })
    }

    /// The number that was returned.
    pub(super) fn number(&self) -> i64 {
        self.answer.split([' ', '<']).next().and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    /// The name of the error that was returned.
    pub(super) fn error(&self) -> Option<&'t str> {
        self.answer.strip_prefix("-1 ")?.split(' ').next()
    }

    /// Whether an argument holds this word among its flags.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.arguments.iter().any(|it| !it.starts_with('"') && it.split('|').any(|it| it == flag))
    }

    /// The names of a listing whose types it gives, each with whether it is a link.
    pub(super) fn listing(&self) -> Vec<(Vec<u8>, bool)> {
        let entry = |entry: &&str| {
            let (fields, _) = parts(entry.strip_prefix('{')?, b'}')?;
            let field = |name: &str| fields.iter().find_map(|field| field.strip_prefix(name));
            let kind = field("d_type=").filter(|kind| *kind != "DT_UNKNOWN")?;
            Some((text(field("d_name=")?)?, kind == "DT_LNK"))
        };
        let list = self.arguments.get(1).and_then(|list| parts(list.strip_prefix('[')?, b']'));
        list.unwrap_or_default().0.iter().filter_map(entry).collect()
    }
}

/// A call that asks a file system something.
pub(super) struct Request<'c> {
    pub(super) call: &'c Call<'c>,
    /// The path from the root, as far as it is known.
    pub(super) path: Vec<u8>,
    /// The path as the program gave it, and the number of its argument; `None` where the program
    /// gave a descriptor.
    pub(super) given: Option<(Vec<u8>, usize)>,
}

impl<'c> Request<'c> {
    /// Of a call by a process in this directory.
    pub(super) fn of(call: &'c Call<'c>, directory: &[u8]) -> Request<'c> {
        let argument = |at: usize| call.arguments.get(at).copied().unwrap_or_default();
        // symlink(2) and symlinkat(2) begin with the target, which is only a text.
        let first = usize::from(call.name.starts_with("symlink"));
        let has_path = text(argument(first)).is_some();
        let is_here = has_path || argument(first).starts_with("AT_FDCWD");
        let base = if is_here { directory.to_vec() } else { place(argument(first)) };
        let at = if has_path { first } else { first + 1 };
        // fgetxattr(2) and its relatives have a name behind the descriptor that is not a path.
        let is_path = !(call.name.starts_with('f') && call.name.ends_with("xattr"));
        let given = text(argument(at)).filter(|given| is_path && !given.is_empty());
        let path = given.as_ref().map_or_else(|| base.clone(), |given| below(&base, given));
        Request { call, path, given: given.map(|given| (given, at)) }
    }
}

/// A path from a directory on, without `.` and doubled slashes, so that each entry has one name. `..`
/// stays: it may lead out of a link.
fn below(directory: &[u8], given: &[u8]) -> Vec<u8> {
    let mut path = if given.starts_with(b"/") { Vec::new() } else { directory.to_vec() };
    for name in given.split(|byte| *byte == b'/').filter(|name| ![&b""[..], b"."].contains(name)) {
        if path != b"/" {
            path.push(b'/');
        }
        path.extend(name);
    }
    if path.is_empty() { b"/".to_vec() } else { path }
}

/// What stands between commas up to `close`, and the rest behind it. What is in brackets stays whole.
fn parts(text: &str, close: u8) -> Option<(Vec<&str>, &str)> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if byte == close && depth == 0 => {
                found.push(text[start..at].trim());
                return Some((found, &text[at + 1..]));
            }
            b',' if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The bytes of an argument in quotes.
fn text(argument: &str) -> Option<Vec<u8>> {
    argument.starts_with('"').then(|| bytes(argument))
}

/// What a descriptor stands for: its path, or a pipe or a socket as strace writes it.
pub(super) fn place(argument: &str) -> Vec<u8> {
    let path = argument.split_once('<').map(|(_, path)| bytes(path));
    path.filter(|path| path.starts_with(b"/")).unwrap_or_else(|| argument.into())
}

/// The bytes that are written as `\xHH`.
fn bytes(text: &str) -> Vec<u8> {
    let digits = text.split("\\x").skip(1).filter_map(|it| it.get(..2));
    digits.filter_map(|it| u8::from_str_radix(it, 16).ok()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A trace with texts and paths as -xx writes them.
    pub(in super::super) fn in_hex(trace: &str) -> String {
        let mut out = String::new();
        let mut end = None;
        for c in trace.chars() {
            if end == Some(c) {
                end = None;
            } else if end.is_some() {
                let mut buffer = [0; 4];
                let encoded = c.encode_utf8(&mut buffer).bytes();
                encoded.for_each(|byte| out.push_str(&format!("\\x{byte:02x}")));
                continue;
            } else if c == '"' {
                end = Some('"');
            } else if c == '<' && out.ends_with(|before: char| before.is_ascii_alphanumeric()) {
                end = Some('>');
            }
            out.push(c);
        }
        out
    }

    fn with_call(text: &str, check: impl FnOnce(Call<'_>)) {
        check(Call::parse(7, &in_hex(text)).expect(text));
    }

    #[test]
    fn a_call_has_its_arguments_and_its_answer() {
        let line = "statx(AT_FDCWD</srv>, \"a, (b) = c\nä\", AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW, \
                    STATX_MODE, {stx_mask=STATX_TYPE|STATX_MODE, stx_size=3, ...}) = 0 <0.000011>";
        with_call(line, |statx| {
            assert_eq!((statx.name, statx.arguments.len(), statx.number()), ("statx", 5, 0));
            assert_eq!(text(statx.arguments[1]), Some("a, (b) = c\nä".into()));
            assert_eq!(place(statx.arguments[0]), b"/srv");
            assert!(statx.has("AT_SYMLINK_NOFOLLOW") && !statx.has("AT_EMPTY_PATH"));
            assert_eq!((statx.took, statx.error()), (Duration::from_micros(11), None));
        });
        with_call("openat(5</a (b>, \"x\", O_RDONLY) = 6</a (b/x> <0.000013>", |opened| {
            assert_eq!((opened.number(), place(opened.arguments[0])), (6, "/a (b".into()));
        });
        with_call("access(\"/x\", R_OK)     = -1 ENOENT (No such file) <0.000011>", |absent| {
            assert_eq!((absent.number(), absent.error()), (-1, Some("ENOENT")));
        });
        let pipe = "fstat(3<pipe:[77]>, {st_mode=S_IFIFO|0600, st_size=0, ...}) = 0";
        let pipe = Call::parse(7, pipe).expect("a call");
        assert_eq!(
            (place(pipe.arguments[0]), pipe.took),
            (pipe.arguments[0].into(), Duration::ZERO)
        );
        assert_eq!((text("0x7ffd"), place("AT_FDCWD")), (None, "AT_FDCWD".into()));
        for other in
            ["exit_group(0)     = ?", "+++ exited with 0 +++", "--- SIGCHLD {si_pid=1} ---"]
        {
            assert!(Call::parse(7, other).is_none(), "{other}");
        }
    }

    #[test]
    fn listings_have_names_and_types() {
        let line = "getdents64(3</t>, [{d_ino=1, d_off=2, d_type=DT_REG, d_name=\"d_type=DT_DIR, }]\"}, \
                    {d_ino=1, d_type=DT_LNK, d_name=\"l\"}, {d_ino=1, d_type=DT_UNKNOWN, d_name=\"u\"}], \
                    32768) = 72 <0.000010>";
        let expected = [(b"d_type=DT_DIR, }]".to_vec(), false), (b"l".to_vec(), true)];
        with_call(line, |listing| assert_eq!(listing.listing(), expected));
        with_call("getdents64(3</t>, [], 9) = 0 <0.1>", |end| assert_eq!(end.listing(), []));
    }

    #[test]
    fn lines_of_other_threads_may_stand_between() {
        let mut lines = StraceLines::default();
        assert_eq!(lines.whole("11 vfork( <unfinished ...>"), None);
        assert_eq!(lines.cloning(), Some(11));
        let between = lines.whole("12    unlink(\"\\x61\") = 0").expect("whole");
        assert_eq!(between, (12, "unlink(\"\\x61\") = 0".into()));
        let (thread, text) = lines.whole("11 <... vfork resumed>)  = 12 <0.1>").expect("whole");
        assert_eq!((thread, &*text), (11, "vfork()  = 12 <0.1>"));
        assert_eq!(lines.cloning(), None);
        assert_eq!(lines.whole("9 <... futex resumed>) = 0"), None, "its beginning is not known");
    }

    proptest::proptest! {
        /// No line is a reason to stop.
        #[test]
        fn any_line_is_read(line in "[0-9]{1,3} [a-z]{0,5}[(\"<>{}, =\\\\x0-9a-zä]{0,40}") {
            let mut lines = StraceLines::default();
            if let Some((thread, whole)) = lines.whole(&line)
                && let Some(call) = Call::parse(thread, &whole)
            {
                call.listing();
                call.arguments.iter().for_each(|it| drop((text(it), place(it))));
            }
        }
    }
}
