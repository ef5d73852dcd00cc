//! brisk called `rm` against GNU rm: the same words on the same tree must print the same lines, end
//! with the same exit code, and leave the same entries.
//!
//! Lines are compared sorted: brisk promises no order among siblings. Known difference: `-d` removes
//! an empty directory that cannot be read.

use testkit::{Installation, is_root, left_out, stderr, stdout};

/// A tree, and command lines over it. `RM` is the program; the rest is shell.
struct Case {
    plant: &'static str,
    lines: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        plant: "mkdir -p d/e/f empty; touch a b d/x d/e/y 'a b' -- -f --x; ln -s d link; ln -s no dangling; \
                mkfifo p; touch c",
        lines: &[
            "RM a",
            "RM a nope b",
            "RM -f a nope b",
            "RM -f",
            "RM",
            "RM a a",
            "RM -v a b",
            "RM d",
            "RM -f d",
            "RM empty",
            "RM -d empty",
            "RM -dv empty d",
            "RM -r d",
            "RM -r d d/e",
            "RM -r d/e d",
            "RM -rv d/e/f d/e d d/e",
            "RM -r d ./d/e/../x",
            "RM -r d/e/f $PWD/d link d/x",
            "RM -r d/x a link d b a",
            "RM -r d d",
            "RM -d d/e/f d/e a",
            "RM -rf d d/e d",
            "RM -rv d a empty link dangling p 'a b'",
            "RM -rfv d/ empty//",
            "RM -Rv ./d/e d/x",
            "RM -rf nope/deeper a/not-a-dir",
            "RM -r nope/deeper a/not-a-dir a/",
            "RM link",
            "RM -r link",
            "RM -- -f --x",
            "RM -v ./-f",
            "RM -f --x",
            "RM --recursive --verb d",
            "RM --rec --f d nope",
            "RM -Z a",
            "RM -f -Q",
            "RM --foo",
            "RM --verbose=x a",
            "RM --interactive=foo a",
            "RM --no-pres a",
            "RM --preserve-root=some a",
            "RM --ver a",
            "RM ''",
            "RM -f ''",
            "RM -rf . .. ./ d/. d/.. d/./",
            "RM -r .",
            "RM .",
            "RM -rf / // /./ /.. /usr/..",
            "RM -d d/. empty/. d/.. d//",
            "RM d// empty/// nope// a// link//",
            "RM -v d// empty/// nope// a// link//",
            "RM -r nope// a// /// d//",
            "RM -r --one-file-system d",
            "RM --interactive=never -r d",
        ],
    },
    // Answers to questions: so few that their order does not matter.
    Case {
        plant: "mkdir -p d/e empty; touch d/x a b c f; echo x >full; ln -s a link; mkfifo p",
        lines: &[
            "echo y | RM -i a",
            "echo n | RM -i a",
            "RM -i a",
            "echo Y | RM -i full",
            "echo y | RM -i link",
            "echo y | RM -i p",
            "echo y | RM -ri empty",
            "echo n | RM -ri empty",
            "echo y | RM -di empty",
            "printf 'n\\ny\\n' | RM -di d a b",
            "printf 'y\\n' | RM -di d/e d empty",
            "echo y | RM -di d",
            "echo n | RM -ri d",
            "yes | RM -ri d",
            "echo y | RM -i d",
            "echo y | RM -I a b c f",
            "echo n | RM -I a b c f",
            "RM -I a b c",
            "echo y | RM -rI d",
            "echo n | RM -rI d empty",
            "echo n | RM -I -f a b c f",
            "echo n | RM -f -i a",
            "echo y | RM --interactive a",
            "echo y | RM --interactive=once -r d",
            "printf 'y\\nn\\n' | RM -i a b",
        ],
    },
    // Removals that permissions forbid; root may do all of them.
    Case {
        plant: "mkdir -p ro/d none empty/none noexec deep/ro; touch ro/a ro/d/b none/c deep/ro/x deep/y; \
                echo x >guarded; chmod 444 guarded ro/d/b; touch blank; chmod 0 blank noexec; mkdir shut; \
                chmod 0 shut none; chmod 555 ro deep/ro; mkdir wp; touch wp/a; chmod 500 wp",
        lines: &[
            "RM ro/a",
            "RM -f ro/a",
            "RM -rf ro",
            "RM -r ro",
            "RM -rf none shut empty",
            "RM -r none",
            "RM -rf deep",
            "RM -rv deep",
            "RM guarded blank",
            "echo y | RM ---presume-input-tty guarded",
            "echo n | RM ---presume-input-tty guarded",
            "echo n | RM ---presume-input-tty blank",
            "echo n | RM -f ---presume-input-tty guarded",
            "echo n | RM -r ---presume-input-tty wp",
            "echo y | RM -i guarded",
            "echo n | RM -ri ---presume-input-tty wp",
            "echo y | RM -rd ---presume-input-tty shut",
            "echo y | RM -d ---presume-input-tty shut",
            "echo y | RM -di shut wp blank",
            "echo y | RM -d ---presume-input-tty wp blank",
        ],
    },
    // Names.
    Case {
        plant: "mkdir d; touch \"d/it's\" \"$(printf 'd/a\\nb')\" \"$(printf 'd/x\\001y')\" 'd/q\"q' \
                'd/both'\\''\"' \"$(printf 'd/bad\\377z')\" d/é 'd/\\n' 'd/$x' 'd/a b'; \
                touch \"d/$(printf '%0255d' 0)\"",
        lines: &["RM -rv d", "RM -v d/*", "RM d/*x"],
    },
];

/// A program's output, its exit code, and the entries that it leaves.
fn outcome(
    place: &Installation,
    test: &str,
    user: &str,
    case: &Case,
    line: &str,
    rm: &str,
) -> Option<String> {
    // GNU's own name is in its messages; brisk's messages must have the same.
    let line = line.replace("RM", &format!("{user} rm"));
    let script = format!(
        "mkdir -m 777 w; cd w; {user} sh -c '{}'; export PATH={rm}:/usr/bin:/bin\n\
         {{ {line}\n}} >../out 2>../err; echo \"exit $?\" >../code; cd ..; chmod -R u+rwx w\n\
         echo; sort out; cat code; find w | sort; sort err >&2",
        case.plant.replace('\'', "'\\''"),
    );
    let output = place.script(test, &script)?;
    Some(format!("{}{}", stdout(&output), stderr(&output)))
}

fn compare(test: &str, user: &str) {
    let place = Installation::new();
    let mut wrong = Vec::new();
    for case in CASES {
        for line in case.lines {
            let gnus = outcome(&place, test, user, case, line, "/bin");
            let ours = outcome(&place, test, user, case, line, place.path("bin").to_str().unwrap());
            let (Some(gnus), Some(ours)) = (gnus, ours) else { return };
            if gnus != ours {
                wrong.push(format!("== {line}\n-- GNU rm:\n{gnus}\n-- brisk:\n{ours}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether `/bin/rm` is GNU's, of the version whose messages brisk has.
fn has_gnu(test: &str) -> bool {
    let version = std::process::Command::new("/bin/rm").arg("--version").output();
    let is_gnu = version.is_ok_and(|output| stdout(&output).contains("GNU coreutils"));
    if !is_gnu {
        left_out(test, "/bin/rm is not GNU's");
    }
    is_gnu
}

/// With -v the operands' order is the messages' order. The trees have no siblings, whose order is
/// free.
#[test]
fn operands_are_done_in_their_order() {
    let test = "operands_are_done_in_their_order";
    if !has_gnu(test) {
        return;
    }
    let place = Installation::new();
    for words in ["-rv z d3 a d1/e b d1 d2 nope c a", "-rfv d2 d2/e d1 nope z a", "-v c b a z"] {
        let run = |program: &str| {
            let script = format!(
                "for d in d1 d2 d3; do mkdir -p $d/e/f/g; touch $d/e/f/g/h; done; touch a b c z\n\
                 PATH={program}:/usr/bin:/bin; script -qec 'rm {words}' /dev/null; echo $?"
            );
            place.script(test, &script).map(|output| stdout(&output))
        };
        let gnus = run("/bin");
        let ours = run(place.path("bin").to_str().unwrap());
        assert_eq!(ours, gnus, "rm {words}");
    }
}

#[test]
fn as_gnu_rm_does_for_this_user() {
    let test = "as_gnu_rm_does_for_this_user";
    if has_gnu(test) {
        compare(test, "");
    }
}

/// Permissions do not stop root, so the same runs as an ordinary user.
#[test]
fn as_gnu_rm_does_for_an_ordinary_user() {
    let test = "as_gnu_rm_does_for_an_ordinary_user";
    if !is_root() {
        // The test above is that already.
        return;
    }
    if has_gnu(test) {
        compare(test, "setpriv --reuid=65534 --regid=65534 --clear-groups");
    }
}
