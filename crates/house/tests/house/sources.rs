//! A crate's sources as text, and which parts of them a platform compiles.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, Item, Lit, Meta, Stmt, Token, TraitItem};

/// Files by their path below `src/`, parts separated by `/`.
pub struct Sources {
    pub files: BTreeMap<String, String>,
    /// Those that were parsed: each is once, for all checks and platforms.
    parsed: RefCell<BTreeMap<String, Rc<syn::File>>>,
}

impl Sources {
    /// Those of a crate's folder `src`.
    pub fn of_folder(src: &Path) -> Self {
        let mut files = BTreeMap::new();
        read_below(src, "", &mut files);
        Self { files, parsed: RefCell::default() }
    }

    /// Those of a test: pairs of path and text.
    pub fn made_up(files: &[(&str, &str)]) -> Self {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Self { files: files.iter().map(owned).collect(), parsed: RefCell::default() }
    }

    /// A file as a tree.
    pub fn parsed(&self, file: &str) -> Rc<syn::File> {
        let mut all = self.parsed.borrow_mut();
        let parse = || {
            let text = self.files.get(file).unwrap_or_else(|| panic!("no file {file}"));
            Rc::new(syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}")))
        };
        Rc::clone(all.entry(file.to_owned()).or_insert_with(parse))
    }
}

/// The top of the repository.
pub fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read_below(directory: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).expect("a directory of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let below = format!("{prefix}{name}");
        if path.is_dir() {
            read_below(&path, &format!("{below}/"), files);
        } else if name.ends_with(".rs") {
            files.insert(below, fs::read_to_string(&path).expect("a source file"));
        }
    }
}

/// For which system `#[cfg]` is decided. Tests are compiled for none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    Linux,
    Windows,
    /// A Unix that is not Linux.
    Other,
    /// What any of them compiles.
    Any,
}

/// One of each kind: a circle of files is a circle on one platform.
pub const PLATFORMS: [Platform; 3] = [Platform::Linux, Platform::Windows, Platform::Other];

impl Platform {
    /// Whether an item with these attributes is compiled. A feature may be on or off: what either
    /// state compiles is in.
    pub fn compiles(self, attributes: &[Attribute]) -> bool {
        let is_out = |attribute: &Attribute| {
            attribute.path().is_ident("cfg")
                && attribute.parse_args().is_ok_and(|meta: Meta| self.answer(&meta) == Some(false))
        };
        !attributes.iter().any(is_out)
    }

    /// The value of a predicate, if the platform alone decides on it.
    fn answer(self, meta: &Meta) -> Option<bool> {
        match meta {
            Meta::Path(path) if path.is_ident("test") => Some(false),
            Meta::Path(path) if path.is_ident("unix") => self.is(&["linux", "macos"]),
            Meta::Path(path) if path.is_ident("windows") => self.is(&["windows"]),
            Meta::NameValue(pair) if pair.path.is_ident("target_os") => {
                self.is(&[&string(&pair.value)?])
            }
            Meta::List(list) => {
                let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
                let parts = list.parse_args_with(parse).ok()?;
                let mut answers = parts.iter().map(|part| self.answer(part));
                match list.path.get_ident()?.to_string().as_str() {
                    "not" => answers.next()?.map(|answer| !answer),
                    "all" => all(answers),
                    "any" => all(answers.map(|answer| Some(!answer?))).map(|none| !none),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn is(self, systems: &[&str]) -> Option<bool> {
        match self {
            Self::Linux => Some(systems.contains(&"linux")),
            Self::Windows => Some(systems.contains(&"windows")),
            Self::Other => Some(systems.contains(&"macos")),
            Self::Any => None,
        }
    }
}

/// Kleene's "and": one that is false decides, else one that is unknown.
fn all(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    answers
        .try_fold(Some(true), |all, answer| match (all, answer) {
            (_, Some(false)) => Err(Some(false)),
            (Some(true), Some(true)) => Ok(Some(true)),
            _ => Ok(None),
        })
        .unwrap_or_else(|decided| decided)
}

fn string(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The attributes of what `#[cfg]` can leave out.
pub trait Attributed {
    fn attributes(&self) -> &[Attribute];
}

macro_rules! attributed {
    ($type:ident: $($variant:ident)*) => {
        impl Attributed for $type {
            fn attributes(&self) -> &[Attribute] {
                match self {
                    $($type::$variant(it) => &it.attrs,)*
                    _ => &[],
                }
            }
        }
    };
}

attributed!(Item: Const Enum ExternCrate Fn ForeignMod Impl Macro Mod Static Struct Trait
    TraitAlias Type Union Use);
attributed!(ImplItem: Const Fn Type Macro);
attributed!(TraitItem: Const Fn Type Macro);

impl Attributed for Stmt {
    fn attributes(&self) -> &[Attribute] {
        match self {
            Self::Local(local) => &local.attrs,
            Self::Item(item) => item.attributes(),
            Self::Macro(call) => &call.attrs,
            Self::Expr(Expr::Block(block), _) => &block.attrs,
            Self::Expr(..) => &[],
        }
    }
}

#[test]
fn cfg_is_decided_for_a_platform() {
    let linux = |text| {
        let item: Item = syn::parse_str(&format!("#[cfg({text})] struct A;")).expect("an item");
        Platform::Linux.compiles(item.attributes())
    };
    assert!(linux("unix"));
    assert!(linux("any(target_os = \"android\", target_os = \"linux\")"));
    assert!(linux("not(test)"));
    assert!(linux("feature = \"ignore\"") && linux("not(feature = \"ignore\")"));
    assert!(!linux("test") && !linux("all(test, feature = \"a\")") && !linux("windows"));
}
