//! No mount point is entered, even where the kernel does not tell which directories are mount
//! points. A file that is mounted on another one is shown as what it is.

use testkit::Installation;

/// The calls of a kernel without openat2 and statx: openat and fstatat.
const OLD: &str = "strace -f -o /dev/null -e inject=openat2,statx:error=ENOSYS";

const TREE: &str = "\
    mkdir -p d/m d/e/f other; touch other/precious d/file\n\
    mount --bind other d/m\n\
    mount -t tmpfs none /proc\n";

#[test]
fn what_cannot_be_told_from_a_mount_is_not_entered() {
    let script = format!(
        "{TREE}code=0\n\
         {OLD} -e inject=name_to_handle_at:error=EOPNOTSUPP \"$B\" rm -rf d 2>out || code=$?\n\
         [ -e other/precious ] && [ ! -e d/file ] && [ $code = 1 ] || {{ cat out; exit 1; }}\n\
         grep -q \"cannot remove 'd/m': this system does not tell whether\" out\n\
         {OLD} -e inject=name_to_handle_at:error=EPERM \"$B\" rm -rf --cross-mounts d 2>out || true\n\
         [ ! -e other/precious ] && [ ! -e d/e ] || {{ cat out; exit 1; }}"
    );
    Installation::new().succeeds("what_cannot_be_told_from_a_mount_is_not_entered", &script);
}

#[test]
fn a_mount_is_told_by_its_file_handle_where_statx_and_proc_are_missing() {
    let script = format!(
        "{TREE}code=0\n\
         {OLD} \"$B\" rm -rf d 2>out || code=$?\n\
         [ -e other/precious ] && [ $code = 1 ] && [ ! -e d/e ] || {{ cat out; exit 1; }}\n\
         grep -q \"skipping 'd/m', since it's a mount point\" out"
    );
    let test = "a_mount_is_told_by_its_file_handle_where_statx_and_proc_are_missing";
    Installation::new().succeeds(test, &script);
}

#[test]
fn find_delete_does_not_enter_what_may_be_a_mount() {
    let script = format!(
        "{TREE}code=0\n\
         {OLD} -e inject=name_to_handle_at:error=EOPNOTSUPP \\\n\
           \"$B\" find -u --delete precious d 2>out || code=$?\n\
         [ -e other/precious ] && [ $code = 1 ] || {{ cat out; exit 1; }}\n\
         grep -q \"'d/m': this system does not tell whether\" out"
    );
    Installation::new().succeeds("find_delete_does_not_enter_what_may_be_a_mount", &script);
}

#[test]
fn mount_points_are_preserved_where_statx_does_not_tell_them() {
    let script = "\
        mkdir m other; touch other/precious; mount --bind other m; mkdir plain\n\
        rm=\"strace -f -o /dev/null -e inject=statx:error=ENOSYS $R -rf --preserve-root=all\"\n\
        code=0; $rm m 2>out || code=$?\n\
        [ -e other/precious ] && [ $code = 1 ] || { cat out; exit 1; }\n\
        $rm plain && [ ! -e plain ]\n\
        mkdir plain; mount -t tmpfs none /proc; code=0\n\
        ${rm% -rf*} -rf --preserve-root=all m 2>out || code=$?\n\
        [ -e other/precious ] && [ $code = 1 ]";
    Installation::new()
        .succeeds("mount_points_are_preserved_where_statx_does_not_tell_them", script);
}

/// `a` is a file in the listing and a fifo for stat, `b` the reverse.
#[test]
fn a_mounted_file_is_shown_and_chosen_as_what_stat_says() {
    let script = "\
        mkdir d other; mkfifo other/fifo d/b; echo text >d/a; echo text >d/c; : >other/empty\n\
        mount --bind other/fifo d/a; mount --bind other/empty d/b\n\
        export LS_COLORS='fi=1:pi=2:ex=3'\n\
        same() { if [ \"$2\" != \"$3\" ]; then echo \"$1: '$2', not '$3'\"; exit 1; fi; }\n\
        same long \"$(\"$B\" ls -l d | tail -n3 | cut -c1 | tr -d '\\n')\" p--\n\
        same sorted \"$(\"$B\" ls -lF --sort=size d | tail -n3 | grep -c 'a|$')\" 1\n\
        same colors \"$(\"$B\" ls -l --color=always d | grep -c '.\\[2ma.\\[0m$')\" 1\n\
        same find \"$(\"$B\" find -u -l . d | cut -c1 | sort | tr -d '\\n')\" --p\n\
        kinds=$(\"$B\" find -u --format '{type} {size} {/}' . d | sort | tr '\\n' ,)\n\
        same format \"$kinds\" 'file 0 b,file 5 c,pipe 0 a,'\n\
        same json \"$(\"$B\" find -u --json . d | grep -c '\"a\",\"type\":\"pipe\"')\" 1\n\
        same ordered \"$(\"$B\" find -u --order sorted --format '{type} {size}' . d | head -n1)\" 'pipe 0'\n\
        same empty \"$(\"$B\" find -u -t f -t e . d)\" ''\n\
        same size \"$(\"$B\" find -u -S -1k . d)\" d/c\n\
        same file \"$(\"$B\" find -u -t f --changed-within 1d . d)\" d/c\n\
        same du \"$(\"$B\" du --by type --json d | grep -c pipe)\" 1";
    let test = "a_mounted_file_is_shown_and_chosen_as_what_stat_says";
    Installation::new().succeeds(test, script);
}
