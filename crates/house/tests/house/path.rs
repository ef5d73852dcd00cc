//! The ways through the code, as the tables in ARCHITECTURE.md have them: each file and function
//! is there (and each type, which a test of brisk-cli checks). From a buffer to a line there are
//! few files, and few types.

use std::fs;

use crate::top;

/// The line below the head of each table.
const HEAD: &str = "|---|---|---|---|\n";

/// From a buffer to a line: the most files that are passed, and the most types to know.
const MOST: [usize; 2] = [10, 16];

/// The texts between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with the rows of the table: a path, a function, a sentence and types each.
fn check(table: &str, most: [usize; 2], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let rows: Vec<Vec<&str>> = table.lines().map(|row| row.split('|').collect()).collect();
    let mut wrong = Vec::new();
    let mut types = 0;
    for row in &rows {
        let [_, file, function, _, listed, _] = row[..] else {
            wrong.push(format!("{row:?}: no row of four cells"));
            continue;
        };
        let file = quoted(file).concat();
        let text = read(&file).unwrap_or_default();
        let has = |word: &str| text.contains(&format!("fn {word}"));
        let lacks = quoted(function).into_iter().filter(|word| !has(word));
        wrong.extend(lacks.map(|word| format!("{file}: no function {word}")));
        types += quoted(listed).len();
    }
    for (count, most, what) in [(rows.len(), most[0], "files"), (types, most[1], "types")] {
        if count > most {
            wrong.push(format!("{count} {what}, not {most}"));
        }
    }
    wrong
}

fn map() -> String {
    fs::read_to_string(top().join("ARCHITECTURE.md")).expect("the map")
}

/// The rows of the tables in a text.
fn tables(text: &str) -> impl Iterator<Item = &str> {
    text.split(HEAD).skip(1).filter_map(|rest| Some(rest.split_once("\n\n")?.0))
}

#[test]
fn from_a_buffer_to_a_line_few_files_are_passed() {
    let text = map();
    let (_, section) = text.split_once("## From a buffer to a line").expect("the section");
    let rows = tables(section).next().expect("its table");
    assert!(rows.lines().count() > 5);
    crate::hold(check(rows, MOST, |file| fs::read_to_string(top().join(file)).ok()));
}

#[test]
fn each_file_and_function_of_the_tables_is_there() {
    let text = map();
    let read = |file: &str| fs::read_to_string(top().join(file)).ok();
    assert!(tables(&text).count() >= 4);
    let wrong = tables(&text).flat_map(|rows| check(rows, [usize::MAX; 2], read));
    crate::hold(wrong);
}

#[test]
fn what_is_not_there_is_found() {
    let row = "| `a.rs` | `go` | | `A`, `B` |";
    let file = |_: &str| Some("fn go() {}".to_owned());
    assert_eq!(check(row, MOST, file), [""; 0]);
    assert_eq!(check(row, MOST, |_| None), ["a.rs: no function go"]);
    let many = [row; 11].join("\n");
    let wrong = check(&many, MOST, file);
    assert_eq!(wrong, ["11 files, not 10", "22 types, not 16"]);
}
