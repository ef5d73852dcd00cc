//! The glossary in ARCHITECTURE.md: short, and its words are the code's.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Field, ImplItemFn, Item, TraitItemFn, Variant};

use crate::modules::{Modules, defined};
use crate::sources::{Platform, Sources};

const HEADING: &str = "## Glossary";
/// Lines of the section, its heading aside.
const LINES: usize = 40;

/// A line for each term that the code does not have, and one if the section is missing or too long.
pub fn check(text: &str, crates: &[Sources]) -> Vec<String> {
    let Some(section) = section(text) else { return vec![format!("there is no {HEADING}")] };
    let mut wrong = Vec::new();
    if section.len() > LINES {
        wrong.push(format!("the glossary has {} lines, not {LINES}", section.len()));
    }
    let terms: Vec<_> = section.iter().filter_map(|line| term(line)).collect();
    if terms.is_empty() {
        wrong.push("the glossary has no term".to_owned());
    }
    let known: BTreeSet<_> = crates.iter().flat_map(names).collect();
    let unknown = terms.into_iter().filter(|term| !known.contains(*term));
    wrong.extend(unknown.map(|term| format!("{term} is in the glossary, and no name of the code")));
    wrong
}

/// The lines between the heading and the next one, without blank ones at the end.
fn section(text: &str) -> Option<Vec<&str>> {
    let mut lines = text.lines().skip_while(|line| *line != HEADING);
    lines.next()?;
    let mut section: Vec<_> = lines.take_while(|line| !line.starts_with("## ")).collect();
    while section.last().is_some_and(|line| line.trim().is_empty()) {
        section.pop();
    }
    Some(section)
}

/// What a row of a table or an item of a list begins with, in backticks.
fn term(line: &str) -> Option<&str> {
    let row = line.trim_start().strip_prefix(['|', '-', '*'])?;
    row.trim_start().strip_prefix('`')?.split('`').next()
}

/// Types, traits, functions, fields, variants and modules, tests' aside.
fn names(sources: &Sources) -> BTreeSet<String> {
    let modules = Modules::new(sources, Platform::Any);
    let mut finder = Finder(BTreeSet::new());
    for item in modules.all.iter().flat_map(|module| &module.items) {
        finder.visit_item(item);
    }
    finder.0
}

struct Finder(BTreeSet<String>);

impl<'ast> Visit<'ast> for Finder {
    fn visit_item(&mut self, item: &'ast Item) {
        self.0.extend(defined(item));
        match item {
            Item::Mod(module) => _ = self.0.insert(module.ident.to_string()),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_impl_item_fn(&mut self, method: &'ast ImplItemFn) {
        self.0.insert(method.sig.ident.to_string());
    }

    fn visit_trait_item_fn(&mut self, method: &'ast TraitItemFn) {
        self.0.insert(method.sig.ident.to_string());
    }

    fn visit_field(&mut self, field: &'ast Field) {
        self.0.extend(field.ident.as_ref().map(ToString::to_string));
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        self.0.insert(variant.ident.to_string());
        visit::visit_variant(self, variant);
    }
}

/// What is wrong with a glossary of these lines.
fn of(lines: &str) -> Vec<String> {
    let lib = "mod room; pub struct Node { parent: u8 } pub enum Flow { Stop { now: u8 } }
        impl Node { fn enter(&self) { let hidden = 1; } } trait Visitor { fn leave(); }
        bitflags! { struct Fields: u8 {} }";
    let sources = Sources::made_up(&[("lib.rs", lib), ("room.rs", "#[cfg(test)] fn test() {}")]);
    let text = format!("# A\n## Glossary\n{lines}\n\n## Next\n- `missing`");
    check(&text, &[sources])
}

#[test]
fn words_that_the_code_does_not_have_are_found() {
    let good = ["Node", "parent", "Stop", "now", "enter", "Visitor", "leave", "Fields", "room"];
    for word in good {
        assert_eq!(of(&format!("| term | what |\n|---|---|\n| `{word}` | a `b` |")), [""; 0]);
    }
    for word in ["hidden", "test", "nod", "Node::enter"] {
        let found = of(&format!("Words.\n- `Node`: one\n- `{word}`: another"));
        assert_eq!(found, [format!("{word} is in the glossary, and no name of the code")]);
    }
}

#[test]
fn a_glossary_is_there_and_short() {
    assert_eq!(of(&"- `Node`\n".repeat(40)), [""; 0]);
    assert_eq!(of(&"- `Node`\n".repeat(41)), ["the glossary has 41 lines, not 40"]);
    assert_eq!(of(""), ["the glossary has no term"]);
    assert_eq!(check("# A\n", &[]), ["there is no ## Glossary"]);
}
