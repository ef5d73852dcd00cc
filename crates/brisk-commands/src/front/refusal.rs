//! Why a command line is refused, or a command has failed.

use std::num::ParseIntError;

use super::messages::Caller;

/// Why a command ends without its work: the command line is refused, or the work failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) message: String,
    /// Whether the message sends the user to `--help`.
    pub(crate) has_hint: bool,
    /// The exit code.
    pub(crate) code: u8,
    /// The flag whose name is most like the one that was typed.
    pub(crate) near: Option<&'static str>,
}

impl Refusal {
    /// A usage error, with the code 2.
    pub fn usage(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), has_hint: false, code: 2, near: None }
    }

    /// Something failed, with the code 1.
    pub fn failure(message: impl Into<String>) -> Refusal {
        Refusal { code: 1, ..Refusal::usage(message) }
    }

    /// A usage error, with a hint at `--help`.
    pub fn hinted(message: impl Into<String>) -> Refusal {
        Refusal { has_hint: true, ..Refusal::usage(message) }
    }

    /// The suggestion for a misspelt option, under brisk's own name. GNU's programs do not ask.
    pub(crate) fn did_you_mean(&self, caller: Caller) -> Option<String> {
        let near = self.near.filter(|_| caller == Caller::Brisk)?;
        Some(format!("Did you mean --{near}?"))
    }
}

/// Refuses a flag that is given together with one of `others`.
pub(crate) fn exclude((is_on, flag): (bool, &str), others: &[(bool, &str)]) -> Result<(), Refusal> {
    match others.iter().find(|(given, _)| is_on && *given) {
        Some((_, name)) => Err(Refusal::hinted(format!("{flag} cannot be used with {name}"))),
        None => Ok(()),
    }
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::usage(why)
    }
}

impl From<ParseIntError> for Refusal {
    fn from(why: ParseIntError) -> Refusal {
        Refusal::usage(why.to_string())
    }
}
