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
from corpora import HERE, WORK

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


def requests(result):
    """Requests to slowfs for listings and names in the last run; None if it was not mounted."""
    counts = result.get("slowfs requests")
    counts = counts and json.loads(counts)
    return counts and sum(counts[kind] for kind in ("readdir", "readdirplus", "lookup"))


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
    """Each bar with its measured value. A command that prints another set meets no bar."""
    verdicts = []
    for bar in case.bars:
        wrong = any(record["commands"].get(label, {}).get("differs") for label in (bar.of, *bar.per))
        value = figure(record["commands"].get(bar.of), bar.metric)
        base = divisor(bar, record) if bar.per else 1
        measured = None
        if value is not None and base:
            measured = (value - bar.slack) / base
        met = measured is not None and not wrong and (
            measured <= bar.limit if bar.op == "<=" else measured >= bar.limit)
        verdicts.append({"bar": sentence(bar), "measured": measured, "met": met,
                         "shown": shown(measured, bar) + (", of a different set" if wrong else "")})
    return verdicts


def sentence(bar):
    """The bar in words: `wall: fd ÷ brisk ≥ 1.75`."""
    over = " ÷ (" + " + ".join(bar.per) + ")" if len(bar.per) > 1 else "".join(
        f" ÷ {name}" for name in bar.per)
    less = f" (less {bar.slack:g})" if bar.slack else ""
    limit = f"{bar.limit:g}" if bar.per else shown(bar.limit, bar)
    op = "≤" if bar.op == "<=" else "≥"
    why = f" ({bar.why})" if bar.why else ""
    return f"{bar.metric}: {bar.of}{less}{over} {op} {limit}{why}"


def shown(value, bar):
    """A measured value or limit with its unit."""
    if value is None:
        return "not measured"
    if bar.per:
        return f"{value:.2f}"
    scale, unit = UNITS.get(bar.metric, (1, ""))
    return f"{value * scale:.4g}{unit}"


def rows(record):
    """One row a command: medians, ratio of its wall to brisk's, calls."""
    ours = figure(next(iter(record["commands"].values()), None), "wall")
    for label, result in record["commands"].items():
        wall = figure(result, "wall")
        if wall is None:
            continue
        calls = result.get("calls")
        threads = figure(result, "threads")
        yield (label, f"{wall * 1e3:.1f}", f"{wall / ours:.2f}",
               *(f"{statistics.median(run[key] for run in result['raw']) * 1e3:.1f}"
                 for key in ("user", "sys")),
               f"{figure(result, 'rss'):.1f}",
               "" if threads is None else str(threads + 1),
               f"{sum(calls.values()):,}" if calls else "", str(len(result["raw"])))


HEAD = ("", "wall ms", "÷ first", "user ms", "sys ms", "peak MiB", "threads", "system calls",
        "runs")


def show(record):
    """The case on the terminal."""
    table = [HEAD, *rows(record)]
    widths = [max(len(row[i]) for row in table) for i in range(len(HEAD))]
    for row in table:
        print("    " + row[0].ljust(widths[0]) + "".join(
            "  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:])))
    for verdict in record["bars"]:
        mark = "met " if verdict["met"] else "MISSED" if verdict["measured"] is not None else "?"
        print(f"    {mark:7} {verdict['bar']}: {verdict['shown']}", flush=True)


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
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"machine": about, "cases": records}, out, indent=1, ensure_ascii=False)
        out.write("\n")
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
            mark = "yes" if verdict["met"] else "no" if verdict["measured"] is not None else "–"
            yield f"| {name} | {verdict['bar']} | {verdict['shown']} | {mark} |"
    for name, about, record in results:
        yield ""
        yield from section(name, about, record)


def section(name, about, record):
    """One case: its medians, what differed, where it was measured."""
    cache = {"warm": "warm", "cold": "caches dropped before each run",
             "fresh": "a fresh mount for each run"}[record["cache"]]
    if record.get("on"):
        cache = f"a fresh, synced copy on {record['on']} for each run"
    out = {"null": "to /dev/null", "pipe": "through a pipe that `cat` reads into /dev/null"}
    yield f"### {name}: {record['title']}"
    yield (f"{cache}, {out[record['out']]}; {about['date'][:10]}, commit {about['commit']}, "
           f"{about['cores']} × {about['cpu']}, Linux {about['kernel']}, {about['file system']}, "
           f"others used {about['load before']['busy share']:.0%} of the machine")
    yield ""
    yield "| " + " | ".join(HEAD) + " |"
    yield "|---|" + "---:|" * (len(HEAD) - 1)
    for row in rows(record):
        yield "| " + " | ".join(row) + " |"
    for note in record["notes"]:
        yield ""
        yield f"- {note}"
