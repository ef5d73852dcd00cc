"""The report of a run: bars met or not, medians, the record and its tables."""

import datetime
import hashlib
import json
import os
import platform
import re
import statistics
import subprocess

from cases import CALLS, CASES
from corpora import HERE, WORK, plain

RECORD = os.path.join(HERE, "record.jsonl")
README = os.path.join(HERE, "README.md")
BEGIN, END = "<!-- results: written by scripts/bench -->", "<!-- end of results -->"
# What is built from this repository: its version is the commit.
OURS = ("brisk", "chown_link", "brisk_musl", "slowfs", "floor", "wide", "rmtree", "cptree")
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
               f"{calls['total']:,}" if calls else "", str(len(result["raw"])),
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
    """All bars of a run, at its end, and how many of them are met."""
    print("\n== all bars")
    met = []
    for case in cases:
        if case.name not in records:
            print(f"    {case.name:18} left out")
            continue
        for verdict in records[case.name]["bars"]:
            print(f"    {case.name:18} {mark(verdict):13} {verdict['shown']:>12}  {verdict['bar']}")
            met += [] if verdict["met"] is None or verdict["measured"] is None else [verdict["met"]]
    print(f"    {sum(met)} of {len(met)} bars met")


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
        "versions": {name: version(path) for name, path in where.items()
                     if name not in OURS and os.path.exists(path)},
    }


def version(path):
    """What a program says about its version: the first line of `--version` with a digit. Of one
    that does not know the option, the beginning of its file's SHA-256."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        lines = [line.strip() for line in done.stdout.splitlines() if re.search(r"\d", line)]
        if done.returncode == 0 and lines:
            return lines[0]
    except OSError:
        pass
    with open(path, "rb") as file:
        return "SHA-256 " + hashlib.sha256(file.read()).hexdigest()[:12]


def number(text):
    """The version number in a text, for comparisons: (4, 1, 4) of `bfs 4.1.4-12`; (0,) if there is
    none."""
    found = re.search(r"\d+(\.\d+)+", text)
    return tuple(int(part) for part in found.group().split(".")) if found else (0,)


def versions(about, record):
    """The versions of the programs that a case's commands run, by the programs' names."""
    names = {name for result in record["commands"].values()
             for name in re.findall(r"{(\w+)}", result["command"])}
    return {name: text for name, text in about["versions"].items()
            if name in names and name not in OURS and text}


# ---- the record ------------------------------------------------------------


def packed(runs):
    """The raw figures of a command's runs, one list a figure. Times have seven digits behind the
    point: tenths of microseconds."""
    return {key: [round(run[key], 7) for run in runs] for key in (runs[0] if runs else ())}


def unpacked(lists):
    """The figures of each run."""
    return [dict(zip(lists, values)) for values in zip(*lists.values())]


def with_raw(record, change):
    """The record, with the raw figures of each command changed."""
    commands = {label: dict(result, raw=change(result["raw"]))
                for label, result in record["commands"].items()}
    return dict(record, commands=commands)


def line(name, about, record):
    """One case as a line of the record: the versions are those of the programs that ran."""
    about = dict(about, versions=versions(about, record))
    whole = {"case": name, "machine": about, **with_raw(record, packed)}
    return plain(json.dumps(whole, ensure_ascii=False, separators=(",", ":")))


def read():
    """For each case on file its newest run: the machine and the record."""
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD, encoding="utf-8") as file:
        cases = [json.loads(text) for text in file]
    return {case.pop("case"): (case.pop("machine"), with_raw(case, unpacked)) for case in cases}


def write(about, records):
    """Puts the records into bench/record.jsonl, one line a case in the order of CASES, in place of
    the older runs of these cases. Rows of `scripts/bench cores` stay as they are."""
    found = read()
    with open(RECORD, "a+", encoding="utf-8") as file:
        file.seek(0)
        cores = [text for text in file if text.startswith('{"case":"cores-')]
    found.update({name: (about, record) for name, record in records.items()})
    kept = [(case.name, *found[case.name]) for case in CASES if case.name in found]
    # A new file takes the old one's place, so that an interrupted run keeps what it has.
    with open(RECORD + ".new", "w", encoding="utf-8") as out:
        out.writelines(line(*case) + "\n" for case in kept)
        out.writelines(cores)
    os.replace(RECORD + ".new", RECORD)
    print(f"\nwritten: {os.path.relpath(RECORD)}")


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
    known = versions(about, record)
    if known:
        yield "; ".join(text if name in text else f"{name}: {text}"
                        for name, text in known.items())
        yield ""
    titles = head(record)
    yield "| " + " | ".join(titles) + " |"
    yield "|---|" + "---:|" * (len(titles) - 1)
    for row in rows(record):
        yield "| " + " | ".join(row) + " |"
    for note in record["notes"]:
        yield ""
        yield f"- {note}"
