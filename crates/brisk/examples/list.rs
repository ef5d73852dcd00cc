//! Prints every path below a directory: the shortest parallel visitor that does something useful.
//!
//! `cargo run --release --example list -- DIR [unordered|depth|breadth|sorted] [THREADS]`

use std::io::{self, Write};

use brisk::{Directory, Entry, Error, Flow, Order, Parallel, Shape, Visitor, Walk};

#[derive(Default)]
struct List {
    lines: Vec<u8>,
}

impl Visitor for List {
    type State = ();

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
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

impl Parallel for List {
    fn fork(&self, _: usize) -> List {
        List::default()
    }

    fn merge(&mut self, mut other: List) {
        let _ = other.write();
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
        Some("depth") => Order::Depth(Shape::Pre),
        Some("breadth") => Order::Breadth,
        Some("sorted") => Order::Sorted(Shape::Pre),
        _ => Order::Unordered,
    };
    let threads = arguments.next().and_then(|number| number.parse().ok());
    let walk = Walk::new(root).min_depth(1).order(order).threads(threads);
    let (mut list, stats) = walk.visit_parallel(List::default());
    let _ = list.write();
    eprintln!("{stats}");
}
