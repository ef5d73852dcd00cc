//! `--owner`: rules on the user and the group that own a file.

use crate::front::Refusal;
use crate::show::quoting::quoted;
use crate::system;

/// Who must, or must not, own a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnerRule {
    user: Option<Check>,
    group: Option<Check>,
}

/// A user or a group, and whether it must own a file or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Check {
    id: u32,
    is_wanted: bool,
}

impl Check {
    fn allows(self, id: u32) -> bool {
        (id == self.id) == self.is_wanted
    }

    fn parse(
        side: &str,
        noun: &str,
        id_of: fn(&str) -> Option<u32>,
    ) -> Result<Option<Check>, String> {
        if side.is_empty() {
            return Ok(None);
        }
        let name = side.strip_prefix('!').unwrap_or(side);
        let id = name.parse().ok().or_else(|| id_of(name));
        let unknown = || format!("{} is not a recognized {noun} name", quoted(name));
        Ok(Some(Check { id: id.ok_or_else(unknown)?, is_wanted: name.len() == side.len() }))
    }
}

impl OwnerRule {
    /// Parses `[!][user|uid][:[!][group|gid]]`. `None` for a rule that allows every owner.
    ///
    /// # Errors
    /// The message for the user.
    pub(crate) fn parse(text: &str) -> Result<Option<OwnerRule>, Refusal> {
        let (user, group) = text.split_once(':').unwrap_or((text, ""));
        if group.contains(':') {
            let message = format!("more than one ':' present in owner string {}", quoted(text));
            return Err(Refusal::option(message));
        }
        let user = Check::parse(user, "user", system::user_id)?;
        let group = Check::parse(group, "group", system::group_id)?;
        Ok((user.is_some() || group.is_some()).then_some(OwnerRule { user, group }))
    }

    /// Whether a file of this user and group obeys the rule.
    pub(crate) fn allows(self, uid: u32, gid: u32) -> bool {
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
