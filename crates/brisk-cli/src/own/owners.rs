//! OWNER:GROUP of chown, and GROUP of chgrp: names or numbers, by the rules of gnulib.

use std::ffi::OsStr;

use brisk::Meta;
use brisk_sys::Ids;

use crate::show::names;
use crate::system::{group_id, group_of, user_id};

/// What a word says of owners.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners {
    pub ids: Ids,
    /// How messages name the owners.
    pub user: Option<String>,
    pub group: Option<String>,
    /// What should have been written otherwise.
    pub warning: Option<&'static str>,
}

impl Owners {
    /// Reads `[OWNER][:[GROUP]]`. A dot separates as well, if the whole is no user's name.
    ///
    /// # Errors
    /// What is invalid.
    pub(super) fn parse(word: &OsStr) -> Result<Owners, &'static str> {
        let word = word.to_string_lossy();
        if let Some((user, group)) = word.split_once(':') {
            return Owners::of(user, Some(group));
        }
        Owners::of(&word, None).or_else(|error| {
            let (user, group) = word.split_once('.').ok_or(error)?;
            let warning = Some("warning: '.' should be ':'");
            Owners::of(user, Some(group)).map_or(Err(error), |of| Ok(Owners { warning, ..of }))
        })
    }

    /// `group`: what stands behind the separator, if there is one. Nothing behind it means the
    /// user's own group.
    fn of(user: &str, group: Option<&str>) -> Result<Owners, &'static str> {
        let mut owners = Owners::default();
        let own_group = group == Some("");
        if !user.is_empty() {
            let known = known(user, user_id);
            owners.user = known.map(|_| user.to_owned());
            owners.ids.user = match known {
                None if own_group => return Err("invalid spec"),
                known => Some(known.or_else(|| number(user)).ok_or("invalid user")?),
            };
            if own_group {
                owners.ids.group = group_of(user);
                owners.group = owners.ids.group.map(|id| shown(id, names::append_group));
            }
        }
        if let Some(name) = group.filter(|name| !name.is_empty()) {
            let known = known(name, group_id);
            owners.group = known.map(|_| name.to_owned());
            owners.ids.group = Some(known.or_else(|| number(name)).ok_or("invalid group")?);
        }
        Ok(owners)
    }

    /// Reads the GROUP of chgrp.
    ///
    /// # Errors
    /// What is invalid.
    pub(super) fn parse_group(word: &OsStr) -> Result<Owners, &'static str> {
        let name = word.to_string_lossy();
        let group = match group_id(&name).or_else(|| number(&name)) {
            _ if name.is_empty() => return Ok(Owners::default()),
            // The number that stands for no group.
            None if name == "4294967295" => None,
            None => return Err("invalid group"),
            group => group,
        };
        let ids = Ids { user: None, group };
        Ok(Owners { ids, group: Some(name.into_owned()), ..Owners::default() })
    }

    /// The owners of another file.
    pub(super) fn like(meta: &Meta) -> Owners {
        let ids = Ids { user: meta.uid(), group: meta.gid() };
        let [user, group] = named(ids);
        Owners { ids, user, group, warning: None }
    }
}

/// The number of a name; one that begins with a plus sign is not looked up.
fn known(name: &str, look_up: fn(&str) -> Option<u32>) -> Option<u32> {
    if name.starts_with('+') { None } else { look_up(name) }
}

/// A number as strtoul reads it. The largest stands for no owner.
fn number(text: &str) -> Option<u32> {
    let text = text.trim_ascii_start();
    text.parse().ok().filter(|number| *number != u32::MAX)
}

/// The names of a user and a group, or their numbers.
pub(super) fn named(ids: Ids) -> [Option<String>; 2] {
    let user = ids.user.map(|id| shown(id, names::append_user));
    [user, ids.group.map(|id| shown(id, names::append_group))]
}

fn shown(id: u32, append: fn(u32, &mut Vec<u8>)) -> String {
    let mut name = Vec::new();
    append(id, &mut name);
    String::from_utf8_lossy(&name).into_owned()
}

#[cfg(all(test, unix))]
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
            let owners = Owners::parse(word.as_ref());
            assert_eq!(owners.map(|of| (of.ids.user, of.ids.group)), expected, "{word}");
        }
        assert!(Owners::parse("root.root".as_ref()).is_ok_and(|of| of.warning.is_some()));
    }
}
