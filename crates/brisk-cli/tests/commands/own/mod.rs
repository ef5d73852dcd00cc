//! `brisk chmod`, `chown` and `chgrp` beyond GNU's: what is changed and what is left alone, and what
//! must never be changed.

use testkit::{Installation, is_root, left_out};

/// Checks itself in a directory on a tmpfs, as root of a mount namespace.
fn succeeds(test: &str, script: &str) {
    Installation::new().succeeds(test, script);
}

#[test]
fn only_what_differs_is_changed() {
    let script = "\
        mkdir d; touch d/right d/wrong; chmod 600 d/right; chmod 644 d/wrong; chmod 700 d\n\
        old=$(find . -printf '%P %C@ ' | sort)\n\
        right=$(stat -c %z d/right); wrong=$(stat -c %z d/wrong); sleep 0.02\n\
        \"$B\" chmod -R --json u+rwX,go= d >json\n\
        grep -q '\"changed\":1,\"retained\":2,\"failed\":0' json\n\
        code=0; \"$B\" chmod -v --json u+r d >json || code=$?; [ $code = 2 ]; [ ! -s json ]\n\
        [ \"$right\" = \"$(stat -c %z d/right)\" ]; [ \"$wrong\" != \"$(stat -c %z d/wrong)\" ]\n\
        \"$B\" chown -R --json $(id -u):$(id -g) d | grep -q '\"changed\":0,\"retained\":3'\n\
        [ \"$right\" = \"$(stat -c %z d/right)\" ]\n\
        \"$B\" chown -R --always $(id -u) d; [ \"$right\" != \"$(stat -c %z d/right)\" ]";
    succeeds("only_what_differs_is_changed", script);
}

#[test]
fn a_dry_run_tells_and_changes_nothing() {
    let script = "\
        mkdir d; touch d/f; chmod 644 d/f; chmod 755 d\n\
        \"$B\" chmod -R --dry-run 700 d | sort >out; stat -c %a d d/f >>out\n\
        \"$B\" chown -R --dry-run 5:6 d | wc -l >>out; [ $(stat -c %u d/f) = $(id -u) ]\n\
        cat >expected <<E\n\
        would change mode of 'd' from 0755 (rwxr-xr-x) to 0700 (rwx------)\n\
        would change mode of 'd/f' from 0644 (rw-r--r--) to 0700 (rwx------)\n\
        755\n644\n2\nE\n\
        diff expected out";
    succeeds("a_dry_run_tells_and_changes_nothing", script);
}

#[test]
fn filters_choose_what_is_changed() {
    let script = "\
        mkdir -p d/e; touch d/a.sh d/b.c d/e/c.sh; chmod 644 d/a.sh d/b.c d/e/c.sh\n\
        \"$B\" chmod -R --type d 711 d; \"$B\" chmod -R --extension sh 755 d\n\
        find d -printf '%p %m,' | tr ',' '\\n' | sort | tr '\\n' ',' >out\n\
        [ \"$(cat out)\" = 'd 711,d/a.sh 755,d/b.c 644,d/e 711,d/e/c.sh 755,' ] || { cat out; exit 1; }\n\
        printf 'd/b.c\\0d/e' >list\n\
        ! \"$B\" chmod --files0-from list 600 2>err || exit 1\n\
        grep -q 'no NUL behind the name: not changing it' err\n\
        [ $(stat -c %a d/b.c) = 600 ]; [ $(stat -c %a d/e) = 711 ]\n\
        ! \"$B\" chmod --files0-from list 600 d 2>err || exit 1\n\
        grep -q 'extra operand' err";
    succeeds("filters_choose_what_is_changed", script);
}

#[test]
fn mount_points_stay_as_they_are() {
    let script = "\
        mkdir -p d/m d/n; mount -t tmpfs -o mode=755 none d/m; touch d/m/f d/n/f; chmod 644 d/*/f\n\
        for program in \"$B chmod -R 700\" \"$B chown -R --always 7\"; do\n\
          ! $program d 2>err || exit 1\n\
          grep -q \"skipping 'd/m', since it's a mount point\" err\n\
          [ \"$(stat -c %a:%u d/m d/m/f | tr '\\n' ' ')\" = '755:0 644:0 ' ]\n\
        done\n\
        [ $(stat -c %a:%u d/n/f) = 700:7 ]\n\
        \"$B\" chmod -R --cross-mounts 711 d; [ $(stat -c %a d/m/f) = 711 ]\n\
        umount d/m";
    if is_root() {
        succeeds("mount_points_stay_as_they_are", script);
    } else {
        left_out("mount_points_stay_as_they_are", "another owner needs root");
    }
}

/// Under GNU's names files are changed without a question, unless something is mounted below.
#[test]
fn mounted_files_stay_as_they_are() {
    let script = "\
        mkdir -p d/e a/u; touch d/e/m d/e/f; chmod 644 d/e/f; mkfifo fifo; mount --bind fifo d/e/m\n\
        ln -s $B chown; chmod 600 fifo d/e/m\n\
        for program in \"$B chmod -R 700\" \"$B chown -R --always 7\" \"$B chown -R 8\" \\\n\
          './chown -R 9' './chown -Rv 6' \"$B chgrp -R 7\"; do\n\
          if $program d >out 2>err; then echo \"$program\"; exit 1; fi\n\
          grep -q \"skipping 'd/e/m', since it's a mount point\" err || { cat err; exit 1; }\n\
          [ \"$(stat -c %a:%u:%g fifo)\" = 600:0:0 ] || { echo \"$program\"; exit 1; }\n\
        done\n\
        [ $(stat -c %a:%u:%g d/e/f) = 700:6:7 ]\n\
        ./chown -R 5 d/../a; [ $(stat -c %u a/u) = 5 ]; \"$B\" chmod 601 d/e/m\n\
        \"$B\" chown -R --always --cross-mounts 5:5 d; [ $(stat -c %a:%u:%g fifo) = 601:5:5 ]";
    let test = "mounted_files_stay_as_they_are";
    if is_root() { succeeds(test, script) } else { left_out(test, "another owner needs root") }
}

/// The explanation and the system calls agree: how many there are of each for a tree of two
/// directories, two files and a link.
#[test]
fn what_is_explained_is_what_happens() {
    let test = "what_is_explained_is_what_happens";
    let script = "\
        strace -V >/dev/null 2>&1 || exit 0\n\
        made() { grep -cE \"$1\" trace || true; }\n\
        check() {\n\
          calls=$1; line=$2; shift 2\n\
          rm -rf d; mkdir -p d/e; touch d/a d/e/b; ln -s a d/l\n\
          chmod 755 d d/e; chmod 644 d/a d/e/b\n\
          \"$B\" \"$@\" --explain >out 2>told; [ ! -s out ]; [ $(stat -c %a d/a) = 644 ]\n\
          grep -q \"^Nothing is changed: \" told\n\
          grep -qF -e \"$line\" told || { cat told; exit 1; }\n\
          strace -f -o trace \"$B\" \"$@\" >/dev/null\n\
          asked=$(made 'statx\\(([3-9], \"[a-z]|AT_FDCWD, \"d)')\n\
          modes=$(made 'chmod[a-z0-9]*\\((AT_FDCWD|[3-9])|syscall_0x1c4\\((0xffffff9c|0x[3-9])')\n\
          owners=$(made 'fchownat\\(')\n\
          [ \"$asked $modes $owners\" = \"$calls\" ] || { echo \"$*: $asked $modes $owners\"; exit 1; }\n\
        }\n\
        check '5 4 0' 'The change needs mode of all entries.' chmod -R go= d\n\
        check '5 4 0' 'The call is a fchmodat2 ' chmod -R go= d\n\
        check '5 0 0' 'where an entry is not yet as requested' chmod -R go-w d\n\
        check '5 4 0' 'even one that is already as requested' chmod -R --always go-w d\n\
        check '5 0 0' '--dry-run: no call' chmod -R --dry-run go= d\n\
        check '5 0 0' 'Owners of a directory are set after all below it' chown -R 0 d\n\
        check '7 0 5' 'by exactly 2 workers' chown -R --always --threads 2 -c 0 d\n\
        check '2 0 5' 'Each directory costs a statx' chown -R --always 0 d\n\
        check '1 0 1' 'Each path costs a statx' chown --always -h 0 d/l\n\
        check '2 0 1' 'What a link leads to is changed, by one statx more' chown --always 0 d/l\n\
        check '7 0 5' '--from: the call is' chown -R --from 0 --always 0 d\n\
        check '5 0 0' 'The call is a fchownat' chgrp -R 0 d\n\
        \"$B\" chmod -R --stats go= d 2>told; grep -q '^4 changed, 0 already as requested, 0 failed$' told || \
        { cat told; exit 1; }";
    succeeds(test, script);
}

/// In a chroot on a tmpfs, with the system's programs mounted read-only: nothing else can be reached.
#[test]
fn the_root_is_refused() {
    let test = "the_root_is_refused";
    if !is_root() {
        return left_out(test, "chroot needs root");
    }
    let script = "\
        mkdir -p r/usr r/lib r/lib64 r/bin r/home\n\
        for d in usr lib lib64 bin; do\n\
          [ -e /$d ] && mount --bind /$d r/$d && mount -o remount,bind,ro r/$d\n\
        done\n\
        cp \"$B\" r/brisk; ln -s brisk r/chmod; ln -s brisk r/chown; ln -s / r/toroot\n\
        touch r/home/keep; chmod 644 r/home/keep\n\
        for line in '/brisk chmod -R 700 /' '/brisk chown -R 7 /usr/..' '/brisk chgrp -R 7 /./' \\\n\
          '/chmod -Rf --preserve-root 700 /' '/chown -R --preserve-root 7 //' \\\n\
          '/chmod -R --preserve-root 700 /toroot' '/chown -RH --preserve-root 7 /toroot' \\\n\
          '/chown -RL --preserve-root 7 /home/../toroot'; do\n\
          if chroot r $line >out 2>&1; then echo \"$line: fine\"; exit 1; fi\n\
          grep -q 'it is dangerous to operate recursively on' out || { cat out; exit 1; }\n\
          grep -qE '^(brisk|.chmod|.chown): use --no-preserve-root to override this failsafe' out\n\
          [ $(stat -c %a:%u r/home/keep) = 644:0 ] || { echo \"$line\"; exit 1; }\n\
        done\n\
        chroot r /brisk chmod -R --no-preserve-root a-w /home; [ $(stat -c %a r/home/keep) = 444 ]";
    succeeds(test, script);
}
