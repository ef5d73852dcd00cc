//! Files and variables say how results are found and shown, never what they are or what is done to
//! them.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Command, Output};

use testkit::{Installation, brisk, is_root, run, stderr, stdout};

/// A tree, and a configuration.
struct Configured {
    place: Installation,
    variable: &'static str,
}

impl Configured {
    fn new(options: &[&str]) -> Configured {
        let place = Installation::new();
        for name in ["a", "b", "c"] {
            fs::write(place.path("t").join(name), "").unwrap();
        }
        fs::create_dir_all(place.path("config/brisk")).unwrap();
        let configured = Configured { place, variable: "" };
        fs::write(configured.file(), format!("[find]\noptions = {options:?}\n")).unwrap();
        configured
    }

    fn file(&self) -> PathBuf {
        self.place.path("config/brisk/config.toml")
    }

    fn run(&self, words: &[&str]) -> Output {
        let command = &mut Command::new(brisk());
        command.args(words).current_dir(self.place.path("t"));
        command.env("XDG_CONFIG_HOME", self.place.path("config"));
        command.env("BRISK_FIND_OPTS", self.variable).output().unwrap()
    }

    fn find(&self, words: &[&str]) -> Output {
        self.run(&[&["find"], words].concat())
    }

    /// What is left of `a`, `b` and `c`, in order.
    fn left(&self) -> String {
        ["a", "b", "c"]
            .into_iter()
            .filter(|name| self.place.path("t").join(name).exists())
            .collect()
    }

    fn refuses(&self, words: &[&str], named: &[&str]) {
        let output = self.find(words);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{named:?}: {}{told}", stdout(&output));
        assert_eq!((stdout(&output).as_str(), told.lines().count()), ("", 1), "{named:?}: {told}");
        for name in named {
            assert!(told.contains(name), "{name}: {told}");
        }
        assert_eq!(self.left(), "abc", "{named:?}");
    }
}

/// With one request at a time there is one worker, whatever is typed.
#[test]
fn a_limit_holds_for_every_command_under_every_name() {
    let script = "\
        for name in ls fd rm du chmod chown; do ln -s \"$B\" $name; done; mkdir -p config/brisk etc/brisk\n\
        export XDG_CONFIG_HOME=$PWD/config; file=config/brisk/config.toml\n\
        for i in $(seq 40); do mkdir -p t/$i; touch t/$i/f; done\n\
        limit() { printf \"[limits]\\nmax_in_flight = $1\\n\"; }\n\
        check() {\n\
          expected=$1; shift\n\
          \"$@\" 2>told >out; grep -q \"$expected\" told || { echo \"$@\"; cat told; exit 1; }\n\
        }\n\
        limit 1 >$file\n\
        check 'most 1 worker,' \"$B\" find -u -j8 --stats . t\n\
        check 'most 1 worker,' ./fd -u -j8 --stats . t\n\
        check 'most 1 worker,' ./ls -R --threads=8 --stats t\n\
        check 'most 1 worker,' ./du --threads=8 --stats t\n\
        check 'most 1 worker,' \"$B\" chmod -R -j8 --stats 700 t\n\
        check 'most 1 worker,' ./chown -R --threads=8 --stats $(id -u) t\n\
        check 'most 1 worker,' \"$B\" changed -u -j8 --stats --state s t\n\
        check 'most 1 worker,' ./rm -r --threads=8 --stats t/1 t/2 t/3\n\
        for command in \"$B find . t\" \"./ls t\" \"$B du t\" './chmod 700 t' './rm -r t'; do\n\
          check '^Requests in flight: at most 1 ' $command --explain\n\
        done\n\
        check '^Requests in flight: at most 1 ' \"$B\" changed -u --explain --state s t\n\
        limit 3 >etc/brisk/config.toml; limit 5 >$file; mount --bind etc /etc\n\
        check 'at most 3 ' \"$B\" find --explain --no-config . t; check 'at most 3 ' ./rm --explain t\n\
        limit 2 >$file\n\
        check 'at most 3 ' \"$B\" find --explain --no-config . t; check 'at most 2 ' ./ls --explain t\n\
        limit 0 >$file\n\
        for command in './rm -r' './ls' './fd .' \"$B du\" './chmod -R 0' \"$B changed\"; do\n\
          if $command t >out 2>told; then echo \"$command\"; exit 1; fi\n\
          grep -q \"cannot parse '.*config.toml': line 2: invalid value\" told; [ ! -s out ]\n\
        done; [ -e t/4/f ]; \"$B\" rm --help >out; \"$B\" find --no-config . t >out";
    Installation::new().succeeds("a_limit_holds_for_every_command_under_every_name", script);
}

#[test]
fn a_file_runs_nothing() {
    for (option, name) in [("-x", "--exec"), ("-X", "--exec-batch")] {
        Configured::new(&[option, "rm"]).refuses(&[], &["config.toml", name]);
    }
}

#[test]
fn a_file_neither_limits_nor_hides_results() {
    for (option, name) in [("-1", "-1"), ("--max-results=2", "--max-results"), ("-q", "--quiet")] {
        Configured::new(&[option]).refuses(&[], &["config.toml", name]);
    }
}

/// Before the mend, one arbitrary file was removed.
#[test]
fn a_file_with_a_limit_lets_no_typed_delete_pick() {
    Configured::new(&["-1"]).refuses(&["--delete", "."], &["config.toml", "-1"]);
}

#[test]
fn a_file_holds_no_pattern_and_no_place() {
    for (options, name) in [
        (&["b"][..], "pattern"),
        (&["--and", "b"], "--and"),
        (&["-C", "/"], "--base-directory"),
        (&["--search-path", "/"], "--search-path"),
        (&["--help"], "help"),
    ] {
        Configured::new(options).refuses(&["-d1"], &["config.toml", name]);
    }
}

/// Before the mend, a configured `-e` added its extension to the typed one of `--delete`, and a
/// configured `--parts` replaced files in a search that only lists.
#[test]
fn a_file_filters_nothing_and_writes_no_lists() {
    for (options, name) in [
        (&["-e", "rs"][..], "--extension"),
        (&["-t", "f"], "--type"),
        (&["--where", "-true"], "--where"),
        (&["--prune"], "--prune"),
        (&["--max-depth=1"], "--max-depth"),
        (&["--part-files=1", "--overwrite", "--part-name=a"], "--part-files"),
    ] {
        let configured = Configured::new(options);
        configured.refuses(&[], &["config.toml", name]);
        configured.refuses(&["-e", "log", "--delete"], &["config.toml", name]);
    }
}

#[test]
fn the_variable_acts_no_more_than_a_file() {
    for (variable, name) in [
        ("-x rm", "--exec"),
        ("-X rm", "--exec-batch"),
        ("-1", "-1"),
        ("b", "pattern"),
        ("--delete", "--delete"),
    ] {
        let configured = Configured { variable, ..Configured::new(&[]) };
        configured.refuses(&[], &["BRISK_FIND_OPTS", name]);
    }
}

/// In one layer these options exclude each other; of two layers the typed one decides.
#[test]
fn what_is_typed_is_done_whatever_form_is_configured() {
    for option in ["-l", "--json", "--format={/}", "-0", "--max-errors=1", "--order=sorted"] {
        let configured = Configured::new(&[option]);
        let output = configured.find(&["b", "-x", "rm"]);
        assert!(output.status.success(), "{option}: {}", stderr(&output));
        assert_eq!((stdout(&output).as_str(), configured.left().as_str()), ("", "ac"), "{option}");
        let output = configured.find(&["--delete", "."]);
        assert!(output.status.success(), "{option}: {}", stderr(&output));
        assert_eq!((stdout(&output).as_str(), configured.left().as_str()), ("", ""), "{option}");
    }
    let configured = Configured::new(&["--json"]);
    assert_eq!(stdout(&configured.find(&["b", "--format", "{/}!"])), "b!\n");
}

/// Before the mend, a configured `-l` gave every object of a typed `--json` its columns, and a typed
/// `-1` had no effect.
#[test]
fn a_typed_form_of_ls_replaces_a_configured_one() {
    let configured = Configured::new(&[]);
    let forms: [&[&str]; 6] = [&["-l"], &["--json"], &["-1"], &["-m"], &["--tree"], &["-gi"]];
    for file in forms {
        fs::write(configured.file(), format!("[ls]\noptions = {file:?}\n")).unwrap();
        for typed in [&["-l"][..], &["--json"], &["-1"], &["-m"], &["--tree"]] {
            let both = configured.run(&[&["ls"], typed].concat());
            let alone = configured.run(&[&["ls", "--no-config"], typed].concat());
            if *file != ["-gi"] {
                assert_eq!(stdout(&both), stdout(&alone), "{file:?} {typed:?}");
            }
            assert_eq!(both.status.code(), Some(0), "{file:?} {typed:?}: {}", stderr(&both));
        }
    }
    fs::write(configured.file(), "[ls]\noptions = ['--json', '-i']\n").unwrap();
    let kept = stdout(&configured.run(&["ls", "-a"]));
    assert_eq!(kept, stdout(&configured.run(&["ls", "--no-config", "--json", "-i", "-a"])));
    let objects = kept.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let listed: Vec<_> = objects.map(|object| object["inode"].as_u64()).collect();
    let inode = |name| Some(fs::metadata(configured.place.path("t").join(name)).unwrap().ino());
    assert_eq!(listed, [".", "..", "a", "b", "c"].map(inode));
}

#[test]
fn ls_has_a_variable_too() {
    let configured = Configured::new(&[]);
    let run = |words: &[&str], value: &str| {
        let mut command = Command::new(brisk());
        command.args(words).current_dir(configured.place.path("t"));
        command.env("XDG_CONFIG_HOME", configured.place.path("config"));
        command.env("BRISK_LS_OPTS", value).output().unwrap()
    };
    assert_eq!(stdout(&run(&["ls"], "-m -r")), "c, b, a\n");
    assert_eq!(stdout(&run(&["ls", "-1"], "-m -r")), "c\nb\na\n");
    assert_eq!(stdout(&run(&["ls", "--no-config"], "-m")), "a\nb\nc\n");
    assert_eq!(stdout(&run(&["find", "a"], "--frobnicate 'x")), "a\n");
    for (value, cause) in [("--frobnicate", "--frobnicate"), ("'x", "a quote without its end")] {
        let refused = run(&["ls"], value);
        let told = stderr(&refused);
        assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.contains("BRISK_LS_OPTS") && told.contains(cause), "{told}");
    }
}

/// A separator that is configured for display is not used in commands.
#[test]
fn commands_get_paths_as_without_a_configuration() {
    let configured = Configured::new(&["--path-separator=:"]);
    let output = configured.find(&["b", "-x", "rm"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(configured.left(), "ac");
}

#[test]
fn a_typed_delete_goes_neither_through_links_nor_by_identity() {
    for (option, name) in [("--follow", "--follow"), ("--unique", "--unique")] {
        let configured = Configured::new(&[option]);
        configured.refuses(&["--delete", "."], &["--delete", name, "configuration"]);
        let output = configured.find(&["--no-config", "--delete", "b"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(configured.left(), "ac");
    }
}

#[test]
fn a_file_that_is_wrong_is_an_error() {
    let configured = Configured::new(&[]);
    for text in [&b"[find"[..], b"\xff\xfe", b"[find]\noptions = ['--hiden']"] {
        fs::write(configured.file(), text).unwrap();
        configured.refuses(&[], &["config.toml"]);
    }
}

/// Root can read every file, so a directory stands for the file that cannot be read.
#[test]
fn an_unreadable_file_is_a_warning() {
    let configured = Configured::new(&["--hidden"]);
    let refused = |configured: &Configured, cause: &str| {
        for words in [&["find", "--order=sorted"][..], &["ls"]] {
            let output = configured.run(words);
            let told = stderr(&output);
            assert_eq!(
                (output.status.code(), stdout(&output).as_str()),
                (Some(0), "a\nb\nc\n"),
                "{told}"
            );
            assert!(told.contains("config.toml") && told.contains(cause), "{told}");
            assert!(told.lines().count() == 1 && !told.contains("os error"), "{told}");
        }
    };
    if !is_root() {
        fs::set_permissions(configured.file(), fs::Permissions::from_mode(0o000)).unwrap();
        refused(&configured, "ermission denied");
    }
    fs::remove_file(configured.file()).unwrap();
    fs::create_dir(configured.file()).unwrap();
    refused(&configured, "");
    fs::remove_dir(configured.file()).unwrap();
    run("mkfifo", &[configured.file().to_str().unwrap()]);
    refused(&configured, "regular file");
}

#[test]
fn help_tells_where_configuration_is_read_from_and_what_is_set() {
    let configured = Configured { variable: "-E 'a b'", ..Configured::new(&["--hidden"]) };
    let told = stdout(&configured.run(&["help", "config"]));
    let file = configured.file().display().to_string();
    for part in [
        format!("\n  {file}\n"),
        "\n  the environment variable BRISK_FIND_OPTS\n".to_owned(),
        format!("\n  brisk find --hidden   (from {file})\n"),
        "\n  brisk find -E 'a b'   (from BRISK_FIND_OPTS)\n".to_owned(),
    ] {
        assert!(told.contains(&part), "{part}: {told}");
    }
    fs::remove_file(configured.file()).unwrap();
    let told = stdout(&configured.run(&["help", "config"]));
    assert!(told.contains(&format!("\n  {file}   (does not exist)\n")), "{told}");
    fs::write(configured.file(), "[find]\noption = []\n").unwrap();
    let output = configured.run(&["help", "config"]);
    assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
    assert!(stderr(&output).contains("unknown field"), "{}", stderr(&output));
}
