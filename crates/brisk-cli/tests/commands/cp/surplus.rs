//! What --delete removes where a filter decides: what the filter would also copy.

use testkit::Installation;

/// One line for each kind of test that find(1) has.
const TESTS: &str = "\
-name l*
-path */l*
-regex .*/l.*
-lname keep
-ilname KEEP
-type l,p
-xtype f
-xtype l
-size -2c
-empty
-links +1
-samefile d/run
-inum +0
-fstype none
-perm 755
-readable
-writable
-executable
-user 7
-gid 7
-nouser
-nogroup
-mtime +1
-used 0
-newer stamp
-newermt 2000-01-01
";

/// `$U` runs a program that permission bits bind.
#[test]
fn each_test_of_find_is_made_at_the_destination() {
    let script = format!(
        r#"
        U='setpriv --bounding-set=-dac_override,-dac_read_search'; set -f
        $U true 2>told && find --version >told 2>&1 || {{ echo 'left out: no setpriv, or no find'; exit 0; }}
        mkdir s d d/empty; : >d/file; echo text >d/read; chmod 0 d/read; echo text >d/run; chmod 755 d/run
        ln d/run d/hard; ln -s keep d/link; ln -s no d/other; ln -s run d/leads; mkfifo d/pipe; touch -d '3 days ago' d/old
        touch -d '1 day ago' stamp; chown 7:7 d/old; chown 12345:12345 d/file 2>told || true
        check() {{
          $U "$B" cp -aTv --delete --dry-run --where "$1" s d >out
          sed -n "s/^would remove '\(.*\)'/\1/p" out | sort | cmp - "$2" || {{ echo "$1:"; cat out; exit 1; }}
        }}
        while read -r test; do for not in '' '!'; do
          $U find d -mindepth 1 $not $test | sort >found; check "$not $test" found
        done; done <<'END'
{TESTS}END
        find d -mindepth 1 | sort >found; check '-newerBt 2000-01-01' found"#
    );
    Installation::new().succeeds("each_test_of_find_is_made_at_the_destination", &script);
}

/// Also where a directory of the source has the link's name.
#[test]
fn a_link_stays_if_what_it_leads_to_is_left_out() {
    let script = r#"
        mkdir -p s/dir d; touch s/dir/f; ln -s keep d/l; ln -s keep d/dir; code=0
        for test in '-lname keep' '-ilname KEEP'; do
          code=0; "$B" cp -aT --delete --where "! $test" s d 2>out || code=$?; [ $code = 1 ]
          [ "$(cat out)" = "brisk: cannot overwrite non-directory 'd/dir' with directory 's/dir'" ]
          [ "$(readlink d/l d/dir)" = "$(printf 'keep\nkeep')" ]
        done
        "$B" cp -aT --delete --where '-lname keep' s d; [ ! -L d/l ]"#;
    Installation::new().succeeds("a_link_stays_if_what_it_leads_to_is_left_out", script);
}

/// The walk copies a file that a prune is reached for, and leaves out what is in a directory.
#[test]
fn a_prune_keeps_no_file() {
    let script = r#"
        mkdir -p s/in d/in d/sub/build; touch s/build s/in/x d/build/f 2>told || touch d/build; touch d/in/build d/sub/build/f
        "$B" cp -aTv --delete --where '-name build -prune -o -name *.c' s d | sort >out
        printf "%s\n" "'s/build' -> 'd/build'" "removed 'd/in/build'" | cmp - out; [ -e d/sub/build/f ]"#;
    Installation::new().succeeds("a_prune_keeps_no_file", script);
}
