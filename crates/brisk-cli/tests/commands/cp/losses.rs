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

/// Through a link named cp the file stays the same one.
#[test]
fn an_existing_file_gets_an_owner_and_keeps_its_mode() {
    let script = "\
        ln -s \"$B\" cp; echo new >a; chown 7:8 a; echo old >b; chmod 644 b\n\
        ./cp --preserve=ownership a b; [ \"$(stat -c '%a %u %g' b)\" = '644 7 8' ]; [ \"$(cat b)\" = new ]";
    Installation::new().succeeds("an_existing_file_gets_an_owner_and_keeps_its_mode", script);
}

/// As GNU cp: the group, if it is one of the user's; setuid and setgid only with their owners.
#[test]
fn what_an_ordinary_user_cannot_keep_of_owners() {
    let script = "\
        mkdir -p s/d s/u d; touch s/f; ln -s f s/l; mkfifo s/p; chown -h 0:50 s s/*; chmod 2755 s/d; chmod 6755 s/u s/f\n\
        chown 7 d; setpriv --reuid 7 --regid 7 --groups 50 \"$B\" cp -aT s d/new\n\
        cd d/new; [ \"$(stat -c '%g' . d u f l p | sort -u)\" = 50 ]; [ \"$(stat -c '%a' d u f | sort -u)\" = 755 ]";
    succeeds("what_an_ordinary_user_cannot_keep_of_owners", script);
}
