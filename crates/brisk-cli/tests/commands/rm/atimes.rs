//! A directory that `rm` only looked at does not look used: it is opened with O_NOATIME, where the
//! system allows that to this user.

use testkit::{Installation, is_root, left_out};

#[test]
fn a_directory_that_was_looked_at_keeps_its_access_time() {
    let script = r#"
mkdir -p d/a/b d/c; touch d/a/b/f d/c/g
old() { touch -a -d '2020-02-02 02:02:02' d d/a d/a/b d/c; }
used() { stat -c '%n %x' d d/a d/a/b d/c; }
old; used >before; find d >/dev/null; used >after
if cmp -s before after; then echo 'left out: access times are not kept here'; exit 0; fi
for threads in 1 2; do
    old; "$B" rm -r --dry-run --threads=$threads d >/dev/null; used >after
    diff before after || { echo "after $threads threads"; exit 1; }
done
"#;
    Installation::new().succeeds("a_directory_that_was_looked_at_keeps_its_access_time", script);
}

/// Another user's directories: O_NOATIME is refused once where they begin, and they are read all
/// the same.
#[test]
fn another_users_directories_are_read_and_tried_once() {
    let test = "another_users_directories_are_read_and_tried_once";
    if !is_root() {
        return left_out(test, "it needs two users");
    }
    let script = r#"
mkdir d; for dir in $(seq 50); do mkdir -p d/$dir/a/b; touch d/$dir/f; done
mkdir own; for dir in $(seq 50); do mkdir -p own/$dir/a; done
chmod -R 777 d own; chmod 0777 .; chown 65534 own
other="setpriv --reuid 65534 --regid 65534 --clear-groups"
$other true 2>/dev/null || { echo 'left out: setpriv cannot change the user'; exit 0; }
for tree in d own; do
    : >trace; chmod 666 trace
    $other strace -f -qq -o trace -e trace=openat,openat2 "$B" rm -r --dry-run --threads=1 $tree >found
    grep -q " $(find $tree -type d | wc -l) directories" found || { cat found; exit 1; }
    [ $(grep -c EPERM trace) = 1 ] || { grep EPERM trace; exit 1; }
done
grep -q 'O_NOATIME.*= [0-9]' trace
"#;
    Installation::new().succeeds(test, script);
}
