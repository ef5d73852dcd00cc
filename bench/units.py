#!/usr/bin/env python3
"""Scans a tree behind slowfs with Dask workers of which one is killed every few seconds, and again
without kills. The rows must be find's, none twice; the times are compared.

    target/bindings/bin/python bench/units.py [--levels 4] [--interval 20] [--rounds 1]

`scripts/setup all` installs Dask into target/bindings, `maturin develop --release` in
crates/brisk-python briskfs; brisk, brisk-scan and slowfs are those of target/release, or $BRISK and
$SLOWFS. Four levels of 25 directories, each with 24 files, are 10,172,525 entries; three are 406,900.
"""

import argparse
import contextlib
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import polars
from dask.distributed import Client, LocalCluster

from briskfs import distributed

BUILT = pathlib.Path(__file__).parents[1] / "target/release"
BRISK = os.environ.setdefault("BRISK", str(BUILT / "brisk"))
SLOWFS = os.environ.get("SLOWFS", BUILT / "slowfs")
COLUMNS = ["path", "type"]


@contextlib.contextmanager
def slow_tree(options):
    """A fresh mount: the kernel treats a second walk differently."""
    with tempfile.TemporaryDirectory(prefix="brisk-units-") as place:
        shape = ["--nested", f"{options.levels},25,24", "--latency", options.latency]
        server = subprocess.Popen([SLOWFS, *shape, place], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        server.stdout.readline()
        try:
            yield place
        finally:
            server.terminate()
            server.wait()


def kill_some(cluster, interval, is_over, kills):
    """Kills a worker's process every `interval` seconds. Its nanny starts another."""
    while not is_over.wait(interval):
        workers = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
        # None while all are being started again.
        if workers:
            os.kill(random.choice(workers), signal.SIGKILL)
            kills.append(time.monotonic())


def scan(options, tree, out, interval):
    """Seconds, kills, and what the data set has."""
    is_over = threading.Event()
    kills = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            killer = threading.Thread(target=kill_some, args=[cluster, interval, is_over, kills])
            if interval:
                killer.start()
            began = time.monotonic()
            try:
                scanned = distributed.scan(
                    tree, out, client.get_executor(retries=5), workers=2, columns=COLUMNS,
                    budget=options.budget, requests=options.requests,
                )
                seconds = time.monotonic() - began
            finally:
                is_over.set()
    return seconds, len(kills), scanned


def compare(tree, out):
    """Fails unless the paths of a data set are find's, none twice."""
    listed = subprocess.run([BRISK, "find", "-u", ".", tree], check=True, capture_output=True)
    listed = [tree, *listed.stdout.decode().splitlines()]
    expected = polars.Series(listed).str.strip_chars_end("/").sort()
    rows = polars.read_parquet(os.path.join(out, "*.parquet"), columns=["path"])["path"].sort()
    assert rows.n_unique() == len(rows), f"{len(rows) - rows.n_unique()} rows twice"
    assert rows.equals(expected), f"{len(rows)} rows, find has {len(expected)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--levels", type=int, default=4)
    parser.add_argument("--latency", default="1ms")
    parser.add_argument("--interval", type=float, default=20.0, help="seconds from kill to kill")
    parser.add_argument("--budget", type=float, default=3.0, help="seconds of a unit")
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    times = {0.0: [], options.interval: []}
    for _ in range(options.rounds):
        for interval, of_interval in times.items():
            with tempfile.TemporaryDirectory(prefix="brisk-units-") as out:
                with slow_tree(options) as tree:
                    seconds, kills, scanned = scan(options, tree, out, interval)
                    compare(tree, out)
                of_interval.append(seconds)
                print(f"{scanned.rows} rows, {scanned.parts} parts, {scanned.errors} errors, "
                      f"{kills} kills: {seconds:.1f} s", flush=True)
    without, killed = (statistics.median(times[key]) for key in times)
    print(f"with kills ÷ without: {killed / without:.2f}")


if __name__ == "__main__":
    sys.exit(main())
