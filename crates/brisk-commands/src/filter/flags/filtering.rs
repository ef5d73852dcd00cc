//! Flags that filter by what a file is: type, extension, size, times, owner.

use super::Selects;
use crate::filter::{owner, size_range};
use crate::front::{Flag, Words};

/// The words of `--type`.
const TYPES: Words = Words::new(
    "file f | directory d dir | symlink l | block-device b | char-device c | executable x | \
     empty e | socket s | pipe p",
);

/// The words without the directory.
pub(crate) const TYPES_OF_FILES: Words = Words::new(
    "file f | symlink l | block-device b | char-device c | executable x | empty e | socket s | \
     pipe p",
);

impl<O: Selects> Flag<O> {
    /// `--type` and `--older-than`. du has flags of its own for these.
    pub(crate) fn types() -> Vec<Self> {
        vec![
            Self::word("type", "filetype", TYPES, |options, word| {
                options.filtering().types.add(word)
            })
            .brief("Only f files, d directories, l links, x executables, e empty")
            .short(Self::letter("t"))
            .doc(
                "Only entries of this type:\n  \
             f, file\n  \
             d, dir, directory\n  \
             l, symlink\n  \
             s, socket\n  \
             p, pipe          (a FIFO)\n  \
             b, block-device\n  \
             c, char-device\n  \
             x, executable    (by this user)\n  \
             e, empty         (files and directories)\n\n\
             May be given several times: '-tf -tl' lists files and links. 'x' and 'e' narrow the \
             other types down: 'x' implies files; 'e' means files and directories, unless one of \
             the two is named. Types other than these two come with the directory and cost \
             nothing. 'x' costs one statx per file, and an access check for each file with an \
             executable bit; 'e' costs one statx per file, and opening and reading each directory.",
            )
            .adds_up(),
            Self::text("older-than", "date|dur", |options, text| {
                options.times().older_than = Some(text)
            })
            .rare("Only files, not directories, that were last modified before this time")
            .doc(
                "Only files that were last modified before this time; no directories, because a \
                 directory is as old as the newest entry in it ('brisk du --older-than' lists \
                 directories by that age). --changed-before also finds directories, by their own \
                 times. Through a link named fd, --older-than is the same as --changed-before.",
            )
            .aliases("change-older-than older"),
        ]
    }

    /// Extension, size, times, owner and `--where`: filters for every command, also for those that
    /// treat directories in their own way, such as du.
    pub(crate) fn attributes() -> Vec<Self> {
        vec![
            Self::text("extension", "ext", |options, extension| options.filtering().extensions.push(extension))
            .brief("Only names with this extension")
            .short(Self::letter("e"))
            .doc(
                "Only names with this extension, which is written with or without its dot; case is \
                 ignored. A name that is nothing but the extension ('.rs') does not match. May be \
                 given several times: one of them must match.",
            )
            .adds_up(),
            Self::parsed("size", "size", |options, text| {
                let size = size_range(&text.to_string_lossy(), O::SIZE.read)?;
                options.filtering().sizes.push(size);
                Ok(())
            })
            .brief(O::SIZE.brief)
            .needs(O::SIZE.needs)
            .short(Self::letter("S"))
            .hyphens()
            .doc(O::SIZE.doc)
            .adds_up(),
            Self::text("changed-within", "date|dur", |options, text| options.times().modified_after = Some(text))
            .brief("Modified since 2weeks ago or today; --changed-before: earlier")
            .doc(
                "Only entries that were last modified (mtime) after this time: an age (35min, 10h, \
                 1d, 2weeks), a date or time in local time (2018-10-27, '2018-10-27 10:00:00'), a \
                 time in RFC 3339 with its offset, @SECONDS since the epoch, today or yesterday. An \
                 age in 'm' is refused: write min or mo (through a link named fd, m is minutes). \
                 Costs one statx per entry, as do the other limits on times. Entries of file \
                 systems that do not keep the time are left out.",
            )
            .aliases(O::NEWER),
            Self::text("changed-before", "date|dur", |options, text| options.times().modified_before = Some(text))
            .rare("Only what was last modified before this time"),
            Self::text("ctime-within", "date|dur", |options, text| options.times().changed_after = Some(text))
            .rare(
                "Only what changed after this time (ctime): contents, mode, owner, name or number \
                 of links",
            ),
            Self::text("ctime-before", "date|dur", |options, text| options.times().changed_before = Some(text))
            .rare("Only what last changed before this time (ctime)"),
            Self::text("created-within", "date|dur", |options, text| options.times().created_after = Some(text))
            .rare("Only what was created after this time (birth time)"),
            Self::text("created-before", "date|dur", |options, text| options.times().created_before = Some(text))
            .rare("Only what was created before this time (birth time)"),
            Self::parsed("owner", "user:group", |options, text| {
                options.filtering().owner = owner(&text.to_string_lossy())?;
                Ok(())
            })
            .rare("Only what belongs to this user or group: root, :staff, '!root'")
            .short(Self::letter("o"))
            .doc(
                "Only entries that belong to this user and group: [!][user|uid][:[!][group|gid]]. \
                 Either side may be left out; '!' negates a side. Costs one statx per \
                 entry.\n\nExamples:\n  --owner john\n  --owner :students\n  --owner \
                 '!john:students'",
            ),
            Self::where_tests(),
        ]
    }

    /// find(1)'s tests.
    fn where_tests() -> Self {
        Self::text("where", "expression", |options, line| options.filtering().wheres.push(line))
            .rare("Only what find(1)'s tests choose: '-links +1 -o -perm /u+s'")
            .hyphens()
            .doc(
                "Only entries for which an expression of find(1)'s tests is true, as GNU find \
                 understands them. Words are split as a shell splits them.\n  \
                 operators  ! -not -a -and -o -or , ( )\n  \
                 names      -name -iname -path -ipath -wholename -iwholename -regex -iregex \
                 -regextype -lname -ilname\n  \
                 what it is -type -xtype -size -empty -links -inum -samefile -fstype\n  \
                 access     -perm -readable -writable -executable -user -group -uid -gid \
                 -nouser -nogroup -context\n  \
                 times      -mtime -mmin -atime -amin -ctime -cmin -used -daystart -newer \
                 -anewer -cnewer -newerXY\n  \
                 others     -true -false -prune\n\n\
                 May be given several times: all of them must hold. Each test costs what it needs: \
                 names and types cost nothing, most others cost one statx for each entry that \
                 reaches them.\n\nExamples:\n  \
                 --where '-nouser -o -nogroup'\n  \
                 --where '-newer stamp ! -user root ( -links +1 -o -perm /u+s )'\n  \
                 --where '-name .git -prune -o -size +10M'",
            )
            .adds_up()
    }

    pub(crate) fn pruning() -> Vec<Self> {
        vec![
            Self::on("prune", |options| options.filtering().prune = true)
                .rare("Do not enter directories that match")
                .conflicts("size exact-depth")
                .doc(
                    "Do not enter directories that match. To leave out directories altogether, use \
                 --exclude.",
                ),
        ]
    }
}
