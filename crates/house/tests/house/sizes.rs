//! How long functions and files are.
//!
//! A function's lines are those of its body that hold code: no braces of its own, no comment, no
//! blank line. One that is nothing but a list (`vec![…]`, `[…]`), such as a command's flags, is a
//! table: a reader does not follow it row by row, and it may be as long as it needs. A file's lines
//! are all of them except its tests'.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ImplItem, ImplItemFn, Item, ItemFn, Signature, Stmt, TraitItem, TraitItemFn,
};

use crate::modules::Modules;
use crate::sources::{Attributed, Platform, Sources};

/// Lines that 95 of 100 functions keep to.
const USUAL: usize = 22;
/// Lines beyond which a comment must say why.
const LONG: usize = 45;
/// Lines that no function goes beyond.
const MOST: usize = 60;
/// Lines of a file without its tests.
const FILE: usize = 470;
/// What begins the comment that says why a function is long.
const REASON: &str = "// long: ";

struct Function {
    name: String,
    lines: usize,
    has_reason: bool,
}

/// A line for each function that is too long, and one if too many are long.
pub fn functions(sources: &Sources) -> Vec<String> {
    let mut all = Vec::new();
    for (file, items) in items_by_file(sources) {
        let text: Vec<_> = sources.files[&file].lines().collect();
        let mut finder = Finder { file: &file, text, found: &mut all };
        items.iter().for_each(|item| finder.visit_item(item));
    }
    all.sort_by_key(|function| function.lines);
    let mut wrong = Vec::new();
    let usual = all.get((all.len() * 95).div_ceil(100).saturating_sub(1));
    if let Some(Function { lines, .. }) = usual.filter(|function| function.lines > USUAL) {
        wrong.push(format!("95 of 100 functions have up to {lines} lines, not {USUAL}"));
    }
    for Function { name, lines, has_reason } in all.iter().rev() {
        if *lines > MOST {
            wrong.push(format!("{name}: {lines} lines; the most is {MOST}"));
        } else if *lines > LONG && !has_reason {
            wrong.push(format!("{name}: {lines} lines, and no comment `{REASON}…` says why"));
        }
    }
    wrong
}

/// A line for each file that is too long.
pub fn files(sources: &Sources) -> Vec<String> {
    let lines =
        |file: &str| sources.files[file].lines().count() - tests(&sources.parsed(file).items).len();
    let files = items_by_file(sources).into_keys();
    let sizes = files.map(|file| (lines(&file), file)).filter(|(lines, _)| *lines > FILE);
    sizes.map(|(lines, file)| format!("{file}: {lines} lines without tests, not {FILE}")).collect()
}

/// Every file that is compiled outside of tests, with its items.
fn items_by_file(sources: &Sources) -> BTreeMap<String, Vec<Item>> {
    let mut files: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for module in Modules::new(sources, Platform::Any).all {
        files.entry(module.file).or_default().extend(module.items);
    }
    files
}

/// The lines of items that only tests compile.
fn tests(items: &[Item]) -> BTreeSet<usize> {
    let is_test = |item: &&Item| !Platform::Any.compiles(item.attributes());
    let mut lines = BTreeSet::new();
    for item in items.iter().filter(is_test) {
        let mut own = BTreeSet::new();
        hold(item.to_token_stream(), &mut own);
        if let (Some(&first), Some(&last)) = (own.first(), own.last()) {
            lines.extend(first..=last);
        }
    }
    lines
}

/// Adds the lines that hold code.
fn hold(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    for token in tokens {
        match &token {
            TokenTree::Group(group) if is_doc(group) => {}
            TokenTree::Group(group) => {
                lines.insert(group.span_open().start().line);
                lines.insert(group.span_close().end().line);
                hold(group.stream(), lines);
            }
            // An attribute's mark: on a doc comment's line, which counts with what it describes.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {}
            other => lines.extend(other.span().start().line..=other.span().end().line),
        }
    }
}

/// A doc comment's inside: `[doc = "…"]`.
fn is_doc(group: &proc_macro2::Group) -> bool {
    let first = group.stream().into_iter().next();
    let is_word = matches!(first, Some(TokenTree::Ident(name)) if name == "doc");
    group.delimiter() == Delimiter::Bracket && is_word
}

struct Finder<'a> {
    file: &'a str,
    text: Vec<&'a str>,
    found: &'a mut Vec<Function>,
}

/// Whether a body is one list, and nothing else.
fn is_table(body: &Block) -> bool {
    match &body.stmts[..] {
        [Stmt::Expr(Expr::Array(_), None)] => true,
        [Stmt::Expr(Expr::Macro(list), None)] => list.mac.path.is_ident("vec"),
        [Stmt::Macro(list)] => list.mac.path.is_ident("vec"),
        _ => false,
    }
}

impl Finder<'_> {
    fn function(&mut self, signature: &Signature, body: &Block) {
        if is_table(body) {
            return;
        }
        let mut lines = BTreeSet::new();
        body.stmts.iter().for_each(|statement| hold(statement.to_token_stream(), &mut lines));
        let line = signature.ident.span().start().line;
        let has_reason = self.has_reason(line, body.brace_token.span.close().end().line);
        let name = format!("{}:{line} {}", self.file, signature.ident);
        self.found.push(Function { name, lines: lines.len(), has_reason });
    }

    /// Whether a comment in these lines or directly above says why the function is long.
    fn has_reason(&self, first: usize, last: usize) -> bool {
        let is_above = |line: &&&str| line.trim_start().starts_with(['/', '#']);
        let above = self.text[..first - 1].iter().rev().take_while(is_above);
        let reason = |line: &str| {
            line.trim_start().strip_prefix(REASON).is_some_and(|why| !why.trim().is_empty())
        };
        above.chain(&self.text[first - 1..last]).any(|line| reason(line))
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if Platform::Any.compiles(item.attributes()) && !matches!(item, Item::Mod(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if Platform::Any.compiles(item.attributes()) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if Platform::Any.compiles(item.attributes()) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// A function of so many lines among enough short ones.
fn of(above: &str, lines: usize) -> Vec<String> {
    let short = "fn short() {}\n".repeat(40);
    let code = "    // a comment\n\n    code();\n".repeat(lines);
    functions(&Sources::made_up(&[("lib.rs", &format!("{short}{above}fn long() {{\n{code}}}\n"))]))
}

#[test]
fn a_long_function_is_found() {
    assert_eq!(of("", 45), [""; 0]);
    let found = of("", 46);
    assert_eq!(found, ["lib.rs:41 long: 46 lines, and no comment `// long: …` says why"]);
    assert_eq!(of("// long: a table\n#[inline]\n", 60), [""; 0]);
    assert_eq!(of("// long: a table\n\n", 60).len(), 1, "not directly above");
    assert_eq!(of("// long: \n", 60).len(), 1, "no reason");
    assert_eq!(of("// long: a table\n", 61), ["lib.rs:42 long: 61 lines; the most is 60"]);
}

#[test]
fn a_table_is_as_long_as_it_needs() {
    let of = |open: &str, close: &str| {
        let rows = "    row(),\n".repeat(70);
        let short = "fn short() {}\n".repeat(40);
        let text = format!("{short}fn rows() -> Rows {{\n{open}\n{rows}{close}\n}}\n");
        functions(&Sources::made_up(&[("lib.rs", &text)])).len()
    };
    assert_eq!(of("vec![", "]"), 0);
    assert_eq!(of("[", "]"), 0);
    assert_eq!(of("made([", "])"), 1);
    assert_eq!(of("let a = 1; [", "]"), 1);
}

#[test]
fn many_long_functions_are_found() {
    let text = |long: usize| {
        let code = "    code();\n".repeat(23);
        let long = format!("impl A {{ fn long() {{\n{code}}} }}\n").repeat(long);
        format!("struct A;\n{}{long}", "fn short() { a(); }\n".repeat(19))
    };
    assert_eq!(functions(&Sources::made_up(&[("lib.rs", &text(1))])), [""; 0]);
    let found = functions(&Sources::made_up(&[("lib.rs", &text(2))]));
    assert_eq!(found, ["95 of 100 functions have up to 23 lines, not 22"]);
}

#[test]
fn tests_are_no_lines_of_a_file() {
    let code = "fn a() {}\n".repeat(FILE);
    let tests = "#[cfg(test)]\nmod tests {\n    // code\n    fn a() {}\n}\n";
    let with_tests = format!("{code}{tests}");
    assert_eq!(files(&Sources::made_up(&[("lib.rs", &with_tests)])), [""; 0]);
    let more = format!("{with_tests}\n");
    let found = files(&Sources::made_up(&[("lib.rs", &more)]));
    assert_eq!(found, ["lib.rs: 471 lines without tests, not 470"]);
}
