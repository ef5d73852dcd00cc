//! What must not be touched: the root directory by all its names, mount points, links before a
//! slash.

use testkit::{Installation, is_root, left_out};

/// A chroot on a tmpfs, with the system's programs mounted read-only: nothing else can be reached.
const CHROOT: &str = "\
    mkdir -p r/usr r/lib r/lib64 r/bin r/proc r/home/me r/data\n\
    for d in usr lib lib64 bin; do\n\
      [ -e /$d ] && mount --bind /$d r/$d && mount -o remount,bind,ro r/$d\n\
    done\n\
    cp \"$B\" r/brisk; ln -s brisk r/rm; ln -s / r/toroot; ln -s ../.. r/home/up\n\
    touch r/data/keep r/home/me/keep\n";

#[test]
fn the_root_by_any_name() {
    let test = "the_root_by_any_name";
    if !is_root() {
        return left_out(test, "chroot needs root");
    }
    let script = format!(
        "{CHROOT}\
         for name in / // /// /. /.. /./ /usr/.. /home/../ toroot/ /toroot/ home/up/ /home/up//; do\n\
           for flags in -rf -r '-rf --preserve-root=all' '-rfv --keep-root' '-rf --background'; do\n\
             if chroot r /rm $flags $name >out 2>&1; then echo \"$flags $name: fine\"; exit 1; fi\n\
             grep -q 'dangerous to operate\\|refusing to remove' out || {{ cat out; exit 1; }}\n\
           done\n\
           [ -e r/data/keep ] && [ -e r/home/me/keep ] || {{ echo \"$name was emptied\"; exit 1; }}\n\
         done\n\
         chroot r /rm -rf toroot home/up\n\
         [ ! -L r/toroot ] && [ -e r/data/keep ]"
    );
    Installation::new().succeeds(test, &script);
}

/// A user who insists may remove the root directory; mount points stay all the same.
#[test]
fn the_root_if_it_must_be() {
    let test = "the_root_if_it_must_be";
    if !is_root() {
        return left_out(test, "chroot needs root");
    }
    let script = format!(
        "{CHROOT}\
         if chroot r /brisk rm -rf --no-preserve-root / 2>out; then exit 1; fi\n\
         [ ! -e r/data ] && [ ! -e r/home ] && [ -e r/usr/bin ] && grep -q \"skipping '/usr'\" out"
    );
    Installation::new().succeeds(test, &script);
}

#[test]
fn dots_and_links_behind_a_slash() {
    let script = "\
        mkdir -p d/e home; touch d/keep d/e/keep home/f; ln -s d link; ln -s d/keep tofile\n\
        for name in . .. ./ ../ d/. d/.. d/./ d/../ ./.; do\n\
          ! \"$R\" -rf $name 2>out || exit 1\n\
          grep -q \"refusing to remove '.' or '..' directory: skipping '$name'\" out\n\
        done\n\
        for flags in -rf -r; do\n\
          ! \"$R\" $flags link/ 2>out || exit 1\n\
          grep -q \"/rm: cannot remove 'link/': Not a directory\" out\n\
          ! \"$R\" $flags --background link// 2>out || exit 1\n\
        done\n\
        [ -e d/keep ]; [ -e d/e/keep ]; [ -L link ]\n\
        ! \"$R\" tofile/ 2>out || exit 1\n\
        HOME=$PWD/home \"$R\" -rfv \"$PWD/home/\" >out\n\
        [ ! -e home ]; grep -q \"removed '$PWD/home/f'\" out; grep -q \"directory '$PWD/home/'\" out\n\
        \"$R\" link && [ -e d/keep ]";
    Installation::new().succeeds("dots_and_links_behind_a_slash", script);
}

#[test]
fn mount_points_inside_are_named_and_left() {
    let script = "\
        mkdir -p d/fs d/bind/in d/sub/deep/fs other d/plain; touch d/a d/plain/b other/keep d/sub/c\n\
        mount -t tmpfs none d/fs; mount -t tmpfs none d/sub/deep/fs; mount --bind other d/bind/in\n\
        touch d/fs/keep d/sub/deep/fs/keep\n\
        for more in '' --one-file-system '--cross-mounts --one-file-system' --threads=4; do\n\
          mkdir -p d/plain; touch d/a d/plain/b d/sub/c\n\
          ! \"$R\" -rf $more d 2>out || exit 1\n\
          grep -q \"/rm: skipping 'd/fs', since it's on a different device\" out\n\
          grep -q \"/rm: skipping 'd/sub/deep/fs', since it's on a different device\" out\n\
          grep -q \"/rm: skipping 'd/bind/in', since it's a mount point\" out\n\
          [ $(wc -l <out) = 3 ]\n\
          [ -e d/fs/keep ]; [ -e d/sub/deep/fs/keep ]; [ -e other/keep ]\n\
          [ ! -e d/a ]; [ ! -e d/plain ]; [ ! -e d/sub/c ]\n\
        done\n\
        ! strace -f -o /dev/null -e inject=openat2:error=ENOSYS \"$R\" -rf d 2>out || exit 1\n\
        [ $(grep -c '/rm: skipping' out) = 3 ]; [ -e d/fs/keep ]; [ -e other/keep ]\n\
        ! strace -f -o /dev/null -e inject=openat2:error=EPERM \"$R\" -rf d 2>out || exit 1\n\
        [ $(grep -c '/rm: skipping' out) = 3 ]; [ -e d/fs/keep ]; [ -e other/keep ]\n\
        ! \"$R\" -rf --preserve-root=all d/fs d/bind/in 2>out || exit 1\n\
        [ $(grep -c 'and --preserve-root=all is in effect' out) = 2 ]; [ -e d/fs/keep ]\n\
        [ -e other/keep ]\n\
        ! \"$R\" -rf --cross-mounts d 2>out || exit 1\n\
        [ ! -e d/fs/keep ] && [ ! -e other/keep ] && grep -q 'Device or resource busy' out";
    Installation::new().succeeds("mount_points_inside_are_named_and_left", script);
}

/// On overlayfs a dirent's inode is not stat's; that is no reason to refuse a removal.
#[test]
fn overlayfs_is_no_trap() {
    let script = "\
        mkdir -p lower/d/e upper work merged; touch lower/d/a lower/d/e/b lower/f\n\
        mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none merged || {\n\
          echo 'left out: overlayfs cannot be mounted'; exit 0; }\n\
        mkdir merged/d/new; touch merged/d/new/c merged/d/e/z\n\
        \"$R\" -rf merged/d merged/f\n\
        [ -z \"$(ls -A merged)\" ] && [ -e lower/d/e/b ]";
    Installation::new().succeeds("overlayfs_is_no_trap", script);
}
