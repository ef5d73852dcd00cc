//! Names of find(1)'s words.

/// The tests of `--where`.
pub(super) const TESTS: &str = "amin anewer atime cmin cnewer context ctime daystart empty \
    executable false fstype gid group ilname iname inum ipath iregex iwholename links lname mmin \
    mtime name newer nogroup nouser path perm prune readable regex regextype samefile size true type \
    uid used user wholename writable xtype";
/// The tests that need modes or numeric owners.
pub(super) const OF_MODES: &str =
    "executable gid group nogroup nouser perm readable uid user writable";
const ACTIONS: &str =
    "delete exec execdir fls fprint fprint0 fprintf ls ok okdir print print0 printf quit";
/// Options that mean the same wherever they stand.
pub(super) const GLOBAL: &str = "d depth files0-from ignore_readdir_race maxdepth mindepth mount \
    noignore_readdir_race noleaf xdev";
/// Options for what follows them.
pub(super) const POSITIONAL: &str = "daystart follow nowarn regextype warn";

/// Whether one of these lists has the name.
pub(super) fn lists(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// Whether `--where` has a test of this name.
pub fn is_test(name: &str) -> bool {
    lists(TESTS, name)
}

/// Why a word is not a test.
pub(super) fn no_test(word: &str) -> String {
    let name = word.strip_prefix('-').unwrap_or(word);
    if lists(ACTIONS, name) {
        format!("'{word}' is an action, and only tests can stand here")
    } else if lists(GLOBAL, name) || lists("follow warn", name) {
        format!("'{word}' is not a test, but an option of find")
    } else {
        format!("'{word}' is not a test")
    }
}
