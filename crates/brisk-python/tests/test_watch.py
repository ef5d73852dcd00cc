"""watch: batches in loops and asynchronous loops."""

import asyncio
import faulthandler
import os
import signal
import threading
import unittest

import briskfs
from trees import InScratch


class Watching(InScratch):
    def setUp(self):
        super().setUp()
        # A test that waits for ever ends the program, and shows where it waits.
        faulthandler.dump_traceback_later(60, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.make("tree/a", "tree/sub/b")

    def told(self, batch):
        top = len(self.path("tree/"))
        return [(change.kind, change.path[top:]) for change in batch.changes]

    def watch(self, **options):
        return briskfs.watch(self.path("tree"), state=self.path("state"), **options)

    def test_a_batch_is_accepted_when_the_next_one_is_asked_for(self):
        with self.watch() as watch:
            first = next(watch)
            self.assertEqual({kind for kind, _ in self.told(first)}, {"A"})
            self.assertEqual((first.full, first.scanned), ("there is no state yet", []))
            self.make("tree/new")
            second = next(watch)
            self.assertEqual((self.told(second), second.full), ([("A", "new")], None))
        self.assertRaises(StopIteration, next, watch)
        with self.watch() as watch:
            self.assertEqual(self.told(next(watch)), [("A", "new")], "it was not accepted")
            watch.accept()
        with self.watch() as watch:
            self.assertEqual(self.told(next(watch)), [])
            os.rename(self.path("tree/new"), self.path("tree/old"))
            (change,) = next(watch).changes
            self.assertEqual((change.kind, change.old_path), ("R", self.path("tree/new")))

    def test_an_asynchronous_loop(self):
        async def loop():
            async for batch in self.watch(settle=0.001):
                told.append(self.told(batch))
                if len(told) == 3:
                    break
                self.make(f"tree/{len(told)}")

        told = []
        asyncio.run(loop())
        self.assertEqual(told[1:], [[("A", "1")], [("A", "2")]])

    def test_a_task_that_is_cancelled_ends(self):
        async def loop():
            async for batch in self.watch():
                started.set()

        async def cancelled():
            task = asyncio.create_task(loop())
            await started.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        started = asyncio.Event()
        asyncio.run(cancelled())
        self.assertEqual([thread.name for thread in threading.enumerate()], ["MainThread"])

    def test_another_thread_ends_the_wait(self):
        watch = self.watch()
        next(watch)
        threading.Timer(0.1, watch.close).start()
        self.assertEqual(list(watch), [])

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timers")
    def test_a_signal_ends_the_wait(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        watch = self.watch()
        next(watch)
        before = signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            self.assertRaises(KeyboardInterrupt, next, watch)
        finally:
            signal.signal(signal.SIGALRM, before)
            watch.close()

    def test_what_is_refused(self):
        self.assertRaises(TypeError, briskfs.watch)
        self.assertRaises(ValueError, briskfs.watch, "a", settle=-1)
        self.assertRaises(FileNotFoundError, next, briskfs.watch(self.path("none")))
        self.make("foreign")
        with open(self.path("foreign"), "w") as file:
            file.write("This is a file of something else.")
        self.assertRaises(FileExistsError, briskfs.watch, "a", state=self.path("foreign"))

    def test_bytes(self):
        with briskfs.watch(os.fsencode(self.path("tree/a"))) as watch:
            self.assertEqual([change.path for change in next(watch).changes],
                             [os.fsencode(self.path("tree/a"))])
