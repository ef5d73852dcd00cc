//! Stamps and depfiles, with make and ninja.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use testkit::{left_out, stderr, stdout};

use super::scene::Scene;

#[test]
fn a_stamp_is_rewritten_only_if_it_differs_and_accepts() {
    let scene = Scene::new();
    let run = || scene.lines("src --state s --stamp t");
    assert_eq!(run().len(), 5);
    let first = scene.read("t");
    let names: Vec<&str> = first.lines().map(|line| line.split('\t').next().unwrap()).collect();
    assert_eq!(names, ["a", "b", "d", "d/c"]);
    let inode = || fs::metadata(scene.path("t")).unwrap().ino();
    let before = inode();
    assert!(run().is_empty(), "the state was accepted");
    scene.script("touch src/a; touch src/d");
    run();
    assert_eq!(inode(), before, "the same contents");
    scene.write("src/a", "ALPHA");
    assert_eq!(run(), ["M\tsrc/a"]);
    assert_ne!(inode(), before);
    assert_ne!(scene.read("t"), first);
    fs::remove_file(scene.path("t")).unwrap();
    assert!(run().is_empty());
    assert!(scene.exists("t"), "a stamp that is gone is written again");
}

/// Two trees never have one stamp because of names that look like lines.
#[test]
fn a_stamp_has_a_line_for_each_entry() {
    let scene = Scene::new();
    scene.script("rm -r src/*; printf x >'src/a\tf\t?\nb'; ln -s 'x\ty\\\nz' 'src/l\\'");
    scene.lines("src --state s --stamp t");
    let stamp = scene.read("t");
    let lines: Vec<_> = stamp.lines().collect();
    assert_eq!(lines[1..], ["l\\\\\tl\tx\\ty\\\\\\nz"], "{stamp}");
    let digest = lines[0].strip_prefix("a\\tf\\t?\\nb\tf\t").unwrap();
    assert_eq!(digest.len(), 64, "{stamp}");
}

/// The stamp is renamed into place before the state: whatever interrupts the run between the two,
/// the edit is seen again.
#[test]
fn the_stamp_comes_before_the_state() {
    if Command::new("strace").arg("-V").output().is_err() {
        return left_out("the_stamp_comes_before_the_state", "there is no strace");
    }
    let scene = Scene::new();
    let traced = "strace -f -e trace=rename,renameat,renameat2 -o trace";
    scene.script(&format!("{traced} \"$B\" changed src --state s --stamp t -- true"));
    let trace = scene.read("trace");
    let at = |name: &str| trace.find(name).unwrap_or_else(|| panic!("{name}: {trace}"));
    assert!(at("/t\"") < at("/s\""), "{trace}");
}

#[test]
fn a_failing_command_leaves_stamp_and_depfile() {
    let scene = Scene::new();
    scene.sh("b src --state s --stamp t --depfile p -- false");
    assert_eq!(scene.script("ls"), "s.lock\nsrc\n");
}

#[test]
fn make_makes_again_what_depends_on_a_stamp_after_an_edit_alone() {
    if Command::new("make").arg("--version").output().is_err() {
        return left_out("make_makes_again", "there is no make");
    }
    let scene = Scene::new();
    let rules = "out: src.stamp\n\tcat src/a >out; echo made\n\
                 src.stamp: FORCE\n\t@$(B) changed src --state s --stamp $@ >/dev/null\n\
                 FORCE:\n.PHONY: FORCE\n";
    scene.write("Makefile", rules);
    let make = || scene.script("make -s");
    assert_eq!(make(), "made\n");
    assert_eq!(make(), "");
    // So that out is older than the stamp, whatever the clock's granularity.
    scene.script("sleep 0.05; printf ALPHA >src/a");
    assert_eq!(make(), "made\n");
    assert_eq!(make(), "");
    scene.script("sleep 0.05; touch src/a; chmod 600 src/a");
    assert_eq!(make(), "", "the contents are the same");
    assert_eq!(scene.read("out"), "ALPHA");
    let asked = scene.sh("make -q");
    assert_eq!(asked.status.code(), Some(1), "the recipe of the stamp always runs");
}

#[test]
fn make_reads_a_depfile() {
    if Command::new("make").arg("--version").output().is_err() {
        return left_out("make_reads_a_depfile", "there is no make");
    }
    let scene = Scene::new();
    scene.script("mv src/a 'src/a b#$c'");
    let rules = "src.stamp:\n\t@$(B) changed src --state s --stamp $@ --depfile src.d >/dev/null\n\
                 \t@touch $@; echo looked\n-include src.d\n";
    scene.write("Makefile", rules);
    let make = || scene.script("make -s");
    assert_eq!(make(), "looked\n");
    assert_eq!(make(), "");
    scene.script("sleep 0.05; echo >'src/a b#$c'");
    assert_eq!(make(), "looked\n");
    scene.script("sleep 0.05; rm src/b");
    assert_eq!(make(), "looked\n", "a directory changed, and a file that is gone is not an error");
    assert_eq!(make(), "");
}

const NINJA: &str = "\
rule look\n  command = $$B changed src --state s --stamp $out --depfile $out.d >/dev/null\n  \
restat = 1\n  description = look\nrule copy\n  command = cat src/a >$out; echo made\n";

#[test]
fn ninja_runs_dependents_after_an_edit_alone() {
    if Command::new("ninja").arg("--version").output().is_err() {
        return left_out("ninja_runs_dependents", "there is no ninja");
    }
    let scene = Scene::new();
    let always = "build always: phony\nbuild src.stamp: look | always\nbuild out: copy src.stamp\n";
    scene.write("build.ninja", &format!("{NINJA}{always}"));
    let made = || scene.script("ninja").lines().filter(|line| *line == "made").count();
    assert_eq!(made(), 1);
    assert_eq!(made(), 0);
    assert!(scene.script("ninja").contains("] look"), "the step is shown");
    scene.script("sleep 0.05; printf ALPHA >src/a");
    assert_eq!(made(), 1);
    scene.script("sleep 0.05; touch src/a");
    assert_eq!(made(), 0);
}

#[test]
fn ninja_looks_only_if_the_depfile_says_so() {
    if Command::new("ninja").arg("--version").output().is_err() {
        return left_out("ninja_looks_only_if_the_depfile_says_so", "there is no ninja");
    }
    let scene = Scene::new();
    let rule = NINJA.replace("  restat", "  depfile = $out.d\n  restat");
    scene
        .write("build.ninja", &format!("{rule}build src.stamp: look\nbuild out: copy src.stamp\n"));
    let ninja = || scene.script("ninja");
    assert!(ninja().contains("\nmade\n"));
    assert!(ninja().contains("no work to do"));
    scene.script("sleep 0.05; echo >src/d/new");
    assert!(ninja().contains("\nmade\n"), "the directory changed");
    assert!(ninja().contains("no work to do"));
    scene.script("sleep 0.05; rm src/b");
    assert!(ninja().contains("\nmade\n"), "a file is gone");
    assert!(ninja().contains("no work to do"));
}

/// What make would run, split at, expand or take for a pattern, and can still be written. A slash
/// marks a directory.
const HOSTILE: &[&str] = &[
    "a b",
    " c",
    "d  e",
    "f:g",
    ":h",
    "i::j",
    "k#l",
    "##",
    "$",
    "$$",
    "m$n",
    "o$",
    "$ p",
    "q\\r",
    "s\\ t",
    "u\\\\v",
    "\\w",
    "x(1",
    "y (2).txt",
    "(z",
    "!",
    "-",
    "~a",
    "b,c",
    "{d}",
    "@e",
    "+f",
    "[",
    "]",
    "[id].tsx",
    "[[...slug]]",
    "g: h",
    "i#\\j",
    "k$#",
    "l:$m",
    "\u{e9}",
    "# $ : (",
    "a/",
    "b)/",
    "c (d)/",
    "e:/",
    "f\\/",
    "g /",
    " /",
    ":/",
    "h$/",
    ".PHONY x",
    "include",
    "endif x",
    "-x y",
];

/// A tree with these names, in which a rule makes `t` of the depfile's rule.
fn hostile(run: &str) -> Scene {
    let scene = Scene::new();
    scene.script("rm -r src; mkdir src");
    for name in HOSTILE {
        let path = scene.path(&format!("src/{name}"));
        if name.ends_with('/') { fs::create_dir(path) } else { fs::write(path, "") }.unwrap();
    }
    scene.script(&format!("find src -exec touch -h -d '2 days ago' {{}} +; {run}"));
    scene
}

/// What [`hostile`] has made, as the depfile spells it for the programs that decode it.
fn decoded() -> Vec<String> {
    let slash = |name: &str| name.ends_with([')', ':', '\\', ' ']);
    let spelled = |name: &&str| match name.strip_suffix('/') {
        Some(bare) if !slash(bare) => format!("src/{bare}"),
        _ => format!("src/{name}"),
    };
    let mut names: Vec<_> = HOSTILE.iter().map(spelled).chain(["src".to_owned()]).collect();
    names.sort();
    names
}

/// Runs what builds with `$build` on an untouched tree, after each of the names has changed, and
/// after all are gone. `made` says how often it made something.
fn runs_only_after_changes(scene: &Scene, build: &str) {
    let made = |what: &str| {
        let told = scene.script(&format!("{what}; {build} 2>&1"));
        assert!(!told.contains("***") && !told.contains("warning"), "{told}");
        told.lines().filter(|line| *line == "made").count()
    };
    assert_eq!(made(":"), 1, "{build}");
    assert_eq!(made(":"), 0, "{build}: nothing has changed");
    assert_eq!(made("sleep 0.05; find src -exec touch {} +"), 1, "{build}");
    scene.script("find src -exec touch -d '2 days ago' {} +; touch t");
    assert_eq!(made("rm -r src; mkdir src; touch -d '2 days ago' src"), 1, "{build}: all are gone");
    assert!(!scene.exists("PWNED"));
}

#[test]
fn make_reads_hostile_names_in_a_depfile() {
    if Command::new("make").arg("--version").output().is_err() {
        return left_out("make_reads_hostile_names_in_a_depfile", "there is no make");
    }
    let scene = hostile("b src -H --state s --save t --depfile d");
    scene.write("Makefile", "t:\n\t@touch t; echo made\n-include d\n");
    let database = scene.script("rm t; make -rRpn");
    let line = database.lines().find_map(|line| line.strip_prefix("t: ")).unwrap();
    let mut left = decoded();
    // Longest first: one name may be the beginning of another.
    left.sort_by_key(|name| std::cmp::Reverse(name.len()));
    let rest = left.iter().fold(format!(" {line} "), |rest, name| {
        assert!(rest.contains(&format!(" {name} ")), "{name:?} in {line}");
        rest.replacen(&format!(" {name} "), "  ", 1)
    });
    assert_eq!(rest.trim(), "");
    runs_only_after_changes(&scene, "make -srR");
}

#[test]
fn ninja_reads_hostile_names_in_a_depfile() {
    if Command::new("ninja").arg("--version").output().is_err() {
        return left_out("ninja_reads_hostile_names_in_a_depfile", "there is no ninja");
    }
    let scene = hostile("b src -H --state s --save t --depfile d; rm t");
    let rule = "rule r\n  command = cp d $out.d; touch $out; echo made\n  depfile = $out.d\n";
    scene.write("build.ninja", &format!("{rule}  deps = gcc\nbuild t: r\n"));
    let told = scene.script("ninja >/dev/null; ninja -t deps t; rm -r t .ninja*");
    let mut names: Vec<_> = told.lines().filter_map(|line| line.strip_prefix("    ")).collect();
    names.sort_unstable();
    let mut expected = decoded();
    // ninja leaves out a slash at the end.
    expected.iter_mut().for_each(|name| name.truncate(name.trim_end_matches('/').len()));
    expected.sort();
    assert_eq!(names, expected);
    scene.write("build.ninja", &format!("{rule}build t: r\n"));
    runs_only_after_changes(&scene, "ninja");
}

#[test]
fn a_name_that_a_depfile_cannot_hold_stops_before_anything_is_written() {
    let scene = Scene::new();
    scene.lines("src --state s --stamp t --depfile p");
    let before = scene.script("stat -c '%n %i %Y' s t p");
    for name in ["x\ny", "x=;touch${IFS}PWNED;:", "x%y", "x)", "x\ty", "x|y"] {
        scene.write(&format!("src/{name}"), "");
        for (run, code) in [("", 1), (" -- touch RAN", 125)] {
            let refused = scene.sh(&format!("b src --state s --stamp t --depfile p{run}"));
            assert_eq!(refused.status.code(), Some(code), "{name:?}");
            let told = stderr(&refused);
            assert!(told.contains("cannot read the name 'src/x"), "{told}");
        }
        assert_eq!(scene.script("stat -c '%n %i %Y' s t p"), before);
        fs::remove_file(scene.path(&format!("src/{name}"))).unwrap();
    }
    assert_eq!(scene.script("ls"), "p\ns\ns.lock\nsrc\nt\n");
    let target = scene.sh("b src --state s --stamp 'a=b' --depfile p");
    assert!(stderr(&target).contains("cannot read the name 'a=b'"), "{}", stderr(&target));
}

#[test]
fn the_depfile_names_the_stamp_or_the_state() {
    let scene = Scene::new();
    scene.lines("src --state s --depfile p");
    assert!(scene.read("p").starts_with("s: \\\n src \\\n src/a \\\n"), "{}", scene.read("p"));
    assert!(!scene.exists("s"), "a depfile alone accepts nothing");
    scene.lines("src --state s --depfile p --stamp ./t");
    assert!(scene.read("p").starts_with("./t: \\\n"));
    scene.lines("src --state u --depfile filtered --match ^c$");
    assert!(scene.read("filtered").starts_with("u: \\\n src \\\n src/d \\\n src/d/c\nsrc:\n"));
    scene.script("mkdir other; echo >other/x");
    scene.lines("src/d other --state s --depfile several");
    let several = " src/d \\\n other \\\n src/d/c \\\n other/x\n";
    assert!(scene.read("several").contains(several), "{}", scene.read("several"));
    let before = stdout(&scene.sh("stat -c %i p"));
    scene.lines("src --state s --depfile p --stamp ./t");
    assert_eq!(stdout(&scene.sh("stat -c %i p")), before);
}
