"""An older brisk beside this one: every command of the cases, in turn, as paired ratios.

Each round runs the new program, the old one, and the old one again, in an order that rotates. The
ratio new ÷ old of a round is taken from neighbours in time, so a machine whose speed drifts does
not shift it; old ÷ old, of the same rounds, shows the noise. A command that an earlier case has
compared on the same corpus is not compared again.
"""

import json
import math
import os
import statistics

import corpora
import measure

LEVEL = 0.95  # of the interval that is printed
LIMIT = 1.01  # a case whose whole interval lies above this has become slower
ENOUGH = 6  # rounds; with fewer no order statistics reach LEVEL, and nothing is concluded
# Too short to say more than how long the program takes to start.
START_UP = ("ten", "rm-ten", "house-ten", "house-rm-ten")


def interval(ratios):
    """The median of paired ratios, and the interval that holds the true median with a probability
    of LEVEL: order statistics, so nothing is assumed about their distribution. With fewer ratios
    than ENOUGH the interval is their whole range."""
    ordered = sorted(ratios)
    count = len(ordered)
    low, tail = 0, 0.0
    while low < count // 2:
        tail += math.comb(count, low) / 2**count
        if tail > (1 - LEVEL) / 2:
            break
        low += 1
    low = max(low - 1, 0)
    return statistics.median(ordered), ordered[low], ordered[count - 1 - low]


def contestants(case, seen):
    """The case's commands that run brisk and are not among those `seen`, to which they are
    added."""
    if not case.timed or case.corpus in corpora.NETWORK:
        return []
    found = []
    for command in case.commands:
        key = (case.corpus, case.cache, case.out, case.on, case.empty, command.mount, command.argv,
               command.touch)
        if "{brisk}" in command.argv and command.max_runs == 0 and key not in seen:
            seen.add(key)
            found.append(command)
    return found


def time_pairs(run, commands, old, rounds):
    """One list of raw wall times a program (new, old, again) for each command."""
    programs = {"new": run.where["brisk"], "old": old, "again": old}
    found = {}
    for command in commands:
        if not run.case.begins_anew:
            for name in ("new", "old"):
                choose(run, programs[name])
                run.make_ready(command)
        times = found.setdefault(command.label, {name: [] for name in programs})
        for number in range(-1, rounds):
            order = list(programs)
            turn = number % len(order)
            for name in order[turn:] + order[:turn]:
                raw = time_one(run, command, programs[name])
                if number >= 0:  # the round before the first warms up
                    times[name].append(raw)
    return found


def choose(run, program):
    """The commands run this program from now on, with states of its own: an older brisk may not
    read those of a newer one."""
    run.where = dict(run.where, brisk=program)
    run.state = f"{run.case.name}.{os.path.basename(os.path.dirname(program))}.state"


def time_one(run, command, program):
    """The wall time of one run, with its preparation outside the timing."""
    choose(run, program)
    argv = run.argv(command)
    if run.case.cache == "cold":
        measure.drop_caches()
        measure.read_binary(argv)
    with run.prepared(command):
        if run.case.begins_anew:
            run.make_ready(command)
        run.touch(command)
        raw = measure.timed(argv, run.case.out)
        left = corpora.left(run.root) if run.removes else 0
    if left or raw["status"]:
        run.note(f"{command.label}: {program} ended with {raw['status']}, {left} entries left")
    return raw["wall"]


def rows(name, found):
    """The result of one case: a row for each command."""
    for label, times in found.items():
        ratios = [new / old for new, old in zip(times["new"], times["old"])]
        noise = [again / old for again, old in zip(times["again"], times["old"])]
        yield {"case": name, "command": label, "rounds": len(ratios),
               "old ms": statistics.median(times["old"]) * 1e3,
               "ratio": interval(ratios), "noise": interval(noise), "raw": times}


def is_slower(row):
    """Whether the rule is broken: the whole interval of enough rounds lies above LIMIT."""
    return row["rounds"] >= ENOUGH and row["ratio"][1] > LIMIT


def show(row):
    """Prints one row."""
    ratio, low, high = row["ratio"]
    noise, noise_low, noise_high = row["noise"]
    mark = "SLOWER" if is_slower(row) else ""
    print(f"{row['case']:18} {row['command']:14} {row['old ms']:9.2f} ms  {ratio:6.3f} "
          f"[{low:.3f}, {high:.3f}]  old/old {noise:.3f} [{noise_low:.3f}, {noise_high:.3f}] "
          f"{row['rounds']:3} {mark}", flush=True)


def conclude(all_rows):
    """Prints the geometric mean, which the rule bounds by 1.005, and the rows that are slower."""
    walks = [row for row in all_rows if row["case"] not in START_UP]
    if not walks:
        return
    mean = math.exp(statistics.fmean(math.log(row["ratio"][0]) for row in walks))
    noise = math.exp(statistics.fmean(math.log(row["noise"][0]) for row in walks))
    slower = [f"{row['case']} ({row['command']})" for row in all_rows if is_slower(row)]
    print(f"\ngeometric mean of {len(walks)} rows without start-up: {mean:.4f} "
          f"(old/old {noise:.4f})")
    print("slower by the rule:", ", ".join(slower) or "none")


def compare(cases, make_run, old, options):
    """Runs all chosen cases and prints a row for each of brisk's commands in them."""
    old = os.path.abspath(old)
    print("case, command, old median, new ÷ old with its 95 % interval, old ÷ old, rounds")
    all_rows, seen = [], set()
    for case in cases:
        commands = contestants(case, seen)
        if not commands:
            continue
        try:
            with make_run(case) as run:
                rounds = run.rounds() * min(case.repeat, 5)
                for row in rows(case.name, time_pairs(run, commands, old, rounds)):
                    show(row)
                    all_rows.append(row)
        except corpora.Unavailable as reason:
            print(f"{case.name:18} left out: {reason}")
    conclude(all_rows)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(all_rows, file, indent=1)
