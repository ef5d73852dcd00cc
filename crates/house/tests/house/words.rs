//! One word, one meaning: no name of a type has three meanings over all crates.

use std::collections::BTreeMap;

use syn::Item;
use syn::visit::{self, Visit};

use crate::sources::Sources;

/// The definitions of a name from which on it needs a line in [`SHARED`].
const MANY: usize = 3;

/// Names that are defined [`MANY`] times or more with one or two meanings, and the meanings.
const SHARED: &[(&str, &str)] = &[
    ("Change", "what is to be changed (brisk); what a rescan found, also in Python and C"),
    ("Dir", "an open directory, on each platform"),
    ("Events", "a queue of events of directories, on each platform"),
    ("Flag", "a flag of a command's options"),
    ("Journal", "the records of rm --background; what is done of a data set, also in Python"),
    ("Observer", "what follows a count, a change or a removal while it runs"),
    ("Options", "what a command's line says; which ignore rules apply"),
    ("OrderedKind", "the kind of an ordered walk, by a shorter name"),
    ("Plan", "which requests an entry costs; what all workers of a command share"),
    ("Reading", "a directory that is partly read: by a walk; on each platform"),
    ("Report", "what a count, change, removal or rescan did; a finished measurement"),
    ("Root", "where a walk, a removal, a rescan or a comparison begins"),
    ("Row", "a row of a table; a line of du"),
    ("Scratch", "memory that a worker uses again; the directory that bench works in"),
    ("Waker", "what ends a wait from another thread, on each platform"),
];

/// A line for each name with many definitions and no line in `shared`, and for each line that no
/// name needs any more.
pub fn check(crates: &[(String, Sources)], shared: &[(&str, &str)]) -> Vec<String> {
    let mut found = Finder::default();
    for (name, sources) in crates {
        for (path, text) in &sources.files {
            found.file = format!("{name}/{path}");
            let file = syn::parse_file(text).unwrap_or_else(|why| panic!("{}: {why}", found.file));
            found.visit_file(&file);
        }
    }
    found.types.retain(|_, files| files.len() >= MANY);
    let stale = shared.iter().filter(|(name, _)| !found.types.contains_key(*name));
    let stale: Vec<_> = stale.map(|(name, _)| format!("{name} needs no line")).collect();
    let listed = |name: &str| shared.iter().any(|(other, _)| *other == name);
    let new = found.types.iter().filter(|(name, _)| !listed(name));
    new.map(|(name, files)| format!("{name}: {}", files.join(", "))).chain(stale).collect()
}

/// Where each name of a type is defined, tests' own types included.
#[derive(Default)]
struct Finder {
    file: String,
    types: BTreeMap<String, Vec<String>>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        if let Some(name) = name {
            self.types.entry(name.to_string()).or_default().push(self.file.clone());
        }
        visit::visit_item(self, item);
    }
}

/// Every type of every crate.
#[test]
fn no_type_name_has_three_meanings() {
    let crates = std::fs::read_dir(crate::sources::top().join("crates")).expect("the crates");
    let names = crates.map(|entry| entry.expect("an entry").file_name().into_string());
    let names = names.map(|name| name.expect("UTF-8")).filter(|name| name != "house");
    let crates: Vec<_> = names
        .map(|name| {
            (name.clone(), Sources::of_folder(&crate::top().join("crates").join(&name).join("src")))
        })
        .collect();
    crate::hold(check(&crates, SHARED));
}

#[test]
fn a_name_with_three_definitions_is_found() {
    let one = "struct A; trait B { type A; } mod m { enum A {} } fn f() { type B = A; }";
    let other = "impl B for A { type A = (); } union B { a: u8 } struct A;";
    let crates = |shared: &[(&str, &str)]| {
        let one = ("one".to_owned(), Sources::made_up(&[("lib.rs", one)]));
        let other = ("other".to_owned(), Sources::made_up(&[("a.rs", other)]));
        check(&[one, other], shared)
    };
    let a = "A: one/lib.rs, one/lib.rs, other/a.rs";
    let b = "B: one/lib.rs, one/lib.rs, other/a.rs";
    assert_eq!(crates(&[]), [a, b]);
    assert_eq!(crates(&[("A", "one idea"), ("C", "gone")]), [b, "C needs no line"]);
}
