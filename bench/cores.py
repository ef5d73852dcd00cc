#!/usr/bin/env python3
"""scripts/bench cores: what more cores bring: names, sizes, du and rm of trees in memory, with 1, 2, 4 …
threads.

Each of three trees, which are made for the run on /dev/shm, is listed by brisk, by the floor and by
the rivals on PATH that take a number of threads, and by those that do not. The rows are appended to
bench/record.jsonl, under names with this machine's number of cores.
"""

import argparse
import math
import os
import shutil

import bench
import corpora
import report
from cases import Case, Command


def shapes(entries):
    """The trees, as arguments of mktree (DEPTH FANOUT FILES): directories of 20 files below
    hundreds of directories, two directories and 10 files in each, and one directory."""
    fanout = max(1, math.isqrt(entries // 21))
    depth = max(1, round(math.log2(max(2, entries / 22))))
    return {"wide": ("2", str(fanout), "20"), "deep": (str(depth), "2", "10"),
            "flat": ("0", "0", str(entries))}


# What is done, with {t} threads; what a program does without a number of threads runs once.
KINDS = {
    "names": ("paths", {
        "brisk": "{brisk} find -u --threads {t} '' {root}", "floor": "{floor} -t {t} {root}",
        "fd": "{fd} -u -j {t} --color=never '' {root}", "bfs": "{bfs} -j{t} {root} -mindepth 1",
        "find": "{find} {root} -mindepth 1"}),
    "stats": ("meta", {
        "brisk": "{brisk} find -u --threads {t} --format '{size} {mtime:%s} {}' '' {root}",
        "floor": "{floor} -t {t} --stat {root}",
        "bfs": "{bfs} -j{t} {root} -mindepth 1 -printf '%s %Ts %p\\n'",
        "find": "{find} {root} -mindepth 1 -printf '%s %Ts %p\\n'"}),
    "du": ("sum", {
        "brisk": "{brisk} du -sk --threads {t} {root}", "du": "{du} -sk {root}"}),
    "rm": ("", {
        "brisk": "{brisk} rm -rf --threads {t} {root}", "floor": "{rmtree} deep {t} {root}",
        "rm": "{rm} -rf {root}"}),
}


def commands(kind, threads):
    """brisk as it is called, then each program with each number of threads."""
    prints, programs = KINDS[kind]
    yield Command("brisk", programs["brisk"].replace("--threads {t} ", ""), prints)
    for name, argv in programs.items():
        for count in threads if "{t}" in argv else [None]:
            label = name if count is None else f"{name} -{count}"
            yield Command(label, argv.replace("{t}", str(count)), prints)


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench cores",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND",
                        help=f"of {', '.join(KINDS)}; default all")
    parser.add_argument("--entries", type=int, default=2_000_000, help="of each tree (2,000,000)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(),
                        help="the most threads (as many as there are cores)")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each command (5)")
    parser.add_argument("--no-record", action="store_true", help="leave bench/record.jsonl alone")
    options = parser.parse_args()
    options.quick = options.full = False
    return options


def main():
    """Runs all kinds on all trees."""
    options = arguments()
    os.chdir(corpora.ROOT)
    most = max(1, options.threads)
    threads = sorted({2**power for power in range(most.bit_length())} | {most})
    where = bench.programs()
    where["rm"] = shutil.which("rm")
    where["brisk"] = bench.copied(where["brisk"], "brisk")
    machine = report.machine(where)
    machine["file system"] = corpora.kind_of("/dev/shm")
    for shape, words in shapes(options.entries).items():
        corpora.SHAPES[shape] = words
        for kind in options.kinds or KINDS:
            machine["load before"] = bench.warn_if_busy()
            case = Case(f"cores-{os.cpu_count()}-{shape}-{kind}",
                        f"{kind}, {shape}: mktree {' '.join(words)}", shape,
                        tuple(commands(kind, threads)), on="tmpfs", listed=kind != "rm",
                        counted=False)
            record = bench.run_case(case, where, options)
            if record and not options.no_record:
                machine["load after"] = bench.warn_if_busy()
                with open(report.RECORD, "a", encoding="utf-8") as out:
                    out.write(report.line(case.name, machine, record) + "\n")


if __name__ == "__main__":
    main()
