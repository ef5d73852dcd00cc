//! The way from a buffer to a line, as ARCHITECTURE.md has it: few files, few types, and each is there.

use std::fs;

use crate::top;

/// The most files that are passed, and the most types to know.
const MOST: [usize; 2] = [10, 16];

/// The texts between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// What is wrong with the rows of the table: a path, a function, a sentence and types each.
fn check(table: &str, read: impl Fn(&str) -> Option<String>) -> Vec<String> {
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
        let defines = |word: &str| {
            ["struct", "enum", "trait"].iter().any(|kind| text.contains(&format!("{kind} {word}")))
        };
        let listed = quoted(listed);
        types += listed.len();
        let lacks = listed.into_iter().filter(|word| !defines(word));
        wrong.extend(lacks.map(|word| format!("{file}: no type {word}")));
    }
    for (count, most, what) in [(rows.len(), MOST[0], "files"), (types, MOST[1], "types")] {
        if count > most {
            wrong.push(format!("{count} {what}, not {most}"));
        }
    }
    wrong
}

#[test]
fn from_a_buffer_to_a_line_few_files_are_passed() {
    let text = fs::read_to_string(top().join("ARCHITECTURE.md")).expect("the map");
    let (_, section) = text.split_once("## From a buffer to a line").expect("the section");
    let (_, rows) = section.split_once("|---|---|---|---|\n").expect("its table");
    let (rows, _) = rows.split_once("\n\n").expect("its end");
    assert!(rows.lines().count() > 5);
    crate::hold(check(rows, |file| fs::read_to_string(top().join(file)).ok()));
}

#[test]
fn what_is_not_there_is_found() {
    let row = "| `a.rs` | `go` | | `A`, `B` |";
    let file = |_: &str| Some("struct A; fn go() {}".to_owned());
    assert_eq!(check(row, file), ["a.rs: no type B"]);
    assert_eq!(check(row, |_| None).len(), 3);
    let many = [row; 11].join("\n");
    let wrong = check(&many, |_| Some("struct A; enum B {} fn go() {}".to_owned()));
    assert_eq!(wrong, ["11 files, not 10", "22 types, not 16"]);
}
