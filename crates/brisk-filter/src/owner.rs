//! `--owner`: which user and group must, or must not, own a file.

use brisk::Fields;
use brisk::filter::{Expr, Test};

use crate::system;

/// Who must, or must not, own a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerRule {
    user: Option<Check>,
    group: Option<Check>,
}

/// A user or a group, and whether it must own a file or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Check {
    id: u32,
    is_wanted: bool,
}

/// Why a text is not a rule on owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotOwner {
    /// It has more than one colon.
    Colons,
    /// The system knows no user of this name.
    User(String),
    /// The system knows no group of this name.
    Group(String),
}

impl Check {
    fn allows(self, id: u32) -> bool {
        (id == self.id) == self.is_wanted
    }

    fn key(self) -> String {
        let not = if self.is_wanted { "" } else { "!" };
        format!("{not}{}", self.id)
    }

    fn parse(
        side: &str,
        unknown: fn(String) -> NotOwner,
        id_of: fn(&str) -> Option<u32>,
    ) -> Result<Option<Check>, NotOwner> {
        if side.is_empty() {
            return Ok(None);
        }
        let name = side.strip_prefix('!').unwrap_or(side);
        let id = name.parse().ok().or_else(|| id_of(name));
        let id = id.ok_or_else(|| unknown(name.to_owned()))?;
        Ok(Some(Check { id, is_wanted: name.len() == side.len() }))
    }
}

impl OwnerRule {
    /// Parses `[!][user|uid][:[!][group|gid]]`. `None` for a rule that allows every owner.
    ///
    /// # Errors
    /// The text is not a rule.
    pub fn parse(text: &str) -> Result<Option<OwnerRule>, NotOwner> {
        let (user, group) = text.split_once(':').unwrap_or((text, ""));
        if group.contains(':') {
            return Err(NotOwner::Colons);
        }
        let user = Check::parse(user, NotOwner::User, system::user_id)?;
        let group = Check::parse(group, NotOwner::Group, system::group_id)?;
        Ok((user.is_some() || group.is_some()).then_some(OwnerRule { user, group }))
    }

    /// Files that obey the rule.
    pub fn expr(self) -> Expr {
        let side = |side: Option<Check>| side.map(Check::key).unwrap_or_default();
        let key = [self.user, self.group].map(side).join(":");
        let ask = |_| Fields::UID | Fields::GID;
        let test = Test::meta(format!("--owner={key}"), ask, move |_, meta| {
            meta.uid().zip(meta.gid()).is_some_and(|(uid, gid)| self.allows(uid, gid))
        });
        test.into()
    }

    /// Whether a file of this user and group obeys the rule.
    fn allows(self, uid: u32, gid: u32) -> bool {
        self.user.is_none_or(|check| check.allows(uid))
            && self.group.is_none_or(|check| check.allows(gid))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn is(id: u32) -> Option<Check> {
        Some(Check { id, is_wanted: true })
    }

    fn is_not(id: u32) -> Option<Check> {
        Some(Check { id, is_wanted: false })
    }

    #[test]
    fn rules_parse() {
        let rule = |user, group| Ok(Some(OwnerRule { user, group }));
        assert_eq!(OwnerRule::parse("5"), rule(is(5), None));
        assert_eq!(OwnerRule::parse("5:"), rule(is(5), None));
        assert_eq!(OwnerRule::parse(":8"), rule(None, is(8)));
        assert_eq!(OwnerRule::parse("!4:!3"), rule(is_not(4), is_not(3)));
        assert_eq!(OwnerRule::parse(""), Ok(None));
        assert_eq!(OwnerRule::parse(":"), Ok(None));
        assert!(OwnerRule::parse("3:5:").is_err());
        assert!(OwnerRule::parse("no such user").is_err());
    }

    #[test]
    fn names_are_looked_up() {
        let rule = OwnerRule { user: is(0), group: is_not(0) };
        assert_eq!(OwnerRule::parse("root:!root"), Ok(Some(rule)));
    }

    #[test]
    fn both_sides_must_hold() {
        let rule = OwnerRule { user: is(1), group: is_not(2) };
        assert!(rule.allows(1, 3));
        assert!(!rule.allows(1, 2));
        assert!(!rule.allows(2, 3));
    }
}
