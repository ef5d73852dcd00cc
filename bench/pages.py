"""The figures of docs/performance.md, and README.md's table of speed: made from the record."""

import os
import sys

import report
from corpora import ROOT

PERFORMANCE = os.path.join(ROOT, "docs", "performance.md")
FRONT = os.path.join(ROOT, "README.md")
BEGIN = "<!-- figures: written by scripts/bench --pages -->"
END = "<!-- end of figures -->"

# The columns in their order, with the commands that can stand in them. One without a figure is left
# out of a table.
COLUMNS = {
    **{name: (name,) for name in (
        "fd", "fd -j32", "fd -j64", "rg", "find", "bfs", "bfs -j64", "ListDir", "zlob", "rclone",
        "ls", "du", "dust", "diskus", "rm", "rmz", "cp", "cpz", "rsync", "copytree", "fs.cp", "chown",
        "git",
    )},
    "floor": ("floor-2", "floor-2 shared", "floor-32", "floor-64", "wide-128", "floor-1"),
}
# The protocols of the network section: the beginning of their cases' names, and what they are.
NETWORK = {"nfs-3": "NFS 3", "nfs-4.2": "NFS 4.2", "smb-3": "SMB 3"}
SLOW = "FUSE, 1 ms per request"


def network(case, title):
    """The rows of a network case, one a protocol."""
    return tuple((f"{title}, {shown}, 20 ms per round trip", f"{name}-{case}", "brisk")
                 for name, shown in NETWORK.items())


# For each heading: what a row measures, its case, and brisk's command there.
NPM = "a node_modules of 128,967 entries"
TABLES = {
    "brisk find": (
        (f"`-u`, {NPM}, warm", "npm-warm", "brisk"),
        (f"`-u`, {NPM}, warm, beside libraries' walkers", "npm-rivals", "brisk"),
        (f"`-u`, {NPM}, warm, one thread", "npm-serial", "brisk -1 thread"),
        (f"`-u`, {NPM}, warm, through a pipe", "npm-pipe", "brisk"),
        ("`-u`, /usr, warm", "usr-warm", "brisk"),
        ("`-u`, /usr, warm, beside zlob", "zlob-usr", "brisk"),
        ("with ignore rules, in a git repository, warm", "npm-git", "brisk"),
        ("a git repository of 840 files, with ignore rules", "zlob-repository", "brisk"),
        ("the sources of some hundred crates", "zlob-sources", "brisk"),
        ("ten files", "ten", "brisk"),
        ("size and modification time of each entry, warm", "npm-stat", "brisk"),
        ("one directory of 1,000,000 files", "flat-1m", "brisk"),
        (f"`-u`, {NPM}, caches dropped", "npm-cold", "brisk"),
        (f"1,000 directories of 10 files, {SLOW}", "slowfs-dirs", "brisk"),
        (f"1,000 directories of 10 files, with size and modification time, {SLOW}",
         "slowfs-dirs-stat", "brisk"),
        (f"one directory of 10,000 files, with size and modification time, {SLOW}",
         "slowfs-flat-stat", "brisk"),
        *network("find", "200 directories of 8 files"),
        *network("size", "200 directories of 8 files, with size and modification time"),
    ),
    "brisk ls": (
        ("without colour, 10,000 files", "ls-plain", "brisk"),
        ("GNU's default colours, 10,000 files", "ls-color", "brisk"),
        (f"`-R` with colours, {NPM}", "ls-npm", "brisk"),
        ("1,000,000 files, sorted", "ls-flat-1m", "brisk"),
        (f"GNU's default colours, 10,000 files, {SLOW}", "ls-slowfs", "brisk"),
        (f"`-l`, 10,000 files, {SLOW}", "ls-slowfs-long", "brisk"),
        *network("ls", "`-lR`, 200 directories of 8 files"),
    ),
    "brisk du": (
        (f"`-s`, {NPM}, warm", "du-npm", "brisk"),
        (f"`-s`, {NPM}, caches dropped", "du-cold", "brisk"),
        (f"1,000 directories of 10 files, {SLOW}", "du-slowfs", "brisk"),
        *network("du", "200 directories of 8 files"),
    ),
    "brisk rm": (
        (f"`-rf`, {NPM}, on tmpfs", "rm-tmpfs", "brisk"),
        (f"`-rf`, {NPM}, files empty, on ext4", "rm-ext4", "brisk"),
        (f"`-rf`, {NPM}, files empty, on XFS", "rm-xfs", "brisk"),
        (f"`-rf`, {NPM}, files empty, on btrfs", "rm-btrfs", "brisk"),
        ("one directory of 1,000,000 files, on tmpfs", "rm-flat-1m", "brisk"),
        ("ten files, on tmpfs", "rm-ten", "brisk"),
        (f"32 × 32 directories of 10 files, {SLOW}", "rm-slowfs", "brisk"),
        *network("rm", "200 directories of 8 files"),
    ),
    "brisk cp": (
        *((f"`{flags}`, {NPM}, on {shown}", f"cp-{on}{end}", "brisk")
          for on, shown in (("tmpfs", "tmpfs"), ("ext4", "ext4"), ("xfs", "XFS"),
                            ("btrfs", "btrfs"))
          for flags, end in (("-a", ""), ("-r", "-plain")) if (on, flags) != ("ext4", "-r")),
        ("`-r`, 10,000 files in one directory, on tmpfs", "cp-flat", "brisk"),
        (f"`-a --update=changed`, {NPM}, nothing changed, on tmpfs", "cp-again", "brisk"),
        (f"`-a`, 200 directories of 10 files, from {SLOW}", "cp-slowfs-from", "brisk"),
        (f"`-a`, 200 directories of 10 files, to {SLOW}", "cp-slowfs-to", "brisk"),
    ),
    "brisk chown": (
        (f"`-R`, {NPM}, on tmpfs, each changes", "chown-npm", "brisk"),
        (f"`-R`, {NPM}, on tmpfs, by a link named `chown`, which makes every call", "chown-npm", "link"),
        (f"`-R`, {NPM}, on tmpfs, nothing differs", "chown-npm-same", "brisk"),
        (f"1,000 directories of 10 files, each changes, {SLOW}", "chown-slowfs", "brisk"),
    ),
    "brisk changed": (
        (f"{NPM}, nothing changed", "changed-npm", "brisk"),
        (f"{NPM}, nothing changed, on btrfs", "changed-btrfs", "brisk"),
        ("3,000 files, nothing changed", "changed-site", "brisk"),
        (f"1,000 directories of 10 files, nothing changed, {SLOW}", "changed-slowfs", "brisk"),
    ),
    "brisk scan, brisk diff": (
        (f"a Parquet table of {NPM}", "npm-scan", "brisk"),
        ("two states of 1,000,000 entries, of which 1,000 differ", "diff-1m", "brisk"),
    ),
}
# README's columns: the headings whose rows a command's range spans, and the programs it replaces.
FRONT_ROWS = {
    "brisk find": ("brisk find", ("fd", "fd -j32", "fd -j64", "find", "bfs", "bfs -j64")),
    "brisk ls": ("brisk ls", ("ls",)),
    "brisk rm": ("brisk rm", ("rm",)),
    "brisk du": ("brisk du", ("du",)),
    "brisk cp": ("brisk cp", ("cp", "rsync")),
    "brisk chmod": ("brisk chown", ("chown",)),
}


def is_slow(case):
    """Whether a case runs on slowfs."""
    return "slowfs" in case


def is_network(case):
    """Whether a case runs on a network file system."""
    return case.startswith(tuple(NETWORK))


def ratio(record, ours, labels):
    """The wall time of the first of these commands that ran, divided by that of ours; None if none
    ran, or printed another set."""
    for label in labels:
        result = record["commands"].get(label)
        if result and result["raw"] and not result.get("differs") and label != ours:
            return report.figure(result, "wall") / report.figure(record["commands"][ours], "wall")
    return None


def measured(record, ours):
    """Whether the record has a figure of brisk's."""
    return bool(record and report.figure(record["commands"].get(ours), "wall"))


def times(value):
    """A ratio with as many digits as it deserves."""
    if value is None:
        return ""
    digits = 0 if value >= 10 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f}"


def duration(seconds):
    """A time with two or three digits."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.{0 if seconds >= 0.01 else 1}f} ms"


class Runs:
    """The runs that the figures are of, numbered as they first appear."""

    def __init__(self):
        self.numbers = {}
        self.versions = {}

    def number(self, about, record):
        """The number of a row's run."""
        key = tuple(str(about[name]) for name in
                    ("date", "commit", "cores", "cpu", "memory GiB", "kernel", "file system"))
        found = self.numbers.setdefault(key, len(self.numbers) + 1)
        self.versions.setdefault(found, {}).update(report.versions(about, record))
        return found

    def table(self):
        """What is known of each run."""
        yield "| run | date | commit | machine | programs |"
        yield "|---:|---|---|---|---|"
        for key, number in self.numbers.items():
            date, commit, cores, cpu, memory, kernel, system = key
            known = self.versions[number]
            programs = "; ".join(text if name in text else f"{name}: {text}"
                                 for name, text in sorted(known.items()))
            yield (f"| {number} | {date[:10]} | {commit} | {cores} × {cpu}, {memory} GiB, "
                   f"Linux {kernel}, {system} | {programs} |")


def tables(found, runs, lacking):
    """The body of performance.md's figures."""
    for heading, rows in TABLES.items():
        present = [row for row in rows if measured(found.get(row[1], (0, None))[1], row[2])]
        lacking += [row[1] for row in rows if row not in present]
        if not present:
            continue
        cells = []
        for title, case, ours in present:
            about, record = found[case]
            result = record["commands"][ours]
            cells.append(({name: ratio(record, ours, labels) for name, labels in COLUMNS.items()},
                          [title, duration(report.figure(result, "wall")),
                           f"{report.figure(result, 'rss'):.0f} MiB"],
                          str(runs.number(about, record))))
        shown = [name for name in COLUMNS if any(row[0][name] is not None for row in cells)]
        yield f"## {heading}"
        yield "| " + " | ".join(["", "brisk", "its memory", *shown, "run"]) + " |"
        yield "|---|" + "---:|" * (len(shown) + 3)
        for values, first, run in cells:
            yield "| " + " | ".join([*first, *(times(values[name]) for name in shown), run]) + " |"
        yield ""
    yield "## The runs"
    yield from runs.table()


def spans(found, heading, programs):
    """The ranges of a command's ratios: local, on slowfs, on network file systems."""
    values = [[], [], []]
    for _, case, ours in TABLES[heading]:
        record = found.get(case, (0, None))[1]
        if ours == "brisk" and measured(record, ours):
            ratios = [ratio(record, ours, (program,)) for program in programs]
            place = 2 if is_network(case) else 1 if is_slow(case) else 0
            values[place] += [value for value in ratios if value is not None]
    for some in values:
        ends = sorted({times(min(some)), times(max(some))}, key=float) if some else []
        yield " to ".join(ends)


def front(found, text):
    """README.md with the figures of its table renewed: the last three cells of a command's row."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        for command, (heading, programs) in FRONT_ROWS.items():
            if line.startswith(f"| [`{command}`"):
                cells = line.split(" | ")[:3]
                lines[index] = " | ".join([*cells, *spans(found, heading, programs)]) + " |"
    return "\n".join(lines)


def between(text, begin, end, body):
    """A text with what stands between two markers replaced."""
    before, rest = text.split(begin, 1)
    return f"{before}{begin}\n{body}\n{end}{rest.split(end, 1)[1]}"


def made(found):
    """Each page with its path and its text by the record, and the cases that lack a row."""
    lacking = []
    body = "\n".join(tables(found, Runs(), lacking))
    texts = {}
    for path in (PERFORMANCE, FRONT, report.README):
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    kept = [(name, *row) for name, row in found.items()]
    return {
        PERFORMANCE: (texts[PERFORMANCE], between(texts[PERFORMANCE], BEGIN, END, body)),
        FRONT: (texts[FRONT], front(found, texts[FRONT])),
        report.README: (texts[report.README], between(
            texts[report.README], report.BEGIN, report.END, "\n".join(report.markdown(kept)))),
    }, list(dict.fromkeys(lacking))


def renew(check, quiet=False):
    """Writes the pages, or says which differ from the record; returns the exit code."""
    pages, lacking = made(report.read())
    differ = [path for path, (old, new) in pages.items() if old != new]
    if check:
        for path in differ:
            print(f"{os.path.relpath(path, ROOT)} differs from the record: scripts/bench --pages",
                  file=sys.stderr)
        return 1 if differ else 0
    for path in differ:
        with open(path, "w", encoding="utf-8") as file:
            file.write(pages[path][1])
        print(f"written: {os.path.relpath(path, ROOT)}")
    if lacking and not quiet:
        print("no row yet; these measure them: scripts/bench", *lacking)
    return 0
