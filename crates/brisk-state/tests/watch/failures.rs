//! What fails beside a watcher: nothing is silent, and nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, Instant};

use brisk_state::{Rescan, RescanError, Watcher, WhyScanned};
use testkit::{left_out, scratch};

use super::reasons::{accept, everything, is_inside, started};
use super::{next, told};

/// The system lets no user watch a directory that this user may not read.
#[test]
fn a_link_in_a_directory_that_cannot_be_read_leads_elsewhere() {
    if testkit::is_root() {
        let words = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
        let test = "failures::a_link_in_a_directory_that_cannot_be_read_leads_elsewhere";
        if testkit::obedient("true").is_none() || !is_inside(test, &words) {
            return;
        }
    }
    let scratch = scratch();
    let above = scratch.path().join("above");
    let [one, other, link, new] = ["one", "other", "link", "new"].map(|name| above.join(name));
    [&one, &other].into_iter().for_each(|dir| fs::create_dir_all(dir).expect("a directory"));
    fs::write(other.join("a"), "").expect("a file");
    symlink("one", &link).expect("a link");
    symlink("other", &new).expect("a link");
    fs::set_permissions(&above, fs::Permissions::from_mode(0o311)).expect("its mode");
    let mut watcher = started(&link);
    assert!(watcher.polled().is_empty());
    assert!(watcher.deadline().is_some(), "nothing else ends a wait");
    fs::rename(new, link).expect("it leads elsewhere");
    let batch = next(&mut watcher);
    fs::set_permissions(&above, fs::Permissions::from_mode(0o755)).expect("its mode");
    assert_eq!(batch.scanned, everything(WhyScanned::Root));
    assert_eq!(told(&batch), ["A a"]);
}

#[test]
fn an_error_of_the_queue_during_a_look_is_told() {
    let test = "failures::an_error_of_the_queue_during_a_look_is_told";
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out(test, "there is no strace");
    }
    // The first read finds the event, and the look makes the second one.
    let strace = "strace -f -qq -o /dev/null -P anon_inode:inotify -e inject=read:error=EIO:when=2";
    if !is_inside(test, &strace.split(' ').collect::<Vec<_>>()) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let mut watcher = Watcher::new(Rescan::over([scratch.path()]), None).expect("a watcher");
    accept(&mut watcher);
    fs::write(scratch.path().join("a"), "").expect("a file");
    let failed = watcher.next(Duration::ZERO, Some(Instant::now()));
    assert!(matches!(failed, Err(RescanError::Watch(_))), "{failed:?}");
    assert_eq!(accept(&mut watcher), ["A a"]);
}
