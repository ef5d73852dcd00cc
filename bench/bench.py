#!/usr/bin/env python3
"""Runs brisk, its floors and its rivals in turn, and reports which bars are met.

Started by scripts/bench, which builds and installs what this needs. The cases are data
in cases.py; corpora.py makes what is listed, measure.py runs, report.py writes.
"""

import argparse
import fnmatch
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext

import against
import corpora
import measure
import network
import pages
import report
from cases import CALLS, CASES, SECTIONS
from corpora import ROOT

RUNS, RUNS_OF_SECTION = 9, 15  # of each command, unless the user says how many
# The mounts that are removed.
REMOVED = ("slow-tree", *(name for name in corpora.NETWORK if name.endswith("copy")))
TICKS = 0.05  # seconds in which every clock of a file system moves
# The sections that are run unless the user says which.
DEFAULT = ("", *(section for section in SECTIONS if section != "network"))
QUIET = 0.10  # a machine of which others use more than this is not measured on quietly


# The rivals, by the names that cases give them. An environment variable of that name in capitals
# (BFS=, LISTDIR_SERIAL=) says where one is.
RIVALS = {"fd": "fd", "rg": "rg", "bfs": "bfs", "find": "find", "ls": "ls", "eza": "eza",
          "rm": "rm", "rmz": "rmz", "diskus": "diskus",
          "cp": "cp", "cpz": "cpz", "rsync": "rsync", "python3": "python3", "node": "node",
          "du": "du", "dust": "dust", "git": "git", "chown": "chown", "rclone": "rclone",
          "listdir": "listdir-concurrent", "listdir_serial": "listdir-serial",
          "zlob": "zlob-walk"}


def programs():
    """Where each contestant is: by environment, as built, or as installed beside the corpora."""
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    musl = os.path.join(target, "x86_64-unknown-linux-musl", "release", "brisk")
    found = {
        "brisk": os.environ.get("BRISK") or os.path.join(target, "release", "brisk"),
        "brisk_musl": os.environ.get("BRISK_MUSL") or musl,
        "slowfs": os.environ.get("SLOWFS") or os.path.join(target, "release", "slowfs"),
        "floor": os.path.join(corpora.BIN, "floor"),
        "wide": os.path.join(corpora.BIN, "wide"),
        "rmtree": os.path.join(corpora.BIN, "rmtree"),
        "cptree": os.path.join(corpora.BIN, "cptree"),
    }
    return found | {name: rival(name, program) for name, program in RIVALS.items()}


def copied(program, folder):
    """A copy of brisk and of brisk-scan, which brisk starts from beside it, as an installation makes
    them. What the linker has just written lies in small pieces in the system's cache, and starts
    0.2 ms more slowly than its copy."""
    folder = os.path.join(corpora.BIN, folder)
    os.makedirs(folder, exist_ok=True)
    for end in ("-scan", ""):
        copy = os.path.join(folder, "brisk" + end)
        # The copy that an earlier run made may still be running, or be of another brisk.
        if os.path.exists(copy):
            os.unlink(copy)
        if not end or os.path.exists(program + end):
            shutil.copy(program + end, copy)
    return copy


def link_beside(program, name):
    """A link to brisk by which it takes another program's place."""
    link = os.path.join(os.path.dirname(program), name)
    if not os.path.islink(link):
        os.symlink(os.path.basename(program), link)
    return link


def rival(name, program):
    """Where a rival is: what the environment says, else the newer of the one that was installed
    beside the corpora and the first on PATH."""
    given = os.environ.get(name.upper())
    if given:
        return os.path.abspath(given)
    own = os.path.join(corpora.WORK, "rivals", "bin", program)
    places = [path for path in (own, shutil.which(program)) if path and os.path.exists(path)]
    if len(places) < 2:
        return (places or [own])[0]
    return max(places, key=lambda path: report.number(report.version(path)))


def near(path):
    """The path as it is recorded: relative where it lies in this repository."""
    inside = os.path.commonpath([ROOT, path]) == ROOT
    return os.path.relpath(path, ROOT) if inside else path


class Run:
    """One case while it runs: its corpus, its commands, and their figures."""

    def __init__(self, case, where, options, place=None):
        self.case = case
        self.where = where
        self.options = options
        self.root = near(os.path.join(place, "tree") if place else corpora.CORPORA[case.corpus]())
        self.removes = bool(place) and not (case.listed or case.stays) or case.corpus in REMOVED
        # Where commands copy the corpus to.
        self.copy = case.copies.format(root=self.root, mount=near(corpora.slow_root()))
        self.state = case.name + ".state"
        self.results = {}
        self.notes = []

    def argv(self, command):
        """The command's words, with programs and places filled in."""
        return self.filled(command.argv)

    def filled(self, argv):
        """A command line's words, with programs and places filled in."""
        words = shlex.split(argv)
        places = dict(self.where, root=self.root, copy=self.copy, mount=near(corpora.slow_root()),
                      state=near(os.path.join(corpora.WORK, self.state)))
        for name, value in places.items():
            words = [word.replace("{" + name + "}", value) for word in words]
        return words

    def prepared(self, command):
        """The fresh slowfs or the copy that the command wants, if any."""
        if self.case.copies:
            return self.copying(command)
        return self.mounted(command)

    def mounted(self, command):
        """The same, without what the command makes."""
        if self.case.listed:
            return nullcontext({})
        if self.case.on:
            return self.copied()
        if self.case.corpus in corpora.NETWORK:
            return corpora.network(self.case.corpus)
        place = {"outside": corpora.slow_root(), "inside": os.path.join(self.root, "slow")}
        where = place.get(command.mount) or (self.root if self.case.cache == "fresh" else None)
        if not where:
            return nullcontext({})
        flags = corpora.SLOW.get(self.case.corpus) or corpora.mirror()
        return corpora.slowfs(self.where["slowfs"], where, flags)

    @contextmanager
    def copying(self, command):
        """A block that makes one copy of the corpus, which must have as many entries."""
        with self.mounted(command) as counts:
            yield counts
            made, wanted = self.count("", self.copy), self.count("")
            if made != wanted:
                self.results[command.label]["differs"] = True
                self.note(f"{command.label} copied {made:,} of {wanted:,} entries")
            shutil.rmtree(self.copy, ignore_errors=True)

    def make_ready(self, command):
        """What the command needs beforehand, such as a state to compare with."""
        for argv in command.before:
            subprocess.run(self.filled(argv), stdout=subprocess.DEVNULL, check=True)

    def touch(self, command):
        """Touches the command's files, long enough ago that the file system's clock has moved."""
        for name in command.touch:
            os.utime(os.path.join(self.root, name))
        if command.touch:
            time.sleep(TICKS)

    def copied(self):
        """A fresh copy of the corpus for the length of a block."""
        return corpora.copied(self.case.corpus, self.root, self.case.empty)

    def rounds(self):
        """How often each command takes its turn, but for short commands."""
        if not self.case.timed:
            return 1
        most = self.options.runs if self.options.full else self.case.runs
        return min(self.options.runs, most or self.options.runs)

    def check(self):
        """Drops commands that cannot run here, and reports those that print another set."""
        groups = {}
        for command in self.case.commands:
            result = self.check_one(command)
            if result:
                self.results[command.label] = result
                groups.setdefault(command.prints, {})[command.label] = result
        for group in groups.values():
            self.compare(group)

    def compare(self, group):
        """The sets of commands that must print alike, against GNU find's where it takes part."""
        model = "find" if "find" in group else next(iter(group))
        for label, result in group.items():
            result["differs"] = result["digest"] != group[model]["digest"]
            if result["differs"]:
                self.note(f"DIFFERENT SET: {label} printed {result['lines']:,} lines, {model} "
                          f"{group[model]['lines']:,} (order and trailing slashes aside)")

    def check_one(self, command):
        """What the command prints; None (and a note) if it cannot run."""
        argv = self.argv(command)
        if not shutil.which(argv[0]):
            self.note(f"left out: {command.label} is not installed")
            return None
        if self.removes or self.case.copies:
            # They print nothing: what they leave or make is counted after each run instead.
            return {"command": command.argv, "prints": "", "lines": 0, "digest": "", "raw": []}
        with self.prepared(command):
            self.make_ready(command)
            self.touch(command)
            lines, digest, message, status = measure.printed(argv, self.root)
        if status and not lines:
            self.note(f"left out: {command.label} exits {status}: {message[:120]}")
            return None
        if status:
            self.note(f"{command.label} exits {status}: {message[:120]}")
        return {"command": command.argv, "prints": command.prints, "lines": lines,
                "digest": digest, "raw": []}

    def note(self, text):
        """Said now, recorded in the JSON, and printed below the table. A program is named, not
        where it is."""
        for name, path in self.where.items():
            text = text.replace(path, name)
        self.notes.append(text)
        print(f"    {text}", flush=True)

    def time_all(self):
        """A B C A B C …, each with its own preparation outside the timing."""
        rounds = self.rounds() * self.case.repeat
        for number in range(rounds):
            for command in self.case.commands:
                limit = command.max_runs or rounds
                if command.label in self.results and number < limit:
                    self.time_one(command)

    def time_one(self, command):
        """One timed run."""
        argv = self.argv(command)
        result = self.results[command.label]
        if self.case.cache == "cold":
            measure.drop_caches()
            measure.read_binary(argv)
        with self.prepared(command) as counts:
            if self.case.begins_anew:
                self.make_ready(command)
            self.touch(command)
            raw = measure.timed(argv, self.case.out)
            left = corpora.left(self.root) if self.removes else 0
        result["raw"].append(raw)
        if left:
            result["differs"] = True
            self.note(f"{command.label} left {left} entries")
        if counts.get("requests"):
            # Those of the worst run.
            so_far = result.get("slowfs requests", counts["requests"])
            result["slowfs requests"] = max(so_far, counts["requests"], key=report.asked)

    def count_calls(self):
        """System calls and threads of each command, from runs of their own: the median of three. A
        quick run counts once, and what a bar asks for alone."""
        names = [name for group in CALLS.values() for name in group]
        for command in self.case.commands:
            result = self.results.get(command.label)
            if not result or command.max_runs or not self.case.counted:
                continue
            wanted = {bar.metric for bar in self.case.bars if command.label in (bar.of, *bar.per)}
            if self.options.quick and not wanted & {"threads", *CALLS}:
                continue
            found = []
            for _ in range(1 if self.options.quick else 3):
                with self.prepared(command):
                    if self.case.begins_anew:
                        self.make_ready(command)
                    found.append(measure.counted(self.argv(command), names))
            if None not in found:
                middle = {name: sorted(one[name] for one in found)[len(found) // 2]
                          for name in found[0]}
                result["threads"] = middle.pop("threads")
                result["calls"] = middle

    def counts(self):
        """The figures of the corpus that bars refer to."""
        wanted = {name for bar in self.case.bars for name in bar.per}
        facts = {"cores": os.cpu_count()}
        if "directories" in wanted:
            facts["directories"] = self.count("-type d")
        if "matching" in wanted:
            facts["matching"] = self.count(self.case.count)
        return facts

    def count(self, test, root=None):
        """How many entries GNU find lists in the corpus, or in a copy."""
        argv = [self.where["find"], root or self.root, *shlex.split(test), "-printf", "x"]
        return len(subprocess.run(argv, stdout=subprocess.PIPE, check=False).stdout)

    def record(self):
        """The record that is written to the JSON."""
        case = self.case
        return {"title": case.title, "corpus": case.corpus, "root": self.root,
                "cache": case.cache, "on": case.on, "listed": case.listed, "out": case.out,
                "counts": self.counts(), "notes": self.notes,
                "commands": self.results}


@contextmanager
def set_up(case, where, options):
    """A case with its corpus and, if it removes, its file system."""
    if case.cache == "cold" and os.geteuid() != 0:
        raise corpora.Unavailable("dropping caches needs root")
    with corpora.place(case.on) if case.on else nullcontext() as place:
        run = Run(case, where, options, place)
        with run.copied() if case.listed else nullcontext():
            yield run


def run_case(case, where, options):
    """Checks, times and counts one case; None if it cannot be run here."""
    print(f"\n== {case.name}: {case.title}", flush=True)
    try:
        with set_up(case, where, options) as run:
            run.check()
            run.time_all()
            run.count_calls()
            record = run.record()
    except corpora.Unavailable as reason:
        print(f"    left out: {reason}")
        return None
    record["bars"] = report.judge(case, record)
    report.show(record)
    return record


def choose(patterns, options):
    """The cases named, or those of a section; without either all but the huge one."""
    chosen = [case for case in CASES if options.section in (None, case.section)]
    if not patterns:
        return [case for case in chosen if (case.corpus != "huge" or options.huge)
                and case.section in (options.section, *DEFAULT)]
    chosen = [case for case in chosen
              if any(fnmatch.fnmatch(case.name, pattern) for pattern in patterns)]
    if not chosen:
        sys.exit(f"bench: no case named {' '.join(patterns)}; --list shows them")
    return chosen


def needed(cases):
    """The names of the programs that the cases run, and of what makes their corpora."""
    words = {word for case in cases for command in case.commands
             for word in re.findall(r"{(\w+)}", command.argv)}
    names = words & set(programs())
    names |= {f"mkfs.{case.on}" for case in cases if case.on in ("xfs", "btrfs")}
    if any(case.corpus in ("npm", "git", "mixed") for case in cases):
        names.add("npm")
    return sorted(names)


def warn_if_busy():
    """The share of the machine that other programs use; a warning follows if it is above QUIET."""
    load = os.getloadavg()[0] / os.cpu_count()
    busy = measure.busy_share()
    if busy > QUIET:
        print(f"bench: WARNING: others use {busy:.0%} of this machine (load {load:.1f} a core): "
              "ratios will be off", flush=True)
    return {"load per core": round(load, 2), "busy share": round(busy, 3)}


def say_versions(chosen, versions):
    """The versions of the rivals that the cases run. One that is too old is not today's rival."""
    for name in needed(chosen):
        if name in RIVALS:
            print(f"bench: {name}: {versions.get(name, 'not installed')}", flush=True)
    if "bfs" in needed(chosen) and (0,) < report.number(versions.get("bfs", "")) < (4,):
        print("bench: WARNING: this bfs has one thread; BFS=PROGRAM names a newer one (4.1)",
              flush=True)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help="names or globs; default all")
    parser.add_argument("--section", choices=SECTIONS,
                        help="the cases of this section alone, each bar with its result at the end")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("--needs", action="store_true",
                        help="name the programs that the cases need and stop")
    parser.add_argument("--runs", type=int,
                        help=f"timed runs of each command ({RUNS}; {RUNS_OF_SECTION} of a section)")
    parser.add_argument("--full", action="store_true",
                        help="that many also of cases that ask for fewer, as removals do")
    parser.add_argument("--quick", action="store_true",
                        help="three runs, counts of what bars ask for alone, nothing recorded")
    parser.add_argument("--huge", action="store_true",
                        help="also the tree of ten million entries")
    parser.add_argument("--no-record", action="store_true",
                        help="leave bench/record.jsonl and bench/README.md alone")
    parser.add_argument("--against", metavar="OLD",
                        help="compare with this older brisk alone; records nothing")
    parser.add_argument("--pages", action="store_true",
                        help="make the pages' figures from the record; with --check say what differs")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--in-guest", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", metavar="FILE", help="with --against: the raw times")
    options = parser.parse_args()
    options.runs = options.runs or (RUNS_OF_SECTION if options.section else RUNS)
    if options.quick:
        options.runs = min(options.runs, 3)
    return options


def answered(chosen, options):
    """Whether the question was about the cases alone; then they are not run."""
    if options.list:
        for case in chosen:
            print(f"{case.name:18} {case.corpus:13} {case.cache:6} {case.section:6} {case.title}")
    if options.needs:
        print(*needed(chosen), sep="\n")
    return options.list or options.needs


def results(chosen, where, machine, options):
    """The name, machine and record of each case that can run here, those of the guest last."""
    for case in chosen:
        record = None if case.corpus in corpora.NETWORK else run_case(case, where, options)
        if record:
            yield case.name, machine, record
    inside = [case for case in chosen if case.corpus in corpora.NETWORK]
    if inside:
        yield from network.run(inside, where, machine, options)


def main():
    """Runs the chosen cases and writes the report."""
    options = arguments()
    if options.pages:
        sys.exit(pages.renew(options.check))
    chosen = choose(options.cases, options)
    if answered(chosen, options):
        return
    os.chdir(ROOT)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        # What is mounted is unmounted, as after an interrupt.
        signal.signal(ending, lambda number, _: sys.exit(128 + number))
    where = {name: near(path) for name, path in programs().items()}
    if options.in_guest:
        network.run_inside(chosen, where, options, run_case)
        return
    where["brisk"] = near(copied(where["brisk"], "this"))
    where["chown_link"] = link_beside(where["brisk"], "chown")
    machine = report.machine(where)
    machine["load before"] = warn_if_busy()
    if options.against:
        old = copied(options.against, "old")
        against.compare(chosen, lambda case: set_up(case, where, options), old, options)
        return
    say_versions(chosen, machine["versions"])
    records = {}
    for name, about, record in results(chosen, where, machine, options):
        records[name] = record
        # After each case, so that an interrupted run keeps its results.
        if not (options.quick or options.no_record):
            about["load after"] = warn_if_busy()
            report.write(about, {name: record})
            pages.renew(check=False, quiet=True)
    report.show_bars(chosen, records)


if __name__ == "__main__":
    main()
