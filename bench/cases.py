"""The cases: which commands run on which corpus, and the bars that they must meet. Data only.

A command is an argv; bench.py puts in `{root}`, `{copy}` (beside it), `{mount}`, `{state}` (a file that has the case's
name) and the programs `{brisk}`, `{floor}`, `{fd}` …. A bar is one sentence of the form "metric of A, over that of B, at most X".
A section is a set of cases that are run together: `scripts/bench --section NAME`.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Command:
    """One contestant."""

    label: str
    argv: str               # split as a shell would
    prints: str = "paths"   # commands of a case that print alike must print the same set
    max_runs: int = 0       # fewer runs than the others (0: as many)
    mount: str = ""         # slowfs mounted at "outside" or "inside" for this command alone
    before: tuple = ()      # argvs that run once before the timing, or each time if runs begin anew
    touch: tuple = ()       # files of the corpus that are touched before each run


@dataclass(frozen=True)
class Bar:
    """A demand: metric of `of`, divided by that of `per` where given, against `limit`."""

    metric: str             # wall, cpu, rss, threads, requests (of slowfs) or a group of CALLS
    of: str
    op: str = ""            # "<=" or ">="; empty: the figure is shown and nothing demanded
    limit: float = 0
    per: tuple = ()         # labels, whose figures are summed, or a count of the corpus
    slack: float = 0        # taken off before dividing: what a start-up needs
    goal: float = 0         # a stricter limit, said beside the result (0: none)
    why: str = ""


@dataclass(frozen=True)
class Case:
    """One row of results."""

    name: str
    title: str
    corpus: str             # a key of corpora.CORPORA
    commands: tuple
    bars: tuple = ()
    cache: str = "warm"     # warm, cold (caches dropped before each run), fresh (a new mount)
    out: str = "null"       # null or pipe
    repeat: int = 1         # times the usual number of runs, for very short commands
    count: str = ""         # the count "matching": what find prints with these arguments
    on: str = ""            # each run removes a copy of its own, made on tmpfs, ext4, xfs or btrfs
    empty: bool = False     # that copy has the names alone: files are empty
    listed: bool = False    # that copy is listed instead: one copy serves all runs
    copies: str = ""        # the commands copy it to {copy}, which is this place and no run finds
    stays: bool = False     # the commands change what is in their copies, and remove nothing
    runs: int = 0           # at most this many of each command (0: as many as asked for)
    timed: bool = True      # whether its times say anything; else each command runs once
    counted: bool = True    # whether system calls and threads are counted
    section: str = ""       # a key of SECTIONS

    @property
    def begins_anew(self):
        """Whether each run has a mount or a copy of its own."""
        return self.cache == "fresh" or bool(self.copies)


# Each section with what its rows show.
SECTIONS = {
    "house": "what the engine's structure may cost, and where it must beat other programs",
    "changed": "what changed since a state, beside a floor that asks for as much, and git status",
    "du": "what a tree takes, beside a floor that asks for as much, GNU du, dust and diskus",
    "rivals": "listing a tree, beside every program that does the same: threads, one thread, cold",
    "chown": "changing the owners of a tree, beside GNU chown",
    "cp": "copying a tree, beside a floor that keeps modes, owners and times, and other programs",
    "network": "NFS and SMB in a guest, by the kernel's servers or samba, 20 ms per round trip",
}

# Groups of system calls that a bar may name, by the kernel's names for them.
CALLS = {
    "opens": ("openat", "openat2", "open"),
    "stats": ("statx", "newfstatat", "newfstat", "newlstat", "newstat"),
    "getdents": ("getdents64",),
    "closes": ("close",),
    "writes": ("write", "writev"),
}

BRISK = Command("brisk", "{brisk} find -u '' {root}")
BRISK_1 = Command("brisk -1 thread", "{brisk} find -u --threads 1 '' {root}")
BRISK_META = Command("brisk", "{brisk} find -u --format '{size} {mtime:%s} {}' '' {root}", "meta")
FLOOR_1 = Command("floor-1", "{floor} -t 1 {root}")
FLOOR_2 = Command("floor-2", "{floor} -t 2 {root}")
FLOOR_2_SHARED = Command("floor-2 shared", "{floor} -t 2 --shared-table {root}")
WIDE = Command("wide-128", "{wide} -t 128 {root}")
WIDE_META = Command("wide-128", "{wide} -t 128 --stat {root}", "meta")
FD = Command("fd", "{fd} -u --color=never '' {root}")
RG = Command("rg", "{rg} --files -uuu {root}", "files")
BFS = Command("bfs", "{bfs} {root} -mindepth 1")
FIND = Command("find", "{find} {root} -mindepth 1")
FIND_META = Command("find", "{find} {root} -mindepth 1 -printf '%s %Ts %p\\n'", "meta")
BFS_META = Command("bfs", "{bfs} {root} -mindepth 1 -printf '%s %Ts %p\\n'", "meta")

# The bars of every warm listing of a local corpus.
WARM = (
    Bar("wall", "brisk", "<=", 1.15, ("floor-2",)),
    Bar("cpu", "brisk", "<=", 1.20, ("floor-2",)),
    Bar("wall", "fd", ">=", 1.75, ("brisk",)),
    Bar("wall", "find", ">=", 2.9, ("brisk",)),
    Bar("threads", "brisk", "<=", 1, ("cores",), why="workers on a warm tree ≤ cores + 1"),
)
NO_THREAD = Bar("threads", "brisk", "<=", 0, why="no thread created")
ONE_THREAD = Bar("wall", "brisk -1 thread", "<=", 1.20, ("floor-1",))
VALID_FLOOR = Bar("wall", "find", ">=", 3.2, ("floor-2",), why="else the floor does not count")
# Of one thread: each worker opens a file or two.
PER_DIRECTORY = (
    Bar("opens", "brisk -1 thread", "<=", 1, ("directories",), slack=60),
    Bar("getdents", "brisk -1 thread", "<=", 1, ("floor-1",), slack=60),
    Bar("closes", "brisk -1 thread", "<=", 1, ("directories",), slack=60),
    Bar("stats", "brisk -1 thread", "<=", 40, why="none per entry"),
)
LISTERS = (BRISK, FLOOR_1, FLOOR_2, FD, RG, BFS, FIND)


# Who lists every name of a tree, each with its own number of threads, and each with one.
LISTDIR = Command("ListDir", "{listdir} {root}")
ZLOB = Command("zlob", "{zlob} all {root}")
ZLOB_GIT = Command("zlob", "{zlob} git {root}")
RIVAL_LISTERS = (ZLOB, LISTDIR, BFS, FD, RG)
SERIAL = (
    FLOOR_1, Command("zlob 1 thread", "{zlob} all {root} 1"),
    Command("bfs -j1", "{bfs} -j1 {root} -mindepth 1"),
    Command("ListDir serial", "{listdir_serial} {root}"),
    Command("fd -j1", "{fd} -j1 -u --color=never '' {root}"),
    Command("rg -j1", "{rg} -j1 --files -uuu {root}", "files"), FIND,
)
DISKUS = Command("diskus", "{diskus} {root}", "sum")


def beats(ours, *rivals):
    """brisk's command is not slower than any of these."""
    return tuple(Bar("wall", rival.label, ">=", 1.0, (ours.label,)) for rival in rivals)


def rival_cases(cache):
    """The npm tree, beside all that list it. The cold cases show what waiting for a disk costs."""
    name, how = ("npm-", "") if cache == "warm" else ("npm-cold-", ", caches dropped")
    depth = Command("brisk --order depth", "{brisk} find -u --order depth '' {root}")
    in_depth = (Command("bfs -S dfs", "{bfs} -S dfs {root} -mindepth 1"),
                Command("bfs -j1 -S dfs", "{bfs} -j1 -S dfs {root} -mindepth 1"), FIND)
    meta = (BFS_META, DISKUS, FIND_META)
    for case, title, ours, rivals in (
        ("rivals", "list", (BRISK,), RIVAL_LISTERS),
        ("serial", "list, one thread", (BRISK_1,), SERIAL),
        ("depth", "list, each directory before the next one", (depth, BRISK), in_depth),
        ("stat-rivals", "size and mtime of every entry; diskus asks for sizes", (BRISK_META,),
         meta),
    ):
        bars = beats(ours[0], *(rival for rival in rivals if rival is not FLOOR_1))
        yield Case(name + case, title + how, "npm", ours + rivals, bars, cache=cache,
                   section="rivals")


def zlob_cases():
    """The trees on which zlob's walker is compared, the fastest library beside the engine."""
    git = Command("brisk", "{brisk} find '' {root}")
    for corpus, title, ours, rival, limit in (
        ("repository", "a git repository of 840 files, with rules", git, ZLOB_GIT, 1.0),
        ("sources", "the sources of a hundred crates", BRISK, ZLOB, 1.35),
        ("usr", "/usr", BRISK, ZLOB, 1.45),
    ):
        bars = (Bar("wall", rival.label, ">=", limit, (ours.label,)),)
        repeat = 10 if corpus == "repository" else 1
        yield Case(f"zlob-{corpus}", f"list {title}", corpus, (ours, rival), bars,
                   repeat=repeat, section="rivals")


def on_slow(command, argv_tail="", **changes):
    """The same command with other arguments or limits."""
    return replace(command, argv=command.argv + argv_tail, **changes)


FD_32 = Command("fd -j32", "{fd} -j32 -u --color=never '' {root}")
FD_64 = Command("fd -j64", "{fd} -j64 -u --color=never '' {root}")
RCLONE = Command("rclone", "{rclone} lsf -R {root}", "rclone")
BFS_64_META = Command("bfs -j64", "{bfs} -j64 {root} -mindepth 1 -printf '%s %Ts %p\\n'", "meta")
BFS_64 = Command("bfs -j64", "{bfs} -j64 {root} -mindepth 1")

LS = Command("brisk", "{brisk} ls {root}", "ls")
LS_COLOR = Command("brisk", "{brisk} ls --color=always {root}", "ls")
LS_LONG = Command("brisk", "{brisk} ls -l {root}", "ls")
GNU_LS = Command("ls", "{ls} {root}", "ls")
GNU_LS_COLOR = Command("ls", "{ls} --color=always {root}", "ls")
GNU_LS_LONG = Command("ls", "{ls} -l {root}", "ls")
EZA = Command("eza", "{eza} -1 --color=always {root}", "eza")

RM = Command("brisk", "{brisk} rm -rf {root}")
GNU_RM = Command("rm", "{rm} -rf {root}")
RMZ = Command("rmz", "{rmz} -f {root}")
FLOOR_RM = Command("floor-2", "{rmtree} deep 2 {root}")
NOT_SLOWER = Bar("wall", "rm", ">=", 1.0, ("brisk",), why="never slower than GNU rm")
NOT_SLOWER_THAN_CHOWN = (Bar("wall", "chown", ">=", 1.0, ("brisk",)),)
FLAT_RM = (NOT_SLOWER, Bar("rss", "brisk", "<=", 32))


def removal(on, commands, runs, *bars):
    """The npm tree removed from one kind of file system. A copy takes ten times as long as its
    removal, and on disks far longer. So there are fewer runs, and on disks the files are empty."""
    empty = on != "tmpfs"
    title = f"rm -rf of the npm tree, {on}" + (", files empty" if empty else "")
    return Case(f"rm-{on}", title, "npm", commands, bars, on=on, empty=empty, runs=runs,
                counted=False, section="house")


def plus_case(life):
    """Attributes that come with the listing, where the kernel finds them used, and last so long.
    Those that do not last have to be asked for one by one: nothing is demanded of them."""
    lasts = life != "0"
    ours = ("brisk", "brisk -l", "brisk find")
    bars = (
        Bar("wall", "ls", ">=", 2.5, ("brisk",)),
        *(Bar("wall", label, "<=", 1.5, ("brisk",)) for label in ours[1:]),
        *(Bar("requests", label, "<=", 8, why="readdir and lookup, the worst run")
          for label in ours),
    )
    if not lasts:
        bars = tuple(replace(bar, op="") for bar in bars)
    sizes = Command("brisk find", "{brisk} find --format '{size} {}' '' {root}", "sizes")
    return Case(f"slowfs-plus-{life}", f"4,000 files, READDIRPLUS, attributes last {life}",
                f"slow-plus-{life}", (
        LS_COLOR, on_slow(GNU_LS_COLOR, max_runs=0 if lasts else 1),
        on_slow(LS_LONG, label="brisk -l", prints="long"), sizes,
    ), bars, cache="fresh", section="house")


def calls_case(on):
    """How often a directory is read, on one kind of file system."""
    listers = (BRISK, BRISK_1)
    bars = tuple(Bar("getdents", lister.label, "<=", 1.1, ("directories",)) for lister in listers)
    told = Bar("getdents", "floor-1", per=("directories",), why="reads until 0")
    return Case(f"house-calls-{on}", f"getdents64 calls a directory, {on}", "npm",
                listers + (FLOOR_1,), bars + (told,), on=on, empty=True, listed=True, timed=False,
                section="house")


def wide_case(name, title, corpus, command, floor, limit):
    """Slow storage, beside 128 C threads on one queue; and with a number of threads that the user
    sets, which shows what finding the number costs."""
    fixed = tuple(on_slow(command, f" --threads {number}", label=f"brisk -{number}")
                  for number in (64, 128))
    bars = (Bar("wall", "brisk", "<=", limit, ("wide-128",)),
            *(Bar("wall", same.label, per=("wide-128",)) for same in fixed))
    return Case(f"house-{name}", title, corpus, (command, floor) + fixed, bars, cache="fresh",
                section="house")


# What the engine's structure may cost, and where it must beat other programs; with the cases of
# removals and of READDIRPLUS, which have their place in CASES.
HOUSE = (
    Case("house-npm", "list, beside a floor with one descriptor table", "npm",
         (BRISK, FLOOR_2_SHARED, FLOOR_2), (
             Bar("wall", "brisk", "<=", 1.12, ("floor-2 shared",), goal=1.07),
             Bar("wall", "brisk", per=("floor-2",), why="a table for each thread"),
         ), section="house"),
    *(calls_case(on) for on in ("ext4", "tmpfs", "btrfs")),
    wide_case("dirs", "list 1,000 directories of 10 files, 1 ms a request", "slow-dirs", BRISK,
              WIDE, 1.2),
    wide_case("dirs-stat", "the same with size and mtime", "slow-dirs", BRISK_META, WIDE_META,
              1.15),
    wide_case("flat-stat", "one directory of 10,000 files, size and mtime, 1 ms a request",
              "slow-flat", BRISK_META, WIDE_META, 1.15),
    wide_case("ls", "ls, GNU's default colours, of the same 10,000 files", "slow-flat", LS_COLOR,
              WIDE_META, 1.25),
    Case("house-ten", "find in a directory of ten files", "ten", (BRISK, FIND), (
        Bar("wall", "brisk", "<=", 1.15, ("find",)), NO_THREAD,
    ), repeat=20, section="house"),
    Case("house-rm-ten", "rm -rf of a directory of ten files, tmpfs", "ten", (RM, GNU_RM), (
        Bar("wall", "brisk", "<=", 1.5, ("rm",), goal=1.2), NO_THREAD,
    ), on="tmpfs", repeat=20, section="house"),
)

DU = Command("brisk", "{brisk} du -sk {root}", "sum")
GNU_DU = Command("du", "{du} -sk {root}", "sum")
DUST = Command("dust", "{dust} -b -n 1 {root}", "dust")
DU_DISKUS = replace(DISKUS, prints="diskus")

# What a tree takes.
DU_CASES = (
    Case("du-npm", "du -s of the npm tree, beside a floor with one descriptor table", "npm", (
        DU, Command("floor-2 shared", "{floor} -t 2 --shared-table --sum {root}", "floor"), GNU_DU,
        DUST, DU_DISKUS,
    ), (
        Bar("wall", "brisk", "<=", 1.12, ("floor-2 shared",)),
        Bar("wall", "du", ">=", 2.2, ("brisk",)),
        Bar("wall", "dust", ">=", 1.8, ("brisk",)),
        Bar("wall", "diskus", ">=", 1.15, ("brisk",)),
    ), section="du"),
    Case("du-slowfs", "du -s of 1,000 directories of 10 files, 1 ms a request", "slow-dirs", (
        DU, Command("wide-128", "{wide} -t 128 --sum {root}", "floor"),
        on_slow(GNU_DU, max_runs=1), on_slow(DU_DISKUS, max_runs=3),
    ), (
        Bar("wall", "brisk", "<=", 1.15, ("wide-128",)),
        Bar("wall", "du", ">=", 35, ("brisk",)),
        Bar("wall", "diskus", ">=", 8, ("brisk",)),
    ), cache="fresh", section="du"),
    Case("du-cold", "du -s of the npm tree, caches dropped", "npm", (DU, GNU_DU, DU_DISKUS), (
        Bar("wall", "du", ">=", 3, ("brisk",)),
        Bar("wall", "diskus", ">=", 1.3, ("brisk",)),
    ), cache="cold", section="du"),
)

CHOWN = Command("brisk", "{brisk} chown -R 1:1 {root}")
CHOWN_LINK = Command("link", "{chown_link} -R 1:1 {root}")
GNU_CHOWN = Command("chown", "{chown} -R 1:1 {root}")
CHOWN_SAME, GNU_CHOWN_SAME = (replace(one, argv=one.argv.replace("1:1", "0:0"))
                              for one in (CHOWN, GNU_CHOWN))

# Changing owners. The trees are root's.
CHOWN_CASES = (
    Case("chown-npm", "chown -R of the npm tree, tmpfs, each entry changes", "npm",
         (CHOWN, CHOWN_LINK, GNU_CHOWN), NOT_SLOWER_THAN_CHOWN, on="tmpfs", empty=True, stays=True,
         runs=7, counted=False, section="chown"),
    Case("chown-npm-same", "the same, nothing differs", "npm", (CHOWN_SAME, GNU_CHOWN_SAME),
         NOT_SLOWER_THAN_CHOWN, on="tmpfs", empty=True, listed=True, counted=False,
         section="chown"),
    Case("chown-slowfs", "chown -R of 1,000 directories of 10 files, 1 ms a request", "slow-own",
         (CHOWN, on_slow(GNU_CHOWN, max_runs=1)), NOT_SLOWER_THAN_CHOWN, cache="fresh",
         counted=False, section="chown"),
)

# With all attributes (-a), and with names, contents and modes alone (-r).
CP = Command("brisk", "{brisk} cp -aT {root} {copy}")
GNU_CP = Command("cp", "{cp} -aT {root} {copy}")
FLOOR_CP = Command("floor-2", "{cptree} 2 {root} {copy}")
RSYNC = Command("rsync", "{rsync} -a {root}/ {copy}", max_runs=3)
COPYTREE = Command("copytree", "{python3} -c 'import shutil, sys; "
                   "shutil.copytree(*sys.argv[1:], symlinks=True)' {root} {copy}",
                   max_runs=2)
NODE_CP = Command("fs.cp", "{node} -e 'const [from, to] = process.argv.slice(1); "
                  "require(\"fs\").promises.cp(from, to, {recursive: true})' {root} {copy}",
                  max_runs=1)
CP_PLAIN = Command("brisk", "{brisk} cp -rT {root} {copy}")
GNU_CP_PLAIN = Command("cp", "{cp} -rT {root} {copy}")
CPZ = Command("cpz", "{cpz} {root} {copy}")

# Once more, when the copy is there.
COPIED = ("cp -aT {root} {copy}",)
CP_AGAIN = (
    Command("brisk", "{brisk} cp -aT --update=changed {root} {copy}", before=COPIED),
    Command("statx-2", "sh -c '{floor} -t 2 --sum {root}; {floor} -t 2 --sum {copy}'", "sum",
            before=COPIED),
    Command("cp", "{cp} -auT {root} {copy}", before=COPIED), replace(RSYNC, before=COPIED),
)
BESIDE = "{root}.copy"


def at_least(limit, *rivals):
    """Each of these takes at least so many times as long as brisk."""
    return tuple(Bar("wall", rival, ">=", limit, ("brisk",)) for rival in rivals)


def copying(on, commands, *bars, how="-a"):
    """The npm tree copied on one kind of file system."""
    return Case(f"cp-{on}" if how == "-a" else f"cp-{on}-plain", f"cp {how} of the npm tree, {on}",
                "npm", commands, bars, on=on, listed=True, copies=BESIDE, runs=9, counted=False,
                section="cp")


def copying_plain(on, limit):
    """The same without metadata, as cpz copies."""
    return copying(on, (CP_PLAIN, GNU_CP_PLAIN, CPZ), *at_least(limit, "cp"), *at_least(1.0, "cpz"),
                   how="-r")


CP_CASES = (
    copying("tmpfs", (CP, FLOOR_CP, GNU_CP, RSYNC, COPYTREE, NODE_CP), *at_least(2.0, "cp"),
            Bar("wall", "brisk", "<=", 1.1, ("floor-2",)), *at_least(3.5, "rsync"),
            *at_least(7, "copytree"), *at_least(15, "fs.cp")),
    copying_plain("tmpfs", 1.8),
    copying("ext4", (CP, FLOOR_CP, GNU_CP), *at_least(1.0, "cp")),
    copying("xfs", (CP, FLOOR_CP, GNU_CP), *at_least(1.6, "cp")),
    copying_plain("xfs", 1.0),
    copying("btrfs", (CP, FLOOR_CP, GNU_CP), *at_least(1.5, "cp")),
    copying_plain("btrfs", 1.0),
    Case("cp-flat", "cp -r of one directory of 10,000 files, tmpfs", "ten-thousand",
         (CP_PLAIN, GNU_CP_PLAIN), at_least(1.15, "cp"), on="tmpfs",
         listed=True, copies=BESIDE, counted=False, repeat=3, section="cp"),
    Case("cp-again", "cp -a --update=changed of the npm tree, nothing changed, tmpfs", "npm",
         CP_AGAIN, (Bar("wall", "brisk", "<=", 1.15, ("statx-2",)), *at_least(2.2, "cp"),
                    *at_least(2.5, "rsync")),
         on="tmpfs", listed=True, copies=BESIDE, counted=False, section="cp"),
    Case("cp-slowfs-from", "cp -a of 200 directories of 10 files, 1 ms a request", "slow-cp",
         (CP, replace(GNU_CP, max_runs=1)), at_least(30, "cp"), cache="fresh", copies=BESIDE,
         counted=False, section="cp"),
    Case("cp-slowfs-to", "the same to slowfs from the disk", "small",
         tuple(replace(command, mount="outside") for command in (CP, replace(GNU_CP, max_runs=1))),
         at_least(30, "cp"), copies="{mount}/copy", counted=False, section="cp"),
)

ASK = "{brisk} changed -u --state {state} {root}"
ACCEPT = ASK + " --save {state}"
# A state of an earlier run may be of a file system that is no more.
NEW_STATE = ("rm -f {state}", ACCEPT)
CHANGED = Command("brisk", ASK, "changes", before=NEW_STATE)
FLOOR_STAT = Command("floor-2 shared", "{floor} -t 2 --stat --shared-table {root}", "meta")
WIDE_STAT = Command("wide-128", "{wide} -t 128 --stat {root}", "meta")
IN_GIT = ("{git} --git-dir={state}.git --work-tree={root} -c core.untrackedCache=true "
          "-c core.safecrlf=false -c gc.auto=0 -c user.name=bench -c user.email=bench@localhost ")
GIT = Command("git", IN_GIT + "status --porcelain", "changes", before=(
    "rm -rf {state}.git", "{git} init -q --bare {state}.git", IN_GIT + "add -A",
    IN_GIT + "commit -qm all", IN_GIT + "status --porcelain",
))


def edits(*files):
    """The same question after these files were touched; and with the new state accepted. What is
    still to be written to a disk would be waited for."""
    return (Command("edits", ASK, "edits", before=("sync",) + NEW_STATE, touch=files),
            Command("edits, accepted", ACCEPT, "edits", before=("sync",) + NEW_STATE, touch=files))


# What changed since a state was made.
CHANGED_CASES = (
    Case("changed-npm", "nothing changed in the npm tree", "npm", (CHANGED, FLOOR_STAT, GIT), (
        Bar("wall", "brisk", "<=", 0.90, ("floor-2 shared",)),
        Bar("wall", "git", ">=", 2.0, ("brisk",)),
    ), section="changed"),
    Case("changed-npm-edit", "one file changed in the npm tree", "npm", (
        CHANGED, *edits(".package-lock.json"),
    ), (
        Bar("wall", "edits", per=("brisk",)),
        Bar("wall", "edits, accepted", per=("edits",)),
    ), section="changed"),
    Case("changed-site", "3,000 files, nothing changed, or one file", "site", (
        CHANGED, FLOOR_STAT, *edits("dir-000/file-000000"),
    ), (
        Bar("wall", "brisk", "<=", 1.2, ("floor-2 shared",)),
        Bar("wall", "edits", "<=", 1.2, ("floor-2 shared",)),
        Bar("wall", "edits, accepted", "<=", 0.006),
    ), repeat=3, section="changed"),
    Case("changed-slowfs", "nothing changed in 1,000 directories of 10 files, 1 ms a request",
         "slow-dirs", (CHANGED, WIDE_STAT, replace(GIT, max_runs=1)), (
        Bar("wall", "brisk", "<=", 1.1, ("wide-128",)),
        Bar("wall", "git", ">=", 10, ("brisk",)),
    ), cache="fresh", section="changed"),
    Case("changed-btrfs", "the npm tree on btrfs, nothing changed, or three files", "npm", (
        CHANGED, FLOOR_STAT,
        *edits(".package-lock.json", "acorn/package.json", "webpack/package.json"),
    ), (
        Bar("wall", "edits", "<=", 0.012),
        Bar("wall", "edits, accepted", per=("edits",)),
    ), on="btrfs", empty=True, listed=True, section="changed"),
    Case("diff-1m", "two states of a million entries, of which a thousand differ", "flat", (
        Command("brisk", "{brisk} diff {state}.old {state}", "edits", before=(
            ASK + " --save {state}.old",
            "sh -c 'ls -U {root} | head -n 1000 | (cd {root} && xargs touch)'",
            ASK + " --save {state}",
        )),
    ), (
        Bar("wall", "brisk", "<=", 0.6), Bar("rss", "brisk", "<=", 64),
    ), section="changed"),
)



def network_cases(protocol):
    """200 directories of 8 files on a server, each run on a fresh mount. GNU's programs take 20 ms
    for each request, and run less often."""
    ls = Command("brisk", "{brisk} ls -lR {root}", "ls")
    gnu_ls = Command("ls", "{ls} -lR {root}", "ls", 3)
    for name, title, commands in (
        ("find", "list", (BRISK, FD, FD_32, FD_64, BFS, BFS_64, RCLONE, FIND)),
        ("size", "size and mtime of every entry", (BRISK_META, BFS_META, BFS_64_META, FIND_META)),
        ("du", "du -s", (DU, GNU_DU)),
        ("ls", "ls -lR", (ls, gnu_ls)),
        ("rm", "rm -rf", (RM, RMZ, GNU_RM)),
    ):
        ours, *rivals = commands
        rivals = tuple(replace(one, max_runs=1 if name == "rm" else 3) for one in rivals)
        bars = (Bar("wall", rivals[-1].label, ">=", 1.0, (ours.label,)),)
        yield Case(f"{protocol}-{name}", f"{title}, {protocol}, 20 ms per round trip",
                   protocol + (" copy" if name == "rm" else ""), (ours, *rivals), bars, cache="fresh", runs=5, counted=False, section="network")


CASES = (
    Case("npm-warm", "list, to /dev/null", "npm", LISTERS + (BRISK_1,),
         WARM + (ONE_THREAD, VALID_FLOOR, Bar("rss", "brisk", "<=", 16)) + PER_DIRECTORY),
    Case("npm-pipe", "list, through a pipe", "npm", LISTERS, WARM[:4], out="pipe"),
    Case("usr-warm", "list, to /dev/null", "usr", LISTERS + (BRISK_1,),
         WARM + (ONE_THREAD,) + PER_DIRECTORY),
    Case("usr-pipe", "list, through a pipe", "usr", LISTERS, WARM[:4], out="pipe"),
    Case("npm-git", "defaults (ignore rules on)", "git", (
        Command("brisk", "{brisk} find '' {root}"),
        Command("fd", "{fd} --color=never '' {root}"),
        Command("rg", "{rg} --files {root}", "files"),
    ), (Bar("wall", "fd", ">=", 1.8, ("brisk",)),)),
    Case("npm-stat", "size and mtime of every entry", "npm", (
        BRISK_META, Command("floor-2", "{floor} -t 2 --stat {root}", "meta"),
        Command("floor-1", "{floor} -t 1 --stat {root}", "meta"), FIND_META, BFS_META,
    ), (
        Bar("wall", "brisk", "<=", 1.15, ("floor-2",)),
        Bar("wall", "find", ">=", 2.3, ("brisk",)),
    )),
    Case("npm-scan", "a Parquet table of every entry", "npm", (
        Command("brisk", "{brisk} scan -o {root}.parquet {root}", "table"),
        Command("floor-2", "{floor} -t 2 --stat {root}", "meta"),
    ), (
        Bar("wall", "brisk", "<=", 1.6, ("floor-2",)), Bar("rss", "brisk", "<=", 256),
    )),
    Case("npm-size", "-e ts -S +1k: stats the .ts files only", "npm", (
        Command("brisk", "{brisk} find -u -e ts -S +1k '' {root}"),
        Command("fd", "{fd} -u --color=never -e ts -S +1k '' {root}"),
    ), (Bar("stats", "brisk", "<=", 1, ("matching",), slack=40),),
         count="-type f -iname '?*.ts'"),
    Case("npm-order", "--order breadth and sorted against none", "npm", (
        BRISK, Command("breadth", "{brisk} find -u --order breadth '' {root}"),
        Command("sorted", "{brisk} find -u --order sorted '' {root}"),
    ), (
        Bar("wall", "breadth", "<=", 1.35, ("brisk",)),
        Bar("wall", "sorted", "<=", 1.35, ("brisk",)),
    )),
    Case("npm-cold", "list, caches dropped", "npm", (
        BRISK, Command("floor-32", "{floor} -t 32 {root}"), FD, FD_32, FD_64, RG, BFS, BFS_64, FIND,
    ), (
        Bar("wall", "fd", ">=", 2.0, ("brisk",)),
        Bar("wall", "brisk", "<=", 1.3, ("floor-32",)),
    ), cache="cold"),
    Case("slowfs-dirs", "list 1,000 directories of 10 files, 1 ms a request", "slow-dirs", (
        BRISK, Command("floor-64", "{floor} -t 64 {root}"), FD, FD_32, FD_64,
        on_slow(RG, max_runs=3), BFS, BFS_64, RCLONE, on_slow(FIND, max_runs=3),
    ), (
        Bar("wall", "brisk", "<=", 0.25),
        Bar("rss", "brisk", "<=", 32),
    ), cache="fresh"),
    Case("slowfs-dirs-stat", "the same with size and mtime", "slow-dirs", (
        BRISK_META, Command("floor-64", "{floor} -t 64 --stat {root}", "meta"),
        on_slow(BFS_META, max_runs=1), BFS_64_META, on_slow(FIND_META, max_runs=1),
    ), (
        Bar("wall", "brisk", "<=", 0.6),
        Bar("rss", "brisk", "<=", 32),
    ), cache="fresh"),
    Case("slowfs-flat-stat", "one directory of 10,000 files, size and mtime", "slow-flat", (
        BRISK_META, Command("floor-64", "{floor} -t 64 --stat {root}", "meta"),
        Command("floor-128", "{floor} -t 128 --stat {root}", "meta"),
        on_slow(FIND_META, max_runs=1),
    ), (
        Bar("wall", "brisk", "<=", 0.45),
    ), cache="fresh"),
    *(plus_case(life) for life in ("0", "1s", "60s")),
    Case("npm-slowfs", "npm with a slowfs mounted inside, and each alone", "mixed", (
        Command("both", "{brisk} find -u '' {root}", mount="inside"),
        Command("npm alone", "{brisk} find -u '' {root}", "npm"),
        Command("slowfs alone", "{brisk} find -u '' {mount}", "slowfs", mount="outside"),
        Command("floor-64", "{floor} -t 64 {root}", mount="inside"),
        Command("fd", "{fd} -u --color=never '' {root}", mount="inside"),
    ), (Bar("wall", "both", "<=", 1.2, ("npm alone", "slowfs alone")),)),
    Case("ten", "a directory of ten files", "ten", (
        BRISK, Command("brisk musl", "{brisk_musl} find -u '' {root}"), FLOOR_1, FD, BFS, FIND,
    ), (
        Bar("wall", "brisk", "<=", 1.1, ("find",)), NO_THREAD,
    ), repeat=20),
    Case("flat-1m", "one directory of 1,000,000 files", "flat", LISTERS,
         (Bar("rss", "brisk", "<=", 16),)),
    Case("tree-10m", "a tree of 10,172,524 entries", "huge", (
        BRISK, FLOOR_2, FD, BFS, FIND,
    ), (Bar("rss", "brisk", "<=", 64),)),
    Case("ls-slowfs", "ls, GNU's default colours, 10,000 files, 1 ms a request", "slow-flat", (
        LS_COLOR, on_slow(GNU_LS_COLOR, max_runs=1), on_slow(EZA, max_runs=1),
    ), (
        Bar("wall", "brisk", "<=", 0.45),
        Bar("wall", "ls", ">=", 45, ("brisk",)),
    ), cache="fresh"),
    Case("ls-slowfs-long", "the same with -l", "slow-flat", (
        LS_LONG, on_slow(GNU_LS_LONG, max_runs=1),
    ), (
        Bar("wall", "brisk", "<=", 1.0),
        Bar("wall", "ls", ">=", 60, ("brisk",)),
    ), cache="fresh"),
    Case("ls-color", "ls, GNU's default colours, 10,000 local files", "ten-thousand", (
        LS_COLOR, GNU_LS_COLOR, EZA,
    ), (
        Bar("wall", "brisk", "<=", 0.75, ("ls",)),
        Bar("cpu", "brisk", "<=", 1.0, ("ls",)),
        Bar("wall", "eza", ">=", 2.5, ("brisk",)),
    ), repeat=3),
    Case("ls-plain", "ls without colour, 10,000 local files", "ten-thousand", (
        LS, GNU_LS, Command("eza", "{eza} -1 --color=never {root}", "eza"),
    ), (
        Bar("wall", "brisk", "<=", 0.8, ("ls",)),
        Bar("stats", "brisk", "<=", 40, why="none per entry"),
    ), repeat=3),
    Case("ls-flat-1m", "ls, one directory of 1,000,000 files", "flat", (
        LS, Command("brisk -U", "{brisk} ls -U {root}", "ls"), GNU_LS,
    ), (
        Bar("rss", "brisk -U", "<=", 16),
        Bar("rss", "brisk", "<=", 80),
        Bar("wall", "brisk", "<=", 0.7, ("ls",)),
    )),
    Case("ls-npm", "ls -R, GNU's default colours", "npm", (
        Command("brisk", "{brisk} ls -R --color=always {root}", "ls"),
        Command("ls", "{ls} -R --color=always {root}", "ls"),
    ), (Bar("wall", "ls", ">=", 2.0, ("brisk",)),)),
    removal("tmpfs", (RM, FLOOR_RM, RMZ, GNU_RM), 7,
            Bar("wall", "rm", ">=", 2.3, ("brisk",)), Bar("wall", "rmz", ">=", 1.0, ("brisk",))),
    removal("ext4", (RM, RMZ, GNU_RM), 5,
            Bar("wall", "rm", ">=", 1.6, ("brisk",)), Bar("wall", "rmz", ">=", 1.0, ("brisk",))),
    removal("xfs", (RM, GNU_RM), 5, NOT_SLOWER),
    removal("btrfs", (RM, GNU_RM), 5, NOT_SLOWER),
    Case("rm-slowfs", "rm -rf of 32 × 32 directories of 10 files, 1 ms a request", "slow-tree", (
        RM, Command("floor-64", "{rmtree} wide 64 {root}"),
        Command("floor-128", "{rmtree} wide 128 {root}"), on_slow(RMZ, max_runs=1),
        on_slow(GNU_RM, max_runs=1),
    ), (
        Bar("wall", "brisk", "<=", 1.5, ("floor-64",)),
        Bar("wall", "rm", ">=", 12, ("brisk",)),
    ), cache="fresh"),
    Case("rm-flat-1m", "rm -rf of one directory of 1,000,000 files, tmpfs", "flat",
         (RM, RMZ, GNU_RM), FLAT_RM, on="tmpfs", counted=False),
    Case("rm-flat-1m-ext4", "the same, ext4", "flat", (RM, GNU_RM), FLAT_RM, on="ext4", runs=5,
         counted=False),
    Case("rm-ten", "rm -rf of a directory of ten files, tmpfs", "ten", (RM, RMZ, GNU_RM), (
        Bar("wall", "brisk", "<=", 1.2, ("rm",)), NO_THREAD,
    ), on="tmpfs", repeat=20),
    Case("rm-background", "rm --background of the npm tree, until it returns, tmpfs", "npm", (
        Command("brisk", "{brisk} rm -rf --background {root}"),
    ), (Bar("wall", "brisk", "<=", 0.020),), on="tmpfs", empty=True, counted=False),
    *HOUSE, *CHANGED_CASES, *DU_CASES, *CHOWN_CASES, *CP_CASES,
    *rival_cases("warm"), *rival_cases("cold"), *zlob_cases(),
    *(case for protocol in ("nfs-3", "nfs-4.2", "smb-3") for case in network_cases(protocol)),
)
