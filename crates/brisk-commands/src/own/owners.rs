//! OWNER:GROUP of chown, and GROUP of chgrp: names or numbers, by the rules of gnulib.

use std::ffi::OsStr;

use brisk::Meta;
use brisk::change::Ids;

use super::options::Sets;
use crate::front::Refusal;
use crate::show::names;
use crate::show::quoting::as_argument;
use crate::system::{Owner, group_id, group_of, user_id};

/// What a word says of owners.
#[derive(Clone, Debug, Default)]
pub(super) struct NewOwners {
    pub ids: Ids,
    /// The names of user and group in the word, as far as it has names and not numbers.
    pub names: [Option<String>; 2],
    /// What should have been written otherwise.
    pub warning: Option<String>,
}

impl NewOwners {
    /// The owners that a command sets: those of another file, or those in a word. All have names
    /// then.
    ///
    /// # Errors
    /// GNU's refusals.
    pub fn new(sets: Sets, word: &OsStr, like: Option<&Meta>) -> Result<NewOwners, Refusal> {
        let mut owners = match like.map(Ids::of) {
            Some(ids) => NewOwners { ids, names: named(ids), warning: None },
            None => NewOwners::read(sets, word)?,
        };
        if sets == Sets::Group {
            owners.ids.user = None;
            owners.names[0] = None;
        } else if let [user @ None, Some(_)] = &mut owners.names {
            // GNU chown's messages then speak of ownership too, not of the group alone.
            *user = Some(String::new());
        }
        let ids = [owners.ids.user, owners.ids.group];
        for (name, id) in owners.names.iter_mut().zip(ids) {
            *name = name.take().or_else(|| Some(id?.to_string()));
        }
        Ok(owners)
    }

    /// Reads a word.
    ///
    /// # Errors
    /// GNU's refusals.
    pub fn read(sets: Sets, word: &OsStr) -> Result<NewOwners, Refusal> {
        let text = &word.to_string_lossy();
        let owners =
            if sets == Sets::Group { NewOwners::parse_group(text) } else { NewOwners::parse(text) };
        owners.map_err(|why| Refusal::usage(said_of(why, word)))
    }

    /// Reads `[OWNER][:[GROUP]]`. A dot separates as well, if the whole is no user's name.
    fn parse(word: &str) -> Result<NewOwners, &'static str> {
        if let Some((user, group)) = word.split_once(':') {
            return NewOwners::of(user, Some(group));
        }
        NewOwners::of(word, None).or_else(|error| {
            let (user, group) = word.split_once('.').ok_or(error)?;
            let owners = NewOwners::of(user, Some(group)).map_err(|_| error)?;
            let warning = said_of("warning: '.' should be ':'", OsStr::new(word));
            Ok(NewOwners { warning: Some(warning), ..owners })
        })
    }

    /// `group`: what stands behind the separator, if there is one. Nothing behind it means the
    /// user's own group.
    fn of(user: &str, group: Option<&str>) -> Result<NewOwners, &'static str> {
        let (uid, user_name) = owner(user, user_id);
        let (mut gid, mut group_name) = owner(group.unwrap_or_default(), group_id);
        if group == Some("") && !user.is_empty() {
            gid = Some(group_of(user).ok_or("invalid spec")?);
            [_, group_name] = named(Ids { user: None, group: gid });
        }
        if uid.is_none() && !user.is_empty() {
            return Err("invalid user");
        }
        if gid.is_none() && group.is_some_and(|group| !group.is_empty()) {
            return Err("invalid group");
        }
        let ids = Ids { user: uid, group: gid };
        Ok(NewOwners { ids, names: [user_name, group_name], warning: None })
    }

    /// Reads the GROUP of chgrp, which messages repeat as it is.
    fn parse_group(word: &str) -> Result<NewOwners, &'static str> {
        let (group, _) = owner(word, group_id);
        // The largest number stands for no group.
        if group.is_none() && !matches!(word, "" | "4294967295") {
            return Err("invalid group");
        }
        let name = Some(word.to_owned()).filter(|name| !name.is_empty());
        let ids = Ids { user: None, group };
        Ok(NewOwners { ids, names: [None, name], warning: None })
    }
}

/// The number of an owner, and the text if it is a name. A text that begins with a plus sign is a
/// number. Numbers are read as strtoul reads them. The largest number stands for no owner.
fn owner(text: &str, look_up: fn(&str) -> Option<u32>) -> (Option<u32>, Option<String>) {
    let name = Some(text).filter(|text| !text.is_empty() && !text.starts_with('+'));
    if let Some(id) = name.and_then(look_up) {
        return (Some(id), Some(text.to_owned()));
    }
    let number = text.trim_ascii_start().parse().ok();
    (number.filter(|number| *number != u32::MAX), None)
}

/// What is wrong with a word.
pub(super) fn said_of(what: &str, word: &OsStr) -> String {
    format!("{what}: {}", as_argument(word.as_encoded_bytes()))
}

/// The names of a user and a group, or their numbers.
pub(super) fn named(ids: Ids) -> [Option<String>; 2] {
    let named = |owner| {
        let mut name = Vec::new();
        names::append(owner, &mut name);
        String::from_utf8_lossy(&name).into_owned()
    };
    [ids.user.map(Owner::User), ids.group.map(Owner::Group)].map(|owner| owner.map(named))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_read_as_gnu_chown_reads_them() {
        let table = [
            ("", Ok((None, None))),
            (":", Ok((None, None))),
            ("root", Ok((Some(0), None))),
            ("root:", Ok((Some(0), Some(0)))),
            (":root", Ok((None, Some(0)))),
            ("0:0", Ok((Some(0), Some(0)))),
            ("+5:+6", Ok((Some(5), Some(6)))),
            (" 5", Ok((Some(5), None))),
            ("root.root", Ok((Some(0), Some(0)))),
            ("5.6", Ok((Some(5), Some(6)))),
            ("+root", Err("invalid user")),
            ("5:", Err("invalid spec")),
            ("-5", Err("invalid user")),
            ("4294967295", Err("invalid user")),
            ("no-such-user", Err("invalid user")),
            ("no.such", Err("invalid user")),
            ("root:no-such-group", Err("invalid group")),
        ];
        for (word, expected) in table {
            let owners = NewOwners::parse(word);
            assert_eq!(owners.map(|of| (of.ids.user, of.ids.group)), expected, "{word}");
        }
        assert!(NewOwners::parse("root.root").is_ok_and(|of| of.warning.is_some()));
    }
}
