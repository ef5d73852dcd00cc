//! What another user puts in the place of a copy before brisk has done with it. strace stops brisk
//! when it has made the copy.

use testkit::Installation;

/// `stopped CALL`: copies `s` to `d`, which is empty, and is back when the first copy is there: `$F`;
/// `go_on` sets `code`.
const STOP: &str = r#"
    strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }
    stopped() {
      strace -f -o log -e inject=$1:signal=STOP:when=1 "$B" cp -j1 -aT s d 2>out & copy=$!
      until F=$(ls d | grep .); do sleep 0.01; done
    }
    go_on() { while kill -CONT $(pgrep -P $copy) 2>told; do sleep 0.01; done; code=0; wait $copy || code=$?; }
    "#;

/// A device of another number does not get the mode of the copy.
#[test]
fn a_device_is_not_taken_for_another() {
    let script = format!(
        r#"{STOP}
        mkdir s d; mknod -m 666 s/null c 0 0 2>told && mknod -m 600 other c 0 5 2>told || {{ echo 'left out: no right to make devices'; exit 0; }}
        chown 7 s/null; stopped mknodat; mv other d/null; go_on
        [ $code = 1 ]; [ "$(cat out)" = "brisk: preserving permissions for 'd/null': stale network file handle" ]
        [ "$(stat -c %u-%a d/null)" = 0-600 ]; rm d/null; "$B" cp -aT s d; [ "$(stat -c %u-%a-%t-%T d/null)" = 7-666-0-0 ]"#
    );
    Installation::new().succeeds("a_device_is_not_taken_for_another", &script);
}

/// In a directory that is another user's, or to which others may write: what is there is no copy, so
/// another is made. Elsewhere nothing is asked.
#[test]
fn a_further_link_is_one_to_the_copy() {
    let script = format!(
        r#"{STOP}
        mkdir s; echo text >s/a; ln s/a s/b; ln s/a s/c
        for of in 'chmod 777' 'chown 7'; do
          mkdir d; $of d; echo evil >evil; stopped linkat; mv evil d/$F; go_on; [ $code = 0 ]
          [ "$(cat d/* | sort | uniq -c | xargs)" = '1 evil 2 text' ]; [ "$(cat d/$F)" = evil ]
          [ "$(find d -type f -links 2 | wc -l)" = 2 ]; rm -r d
        done
        asked() {{ strace -f -o log -e trace=statx "$B" cp -j1 -aT s d; grep -c statx log; rm -r d; }}
        mkdir d; few=$(asked); mkdir d; chmod 777 d; [ $(asked) = $((few + 3)) ]"#
    );
    Installation::new().succeeds("a_further_link_is_one_to_the_copy", &script);
}

/// Only a copy that is no longer there is made anew.
#[test]
fn a_copy_that_cannot_be_asked_about_is_an_error() {
    let script = r#"
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }
        mkdir -p s/1 s/2; echo S >s/1/a; ln s/1/a s/2/b; echo q >q; mkdir p
        traced() { strace -f -e trace=openat2,linkat,statx -o log "$@"; }
        traced "$B" cp -j1 -a s k; n=$(awk '/openat2/ { n++ } /linkat/ { print n; exit }' log); code=0; rm -r k
        strace -f -o log -e inject=openat2:error=EMFILE:when=$n "$B" cp -j1 -a s k 2>out || code=$?; [ $code = 1 ]
        [ "$(sed "s/'.*'/X/" out)" = 'brisk: cannot open directory X: Too many open files' ]
        traced "$B" cp -j1 -a q s p; n=$(awk '/statx/ { n++ } /linkat.*"[ab]", [0-9]*, "[ab]"/ { print n + 1 }' log); rm -r p/*; code=0
        strace -f -o log -e inject=statx:error=EIO:when=$n "$B" cp -j1 -a q s p 2>out || code=$?; [ $code = 1 ]
        [ "$(sed "s/'.*'/X/" out)" = 'brisk: cannot create hard link X: Input/output error' ]; [ $(find p -name '[ab]' | wc -l) = 1 ]
        "#;
    Installation::new().succeeds("a_copy_that_cannot_be_asked_about_is_an_error", script);
}

/// Another user's link has got the name of one that was made: no name becomes a link to it.
#[test]
fn another_users_link_is_no_copy() {
    let script = format!(
        r#"{STOP}
        [ $(id -u) = 0 ] || {{ echo 'left out: this user is not root'; exit 0; }}
        mkdir -p s/1 s/2 d/1 d/2; chmod 777 s/1 s/2 d/1 d/2; ln -s good s/1/l; ln -P s/1/l s/2/l
        strace -f -o log -e trace=symlinkat -e inject=symlinkat:signal=STOP:when=1 "$B" cp -j1 -dR s/. d & copy=$!
        until F=$(ls d/*/l 2>told | grep .); do sleep 0.01; done; ln -s evil d/new; chown -h 7 d/new; mv -T d/new $F
        go_on; [ $code = 0 ]; [ "$(readlink d/1/l d/2/l | sort | xargs)" = 'evil good' ]"#
    );
    Installation::new().succeeds("another_users_link_is_no_copy", &script);
}

/// Another user removes the first copy, and makes a file, which gets its inode when no others are
/// free.
#[test]
fn a_further_link_is_one_to_no_other_users_file() {
    let script = format!(
        r#"{STOP}
        mkdir s m; echo text >s/a; ln s/a s/b; truncate -s 1M image
        mkfs.ext4 -q -N 32 image >told 2>&1 && mount -o loop image m 2>told || {{ echo 'left out: no ext4'; exit 0; }}
        mkdir m/d; strace -f -e trace=close,linkat -o log "$B" cp -j1 -aT s m/d; rm m/d/*; chown 7 m/d
        n=$(awk '/linkat/ {{ print n + 2; exit }} /close/ {{ n++ }}' log)
        strace -f -o log -e inject=close:signal=STOP:when=$n "$B" cp -j1 -aT s m/d 2>out & copy=$!
        until grep -q 'stopped by SIGSTOP' log; do sleep 0.01; done
        F=$(ls m/d); first=$(stat -c %i m/d/$F); rm m/d/$F
        for i in $(seq 32); do
          echo evil >m/d/$F; chown 7 m/d/$F; [ $first != $(stat -c %i m/d/$F) ] || break; mv m/d/$F m/$i
        done
        go_on; [ $code = 0 ]; rm m/d/$F; [ "$(stat -c %h-%u m/d/?)" = 1-0 ]; [ "$(cat m/d/?)" = text ]; umount m"#
    );
    Installation::new().succeeds("a_further_link_is_one_to_no_other_users_file", &script);
}

/// Between making a tree and locking it, another copy takes it for one that was left, and removes it:
/// the first one makes another.
#[test]
fn a_tree_that_another_copy_has_removed_is_made_again() {
    let script = format!(
        r#"{STOP}
        mkdir s d; echo text >s/f
        strace -f -o one -e inject=flock:delay_enter=4000000:when=1 "$B" cp -RT s d/new & first=$!
        until ls -A d | grep -q .; do sleep 0.01; done; sleep 0.2
        strace -f -o log -e inject=copy_file_range:signal=STOP:when=1 "$B" cp -j1 -RT s d/new 2>out & copy=$!
        wait $first; [ "$(cat d/new/f)" = text ]; until grep -q 'stopped by SIGSTOP' log; do sleep 0.01; done
        go_on; [ "$(cat d/new/f)" = text ]
        [ $code = 1 ]; [ "$(cat out)" = "brisk: cannot create directory 'd/new': File exists" ]; [ "$(ls -A d)" = new ]"#
    );
    Installation::new().succeeds("a_tree_that_another_copy_has_removed_is_made_again", &script);
}

/// The same, and the other one fills the tree, and gives it its name: the first one writes nothing
/// there.
#[test]
fn a_tree_that_another_copy_has_completed_is_left_alone() {
    let script = r#"
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }
        mkdir s1 s2 d; echo 1 >s1/only1; echo 2 >s2/only2; chmod 700 s1
        strace -f -o one -e inject=flock:delay_enter=4000000:when=1 "$B" cp -aT s2 d/new 2>out & first=$!
        until ls -A d | grep -q .; do sleep 0.01; done; sleep 0.2
        "$B" cp -aT --update=changed s1 d/new; [ -z "$(ls -Ad d/.b* 2>told)" ]; [ "$(ls d/new)" = only1 ]; code=0; wait $first || code=$?
        [ $code = 1 ]; [ "$(cat out)" = "brisk: cannot create directory 'd/new': File exists" ]
        [ "$(ls -A d)" = new ]; [ "$(ls -A d/new)" = only1 ]; [ $(stat -c %a d/new) = 700 ]
        "#;
    Installation::new().succeeds("a_tree_that_another_copy_has_completed_is_left_alone", script);
}
