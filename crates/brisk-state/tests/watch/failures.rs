//! What fails beside a watcher: nothing is silent, and nothing is lost.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use brisk_state::WhyScanned;
use testkit::scratch;

use super::reasons::{everything, is_inside, started};
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
