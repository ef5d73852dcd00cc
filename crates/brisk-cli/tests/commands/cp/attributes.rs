//! Modes, owners, access lists and other attributes: what a copy keeps of them, and at no moment permits.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use testkit::{Installation, Scratch};

use super::left_trees::LEFT;
use super::{run, succeeds};

/// While the last source is copied, another user puts a link in the place of a new directory.
#[test]
fn parents_sets_modes_by_handle() {
    let script = "\
        mkdir -p x/y shared secret/y; chmod 700 secret secret/y; chmod 2>told 777 x x/y shared; mkfifo x/y/f\n\
        umask 0; \"$B\" cp --parents --copy-contents -p x/y/f shared & copy=$!\n\
        ( exec >x/y/f; mv shared/x shared/old; ln -s ../secret shared/x; echo text )\n\
        wait $copy; [ \"$(stat -c %a secret/y)\" = 700 ]; [ \"$(stat -c %a shared/old/y)\" = 777 ]\n\
        [ \"$(cat shared/old/y/f)\" = text ]; rm -r shared/*\n\
        \"$B\" cp --parents --copy-contents x/y/f shared & copy=$!\n\
        ( exec >x/y/f; mv shared/x shared/old; ln -s ../secret shared/x; echo text )\n\
        wait $copy; [ \"$(stat -c %a secret/y)\" = 700 ]; [ \"$(stat -c %a shared/old/y)\" = 777 ]";
    Installation::new().succeeds("parents_sets_modes_by_handle", script);
}

#[test]
fn a_umask_without_own_rights() {
    let script = "\
        mkdir -p s/d; echo text >s/d/f; chmod 755 s s/d; umask 777\n\
        $U \"$B\" cp -R s new; $U \"$B\" cp -aT s all; mkdir there; chmod 700 there; $U \"$B\" cp -R s there\n\
        [ \"$(stat -c %a new new/d new/d/f there/s)\" = \"$(printf '0\\n0\\n0\\n0')\" ]\n\
        [ \"$(stat -c %a all all/d)\" = \"$(printf '755\\n755')\" ]; [ \"$(cat new/d/f)\" = text ]\n\
        [ -z \"$(find . -name '.brisk*')\" ]";
    succeeds("a_umask_without_own_rights", script);
}

/// Access lists and attributes of what is not opened: directories on another file system, pipes,
/// links; and what cannot be kept of a directory is said.
#[test]
fn attributes_of_what_is_not_opened() {
    let script = "\
        mkdir -p s/m; mount -t tmpfs none s/m; mkfifo s/p; ln -s nowhere s/l\n\
        setfacl -m u:7:r s/p s/m 2>told && setfattr -h -n trusted.x -v 1 s/l 2>told || { echo 'left out: no attributes'; exit 0; }\n\
        \"$B\" cp -ax s d; getfacl -nc d/p | grep -q user:7:r; getfacl -nc d/m | grep -q user:7:r\n\
        [ \"$(getfattr -h -n trusted.x --only-values d/l)\" = 1 ]; umount s/m";
    Installation::new().succeeds("attributes_of_what_is_not_opened", script);
}

#[test]
fn only_attributes_are_copied_to_a_file_that_exists() {
    let place = Scratch::new();
    ["a", "b"].iter().for_each(|name| place.write(name, name));
    fs::set_permissions(place.path("a"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(run(&place, "--attributes-only --preserve=mode a b"), (String::new(), 0));
    let mode = fs::metadata(place.path("b")).unwrap().permissions().mode() & 0o777;
    assert_eq!((place.read("b").as_str(), mode), ("b", 0o640));
}

/// As with GNU cp, if the link was named; below, no link is followed.
#[test]
fn only_attributes_are_copied_through_a_link() {
    let script = "\
        mkdir s d; echo new >f; echo new >s/t; echo old >t; ln -s t l; ln -s ../t d/t; ln -s nowhere n; chmod 640 f; chmod 644 t\n\
        \"$B\" cp --attributes-only -p f l; [ \"$(readlink l)\" = t ]; [ \"$(cat t)\" = old ]; [ $(stat -c %a t) = 640 ]; code=0\n\
        \"$B\" cp -R --attributes-only -p s/. d 2>out || code=$?; [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: not writing through symlink 'd/./t'\" ]\n\
        [ -L d/t ]; code=0; \"$B\" cp -Rf --attributes-only -p s/. d 2>out || code=$?; [ $code = 1 ]; [ -L d/t ]; grep -q 'not writing through symlink' out\n\
        ln -s /dev/null null; \"$B\" cp --attributes-only f null; [ -L null ]; code=0; \"$B\" cp --attributes-only f n 2>out || code=$?; [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: not writing through dangling symlink 'n'\" ]; [ -L n ]";
    succeeds("only_attributes_are_copied_through_a_link", script);
}

/// Through a link named cp the file stays the same one.
#[test]
fn an_existing_file_gets_an_owner_and_keeps_its_mode() {
    let script = "\
        ln -s \"$B\" cp; echo new >a; chown 7:8 a; echo old >b; chmod 644 b\n\
        ./cp --preserve=ownership a b; [ \"$(stat -c '%a %u %g' b)\" = '644 7 8' ]; [ \"$(cat b)\" = new ]";
    Installation::new().succeeds("an_existing_file_gets_an_owner_and_keeps_its_mode", script);
}

/// As GNU cp: the group, if it is one of the user's; setuid, setgid and a file's sticky bit only with
/// their owners.
#[test]
fn what_an_ordinary_user_cannot_keep_of_owners() {
    let script = "\
        mkdir -p s/d s/u d; touch s/f; ln -s f s/l; mkfifo s/p; chown -h 0:50 s s/*; chmod 2755 s/d; chmod 6755 s/u; chmod 7755 s/f\n\
        chown 7 d; user='setpriv --reuid 7 --regid 7 --groups 50'; $user \"$B\" cp -aT s d/new\n\
        [ -z \"$($user \"$B\" cp -aTv --update=changed s d/new)\" ]\n\
        cd d/new; [ \"$(stat -c '%g' . d u f l p | sort -u)\" = 50 ]; [ \"$(stat -c '%a' d u f | sort -u)\" = 755 ]";
    succeeds("what_an_ordinary_user_cannot_keep_of_owners", script);
}

/// The system refuses these attributes where a file is read-only.
#[test]
fn read_only_files_keep_their_attributes() {
    let script = "\
        mkdir s; echo text >s/f; : >s/e; echo text >s/plain; setfattr -n user.x -v 1 s/f 2>told && setfattr -n user.x -v 1 s/e 2>told && strace -V >told 2>&1 || { echo 'left out: no attributes, or no strace'; exit 0; }\n\
        chmod 444 s/f s/e s/plain\n\
        for words in -a '-a --update=changed' '-r --preserve=xattr'; do for umask in 022 277 777; do\n\
          rm -rf new d; mkdir d; touch d/f d/e; there=$(stat -c %a d/f); for to in new d; do\n\
            ( umask $umask; $U \"$B\" cp $words -T s $to ); chmod 755 $to; for i in f e; do\n\
              [ \"$(getfattr -n user.x --only-values $to/$i 2>told)\" = 1 ] || { echo \"$words, $umask: $to/$i\"; exit 1; }\n\
              case $words$to in -r*new) mode=$(printf %o $((0444 & ~0$umask)));; -r*) mode=$there;; *) mode=444; esac; [ $(stat -c %a $to/$i) = $mode ]\n\
        done; done; done; done; mkdir p; mv s/plain p; $U strace -f -o log -e trace=fchmod \"$B\" cp -aT p out; ! grep 0444 log || exit 1";
    succeeds("read_only_files_keep_their_attributes", script);
}

/// What cannot be read of attributes is said if they must be kept, and the rest of them is.
#[test]
fn attributes_that_cannot_be_read_or_set() {
    let script = "\
        mkdir -p s/d; touch s/f s/d/f; setfacl -m u:7:r s/f s/d 2>told && setfattr -n user.x -v 1 s/f 2>told && strace -V >told 2>&1 || { echo 'left out: no attributes, or no strace'; exit 0; }\n\
        copy() { code=0; strace -f -o log -e inject=$1 \"$B\" cp $2 -aT s $3 2>out || code=$?; }\n\
        copy fgetxattr:error=ENODATA:when=2 -j1 a; [ $code = 0 ]; getfacl -nc a/f a/d >log; getfattr -d a/f >>log; grep -cE 'user:7:r|user.x' log >out; [ \"$(cat out)\" = 2 ]\n\
        copy flistxattr:error=EIO -j1 b; [ $code = 0 ]; getfacl -nc s/f s/d s/d/f >log; getfacl -nc b/f b/d b/d/f | cmp log; ! getfattr -d b/f | grep -q user.x || exit 1\n\
        copy flistxattr:error=EIO '-j1 --preserve=xattr' b; [ $code = 1 ]; [ \"$(grep -c \"setting attributes for 'b.*Input/output\" out)\" = 4 ]\n\
        mkdir -p t/d; setfattr -n user.x -v 1 t/d; \"$B\" cp -aT t k; strace -f -o log -e inject=fgetxattr:error=EIO:when=1 \"$B\" cp -j1 -aT --update=changed t k; grep -q INJECTED log; getfattr -d k/d | grep -q user.x\n\
        touch own target; setfattr -n user.x -v 1 own; ln -s target l; \"$B\" cp -a --attributes-only own l; chmod u+r own; [ -z \"$(\"$B\" cp -av --attributes-only --update=changed own l)\" ]\n\
        copy fgetxattr:error=EIO -j1 c; [ $code = 1 ]; [ \"$(sort out)\" = \"$(printf \"brisk: preserving permissions for 'c/%s': Input/output error\\n\" d f)\" ]\n\
        copy fsetxattr:error=EPERM -j1 e; [ $code = 1 ]; [ \"$(sort out)\" = \"$(printf \"brisk: preserving permissions for 'e/%s': Operation not permitted\\n\" d f)\" ]\n\
        copy fsetxattr:error=EOPNOTSUPP --preserve=xattr g; [ $code = 1 ]; [ \"$(grep -v permissions out)\" = \"brisk: setting attributes for 'g/f': Operation not supported\" ]; [ $(wc -l <out) = 3 ]";
    succeeds("attributes_that_cannot_be_read_or_set", script);
}

/// A file that is replaced keeps what it keeps when GNU cp overwrites it.
#[test]
fn a_new_file_gets_what_the_replaced_one_had() {
    let script = "\
        setfacl -m u:7:r . 2>told || { echo 'left out: no access lists'; exit 0; }; setfacl -b .; echo new >s; setfacl -m u:5:rwx,g::x s; chmod o+r s\n\
        replaced() { # OWNERS COMMAND…: what `d/f` is then\n\
          rm -rf d; mkdir d; [ $default = no ] || setfacl -d -m u:9:rwx d; echo old >d/f; setfacl -b d/f; setfattr -n user.old -v 1 d/f\n\
          [ $(id -u) != 0 ] || chown $1 d d/f; [ $(id -u) != 0 ] || chown ${1%:*} d; chmod $mode d/f; [ $acl = no ] || setfacl -m u:7:rwx,g::r d/f; shift\n\
          \"$@\" $words s d/f; stat -c '%a %u %g' d/f; getfacl -nc d/f; getfattr -d d/f; cat d/f\n\
        }\n\
        for words in '' -p --preserve=mode --preserve=ownership --preserve=timestamps --no-preserve=mode -d; do\n\
          for mode in 600 660 644 1666 6755; do case $words$mode in -p[16]*|--preserve=[mo]*[16]???) continue;; esac; for default in no yes; do for acl in no yes; do\n\
            replaced 7:8 cp >1; replaced 7:8 \"$B\" cp >2; cmp 1 2 || { echo $words $mode $default $acl; diff 1 2; exit 1; }\n\
            [ $(id -u) = 0 ] || continue; nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'\n\
            replaced 65534:65534 $nobody cp >1; replaced 65534:65534 $nobody \"$B\" cp >2; cmp 1 2 || { echo nobody $words $mode $default $acl; diff 1 2; exit 1; }\n\
        done; done; done; done; words=; default=no; acl=no; mode=660; [ $(id -u) = 0 ] || exit 0\n\
        [ \"$(replaced 65534:8 $nobody \"$B\" cp | head -1)\" = '600 65534 65534' ]; mode=664; [ \"$(replaced 65534:8 $nobody \"$B\" cp | head -1)\" = '644 65534 65534' ]\n\
        acl=yes; [ \"$(replaced 65534:8 $nobody \"$B\" cp | grep -c ::)\" = 3 ]; strace -V >told 2>&1 || exit 0\n\
        acl=no; mode=604; [ \"$(replaced 65534:8 $nobody \"$B\" cp | head -1)\" = '600 65534 65534' ]; acl=yes; mode=644; [ \"$(replaced 65534:8 $nobody \"$B\" cp | head -1)\" = '600 65534 65534' ]\n\
        acl=no; mode=644; [ \"$(replaced 65534:8 setpriv --bounding-set=-chown \"$B\" cp | head -1)\" = '644 0 0' ]; acl=yes\n\
        replaced 65534:8 $nobody strace -f -e trace=fsetxattr -o $PWD/d/log \"$B\" cp >told; grep -q user.old d/log; ! grep posix_acl d/log || exit 1\n\
        mkdir x; echo n >x/s; chown 7:9 x/s; chmod 674 x/s; rm -rf d; mkdir d; echo old >d/s; chown 65534:8 d d/s; for i in 1 2; do $nobody \"$B\" cp -a --update=changed -v x/s d/s >out.$i; done; [ -s out.1 ]; [ ! -s out.2 ]; [ $(stat -c %a d/s) = 674 ]\n\
        echo o >o; chmod 660 o; setfacl -m u:7:rw,o::- o; getfacl -nc o >1; strace -V >told 2>&1 || exit 0\n\
        strace -f -o log -e inject=llistxattr:error=EIO:when=1 \"$B\" cp s o; getfacl -nc o | cmp 1; mount -t tmpfs none /proc; \"$B\" cp s o; getfacl -nc o | cmp 1; umount /proc\n\
        code=0; strace -f -o log -e inject=llistxattr,lgetxattr,fgetxattr:error=EIO \"$B\" cp s o 2>out || code=$?; [ $code = 1 ]; grep -q \"preserving permissions for 'o'\" out; [ $(stat -c %a o) = 600 ]\n\
        setfacl -b o; setfattr -n user.a -v 1 o; code=0; strace -f -o log -e inject=fsetxattr:error=ENOSPC \"$B\" cp s o 2>out || code=$?; [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: setting attributes for 'o': No space left on device\" ]";
    Installation::new().succeeds("a_new_file_gets_what_the_replaced_one_had", script);
}

/// Of a directory too, each step is told once, and also what could not be removed from it.
#[test]
fn what_fails_for_a_directory_is_told_once() {
    let script = "\
        mkdir -p s k t/d u/d; setfacl -m u:7:rx s 2>told && setfacl -m u:7:rwx u/d && strace -V >told 2>&1 || { echo 'left out: no access lists, or no strace'; exit 0; }\n\
        code=0; strace -f -o log -e inject=fchmod,fgetxattr:error=EIO \"$B\" cp -j1 -aT s k 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: preserving permissions for 'k': Input/output error\" ]\n\
        chmod 700 t/d; code=0; strace -f -o log -P $PWD/u/d -e inject=flistxattr,fgetxattr:error=EIO \"$B\" cp -aT t u 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: preserving permissions for 'u/d': Input/output error\" ]";
    Installation::new().succeeds("what_fails_for_a_directory_is_told_once", script);
}

/// As GNU cp: a default access list of the directory above stands for the umask.
#[test]
fn directories_inherit_an_access_list() {
    let script = "\
        mkdir -p d e s/in; touch s/in/f; chmod 777 s s/in; setfacl -d -m u:7:rwx d 2>told || { echo 'left out: no access lists'; exit 0; }\n\
        umask 077; \"$B\" cp -r s d; \"$B\" cp -r s d/new; \"$B\" cp -r s e; \"$B\" cp -rp s d/kept\n\
        [ \"$(stat -c %a d/s d/s/in d/new d/new/in e/s e/s/in d/kept d/kept/in | tr '\\n' ' ')\" = '755 755 755 755 700 700 777 777 ' ]\n\
        [ \"$(getfacl -nc d/new/in d/s | grep -c ^user:7:rwx)\" = 2 ]; [ -z \"$(getfacl -sc d/kept d/kept/in)\" ]";
    Installation::new().succeeds("directories_inherit_an_access_list", script);
}

/// With -p neither what a directory inherits nor what it had gives rights that its source does not.
#[test]
fn access_lists_that_the_source_lacks_go() {
    let script = "\
        mkdir -p s/d t d e/d; touch s/f s/d/f; mkfifo s/p t/p; cp -a s/. t; setfacl -m u:9:r s/d; setfacl -d -m u:7:rwx d 2>told || { echo 'left out: no access lists'; exit 0; }\n\
        touch e/f; setfacl -m u:7:rwx,d:u:8:rwx e e/d; setfacl -m u:7:rwx e/f\n\
        for words in -rp -a '-a --update=changed'; do\n\
          \"$B\" cp $words -T s d/s; \"$B\" cp $words -T s e; for to in d/s e; do\n\
            [ \"$(getfacl -snc $to $to/f $to/p $to/d/f)\" = '' ]; getfacl -nc $to/d >1; getfacl -nc s/d >2; cmp 1 2; rm -f $to/p\n\
        done; done; setfacl -d -m u:7:rwx e; \"$B\" cp -p --no-dereference -R s/p e; [ -z \"$(getfacl -snc e/p)\" ]";
    Installation::new().succeeds("access_lists_that_the_source_lacks_go", script);
}

/// The group's bits of a mode with an access list are no rights of the group.
#[test]
fn an_access_list_is_waited_for() {
    let script = "\
        mkdir -p s/d d; touch s/f; mkfifo s/p; echo text >s/f; setfacl -m u:7:rwx,g::- s/f s/d s/p 2>told && strace -V >told 2>&1 || { echo 'left out: no access lists, or no strace'; exit 0; }\n\
        strace -f -o log -e trace=openat,mkdirat,mknodat \"$B\" cp -aT s d/new; strace -f -o more -e trace=openat,mkdirat,mknodat \"$B\" cp -aT s d\n\
        setfacl -d -m u:8:rwx d; touch g; strace -f -o out -e trace=openat \"$B\" cp -p g d; cat out more >>log; grep -cE 'O_(TMPFILE|CREAT).*, 0[0-7]00\\)|mkdirat.*\"d\", 0700|mkdirat.*tmp.*, 0700|mknodat.*S_IFIFO.0[0-7]00' log >out; [ \"$(cat out)\" = 8 ]\n\
        getfacl -nc s/f s/d s/p >1; for to in d d/new; do getfacl -nc $to/f $to/d $to/p >2; cmp 1 2; done";
    succeeds("an_access_list_is_waited_for", script);
}

/// Attributes of files are compared if the source was changed after its copy.
#[test]
fn revoked_attributes_go_when_a_copy_is_brought_up_to_date() {
    let script = "\
        mkdir -p s/y s/z d; echo f >s/f; echo g >s/g; chmod 640 s/f; setfacl -m u:7:r s/f s/y 2>told && setfattr -n user.x -v 1 s/y s/g 2>told || { echo 'left out: no attributes'; exit 0; }\n\
        \"$B\" cp -aT s d; sleep 0.1; setfacl -x u:7 s/f; setfacl -m m::r s/f; setfacl -b s/y; setfattr -x user.x s/y; chmod 755 s/y; setfattr -n user.x -v 2 s/g; setfattr -n user.z -v 1 d/z\n\
        \"$B\" cp -aT s/z d/z; [ -n \"$(getfattr d/z)\" ]; [ \"$(\"$B\" cp -aTv --update=changed --delete s d | sort)\" = \"$(printf \"'s/%s' -> 'd/%s'\\n\" f f g g)\" ]\n\
        [ -z \"$(getfacl -nc d/f d/y | grep user:7; getfattr d/y d/z)\" ]; [ \"$(getfattr -n user.x --only-values d/g)\" = 2 ]\n\
        [ -z \"$(\"$B\" cp -aTv --update=changed --delete s d)\" ]";
    succeeds("revoked_attributes_go_when_a_copy_is_brought_up_to_date", script);
}

/// Without /proc, attributes of what is not opened cannot be read.
#[test]
fn what_cannot_be_read_without_proc_is_not_taken_for_none() {
    let script = "\
        mkdir s; echo text >s/f; ln -s f s/l; setfacl -m u:7:r s/f 2>told || { echo 'left out: no access lists'; exit 0; }\n\
        cp -a s t; \"$B\" cp -aT s d; setfacl -x u:7 s/f; mkfifo s/p; mount -t tmpfs none /proc; code=0\n\
        \"$B\" cp -aT --update=changed s d 2>out || code=$?; [ -z \"$(getfacl -nc d/f | grep user:7)\" ]; [ -L d/l ]\n\
        [ $code = 1 ]; [ \"$(grep -c \"preserving permissions for 'd/p': No such file\" out)\" = 1 ]; ! grep -q d/l out || exit 1; \"$B\" cp -rpT t e; [ -L e/l ]";
    succeeds("what_cannot_be_read_without_proc_is_not_taken_for_none", script);
}

/// As GNU cp, although a default access list denies even their owner what is made.
#[test]
fn directories_are_filled_whatever_they_inherit() {
    let script = "\
        mkdir -p s/q/r d; echo f >s/q/f; chmod 700 s; chmod 750 s/q; setfacl -d -m u::rx d 2>told || { echo 'left out: no access lists'; exit 0; }\n\
        for words in -R -a '-R --no-preserve=mode'; do $U \"$B\" cp $words s d; (cd d/s; stat -c %a . q q/r q/f | tr '\\n' ' ') >>modes; rm -r d/s; done\n\
        [ \"$(cat modes)\" = '500 550 555 444 700 750 755 644 755 755 755 644 ' ]";
    succeeds("directories_are_filled_whatever_they_inherit", script);
}

/// The group of an ordinary user's copy, if the source gets another one of the user's.
#[test]
fn a_copy_is_brought_up_to_date_with_its_group() {
    let script = "\
        mkdir s d; echo text >s/f; chmod 640 s/f; chown 7:50 s/f; chown 7 d\n\
        user='setpriv --reuid 7 --regid 7 --groups 50,51'; update=\"$user $B cp -aTv --update=changed s d\"\n\
        $update; for group in 51 7; do chgrp $group s/f; [ \"$($update)\" = \"'s/f' -> 'd/f'\" ]; [ $(stat -c %g d/f) = $group ]; [ -z \"$($update)\" ]; done\n\
        chgrp 9 s/f; chmod o+r s/f; chmod 644 d/f; [ -z \"$($update)\" ]; [ $(stat -c %g d/f) = 7 ]";
    succeeds("a_copy_is_brought_up_to_date_with_its_group", script);
}

/// The mask of a list is the group's permissions as soon as the list is gone.
#[test]
fn a_directory_loses_its_access_list_after_the_mode() {
    let script = format!(
        "{LEFT}\
        mkdir s/y; setfacl -m u:7:rwx,g::- s/y 2>told || {{ echo 'left out: no access lists'; exit 0; }}\n\
        leave \"$B\" cp -aT s d/new; \"$B\" cp -aT s d/old; setfacl -b s/y; chmod 700 s/y\n\
        for name in new old; do\n\
          strace -f -e trace=fchmod,fremovexattr -o log \"$B\" cp -j1 -aT --update=changed s d/$name\n\
          grep -B 1 'acl_access' log | grep -c 'fchmod(.*700)'; [ $(stat -c %a d/$name/y) = 700 ]\n\
        done"
    );
    succeeds("a_directory_loses_its_access_list_after_the_mode", &script);
}

/// Neither the users of the list nor the group may do more meanwhile than before or after; what is refused is said once.
#[test]
fn a_file_loses_an_access_list_when_it_is_closed() {
    let script = "\
        mkdir d; setfacl -d -m u:7:rwx,g::r,o::- d 2>told && strace -V >told 2>&1 || { echo 'left out: no access lists, or no strace'; exit 0; }\n\
        echo old >d/f; echo new >f; chmod 660 f; ln -s \"$B\" cp; order() { strace -f -e trace=fchmod,fremovexattr -o log \"$@\"; sed 's/.* \\(f[a-z]*\\)(.*/\\1/' log | grep ^f | tr '\\n' ' '; }\n\
        [ \"$(order \"$B\" cp -p f d/f)\" = 'fremovexattr fchmod ' ]; [ \"$(order \"$B\" cp -p f d/new)\" = 'fremovexattr fchmod ' ]\n\
        for m in 600 620; do echo old >f2; setfacl -m u:7:rw,g::- f2; chmod $m f2; [ \"$(order ./cp -p f f2)\" = 'fchmod fremovexattr fchmod ' ]; grep fchmod log | head -n 1 | grep -q '0600)'; [ \"$(getfacl -c f2)\" = \"$(getfacl -c f)\" ]; done\n\
        [ \"$(order ./cp -p f d/f)\" = 'fchmod ' ]; [ -z \"$(getfacl -sc d/f d/new)\" ]; [ \"$(stat -c %a d/f d/new | uniq)\" = 660 ]\n\
        [ $(id -u) = 0 ] || exit 0; chmod 755 . d; chmod 644 f; chmod 666 d/f; code=0; setpriv --reuid 7 --regid 7 --clear-groups ./cp --preserve=mode f d/f 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"./cp: preserving permissions for 'd/f': Operation not permitted\" ]";
    Installation::new().succeeds("a_file_loses_an_access_list_when_it_is_closed", script);
}

/// Where a file system has none, the group's permissions are those of the list, not its mask.
#[test]
fn an_access_list_that_is_lost_is_told_and_opens_nothing() {
    let script = "\
        mkdir -p s/d m; echo text >s/f; mkfifo s/p; chmod 755 s s/d; chmod 644 s/f s/p; setfacl -m u:7:rwx,g::- s s/d s/f s/p 2>told || { echo 'left out: no access lists'; exit 0; }\n\
        setfacl -d -m u:7:rwx s/d; mount -t ramfs none m; ln -s \"$B\" cp; echo old >m/f; mkdir m/d; chmod 775 m/d\n\
        says() { code=0; \"$@\" 2>out || code=$?; [ $code = 1 ]; sed \"s/.*preserving permissions for '\\(.*\\)': Operation not supported/\\1/\" out | sort | tr '\\n' ' '; }\n\
        for words in -a -rp '-a --update=changed'; do\n\
          [ \"$(says \"$B\" cp $words -T s m/new)\" = 'm/new m/new/d m/new/f m/new/p ' ]; [ \"$(stat -c %a m/new m/new/d m/new/f m/new/p | tr '\\n' ' ')\" = '705 705 604 604 ' ]\n\
        done; [ \"$(says ./cp -p s/f m)\" = 'm/f ' ]; [ \"$(says ./cp -a s/d m)\" = 'm/d ' ]; [ \"$(stat -c %a m/f m/d | tr '\\n' ' ')\" = '604 705 ' ]\n\
        mkdir -p t/def; setfacl -d -m u:7:rx t/def; for i in 1 2; do \"$B\" cp -aT t m/t; done; umount m";
    succeeds("an_access_list_that_is_lost_is_told_and_opens_nothing", script);
}

/// It is closed first only if its mode permits more than the source's.
#[test]
fn a_directory_is_closed_before_it_gets_another_owner() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir a b; chmod 700 a; chmod 1770 b; chown 7:8 a\n\
        order() { strace -f -e trace=fchmod,fchown -o log \"$B\" cp -j1 -aT --update=changed a b; sed 's/.* \\(f[a-z]*\\)(.*, \\([0-9]*\\)).*/\\1 \\2/' log | grep ^f | tr '\\n' ' '; }\n\
        [ \"$(order)\" = 'fchmod 01700 fchown 8 fchmod 0700 ' ]; [ \"$(stat -c '%a %u %g' b)\" = '700 7 8' ]; [ -z \"$(order)\" ]\n\
        chmod 755 a; chown 0:0 b; [ \"$(order)\" = 'fchown 8 fchmod 0755 ' ]\n\
        chown 0:0 b; setfacl -m u:7:rwx,g::- a 2>told || exit 0; [ \"$(order)\" = 'fchmod 0700 fchown 8 fchmod 0775 ' ]; getfacl -nc b | grep -q group::---";
    succeeds("a_directory_is_closed_before_it_gets_another_owner", script);
}

/// A directory that cannot be opened still has an access list; if that cannot be read, the copy is
/// closed.
#[test]
fn a_directory_that_cannot_be_opened_has_an_access_list() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }; [ $(id -u) = 0 ] || { echo 'left out: this user is not root'; exit 0; }\n\
        mkdir -p s/d a/d b/d real; chmod 700 s/d real a/d b/d; ln -s ../real s/l; setfacl -m u:7:rwx,g::- s/d 2>told && setfacl -m u:8:r a/d b/d || { echo 'left out: no access lists'; exit 0; }\n\
        chown 9:9 s/d real; for to in new a; do code=0; $U \"$B\" cp -aT s $to 2>out || code=$?; [ $code = 1 ]; getfacl -nc s/d >1; getfacl -nc $to/d >2; cmp 1 2; done\n\
        for to in other b; do code=0; $U strace -f -o log -e inject=lgetxattr:error=EIO \"$B\" cp -aT s $to 2>out || code=$?; [ $code = 1 ]; [ $(stat -c %a $to/d) = 700 ]; done\n\
        getfacl -nc b/d | grep -q user:8:r; $U \"$B\" cp -rLp s followed 2>out || :; [ $(stat -c %a followed/l) = 700 ]";
    succeeds("a_directory_that_cannot_be_opened_has_an_access_list", script);
}

/// XFS has them under two names; another file system would keep both, and only one is revoked.
#[test]
fn no_access_list_of_xfs_comes_back() {
    let script = "\
        mkdir m; truncate -s 300M image\n\
        mkfs.xfs -q image >told 2>&1 && mount -o loop image m 2>told || { echo 'left out: no XFS'; exit 0; }\n\
        mkdir -p m/s/y; echo text >m/s/f; setfacl -m u:7:rwx m/s/y m/s/f; \"$B\" cp -aT m/s d\n\
        [ -z \"$(getfattr -m trusted d/f d/y)\" ]; getfacl -cn d/f d/y | grep -c user:7:rwx\n\
        setfattr -n trusted.SGI_ACL_FILE -v 0x00 d/f; setfacl -b d/f d/y; chmod 750 d/f d/y; \"$B\" cp -aT d m/new\n\
        [ -z \"$(getfacl -cn m/new/f m/new/y | grep user:7)\" ]; [ \"$(stat -c %a m/new/f m/new/y)\" = \"$(printf '750\\n750')\" ]\n\
        for i in 1 2; do \"$B\" cp -aT --update=changed m/s m/s2; [ $(getfacl -cn m/s2/f m/s2/y | grep -c user:7:rwx) = 2 ]; done\n\
        umount m";
    Installation::new().succeeds("no_access_list_of_xfs_comes_back", script);
}
