//! Names of users and groups. Each worker asks the system once for each of them.
//!
//! The system's own lookup is used, so that services such as LDAP answer too; a static musl build
//! knows only `/etc/passwd` and `/etc/group`. Each thread keeps its answers, so workers share no
//! lock. This costs little memory, because a tree has few owners.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::system::{self, Owner};
use brisk_sys::threads::lock;

/// Names; `None` where the system knows no name.
type Names = BTreeMap<Owner, Option<Box<str>>>;

thread_local! {
    static KNOWN: RefCell<Names> = RefCell::default();
}

/// Names that a table has given.
static GIVEN: Mutex<Names> = Mutex::new(BTreeMap::new());

/// Sets the name that an owner has where the files are, in place of this system's. This has no
/// effect in a thread that has already used the owner's name.
pub fn give_name(owner: Owner, name: Option<&str>) {
    lock(&GIVEN).insert(owner, name.map(Box::from));
}

/// Calls `use_name` with the name of an owner, or `None` if there is none.
pub fn with_name<R>(owner: Owner, use_name: impl FnOnce(Option<&str>) -> R) -> R {
    KNOWN.with_borrow_mut(|known| {
        let name = known.entry(owner).or_insert_with(|| {
            let given = lock(&GIVEN).get(&owner).cloned();
            given.unwrap_or_else(|| system::owner_name(owner).map(String::into_boxed_str))
        });
        use_name(name.as_deref())
    })
}

/// Appends the name of an owner, or the number if there is no name. Returns whether there is one.
pub(crate) fn append(owner: Owner, out: &mut Vec<u8>) -> bool {
    let (Owner::User(id) | Owner::Group(id)) = owner;
    let mut digits = itoa::Buffer::new();
    with_name(owner, |name| {
        out.extend_from_slice(name.unwrap_or_else(|| digits.format(id)).as_bytes());
        name.is_some()
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn name(owner: Owner) -> Option<String> {
        with_name(owner, |name| name.map(str::to_owned))
    }

    #[test]
    fn the_superuser_has_a_name() {
        assert_eq!(name(Owner::User(0)).as_deref(), Some("root"));
        assert!(name(Owner::Group(0)).is_some());
    }

    #[test]
    fn an_owner_without_a_name_has_none_and_is_written_as_a_number() {
        for owner in [Owner::User(3_999_999_999), Owner::Group(3_999_999_999)] {
            assert_eq!(name(owner), None);
            let mut out = Vec::new();
            append(owner, &mut out);
            assert_eq!(out, b"3999999999");
        }
    }

    #[test]
    fn a_name_that_was_given_counts_from_the_first_use_on() {
        let [user, group] = [Owner::User(3_999_999_998), Owner::Group(3_999_999_998)];
        give_name(user, Some("ann"));
        give_name(group, Some("staff"));
        assert_eq!(name(user).as_deref(), Some("ann"));
        assert_eq!(name(group).as_deref(), Some("staff"));
        give_name(user, Some("bob"));
        assert_eq!(name(user).as_deref(), Some("ann"), "nothing is asked again");
    }
}
