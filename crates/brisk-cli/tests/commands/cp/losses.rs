//! What stays at the destination if a copy fails, or if another user meddles with it. `$U` runs a
//! program that permission bits bind.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use testkit::{Installation, Scratch};

use super::run;

fn succeeds(test: &str, script: &str) {
    let user = "U='setpriv --bounding-set=-dac_override,-dac_read_search'\n\
                $U true 2>told || { echo 'left out: setpriv cannot give up rights'; exit 0; }\n";
    Installation::new().succeeds(test, &format!("{user}{script}"));
}

#[test]
fn a_file_with_several_links_stays_if_its_source_cannot_be_opened() {
    let script = "\
        mkdir s d; echo new >s/x; chmod 0 s/x; echo old >d/x; ln d/x d/y\n\
        code=0; $U \"$B\" cp -aT s d 2>out || code=$?\n\
        [ $code = 1 ]; grep -q \"cannot open 's/x' for reading: Permission denied\" out\n\
        [ \"$(cat d/x)\" = old ]\n\
        chmod 600 s/x; \"$B\" cp -aT s d; [ \"$(cat d/x d/y)\" = \"$(printf 'new\\nold')\" ]";
    succeeds("a_file_with_several_links_stays_if_its_source_cannot_be_opened", script);
}

#[test]
fn no_numbered_backup_takes_the_place_of_another() {
    let script = "\
        mkdir d; echo cur >d/f; echo precious >'d/f.~1~'; echo new >n; chmod 300 d; code=0\n\
        $U \"$B\" cp --backup=numbered n d/f 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat out)\" = \"brisk: cannot backup 'd/f': Permission denied\" ]\n\
        [ \"$(cat d/f 'd/f.~1~')\" = \"$(printf 'cur\\nprecious')\" ]";
    succeeds("no_numbered_backup_takes_the_place_of_another", script);
}

/// With --delete, another type gives way only to a source that can be opened.
#[test]
fn nothing_gives_way_to_a_source_that_cannot_be_opened() {
    let script = "\
        mkdir -p s/dir d/x/y; echo new >s/x; echo in >s/dir/f; chmod 0 s/x s/dir; ln -s nowhere d/l; echo l >s/l; chmod 0 s/l\n\
        echo precious >d/x/y/f; echo file >d/dir; code=0\n\
        $U \"$B\" cp -aT --delete -v s d >out 2>&1 || code=$?\n\
        [ $code = 1 ]; grep -q \"cannot open 's/x' for reading\" out; ! grep -q removed out\n\
        [ \"$(cat d/x/y/f d/dir)\" = \"$(printf 'precious\\nfile')\" ]; [ -L d/l ]\n\
        chmod 700 s/x s/dir s/l; \"$B\" cp -aT --delete s d; [ \"$(cat d/x d/dir/f d/l)\" = \"$(printf 'new\\nin\\nl')\" ]";
    succeeds("nothing_gives_way_to_a_source_that_cannot_be_opened", script);
}

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

/// The writer goes on when the copy has read what a pipe cannot hold.
#[test]
fn a_pipe_is_copied_without_a_name() {
    let script = "\
        mkfifo p; \"$B\" cp p out & copy=$!; exec 3>p; head -c 300000 /dev/zero >&3\n\
        [ ! -e out ]; exec 3>&-; wait $copy; [ \"$(stat -c %s out)\" = 300000 ]\n\
        \"$B\" cp /proc/self/status status; grep -q Umask status; : >none; \"$B\" cp none nothing; [ ! -s nothing ]";
    succeeds("a_pipe_is_copied_without_a_name", script);
}

#[test]
fn every_file_system_below_the_destination_is_synced() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir -p s/in m; echo text >s/in/f; mount -t tmpfs none m; mkdir m/in; mount -t tmpfs none m/in\n\
        strace -f -y -e trace=syncfs -o log \"$B\" cp -aT --sync s m\n\
        grep -q '/m>' log; grep -q '/m/in>' log; umount m/in m";
    succeeds("every_file_system_below_the_destination_is_synced", script);
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

/// A tree that is whole but cannot get its name stays, for the next copy to go on with.
#[test]
fn a_tree_that_cannot_get_its_name_stays() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s d; echo text >s/f; code=0\n\
        strace -f -o log -e inject=renameat2:error=EIO \"$B\" cp -RT s d/new 2>out || code=$?\n\
        [ $code = 1 ]; grep -q \"cannot create directory 'd/new': Input/output error\" out\n\
        [ \"$(cat d/.brisk-tmp-*/f)\" = text ]";
    succeeds("a_tree_that_cannot_get_its_name_stays", script);
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

/// What exists stays until what takes its place is made.
#[test]
fn what_cannot_be_made_takes_no_place() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s d; mknod s/c c 1 3; mkfifo s/p; ln -s t s/l; echo a >s/h; cp -a s/h d/h; ln s/h s/i; cp -a s/h d/i\n\
        for name in c p l; do echo old >d/$name; done; echo new >s/r; echo old >d/r; chmod 0 s/r; code=0\n\
        $U strace -f -o log -e inject=mknodat,symlinkat,linkat:error=EIO \"$B\" cp -aT --update=changed s d 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(wc -l <out)\" = 5 ]; [ \"$(cat d/c d/p d/l | uniq)\" = old ]; [ \"$(cat d/h d/i | uniq)\" = a ]\n\
        code=0; $U \"$B\" cp --remove-destination s/r d/r 2>out || code=$?; [ $code = 1 ]; [ \"$(cat d/r)\" = old ]\n\
        \"$B\" cp -aT --update=changed s d; [ -c d/c ]; [ -p d/p ]; [ -L d/l ]; [ d/h -ef d/i ]\n\
        [ \"$(ls -A d | tr '\\n' ' ')\" = 'c h i l p r ' ]; ln s/r t; echo t >s/t; ln -f s/t s/r; \"$B\" cp -lf s/r t; [ s/r -ef t ]";
    succeeds("what_cannot_be_made_takes_no_place", script);
}

/// With --delete a directory goes when what takes its place is made.
#[test]
fn a_directory_stays_until_its_place_is_taken() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s d m; mount -t tmpfs -o size=1m none m; mknod s/c c 1 3; ln -s t s/l; touch s/x; ln s/x s/y; touch d/x\n\
        for name in c l y; do mkdir -p d/$name/in; echo old >d/$name/in/f; done; touch -r s/x d/x; code=0\n\
        strace -f -o log -e inject=mknodat,symlinkat,linkat:error=EIO \"$B\" cp -aT -j1 --update=changed --delete s d 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(grep -c 'Input/output' out)\" = 3 ]; for name in c l; do [ -e d/$name/in/f ]; done\n\
        \"$B\" cp -aT --update=changed --delete s d; [ -c d/c ]; [ -L d/l ]; [ d/x -ef d/y ]; [ \"$(ls -A d | tr '\\n' ' ')\" = 'c l x y ' ]\n\
        mkdir big m/big; head -c 2000000 /dev/zero >big/f; mkdir -p m/big/f; echo old >m/big/f/g; code=0\n\
        \"$B\" cp -aT --delete big m/big 2>out || code=$?; [ $code = 1 ]; grep -q 'No space left' out; [ \"$(cat m/big/f/g)\" = old ]; umount m";
    Installation::new().succeeds("a_directory_stays_until_its_place_is_taken", script);
}

/// Neither a copy that another process makes meanwhile, nor the source, gets lost by a backup.
#[test]
fn a_backup_takes_the_place_of_nothing_that_is_needed() {
    let script = "\
        mkdir d; mkfifo p; echo old >d/x; \"$B\" cp -b p d/x 2>out & copy=$!; exec 3>p\n\
        until [ -e d/x~ ]; do sleep 0.01; done; echo other >d/x; exec 3>&-; code=0; wait $copy || code=$?\n\
        [ $code = 1 ]; [ \"$(cat d/x d/x~)\" = \"$(printf 'other\\nold')\" ]\n\
        ln -s d/x~ l; code=0; \"$B\" cp -b l d/x 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat d/x d/x~)\" = \"$(printf 'other\\nold')\" ]\n\
        [ \"$(cat out)\" = \"brisk: backing up 'd/x' might destroy source;  'l' not copied\" ]";
    Installation::new().succeeds("a_backup_takes_the_place_of_nothing_that_is_needed", script);
}

/// The same where the file system cannot rename without replacing.
#[test]
fn a_backup_gets_its_old_name_again_only_if_that_is_free() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir d; mkfifo p; echo old >d/x\n\
        strace -f -o log -e inject=renameat2:error=EINVAL:when=2+ \"$B\" cp -b p d/x 2>out & copy=$!; exec 3>p\n\
        until [ -e d/x~ ]; do sleep 0.01; done; echo other >d/x; exec 3>&-; code=0; wait $copy || code=$?\n\
        [ $code = 1 ]; [ \"$(cat d/x d/x~)\" = \"$(printf 'other\\nold')\" ]; grep -q 'linkat(.*\"x~\".*\"x\", 0) *= -1 EEXIST' log\n\
        touch n; chmod 0 n; code=0; $U strace -f -o log -e inject=renameat2:error=EINVAL:when=2+ \"$B\" cp -b n d/x 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat d/x)\" = other ]; [ ! -e d/x~ ]; grep -q 'linkat(.*\"x~\".*\"x\", 0) *= 0' log";
    succeeds("a_backup_gets_its_old_name_again_only_if_that_is_free", script);
}

/// What goes is deeper than there may be open files.
#[test]
fn a_deep_surplus() {
    let script = "\
        mkdir -p s d; top=$PWD; ulimit -n 64; \
        deep() { cd $top/d; for i in $(seq 300); do mkdir -p d b; touch f; cd -P d; done; touch last.env; cd $top; }\n\
        deep; \"$B\" cp -aT --delete -E '*.env' s d; [ \"$(find d -name f -o -name b | wc -l)\" = 0 ]; [ \"$(find d -name last.env | wc -l)\" = 1 ]\n\
        deep; \"$B\" cp -aTv --delete s d >out; [ $(grep -c ^removed out) = 901 ]; [ -z \"$(ls -A d)\" ]";
    Installation::new().succeeds("a_deep_surplus", script);
}

/// A tree that a killed run has left: `$T`; each file in it may be a part.
const LEFT: &str = "\
    strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
    leave() { ! strace -f -o log -e inject=renameat2:error=EIO \"$@\" 2>out; T=$(ls -Ad d/.brisk*); }\n\
    mkdir s d\n";

/// A stopped run gives a left tree no name: what it has not come to may be a part of a file.
#[test]
fn a_left_tree_gets_its_name_when_all_of_it_was_compared() {
    let script = format!(
        "{LEFT}\
        mkdir s/y; for i in $(seq 200); do echo $i >s/$i; done; echo y >s/y/y; leave $U \"$B\" cp -aT s d/new\n\
        for i in $(seq 200) y/y; do echo part >$T/$i; done; code=0\n\
        strace -f -o log -e inject=openat:signal=TERM:when=60 \"$B\" cp -j1 -aT --update=changed s d/new 2>out || code=$?\n\
        [ $code = 143 ]; [ ! -e d/new ]; chmod 0 s/y; code=0; $U \"$B\" cp -aT --update=changed s d/new 2>out || code=$?\n\
        [ $code = 1 ]; [ ! -e d/new ]; grep -q \"cannot access 's/y'\" out\n\
        grep -q \"cannot create directory 'd/new': not all that a killed copy has left in it was compared\" out\n\
        chmod 755 s/y; \"$B\" cp -aT --update=changed s d/new; diff -r s d/new; [ \"$(ls -A d)\" = new ]"
    );
    succeeds("a_left_tree_gets_its_name_when_all_of_it_was_compared", &script);
}

#[test]
fn what_is_left_gives_way_to_another_type() {
    let script = format!(
        "{LEFT}\
        mkdir -p s/x/in; echo x >s/x/in/f; echo y >s/y; leave \"$B\" cp -aT s d/new\n\
        rm -r s/x s/y; mkdir -p s/y/in; echo x >s/x; echo y >s/y/in/f\n\
        [ -z \"$(\"$B\" cp -aTv --update=changed s d/new | grep remove)\" ]; diff -r s d/new; [ \"$(ls -A d)\" = new ]"
    );
    succeeds("what_is_left_gives_way_to_another_type", &script);
}

/// Another user could have moved it there, if that user may write to it.
#[test]
fn a_shared_directory_with_the_name_of_a_left_tree_stays() {
    let script = format!(
        "{LEFT}\
        chmod 1777 d; echo x >s/x; leave \"$B\" cp -aT s d/new; mkdir $T/in; echo precious >$T/in/f\n\
        \"$B\" cp -aT s d/a; [ -e $T/in/f ]; chmod 777 $T\n\
        for words in '' --update=changed; do \"$B\" cp -aT $words s d/new; [ \"$(cat $T/in/f)\" = precious ]; rm -r d/new; done\n\
        chmod 755 $T; \"$B\" cp -aT s d/new; [ ! -e $T ]"
    );
    succeeds("a_shared_directory_with_the_name_of_a_left_tree_stays", &script);
}

/// What a copy that made links has left: a copy has no file in common with its source.
#[test]
fn a_left_tree_of_links_is_copied() {
    let script = format!(
        "{LEFT}\
        echo one >s/f; ln s/f s/g; ln -s f s/l; mkfifo s/p; leave \"$B\" cp -alT s d/new; for i in f g l p; do [ s/$i -ef $T/$i ]; done\n\
        \"$B\" cp -alT --update=changed s d/links; [ s/f -ef d/links/f ]; leave \"$B\" cp -alT s d/more; \"$B\" cp -alT --update=changed s d/more; [ s/f -ef d/more/f ]\n\
        \"$B\" cp -aT --update=changed s d/new; for i in f l p; do [ $(stat -c %i s/$i) != $(stat -c %i d/new/$i) ]; done\n\
        [ d/new/f -ef d/new/g ]; echo two >d/new/f; [ \"$(cat s/f)\" = one ]; [ \"$(readlink d/new/l)\" = f ]\n\
        leave \"$B\" cp -aT s d/apart; \"$B\" cp -RpT --update=changed s d/apart; [ $(stat -c %h d/apart/f) = 1 ]\n\
        leave \"$B\" cp -aT s d/joined; \"$B\" cp -alT --update=changed s d/joined; [ s/f -ef d/joined/f ]"
    );
    succeeds("a_left_tree_of_links_is_copied", &script);
}

/// The system refuses these attributes where a file is read-only.
#[test]
fn read_only_files_keep_their_attributes() {
    let script = "\
        mkdir s; echo text >s/f; : >s/e; echo text >s/plain; setfattr -n user.x -v 1 s/f 2>told && setfattr -n user.x -v 1 s/e 2>told && strace -V >told 2>&1 || { echo 'left out: no attributes, or no strace'; exit 0; }\n\
        chmod 444 s/f s/e s/plain\n\
        for words in -a '-a --update=changed' '-r --preserve=xattr'; do for umask in 022 277 777; do\n\
          rm -rf new d; mkdir d; touch d/f d/e; for to in new d; do\n\
            ( umask $umask; $U \"$B\" cp $words -T s $to ); chmod 755 $to; for i in f e; do\n\
              [ \"$(getfattr -n user.x --only-values $to/$i 2>told)\" = 1 ] || { echo \"$words, $umask: $to/$i\"; exit 1; }\n\
              case $words in -r*) mode=$(printf %o $((0444 & ~0$umask)));; *) mode=444; esac; [ $(stat -c %a $to/$i) = $mode ]\n\
        done; done; done; done; mkdir p; mv s/plain p; $U strace -f -o log -e trace=fchmod \"$B\" cp -aT p out; ! grep 0444 log";
    succeeds("read_only_files_keep_their_attributes", script);
}

/// What cannot be read of attributes is said if they must be kept, and the rest of them is.
#[test]
fn attributes_that_cannot_be_read_or_set() {
    let script = "\
        mkdir -p s/d; touch s/f s/d/f; setfacl -m u:7:r s/f s/d 2>told && setfattr -n user.x -v 1 s/f 2>told && strace -V >told 2>&1 || { echo 'left out: no attributes, or no strace'; exit 0; }\n\
        copy() { code=0; strace -f -o log -e inject=$1 \"$B\" cp $2 -aT s $3 2>out || code=$?; }\n\
        copy fgetxattr:error=ENODATA:when=2 -j1 a; [ $code = 0 ]; getfacl -nc a/f a/d >log; getfattr -d a/f >>log; grep -cE 'user:7:r|user.x' log >out; [ \"$(cat out)\" = 2 ]\n\
        copy flistxattr:error=EIO -j1 b; [ $code = 1 ]; [ \"$(grep -c \"preserving permissions for 'b.*Input/output\" out)\" = 4 ]\n\
        copy fgetxattr:error=EIO -j1 c; [ $code = 1 ]; [ \"$(sort out)\" = \"$(printf \"brisk: preserving permissions for 'c/%s': Input/output error\\n\" d f)\" ]\n\
        copy fsetxattr:error=EPERM -j1 e; [ $code = 1 ]; [ \"$(sort out)\" = \"$(printf \"brisk: preserving permissions for 'e/%s': Operation not permitted\\n\" d f)\" ]\n\
        copy fsetxattr:error=EOPNOTSUPP --preserve=xattr g; [ $code = 1 ]; [ \"$(grep -v permissions out)\" = \"brisk: setting attributes for 'g/f': Operation not supported\" ]; [ $(wc -l <out) = 3 ]";
    succeeds("attributes_that_cannot_be_read_or_set", script);
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

#[test]
fn a_directory_replaces_a_file_that_no_filter_keeps() {
    let script = r#"
        check() { # FILES OPTION…: these are there after the copy, as a dry run has said
          rm -rf s d; mkdir -p s/plain/in s/deep/a.env s/deep/rules d/deep
          touch s/plain/in/x.o s/deep/a.env/x.o s/deep/a.env/y.o s/deep/rules/x.o
          touch d/plain d/deep/a.env d/deep/rules; printf '/rules\n!/rules/\n' >s/deep/.gitignore
          there=$1; shift; set -- cp -aTv --update=changed --delete "$@" s d
          "$B" "$@" --dry-run >out 2>err || [ $? = 1 ]; [ "$(find d -type f | wc -l)" = 3 ]
          sed -n 's/^would remove //p' out | sort >foreseen; sort err >foretold
          "$B" "$@" >out 2>err || [ $? = 1 ]
          sed -n 's/^removed //p' out | sort | cmp - foreseen; sort err | cmp - foretold
          [ "$(cd d; echo */in/x.o */*/x.o)" = "$there" ] || { echo "$there:"; find d; exit 1; }
        }
        says() { for path; do
          echo "brisk: cannot overwrite non-directory 'd/$path' with directory 's/$path'"
        done | cmp - foretold; }
        check 'plain/in/x.o deep/a.env/x.o deep/rules/x.o plain/in/x.o'; says
        check 'plain/in/x.o deep/rules/x.o plain/in/x.o' -E '*.env'; says
        check 'plain/in/x.o deep/a.env/x.o plain/in/x.o' --ignore --no-require-git; says deep/rules
        check 'plain/in/x.o deep/rules/x.o plain/in/x.o' --where '! -name *.env'; says deep/a.env
        check '*/in/x.o */*/x.o' --extension o; says deep/a.env deep/rules plain"#;
    succeeds("a_directory_replaces_a_file_that_no_filter_keeps", script);
}

/// What the next run does not compare may be a part of a file, too.
#[test]
fn a_left_tree_with_what_is_not_compared_gets_no_name() {
    let script = format!(
        "{LEFT}\
        echo whole >big; ln -s ../big s/l; leave \"$B\" cp -aLT s d/new; echo part >$T/l; mv big away; code=0\n\
        \"$B\" cp -aLT --update=changed s d/new 2>out || code=$?; [ $code = 1 ]; [ ! -e d/new ]\n\
        mv away big; \"$B\" cp -aLT --update=changed s d/new; [ \"$(cat d/new/l)\" = whole ]; rm -r s d\n\
        mkdir -p s/m d; mount -t tmpfs none s/m || exit 0; echo whole >s/m/f; leave \"$B\" cp -aT s d/new\n\
        echo part >$T/m/f; code=0; \"$B\" cp -axT --update=changed s d/new 2>out || code=$?; umount s/m\n\
        [ $code = 1 ]; [ ! -e d/new ]; rm -r s d; mkdir s d; echo whole >s/f; leave $U \"$B\" cp -aT s d/new\n\
        echo part >$T/f; chmod 0 s/f; code=0; $U \"$B\" cp -aT --update=changed s d/new 2>out || code=$?\n\
        [ $code = 1 ]; [ -d d/new ]; [ ! -e d/new/f ]; rm -r s d; mkdir -p s/l d; echo whole >s/l/f\n\
        leave \"$B\" cp -aLT s d/new; echo part >$T/l/f; rm -r s/l; ln -s . s/l; code=0\n\
        \"$B\" cp -aLT --update=changed s d/new 2>out || code=$?; [ $code = 1 ]; [ ! -e d/new ]"
    );
    succeeds("a_left_tree_with_what_is_not_compared_gets_no_name", &script);
}

/// Of what is not compared, the killed run had not made anything.
#[test]
fn a_left_tree_without_what_is_not_compared_gets_its_name() {
    let script = format!(
        "{LEFT}\
        continues() {{ leave \"$B\" cp $1 -T s d/new; code=0; \"$B\" cp $1 -T --update=changed s d/new 2>out || code=$?; }}\n\
        ends() {{ [ -f d/new/f ]; [ \"$(ls -A d)\" = new ]; rm -r d s; mkdir d s; echo f >s/f; }}\n\
        echo f >s/f; ln -s nowhere s/l; continues -aL; [ $code = 1 ]; grep -q \"cannot stat 's/l'\" out; ends\n\
        ln -s . s/l; continues -aL; [ $code = 1 ]; grep -q \"cyclic symbolic link 's/l'\" out; ends\n\
        mkdir s/m; mount -t tmpfs none s/m || exit 0; echo m >s/m/f; continues -ax; umount s/m; [ $code = 0 ]; [ -z \"$(ls -A d/new/m)\" ]; ends"
    );
    succeeds("a_left_tree_without_what_is_not_compared_gets_its_name", &script);
}

/// The killed run had completed it. New files in it have their sources' owners, too.
#[test]
fn a_left_tree_that_has_its_owners_is_taken_back() {
    let script = format!(
        "{LEFT}\
        mkdir -p s/y; echo f >s/f; chown -R 7:8 s; chmod 2555 s s/y; leave $U \"$B\" cp -aT s d/new; [ \"$(stat -c '%a %u' $T)\" = '2555 7' ]\n\
        chmod 1777 d; \"$B\" cp -aT s d/new; [ \"$(ls -Ad $T)\" = $T ]; rm -r d/new; chmod 755 d\n\
        echo g >s/y/g; chown 9:8 s/y/g; $U \"$B\" cp -aT --update=changed s d/new; [ \"$(ls -A d)\" = new ]\n\
        [ \"$(cd d/new; stat -c '%a %u %g' . f y y/g | tr '\\n' ' ')\" = '2555 7 8 644 7 8 2555 7 8 644 9 8 ' ]; rm -r d/new\n\
        leave \"$B\" cp -aT s d/new; \"$B\" cp -aT s d/new; [ \"$(ls -A d)\" = new ]"
    );
    succeeds("a_left_tree_that_has_its_owners_is_taken_back", &script);
}

/// What it had from the first run's options, and from what the source was then, goes.
#[test]
fn a_left_tree_is_continued_as_if_it_was_new() {
    let script = format!(
        "{LEFT}\
        mkdir s/y; echo f >s/f; echo g >s/g; chown 7:8 s/f s/y; chmod 6777 s/f; chmod 3777 s/y; leave \"$B\" cp -aT s d/new\n\
        umask 022; \"$B\" cp -RT --update=changed s d/new; \"$B\" cp -RT s d/other\n\
        for to in new other; do (cd d/$to; stat -c '%a %u %g' . f g y; getfacl -n . f g y) >$to; done 2>told; cmp new other\n\
        rm -r s d; mkdir -p s/y d; echo f >s/y/f; setfacl -m u:7:rwx s s/y s/y/f 2>told || {{ echo 'left out: no access lists'; exit 0; }}\n\
        setfattr -n user.x -v 1 s; leave \"$B\" cp -aT s d/new; setfacl -b s s/y s/y/f; setfattr -x user.x s; chmod 775 s; chmod 674 s/y/f\n\
        \"$B\" cp -aT --update=changed s d/new; [ -z \"$(getfacl -Rsnc d/new; getfattr d/new)\" ]; [ \"$(stat -c %a d/new d/new/y/f | tr '\\n' ' ')\" = '775 674 ' ]"
    );
    succeeds("a_left_tree_is_continued_as_if_it_was_new", &script);
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
        [ $code = 1 ]; grep -q \"preserving permissions for 'd/p': No such file\" out; ! grep -q d/l out; \"$B\" cp -rpT t e; [ -L e/l ]";
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

/// Surplus that the filter accepts goes, too, where it refuses the directories and nothing is copied.
#[test]
fn surplus_goes_from_directories_that_the_filter_refuses() {
    let script = "\
        mkdir -p s/none/deep s/same s/lone d/none/deep d/same; touch s/none/x.txt s/same/x.txt\n\
        touch d/none/keep.txt d/none/deep/old.md d/same/x.txt; mkdir d/none/gone; touch d/none/gone/old.md; chmod 700 d/same s/lone\n\
        set -- -aTv --delete --extension md s d; \"$B\" cp --dry-run \"$@\" | sed -n 's/^would remove/removed/p' | sort >foretold; \"$B\" cp \"$@\" | sort >told\n\
        cmp told foretold; printf \"removed 'd/none/%s'\\n\" deep/old.md gone/old.md | cmp - told\n\
        [ -e d/none/keep.txt ]; [ ! -e d/lone ]; [ $(stat -c %a d/same) = 700 ]; [ -d d/none/gone ]";
    succeeds("surplus_goes_from_directories_that_the_filter_refuses", script);
}

/// The temporary name of a directory may be that of another directory in the source.
#[test]
fn two_directories_never_share_a_temporary_name() {
    let script = format!(
        "{LEFT}\
        mkdir -p x/etc; leave \"$B\" cp -aT x/etc d/etc; H=${{T#d/}}\n\
        mkdir -p s/etc s/$H; for i in $(seq 300); do echo good >s/etc/$i; done; echo other >s/$H/other\n\
        for words in -aT -RT '-aT --update=changed' -aT; do rm -r d; mkdir d; code=0\n\
          \"$B\" cp $words s d 2>out || code=$?; [ ! -e d/etc/other ]; diff -r s/etc d/etc\n\
          if [ $code = 0 ]; then [ \"$(cat d/$H/other)\" = other ]; else grep -q 'uses this name for another' out; fi\n\
        done"
    );
    succeeds("two_directories_never_share_a_temporary_name", &script);
}

/// A directory that another user has put in the place of a new one, or that a killed run has left,
/// says nothing of the owners of what is made in it.
#[test]
fn owners_are_set_in_a_foreign_or_left_directory() {
    let script = format!(
        "{LEFT}\
        [ $(id -u) = 0 ] || {{ echo 'left out: this user is not root'; exit 0; }}\n\
        mkdir home; chmod 711 .; cp /bin/true home/prog; mkdir home/s; mv home/prog home/s; chown -R 65534 home; chmod 4755 home/s/prog\n\
        strace -f -o log -e inject=mkdirat:delay_exit=1000000 \"$B\" cp -a home/s home/d & copy=$!\n\
        until n=$(ls -d home/.brisk-tmp-* 2>told); do kill -0 $copy || break; done\n\
        setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \"mv $n home/moved; mkdir $n\" || :; wait $copy || :; [ -z \"$(find home -user 0 -perm /6000)\" ]\n\
        echo x >s/f; chown 0:50 s s/f; leave \"$B\" cp -aT s d/new; cp /bin/true s/g; mkdir s/dir; chown 0:50 s/g s/dir; chmod 2755 s/g\n\
        \"$B\" cp -aT --update=changed s d/new; [ \"$(stat -c %u:%g:%a d/new/g d/new/dir | tr '\\n' ' ')\" = '0:50:2755 0:50:755 ' ]"
    );
    succeeds("owners_are_set_in_a_foreign_or_left_directory", &script);
}

/// A second copy neither empties what the first has completed meanwhile, nor removes what it makes.
#[test]
fn two_copies_to_one_destination() {
    let script = format!(
        "{LEFT}\
        mkdir s1 s2 none; echo 1 >s1/only1; echo 2 >s2/only2\n\
        slowly() {{ rm -fr d/*; strace -f -o a -e inject=renameat2:delay_enter=1500000 \"$B\" cp -aT s1 d/new & first=$!\n\
          until ls -d d/.brisk* >told 2>&1; do kill -0 $first; done; code=0; }}\n\
        slowly; strace -f -o b -e inject=flock:delay_enter=2500000 \"$B\" cp -aT --update=changed s2 d/new 2>out || code=$?\n\
        wait $first; [ $code = 1 ]; [ \"$(ls d/new)\" = only1 ]; [ \"$(ls -A d)\" = new ]\n\
        slowly; \"$B\" cp -aT --delete none d 2>out || code=$?; wait $first; [ $code = 1 ]; grep -q 'another copy is making it' out\n\
        [ \"$(ls d/new)\" = only1 ]"
    );
    succeeds("two_copies_to_one_destination", &script);
}

#[test]
fn what_is_not_followed_is_replaced() {
    let script = "\
        mkdir s d; mkfifo s/p; ln -s x s/l; touch d/p d/l\n\
        \"$B\" cp -RHT s d; [ -p d/p ]; [ \"$(readlink d/l)\" = x ]";
    succeeds("what_is_not_followed_is_replaced", script);
}

/// In two directories, a file's name is two sources.
#[test]
fn two_names_of_a_file_are_copied_to_two_places() {
    let script = "\
        mkdir x y z new; echo text >x/f; ln x/f y/f; ln -s ../x/f z/f\n\
        \"$B\" cp --parents x/f y/f z/f ./x/../x/f new 2>out; [ \"$(cat new/?/f)\" = \"$(printf 'text\\ntext\\ntext')\" ]\n\
        [ \"$(cat out)\" = \"brisk: warning: source file './x/../x/f' specified more than once\" ]\n\
        ln -s x l; mkdir d; \"$B\" cp x/f l/./f d 2>out; [ \"$(cat out)\" = \"brisk: warning: source file 'l/./f' specified more than once\" ]";
    Installation::new().succeeds("two_names_of_a_file_are_copied_to_two_places", script);
}

/// A network file system may say only then that it could not write.
#[test]
fn a_file_that_cannot_be_closed_is_no_copy() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s; echo text >s/f; ln -s \"$B\" cp\n\
        fails() {\n\
          rm -rf d; mkdir -p d/there d/old; echo old >d/old/f; cp -a d before; code=0\n\
          strace -f -e trace=close,copy_file_range -o log \"$@\"\n\
          n=$(awk '/copy_file_range/ { print n + 1; exit } /close/ { n++ }' log); rm -r d; mv before d\n\
          strace -f -o log -e inject=close:error=EIO:when=$n \"$@\" 2>out || code=$?\n\
          [ $code = 1 ]; grep -q \"error writing '.*/f': Input/output error\" out; [ -z \"$(find d -name '.brisk*')\" ]\n\
        }\n\
        fails \"$B\" cp -j1 -RT s d/new; [ -d d/new ]; [ ! -e d/new/f ]\n\
        fails \"$B\" cp -j1 -RT s d/there; [ ! -e d/there/f ]\n\
        fails \"$B\" cp -j1 -RT s d/old; [ \"$(cat d/old/f)\" = old ]\n\
        fails ./cp s/f d/old";
    Installation::new().succeeds("a_file_that_cannot_be_closed_is_no_copy", script);
}

/// For -u, the time at which an empty file was made would be later than its source's.
#[test]
fn an_empty_file_gets_its_name_last() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s d; touch -d 2001-02-03 s/f; chmod 640 s/f\n\
        for words in -pT '-T --preserve=timestamps'; do\n\
          strace -f -o log -e inject=utimensat:signal=KILL \"$B\" cp -R $words s d >told 2>&1 || :\n\
          grep -q 'killed by SIGKILL' log; [ -z \"$(ls d)\" ]; \"$B\" cp -R $words -u s d; [ \"$(stat -c '%a %y' d/f)\" = \"$(stat -c '%a %y' s/f)\" ]\n\
          rm d/f\n\
        done";
    Installation::new().succeeds("an_empty_file_gets_its_name_last", script);
}

/// Attributes that only a killed run has kept.
#[test]
fn what_is_left_has_no_other_attributes_in_the_end() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s; echo text >s/f; echo text >s/g\n\
        setfattr -n user.x -v 1 s/f 2>told || { echo 'left out: no attributes'; exit 0; }\n\
        setcap cap_net_raw+ep s/g 2>told || :\n\
        strace -f -o log -e inject=renameat2:signal=KILL \"$B\" cp -aT s d >told 2>&1 || :\n\
        [ -d .brisk-tmp-* ]; \"$B\" cp -RpT --update=changed s d; [ -z \"$(getfattr -m 'user|capability' d/f d/g)\" ]";
    Installation::new().succeeds("what_is_left_has_no_other_attributes_in_the_end", script);
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

/// The other names of a file become no links to what a later argument has put in the place of its copy.
#[test]
fn no_name_becomes_a_link_to_what_has_overwritten_its_copy() {
    let script = "\
        ln -s \"$B\" cp; for copy in \"$B cp\" ./cp; do for words in -a '-a --remove-destination' -ab; do\n\
          mkdir t1 t2 t3 d; echo shared >t1/f; for to in t2/a t2/y t2/z t3/b; do ln t1/f $to; done; echo other >t2/f\n\
          $copy $words t1/. t2/. t3/. d; [ \"$(cat d/a d/b d/f d/y d/z | tr '\\n' ' ')\" = 'shared shared other shared shared ' ]\n\
          [ d/b -ef d/z ]; rm -r t1 t2 t3 d\n\
        done\n\
          mkdir t1 t2 d; echo a >t1/f; ln t1/f a; echo b >t2/f; echo kept >d/f\n\
          $copy -a --attributes-only t1/. t2/. d; [ \"$(cat d/f)\" = kept ]; rm -r t1 t2 d a\n\
        done";
    Installation::new().succeeds("no_name_becomes_a_link_to_what_has_overwritten_its_copy", script);
}

/// A file system may say of each directory that it is locked.
#[test]
fn a_tree_that_is_always_locked_is_not_made_forever() {
    let script = "\
        strace -V >told 2>&1 || { echo 'left out: there is no strace'; exit 0; }\n\
        mkdir s d; code=0; strace -f -o log -e inject=flock:error=EAGAIN:when=1..20 \"$B\" cp -RT s d/new 2>out || code=$?\n\
        [ $code = 1 ]; [ $(grep -c INJECTED log) = 16 ]; [ ! -e d/new ]\n\
        [ \"$(cat out)\" = \"brisk: cannot create directory 'd/new': what is made is locked by another process\" ]";
    Installation::new().succeeds("a_tree_that_is_always_locked_is_not_made_forever", script);
}

/// Such as `/dev/stdout`, which every program uses.
#[test]
fn a_link_to_a_device_or_a_descriptor_stays() {
    let script = "\
        echo text >f; ln -s /proc/self/fd/1 out; ln -s /dev/full full; mkfifo p; ln -s p pipe; echo old >file; ln -s file link\n\
        ln -s /proc/self/fd fd; ln -s fd/1 short; ln -s /dev/fd/1 dev; ln -s /proc/self/fd/9 closed; ln -s /dev/stdout std\n\
        for i in out full pipe short dev closed std; do code=0; \"$B\" cp f $i >told 2>err || code=$?; [ $code = 1 ]\n\
        [ \"$(cat err)\" = \"brisk: not writing through symlink '$i'\" ]; [ ! -s told ]; [ -L $i ]; \"$B\" cp -n f $i; done\n\
        code=0; \"$B\" cp f out 2>err | cat >told; [ ! -s told ]; [ -s err ]; [ -L out ]\n\
        mkdir -p x/fd; touch x/fd/1; ln -s fd/1 x/l; \"$B\" cp f x/l; [ ! -L x/l ]; [ ! -s x/fd/1 ]\n\
        \"$B\" cp f link; [ ! -L link ]; [ \"$(cat file link)\" = \"$(printf 'old\\ntext')\" ]";
    succeeds("a_link_to_a_device_or_a_descriptor_stays", script);
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
