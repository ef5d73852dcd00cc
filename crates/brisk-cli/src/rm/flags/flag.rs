//! One flag of the table: its names, its value, its help and what it sets.

use clap::{Arg, ArgAction};

use super::{Options, Refusal};

/// Sets the options of a flag, given its value.
type Set = fn(&mut Options, Option<&str>) -> Result<(), Refusal>;

/// Whether a flag takes a value, and the value's name in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    None,
    Optional(&'static str),
    Required(&'static str),
}

/// One flag.
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) short: &'static [char],
    pub(super) value: Value,
    /// Whether GNU rm has the flag.
    pub(super) gnu: bool,
    pub(super) set: Set,
    pub(super) hidden: bool,
    /// Whether the flag has no long name.
    short_only: bool,
    brief: &'static str,
    doc: &'static str,
}

impl Flag {
    pub(super) const fn new(name: &'static str, brief: &'static str, set: Set) -> Flag {
        Flag {
            name,
            short: &[],
            value: Value::None,
            gnu: false,
            set,
            hidden: false,
            short_only: false,
            brief,
            doc: "",
        }
    }

    pub(super) const fn gnu(mut self) -> Flag {
        self.gnu = true;
        self
    }

    pub(super) const fn short(mut self, letters: &'static [char]) -> Flag {
        self.short = letters;
        self
    }

    /// The name is clap's id alone: it begins with a character that no long option has.
    pub(super) const fn short_only(mut self, letters: &'static [char]) -> Flag {
        self.short_only = true;
        self.short(letters)
    }

    pub(super) const fn value(mut self, value: Value) -> Flag {
        self.value = value;
        self
    }

    pub(super) const fn doc(mut self, doc: &'static str) -> Flag {
        self.doc = doc;
        self
    }

    pub(super) const fn hidden(mut self) -> Flag {
        self.hidden = true;
        self
    }

    /// The flag as clap takes it.
    pub(super) fn arg(&self) -> Arg {
        let mut arg = Arg::new(self.name).help(self.brief).hide(self.hidden);
        if !self.short_only {
            arg = arg.long(self.name);
        }
        if let Some((first, others)) = self.short.split_first() {
            arg = arg.short(*first).visible_short_aliases(others.to_vec());
        }
        if !self.doc.is_empty() {
            arg = arg.long_help(self.doc);
        }
        match self.value {
            Value::None if self.name == "help" => arg.action(ArgAction::Help),
            Value::None if self.name == "version" => arg.action(ArgAction::Version),
            Value::None => arg.action(ArgAction::SetTrue),
            Value::Optional(name) => {
                arg.value_name(name).num_args(0..=1).require_equals(true).default_missing_value("")
            }
            Value::Required(name) => arg.value_name(name),
        }
    }
}
