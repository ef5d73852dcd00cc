//! No mount point is entered, even where the kernel does not tell which directories are mount
//! points.

use testkit::Place;

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
    Place::new().succeeds("what_cannot_be_told_from_a_mount_is_not_entered", &script);
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
    Place::new().succeeds(test, &script);
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
    Place::new().succeeds("find_delete_does_not_enter_what_may_be_a_mount", &script);
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
    Place::new().succeeds("mount_points_are_preserved_where_statx_does_not_tell_them", script);
}
