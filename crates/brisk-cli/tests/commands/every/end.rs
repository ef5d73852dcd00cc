//! The end of a directory: the mark is believed where the file system has one; elsewhere the
//! directory is read until 0.

use testkit::{Installation, is_root, left_out};

/// `tree` makes 162 directories, one of which takes several buffers; `counted` counts the system
/// calls of a command.
const COUNT: &str = r#"
tree() (
    mkdir "$1"; cd "$1"
    for wide in $(seq 40); do
        mkdir -p $wide/a/b/c
        for dir in $wide $wide/a $wide/a/b $wide/a/b/c; do (cd $dir; touch 1 2 3 4 5 6 7 8 9 10); done
    done
    mkdir flat; cd flat; seq 5000 | xargs touch
)
# counted WHAT COMMAND …
counted() {
    what=$1; shift
    strace -f -qq -o trace -e trace=getdents64,fstatfs,openat,openat2 "$@" >found
    reads=$(grep -c 'getdents64(' trace) ends=$(grep -c 'getdents64.* = 0$' trace || true)
    asked=$(grep -c 'fstatfs(' trace || true)
    echo "$what: $reads reads, $ends of nothing, $asked fstatfs: $*"
}
told() { echo "$*"; exit 1; }
# tmpfs has a mark of the end since Linux 6.14.
tmpfs=never
[ "$(printf '%s\n' 6.14 "$(uname -r)" | sort -V | head -1)" = 6.14 ] || tmpfs=unknown
"#;

/// Mounts, from a file, each file system that has a mkfs here.
const LOOPS: &str = r#"
set -- "tmpfs $tmpfs" "ext2 never" "ext4 never" "btrfs never" "xfs always" "linear always"
for pair in "$@"; do
    set -- $pair; kind=$1 ends_wanted=$2 make=$1
    [ $kind = linear ] && make=ext4
    mkdir $kind
    if [ $kind = tmpfs ]; then mount -t tmpfs none $kind; else
        truncate -s 400M $kind.img
        case $kind in
        ext*) mkfs.$make -qF $kind.img;; linear) mkfs.ext4 -qF -O ^dir_index $kind.img;;
        *) mkfs.$make -q $kind.img;;
        esac >out 2>&1 && mount -o loop $kind.img $kind 2>out ||
            { echo "left out: $kind: $(head -1 out)"; continue; }
    fi
    tree $kind/tree
    for command in "find -u -j1 ." "find -u -j4 ." "find -u -j1 --order sorted ." "find -L -u -j2 ." \
        "ls -R --threads=2" "rm -rf --threads=2"; do
        counted $kind $B $command $kind/tree
        # Workers that open children of one directory at the same time may each ask.
        case $command in *-j1*) most=1;; *-j4*) most=4;; *) most=2;; esac
        [ $asked -le $most ] || told "asked $asked times"
        case $command in
        find*) [ $(wc -l <found) = 6761 ] || [ $(wc -l <found) = 6762 ] || told "$(wc -l <found) found";;
        esac
        case $ends_wanted in
        never) [ $ends = 0 ] && [ $((reads * 10)) -le $((162 * 11)) ] || told "too many reads";;
        always) [ $ends -ge 162 ] || told "too few reads";;
        esac
    done
    [ ! -e $kind/tree ] || told "it was not removed"
done
"#;

#[test]
fn a_directory_is_read_to_its_mark_where_there_is_one_and_to_0_elsewhere() {
    let test = "a_directory_is_read_to_its_mark_where_there_is_one_and_to_0_elsewhere";
    if !is_root() {
        return left_out(test, "loop devices need root");
    }
    Installation::new().succeeds(test, &format!("{COUNT}{LOOPS}"));
}

/// Mounts within the tree: each is asked about once, and is not taken for its parent's kind. Links
/// lead to other mounts and back.
#[test]
fn what_is_known_of_a_mount_ends_at_its_border() {
    let script = r#"
[ $tmpfs = never ] || { echo "left out: tmpfs has no mark here"; exit 0; }
mkdir -p root/down/proc root/down/tmp root/links
mount -t proc none root/down/proc; mount -t tmpfs none root/down/tmp
tree root/plain; tree root/down/tmp/tree
ln -s "$PWD/root/down/tmp/tree" root/links/away; ln -s ../plain root/links/near
counted mounts $B find -u -j1 . root/plain root/down/tmp root/down/proc/self/net
[ $asked = 2 ] || told "asked $asked times"
sed -n '/ = 0$/p' trace >ends
[ $ends -ge 1 ] || told "proc was not read to its end"
counted links $B find -u -L -j1 . root/links root/plain
[ $asked -le 3 ] && [ $ends = 0 ] || told "through links"
find -L root/links root/plain | wc -l >expected
wc -l <found | diff - expected >/dev/null || [ $(($(wc -l <found) + 2)) = $(cat expected) ] || told lost
# Handles given up are opened again from the root.
for files in 8 12; do
    counted scarce prlimit --nofile=$files:$files $B find -u -j1 . root/plain
    [ $ends -le 5 ] || told "reopened"
done
"#;
    let test = "what_is_known_of_a_mount_ends_at_its_border";
    Installation::new().succeeds(test, &format!("{COUNT}{script}"));
}

/// A kernel without openat2, or a filter that denies it: a directory is read until 0, and no
/// directory is asked about.
#[test]
fn without_openat2_directories_are_read_until_0() {
    let script = r#"
tree d
for error in ENOSYS EPERM; do
    strace -f -qq -o trace -e trace=getdents64,fstatfs,openat2 -e inject=openat2:error=$error $B find -u -j1 . d >found
    [ $(grep -c 'fstatfs(' trace) -le 1 ] || told "asked $(grep -c 'fstatfs(' trace) times"
    [ $(grep -c 'getdents64.* = 0$' trace) -ge 161 ] || told "not read until 0"
    [ $(grep -c 'openat2(' trace) -le 3 ] || told "openat2 is tried again"
    [ $(wc -l <found) = 6761 ] || [ $(wc -l <found) = 6762 ] || told "$(wc -l <found) found"
done
"#;
    Installation::new()
        .succeeds("without_openat2_directories_are_read_until_0", &format!("{COUNT}{script}"));
}
