//! How many methods a type has, wherever its `impl`s stand, and how many a visitor must know.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens;
use syn::{Expr, ImplItem, ImplItemFn, Item, ItemImpl, ReturnType, Stmt, TraitItem, Type, UnOp};

use crate::modules::{Modules, Target};
use crate::sources::{Attributed, Platform, Sources};

/// Methods of one type.
const MOST: usize = 30;
/// Methods of the visitor's contract, and those of them that have no default.
const CONTRACT: (usize, usize) = (10, 2);

/// A line for each type with too many methods.
pub fn types(platforms: &[Modules]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for modules in platforms {
        for (name, (count, files)) in count(modules) {
            if count > MOST {
                let files: Vec<_> = files.into_iter().collect();
                let files = files.join(", ");
                found.insert(format!("{name}: {count} methods, not {MOST}; in {files}"));
            }
        }
    }
    found
}

/// Each type's methods in inherent `impl`s, and the files of these.
fn count(modules: &Modules) -> BTreeMap<String, (usize, BTreeSet<String>)> {
    let mut types: BTreeMap<_, (usize, BTreeSet<_>)> = BTreeMap::new();
    for (id, module) in modules.all.iter().enumerate() {
        for item in &module.items {
            let Item::Impl(item) = item else { continue };
            let Some(name) = name_of(modules, id, item) else { continue };
            let methods = item.items.iter().filter(|item| {
                let is_in = modules.platform.compiles(item.attributes());
                is_in && matches!(item, ImplItem::Fn(method) if counts(method, &name.1))
            });
            let entry = types.entry(format!("{} ({})", name.1, name.0)).or_default();
            entry.0 += methods.count();
            entry.1.insert(module.file.clone());
        }
    }
    types
}

/// The file that defines the type of an inherent `impl`, and the type's name there.
fn name_of(modules: &Modules, module: usize, item: &ItemImpl) -> Option<(String, String)> {
    let (None, Type::Path(path)) = (&item.trait_, &*item.self_ty) else { return None };
    let words: Vec<_> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
    let target = modules.resolve(module, &words).into_iter().find_map(|target| match &target {
        Target::Item(_, name) => Some((modules.file(&target)?.to_owned(), name.clone())),
        _ => None,
    });
    target.or_else(|| Some((modules.all[module].file.clone(), words.last()?.clone())))
}

fn counts(method: &ImplItemFn, name: &str) -> bool {
    !returns_itself(method, name) && !is_accessor(method)
}

/// A constructor or a builder: what it returns is or holds its own type.
fn returns_itself(method: &ImplItemFn, name: &str) -> bool {
    let ReturnType::Type(_, returned) = &method.sig.output else { return false };
    let words = words(returned.to_token_stream());
    let passes_on = method.sig.receiver().is_none_or(|receiver| match &**returned {
        Type::Reference(returned) => returned.mutability.is_some(),
        _ => receiver.reference.is_none(),
    });
    passes_on && (words.contains("Self") || words.contains(name))
}

fn words(tokens: proc_macro2::TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(name) => _ = found.insert(name.to_string()),
            proc_macro2::TokenTree::Group(group) => found.extend(words(group.stream())),
            _ => {}
        }
    }
    found
}

/// Nothing but a field, or a reference to one.
fn is_accessor(method: &ImplItemFn) -> bool {
    match &method.block.stmts[..] {
        [Stmt::Expr(expression, None)] => is_field(expression),
        _ => false,
    }
}

fn is_field(expression: &Expr) -> bool {
    match expression {
        Expr::Field(field) => match &*field.base {
            Expr::Path(base) => base.path.is_ident("self"),
            base => is_field(base),
        },
        Expr::Reference(reference) => is_field(&reference.expr),
        Expr::Paren(inner) => is_field(&inner.expr),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)) && is_field(&unary.expr),
        _ => false,
    }
}

/// What is wrong with the contract `trait Visitor`.
pub fn visitor(sources: &Sources) -> Vec<String> {
    let modules = Modules::new(sources, Platform::Any);
    let items = modules.all.iter().flat_map(|module| &module.items);
    let contract = items.filter_map(|item| match item {
        Item::Trait(contract) if contract.ident == "Visitor" => Some(&contract.items),
        _ => None,
    });
    let [contract] = contract.collect::<Vec<_>>()[..] else {
        return vec!["there is not one trait Visitor".to_owned()];
    };
    let methods = contract.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(method.default.is_none()),
        _ => None,
    });
    let methods: Vec<_> = methods.collect();
    let all = methods.len();
    let required = methods.iter().filter(|is_required| **is_required).count();
    if all <= CONTRACT.0 && required == CONTRACT.1 {
        return Vec::new();
    }
    let (most, bare) = CONTRACT;
    vec![format!("Visitor: {all} methods, {required} without default, not {most} and {bare}")]
}

/// A type with so many methods, half of them in another file, and some that do not count.
fn of(methods: usize) -> BTreeSet<String> {
    let half = |from: usize, to: usize| -> String {
        (from..to).map(|n| format!("fn m{n}(&self) -> u8 {{ self.a(); 1 }}\n")).collect()
    };
    let aside = "fn new() -> io::Result<Self> { new() }
        fn wide(mut self) -> Self { self.0 = 1; self }
        fn wider(&mut self, by: u8) -> &mut Self { self.0 = by; self }
        fn a(&self) -> &u8 { &self.0.b }
        #[cfg(test)] fn test(&self) {}";
    let first = format!("mod b; pub struct A<T>(T);\nimpl<T> A<T> {{ {aside} {} }}", half(0, 15));
    let second = format!("use crate::A as Other;\nimpl Other<u8> {{ {} }}", half(15, methods));
    let second = format!("{second}\nimpl Drop for Other<u8> {{ fn drop(&mut self) {{ a(); }} }}");
    types(&Modules::on_each_platform(&Sources::made_up(&[("lib.rs", &first), ("b.rs", &second)])))
}

#[test]
fn methods_are_counted_wherever_they_stand() {
    assert_eq!(of(30), BTreeSet::new());
    let found = "A (lib.rs): 31 methods, not 30; in b.rs, lib.rs".to_owned();
    assert_eq!(of(31), BTreeSet::from([found]));
}

#[test]
fn a_contract_that_grows_is_found() {
    let of = |required: &str, others: usize| {
        let others: String = (0..others).map(|n| format!("fn m{n}(&self) {{}}\n")).collect();
        let text = format!("pub trait Visitor {{ type State; {required} {others} }}");
        visitor(&Sources::made_up(&[("lib.rs", &text)]))
    };
    assert_eq!(of("fn a(); fn b();", 8), [""; 0]);
    let found = of("fn a(); fn b();", 9);
    assert_eq!(found, ["Visitor: 11 methods, 2 without default, not 10 and 2"]);
    assert_eq!(of("fn a(); fn b(); fn c();", 0).len(), 1);
    assert_eq!(visitor(&Sources::made_up(&[("lib.rs", "")])).len(), 1);
}
