//! Attackers. Each has its own module, and attacks brisk in rounds that a seed repeats.
//!
//! Every attacker has a test of a few rounds. `scripts/soak MINUTES [SEED]` runs the test `soak`,
//! which takes the attackers in turn for as long as it is told (`BRISK_SOAK_MINUTES`,
//! `BRISK_SOAK_SEED`; with `BRISK_SOAK_ONLY` one of them). `BRISK_BINARY` names another program to
//! attack.
//!
//! Nothing outside a round's scratch directory is touched: the victim lies in it too.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failing set-up is a failing test")]

mod cascade;
mod denier;
mod editor;
mod filterer;
mod fuse;
mod ignorer;
mod killer;
mod limits;
mod mounter;
mod mover;
mod outcome;
mod owner;
mod racer;
mod removals;
mod round;
mod seed;
mod shifter;
mod soak;
mod stopper;
mod swapper;
mod tamperer;
mod watched;

use std::process::Command;

use outcome::Outcome;
use round::Round;
use seed::Seed;
use testkit::left_out;

/// One attacker.
pub struct Attacker {
    name: &'static str,
    attack: fn(&mut Round),
    /// Rounds of the ordinary test, if the attacker strikes in one of them: all of them in
    /// `scripts/test all`, half of them for each push.
    rounds: u64,
    /// Programs that the attacker needs.
    needs: &'static [&'static str],
}

/// All of them.
pub const ATTACKERS: [Attacker; 16] = [
    Attacker { name: "swapper", attack: swapper::round, rounds: 4, needs: &["prlimit"] },
    Attacker { name: "owner", attack: owner::round, rounds: 4, needs: &["prlimit"] },
    Attacker { name: "mover", attack: mover::round, rounds: 4, needs: &["prlimit"] },
    Attacker { name: "mounter", attack: mounter::round, rounds: 2, needs: &["prlimit"] },
    Attacker { name: "killer", attack: killer::round, rounds: 12, needs: &["strace"] },
    Attacker { name: "fuse", attack: fuse::round, rounds: 10, needs: &["prlimit"] },
    Attacker { name: "denier", attack: denier::round, rounds: 15, needs: &["strace"] },
    Attacker { name: "limits", attack: limits::round, rounds: 10, needs: &["prlimit"] },
    Attacker { name: "ignorer", attack: ignorer::round, rounds: 10, needs: &["prlimit"] },
    Attacker { name: "tamperer", attack: tamperer::round, rounds: 10, needs: &["strace"] },
    Attacker { name: "racer", attack: racer::round, rounds: 2, needs: &[] },
    Attacker { name: "stopper", attack: stopper::round, rounds: 4, needs: &[] },
    Attacker { name: "cascade", attack: cascade::round, rounds: 4, needs: &["prlimit"] },
    Attacker { name: "editor", attack: editor::round, rounds: 4, needs: &[] },
    Attacker { name: "filterer", attack: filterer::round, rounds: 4, needs: &["git", "find"] },
    Attacker { name: "shifter", attack: shifter::round, rounds: 6, needs: &["prlimit"] },
];

impl Attacker {
    /// Runs one round; equal seeds make equal choices.
    fn round(&self, seed: u64, round: u64) -> Outcome {
        let missing =
            self.needs.iter().find(|program| Command::new(program).arg("-V").output().is_err());
        if let Some(program) = missing {
            let why = Some(format!("there is no {program}"));
            return Outcome { left_out: why, ..Outcome::default() };
        }
        let index = ATTACKERS.iter().position(|attacker| attacker.name == self.name).unwrap();
        let name = format!("{} (seed {seed}, round {round})", self.name);
        let mut round = Round::new(Seed::of(seed, index, round), name);
        (self.attack)(&mut round);
        std::mem::take(&mut round.outcome)
    }
}

/// The short test of an attacker. Whether a round strikes is up to the machine, so there are more
/// rounds until one does.
fn short(name: &str) {
    const MOST: u64 = 60;
    let attacker = ATTACKERS.iter().find(|attacker| attacker.name == name).unwrap();
    let mut sum = Outcome::default();
    let mut rounds = 0..MOST;
    let wanted = testkit::rounds(attacker.rounds.div_ceil(2), attacker.rounds);
    while sum.rounds < wanted || sum.strikes == 0 {
        let Some(round) = rounds.next() else { break };
        sum += attacker.round(1, round);
        if !sum.is_clean() || sum.left_out.is_some() {
            break;
        }
    }
    if let Some(why) = sum.left_out {
        return left_out(name, &why);
    }
    println!("{name}: {sum}");
    assert!(sum.strikes > 0, "{name} never struck: {sum}");
    assert!(sum.is_clean(), "{sum}\n{}", sum.notes.join("\n"));
}

macro_rules! short_tests {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            short(stringify!($name));
        })*
    };
}

mod short {
    use super::short;

    short_tests! {
        swapper owner mover mounter killer fuse denier limits ignorer tamperer racer stopper cascade
        editor filterer shifter
    }
}
