//! Names of find(1)'s words, for messages.

/// Whether `--where` has a test of this name.
pub fn is_test(name: &str) -> bool {
    NAMES.split(' ').any(|known| known == name)
}

const NAMES: &str = "amin anewer atime cmin cnewer context ctime daystart empty executable false \
    fstype gid group ilname iname inum ipath iregex iwholename links lname mmin mtime name newer nogroup nouser path \
    perm prune readable regex regextype samefile size true type uid used user wholename writable xtype";

const ACTIONS: [&str; 14] = [
    "delete", "exec", "execdir", "fls", "fprint", "fprint0", "fprintf", "ls", "ok", "okdir",
    "print", "print0", "printf", "quit",
];

const OPTIONS: [&str; 11] = [
    "d",
    "depth",
    "files0-from",
    "follow",
    "ignore_readdir_race",
    "maxdepth",
    "mindepth",
    "mount",
    "noleaf",
    "warn",
    "xdev",
];

/// Why a word is no test.
pub(super) fn no_test(word: &str) -> String {
    let name = word.strip_prefix('-').unwrap_or(word);
    if ACTIONS.contains(&name) {
        format!("'{word}' is an action, and only tests can stand here")
    } else if OPTIONS.contains(&name) {
        format!("'{word}' is no test, but an option of find")
    } else {
        format!("'{word}' is no test")
    }
}
