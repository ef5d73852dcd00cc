//! Names in messages: `Path::display` writes a name as it is, and a name may hold a newline or a
//! command for the terminal.

use std::collections::BTreeSet;

use quote::ToTokens;
use syn::Item;

use crate::modules::Modules;
use crate::sources::Sources;

/// A line for each file that shows a name so, outside of its tests.
pub fn check(sources: &Sources, platforms: &[Modules]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // The text of all tokens takes long to make.
    let may_show = |file: &str| sources.files[file].contains(".display()");
    for modules in platforms {
        for module in modules.all.iter().filter(|module| may_show(&module.file)) {
            let items = module.items.iter().filter(|item| !matches!(item, Item::Mod(_)));
            let mut texts = items.map(|item| item.to_token_stream().to_string());
            if texts.any(|text| text.contains(". display ()")) {
                found.insert(format!("{}: `display()`, not `quoted()`", module.file));
            }
        }
    }
    found
}

#[test]
fn a_name_that_is_shown_as_it_is_is_found() {
    let of = |text: &str| {
        let sources = Sources::made_up(&[("lib.rs", text)]);
        check(&sources, &Modules::on_each_platform(&sources))
    };
    let shown = "fn a(path: &Path) -> String { format!(\"'{}'\", path.display()) }";
    assert_eq!(of(shown), BTreeSet::from(["lib.rs: `display()`, not `quoted()`".to_owned()]));
    assert_eq!(of("/// `path.display()`\nfn a() { display(); }"), BTreeSet::new());
    assert_eq!(of(&format!("#[cfg(test)]\nmod tests {{ {shown} }}")), BTreeSet::new());
}
