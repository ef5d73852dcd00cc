"""State: what has changed since it was saved."""

import os
import random
import signal
import unittest

import briskfs
from trees import InScratch, as_nobody


class Changes(InScratch):
    def setUp(self):
        super().setUp()
        self.make("tree/a", "tree/b", "tree/sub/c")
        self.state = briskfs.State(self.path("state"), self.path("tree"))

    def changes(self, save=True, **options):
        top = len(self.path("tree/"))
        found = self.state.changes(save=save, **options)
        return [(change.kind, change.path[top:]) for change in found]

    def test_each_kind(self):
        first = self.changes()
        self.assertEqual({kind for kind, _ in first}, {"A"})
        self.assertIn(("A", "sub/c"), first)
        self.assertEqual(self.changes(), [])
        self.make("tree/new")
        with open(self.path("tree/a"), "a") as file:
            file.write("more")
        os.remove(self.path("tree/b"))
        os.mkdir(self.path("tree/b"))
        os.rename(self.path("tree/sub/c"), self.path("tree/sub/d"))
        found = self.state.changes(save=True)
        kinds = {os.path.basename(change.path): change.kind for change in found}
        self.assertEqual((kinds["new"], kinds["a"], kinds["b"], kinds["d"]), ("A", "M", "T", "R"))
        (renamed,) = (change for change in found if change.kind == "R")
        self.assertEqual(renamed.old_path, self.path("tree/sub/c"))
        self.assertEqual((renamed.type, os.fspath(renamed)), ("f", self.path("tree/sub/d")))
        os.remove(self.path("tree/new"))
        self.assertIn(("D", "new"), self.changes())

    def test_without_saving_nothing_is_forgotten(self):
        self.changes()
        self.make("tree/new")
        for _ in range(2):
            self.assertIn(("A", "new"), self.changes(save=False))
        self.assertIn(("A", "new"), self.changes())
        self.assertEqual(self.changes(), [])

    def test_what_is_not_accepted_is_told_again(self):
        self.changes()
        self.make("tree/one")
        self.assertIn(("A", "one"), self.changes(save=False))
        self.make("tree/two")
        self.assertIsNone(self.state.accept())
        found = self.changes()
        self.assertIn(("A", "two"), found)
        self.assertNotIn(("A", "one"), found)

    def test_only_what_was_returned_can_be_accepted(self):
        with self.assertRaises(RuntimeError):
            self.state.accept()
        self.changes()
        self.make("tree/new")
        self.state.changes()
        os.rename(self.path("tree"), self.path("away"))
        with self.assertRaises(FileNotFoundError):
            self.state.changes()
        with self.assertRaises(RuntimeError):
            self.state.accept()
        os.rename(self.path("away"), self.path("tree"))
        self.assertIn(("A", "new"), self.changes())

    def test_a_state_that_could_not_be_saved_can_be_accepted_again(self):
        self.make("states/")
        state = briskfs.State(self.path("states/state"), self.path("tree"))
        state.changes()
        os.rename(self.path("states"), self.path("away"))
        with self.assertRaises(FileNotFoundError) as caught:
            state.accept()
        self.assertEqual(caught.exception.filename, self.path("states/state"))
        os.rename(self.path("away"), self.path("states"))
        state.accept()
        self.assertEqual(state.changes(), [])

    def test_a_caller_that_fails_loses_no_change(self):
        self.make("tree/shut/file")
        os.chmod(self.path("tree/shut"), 0)
        for owned in (self.path(), self.path("tree")):
            os.chown(owned, 65534, -1) if os.geteuid() == 0 else None

        def fail(_):
            raise KeyboardInterrupt

        with as_nobody():
            with self.assertRaises(KeyboardInterrupt):
                self.changes(onerror=fail)
            self.assertIn(("A", "a"), self.changes(onerror=lambda _: None))

    def test_interrupts_lose_no_change(self):
        class Interrupted(Exception):
            pass

        def interrupt(*_):
            raise Interrupted

        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        self.changes()
        draw = random.Random(298)
        told = set()
        interrupts = 0
        for number in range(298):
            self.make(f"tree/{number}")
            try:
                try:
                    # Every fourth saves in the same call, which lasts longer than the timer.
                    save = number % 4 == 0
                    delay = 5e-5 if save else draw.uniform(1e-5, 4e-3)
                    signal.setitimer(signal.ITIMER_REAL, delay)
                    told.update(self.changes(save=save))
                    if not save:
                        self.state.accept()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupted:
                interrupts += 1
        told.update(self.changes())
        self.assertGreater(interrupts, 30)
        self.assertEqual({("A", str(number)) for number in range(298)} - told, set())

    def test_bytes(self):
        state = briskfs.State(self.path("other"), os.fsencode(self.path("tree")))
        self.assertIn(os.fsencode(self.path("tree/a")), [each.path for each in state.changes()])

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.State(self.path("other"), self.path("gone")).changes()
        self.assertEqual(caught.exception.filename, self.path("gone"))
        with self.assertRaises(TypeError):
            briskfs.State(self.path("other"))
        foreign = briskfs.State(self.path("tree/a"), self.path("tree"))
        with self.assertRaises(OSError) as caught:
            foreign.changes()
        self.assertEqual(caught.exception.filename, self.path("tree/a"))


if __name__ == "__main__":
    unittest.main()
