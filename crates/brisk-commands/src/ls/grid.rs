//! Names in columns: how many columns fit, and the space between them.

use super::flags::Format;

/// The least width of a column, in columns of the screen: one letter and two spaces.
const NARROWEST: usize = 3;

/// Columns of names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// The most names in a line.
    pub(crate) columns: usize,
    /// The width of each column, with the space after it.
    pub(crate) widths: Vec<usize>,
    pub(crate) rows: usize,
}

impl Grid {
    /// The most columns in which names of these widths fit into a line of `line` columns (0: no
    /// limit), sorted across or down.
    ///
    /// Numbers of columns are tried from many to few. Each try is one pass over the names, which
    /// ends where the line becomes too long. With many columns that is soon, so the whole is linear
    /// in practice. GNU keeps all numbers of columns at once instead: that takes names times
    /// columns steps, and memory for the square of the columns.
    pub(crate) fn new(widths: &[usize], line: usize, format: Format) -> Grid {
        let most = if line == 0 { widths.len() } else { line.div_ceil(NARROWEST) };
        let mut columns = most.min(widths.len()).max(1);
        let mut room = vec![0; columns];
        while columns > 1 && !fits(widths, columns, line, format, &mut room) {
            columns -= 1;
        }
        if columns == 1 {
            room.truncate(1);
            room[0] = widths.iter().copied().max().unwrap_or(0).max(NARROWEST);
        }
        room.truncate(columns);
        Grid { columns, rows: widths.len().div_ceil(columns), widths: room }
    }
}

/// Whether the names fit in this number of columns; `room` then holds the width of each. Where
/// every name has the least width, nothing is checked, as in GNU ls: such a line may be full to its
/// end.
fn fits(widths: &[usize], columns: usize, line: usize, format: Format, room: &mut [usize]) -> bool {
    let room = &mut room[..columns];
    room.fill(NARROWEST);
    let mut length = NARROWEST * columns;
    let rows = widths.len().div_ceil(columns);
    let mut at = 0;
    let mut column = 0;
    for (index, width) in widths.iter().enumerate() {
        if format == Format::Across {
            column = index % columns;
        } else if index == at + rows {
            at = index;
            column += 1;
        }
        // No space follows the last column.
        let needed = width + if column == columns - 1 { 0 } else { 2 };
        if needed > room[column] {
            length += needed - room[column];
            room[column] = needed;
            if line > 0 && length >= line {
                return false;
            }
        }
    }
    true
}

/// Appends the space from one column of the line to another: tabs as far as they go, then spaces.
pub(crate) fn indent(mut from: usize, to: usize, tab: usize, out: &mut Vec<u8>) {
    while from < to {
        if tab != 0 && to / tab > (from + 1) / tab {
            out.push(b'\t');
            from += tab - from % tab;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_columns_as_fit() {
        let grid = Grid::new(&[1, 1, 1, 1], 80, Format::Columns);
        assert_eq!((grid.columns, grid.rows, &grid.widths[..]), (4, 1, &[3, 3, 3, 3][..]));
        let grid = Grid::new(&[10, 1, 1, 10], 20, Format::Columns);
        assert_eq!((grid.columns, grid.rows), (1, 4));
        let grid = Grid::new(&[6, 1, 1, 6], 20, Format::Columns);
        assert_eq!((grid.columns, grid.rows, &grid.widths[..]), (3, 2, &[8, 8, 3][..]));
        let grid = Grid::new(&[6, 1, 6, 1], 20, Format::Across);
        assert_eq!((grid.columns, grid.rows, &grid.widths[..]), (3, 2, &[8, 3, 6][..]));
        assert_eq!(Grid::new(&[50], 0, Format::Across).columns, 1);
    }

    #[test]
    fn gaps_are_tabs_and_spaces() {
        let gap = |from, to, tab| {
            let mut out = Vec::new();
            indent(from, to, tab, &mut out);
            String::from_utf8(out).expect("ASCII")
        };
        assert_eq!(gap(3, 5, 8), "  ");
        assert_eq!(gap(3, 8, 8), "\t");
        assert_eq!(gap(7, 8, 8), " ");
        assert_eq!(gap(3, 18, 8), "\t\t  ");
        assert_eq!(gap(3, 8, 0), "     ");
    }
}
