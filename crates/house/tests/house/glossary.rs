//! The glossary in ARCHITECTURE.md: short, and its words are the code's.

use std::collections::BTreeSet;

use syn::visit::{self, Visit};
use syn::{Field, ImplItemFn, Item, TraitItemFn, Variant};

use crate::modules::{Modules, defined};
use crate::sources::{Platform, Sources};

const HEADING: &str = "## Glossary";
/// The most terms: what a reader has to look up.
const TERMS: usize = 28;

/// A line for each term that the code does not have, and one if the section is missing or too long.
pub fn check(text: &str, crates: &[Sources]) -> Vec<String> {
    let Some(section) = section(text) else { return vec![format!("there is no {HEADING}")] };
    let mut wrong = Vec::new();
    let terms: Vec<_> = section.iter().flat_map(|line| terms(line)).collect();
    if terms.len() > TERMS {
        wrong.push(format!("the glossary has {} terms, not {TERMS}", terms.len()));
    }
    if terms.is_empty() {
        wrong.push("the glossary has no term".to_owned());
    }
    let known: BTreeSet<_> = crates.iter().flat_map(names).collect();
    let unknown = terms.into_iter().filter(|term| !known.contains(*term));
    wrong.extend(unknown.map(|term| format!("{term} is in the glossary, and no name of the code")));
    wrong
}

/// The lines between the heading and the next one.
fn section(text: &str) -> Option<Vec<&str>> {
    let mut lines = text.lines().skip_while(|line| *line != HEADING);
    lines.next()?;
    Some(lines.take_while(|line| !line.starts_with("## ")).collect())
}

/// What stands in backticks in the first column of a row, or before the colon of an item.
fn terms(line: &str) -> impl Iterator<Item = &str> {
    let row = line.trim_start().strip_prefix(['|', '-', '*']).unwrap_or_default();
    row.split(['|', ':']).next().unwrap_or_default().split('`').skip(1).step_by(2)
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
    for word in ["hidden", "test", "nod"] {
        let found = of(&format!("Words.\n- `Node`: one\n- `Flow`, `{word}`: others"));
        assert_eq!(found, [format!("{word} is in the glossary, and no name of the code")]);
    }
}

#[test]
fn a_glossary_is_there_and_short() {
    assert_eq!(of(&"- `Node`\n".repeat(28)), [""; 0]);
    assert_eq!(of(&"- `Node`, `Flow`\n".repeat(15)), ["the glossary has 30 terms, not 28"]);
    assert_eq!(of(""), ["the glossary has no term"]);
    assert_eq!(check("# A\n", &[]), ["there is no ## Glossary"]);
}
