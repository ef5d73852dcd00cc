//! Every command in the documents runs, and prints what the document shows.
//!
//! A `sh` block is a script that must succeed. A `console` block has a command behind each `$ `,
//! and below it what the command prints; `…` stands for any text. Each block runs in a new copy of
//! the project that README.md shows, with a scratch directory as its home. What cannot run there
//! (installing, the whole test suite) has the mark `not-run`.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use testkit::{brisk, has_tables, left_out, stderr, stdout};

/// The most blocks that may have the mark `not-run`: those of the README, of performance.md and of
/// accounts.md.
const MAX_NOT_RUN: usize = 4;

/// 2024-05-01 12:00 UTC, which the documents call old.
const OLD: Duration = Duration::from_secs(1_714_564_800);

/// Makes what the examples of brisk diff compare.
const COMPARED: &str = "brisk changed src --state old.state --save old.state
cp old.state new.state
cp -a src copy";

/// Programs that blocks use and that a machine may lack.
const OPTIONAL: [&str; 3] = ["jq", "make", "ninja"];

/// A fenced block of a document.
struct Block {
    /// `docs/find.md:12`.
    place: String,
    /// What stands behind the fence: `sh`, `console`, `sh not-run`.
    info: String,
    text: String,
}

fn top() -> PathBuf {
    fs::canonicalize(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

/// The documents that users read, by their paths in the repository.
fn documents() -> Vec<String> {
    let mut found = vec!["README.md".to_owned(), "crates/brisk/README.md".to_owned()];
    for folder in [".", "docs"] {
        for entry in fs::read_dir(top().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = Path::new(folder).join(&name).to_string_lossy().replace("./", "");
            if name.ends_with(".md") && !found.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

/// The fenced blocks of a document.
fn blocks(document: &str) -> Vec<Block> {
    let text = fs::read_to_string(top().join(document)).unwrap();
    let mut found: Vec<Block> = Vec::new();
    let mut is_inside = false;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), is_inside) {
            (Some(info), false) => {
                let place = format!("{document}:{}", index + 2);
                found.push(Block { place, info: info.to_owned(), text: String::new() });
                is_inside = true;
            }
            (Some(_), true) => is_inside = false,
            (None, true) => {
                let block = found.last_mut().unwrap();
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, false) => {}
        }
    }
    found
}

/// The project that README.md shows, below a home directory of its own, removed with this value.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(testkit::scratch());
        let top = project.path();
        for directory in [".git", "logs", "src/net", "target/debug"] {
            fs::create_dir_all(top.join(directory)).unwrap();
        }
        for (name, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".gitignore", "/target/\n"),
            ("Cargo.toml", "[package]\nname = \"app\"\n"),
            ("README.md", "# App\n"),
            // A tmpfs lists the last one first.
            ("src/main.rs", "fn main() {}\n"),
            ("src/lib.rs", "pub mod net;\n"),
            ("src/net/tcp.rs", "//! Sockets.\n"),
        ] {
            fs::write(top.join(name), text).unwrap();
        }
        let sized = |name: &str, size: u64| {
            let file = fs::File::create(top.join(name)).unwrap();
            file.set_len(size).unwrap();
            file
        };
        sized("logs/server.log", 12 << 20);
        let old = SystemTime::UNIX_EPOCH + OLD;
        sized("logs/old.log", 2 << 10).set_modified(old).unwrap();
        let app = sized("target/debug/app", 25 << 20);
        app.set_permissions(PermissionsExt::from_mode(0o755)).unwrap();
        let programs = project.0.path().join("programs");
        fs::create_dir(&programs).unwrap();
        symlink(brisk(), programs.join("brisk")).unwrap();
        project
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("project")
    }

    /// Runs a script in the project. Building brisk is what cargo did for this test.
    fn run(&self, script: &str) -> Output {
        let script = script.replace("cargo run --release --", "brisk");
        let programs = self.0.path().join("programs").display().to_string();
        Command::new("sh")
            .args(["-euc", &script])
            .current_dir(self.path())
            .env_clear()
            .env("TMPDIR", std::env::temp_dir())
            .env("PATH", format!("{programs}:/usr/sbin:/usr/bin:/sbin:/bin"))
            .env("HOME", self.0.path())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }
}

/// Whether a text is the shown one, in which `…` stands for any text.
fn is_as_shown(told: &str, shown: &str) -> bool {
    let Some((start, shown)) = shown.split_once('…') else { return told == shown };
    let Some(told) = told.strip_prefix(start) else { return false };
    (0..=told.len()).any(|at| told.get(at..).is_some_and(|told| is_as_shown(told, shown)))
}

/// The commands of a `console` block, each with the lines that it prints.
fn commands(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => found.push((command, Vec::new())),
            None => found.last_mut().expect("a command above its output").1.push(line),
        }
    }
    found
}

/// Why a block does not do what its document says.
fn fault(block: &Block) -> Option<String> {
    let project = Project::new();
    if block.info == "sh" {
        let output = project.run(&block.text);
        return (!output.status.success())
            .then(|| format!("{}: {}\n{}", block.place, output.status, stderr(&output)));
    }
    commands(&block.text).into_iter().find_map(|(command, mut shown)| {
        let output = project.run(&format!("exec 2>&1; set +e; {command}"));
        let told = stdout(&output);
        let mut lines: Vec<&str> = told.lines().collect();
        // A search that the machine delays prints results as they are found.
        if command.starts_with("brisk find") && !command.contains("--order") {
            lines.sort_unstable();
            shown.sort_unstable();
        }
        let is_right = output.status.success() && is_as_shown(&lines.join("\n"), &shown.join("\n"));
        let place = &block.place;
        (!is_right).then(|| format!("{place}: $ {command}\n{}; it prints\n{told}", output.status))
    })
}

/// Whether commands write or read a table.
fn needs_tables(commands: &str) -> bool {
    commands.contains("brisk scan") || commands.contains(".parquet")
}

/// Whether a program is installed.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

#[test]
fn every_command_of_every_document_runs() {
    let missing: Vec<&str> =
        OPTIONAL.into_iter().filter(|program| !is_installed(program)).collect();
    let mut faults = Vec::new();
    let mut runs = 0;
    for block in documents().iter().flat_map(|document| blocks(document)) {
        if let Some(program) = missing.iter().find(|program| block.text.contains(**program)) {
            left_out(&block.place, &format!("there is no {program}"));
        } else if ["sh", "console"].contains(&block.info.as_str())
            && (!needs_tables(&block.text) || has_tables(&block.place))
        {
            runs += 1;
            faults.extend(fault(&block));
        }
    }
    assert!(runs >= 15, "only {runs} blocks were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The command lines under EXAMPLES in the published man pages, without roff's escapes.
fn examples() -> Vec<(String, String)> {
    let folder = top().join("crates/brisk-commands/goldens");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "1") {
            let text = fs::read_to_string(&path).unwrap();
            let commands = text.split("\n.EX\n").skip(1).filter_map(|rest| rest.split('\n').next());
            let page = path.file_name().unwrap().to_string_lossy().into_owned();
            found.extend(commands.map(|line| {
                let plain = line.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\");
                (page.clone(), plain)
            }));
        }
    }
    found
}

#[test]
fn every_example_of_the_man_pages_runs() {
    let examples = examples();
    assert!(examples.len() >= 15, "only {} examples were found", examples.len());
    for (page, command) in examples {
        if needs_tables(&command) && !has_tables(&page) {
            continue;
        }
        let project = Project::new();
        if page == "brisk-diff.1" {
            let scan = if needs_tables(&command) { "brisk scan -o files.parquet src" } else { "" };
            let made = project.run(&format!("{COMPARED}\n{scan}"));
            assert!(made.status.success(), "{}", stderr(&made));
        }
        let output = project.run(&command);
        let told = stderr(&output);
        assert!(output.status.success(), "{page}: {command}: {}\n{told}", output.status);
    }
}

/// What a fence says is known: a block with another mark would never run.
#[test]
fn every_block_runs_or_says_that_it_does_not() {
    let blocks: Vec<Block> = documents().iter().flat_map(|document| blocks(document)).collect();
    for block in &blocks {
        // The test `scan` runs queries, and the tests of the bindings run their languages.
        let known = [
            "sh",
            "console",
            "sh not-run",
            "rust",
            "toml",
            "text",
            "sql",
            "python",
            "js",
            "c",
            "lisp",
        ];
        assert!(known.contains(&block.info.as_str()), "{}: '{}'", block.place, block.info);
    }
    let not_run: Vec<&Block> = blocks.iter().filter(|block| block.info == "sh not-run").collect();
    assert!(not_run.len() <= MAX_NOT_RUN, "{} blocks are not run", not_run.len());
    for block in not_run {
        // What a build makes is not in the repository, and neither are downloads. scripts/package
        // compares those with what it makes.
        let is_here = |word: &&str| word.contains('/') && !word.contains("://");
        let is_made = |word: &str| {
            ["./", "brisk-*/", "target/"].iter().any(|folder| word.starts_with(folder))
        };
        let words = block.text.split_whitespace().filter(is_here);
        for word in words.filter(|word| !is_made(word)) {
            assert!(top().join(word).exists(), "{}: there is no {word}", block.place);
        }
    }
}

#[test]
fn every_link_leads_to_a_file() {
    let mut links = 0;
    for document in documents() {
        let text = fs::read_to_string(top().join(&document)).unwrap();
        let folder = top().join(&document).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.contains("://") {
                links += 1;
                assert!(folder.join(link).exists(), "{document}: {link}");
            }
        }
    }
    assert!(links > 20, "only {links} links were found");
}

/// docs/performance.md, the table of speed in README.md and the tables in bench/README.md are made from
/// bench/record.jsonl.
#[test]
fn figures_are_those_of_the_record() {
    if !is_installed("python3") {
        return left_out("figures_are_those_of_the_record", "there is no python3");
    }
    let words = ["bench/bench.py", "--pages", "--check"];
    let told = Command::new("python3").args(words).current_dir(top()).output().unwrap();
    assert!(told.status.success(), "{}", stderr(&told));
}
