//! The header and the page for C. `BRISK_REGENERATE=1 cargo test -p brisk-capi` writes the header anew.

use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(here().join(path)).expect("a file of the repository")
}

#[test]
fn the_header_is_that_of_the_sources() {
    let config = Config::from_file(here().join("cbindgen.toml")).expect("cbindgen.toml");
    let builder = Builder::new().with_src(here().join("src/lib.rs")).with_config(config);
    let mut made = Vec::new();
    builder.generate().expect("a header").write(&mut made);
    let header = here().join("include/brisk.h");
    if std::env::var_os("BRISK_REGENERATE").is_some() {
        fs::write(&header, &made).expect("the header");
    }
    assert_eq!(
        read(header),
        String::from_utf8(made).expect("a text"),
        "see this file's first line"
    );
}

/// The page shows readers the example that the tests compile.
#[test]
fn the_page_has_the_example() {
    let example = read("examples/large.c");
    assert!(example.lines().count() <= 30, "{} lines", example.lines().count());
    assert!(read("../../docs/c.md").contains(&example));
}
