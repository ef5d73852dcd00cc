//! Circles among files: each must be readable without those that build on it.
//!
//! A file points to another if it names an item there, by `use` or by a path in its code. `mod`
//! items and re-exports are no edges; a name taken through a re-export leads to the file that
//! defines it. A method that is called without its type being named is no edge either.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemUse, Macro, Path, Stmt, TraitItem, Visibility};

use crate::modules::{Modules, Target, imports, is_own, is_reexport};
use crate::sources::{Attributed, Sources};

/// Every file's edges: the other file, and one name by which it is reached.
type Edges = BTreeMap<String, BTreeMap<String, String>>;

/// A line for each circle, and for each path into the crate that leads nowhere.
pub fn check(platforms: &[Modules]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for modules in platforms {
        let edges = edges(modules, &mut found);
        found.extend(circles(&edges));
    }
    found
}

/// A line for each import that leads upwards. `rooms` are folders or files at the top, the lowest
/// first; all other files are above them.
pub fn upwards(platforms: &[Modules], rooms: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let room = |file: &str| {
        let top = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
        rooms.iter().position(|room| *room == top).unwrap_or(rooms.len())
    };
    for modules in platforms {
        let edges = edges(modules, &mut BTreeSet::new());
        for (from, names) in &edges {
            let above = names.iter().filter(|(to, _)| room(from) < room(to));
            found.extend(above.map(|(to, by)| format!("{from} -> {to} (by {by})")));
        }
    }
    found
}

fn edges(modules: &Modules, lost: &mut BTreeSet<String>) -> Edges {
    let mut edges = Edges::new();
    for module in 0..modules.all.len() {
        let mut finder = Finder { modules, module, edges: &mut edges, lost };
        modules.all[module].items.iter().for_each(|item| finder.visit_item(item));
    }
    edges
}

struct Finder<'a> {
    modules: &'a Modules,
    module: usize,
    edges: &'a mut Edges,
    lost: &'a mut BTreeSet<String>,
}

impl Finder<'_> {
    fn edge(&mut self, path: &[String], targets: &BTreeSet<Target>) {
        let own = &self.modules.all[self.module].file;
        for file in targets.iter().filter_map(|target| self.modules.file(target)) {
            if file != own {
                let names = self.edges.entry(own.clone()).or_default();
                names.entry(file.to_owned()).or_insert_with(|| path.join("::"));
            }
        }
    }

    /// A path that this file's code names. A single word that is a module's name is more likely a
    /// variable.
    fn named(&mut self, path: &[String]) {
        let mut targets = self.modules.resolve(self.module, path);
        targets.retain(|target| path.len() > 1 || !matches!(target, Target::Module(_)));
        self.edge(path, &targets);
        self.demand(path, &targets);
    }

    /// A path into the crate that cannot be followed would hide an edge.
    fn demand(&mut self, path: &[String], targets: &BTreeSet<Target>) {
        if path.len() > 1 && is_own(path) && targets.is_empty() {
            let file = &self.modules.all[self.module].file;
            self.lost.insert(format!("{file}: {} leads nowhere", path.join("::")));
        }
    }

    fn compiles(&self, part: &impl Attributed) -> bool {
        self.modules.platform.compiles(part.attributes())
    }

    /// Paths of two words or more in what a macro is given, which is no syntax tree.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.end(&mut path);
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if path.len() > 1 {
            let targets = self.modules.resolve(self.module, path);
            self.edge(path, &targets);
        }
        path.clear();
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_item(&mut self, item: &'ast Item) {
        if self.compiles(item) && !matches!(item, Item::Mod(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if self.compiles(item) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if self.compiles(item) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if self.compiles(statement) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for import in imports(&item.tree) {
            let targets = self.modules.resolve(self.module, &import.path);
            self.demand(&import.path, &targets);
            if !is_reexport(&item.vis) {
                self.edge(&import.path, &targets);
            }
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let words: Vec<_> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.named(&words);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(call.tokens.clone());
        visit::visit_macro(self, call);
    }
}

/// The shortest circle through each file, each circle once, in words.
fn circles(edges: &Edges) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for start in edges.keys() {
        let Some(circle) = shortest(edges, start) else { continue };
        if seen.insert(circle.iter().cloned().collect::<BTreeSet<_>>()) {
            found.push(in_words(edges, &circle));
        }
    }
    found
}

/// The files of the shortest circle through `start`, which comes first.
fn shortest(edges: &Edges, start: &str) -> Option<Vec<String>> {
    let mut before = BTreeMap::new();
    let mut waiting = VecDeque::from([start]);
    while let Some(file) = waiting.pop_front() {
        for next in edges.get(file).into_iter().flat_map(BTreeMap::keys) {
            if before.contains_key(next.as_str()) {
                continue;
            }
            before.insert(next.as_str(), file);
            waiting.push_back(next);
        }
    }
    let mut circle = vec![(*before.get(start)?).to_owned()];
    while circle.last().is_some_and(|file| file != start) {
        circle.push(before[circle.last()?.as_str()].to_owned());
    }
    circle.reverse();
    Some(circle)
}

fn in_words(edges: &Edges, circle: &[String]) -> String {
    let mut words = circle[0].clone();
    for (index, from) in circle.iter().enumerate() {
        let to = &circle[(index + 1) % circle.len()];
        words.push_str(&format!(" -> {to} (by {})", edges[from][to]));
    }
    words
}

fn made_up(files: &[(&str, &str)]) -> [Modules; 3] {
    Modules::on_each_platform(&Sources::made_up(files))
}

fn of(files: &[(&str, &str)]) -> Vec<String> {
    check(&made_up(files)).into_iter().collect()
}

#[test]
fn a_circle_is_found_through_reexports() {
    let lib = ("lib.rs", "mod a; mod b; mod c; pub use self::c::C; pub use b::B as Named;");
    let a = ("a.rs", "use crate::Named; fn a(_: Named) {}");
    let b = ("b.rs", "pub struct B(pub crate::C);");
    let deep = ("c/deep.rs", "pub struct C; fn g() { crate::c::f() }");
    let circle = ("c.rs", "mod deep; pub use deep::*; pub fn f(_: C) { super::a::a(); }");
    let found = of(&[lib, a, b, circle, deep]);
    let whole = "a.rs -> b.rs (by crate::Named) -> c/deep.rs (by crate::C) \
                 -> c.rs (by crate::c::f) -> a.rs (by super::a::a)";
    assert_eq!(found, [whole, "c.rs -> c/deep.rs (by C) -> c.rs (by crate::c::f)"]);
}

#[test]
fn an_import_that_leads_upwards_is_found() {
    let lib = ("lib.rs", "mod low; mod high; mod command;");
    let low = ("low/mod.rs", "pub struct L; fn l(_: crate::high::H) {}");
    let high = ("high.rs", "pub struct H; fn h(_: crate::low::L) { crate::command::run() }");
    let command = ("command.rs", "pub fn run() { crate::high::H; }");
    let found = upwards(&made_up(&[lib, low, high, command]), &["low", "high"]);
    let lines = [
        "high.rs -> command.rs (by crate::command::run)",
        "low/mod.rs -> high.rs (by crate::high::H)",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), lines);
}

#[test]
fn modules_reexports_and_tests_are_no_edges() {
    let lib = ("lib.rs", "mod a; pub use a::A; pub struct L;");
    let a = "/// See [`crate::L`]. use crate::L;\npub struct A(crate::L);
        #[cfg(test)] mod tests;";
    assert_eq!(of(&[lib, ("a.rs", a)]), [""; 0]);
    let uses = ("lib.rs", "mod a; use a::A; pub struct L(A);");
    assert_eq!(of(&[uses, ("a.rs", a)]).len(), 1);
    let tests = ("lib.rs", "mod a; #[cfg(test)] use a::A; pub struct L;");
    assert_eq!(of(&[tests, ("a.rs", a)]), [""; 0]);
}

#[test]
fn globs_macros_and_bodies_are_looked_into() {
    let lib = ("lib.rs", "mod a; mod b;");
    let b = ("b.rs", "pub struct B; fn b() { crate::a::a() }");
    for a in [
        "use crate::b::*; pub fn a() {}",
        "pub fn a() { use super::b; }",
        "pub fn a() { assert!(true, \"\", crate::b::B) }",
        "pub fn a<T: Into<crate::b::B>>() {}",
        "thread_local! { static X: super::b::B = 1; } pub fn a() {}",
    ] {
        assert_eq!(of(&[lib, ("a.rs", a), b]).len(), 1, "{a}");
    }
    let lost =
        of(&[lib, ("a.rs", "use crate::b::Missing; use std::io::Missing as _; pub fn a() {}"), b]);
    assert_eq!(lost, ["a.rs: crate::b::Missing leads nowhere"]);
}

#[test]
fn a_circle_stands_on_one_platform() {
    let lib = "mod common; #[cfg(unix)] #[path = \"unix/mod.rs\"] mod native;
        #[cfg(windows)] #[path = \"windows/mod.rs\"] mod native;";
    let common = ("common.rs", "pub struct C; pub fn f() { crate::native::go() }");
    let unix = ("unix/mod.rs", "pub fn go() {}");
    let windows = ("windows/mod.rs", "mod open; pub use open::go;");
    let open = ("windows/open.rs", "pub fn go() { crate::common::f() }");
    let found = of(&[("lib.rs", lib), common, unix, windows, open]);
    let circle = "common.rs -> windows/open.rs (by crate::native::go) \
                  -> common.rs (by crate::common::f)";
    assert_eq!(found, [circle]);
    let clean = ("windows/open.rs", "pub fn go() {}");
    assert_eq!(of(&[("lib.rs", lib), common, unix, windows, clean]), [""; 0]);
}
