//! Prints every path below a directory: the shortest parallel visitor that does something useful.
//!
//! `cargo run --release --example list -- DIR [unordered|depth|breadth|sorted] [THREADS]`

use std::io::{self, Write};

use brisk::{Enter, Entry, Error, Flow, Order, Visitor, Walk};

#[derive(Default)]
struct List {
    lines: Vec<u8>,
}

impl Visitor for List {
    type State = ();

    fn top(&self) {}

    fn fork(&self) -> List {
        List::default()
    }

    fn merge(&mut self, mut other: List) {
        let _ = other.write();
    }

    fn enter(&mut self, _directory: &Entry<'_>, (): &()) -> Enter<()> {
        Enter::Read(())
    }

    fn entries(&mut self, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            entry.path_into(&mut self.lines);
            if entry.file_type().is_dir() {
                self.lines.push(b'/');
            }
            self.lines.push(b'\n');
        }
        if self.lines.len() > 60_000 { self.write() } else { Flow::Continue }
    }

    fn error(&mut self, error: Error) -> Flow {
        eprintln!("{error}");
        Flow::Continue
    }
}

impl List {
    #[expect(clippy::disallowed_methods, reason = "an example shows what std has")]
    fn write(&mut self) -> Flow {
        let result = io::stdout().lock().write_all(&self.lines);
        self.lines.clear();
        if result.is_ok() { Flow::Continue } else { Flow::Stop }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".into());
    let order = match arguments.next().as_deref() {
        Some("depth") => Order::Depth,
        Some("breadth") => Order::Breadth,
        Some("sorted") => Order::Sorted,
        _ => Order::Unordered,
    };
    let threads = arguments.next().and_then(|number| number.parse().ok());
    let walk = Walk::new(root).min_depth(1).order(order).threads(threads);
    let (mut list, stats) = walk.visit_parallel(List::default());
    let _ = list.write();
    eprintln!("{stats}");
}
