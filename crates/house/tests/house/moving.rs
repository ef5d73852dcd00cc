//! The library's README has a table for those who come from other crates. What the table says of
//! brisk is in the program below it, which runs as a test.

/// A line for each piece of code in the table's last column that the program lacks.
pub fn check(readme: &str) -> Vec<String> {
    let (table, program) = readme.split_once("The rows as a program:").unwrap_or((readme, ""));
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = rows.filter_map(|row| row.rsplit(" | ").next());
    let pieces = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let missing = pieces.filter(|piece| !program.contains(piece));
    missing.map(|piece| format!("no test of the table's {piece}")).collect()
}

#[test]
fn a_row_that_the_program_lacks_is_found() {
    let readme = "| a | `X::new()` | `Y::new(p)`, `.z()` |\n\
                  The rows as a program:\n\
                  Y::new(p).filter(f)";
    assert_eq!(check(readme), ["no test of the table's .z()"]);
}
