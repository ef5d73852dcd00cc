//! The words of a command line and of a configuration, and the answers to those that mean nothing.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::scene::{Scene, stderr, stdout};

#[test]
fn configuration_comes_before_the_command_line() {
    let scene = Scene::new(&[".h", "a", "b.rs"]);
    let config = scene.home().join("brisk/config.toml");
    fs::write(&config, "[find]\noptions = ['--hidden', '-E', 'a']\n").unwrap();
    assert_eq!(scene.sorted(&["find"]), [".h", "b.rs"]);
    assert_eq!(scene.lines(&["find", "--no-hidden"]), ["b.rs"]);
    assert_eq!(scene.sorted(&["find", "--no-config"]), ["a", "b.rs"]);
    let mut command = scene.command(&["find"]);
    command.env("BRISK_FIND_OPTS", "--no-hidden --format '{} !'");
    assert_eq!(stdout(&command.output().unwrap()), ["b.rs !"]);
    let link = scene.path("fd");
    symlink(env!("CARGO_BIN_EXE_brisk"), &link).unwrap();
    let mut command = Command::new(link);
    command.arg("--max-buffer-time=60000");
    command.current_dir(scene.tree()).env("XDG_CONFIG_HOME", scene.home());
    assert_eq!(stdout(&command.output().unwrap()), ["a", "b.rs"], "never as fd");
}

#[test]
fn bad_configuration_is_one_line_and_usage() {
    let scene = Scene::new(&["a"]);
    let config = scene.home().join("brisk/config.toml");
    for (text, why) in [
        ("[find", "cannot parse '"),
        ("[find]\noptions = ['--nonsense']", "cannot use the options in "),
        ("[find]\noptions = ['--exclude-regex=[']", "cannot use the options in "),
        ("[find]\noptions = ['--exclude=[']", "cannot use the options in "),
        ("[find]\noptions = ['--format={x}']", "cannot use the options in "),
    ] {
        fs::write(&config, text).unwrap();
        let output = scene.run(&["find"]);
        let message = stderr(&output);
        assert!(message.starts_with(&format!("brisk: {why}")), "{message}");
        assert!(message.contains("config.toml"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn the_program_without_a_command() {
    let scene = Scene::new(&[]);
    let output = scene.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: brisk <command>"));
    assert_eq!(scene.run(&["--version"]).status.code(), Some(0));
    assert!(stdout(&scene.run(&["help", "find"])).len() > 100);
    for (words, message) in [
        (&["frobnicate"][..], "unknown command 'frobnicate'. See brisk --help."),
        (&["help", "foo"], "unknown command 'foo'. See brisk --help."),
        (&["tree"], "unknown command 'tree'. Did you mean 'brisk ls --tree'?"),
        (&["watch"], "unknown command 'watch'. Did you mean 'brisk changed --watch'?"),
        (&["--depth"], "unknown option '--depth'. Options come after a command: see brisk --help."),
        (&["fin"], "unknown command 'fin'. Did you mean 'brisk find'?"),
        (&["help", "bensh"], "unknown command 'bensh'. Did you mean 'brisk bench'?"),
        (&["-g", "x"], "unknown option '-g'. Options come after a command: see brisk --help."),
    ] {
        let output = scene.run(words);
        assert_eq!(stderr(&output), format!("brisk: {message}\n"));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
}

#[test]
fn what_cannot_mean_anything_is_answered() {
    let scene = Scene::new(&["a"]);
    for (line, answer) in [
        ("find --hid", "unrecognized option '--hid': names are written in full: --hidden"),
        ("ls --max-depth 2", "--max-depth needs --tree or -R"),
        ("ls --git", "unrecognized option '--git': names are written in full: --git-ignore"),
        (
            "find --accessed-before 1d",
            "unrecognized option '--accessed-before': brisk find --where '-atime +30' compares \
             access times",
        ),
        (
            "man find",
            "find is a command: brisk help find explains it; to write the pages into a directory \
             of this name: brisk man ./find",
        ),
    ] {
        let output = scene.run(&line.split(' ').collect::<Vec<_>>());
        let told = stderr(&output);
        assert_eq!(told.lines().next(), Some(format!("brisk: {answer}").as_str()), "{line}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(2), 0), "{line}");
    }
    assert_eq!(scene.lines(&["find", "-u"]), ["a"], "no page was written");
    assert!(scene.run(&["man", "./find"]).status.success());
    assert!(scene.tree().join("find/brisk-find.1").exists());
}

#[test]
fn words_of_find_1_are_answered() {
    let scene = Scene::new(&["a"]);
    for (line, answer) in [
        (". -empty", "-empty is --type empty here"),
        (". -executable -print", "-executable is --where -executable here"),
        (". -uid 0", "-uid 0 is --owner 0 here"),
        (". -xdev", "-xdev is --one-file-system here"),
        (". -name a*", "-name 'a*' is -s -g 'a*' here, before the path"),
        ("-Hu . -type f,d", "-type f,d is --type f --type d here"),
        (". -mtime -7", "-mtime -7 is --where '-mtime -7' here"),
        (". -size +10M", "-size +10M is --where '-size +10M' here"),
        (". -maxdepth 2", "-maxdepth 2 is --max-depth 2 here"),
        (". -print0", "-print0 is --print0 here"),
        (". -delete", "-delete is --delete here"),
        (". -exec rm {} ;", "-exec is --exec here"),
        (". -exec rm {} +", "-exec … + is --exec-batch here"),
        (". -perm 644", "-perm 644 is --where '-perm 644' here"),
        (". -newer a -size +1M -print", "-newer a -size +1M is --where '-newer a -size +1M' here"),
        (
            ". -type f -newer a -delete",
            "-type f -newer a is --where '-type f -newer a' here; -delete is --delete here; a link \
             named find takes the line as it is",
        ),
    ] {
        let words: Vec<&str> = ["find"].into_iter().chain(line.split(' ')).collect();
        let output = scene.run(&words);
        assert_eq!(stderr(&output), format!("brisk: {answer}\n"), "{line}");
        assert_eq!((output.status.code(), stdout(&output).len()), (Some(2), 0), "{line}");
    }
    let newer = scene.run(&["find", ".", "-newer", "a"]);
    let flag = stderr(&newer).split_once(" is ").unwrap().1.replace(" here\n", "");
    fs::write(scene.tree().join("b"), "").unwrap();
    let old = fs::File::options().append(true).open(scene.tree().join("a")).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let line = format!("exec {} find . {flag}", env!("CARGO_BIN_EXE_brisk"));
    let output = scene.prepared(Command::new("sh"), &["-c", &line]).output().unwrap();
    assert_eq!(stdout(&output), ["b"], "{}", stderr(&output));
    assert_eq!(scene.lines(&["find", "a", "-x", "echo", "-name"]), ["-name ./a"]);
}

#[test]
fn arguments_that_cannot_be_used_are_usage() {
    let scene = Scene::new(&["a", "dir/b"]);
    for (words, message) in [
        (
            &["*.log"][..],
            "brisk: '*.log' is not a regular expression: repetition operator missing expression; \
             use -g for a glob, -F for plain text\n",
        ),
        (&["--newer", "x"], "brisk: 'x' is neither a date nor an age: write "),
        (&["--newer", "1d ago"], "brisk: '1d ago' lies in the future"),
        (
            &["--min-depth", "3", "--max-depth", "2"],
            "brisk: --max-depth 2 ends above --min-depth 3: nothing is left\n",
        ),
        (&["-E", "["], "brisk: Malformed exclude pattern"),
        (&["--format", "{x}"], "brisk: "),
        (&["-C", "nosuch"], "brisk: cannot search 'nosuch': No such file or directory\n"),
        (&["-X", "echo", "{}", "{}"], "brisk: Only one placeholder"),
        (
            &["-S", "1z"],
            "brisk: invalid value '1z' for '--size': a size needs a unit: +10M (at least), -4k (at \
             most), 512b (exactly); k, M, G and T are powers of 1000, ki, Mi, Gi and Ti of 1024\n\
            Try 'brisk find --help' for more information.\n",
        ),
        (
            &["--tpye", "f"],
            "brisk: unrecognized option '--tpye'\nDid you mean --type?\n\
            Try 'brisk find --help' for more information.\n",
        ),
        (&["--limit", "2"], "brisk: unrecognized option '--limit'\nDid you mean --max-results?\n"),
        (&["--name", "*.c"], "brisk: unrecognized option '--name'\nDid you mean --glob?\n"),
        (&["-n"], "brisk: invalid option -- 'n'\nDid you mean --dry-run?\n"),
        (&["--bogus"], "brisk: unrecognized option '--bogus'\nTry 'brisk find --help' for more "),
        (&["-t", "q"], "brisk: invalid value 'q' for '--type' [possible values: file, directory, "),
        (&["-e"], "brisk: '--extension <ext>' lacks its value\nTry "),
        (&["-g", "**/a"], "brisk: '**/a' has a slash; names have none; to match paths: --f"),
    ] {
        let output = scene.run(&[&["find"], words].concat());
        assert!(stderr(&output).starts_with(message), "{words:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    let unread = "brisk: cannot read ignore rules 'nosuch': No such file or directory\n";
    assert_eq!(stderr(&scene.run(&["find", "--ignore-file", "nosuch"])), unread);
    let hint = |words: &[&str]| stderr(&scene.run(&[&["find"], words].concat()));
    for (words, message) in [
        (&["-g", "**/a"][..], "--full-path --glob '**/a'\n"),
        (&["-g", "a/*"], "--full-path --glob '**/a/*'\n"),
        (&["-F", "b/a"], "--full-path --fixed-strings 'b/a'\n"),
        (&["b/a"], "--full-path 'b/a'\n"),
        (&["./"], "--full-path './'; to list it: brisk find . './'\n"),
        (&["dir", "b"], "the pattern comes before the paths, and 'dir' is a directory\n"),
        (&[".", "b"], "No valid search paths given.\n"),
        (&["-e", "txt", "dir"], "put a dot before it: brisk find . dir\n"),
        (
            &["--dry-run"],
            "'--dry-run' requires '--delete'\nTry 'brisk find --help' for more information.\n",
        ),
    ] {
        assert!(hint(words).ends_with(message), "{words:?}: {}", hint(words));
    }
    for words in [
        &["dir"][..],
        &["-e", "txt", "."],
        &["-e", "txt", ".."],
        &["-q", "-e", "txt", "dir"],
        &["-e", "txt", ".", "dir"],
    ] {
        assert_eq!(hint(words), "", "{words:?}");
    }
}
