//! Which calls of a trace were avoidable, and why. What was not counted is not told.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::strace::{Call, Request};
use crate::front::progress::grouped;
use crate::show::quoting::in_message;

/// The buffer that reads of directories are compared with. It holds about 2,000 names; larger ones
/// save few calls.
const BUFFER: u64 = 64 << 10;

/// The longest record of a directory, in bytes: a read that leaves less free than this has filled its
/// buffer.
const RECORD: u64 = 280;

/// How many calls by whole paths into one directory are told.
const MANY: u64 = 30;

/// Calls that ask for an entry's metadata, its type among them.
const STATS: [&str; 7] = ["stat", "stat64", "lstat", "lstat64", "newfstatat", "fstatat64", "statx"];

/// Other calls that change nothing and open nothing.
const QUESTIONS: [&str; 7] =
    ["access", "faccessat", "faccessat2", "readlink", "readlinkat", "getxattr", "lgetxattr"];

/// Answers of getxattr(2) and its relatives that there is nothing, and what follows.
const REFUSALS: [(&str, &str); 2] = [
    ("ENODATA", "\"no such attribute\": most entries have no attributes"),
    ("EOPNOTSUPP", "\"not supported\": one such answer holds for the whole file system"),
];

/// What was found in the calls so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Entries whose types listings have given, and whether each is a link.
    listed: HashMap<Vec<u8>, bool>,
    /// Calls by kind that asked for a type which a listing had given.
    types: BTreeMap<String, u64>,
    /// Answers of [`REFUSALS`], by kind and what they say.
    refused: BTreeMap<(String, &'static str), u64>,
    reads: HashMap<Vec<u8>, Reads>,
    /// Calls by whole paths, by the directory that holds the entry.
    whole: HashMap<Vec<u8>, u64>,
    /// Questions with their answers.
    answers: HashSet<(String, Vec<u8>)>,
    /// Questions that got an answer again, by kind and path.
    again: HashMap<(String, Vec<u8>), u64>,
    /// Calls of io_uring, behind which requests may be hidden.
    pub(super) rings: u64,
}

/// Reads of one directory that brought entries.
#[derive(Debug, Default)]
struct Reads {
    calls: u64,
    bytes: u64,
    /// The size of the buffer, if a read has filled it.
    filled: u64,
}

impl Findings {
    /// Looks at a call.
    pub(super) fn take(&mut self, request: &Request<'_>) {
        let call = request.call;
        if call.name.starts_with("getdents") {
            return self.listing(call, &request.path);
        }
        self.attribute(call);
        let Some((given, at)) = &request.given else { return };
        if given.starts_with(b"/") {
            let parent = request.path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            *self.whole.entry(request.path[..parent].to_vec()).or_default() += 1;
        }
        if STATS.contains(&call.name) {
            self.metadata(call, &request.path);
        }
        if STATS.contains(&call.name) || QUESTIONS.contains(&call.name) {
            self.question(call, &request.path, *at);
        }
    }

    fn listing(&mut self, call: &Call<'_>, directory: &[u8]) {
        let top = if directory == b"/" { b"" } else { directory };
        for (name, is_link) in call.listing() {
            self.listed.insert([top, b"/", &name].concat(), is_link);
        }
        let bytes = u64::try_from(call.number()).unwrap_or(0);
        if bytes > 0 {
            let reads = self.reads.entry(directory.to_vec()).or_default();
            reads.calls += 1;
            reads.bytes += bytes;
            let buffer = call.arguments.last().and_then(|it| it.parse().ok()).unwrap_or(0);
            if bytes + RECORD > buffer {
                reads.filled = buffer;
            }
        }
    }

    fn attribute(&mut self, call: &Call<'_>) {
        let refusal = REFUSALS.iter().find(|(error, _)| call.error() == Some(*error));
        if let Some((_, told)) = refusal.filter(|_| call.name.ends_with("xattr")) {
            *self.refused.entry((call.name.to_owned(), *told)).or_default() += 1;
        }
    }

    fn metadata(&mut self, call: &Call<'_>, path: &[u8]) {
        // What a link leads to is not in the listing.
        let stays = call.name.starts_with('l') || call.has("AT_SYMLINK_NOFOLLOW");
        // A size or a time is not either.
        let fields = if call.name == "statx" { call.arguments.get(3) } else { None };
        let fits =
            |fields: &&str| fields.split('|').all(|it| ["STATX_TYPE", "STATX_MODE"].contains(&it));
        let is_given = self.listed.get(path).is_some_and(|is_link| stays || !is_link);
        if is_given && fields.is_none_or(fits) {
            *self.types.entry(call.name.to_owned()).or_default() += 1;
        }
    }

    fn question(&mut self, call: &Call<'_>, path: &[u8], at: usize) {
        // A pointer stands where nothing was answered.
        let told = call.arguments.iter().skip(at + 1).filter(|it| !it.starts_with("0x"));
        let told = told.fold(call.name.to_owned() + call.answer, |text, it| text + it);
        if !self.answers.insert((told, path.to_vec())) {
            *self.again.entry((call.name.to_owned(), path.to_vec())).or_default() += 1;
        }
    }

    /// The sentences: what was counted, and what would avoid it.
    pub(super) fn sentences(&self) -> Vec<String> {
        let types = self.types.iter().map(|(kind, calls)| {
            let calls = grouped(*calls);
            format!(
                "{calls} {kind} asked about entries whose types the listing had given: avoidable where \
                 only the type is wanted"
            )
        });
        let refused = self.refused.iter();
        let refused = refused
            .map(|((kind, told), calls)| format!("{} {kind} answered {told}", grouped(*calls)));
        let others = [self.small_buffers(), self.whole_paths(), self.asked_again(), self.hidden()];
        types.chain(refused).chain(others.into_iter().flatten()).collect()
    }

    fn small_buffers(&self) -> Option<String> {
        let small = || self.reads.values().filter(|reads| reads.filled > 0);
        let calls: u64 = small().map(|reads| reads.calls).sum();
        let enough: u64 = small().map(|reads| reads.bytes.div_ceil(BUFFER)).sum();
        let size = small().map(|reads| reads.filled).max()? >> 10;
        (enough < calls).then(|| {
            let calls = grouped(calls);
            let enough = grouped(enough);
            format!("{calls} reads of directories filled buffers of {size} KiB: with 64 KiB, {enough} would do")
        })
    }

    /// Only into a directory that the program has listed: it had it open.
    fn whole_paths(&self) -> Option<String> {
        let known = self.whole.iter().filter(|(path, _)| self.reads.contains_key(*path));
        let (directory, calls) = known.max_by_key(|(path, calls)| (**calls, *path))?;
        let names = directory.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).count();
        (*calls >= MANY).then(|| {
            let calls = grouped(*calls);
            let directory = in_message(directory);
            format!(
                "{calls} calls gave the same path from /, {directory}, and a name: by the descriptor of \
                 that directory, each would look up {names} fewer names"
            )
        })
    }

    fn asked_again(&self) -> Option<String> {
        let ((kind, path), most) =
            self.again.iter().max_by_key(|(what, calls)| (**calls, *what))?;
        let calls: u64 = self.again.values().sum();
        let calls = grouped(calls);
        let path = in_message(path);
        Some(format!(
            "{calls} of the calls asked what the same call had asked before, and got the same answer: \
             most often {kind} of {path}, again {most} times"
        ))
    }

    fn hidden(&self) -> Option<String> {
        let told = || format!("{} io_uring_enter, whose requests strace does not show", self.rings);
        (self.rings > 0).then(told)
    }
}

#[cfg(test)]
mod tests {
    use super::super::strace::tests::in_hex;
    use super::super::trace::Trace;

    fn told(lines: &[String]) -> Vec<String> {
        let text = in_hex(&lines.concat());
        let trace = Trace::read(text.as_bytes(), b"/start".to_vec(), |_| {}).expect("read");
        trace.findings.sentences()
    }

    /// A listing of `/t` with a file, a link and an entry whose type is not given.
    const LISTING: &str = "1 getdents64(3</t>, [{d_ino=1, d_type=DT_REG, d_name=\"f\"}, {d_ino=2, \
        d_type=DT_LNK, d_name=\"l\"}, {d_ino=3, d_type=DT_UNKNOWN, d_name=\"u\"}], 32768) = 72 <0.1>\n";

    #[test]
    fn types_that_the_listing_gave() {
        let statx = |name: &str, flags: &str, fields: &str| {
            format!(
                "1 statx(3</t>, \"{name}\", {flags}, {fields}, {{stx_mode=S_IFREG, ...}}) = 0 <0.1>\n"
            )
        };
        let avoidable = [
            LISTING.to_owned(),
            statx("f", "AT_STATX_SYNC_AS_STAT", "STATX_TYPE|STATX_MODE"),
            statx("l", "AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW", "STATX_TYPE"),
            "1 lstat(\"/t/f\", {st_mode=S_IFREG|0644, ...}) = 0 <0.1>\n".to_owned(),
        ];
        let expected = [
            "1 lstat asked about entries whose types the listing had given: avoidable where only the \
             type is wanted",
            "2 statx asked about entries whose types the listing had given: avoidable where only the \
             type is wanted",
        ];
        assert_eq!(told(&avoidable), expected);
        let needed = [
            statx("f", "0", "STATX_TYPE"),
            LISTING.to_owned(),
            statx("f", "0", "STATX_TYPE|STATX_SIZE"),
            statx("l", "0", "STATX_TYPE"),
            statx("u", "AT_SYMLINK_NOFOLLOW", "STATX_TYPE"),
            "1 newfstatat(4</t/f>, \"\", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0 <0.1>\n"
                .to_owned(),
        ];
        assert_eq!(told(&needed), [""; 0]);
    }

    #[test]
    fn attributes_that_are_not_there() {
        let asked = |name: &str, error: &str| {
            format!("1 lgetxattr(\"{name}\", \"user.x\", 0x7f, 9) = -1 {error} (Why) <0.1>\n")
        };
        let lines = [
            asked("a", "ENODATA"),
            asked("b", "EOPNOTSUPP"),
            asked("c", "EOPNOTSUPP"),
            asked("d", "ENOENT"),
            "1 lgetxattr(\"e\", \"user.x\", \"v\", 9) = 1 <0.1>\n".to_owned(),
        ];
        let expected = [
            "1 lgetxattr answered \"no such attribute\": most entries have no attributes",
            "2 lgetxattr answered \"not supported\": one such answer holds for the whole file system",
        ];
        assert_eq!(told(&lines), expected);
    }

    #[test]
    fn buffers_that_were_filled() {
        let read = |path: &str, size: u64, bytes: u64| {
            format!("1 getdents64(3<{path}>, [], {size}) = {bytes} <0.1>\n")
        };
        let mut lines = vec![read("/a", 4096, 4080); 60];
        lines.extend([read("/a", 4096, 1000), read("/a", 4096, 0), read("/small", 4096, 48)]);
        let expected = "61 reads of directories filled buffers of 4 KiB: with 64 KiB, 4 would do";
        assert_eq!(told(&lines), [expected]);
        // The system answers with less than fits: larger buffers would change nothing.
        assert_eq!(told(&vec![read("/a", 32768, 4080); 60]), [""; 0]);
        assert_eq!(told(&[read("/a", 32768, 32700), read("/a", 32768, 0)]), [""; 0]);
    }

    #[test]
    fn whole_paths_into_one_directory() {
        let access = |file: usize| format!("1 access(\"/srv/x//y/{file}\", R_OK) = 0 <0.1>\n");
        let mut lines: Vec<String> = (0..30).map(access).collect();
        assert_eq!(told(&lines), [""; 0], "the directory was never open");
        lines.push("1 getdents64(3</srv/x/y>, [], 4096) = 96 <0.1>\n".to_owned());
        let expected = "30 calls gave the same path from /, '/srv/x/y', and a name: by the descriptor \
                        of that directory, each would look up 3 fewer names";
        assert_eq!(told(&lines), [expected]);
        assert_eq!(told(&lines[1..]), [""; 0]);
    }

    #[test]
    fn questions_that_were_asked_before() {
        let line = |text: &str| format!("1 {text} <0.1>\n");
        let asked = line("lstat(\"a\", {st_mode=S_IFREG|0644, st_size=3, ...}) = 0");
        let other = line("lstat(\"a\", {st_mode=S_IFREG|0644, st_size=4, ...}) = 0");
        let absent = line("readlink(\"b\", 0x7ffd0, 9) = -1 EINVAL (Invalid argument)");
        let absent_again =
            line("readlink(\"/start/b\", 0x7ffe0, 9) = -1 EINVAL (Invalid argument)");
        let lines =
            [&asked, &asked, &absent, &other, &absent_again, &other, &other].map(Clone::clone);
        let expected = "4 of the calls asked what the same call had asked before, and got the same \
                        answer: most often lstat of '/start/a', again 3 times";
        assert_eq!(told(&lines), [expected]);
        let different = [
            line("getxattr(\"a\", \"user.x\", 0x7f, 9) = -1 ENODATA (No data)"),
            line("getxattr(\"a\", \"user.y\", 0x7f, 9) = -1 ENODATA (No data)"),
            line("unlink(\"a\") = -1 ENOENT (No such file)"),
            line("unlink(\"a\") = -1 ENOENT (No such file)"),
        ];
        assert_eq!(told(&different).len(), 1, "the answers alone");
    }

    #[test]
    fn requests_behind_a_ring_are_mentioned() {
        let ring =
            "1 io_uring_enter(5<anon_inode:[io_uring]>, 1, 0, 0, NULL, 8) = 1 <0.1>\n".to_owned();
        assert_eq!(told(&[ring]), ["1 io_uring_enter, whose requests strace does not show"]);
    }
}
