//! A crate's modules, and what a path in one of them means.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::{ForeignItem, Item, ItemMod, UseTree, Visibility};

use crate::sources::{Attributed, PLATFORMS, Platform, Sources};

/// The modules of one crate as one platform compiles them. The first is the crate's root.
pub struct Modules {
    pub all: Vec<Module>,
    pub platform: Platform,
}

pub struct Module {
    /// Below `src/`. Modules written in braces share their parent's file.
    pub file: String,
    parent: Option<usize>,
    pub items: Vec<Item>,
    names: BTreeMap<String, Vec<Meaning>>,
    globs: Vec<Vec<String>>,
}

/// What a name in a module stands for.
enum Meaning {
    Module(usize),
    Item,
    Import(Vec<String>),
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Module(usize),
    /// An item by the module that defines it and its name there. Variants and associated items are
    /// their type's.
    Item(usize, String),
    /// Something of another crate.
    Outside,
}

/// Names that were looked up on the way: imports can lead in a circle.
type Seen = BTreeSet<(usize, String)>;

impl Modules {
    /// Those of each platform, for all checks that need them: it takes longer than a check.
    pub fn on_each_platform(sources: &Sources) -> [Self; 3] {
        PLATFORMS.map(|platform| Self::new(sources, platform))
    }

    pub fn new(sources: &Sources, platform: Platform) -> Self {
        let mut modules = Self { all: Vec::new(), platform };
        let root = if sources.files.contains_key("lib.rs") { "lib.rs" } else { "main.rs" };
        modules.load(sources, root, "", None);
        modules
    }

    /// `children` is the directory of the modules that the file declares, with its `/`.
    fn load(
        &mut self,
        sources: &Sources,
        file: &str,
        children: &str,
        parent: Option<usize>,
    ) -> usize {
        let items = sources.parsed(file).items.clone();
        self.add(sources, file, children, parent, items)
    }

    fn add(
        &mut self,
        sources: &Sources,
        file: &str,
        children: &str,
        parent: Option<usize>,
        mut items: Vec<Item>,
    ) -> usize {
        let id = self.all.len();
        items.retain(|item| self.platform.compiles(item.attributes()));
        self.all.push(Module {
            file: file.to_owned(),
            parent,
            items: Vec::new(),
            names: BTreeMap::new(),
            globs: Vec::new(),
        });
        for item in &items {
            if let Item::Mod(module) = item {
                let child = self.child(sources, file, children, id, module);
                self.mean(id, module.ident.to_string(), Meaning::Module(child));
            } else {
                self.define(id, item);
            }
        }
        self.all[id].items = items;
        id
    }

    fn child(
        &mut self,
        sources: &Sources,
        file: &str,
        children: &str,
        parent: usize,
        module: &ItemMod,
    ) -> usize {
        let inner = format!("{children}{}/", module.ident);
        if let Some((_, items)) = &module.content {
            return self.add(sources, file, &inner, Some(parent), items.clone());
        }
        if let Some(path) = path_attribute(module) {
            let path = joined(directory(file), &path);
            return self.load(sources, &path, directory(&path), Some(parent));
        }
        let plain = format!("{children}{}.rs", module.ident);
        let path =
            if sources.files.contains_key(&plain) { plain } else { format!("{inner}mod.rs") };
        self.load(sources, &path, &inner, Some(parent))
    }

    fn mean(&mut self, module: usize, name: String, meaning: Meaning) {
        self.all[module].names.entry(name).or_default().push(meaning);
    }

    fn define(&mut self, module: usize, item: &Item) {
        if let Item::Use(item) = item {
            for import in imports(&item.tree) {
                match import.name {
                    Some(name) => self.mean(module, name, Meaning::Import(import.path)),
                    None => self.all[module].globs.push(import.path),
                }
            }
        }
        for name in defined(item) {
            self.mean(module, name, Meaning::Item);
        }
    }

    /// Everything that `path`, written in `module`, can mean; nothing if it leads out of the crate.
    pub fn resolve(&self, module: usize, path: &[String]) -> BTreeSet<Target> {
        self.follow(module, path, &mut Seen::new())
    }

    fn follow(&self, module: usize, path: &[String], seen: &mut Seen) -> BTreeSet<Target> {
        let mut targets = BTreeSet::from([Target::Module(module)]);
        for (index, name) in path.iter().enumerate() {
            let mut next = BTreeSet::new();
            for target in targets {
                match target {
                    Target::Module(id) => next.extend(self.step(id, name, index == 0, seen)),
                    end => _ = next.insert(end),
                }
            }
            targets = next;
        }
        targets
    }

    fn step(&self, module: usize, name: &str, first: bool, seen: &mut Seen) -> BTreeSet<Target> {
        match name {
            "crate" if first => BTreeSet::from([Target::Module(0)]),
            "self" => BTreeSet::from([Target::Module(module)]),
            "super" => self.all[module].parent.map(Target::Module).into_iter().collect(),
            _ => self.look_up(module, name, seen),
        }
    }

    fn look_up(&self, module: usize, name: &str, seen: &mut Seen) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        if !seen.insert((module, name.to_owned())) {
            return found;
        }
        let Module { names, globs, .. } = &self.all[module];
        for meaning in names.get(name).into_iter().flatten() {
            match meaning {
                Meaning::Module(id) => _ = found.insert(Target::Module(*id)),
                Meaning::Item => _ = found.insert(Target::Item(module, name.to_owned())),
                Meaning::Import(path) => found.extend(self.import(module, path, seen)),
            }
        }
        for glob in globs.iter().filter(|_| !names.contains_key(name)) {
            for target in self.follow(module, glob, seen) {
                if let Target::Module(id) = target {
                    found.extend(self.look_up(id, name, seen));
                }
            }
        }
        found
    }

    fn import(&self, module: usize, path: &[String], seen: &mut Seen) -> BTreeSet<Target> {
        let mut targets = self.follow(module, path, seen);
        if targets.is_empty() && !is_own(path) {
            targets.insert(Target::Outside);
        }
        targets
    }

    /// None for another crate's.
    pub fn file(&self, target: &Target) -> Option<&str> {
        match target {
            Target::Module(id) | Target::Item(id, _) => Some(&self.all[*id].file),
            Target::Outside => None,
        }
    }
}

/// Whether a path says that it stays in its crate.
pub fn is_own(path: &[String]) -> bool {
    path.first().is_some_and(|first| ["crate", "self", "super"].contains(&first.as_str()))
}

/// A path below a folder, with its `../` at the beginning followed.
fn joined(mut folder: &str, mut path: &str) -> String {
    while let Some(rest) = path.strip_prefix("../") {
        folder = directory(folder.trim_end_matches('/'));
        path = rest;
    }
    format!("{folder}{path}")
}

/// With its `/`; empty at the top.
fn directory(file: &str) -> &str {
    &file[..file.rfind('/').map_or(0, |slash| slash + 1)]
}

fn path_attribute(module: &ItemMod) -> Option<String> {
    let attribute = module.attrs.iter().find(|attribute| attribute.path().is_ident("path"))?;
    let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) = &pair.value else {
        return None;
    };
    Some(path.value())
}

/// One name of a `use`, or one glob.
pub struct Import {
    pub path: Vec<String>,
    /// Missing for a glob.
    pub name: Option<String>,
}

pub fn imports(tree: &UseTree) -> Vec<Import> {
    let mut found = Vec::new();
    flatten(tree, &mut Vec::new(), &mut found);
    found
}

fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    let mut import = |part: String, name: String| {
        let own = (part != "self").then_some(part);
        let whole: Vec<_> = path.iter().cloned().chain(own).collect();
        let name = if name == "self" { whole.last().cloned() } else { Some(name) };
        found.push(Import { path: whole, name });
    };
    match tree {
        UseTree::Path(step) => {
            path.push(step.ident.to_string());
            flatten(&step.tree, path, found);
            path.pop();
        }
        UseTree::Name(name) => import(name.ident.to_string(), name.ident.to_string()),
        UseTree::Rename(rename) => import(rename.ident.to_string(), rename.rename.to_string()),
        UseTree::Glob(_) => found.push(Import { path: path.clone(), name: None }),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, found)),
    }
}

/// Whether a `use` re-exports names instead of taking them for its own file.
pub fn is_reexport(visibility: &Visibility) -> bool {
    !matches!(visibility, Visibility::Inherited)
}

/// The names that an item defines in its module; what is in a module or a `use` aside.
pub fn defined(item: &Item) -> Vec<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => match &item.ident {
            Some(name) => name,
            None => return declared(item.mac.tokens.clone()),
        },
        Item::ForeignMod(block) => {
            let name = |item: &ForeignItem| match item {
                ForeignItem::Fn(item) => Some(item.sig.ident.to_string()),
                ForeignItem::Static(item) => Some(item.ident.to_string()),
                _ => None,
            };
            return block.items.iter().filter_map(name).collect();
        }
        _ => return Vec::new(),
    };
    vec![name.to_string()]
}

/// What a macro may define: the names after `struct`, `fn` and their like; without any of these,
/// every name that stands in no bracket.
fn declared(tokens: TokenStream) -> Vec<String> {
    const KEYWORDS: [&str; 8] =
        ["struct", "enum", "fn", "const", "static", "type", "trait", "union"];
    let mut all = Vec::new();
    let mut found = Vec::new();
    let mut after_keyword = false;
    for token in tokens {
        let TokenTree::Ident(name) = token else { continue };
        let name = name.to_string();
        let is_keyword = KEYWORDS.contains(&name.as_str());
        if after_keyword && !is_keyword {
            found.push(name.clone());
        }
        after_keyword = is_keyword;
        all.push(name);
    }
    if found.is_empty() { all } else { found }
}
