"""The report of a run: bars met or not, medians, the JSON record and the table in README.md."""

import datetime
import glob
import json
import os
import platform
import re
import statistics
import subprocess

from cases import CALLS, CASES
from corpora import HERE, WORK, plain

RUNS = os.path.join(HERE, "runs")
README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- results: written by scripts/bench -->", "<!-- end of results -->"
UNITS = {"wall": (1e3, " ms"), "cpu": (1e3, " ms"), "rss": (1, " MiB")}


# ---- figures ---------------------------------------------------------------


def figure(result, metric):
    """A command's median of a timed metric, or its number of calls of a group; None if unknown."""
    if not result:
        return None
    if metric in CALLS:
        calls = result.get("calls")
        return calls and sum(calls.get(name, 0) for name in CALLS[metric])
    if metric == "requests":
        return requests(result)
    if metric == "threads":
        return result.get("threads")
    raw = result["raw"]
    if not raw:
        return None
    if metric == "cpu":
        return statistics.median(run["user"] + run["sys"] for run in raw)
    return statistics.median(run[metric] for run in raw)


def asked(counts):
    """How often slowfs was asked for a listing, and for a name: from its line of counts."""
    counts = json.loads(counts)
    return counts["readdir"] + counts["readdirplus"], counts["lookup"]


def requests(result):
    """All that slowfs was asked, listings and names; None if it was not mounted."""
    counts = result.get("slowfs requests")
    return counts and sum(asked(counts))


def divisor(bar, record):
    """The figures or counts by which the bar divides; None if one of them is unknown."""
    parts = []
    for name in bar.per:
        if name in record["counts"]:
            parts.append(record["counts"][name])
        else:
            parts.append(figure(record["commands"].get(name), bar.metric))
    return None if None in parts else sum(parts)


def judge(case, record):
    """Each bar with what was measured. A command that prints another set meets none."""
    return [judge_one(bar, record) for bar in case.bars]


def judge_one(bar, record):
    """One bar: what was measured, whether that is enough, and whether it reaches the goal."""
    commands = record["commands"]
    wrong = any(commands.get(label, {}).get("differs") for label in (bar.of, *bar.per))
    value = figure(commands.get(bar.of), bar.metric)
    base = divisor(bar, record) if bar.per else 1
    measured = None
    if value is not None and base:
        measured = (value - bar.slack) / base
    fair = measured is not None and not wrong
    verdict = {"bar": sentence(bar), "measured": measured,
               "met": fair and within(measured, bar.op, bar.limit) if bar.op else None,
               "shown": shown(measured, bar) + (", of a different set" if wrong else "")}
    if bar.goal:
        verdict["goal met"] = fair and within(measured, bar.op, bar.goal)
    return verdict


def within(measured, op, limit):
    """Whether a figure is on the right side of its limit."""
    return measured <= limit if op == "<=" else measured >= limit


def mark(verdict, met="met", missed="MISSED", none=("not measured", "shown")):
    """A verdict in a word or two."""
    if verdict["measured"] is None:
        return none[0]
    if verdict["met"] is None:
        return none[1]
    goal = {None: "", True: ", goal too", False: ", goal not"}[verdict.get("goal met")]
    return met + goal if verdict["met"] else missed


def sentence(bar):
    """The bar in words: `wall: fd ÷ brisk ≥ 1.75`."""
    over = " ÷ (" + " + ".join(bar.per) + ")" if len(bar.per) > 1 else "".join(
        f" ÷ {name}" for name in bar.per)
    less = f" (less {bar.slack:g})" if bar.slack else ""
    limit = f"{bar.limit:g}" if bar.per else shown(bar.limit, bar)
    demand = f" {'≤' if bar.op == '<=' else '≥'} {limit}" if bar.op else ""
    goal = f", goal {bar.goal:g}" if bar.goal else ""
    why = f" ({bar.why})" if bar.why else ""
    return f"{bar.metric}: {bar.of}{less}{over}{demand}{goal}{why}"


def shown(value, bar):
    """A measured value or limit with its unit."""
    if value is None:
        return "not measured"
    if bar.per:
        return f"{value:.2f}"
    scale, unit = UNITS.get(bar.metric, (1, ""))
    return f"{value * scale:.4g}{unit}"


def head(record):
    """The titles of the columns; those of slowfs tell how many requests there were."""
    slow = any("slowfs requests" in result for result in record["commands"].values())
    return HEAD + (("readdir + lookup",) if slow else ())


def rows(record):
    """One row a command: medians, ratio of its wall to brisk's, calls, requests."""
    slow = len(head(record)) > len(HEAD)
    ours = figure(next(iter(record["commands"].values()), None), "wall")
    for label, result in record["commands"].items():
        wall = figure(result, "wall")
        if wall is None:
            continue
        calls = result.get("calls")
        threads = figure(result, "threads")
        counts = result.get("slowfs requests")
        asks = "{:,} + {:,}".format(*asked(counts)) if counts else ""
        yield (label, f"{wall * 1e3:.1f}", f"{wall / ours:.2f}",
               *(f"{statistics.median(run[key] for run in result['raw']) * 1e3:.1f}"
                 for key in ("user", "sys")),
               f"{figure(result, 'rss'):.1f}",
               "" if threads is None else str(threads + 1),
               f"{sum(calls.values()):,}" if calls else "", str(len(result["raw"])),
               *((asks,) if slow else ()))


HEAD = ("", "wall ms", "÷ first", "user ms", "sys ms", "peak MiB", "threads", "system calls",
        "runs")


def show(record):
    """The case on the terminal."""
    table = [head(record), *rows(record)]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    for row in table:
        print("    " + row[0].ljust(widths[0]) + "".join(
            "  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:])))
    for verdict in record["bars"]:
        print(f"    {mark(verdict):13} {verdict['bar']}: {verdict['shown']}", flush=True)


def show_bars(cases, records):
    """All bars of a run, at its end."""
    print("\n== all bars")
    for case in cases:
        if case.name not in records:
            print(f"    {case.name:18} left out")
            continue
        for verdict in records[case.name]["bars"]:
            print(f"    {case.name:18} {mark(verdict):13} {verdict['shown']:>12}  {verdict['bar']}")


# ---- the machine -----------------------------------------------------------


def output(*argv):
    """The first line of a command's output, or nothing."""
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (done.stdout.strip().splitlines() or [""])[0]


def machine(where):
    """Machine, kernel, file system, commit, versions."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        cpu = re.search(r"model name\s*:\s*(.*)", info.read())
    with open("/proc/meminfo", encoding="ascii") as info:
        memory = int(info.readline().split()[1])
    dirty = "+changes" if output("git", "status", "--porcelain", "-uno") else ""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": output("git", "rev-parse", "--short=12", "HEAD") + dirty,
        "cpu": cpu.group(1) if cpu else platform.machine(),
        "cores": os.cpu_count(),
        "memory GiB": round(memory / 2**20, 1),
        "kernel": platform.release(),
        "file system": output("findmnt", "-n", "-o", "FSTYPE", "-T", WORK),
        "versions": {name: output(path, "--version") for name, path in where.items()
                     if name not in ("floor", "wide", "rmtree")},
    }


# ---- the record ------------------------------------------------------------


def write(about, records):
    """Writes bench/runs/<date>.json and renews the table in README.md."""
    os.makedirs(RUNS, exist_ok=True)
    path = os.path.join(RUNS, about["date"].replace(":", "-") + ".json")
    text = json.dumps({"machine": about, "cases": records}, indent=1, ensure_ascii=False)
    with open(path, "w", encoding="utf-8") as out:
        out.write(plain(text) + "\n")
    renew_readme()
    print(f"\nwritten: {os.path.relpath(path)} and the table in {os.path.relpath(README)}")


def newest():
    """For each case its newest record on file, with the machine it ran on."""
    found = {}
    for path in sorted(glob.glob(os.path.join(RUNS, "*.json"))):
        with open(path, encoding="utf-8") as run:
            content = json.load(run)
        for name, record in content["cases"].items():
            found[name] = (content["machine"], record)
    return [(case.name, *found[case.name]) for case in CASES if case.name in found]


def renew_readme():
    """Puts the newest results between the markers."""
    with open(README, encoding="utf-8") as old:
        text = old.read()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    body = "\n".join(markdown(newest()))
    with open(README, "w", encoding="utf-8") as new:
        new.write(f"{before}{BEGIN}\n{body}\n{END}{after}")


def markdown(results):
    """First the bars, then every case."""
    yield "### Bars"
    yield "| case | bar | measured | met |"
    yield "|---|---|---|---|"
    for name, _, record in results:
        for verdict in record["bars"]:
            said = mark(verdict, "yes", "no", ("–", "shown"))
            yield f"| {name} | {verdict['bar']} | {verdict['shown']} | {said} |"
    for name, about, record in results:
        yield ""
        yield from section(name, about, record)


def section(name, about, record):
    """One case: its medians, what differed, where it was measured."""
    cache = {"warm": "warm", "cold": "caches dropped before each run",
             "fresh": "a fresh mount for each run"}[record["cache"]]
    if record.get("on"):
        each = "all runs" if record.get("listed") else "each run"
        cache = f"a fresh, synced copy on {record['on']} for {each}"
    out = {"null": "to /dev/null", "pipe": "through a pipe that `cat` reads into /dev/null"}
    yield f"### {name}: {record['title']}"
    yield (f"{cache}, {out[record['out']]}; {about['date'][:10]}, commit {about['commit']}, "
           f"{about['cores']} × {about['cpu']}, Linux {about['kernel']}, {about['file system']}, "
           f"others used {about['load before']['busy share']:.0%} of the machine")
    yield ""
    titles = head(record)
    yield "| " + " | ".join(titles) + " |"
    yield "|---|" + "---:|" * (len(titles) - 1)
    for row in rows(record):
        yield "| " + " | ".join(row) + " |"
    for note in record["notes"]:
        yield ""
        yield f"- {note}"
