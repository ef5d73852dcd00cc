//! Names of users and groups. Each worker asks the system once for each id.
//!
//! The system's own lookup is used, so that services such as LDAP answer too; a static musl build
//! knows only `/etc/passwd` and `/etc/group`. Each thread keeps its answers, so workers share no
//! lock. This costs little memory, because a tree has few owners.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread::LocalKey;

use crate::system;
use brisk_sys::threads::lock;

/// Names by id; `None` where the system knows no name.
type Names = BTreeMap<u32, Option<Box<str>>>;

type Known = RefCell<Names>;

thread_local! {
    static USERS: Known = RefCell::default();
    static GROUPS: Known = RefCell::default();
}

/// Names that a table has given, for users and for groups.
static GIVEN: [Mutex<Names>; 2] = [const { Mutex::new(BTreeMap::new()) }; 2];

/// Says what a user is called where the files are: what this system says does not count. The name
/// counts from the first use on.
pub fn give_user(uid: u32, name: Option<&str>) {
    lock(&GIVEN[0]).insert(uid, name.map(Box::from));
}

/// Says what a group is called, as [`give_user`].
pub fn give_group(gid: u32, name: Option<&str>) {
    lock(&GIVEN[1]).insert(gid, name.map(Box::from));
}

/// Calls `use_name` with the name of a user, or `None` if the id has no name.
pub fn with_user<R>(uid: u32, use_name: impl FnOnce(Option<&str>) -> R) -> R {
    with_name(&USERS, &GIVEN[0], uid, use_name, system::user_name)
}

/// Calls `use_name` with the name of a group, or `None` if the id has no name.
pub fn with_group<R>(gid: u32, use_name: impl FnOnce(Option<&str>) -> R) -> R {
    with_name(&GROUPS, &GIVEN[1], gid, use_name, system::group_name)
}

/// Appends the name of a user, or the id if it has no name.
pub(crate) fn append_user(uid: u32, out: &mut Vec<u8>) {
    with_user(uid, |name| append(name, uid, out));
}

/// Appends the name of a group, or the id if it has no name.
pub(crate) fn append_group(gid: u32, out: &mut Vec<u8>) {
    with_group(gid, |name| append(name, gid, out));
}

fn append(name: Option<&str>, id: u32, out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    out.extend_from_slice(name.unwrap_or_else(|| digits.format(id)).as_bytes());
}

fn with_name<R>(
    known: &'static LocalKey<Known>,
    given: &Mutex<Names>,
    id: u32,
    use_name: impl FnOnce(Option<&str>) -> R,
    look_up: impl FnOnce(u32) -> Option<String>,
) -> R {
    known.with_borrow_mut(|known| {
        let name = known.entry(id).or_insert_with(|| {
            let given = lock(given).get(&id).cloned();
            given.unwrap_or_else(|| look_up(id).map(String::into_boxed_str))
        });
        use_name(name.as_deref())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_superuser_has_a_name_and_it_is_asked_for_once() {
        assert_eq!(with_user(0, |name| name.map(str::to_owned)).as_deref(), Some("root"));
        assert!(with_group(0, |name| name.is_some()));
        let asked_again =
            with_name(&USERS, &GIVEN[0], 0, |name| name.is_some(), |_| panic!("asked again"));
        assert!(asked_again);
    }

    #[test]
    fn an_id_without_a_name_has_none() {
        assert_eq!(with_user(3_999_999_999, |name| name.map(str::to_owned)), None);
        assert_eq!(with_group(3_999_999_999, |name| name.map(str::to_owned)), None);
    }

    #[test]
    fn an_id_without_a_name_is_written_as_a_number() {
        for (name, expected) in [(None, &b"1234"[..]), (Some("ann"), b"ann")] {
            let mut out = Vec::new();
            append(name, 1234, &mut out);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn a_name_that_was_given_counts() {
        give_user(3_999_999_998, Some("ann"));
        give_group(3_999_999_998, Some("staff"));
        assert!(with_user(3_999_999_998, |name| name == Some("ann")));
        assert!(with_group(3_999_999_998, |name| name == Some("staff")));
    }
}
