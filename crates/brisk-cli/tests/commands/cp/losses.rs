//! What stays at the destination if a copy fails, or if another user meddles with it. `$U` runs a
//! program that permission bits bind.

use testkit::Installation;

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
