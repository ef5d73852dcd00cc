"""briskfs.distributed: data sets by the workers of executors, some of which die.

With Dask and MPI the tests are a part of `scripts/test all`, which installs both.
"""

import concurrent.futures
import glob
import importlib.util
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import briskfs
from briskfs import _program, distributed
from trees import InScratch, grow, large

DOCS = pathlib.Path(__file__).parents[3] / "docs/scale.md"
HERE = os.path.dirname(os.path.abspath(__file__))
DEADLINE = 60


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def has_program():
    try:
        return os.path.exists(os.path.join(os.path.dirname(_program.find()), "brisk-scan"))
    except FileNotFoundError:
        return False


def blocks():
    """The Python examples of the document, by the module whose executor they use."""
    found = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(), re.DOTALL | re.MULTILINE)
    return {re.search(r"^(?:from|import) (\w+)", text, re.MULTILINE)[1]: text for text in found}


def kill_one_process(pool):
    os.kill(random.choice(list(pool._processes)), signal.SIGKILL)


def recorded(out):
    """How many units the journal of a data set says are done."""
    try:
        with open(out + ".units.jsonl", "rb") as journal:
            return journal.read().count(b'"of":')
    except FileNotFoundError:
        return 0


def in_time(condition):
    """Waits for a condition, and says whether it came true."""
    end = time.monotonic() + DEADLINE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


class InData(InScratch):
    def setUp(self):
        super().setUp()
        self.tree = self.path("tree")
        os.mkdir(self.tree)
        self.out = self.path("out")

    def rows(self):
        """The paths of a data set, as bytes."""
        import pyarrow.parquet

        found = []
        for part in glob.glob(os.path.join(self.out, "*.parquet")):
            rows = pyarrow.parquet.read_table(part, columns=["path", "path_bytes"]).to_pylist()
            found += (row["path_bytes"] or os.fsencode(row["path"]) for row in rows)
        return found

    def check(self, rows, parts):
        """The rows are find's, none twice, and nothing else lies in the data set."""
        entries = briskfs.find(os.fsencode(self.tree), min_depth=0).paths()
        self.same(sorted(self.rows()), sorted(entries))
        self.assertEqual(rows, len(entries))
        names = glob.glob("*.parquet", root_dir=self.out)
        self.assertEqual(parts, len(names))
        self.assertEqual(sorted(os.listdir(self.out)), sorted(names))

    def example(self, module):
        """An example of the document, which scans this test's tree."""
        small = f'{self.tree!r}, {self.out!r}, \\1, columns=["path", "type"], budget_entries=100)'
        text, calls = re.subn(r'"/data", "/scratch/data", (.*)\)', small, blocks()[module])
        self.assertEqual(calls, 1)
        program = self.path("example.py")
        with open(program, "w") as file:
            file.write(text)
        return program

    def run_example(self, *command):
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.match(r"(\d+) entries, 0 errors", done.stdout)[1]
        self.check(int(rows), len(glob.glob(self.out + "/*.parquet")))


@unittest.skipUnless(has("pyarrow") and has_program(), "needs pyarrow, brisk and brisk-scan")
class Units(InData):
    def scan(self, executor, **options):
        options = {"columns": ["path", "type"], "budget_entries": 100, **options}
        return distributed.scan(self.tree, self.out, executor, **options)

    def pool(self, workers=2):
        # A process that is forked beside the threads of an executor can hang.
        context = multiprocessing.get_context("spawn")
        return concurrent.futures.ProcessPoolExecutor(workers, mp_context=context)

    def test_a_pool_of_processes(self):
        grow(self.tree, 5)
        large(self.tree)
        with self.pool() as pool:
            scanned = self.scan(pool)
        self.check(scanned.rows, scanned.parts)
        self.assertGreater(scanned.parts, 5)

    def test_options_that_units_cannot_have_are_refused_before_anything_is_written(self):
        grow(self.tree, 2)
        wrong = ["--sums", "-ox.csv", "--as=csv", "--help", self.tree, "-j2", "--frob"]
        wrong += ["--columns=path,below_bytes"]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for word in wrong:
                with self.assertRaises(ValueError) as raised:
                    self.scan(pool, options=["--no-hidden", word], columns=None)
                self.assertNotIn("exit code", str(raised.exception))
                self.assertFalse(os.path.exists(self.out), word)
                self.assertFalse(os.path.exists(self.out + ".units.jsonl"), word)
            with self.assertRaises(ValueError):
                self.scan(pool, columns=["path", "below_entries"])
            self.assertGreater(self.scan(pool, options=["-x", "-H"]).rows, 2)

    def test_the_example_with_a_pool(self):
        large(self.tree)
        self.run_example(sys.executable, self.example("concurrent"))

    def test_the_examples_are_python(self):
        self.assertEqual(set(blocks()), {"concurrent", "dask", "mpi4py", "ray"})
        for text in blocks().values():
            compile(text, "scale.md", "exec")

    def test_a_broken_pool(self):
        large(self.tree, dirs=200, files=20)
        with self.pool() as pool:
            def kill():
                in_time(lambda: recorded(self.out) > 5)
                kill_one_process(pool)

            killer = threading.Thread(target=kill)
            killer.start()
            with self.assertRaises(concurrent.futures.BrokenExecutor):
                self.scan(pool)
            killer.join()
        before = {name: os.stat(name).st_mtime_ns for name in glob.glob(self.out + "/*.parquet")}
        self.assertGreater(len(before), 0)
        with self.pool() as pool:
            scanned = self.scan(pool)
        self.check(scanned.rows, scanned.parts)
        for name, time_of_writing in before.items():
            self.assertEqual(os.stat(name).st_mtime_ns, time_of_writing)

    def test_roots_options_and_errors(self):
        self.make("tree/a/b.py", "tree/a/c.txt", "other/d.py", "other/e")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            scanned = distributed.scan([self.tree, self.path("other")], self.out, pool,
                                       options=["-e", "py"])
            self.assertEqual(sorted(self.rows()), sorted(
                os.fsencode(self.path(name)) for name in ("tree/a/b.py", "other/d.py")))
            self.assertEqual(scanned.rows, 2)
            with self.assertRaises(OSError):
                distributed.scan([self.tree], self.out, pool)

    def test_a_program_that_fails(self):
        with mock.patch.dict(os.environ, BRISK=shutil.which("false")):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                with self.assertLogs("briskfs.distributed"):
                    with self.assertRaisesRegex(distributed.UnitError, "3 times") as caught:
                        self.scan(pool, retries=2)
        self.assertIn("exit code 1", str(caught.exception.__cause__))
        self.assertEqual(json.loads(caught.exception.unit)["version"], 1)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            self.check(*self.scan(pool)[:2])

    def test_an_executor_of_unknown_size(self):
        with self.assertRaises(ValueError):
            self.scan(concurrent.futures.Executor())

    def test_an_executor_that_has_lost_its_workers(self):
        large(self.tree)

        class Losing(concurrent.futures.ThreadPoolExecutor):
            """After some calls its workers are gone, and it waits for new ones."""

            left = 0

            def submit(self, function, *arguments):
                self.left -= 1
                if self.left < 0:
                    return concurrent.futures.Future()
                return super().submit(function, *arguments)

        for left, why in [(0, "no worker has answered"), (4, "no unit has ended")]:
            with Losing(1) as pool:
                pool.left = left
                with self.assertRaisesRegex(TimeoutError, why):
                    self.scan(pool, timeout=4)
        self.assertEqual(recorded(self.out), 3)
        with self.pool() as pool:
            scanned = self.scan(pool, timeout=60)
        self.check(scanned.rows, scanned.parts)

    def test_requests_are_shared(self):
        self.make("tree/a")
        seen = []

        class Watching(concurrent.futures.ThreadPoolExecutor):
            def submit(self, function, *arguments):
                if function is distributed.run_unit:
                    seen.append(json.loads(arguments[0])["requests"])
                return super().submit(function, *arguments)

        with Watching(3) as pool:
            self.scan(pool, requests=64)
        self.assertEqual(set(seen), {21})

    def test_the_program_ends_with_its_worker(self):
        program = self.path("brisk")
        with open(program, "w") as file:
            file.write(f"#!/bin/sh\nread unit\necho >{self.root}/began\ncat\necho >{self.root}/ended\n")
        os.chmod(program, 0o755)
        call = "from briskfs import distributed; distributed.run_unit('{}')"
        worker = subprocess.Popen([sys.executable, "-c", call], env={**os.environ, "BRISK": program})
        self.assertTrue(in_time(lambda: os.path.exists(self.path("began"))))
        self.assertFalse(os.path.exists(self.path("ended")))
        worker.kill()
        worker.wait()
        self.assertTrue(in_time(lambda: os.path.exists(self.path("ended"))))


if __name__ == "__main__":
    unittest.main()
