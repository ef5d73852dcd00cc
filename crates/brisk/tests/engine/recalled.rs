//! Directories whose entries the visitor remembers: they are asked about, and not listed.

use std::fs;

use brisk::{
    Directory, Enter, Entry, Error, Fields, FileType, Flow, Order, Parallel, Recalled, Select,
    Shape, Visitor, Walk,
};

/// Remembers the entries of each directory named `known`.
#[derive(Default)]
struct Remembers {
    /// The entries that it remembers.
    names: &'static [&'static str],
    found: Vec<String>,
}

impl Visitor for Remembers {
    type State = ();

    fn enter(&mut self, entry: &Entry<'_>, (): &()) -> Enter<()> {
        if entry.name() != b"known" {
            return Enter::Read(());
        }
        let mut entries = Recalled::of(entry.ino(), self.names.len());
        for name in self.names {
            let is_dir = name.starts_with("dir");
            let file_type = if is_dir { FileType::Directory } else { FileType::File };
            assert!(entries.push(7, file_type, name.as_bytes()));
        }
        Enter::Recall((), entries)
    }

    fn select(&mut self, (): &(), _: &Entry<'_>) -> Select {
        Select::Take(Fields::SIZE)
    }

    fn entries(&mut self, _: &Directory<'_>, (): &(), entries: &[Entry<'_>]) -> Flow {
        for entry in entries {
            let size = entry.meta().and_then(|meta| meta.size()).filter(|_| entry.depth() > 0);
            let size = size.filter(|_| !entry.file_type().is_dir());
            let path = entry.path();
            let name = path.strip_prefix(std::env::temp_dir()).unwrap_or(&path);
            let below: Vec<_> = name.iter().skip(1).map(|part| part.to_string_lossy()).collect();
            self.found.push(format!("{} {}", below.join("/"), size.unwrap_or(0)));
        }
        Flow::Continue
    }

    fn error(&mut self, error: Error) -> Flow {
        self.found.push(error.to_string());
        Flow::Continue
    }
}

impl Parallel for Remembers {
    fn fork(&self, _: usize) -> Self {
        Remembers { names: self.names, ..Remembers::default() }
    }

    fn merge(&mut self, other: Self) {
        self.found.extend(other.found);
    }
}

#[test]
fn what_a_visitor_remembers_is_asked_about_and_not_listed() {
    let scratch = tempfile::tempdir().expect("a scratch directory");
    let known = scratch.path().join("known");
    fs::create_dir_all(known.join("dir/below")).expect("directories");
    fs::write(known.join("one"), "1").expect("a file");
    fs::write(known.join("forgotten"), "").expect("a file");
    fs::write(known.join("dir/below/two"), "22").expect("a file");
    let names: &[&str] = &["dir", "gone", "one"];
    let expected = [" 0", "known 0", "known/dir 0", "known/dir/below 0", "known/dir/below/two 2"];
    for order in [Order::Unordered, Order::Breadth, Order::Sorted(Shape::Pre)] {
        let walk = || Walk::new(scratch.path()).order(order);
        for is_parallel in [false, true] {
            let remembers = Remembers { names, ..Remembers::default() };
            let (mut found, stats) = match (is_parallel, order) {
                (true, Order::Unordered | Order::Breadth) => walk().visit_parallel(remembers),
                _ => walk().visit(remembers),
            };
            found.found.sort();
            let all = [&expected[..], &["known/one 1"]].concat();
            assert_eq!(found.found, all, "{order:?}");
            // The root, dir and dir/below.
            assert_eq!(stats.calls.open, 4);
            #[cfg(target_os = "linux")]
            assert!(stats.calls.read <= 6, "{stats}");
        }
    }
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let mut entries = Recalled::of(1, 0);
    for name in [&b""[..], b".", b"..", b"a/b", b"/", b"a\0b", &[b'x'; 1 << 16]] {
        assert!(!entries.push(2, FileType::File, name), "{}", name.escape_ascii());
    }
    assert!((0..10_000).all(|at: u32| entries.push(3, FileType::File, at.to_string().as_bytes())));
}
