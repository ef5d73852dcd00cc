"""Signals, threads and forks during a call, on slowfs: storage where each request takes its time.

What is counted is requests, and what the interpreter could do meanwhile, not time.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

import briskfs
from trees import InScratch

SLOWFS = os.environ.get("SLOWFS") or pathlib.Path(__file__).parents[3] / "target/debug/slowfs"
# A chain of directories, each of which is opened only after the one above was read: at least 120
# requests of 10 ms that nothing can overlap.
CHAIN = ("--nested", "40,1,1", "--latency", "10ms")
CHAIN_MS = 1200
# 230,000 requests, dozens of them at once.
WIDE = ("--dirs", "10000", "--files", "10", "--latency", "1ms")
CALLS = {
    "du": briskfs.du,
    "find": lambda root: list(briskfs.find(root, fields="size")),
    "scan": lambda root: briskfs.scan(root, columns=["size"]),
    "walk": lambda root: list(briskfs.walk(root)),
}


class Interrupted(Exception):
    """What a signal's handler raises."""


@unittest.skipUnless(os.path.exists(SLOWFS) and shutil.which("fusermount3"), "needs slowfs and FUSE")
class Slow(InScratch):
    def mount(self, *words):
        """Mounts slowfs, which ends with the test."""
        place = self.path("slow")
        os.mkdir(place)
        self.counters = self.path("counters")
        self.slowfs = subprocess.Popen(
            [SLOWFS, *words, "--counters", self.counters, place], stdout=subprocess.PIPE
        )
        self.addCleanup(self.unmount)
        self.assertIn(b"ready", self.slowfs.stdout.readline())
        return place

    def unmount(self):
        self.slowfs.terminate()
        self.slowfs.wait()
        self.slowfs.stdout.close()
        os.rmdir(self.path("slow"))

    def ask(self):
        """Has slowfs write how many requests it has had so far."""
        self.slowfs.send_signal(signal.SIGUSR1)

    def answer(self):
        """What slowfs has written since it was asked."""
        written = pathlib.Path(self.counters)
        while not (written.exists() and written.read_text().endswith("\n")):
            time.sleep(0.01)
        counts = json.loads(written.read_text())
        written.unlink()
        return sum(counts.values())

    def on_alarm(self, handler):
        before = signal.signal(signal.SIGALRM, handler)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

    def test_signals_and_threads_have_their_turn_during_a_call(self):
        root = self.mount(*CHAIN)
        looks = steps = 0
        ends = threading.Event()

        def look(*_):
            nonlocal looks
            looks += 1

        def step():
            nonlocal steps
            while not ends.wait(0.001):
                steps += 1

        thread = threading.Thread(target=step)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ends.set)
        self.on_alarm(look)
        for name, call in CALLS.items():
            with self.subTest(name):
                looks = steps = 0
                signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
                call(root)
                signal.setitimer(signal.ITIMER_REAL, 0)
                self.assertGreaterEqual(looks, CHAIN_MS // 50)
                self.assertGreaterEqual(steps, CHAIN_MS // 50)

    def test_a_call_ends_with_the_handler(self):
        root = self.mount(*WIDE)

        def end(*_):
            self.ask()
            raise Interrupted

        self.on_alarm(end)
        before = 0
        for name, call in CALLS.items():
            with self.subTest(name):
                signal.setitimer(signal.ITIMER_REAL, 0.4)
                with self.assertRaises(Interrupted):
                    call(root)
                at_handler = self.answer()
                self.ask()
                after = self.answer()
                self.assertGreater(at_handler - before, 0)
                # What was in flight, of 230,000.
                self.assertLess(after - at_handler, 2000)
                before = after

    def test_no_batch_ends_within_a_directory(self):
        root = self.mount("--dirs", "60", "--files", "3000", "--latency", "1ms")
        found = [len(files) for _, _, files in briskfs.walk(root)]
        self.assertEqual(found, [0] + 60 * [3000])

    def test_a_child_works_as_its_parent(self):
        root = self.mount("--dirs", "50", "--files", "10", "--latency", "1ms")

        def found():
            paths = sorted(briskfs.find(root).paths())
            return briskfs.du(root).entries, list(briskfs.walk(root)), paths

        before = found()
        child = os.fork()
        if child == 0:
            os._exit(0 if found() == before else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)


class Alone(InScratch):
    def test_without_a_spare_thread(self):
        self.make("tree/a/file", "tree/b/c/file", "gone/a/file", "kept/")
        script = """
import os, resource, sys, threading
import briskfs
root = sys.argv[1]
tree = root + "/tree"
if os.geteuid() == 0:
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    threading.Thread(target=int).start()
    sys.exit("a thread was started")
except RuntimeError:
    pass
assert len(list(briskfs.walk(tree))) == 4
assert len(list(briskfs.walk(tree, topdown=False))) == 4
assert len(list(briskfs.find(tree, fields="size"))) == 5
assert briskfs.du(tree).entries == 6
assert len(briskfs.scan(tree)) == 6
assert sorted(briskfs.glob(tree + "/**/file", recursive=True)) == [tree + "/a/file", tree + "/b/c/file"]
assert len(briskfs.Index(tree, root + "/kept/cache").files()) == 2
assert len(briskfs.State(root + "/kept/state", tree).changes(save=True)) == 6
assert briskfs.chmod(tree, "u=rwX,go=") == 6
assert briskfs.chown(tree, os.getuid()) == 0
briskfs.rmtree(root + "/gone")
assert not os.path.exists(root + "/gone")
"""
        if os.geteuid() == 0:
            for top, dirs, files in os.walk(self.root):
                for name in [".", *files]:
                    os.chown(os.path.join(top, name), 65534, -1)
        done = subprocess.run([sys.executable, "-c", script, self.root], stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))


if __name__ == "__main__":
    unittest.main()
