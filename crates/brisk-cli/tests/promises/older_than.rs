//! `--older-than`: recent files stay, whatever the user typed.

use std::process::Command;

use testkit::{Place, brisk, is_root, stderr, stdout};

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
    Place::new().succeeds(
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
    Place::new().succeeds(test, &script);
}
