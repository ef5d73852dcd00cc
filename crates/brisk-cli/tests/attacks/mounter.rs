//! Mounts of the victim appear over the tree's directories and files, and vanish, while it is
//! removed. All of it happens in a mount namespace that ends with the script.

use std::time::Duration;

use testkit::unshared;

use crate::outcome::Failure;
use crate::round::Round;

/// Prints a line `loss`, `abort` or `hang` for each of these failures, and last `strikes` and the
/// number of mounts that a removal met.
const SCRIPT: &str = r#"
mount --make-rprivate / && mount -t tmpfs -o mode=1777 none "$P/t" && cd "$P/t" || exit 99
mkdir -p victim/s/t; touch victim/a victim/s/b victim/s/t/c
attack() { while [ ! -e stop ]; do
  for d in tree/1 tree/2/s tree/3/s/t; do mount --bind victim $d && umount $d; done
  mount --bind victim/a tree/1/x && umount tree/1/x
done; } 2>/dev/null
attack & i=0
while [ $i -lt 12 ]; do
  for d in 1 2 3; do
    mkdir -p tree/$d/s/t && touch tree/$d/x tree/$d/s/y tree/$d/s/t/a
  done 2>/dev/null
  case $(((i + SEED) % 4)) in
  0) set -- rm -rf --threads=$((i % 3 + 1)) tree ;;
  1) set -- find -u --delete -j$((i % 3 + 1)) . tree ;;
  2) set -- rm -r --keep-root -f tree ;;
  3) set -- rm -rf tree ;;
  esac
  limit=
  [ $(((i + SEED / 4) % 2)) = 0 ] || limit="prlimit --nofile=$((6 + (SEED + i) % 11))"
  timeout -s KILL 30 $limit "$B" "$@" 2>>told
  code=$?
  case $code in
  137) echo "hang $*" ;;
  101 | 13[0-9]) echo "abort $code $*" ;;
  esac
  i=$((i + 1))
  [ -e victim/a ] && [ -e victim/s/b ] && [ -e victim/s/t/c ] || { echo "loss $*"; break; }
done
touch stop; wait
echo strikes $(grep -c 'skipping\|busy\|mount' told)
"#;

pub fn round(round: &mut Round) {
    let Some(before) = unshared() else {
        round.outcome.left_out = Some("this user cannot mount".to_owned());
        return;
    };
    let seed = round.seed.below(1 << 20).to_string();
    let mut command = round.command(&[before, &["sh", "-c", SCRIPT]].concat());
    let ended = round.run_within(command.env("SEED", seed), Duration::from_secs(200));
    for line in ended.stdout.lines() {
        let (what, rest) = line.split_once(' ').unwrap_or((line, ""));
        match what {
            "loss" => round.note(Failure::Loss, rest),
            "abort" => round.note(Failure::Abort, rest),
            "hang" => round.note(Failure::Hang, rest),
            "strikes" => round.strikes(rest.parse().unwrap()),
            _ => panic!("{line}"),
        }
    }
    round.check_victim("mounts");
}
