//! The dialects of find(1)'s regular expressions, as sets of glibc's syntax bits (`regex.h`).

/// What a dialect allows, in glibc's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegexType {
    name: &'static str,
    pub(super) bits: u32,
}

pub(super) const BACKSLASH_ESCAPE_IN_LISTS: u32 = 1;
pub(super) const BK_PLUS_QM: u32 = 1 << 1;
pub(super) const CHAR_CLASSES: u32 = 1 << 2;
pub(super) const CONTEXT_INDEP_ANCHORS: u32 = 1 << 3;
pub(super) const CONTEXT_INDEP_OPS: u32 = 1 << 4;
pub(super) const CONTEXT_INVALID_OPS: u32 = 1 << 5;
pub(super) const DOT_NEWLINE: u32 = 1 << 6;
pub(super) const INTERVALS: u32 = 1 << 7;
pub(super) const LIMITED_OPS: u32 = 1 << 8;
pub(super) const NEWLINE_ALT: u32 = 1 << 9;
pub(super) const NO_BK_BRACES: u32 = 1 << 10;
pub(super) const NO_BK_PARENS: u32 = 1 << 11;
pub(super) const NO_BK_REFS: u32 = 1 << 12;
pub(super) const NO_BK_VBAR: u32 = 1 << 13;
pub(super) const NO_EMPTY_RANGES: u32 = 1 << 14;
pub(super) const UNMATCHED_RIGHT_PAREN_ORD: u32 = 1 << 15;
pub(super) const NO_GNU_OPS: u32 = 1 << 16;
pub(super) const INVALID_INTERVAL_ORD: u32 = 1 << 17;
pub(super) const CONTEXT_INVALID_DUP: u32 = 1 << 18;

const COMMON: u32 = CHAR_CLASSES | DOT_NEWLINE | INTERVALS | NO_EMPTY_RANGES;
const BASIC: u32 = COMMON | BK_PLUS_QM | CONTEXT_INVALID_DUP;
const EXTENDED: u32 = COMMON
    | CONTEXT_INDEP_ANCHORS
    | CONTEXT_INDEP_OPS
    | NO_BK_BRACES
    | NO_BK_PARENS
    | NO_BK_VBAR
    | CONTEXT_INVALID_OPS
    | UNMATCHED_RIGHT_PAREN_ORD;
const EGREP: u32 = (EXTENDED | INVALID_INTERVAL_ORD | NEWLINE_ALT) & !CONTEXT_INVALID_OPS;
const AWK: u32 = BACKSLASH_ESCAPE_IN_LISTS
    | NO_BK_PARENS
    | NO_BK_REFS
    | NO_BK_VBAR
    | NO_EMPTY_RANGES
    | DOT_NEWLINE
    | CONTEXT_INDEP_ANCHORS
    | CHAR_CLASSES
    | UNMATCHED_RIGHT_PAREN_ORD
    | NO_GNU_OPS;
const GNU_AWK: u32 = (EXTENDED | BACKSLASH_ESCAPE_IN_LISTS | INVALID_INTERVAL_ORD)
    & !(CONTEXT_INDEP_OPS | CONTEXT_INVALID_OPS);
const POSIX_AWK: u32 = EXTENDED | BACKSLASH_ESCAPE_IN_LISTS | NO_GNU_OPS | INVALID_INTERVAL_ORD;

const DIALECTS: [RegexType; 13] = [
    RegexType { name: "findutils-default", bits: DOT_NEWLINE },
    RegexType { name: "ed", bits: BASIC },
    RegexType { name: "emacs", bits: 0 },
    RegexType { name: "gnu-awk", bits: GNU_AWK },
    RegexType { name: "grep", bits: (BASIC | NEWLINE_ALT) & !CONTEXT_INVALID_DUP },
    RegexType { name: "posix-awk", bits: POSIX_AWK },
    RegexType { name: "awk", bits: AWK },
    RegexType { name: "posix-basic", bits: BASIC },
    RegexType { name: "posix-egrep", bits: EGREP },
    RegexType { name: "egrep", bits: EGREP },
    RegexType { name: "posix-extended", bits: EXTENDED },
    RegexType { name: "posix-minimal-basic", bits: COMMON | LIMITED_OPS },
    RegexType { name: "sed", bits: BASIC },
];

impl RegexType {
    /// The dialect of this name, as `-regextype` takes it.
    pub fn named(name: &str) -> Option<RegexType> {
        DIALECTS.into_iter().find(|dialect| dialect.name == name)
    }
}

impl Default for RegexType {
    /// The dialect of emacs, not the one with the name `findutils-default`: a dot does not match a
    /// newline.
    fn default() -> RegexType {
        RegexType { name: "emacs", bits: 0 }
    }
}
