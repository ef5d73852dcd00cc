//! What stays at the destination if a copy fails, or if another user meddles with it.

use testkit::Installation;

use super::left_trees::LEFT;
use super::succeeds;

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
        [ $code = 1 ]; grep -q \"cannot open 's/x' for reading\" out; ! grep -q removed out || exit 1\n\
        [ \"$(cat d/x/y/f d/dir)\" = \"$(printf 'precious\\nfile')\" ]; [ -L d/l ]\n\
        chmod 700 s/x s/dir s/l; \"$B\" cp -aT --delete s d; [ \"$(cat d/x d/dir/f d/l)\" = \"$(printf 'new\\nin\\nl')\" ]";
    succeeds("nothing_gives_way_to_a_source_that_cannot_be_opened", script);
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
        [ \"$(ls -A d | tr '\\n' ' ')\" = 'c h i l p r ' ]; ln s/r t; echo t >s/t; ln -f s/t s/r; \"$B\" cp -lf s/r t; [ s/r -ef t ]\n\
        echo old >t1; ln t1 t2; \"$B\" cp -al s/r t1; [ s/r -ef t1 ]; [ \"$(cat t2)\" = old ]";
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
        ln -s d/x~ l; for i in 1 2; do code=0; \"$B\" cp -b l d/x 2>out || code=$?\n\
        [ $code = 1 ]; [ \"$(cat d/x d/x~)\" = \"$(printf 'other\\nold')\" ]\n\
        [ \"$(cat out)\" = \"brisk: backing up 'd/x' might destroy source;  'l' not copied\" ]; ln d/x~ another$i; done\n\
        echo T >t; ln -s t f~; echo old >f; code=0; \"$B\" cp -b f~ f 2>out || code=$?; [ $code = 1 ]; [ -L f~ ]; [ \"$(cat f)\" = old ]\n\
        [ \"$(cat out)\" = \"brisk: backing up 'f' might destroy source;  'f~' not copied\" ]; ln -s t g~; \"$B\" cp -b t g~; [ -L g~~ ]; echo g >g; \"$B\" cp -b t g; [ \"$(cat g~)\" = g ]\n\
        echo K >k; ln k h~; ln -s k m; echo B >h; \"$B\" cp -b m h; [ \"$(cat h h~)\" = \"$(printf 'K\\nB')\" ]";
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

/// The other names of a file become no links to what a later argument has put in the place of its copy.
#[test]
fn no_name_becomes_a_link_to_what_has_overwritten_its_copy() {
    let script = "\
        mkdir s d; for n in a b c d e f g h; do echo NEW >s/$n; ln s/$n s/$n~; echo OLD >d/$n; done; \"$B\" cp -j1 -ab s/. d; [ \"$(cat d/? | sort -u)\" = NEW ]; rm -r s d\n\
        for order in '1 2 4 3 5' '4 2 5 3 1' '5 3 1 2 4' '1 3 5 2 4'; do mkdir s d; echo S >S; echo T >T\n\
          for n in $order; do case $n in [35]) ln T s/$n;; *) ln S s/$n;; esac; done; rm S T; echo X >d/1; ln d/1 d/3; ln d/1 d/5; echo Y >d/2; echo Y >d/4\n\
          touch -d 2001-01-01 s/* d/*; chmod 777 s d; \"$B\" cp -j1 -au -T s d; [ d/1 -ef d/2 ]; [ d/1 -ef d/4 ]; rm -r s d\n\
        done\n\
        for order in 'p q r' 'r q p'; do mkdir s d; for dir in $order; do mkdir s/$dir d/$dir; done; echo S >s/p/1; ln s/p/1 s/r/4; echo U >s/q/a; touch -d 2003-01-01 s/q/a; touch -d 2001-01-01 s/p/1\n\
          cp -p s/p/1 d/p/1; ln d/p/1 d/q/a; cp -p s/p/1 d/r/4; chmod 775 s/? d/?; \"$B\" cp -j1 -a --update=changed -T s d; [ d/p/1 -ef d/r/4 ]; [ \"$(cat d/p/1 d/q/a)\" = \"$(printf 'S\\nU')\" ]; rm -r s d\n\
        done\n\
        ln -s \"$B\" cp; for copy in \"$B cp\" ./cp; do for words in -a '-a --remove-destination' -ab; do\n\
          mkdir t1 t2 t3 d; echo shared >t1/f; for to in t2/a t2/y t2/z t3/b; do ln t1/f $to; done; echo other >t2/f\n\
          $copy $words t1/. t2/. t3/. d; [ \"$(cat d/a d/b d/f d/y d/z | tr '\\n' ' ')\" = 'shared shared other shared shared ' ]\n\
          [ d/b -ef d/z ]; rm -r t1 t2 t3 d\n\
        done\n\
          mkdir t1 t2 d; echo a >t1/f; ln t1/f a; echo b >t2/f; echo kept >d/f\n\
          $copy -a --attributes-only t1/. t2/. d; [ \"$(cat d/f)\" = kept ]; rm -r t1 t2 d a\n\
          mkdir t1 t2 t3 d; echo a >t1/f~; ln t1/f~ t3/g; echo b >t1/f; echo c >t2/f; echo old >d/f\n\
          $copy -ab t1/. t2/. t3/. d; [ \"$(cat d/f d/f~ d/g | tr '\\n' ' ')\" = 'c b a ' ]; rm -r t1 t2 t3 d\n\
          mkdir t1 t2 t3 d; for to in t1/x~ t3/y1 t3/y2; do echo S >s; touch -d 2020-01-01 s; ln -f s $to; done; ln -f t1/x~ t3/y1; ln -f t1/x~ t3/y2\n\
          echo plain >t1/x; touch -d 2020-01-01 t1/x; echo new >t2/x; cp -p t3/y1 d/y1; cp -p t3/y2 d/y2; $copy -abuv t1/. t2/. t3/. d >out\n\
          [ \"$(cat d/x d/x~ d/y1 d/y2 | tr '\\n' ' ')\" = 'new plain S S ' ]; [ d/y1 -ef d/y2 ]; [ $(grep -c removed out) = 1 ]; rm -r t1 t2 t3 d\n\
        done\n\
        mkdir t1 t2 t3 d; echo a >t1/f; ln t1/f t3/g; ln t1/f t3/h; echo b >t2/l; ln -s f d/l\n\
        ./cp -a t1/. t2/l t3/. d; [ \"$(cat d/f d/g d/h | tr '\\n' ' ')\" = 'b a a ' ]; [ -L d/l ]; [ d/g -ef d/h ]";
    Installation::new().succeeds("no_name_becomes_a_link_to_what_has_overwritten_its_copy", script);
}

/// ext4 gives the inode of a copy that was removed to the next file.
#[test]
fn no_name_becomes_a_link_to_what_has_the_inode_of_its_copy() {
    let script = "\
        mkdir m; truncate -s 8M image; mkfs.ext4 -q image >told 2>&1 && mount -o loop image m 2>told || { echo 'left out: no ext4'; exit 0; }\n\
        cd m; ln -s \"$B\" cp; for copy in \"$B cp\" ./cp; do\n\
          mkdir t1 t2 t3 t4 d; echo S >t1/x~; ln t1/x~ t4/y; echo T >t1/t; ln t1/t t2/x; echo plain >t1/x; echo other >t3/x~\n\
          $copy -ab t1/. t2/. t3/. t4/. d; [ \"$(cat d/y)\" = S ]; rm -r t1 t2 t3 t4 d\n\
        done\n\
        mkdir t1 t2 t3 t4 d; ln -s target t1/l; ln -P t1/l t4/m; echo T >t1/t; ln t1/t t2/l; echo other >t3/l\n\
        ./cp -af t1/. t2/. t3/. t4/. d; [ \"$(readlink d/m)\" = target ]; cd ..; umount m";
    Installation::new()
        .succeeds("no_name_becomes_a_link_to_what_has_the_inode_of_its_copy", script);
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
