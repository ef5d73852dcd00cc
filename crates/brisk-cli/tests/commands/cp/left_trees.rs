//! Trees that a killed run has left, and what the next run makes of them.

use testkit::Installation;

use super::succeeds;

/// A tree that a killed run has left: `$T`; each file in it may be a part.
pub(super) const LEFT: &str = "\
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
