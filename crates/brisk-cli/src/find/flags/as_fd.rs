//! Refusals in fd's words, for `brisk find` under the name `fd`. fd's are those of clap.

use crate::front::{Fault, Refusal};
use crate::show::quoting::quoted;
use crate::show::safe;

const OPERANDS: &str = "[pattern] [path]...";

/// What fd says of a command line.
#[cold]
pub(crate) fn phrased(refusal: &Refusal) -> String {
    let (what, usage) = match refusal.fault.as_deref() {
        None => (refusal.message.clone(), Some("[OPTIONS]".to_owned())),
        Some(Fault::Unknown(word)) => {
            let shown = quoted(word);
            let word = shown.trim_matches('\'');
            // fd asks only about names that are like the word as a whole.
            let part = word.trim_start_matches('-');
            let near = refusal.near.filter(|near| !near.split('-').any(|other| other == part));
            let (tip, usage) = match near {
                Some(near) => {
                    (format!("a similar argument exists: '--{near}'"), format!("--{near}"))
                }
                None => {
                    (format!("to pass {shown} as a value, use '-- {word}'"), "[OPTIONS]".to_owned())
                }
            };
            (format!("unexpected argument {shown} found\n\n  tip: {tip}"), Some(usage))
        }
        Some(Fault::NoValue(flag, words)) => {
            let what = format!("a value is required for '{flag}' but none was supplied");
            let values = format!("\n  [possible values: {}]", words.join(", "));
            (what + if words.is_empty() { "" } else { &values }, None)
        }
        Some(Fault::NeedlessValue(flag, value)) => (
            format!("unexpected value {} for '{flag}' found; no more were expected", quoted(value)),
            Some(flag.clone()),
        ),
        Some(Fault::Value(flag, value, why, has_hint)) => {
            let why = why.replacen(" [", "\n  [", 1);
            let hint = if *has_hint { ". See 'fd --help'." } else { "" };
            (format!("invalid value {value} for '{flag}'{why}{hint}"), None)
        }
        Some(Fault::Together(one, other)) => {
            (format!("the argument '{one}' cannot be used with '{other}'"), Some(one.clone()))
        }
        Some(Fault::Alone(one, needed)) => (
            format!("the following required arguments were not provided:\n  {needed}"),
            Some(format!("{needed} {one}")),
        ),
    };
    let usage = usage.map(|flags| format!("Usage: fd {flags} {OPERANDS}\n\n"));
    let usage = usage.unwrap_or_default();
    safe::lines(&format!("error: {what}\n\n{usage}For more information, try '--help'.\n"))
}
