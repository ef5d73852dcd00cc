//! What a view answers from memory is what the file system says.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use brisk::{FileType, Meta, Timestamp};
use brisk_state::{Rescan, View, ViewAnswer};
use testkit::{left_out, scratch};

use super::reasons::{is_inside, obeys_permissions};
use super::rounds::begin;

fn view(dir: &Path) -> View {
    View::new(Rescan::over([dir])).expect("a view")
}

fn time(secs: i64, nanos: i64) -> Option<Timestamp> {
    Some(Timestamp { secs, nanos: nanos as u32 })
}

/// Compares an answer with what the file system says. Returns whether it is from memory.
fn check_meta(answer: &ViewAnswer<Meta>, really: io::Result<fs::Metadata>, path: &Path) -> bool {
    let found = match (&answer.found, &really) {
        (Ok(found), _) => found,
        (Err(error), Err(why)) if error.raw_os_error() == why.raw_os_error() => return false,
        (Err(error), _) => panic!("{}: {error}", path.display()),
    };
    let Ok(really) = really else {
        assert!(found.is_none(), "{} is not there", path.display());
        return answer.as_of.is_some();
    };
    let found = found.as_ref().unwrap_or_else(|| panic!("{} is there", path.display()));
    let own = (found.mode().map(|mode| mode & 0o7777), found.file_type(), found.ino());
    let mode = really.mode();
    let real = (Some(mode & 0o7777), Some(FileType::from_mode(mode)), Some(really.ino()));
    assert_eq!(own, real, "{}", path.display());
    assert_eq!((found.uid(), found.gid()), (Some(really.uid()), Some(really.gid())));
    let is_full = !really.is_dir() || answer.as_of.is_none();
    let own = (found.size(), found.mtime(), found.ctime());
    let [mtime, ctime] =
        [(really.mtime(), really.mtime_nsec()), (really.ctime(), really.ctime_nsec())]
            .map(|(secs, nanos)| time(secs, nanos));
    let real = if is_full { (Some(really.size()), mtime, ctime) } else { (None, None, None) };
    assert_eq!(own, real, "{}", path.display());
    answer.as_of.is_some()
}

/// Asks for everything about a path. Returns how many of the four answers are from memory.
fn check(view: &View, path: &Path) -> usize {
    let link = check_meta(&view.symlink_metadata(path), fs::symlink_metadata(path), path);
    let own = check_meta(&view.metadata(path), fs::metadata(path), path);
    assert_eq!(view.exists(path), path.exists(), "{}", path.display());
    let ViewAnswer { found, as_of } = view.list(path);
    // A loop of links has no list.
    let found = found.unwrap_or_default().map(|mut list| {
        list.sort();
        list.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    });
    let really = fs::read_dir(path).ok().map(|entries| {
        let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    });
    assert_eq!(found, really, "{}", path.display());
    usize::from(link) + usize::from(own) + usize::from(as_of.is_some())
}

#[test]
fn every_answer_is_right_after_random_edits() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let (mut edited, mut dice) = begin(scratch.path());
    let view = view(&edited.dir);
    let mut from_memory = 0;
    let mut asked = 0;
    for _ in 0..testkit::rounds(150, 150) {
        (0..=edited.dice.below(12)).for_each(|_| edited.edit());
        view.refresh().expect("refreshed");
        for _ in 0..50 {
            let mut path = edited.path();
            if dice.below(4) == 0 {
                path.push(["new", "none", "a/b", "../b", "."][dice.below(5)]);
            }
            from_memory += check(&view, &path);
            asked += 3;
        }
    }
    assert!(from_memory * 4 > asked * 3, "{from_memory} of {asked} are from memory");
}

/// Threads ask while others edit elsewhere, and one refreshes.
#[test]
fn any_thread_may_ask() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let dirs = ["edited", "quiet"].map(|name| scratch.path().join(name));
    dirs.iter().for_each(|dir| fs::create_dir(dir).expect("a directory"));
    fs::write(dirs[1].join("a"), "").expect("a file");
    let view = view(scratch.path());
    std::thread::scope(|scope| {
        let ask = || (0..2_000).for_each(|_| _ = check(&view, &dirs[1].join("a")));
        let asking: Vec<_> = (0..2)
            .map(|_| std::thread::Builder::new().spawn_scoped(scope, ask).expect("a thread"))
            .collect();
        while asking.iter().any(|asking| !asking.is_finished()) {
            fs::write(dirs[0].join("b"), "1").expect("written");
            view.refresh().expect("refreshed");
        }
    });
}

fn memory(view: &View, path: PathBuf) -> bool {
    check(view, &path) > 0
}

#[test]
fn the_picture_vouches_for_what_it_knows_alone() {
    let scratch = scratch();
    let dir = scratch.path().join("dir");
    for name in ["sub", "other"] {
        fs::create_dir_all(dir.join(name)).expect("directories");
        fs::write(dir.join(name).join("a"), "1").expect("a file");
    }
    symlink("sub", dir.join("link")).expect("a link");
    fs::hard_link(dir.join("sub/a"), scratch.path().join("outside")).expect("a link");
    let view = view(&dir);
    for known in ["sub", "sub/none", "sub/none/deeper", "other/a/none", "other/a"] {
        assert!(memory(&view, dir.join(known)), "{known}");
    }
    for asked in ["link/a", "sub/../other", "sub//a", "sub/./none", "../dir/none"] {
        assert!(!memory(&view, PathBuf::from(format!("{}/{asked}", dir.display()))), "{asked}");
    }
    assert!(!memory(&view, PathBuf::from("Cargo.toml")) && !memory(&view, PathBuf::from("none")));
    // A file with several names may be written by another one.
    fs::write(scratch.path().join("outside"), "22").expect("written");
    view.refresh().expect("refreshed");
    assert_eq!(check(&view, &dir.join("sub/a")), 1, "it is not a directory; the rest is asked");
    // While the root is gone, nothing is in the picture.
    let aside = scratch.path().join("aside");
    fs::rename(&dir, &aside).expect("moved");
    assert!(view.refresh().is_err() && view.refresh().is_err());
    assert!(!memory(&view, dir.join("sub/none")));
    fs::rename(&aside, &dir).expect("moved back");
    view.refresh().expect("refreshed");
    assert!(memory(&view, dir.join("sub/none")));
}

#[test]
fn what_is_left_out_is_asked() {
    let scratch = scratch();
    let dir = scratch.path().join("dir");
    fs::create_dir_all(dir.join("sub")).expect("directories");
    fs::write(dir.join("sub/a"), "").expect("a file");
    let omitted = vec![dir.join("sub/a")];
    let view = View::new(Rescan { omitted, ..Rescan::over([&dir]) }).expect("a view");
    assert!(!memory(&view, dir.join("sub/a")) && !memory(&view, dir.join("sub/none")));
    let view = View::new(Rescan::over([&dir, &dir.join("sub")])).expect("a view");
    assert!(memory(&view, dir.join("sub/a")) && !memory(&view, dir.join("none")));
}

#[test]
fn what_could_not_be_read_is_asked() {
    if !obeys_permissions("view::what_could_not_be_read_is_asked") {
        return;
    }
    let scratch = scratch();
    let dir = scratch.path().join("dir");
    fs::create_dir_all(dir.join("sub/deep")).expect("directories");
    let mode = |mode| fs::set_permissions(dir.join("sub"), fs::Permissions::from_mode(mode));
    mode(0).expect("its mode");
    let view = view(&dir);
    assert!(view.list(&dir.join("sub")).found.is_err());
    assert!(view.symlink_metadata(&dir.join("sub/none")).found.is_err());
    mode(0o755).expect("its mode");
    view.refresh().expect("refreshed");
    assert!(view.exists(&dir.join("sub/deep")));
    assert!(memory(&view, dir.join("sub/none")), "it was read again");
}

#[test]
fn where_no_events_come_the_file_system_is_asked() {
    let view = view(Path::new("/proc/self/fdinfo"));
    let file = fs::File::open("/proc/self/status").expect("a file");
    let path = format!("/proc/self/fdinfo/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
    assert!(view.exists(path.as_ref()));
    drop(file);
    assert!(view.symlink_metadata(path.as_ref()).as_of.is_none());
    assert!(view.list("/proc/self/fdinfo".as_ref()).as_of.is_none());
}

/// A search for headers, most of which are not where they are looked for.
#[test]
fn a_search_makes_few_system_calls() {
    let scratch = scratch();
    let log = scratch.path().join("log");
    let test = "view::a_search_makes_few_system_calls";
    let traced = log.display().to_string();
    let words = ["strace", "-f", "-qq", "-o", &traced];
    if std::process::Command::new("strace").arg("-V").output().is_err() {
        return left_out(test, "no strace");
    }
    if is_inside(test, &words) {
        let dir = |at: usize| scratch.path().join(at.to_string());
        for at in 0..20 {
            fs::create_dir(dir(at)).expect("a directory");
            fs::write(dir(at).join(format!("{at}.h")), "").expect("a file");
        }
        let view = view(scratch.path());
        let search = |exists: &dyn Fn(&Path) -> bool| {
            for at in 0..200 {
                let mut places = (0..20).map(|place| dir(place).join(format!("{at}.h")));
                assert_eq!(places.any(|path| exists(&path)), at < 20);
            }
        };
        let _ = fs::metadata("/begin");
        view.refresh().expect("refreshed");
        search(&|path| view.exists(path));
        let _ = fs::metadata("/between");
        search(&|path| path.exists());
        let _ = fs::metadata("/end");
        return;
    }
    let log = fs::read_to_string(&log).expect("the calls");
    let at = |mark| log.lines().position(|line| line.contains(mark)).expect("a mark");
    let [begin, between, end] = ["\"/begin\"", "\"/between\"", "\"/end\""].map(at);
    let [view, stat] = [between - begin - 1, end - between - 1];
    assert!(stat > 3_000 && view * 10 < stat && view < 20, "{view} calls, and {stat}");
}
