//! Prints what each directory takes, as `du -B1` does: the shortest observer.
//!
//! `cargo run --release --example usage -- PATH…`

use std::io::{self, Write};

use brisk::usage::{HardLinks, Observer, Total, Usage};
use brisk::{Error, Flow, Follow, Order, Shape, Walk};

struct Lines;

impl Observer for Lines {
    #[expect(clippy::disallowed_methods, reason = "an example shows what std has")]
    fn directory(&mut self, total: &Total<'_>) -> Flow {
        let written = writeln!(io::stdout(), "{}\t{}", total.all.allocated, total.path.display());
        if written.is_ok() { Flow::Continue } else { Flow::Stop }
    }

    fn error(&mut self, error: Error) -> Flow {
        eprintln!("{error}");
        Flow::Continue
    }

    fn fork(&self, _: usize) -> Lines {
        Lines
    }

    fn merge(&mut self, _: Lines) {}
}

fn main() {
    let order = Order::Depth(Shape::Post);
    let walk = Walk::over(std::env::args_os().skip(1)).order(order).follow(Follow::Never);
    let (_, report) = Usage { links: HardLinks::FirstMet, ..Usage::new(walk) }.run(Lines);
    eprintln!("{} entries, {}", report.total.entries, report.stats);
}
