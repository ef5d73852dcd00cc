"""walk, against os.walk."""

import gc
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import weakref

import briskfs
from trees import InScratch, as_nobody, grow, large


class Walk(InScratch):
    def both(self, top, **options):
        """What os.walk and briskfs.walk yield and report."""
        answers = []
        for walk in (os.walk, briskfs.walk):
            errors = []
            found = list(walk(top, onerror=errors.append, **options))
            errors = [(type(error), error.errno, error.filename) for error in errors]
            answers.append((found, errors))
        return answers

    def check(self, top, **options):
        theirs, ours = self.both(top, **options)
        self.same(ours[0], theirs[0])
        self.assertEqual(ours[1], theirs[1])

    def test_random_trees_in_both_directions(self):
        for seed in range(30):
            root = self.path(str(seed))
            os.mkdir(root)
            grow(root, seed)
            for topdown in (True, False):
                self.check(root, topdown=topdown)
                self.check(os.fsencode(root), topdown=topdown)
                self.check(pathlib.Path(root), topdown=topdown)
                self.check(root + "//", topdown=topdown)

    def test_links_are_followed_on_demand(self):
        for seed in range(15):
            root = self.path(str(seed))
            os.mkdir(root)
            grow(root, seed, loops=False)
            os.makedirs(root + "/in/side", exist_ok=True)
            os.symlink("in", root + "/link")
            os.symlink("link/side", root + "/other")
            for topdown in (True, False):
                self.check(root, topdown=topdown, followlinks=True)

    def test_a_link_to_a_directory_above_is_not_entered(self):
        self.make("a/b/file")
        os.symlink("..", self.path("a/b/up"))
        os.symlink("../../a", self.path("a/b/aside"))
        os.symlink(".", self.path("a/b/self"))
        found = {root: (sorted(dirs), files) for root, dirs, files in
                 briskfs.walk(self.path("a"), followlinks=True)}
        self.assertEqual(sorted(found), [self.path("a"), self.path("a/b")])
        self.assertEqual(found[self.path("a/b")], (["aside", "self", "up"], ["file"]))

    def test_a_top_that_is_a_link_or_relative(self):
        self.make("a/b/file")
        os.symlink("a", self.path("link"))
        here = os.getcwd()
        os.chdir(self.root)
        self.addCleanup(os.chdir, here)
        for top in (self.path("link"), "a", ".", "./a", "a/../a", "a/.", "link"):
            for followlinks in (False, True):
                self.check(top, followlinks=followlinks)

    def test_more_entries_than_a_batch_has(self):
        large(self.root)
        for topdown in (True, False):
            self.check(self.root, topdown=topdown)

    def test_a_directory_of_many_reads(self):
        for number in range(9000):
            with open(self.path(f"file-{number}"), "w"):
                pass
        for topdown in (True, False):
            self.check(self.root, topdown=topdown)

    def test_many_empty_directories(self):
        for number in range(3000):
            os.makedirs(self.path(f"a{number % 9}/b{number}"))
        for topdown in (True, False):
            self.check(self.root, topdown=topdown)

    def test_what_is_missing_or_no_directory_is_reported(self):
        self.make("file")
        for top in (self.path("gone"), self.path("file"), ""):
            self.check(top)
        self.assertEqual(list(briskfs.walk(self.path("gone"))), [])

    def test_unreadable_directories_are_reported(self):
        self.make("a/file", "b/c/file", "d/file")
        for name in ("b/c", "d"):
            os.chmod(self.path(name), 0)
        with as_nobody():
            for topdown in (True, False):
                self.check(self.root, topdown=topdown)
                _, (_, errors) = self.both(self.root, topdown=topdown)
                self.assertEqual(len(errors), 2)

    def test_an_exception_of_onerror_ends_the_walk(self):
        def fail(error):
            raise error

        walk = briskfs.walk(self.path("gone"), onerror=fail)
        with self.assertRaises(FileNotFoundError) as caught:
            next(walk)
        self.assertEqual(caught.exception.filename, self.path("gone"))
        self.assertEqual(list(walk), [])

    def test_dirnames_are_pruned_sorted_and_added_to_in_place(self):
        large(self.root)
        self.make("d0/skipped/file")

        def change(walk):
            found = []
            for root, dirs, files in walk(self.root):
                found.append((root, sorted(dirs), sorted(files)))
                if root == self.root:
                    os.makedirs(self.path("new/inside"), exist_ok=True)
                    dirs.append("new")
                    dirs.append("gone")
                    dirs.remove("d3")
                    dirs.sort(reverse=True)
                elif root == self.path("d0"):
                    dirs[:] = [name for name in dirs if name != "skipped"]
            os.rmdir(self.path("new/inside"))
            os.rmdir(self.path("new"))
            return found

        self.assertEqual(change(briskfs.walk), change(os.walk))

    def test_a_renamed_directory_is_entered_by_its_new_name(self):
        self.make("old/file")
        for root, dirs, _ in briskfs.walk(self.root):
            if root == self.root:
                os.rename(self.path("old"), self.path("new"))
                dirs[:] = ["new"]
            else:
                self.assertEqual(root, self.path("new"))

    def test_a_tree_is_removed_bottom_up(self):
        large(self.root)
        for root, dirs, files in briskfs.walk(self.root, topdown=False):
            for name in files:
                os.remove(os.path.join(root, name))
            for name in dirs:
                os.rmdir(os.path.join(root, name))
        self.assertEqual(os.listdir(self.root), [])

    def test_a_directory_that_vanishes_is_no_surprise(self):
        self.make("a/file", "b/file")
        for root, dirs, _ in briskfs.walk(self.root):
            if root == self.root:
                os.remove(self.path("b/file"))
                os.rmdir(self.path("b"))
        self.assertEqual(os.listdir(self.root), ["a"])

    def test_the_first_directory_alone_is_read_at_first(self):
        large(self.root)
        walk = briskfs.walk(self.root)
        next(walk)
        self.make("d0/late")
        found = {root: files for root, _, files in walk}
        self.assertEqual(found[self.path("d0")], ["late"])

    def test_directories_that_the_caller_removes(self):
        for top, names in ((".", "abc"), ("a", "xyz"), ("a/x", "pqr")):
            self.make(*(f"tree/{top}/{name}/deep/file" for name in names))

        def removing(walk):
            root = self.path(walk.__module__)
            shutil.copytree(self.path("tree"), root)
            found = []
            errors = []
            for top, dirs, files in walk(root, onerror=errors.append):
                dirs.sort()
                found.append((os.path.relpath(top, root), list(dirs), files))
                for name in dirs[1:]:
                    shutil.rmtree(os.path.join(top, name))
            return found, [(error.errno, os.path.relpath(error.filename, root)) for error in errors]

        theirs = removing(os.walk)
        self.assertEqual(removing(briskfs.walk), theirs)
        self.assertEqual(len(theirs[1]), 5)

    def test_paths_that_are_too_long_for_the_system(self):
        here = os.open(".", os.O_RDONLY)
        self.addCleanup(os.close, here)
        self.addCleanup(briskfs.rmtree, self.path("deep"))
        os.mkdir(self.path("deep"))
        os.chdir(self.path("deep"))
        for _ in range(30):
            os.mkdir("x" * 200)
            os.chdir("x" * 200)
        os.fchdir(here)
        for topdown in (True, False):
            self.assertEqual(len(list(briskfs.walk(self.path("deep"), topdown=topdown))), 31)

    def test_a_walk_in_a_cycle_is_collected(self):
        class Holder:
            def error(self, _):
                pass

        for topdown in (True, False):
            large(self.path(f"tree{topdown}"), dirs=5, files=1)
            for walk in (briskfs.walk, briskfs.find):
                holder = Holder()
                options = {"topdown": topdown} if walk is briskfs.walk else {}
                holder.walk = walk(self.path(f"tree{topdown}"), onerror=holder.error, **options)
                next(holder.walk)
                gone = weakref.ref(holder)
                del holder
                gc.collect()
                self.assertIsNone(gone())

    def test_flags_are_any_objects(self):
        self.make("a/file")
        os.symlink("a", self.path("link"))
        self.check(self.root, topdown=0, followlinks="yes")
        self.check(self.root, topdown=[1], followlinks=None)

    def test_a_walk_can_be_closed(self):
        large(self.root)
        walk = briskfs.walk(self.root)
        next(walk)
        walk.close()
        self.assertEqual(list(walk), [])

    def test_a_fork_goes_on_by_itself(self):
        large(self.root)
        threads = len(os.listdir("/proc/self/task"))
        walk = briskfs.walk(self.root)
        first = [next(walk) for _ in range(10)]
        # The system may list a thread that has ended for a moment.
        while len(os.listdir("/proc/self/task")) > threads:
            time.sleep(0.01)
        child = os.fork()
        if child == 0:
            os._exit(len(list(walk)) + len(first))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 68)
        self.assertEqual(len(list(walk)) + len(first), 68)

    def test_arguments_are_checked_as_os_walk_does(self):
        with self.assertRaisesRegex(TypeError, "os.PathLike"):
            list(briskfs.walk(3.5))
        with self.assertRaises(ValueError):
            list(briskfs.walk("a\0b"))


class Interrupt(unittest.TestCase):
    def test_a_signal_ends_a_call(self):
        calls = ['for _ in briskfs.walk("/usr"): pass', 'list(briskfs.find("/usr", fields="size"))',
                 'briskfs.du("/usr")', 'briskfs.glob("/usr/**", recursive=True)']
        for call in calls:
            script = f"""
import briskfs, signal
# It may be ignored: shells have their background jobs ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    print("begun", flush=True)
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
            with self.subTest(call):
                child = subprocess.Popen([sys.executable, "-c", script], text=True,
                                         stdout=subprocess.PIPE)
                self.addCleanup(child.kill)
                self.assertEqual(child.stdout.readline(), "begun\n")
                time.sleep(0.1)
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=300), ("interrupted\n", None))


if __name__ == "__main__":
    unittest.main()
