//! `--older-than`: recent files stay, whatever the user typed.

use std::process::Command;

use testkit::{Installation, brisk, is_root, stderr, stdout};

/// Under another name brisk is another program.
fn as_fd(words: &[&str], place: &std::path::Path) -> String {
    use std::os::unix::process::CommandExt;
    let output = Command::new(brisk()).arg0("fd").args(words).current_dir(place).output().unwrap();
    stdout(&output)
}

#[test]
fn an_age_in_the_future_is_refused_and_nothing_goes() {
    let place = testkit::scratch();
    let file = place.path().join("fresh");
    for age in
        ["30d ago", "-30d", "-1d", "-P1D", "2999-01-01", "@99999999999", "2999-01-01T00:00:00Z"]
    {
        std::fs::write(&file, "").unwrap();
        let output = Command::new(brisk())
            .args(["rm", &format!("--older-than={age}"), "fresh"])
            .current_dir(place.path())
            .output()
            .unwrap();
        assert!(file.exists(), "{age}");
        assert_eq!(output.status.code(), Some(2), "{age}");
        let said = stderr(&output);
        assert!(
            said.contains(age) && said.contains("30d") && said.contains("2026-01-31"),
            "{said}"
        );
    }
    let output = Command::new(brisk())
        .args(["rm", "--older-than", "-30d", "fresh"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert!(file.exists() && output.status.code() == Some(2));
}

#[test]
fn a_search_for_what_is_older_than_the_future_is_refused() {
    let place = testkit::scratch();
    std::fs::write(place.path().join("fresh"), "").unwrap();
    for age in ["30d ago", "-30d"] {
        for flag in ["--older", "--changed-within", "--ctime-before"] {
            let output = Command::new(brisk())
                .args(["find", &format!("{flag}={age}"), "--delete"])
                .current_dir(place.path())
                .output()
                .unwrap();
            assert!(place.path().join("fresh").exists(), "{flag} {age}");
            assert_ne!(output.status.code(), Some(0), "{flag} {age}");
            assert!(stderr(&output).contains("30d, a date as 2026-01-31"), "{}", stderr(&output));
        }
        // fd 10.5 accepts this, and so does brisk under fd's name.
        assert_eq!(as_fd(&[&format!("--older={age}")], place.path()), "fresh\n");
    }
}

#[test]
fn m_may_be_minutes_or_months() {
    let place = testkit::scratch();
    std::fs::write(place.path().join("fresh"), "").unwrap();
    for line in [
        "rm --older-than=1m fresh",
        "du --older-than 1m",
        "find --older-than=1m --delete",
        "find --changed-before '1h 3m' --delete",
        "find --newer 5m",
        "find --ctime-within 1m",
        "find --created-before 1m --delete",
        "chmod -R --changed-within 1m u+x .",
        "du --changed-before 1m",
        "changed --state s --older 1m",
        "diff --changed-within 1m . .",
    ] {
        let script = format!("{} {line}", brisk());
        let output =
            Command::new("sh").args(["-c", &script]).current_dir(place.path()).output().unwrap();
        let said = stderr(&output);
        assert!(said.contains(" may be minutes or months: write min or mo"), "{line}: {said}");
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), String::new()), "{line}");
        assert!(place.path().join("fresh").exists(), "{line}");
    }
    let output = Command::new(brisk())
        .args(["find", "--changed-within", "5min"])
        .current_dir(place.path())
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "fresh\n");
    // As in fd.
    assert_eq!(as_fd(&["--changed-within=5m"], place.path()), "fresh\n");
    assert_eq!(as_fd(&["--older-than=5m"], place.path()), "");
}

/// An old directory may hold what is new.
#[test]
fn a_directory_is_as_old_as_what_is_in_it() {
    Installation::new().succeeds(
        "a_directory_is_as_old_as_what_is_in_it",
        "mkdir d; touch d/fresh d/stale stale; touch -d '40 days ago' d/stale stale d .\n\
         test \"$(\"$B\" find --older-than 30d | sort)\" = \"d/stale\nstale\"\n\
         test \"$(\"$B\" find --changed-before 30d -td)\" = d/\n\
         \"$B\" find --older-than 30d -td 2>err && exit 7\n\
         grep 'brisk du --older-than AGE lists such directories' err\n\
         bash -c 'exec -a fd \"$0\" --older-than 30d -td' \"$B\" | grep -x d/\n\
         test \"$(\"$B\" du --older-than 30d 2>err)\" = ''; grep -e '--by type adds them up' err\n\
         \"$B\" du --inodes --by extension --older-than 30d >sums; test \"$(cat sums)\" = '2\t(none)'\n\
         \"$B\" find --older-than 30d --delete\n\
         test -e d/fresh; test ! -e d/stale; test ! -e stale",
    );
}

#[test]
fn help_names_the_units_and_what_an_age_is_of() {
    let output = Command::new(brisk()).args(["rm", "--help"]).output().unwrap();
    let help = stdout(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    let of = help.split("--older-than <AGE>").nth(1).unwrap().split("--dry-run").next().unwrap();
    for word in ["modified", " min,", "mo (months)", "2026-01-31"] {
        assert!(of.contains(word), "{word}: {of}");
    }
    assert!(!of.replace("--changed-before", "").contains("changed"), "{of}");
}

#[test]
fn a_fresh_directory_stays_with_d() {
    Installation::new().succeeds(
        "a_fresh_directory_stays_with_d",
        "mkdir e old; touch -d '40 days ago' old\n\
         \"$B\" rm -d --older-than 30d e old\n\
         test -d e; test ! -e old\n\
         \"$B\" rm -d --dry-run --older-than 30d e | grep 'would remove 0 files and 0 directories'\n\
         test -d e; yes | \"$B\" rm -di --older-than 30d e; test -d e",
    );
}

#[test]
fn a_fresh_directory_that_cannot_be_read_stays() {
    let test = "a_fresh_directory_that_cannot_be_read_stays";
    let user = if is_root() { "setpriv --reuid=65534 --regid=65534 --clear-groups" } else { "" };
    let script = "mkdir -m 777 w; cd w\n\
         $U sh -c 'mkdir -p d/fresh d/old; chmod 0 d/fresh d/old; \
                   touch -d \"40 days ago\" d/old; touch -d \"40 days ago\" d'\n\
         $U \"$B\" rm -r --older-than 30d d 2>err && exit 7\n\
         test -d d/fresh; test ! -e d/old; grep \"cannot remove 'd/fresh': Permission denied\" err"
        .replace("$U", user);
    Installation::new().succeeds(test, &script);
}

/// A directory counts if nothing else in it stays.
#[test]
fn each_directory_that_is_too_young_counts_as_spared() {
    let place = Installation::new();
    for (tree, words, spared) in [
        ("mkdir -p d/empty", "d", 1),
        ("mkdir d; touch d/young", "d", 1),
        ("mkdir -p d/dir; touch d/dir/young", "d", 1),
        ("mkdir -p d/dir; touch -d '40 days ago' d/dir/old", "d", 1),
        ("mkdir d", "--keep-root d", 0),
        ("mkdir -p d/empty", "--keep-root d", 1),
        ("mkdir -p d/empty", "--dry-run d", 1),
    ] {
        let script = format!(
            "{tree}; case '{words}' in d|--dry-run*) touch -d '40 days ago' d;; esac\n\
             \"$B\" rm -r --older-than 30d --json {words} | grep '\"spared\":{spared},'\n\
             test -d d; rm -r d"
        );
        place.succeeds("each_directory_that_is_too_young_counts_as_spared", &script);
    }
    // The second path is below what a removal would have left.
    place.succeeds(
        "each_directory_that_is_too_young_counts_as_spared",
        "mkdir -p d/e; \"$B\" rm -r --dry-run --older-than 30d d d/e",
    );
}
