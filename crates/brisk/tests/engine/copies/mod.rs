//! `brisk::copy`: what copies are like, and what is refused; `races.rs`: what a killed run leaves,
//! and what other processes can do meanwhile.

mod races;

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::{self, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use brisk::copy::{
    Backup, Begun, Copy, Create, Modes, Observer, Overwrite, Overwriting, Pair, Preserve, Report,
    Specials, Step, TargetDir, Update, Way, When,
};
use brisk::filter::{Expr, Filter, Test};
use brisk::{Access, Fields, FileType, Follow, HandleBudget, Meta, Target, Walk};

use crate::tree::{files, grow};

/// `cp -a`.
fn archive() -> Copy {
    Copy { preserve: Preserve::ARCHIVE, ..plain() }
}

/// `cp -R`.
fn plain() -> Copy {
    Copy::new(Walk::over::<&str>([]).follow(Follow::Never))
}

/// `cp`.
fn following() -> Copy {
    Copy::new(Walk::over::<&str>([]).follow(Follow::Always))
}

fn run(copy: &Copy, from: &Path, to: &Path) -> Report {
    copy.run([Pair::new(from.to_owned(), to.to_owned())], &())
}

/// Copies, and expects no failure.
fn copied(copy: &Copy, from: &Path, to: &Path) -> Report {
    let report = run(copy, from, to);
    let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
    assert!(report.is_complete(), "{failures:?}");
    report
}

/// The steps that fail.
fn refused(copy: &Copy, from: &Path, to: &Path) -> Vec<Step> {
    run(copy, from, to).failures.iter().map(|failure| failure.step).collect()
}

/// What a copy keeps of an entry.
type Kept = (u32, u32, u32, i64, i64, u64, u64, Vec<u8>);

/// What a tree holds: type, mode, owners, time, device and blocks of each entry, with its contents
/// or target, and which names are of one file.
fn held(root: &Path) -> (BTreeMap<PathBuf, Kept>, Vec<Vec<PathBuf>>) {
    let mut links: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    let mut all = BTreeMap::new();
    for entry in Walk::new(root).follow(Follow::Never) {
        let path = entry.expect("it can be read").path().to_owned();
        let meta = fs::symlink_metadata(&path).expect("it is there");
        let held = match fs::read_link(&path) {
            Ok(target) => target.into_os_string().into_encoded_bytes(),
            Err(_) if meta.is_file() => fs::read(&path).expect("it can be read"),
            Err(_) => Vec::new(),
        };
        let below = path.strip_prefix(root).expect("it is below").to_owned();
        if meta.nlink() > 1 && !meta.is_dir() {
            links.entry(meta.ino()).or_default().push(below.clone());
        }
        let blocks = if meta.is_file() { meta.blocks() } else { 0 };
        let (time, nanos) = (meta.mtime(), meta.mtime_nsec());
        let kept = (meta.mode(), meta.uid(), meta.gid(), time, nanos, meta.rdev(), blocks, held);
        all.insert(below, kept);
    }
    let mut links: Vec<_> = links.into_values().collect();
    links.iter_mut().for_each(|names| names.sort());
    links.sort();
    (all, links)
}

fn set_time(path: &Path, secs: u64, nanos: u32) {
    let time = SystemTime::UNIX_EPOCH + Duration::new(secs, nanos);
    let times = FileTimes::new().set_accessed(time).set_modified(time);
    File::open(path).and_then(|file| file.set_times(times)).expect("it is ours");
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("it is ours");
}

/// A tree with everything that a copy keeps.
fn grow_all(place: &Path) -> PathBuf {
    let root = place.join("t");
    grow(place, "t/ t/a/ t/a/b/ t/a/b/c/ t/a/b/c/f:70000 t/a/g:12 t/l->a/g t/dangling->no/where");
    grow(place, "t/h=t/a/g t/a/b/h=t/a/g t/p| t/ro/ t/ro/x/ t/ro/x/f:5 t/empty t/many/");
    files(&root.join("many"), 300, 40);
    let mut sparse = File::create(root.join("sparse")).expect("a file");
    sparse.write_all_at(b"middle", 1 << 20).expect("written");
    sparse.seek(SeekFrom::Start(2 << 20)).expect("moved");
    sparse.set_len(3 << 20).expect("longer");
    drop(sparse);
    let modes =
        [("a/g", 0o4755), ("a/b/c/f", 0o2640), ("empty", 0), ("ro/x", 0o555), ("a", 0o1777)];
    for (path, mode) in modes {
        set_mode(&root.join(path), mode);
    }
    for (at, path) in ["a/g", "a/b/c/f", "empty", "sparse", "ro/x/f"].iter().enumerate() {
        set_mode(&root.join(path), fs::metadata(root.join(path)).expect("there").mode() | 0o400);
        set_time(&root.join(path), at as u64 * 1_000_000_000, 123_456_789 + at as u32);
    }
    for (at, path) in ["ro/x", "ro", "a/b/c", "a/b", "many"].iter().enumerate() {
        set_time(&root.join(path), 77 + at as u64, at as u32);
    }
    set_mode(&root.join("ro"), 0o555);
    root
}

/// What a tree holds is compared whole, and a difference is told in few words.
fn assert_same(one: &Path, other: &Path, when: &str) {
    let (first, second) = (held(one), held(other));
    for (path, kept) in &first.0 {
        let found = second.0.get(path);
        assert!(found == Some(kept), "{when}: {} differs", path.display());
    }
    assert_eq!(first.0.len(), second.0.len(), "{when}: more entries");
    assert_eq!(first.1, second.1, "{when}: links");
}

struct Asking(Mutex<Vec<String>>, bool);

impl Observer for Asking {
    fn asks(&self) -> bool {
        true
    }

    fn ask(&self, question: &Overwrite<'_>) -> io::Result<bool> {
        let path = String::from_utf8_lossy(question.paths.destination()).into_owned();
        self.0.lock().expect("no panic").push(path);
        Ok(self.1)
    }
}

#[test]
fn a_copy_is_as_its_source() {
    let scratch = testkit::scratch();
    let root = grow_all(scratch.path());
    for threads in [1, 4] {
        for handles in [0, 3, 1000] {
            for whole_trees in [true, false] {
                let when = format!("{threads} threads, {handles} handles, {whole_trees}");
                let to = scratch.path().join(&when);
                let walk = archive().walk.threads(NonZeroUsize::new(threads));
                let walk = walk.handle_budget(&HandleBudget::new(handles));
                let copy = Copy { walk, whole_trees, ..archive() };
                let report = copied(&copy, &root, &to);
                assert_same(&root, &to, &when);
                assert_eq!((report.files, report.directories), (310, 7), "{when}");
                let again = Copy { update: Update::Changed, ..copy };
                let report = copied(&again, &root, &to);
                assert_eq!((report.files, report.unchanged), (0, 310), "{when}, again");
                assert_same(&root, &to, &when);
            }
        }
    }
    let asking = Asking(Mutex::default(), true);
    let to = scratch.path().join("in order");
    let report = archive().run([Pair::new(root.clone(), to.clone())], &asking);
    assert!(report.is_complete(), "{:?}", report.failures);
    assert_same(&root, &to, "in order");
    let names = fs::read_dir(scratch.path()).expect("it can be read").flatten();
    let left = names.filter(|it| it.file_name().as_encoded_bytes().starts_with(b".brisk-tmp-"));
    assert_eq!(left.count(), 0);
}

#[test]
fn without_preserving_modes_follow_the_umask() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/f:3 t/d/ t/d/g:4");
    for (path, mode) in [("t/f", 0o4777), ("t/d", 0o500), ("t", 0o777)] {
        set_mode(&scratch.path().join(path), mode);
    }
    let to = scratch.path().join("to");
    copied(&plain(), &scratch.path().join("t"), &to);
    let mode = |path: &str| fs::metadata(to.join(path)).expect("copied").mode() & 0o7777;
    assert_eq!([mode(""), mode("f"), mode("d")], [0o755, 0o755, 0o500]);
}

#[test]
fn what_exists_is_overwritten_in_place_or_replaced() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "a:100 b:3 c=b l->b");
    let path = |name: &str| scratch.path().join(name);
    copied(&following(), &path("a"), &path("b"));
    assert_eq!(fs::read(path("c")).expect("a file").len(), 100, "the file keeps its links");
    fs::write(path("a"), "new").expect("written");
    copied(&following(), &path("a"), &path("l"));
    assert_eq!(fs::read(path("c")).expect("a file"), b"new", "through the link");
    let replacing = Copy { overwriting: Overwriting::Replace, ..following() };
    fs::write(path("a"), "newer").expect("written");
    copied(&replacing, &path("a"), &path("b"));
    assert_eq!(fs::read(path("b")).expect("a file"), b"newer");
    assert_eq!(fs::read(path("c")).expect("a file"), b"new", "another file");
}

#[test]
fn refusals() {
    let scratch = testkit::scratch();
    grow(
        scratch.path(),
        "f:3 g=f d/ d/e/ d/x:1 l->f dangling->nothing/there t/ t/x:2 u/ u/x->../f",
    );
    let path = |name: &str| scratch.path().join(name);
    let cases = [
        ("f", "f", Step::SameFile),
        ("f", "g", Step::SameFile),
        ("f", "l", Step::SameFile),
        ("d", "d", Step::SameFile),
        ("d", "d/e/new", Step::IntoItself),
        ("d", "f", Step::NoDirectoryInTheWay),
        ("f", "d", Step::DirectoryInTheWay),
        ("f", "dangling", Step::DanglingLink),
        ("t", "u", Step::LinkInTheWay),
        ("f", "missing/x", Step::CreateFile),
        ("d", "missing/x", Step::MakeDirectory),
        ("missing", "new", Step::Stat),
    ];
    for (from, to, step) in cases {
        assert_eq!(refused(&plain(), &path(from), &path(to)), [step], "{from} {to}");
    }
    assert_eq!(fs::read(path("f")).expect("a file"), b"xxx", "nothing was changed");
    assert!(path("d/e/new/x").exists(), "the rest is copied");
    let two = [Pair::new(path("t/x"), path("new")), Pair::new(path("d/x"), path("new"))];
    let report = plain().run(two, &());
    assert_eq!(report.failures[0].step, Step::JustCreated);
    let target = TargetDir::open(&path("u")).expect("a directory");
    let twice = [(); 2].map(|()| target.pair(path("f"), Path::new("once")));
    let report = plain().run(twice, &());
    assert_eq!((report.failed, report.failures[0].step), (0, Step::GivenTwice));
}

#[test]
fn links_are_made_instead_of_copies() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/f:3 t/l->f t/d/ t/d/g:4");
    let path = |name: &str| scratch.path().join(name);
    for _ in 0..2 {
        copied(&Copy { create: Create::HardLink, ..plain() }, &path("t"), &path("hard"));
    }
    let ino = |name: &str| fs::symlink_metadata(path(name)).expect("there").ino();
    for name in ["f", "l", "d/g"] {
        assert_eq!(ino(&format!("t/{name}")), ino(&format!("hard/{name}")), "{name}");
    }
    copied(&Copy { create: Create::SymbolicLink, ..plain() }, &path("t"), &path("soft"));
    assert_eq!(fs::read_link(path("soft/d/g")).expect("a link"), path("t/d/g"));
    copied(&Copy { create: Create::Attributes, ..archive() }, &path("t"), &path("attributes"));
    assert_eq!(fs::metadata(path("attributes/d/g")).expect("there").len(), 0);
}

struct BackingUp;

impl Observer for BackingUp {
    fn backup_name(&self, backup: &Backup<'_>) -> io::Result<Option<OsString>> {
        let path = String::from_utf8_lossy(backup.paths.destination()).into_owned();
        let name = path.rsplit('/').next().expect("a name").to_owned();
        Ok(Some((name + "~").into()))
    }
}

#[test]
fn existing_files_are_kept_asked_about_or_backed_up() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    let reset = || {
        let _ = fs::remove_dir_all(path("t"));
        let _ = fs::remove_dir_all(path("u"));
        grow(scratch.path(), "t/ t/x:2 t/y:2 u/ u/x:1");
        set_time(&path("u/x"), 5_000_000_000, 0);
    };
    let x = || fs::read(path("u/x")).expect("a file").len();
    for update in [Update::None, Update::Older] {
        reset();
        let report = copied(&Copy { update, ..plain() }, &path("t"), &path("u"));
        assert_eq!((x(), report.files, report.unchanged), (1, 1, 1), "{update:?}");
    }
    for (answer, length) in [(false, 1), (true, 2)] {
        reset();
        let asking = Asking(Mutex::default(), answer);
        let report = plain().run([Pair::new(path("t"), path("u"))], &asking);
        assert!(report.is_complete());
        let asked = asking.0.into_inner().expect("no panic");
        assert_eq!(asked, [path("u/x").to_str().expect("ASCII")]);
        assert_eq!(x(), length);
    }
    reset();
    let report =
        Copy { backup: true, ..plain() }.run([Pair::new(path("t"), path("u"))], &BackingUp);
    assert!(report.is_complete());
    assert_eq!((x(), fs::read(path("u/x~")).expect("a backup").len()), (2, 1));
    reset();
    fs::create_dir_all(path("u/gone/deep")).expect("directories");
    let dry = Copy { dry_run: true, delete: true, update: Update::Changed, ..archive() };
    let report = copied(&dry, &path("t"), &path("u"));
    assert_eq!((report.files, report.deleted, x()), (2, 2, 1));
    assert!(path("u/gone/deep").exists());
    let report = copied(&Copy { dry_run: false, ..dry }, &path("t"), &path("u"));
    assert_eq!((report.files, report.deleted), (2, 2));
    assert_same(&path("t"), &path("u"), "after the removal");
}

/// With `-u` the first name of a file decides for all: it is copied, or kept at the destination, and
/// the others become links to it.
#[test]
fn the_first_listed_name_of_a_file_decides_whether_it_is_newer() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    grow(scratch.path(), "t/ u/");
    for at in 0..1500 {
        fs::write(path(&format!("t/old{at}")), "source").expect("written");
        fs::hard_link(path(&format!("t/old{at}")), path(&format!("t/new{at}"))).expect("linked");
        fs::write(path(&format!("u/old{at}")), "kept").expect("written");
        set_time(&path(&format!("u/old{at}")), 5_000_000_000, 0);
    }
    let walk = archive().walk.threads(NonZeroUsize::new(4));
    let copy = Copy { walk, update: Update::Older, ..archive() };
    let listed = fs::read_dir(path("t")).expect("a directory").flatten();
    let listed: Vec<_> = listed.map(|it| it.file_name().into_string().expect("ASCII")).collect();
    copied(&copy, &path("t"), &path("u"));
    let mut decided = HashSet::new();
    for name in listed {
        let (kind, number) = name.split_at(3);
        if decided.insert(number.to_owned()) {
            let expected = if kind == "old" { "kept" } else { "source" };
            for kind in ["old", "new"] {
                let text = fs::read_to_string(path(&format!("u/{kind}{number}")));
                assert_eq!(text.expect("a file"), expected, "{kind}{number}: {name} is first");
            }
        }
    }
}

#[test]
fn holes_are_kept_or_made() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    fs::write(path("zeros"), vec![0; 1 << 20]).expect("written");
    copied(&Copy { sparse: When::Always, ..plain() }, &path("zeros"), &path("always"));
    let meta = fs::metadata(path("always")).expect("copied");
    assert_eq!((meta.len(), meta.blocks()), (1 << 20, 0));
    copied(&Copy { sparse: When::Never, ..plain() }, &path("always"), &path("never"));
    assert!(fs::metadata(path("never")).expect("copied").blocks() >= 2048);
    File::create(path("huge")).and_then(|file| file.set_len(100 << 30)).expect("a hole");
    let pieces = File::create(path("pieces")).expect("a file");
    for at in 0..3 {
        pieces.write_all_at(b"piece", at << 20).expect("written");
    }
    let ways = copied(&plain(), &path("pieces"), &path("three")).ways;
    let counts = |way: &Way| way.cloned + way.in_kernel + way.read_written;
    assert_eq!(ways.iter().map(counts).sum::<u64>(), 1, "{ways:?}");
    let began = std::time::Instant::now();
    copied(&plain(), &path("huge"), &path("hole"));
    assert!(began.elapsed() < Duration::from_secs(5), "the hole was read");
    assert_eq!(fs::metadata(path("hole")).expect("copied").blocks(), 0);
}

#[test]
fn begun_copies_are_told_with_both_paths() {
    struct Told(Mutex<Vec<(FileType, String)>>);
    impl Observer for Told {
        fn wants_begun(&self) -> bool {
            true
        }
        fn begun(&self, begun: &Begun<'_>) {
            let show = |bytes| String::from_utf8_lossy(bytes).into_owned();
            let line =
                format!("{} -> {}", show(begun.paths.source()), show(begun.paths.destination()));
            self.0.lock().expect("no panic").push((begun.file_type, line));
        }
    }
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/d/ t/d/f:1 u/");
    let told = Told(Mutex::default());
    let target = TargetDir::open(&scratch.path().join("u")).expect("a directory");
    let pair = target.pair(scratch.path().join("t"), Path::new("t"));
    assert!(plain().run([pair], &told).is_complete());
    let place = scratch.path().display();
    let line = |name: &str| format!("{place}/{name} -> {place}/u/{name}");
    let dir = FileType::Directory;
    let expected = [(dir, line("t")), (dir, line("t/d")), (FileType::File, line("t/d/f"))];
    assert_eq!(told.0.into_inner().expect("no panic"), expected);
}

#[test]
fn without_merging_no_directory_is_copied_into_another() {
    /// Another process, which makes the destination as soon as the copy is on its way.
    struct Rival(PathBuf);
    impl Observer for Rival {
        fn wants_begun(&self) -> bool {
            true
        }
        fn begun(&self, begun: &Begun<'_>) {
            if begun.file_type.is_file() {
                grow(&self.0, "to/ to/theirs:1");
            }
        }
    }
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/d/ t/d/f:1 there/");
    let path = |name: &str| scratch.path().join(name);
    let copy = Copy { merge: false, ..plain() };
    let pair = |to: &str| Pair::new(path("t"), path(to));
    let rival = Rival(scratch.path().to_owned());
    for (report, to, held) in
        [(copy.run([pair("there")], &()), "there", 0), (copy.run([pair("to")], &rival), "to", 1)]
    {
        let [failure] = &report.failures[..] else { panic!("{:?}", report.failures) };
        assert_eq!((failure.step, failure.path()), (Step::MakeDirectory, &*path(to)));
        assert_eq!(failure.to_io().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_dir(path(to)).expect("there").count(), held);
    }
    assert_eq!(fs::read_dir(scratch.path()).expect("there").count(), 3, "nothing else is left");
    copied(&copy, &path("t"), &path("new"));
    assert!(path("new/d/f").exists());
}

#[test]
fn what_exists_and_what_is_no_regular_file_may_be_refused() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/f:2 t/new:1 t/p| to/ to/f:1 to/p:1");
    let path = |name: &str| scratch.path().join(name);
    let copy = Copy { specials: Specials::Refuse, update: Update::Refuse, ..plain() };
    let mut steps = refused(&copy, &path("t"), &path("to"));
    steps.sort_by_key(|step| *step as u8);
    assert_eq!(steps, [Step::CreateFile, Step::SpecialFile]);
    assert_eq!(files_in(&path("to")), ["f", "new", "p"]);
    for name in ["to/f", "to/p"] {
        assert_eq!(fs::read(path(name)).expect("a file"), b"x");
    }
}

/// A later pair removes the copy of a file with several links, alone or with its directory: the
/// file's next name is copied anew.
#[test]
fn links_to_what_a_later_pair_has_removed() {
    for dir in ["", "in/"] {
        let scratch = testkit::scratch();
        let path = |name: &str| scratch.path().join(name);
        grow(scratch.path(), "1/ 1/in/ 2/ 3/ d/");
        fs::write(path(&format!("1/{dir}f")), "text").expect("written");
        for to in ["3/g", "3/h"] {
            fs::hard_link(path(&format!("1/{dir}f")), path(to)).expect("linked");
        }
        let pairs = ["1", "2", "3"].map(|from| Pair::new(path(from), path("d")));
        let report = Copy { delete: true, ..archive() }.run(pairs, &());
        assert!(report.is_complete(), "{:?}", report.failures);
        assert_same(&path("3"), &path("d"), "after the removal");
    }
}

fn files_in(dir: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(dir).expect("a directory").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

#[test]
fn files_keep_other_attributes_than_directories() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/f:2 t/d/ t/d/g:1 to/ to/d/");
    let path = |name: &str| scratch.path().join(name);
    let modes = [("t/d", 0o750), ("t/d/g", 0o604), ("t/f", 0o600), ("to/d", 0o711)];
    for (name, mode) in modes {
        set_mode(&path(name), mode);
    }
    for name in ["t/d/g", "t/d"] {
        set_time(&path(name), 1000, 0);
    }
    let mode = |name: &str| fs::metadata(path(name)).expect("copied").mode() & 0o777;
    let time = |name: &str| fs::metadata(path(name)).expect("copied").mtime();
    let preserve = Preserve { mode: Modes::Preserved, timestamps: true, ..Preserve::default() };
    let fresh = Some(Preserve { mode: Modes::Fresh, ..Preserve::default() });
    copied(&Copy { preserve, preserve_files: fresh, ..plain() }, &path("t"), &path("other"));
    assert_eq!([mode("other/d"), mode("other/d/g"), mode("other/f")], [0o750, 0o644, 0o644]);
    assert_eq!((time("other/d"), time("other/d/g") > 1000), (1000, true));
    let preserve = Preserve { mode: Modes::PreservedInNew, ..Preserve::default() };
    copied(&Copy { preserve, ..plain() }, &path("t"), &path("to"));
    assert_eq!([mode("to/d"), mode("to/d/g"), mode("to/f")], [0o711, 0o604, 0o600]);
    // An access list is a mode: what exists keeps its own.
    let entries = [(1, 7, u32::MAX), (2, 7, 1), (4, 1, u32::MAX), (16, 7, u32::MAX), (32, 1, 0)];
    let list = entries.map(|(tag, rights, id): (u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &rights.to_le_bytes(), &id.to_le_bytes()].concat()
    });
    let list = [&2_u32.to_le_bytes()[..], &list.concat()].concat();
    let name = "system.posix_acl_access";
    let listed = |it| rustix::fs::setxattr(path(it), name, &list, rustix::fs::XattrFlags::empty());
    if listed("t/d").and_then(|()| listed("t/d/g")).is_ok() {
        copied(&Copy { preserve, ..plain() }, &path("t"), &path("to"));
        assert_eq!([mode("to/d"), mode("to/d/g")], [0o711, 0o604]);
    }
}

#[test]
fn relative_links_may_become_absolute() {
    let scratch = testkit::scratch();
    grow(scratch.path(), "t/ t/d/ t/d/f:1 t/a->d/./f t/d/b->../../x//y t/c->/abs/../z t/e->../..");
    let to = scratch.path().join("to");
    copied(&Copy { absolute_links: true, ..plain() }, &scratch.path().join("t"), &to);
    let target = |name: &str| fs::read_link(to.join(name)).expect("a link");
    let path = |name: &str| scratch.path().join(name);
    assert_eq!([target("a"), target("d/b")], [path("t/d/f"), path("x/y")]);
    assert_eq!(target("c"), Path::new("/abs/../z"));
    assert_eq!(target("e"), scratch.path().parent().expect("not the root"));
}

/// A destination that stays becomes a link where its source is one, and its directory keeps its
/// time. A dry run leaves it alone.
#[test]
fn what_is_kept_becomes_a_link_but_in_a_dry_run() {
    let scratch = testkit::scratch();
    let path = |name: &str| scratch.path().join(name);
    grow(scratch.path(), "t/ t/a:1 t/b=t/a u/");
    let copy = Copy { update: Update::Changed, ..archive() };
    for name in ["a", "b"] {
        let alone = Copy { preserve: Preserve { links: false, ..Preserve::ARCHIVE }, ..archive() };
        copied(&alone, &path(&format!("t/{name}")), &path(&format!("u/{name}")));
    }
    for name in ["t", "u"] {
        set_time(&path(name), 1_000_000_000, 0);
    }
    let before = held(&path("u"));
    copied(&Copy { dry_run: true, ..copy.clone() }, &path("t"), &path("u"));
    assert_eq!(held(&path("u")), before, "a dry run");
    copied(&copy, &path("t"), &path("u"));
    assert_same(&path("t"), &path("u"), "linked");
}

/// What a filter asks for it is told of surplus, too; what is not known stays.
#[test]
fn a_filter_is_told_all_of_surplus() {
    let scratch = testkit::scratch();
    let [from, to] = ["from", "to"].map(|name| scratch.path().join(name));
    let left = |expr: Expr| {
        grow(scratch.path(), "from/ to/ to/listed to/plain to/l->x");
        let listed = Command::new("setfacl").args(["-m", "u:7:r"]).arg(to.join("listed")).status();
        let walk = plain().walk.filter(Filter::new(expr));
        let report = run(&Copy { walk, delete: true, ..archive() }, &from, &to);
        let names = held(&to).0.into_keys().filter(|path| path.file_name().is_some());
        let names: Vec<_> = names.map(|path| path.display().to_string()).collect();
        fs::remove_dir_all(&from).and_then(|()| fs::remove_dir_all(&to)).expect("ours");
        (listed.is_ok_and(|status| status.success()), names.join(" "), report.failures.len())
    };
    let fails = Test::call("fails", |entry, _| {
        entry.stat(Fields::TYPE).and(Err(io::ErrorKind::Other.into()))
    });
    assert_eq!(left(!Expr::from(fails)).1, "l listed plain");
    let has_list = |_, meta: &Meta| meta.access() == Some(Access::Acl);
    let has_list = Test::meta("list", |_| Fields::XATTR, has_list);
    let (is_listed, names, failed) = left(!Expr::from(has_list));
    assert!(!is_listed || (&*names, failed) == ("listed", 0), "{names}: {failed}");
    let leads =
        Test::meta("leads", |_| Fields::TARGET, |_, meta| meta.target() == Some(Target::Dangling));
    assert_eq!(left(!Expr::from(leads)).1, "l");
}
