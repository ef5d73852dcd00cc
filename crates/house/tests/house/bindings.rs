//! One name a line: `let (a, b) = (x, y);` saves a line and costs a reader.
//!
//! A pattern that may not match (`let … else`, `if let`) is not such a binding.

use syn::visit::{self, Visit};
use syn::{Expr, ExprAssign, Local, Pat};

use crate::sources::Sources;

/// A line for each tuple of names that is bound to a tuple of expressions, tests included.
pub fn check(sources: &Sources) -> Vec<String> {
    let mut found = Vec::new();
    for file in sources.files.keys() {
        Finder { file, found: &mut found }.visit_file(&sources.parsed(file));
    }
    found
}

struct Finder<'a> {
    file: &'a str,
    found: &'a mut Vec<String>,
}

impl Finder<'_> {
    fn add(&mut self, tuple: &syn::token::Paren) {
        let line = tuple.span.open().start().line;
        self.found.push(format!("{}:{line}: several names are bound at once", self.file));
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_local(&mut self, local: &'ast Local) {
        let pattern = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            pattern => pattern,
        };
        if let Pat::Tuple(names) = pattern
            && let Some(init) = &local.init
            && init.diverge.is_none()
            && matches!(&*init.expr, Expr::Tuple(_))
        {
            self.add(&names.paren_token);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        if let (Expr::Tuple(names), Expr::Tuple(_)) = (&*assign.left, &*assign.right) {
            self.add(&names.paren_token);
        }
        visit::visit_expr_assign(self, assign);
    }
}

#[test]
fn a_tuple_of_names_bound_to_a_tuple_of_expressions_is_found() {
    let of = |text: &str| {
        let text = format!("fn f() {{\n{text}\n}}");
        check(&Sources::made_up(&[("lib.rs", &text)])).len()
    };
    assert_eq!(of("let (a, mut b) = (1, 2);"), 1);
    assert_eq!(of("(a, b) = (b, a);"), 1);
    assert_eq!(of("let f = || { let (a, b): (u8, u8) =\n(1, 2); };"), 1);
    assert_eq!(of("let (a, b) = pair();"), 0);
    assert_eq!(of("let (Some(a), Some(b)) = (x, y) else { return };"), 0);
    assert_eq!(of("if let (Some(a), Some(b)) = (x, y) {}"), 0);
}
