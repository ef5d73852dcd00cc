//! The soak: all attackers in turn, for minutes or hours.

use std::time::{Duration, Instant};

use crate::ATTACKERS;
use crate::outcome::{COLUMNS, Outcome};

/// A round that takes longer is reported: a round that hangs is slow first.
const SLOW: Duration = Duration::from_secs(20);

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty());
    text.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}: a number")))
}

/// The table: a line for each attacker, and the sum.
fn table(sums: &[(&str, Outcome)]) -> String {
    let line = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>10}")).collect();
        format!("{name:<10}{cells}\n")
    };
    let numbers = |outcome: &Outcome| outcome.numbers().map(|number| number.to_string());
    let mut text = line("", &COLUMNS.map(str::to_owned));
    let mut all = Outcome::default();
    for (name, sum) in sums {
        text += &line(name, &numbers(sum));
        if let Some(why) = &sum.left_out {
            text += &format!("{name:<10} left out, at least once: {why}\n");
        }
        all += sum.clone();
    }
    text + &line("all", &numbers(&all))
}

#[test]
#[ignore = "run by scripts/soak"]
fn soak() {
    let minutes = number("BRISK_SOAK_MINUTES", 1);
    let seed = number("BRISK_SOAK_SEED", 1);
    let only = std::env::var("BRISK_SOAK_ONLY").unwrap_or_default();
    let chosen = ATTACKERS.iter().filter(|attacker| only.is_empty() || attacker.name == only);
    let chosen: Vec<_> = chosen.collect();
    assert!(!chosen.is_empty(), "there is no attacker {only}");
    let mut sums: Vec<_> =
        chosen.iter().map(|attacker| (attacker.name, Outcome::default())).collect();
    println!("soak: seed {seed}, {minutes} minutes, {}", testkit::brisk());
    let began = Instant::now();
    let mut minute = 0;
    'rounds: for round in number("BRISK_SOAK_ROUND", 0).. {
        for (attacker, (_, sum)) in chosen.iter().zip(&mut sums) {
            let start = Instant::now();
            let outcome = attacker.round(seed, round);
            if start.elapsed() > SLOW {
                println!("soak: {} took {:?} for round {round}", attacker.name, start.elapsed());
            }
            for note in &outcome.notes {
                println!("soak: {note}");
            }
            *sum += outcome;
            if began.elapsed() >= Duration::from_secs(60 * minutes) {
                break 'rounds;
            }
        }
        if began.elapsed().as_secs() / 60 > minute {
            minute = began.elapsed().as_secs() / 60;
            let mut all = Outcome::default();
            sums.iter().for_each(|(_, sum)| all += sum.clone());
            println!("soak: minute {minute}: {all}");
        }
    }
    println!("soak: seed {seed}, {} s\n{}", began.elapsed().as_secs(), table(&sums));
    assert!(sums.iter().all(|(_, sum)| sum.is_clean()), "not clean");
}
