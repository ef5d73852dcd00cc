"""scandir, against os.scandir."""

import copy
import functools
import os
import pathlib
import pickle
import shutil
import stat
import unittest
from unittest import mock

import briskfs
from trees import InScratch, as_nobody, grow

STATS = ["st_mode", "st_ino", "st_dev", "st_nlink", "st_uid", "st_gid", "st_size", "st_blocks",
         "st_rdev", "st_blksize", "st_mtime", "st_ctime", "st_mtime_ns", "st_ctime_ns"]


def answer(call):
    try:
        result = call()
    except OSError as error:
        return type(error), error.errno, error.filename
    if isinstance(result, (os.stat_result, briskfs.StatResult)):
        return [getattr(result, name) for name in STATS]
    return result


def described(entry):
    """Everything that an entry tells."""
    calls = [entry.is_dir, entry.is_file, entry.stat]
    answers = [answer(call) for call in calls]
    answers += [answer(lambda: call(follow_symlinks=False)) for call in calls]
    return (entry.name, entry.path, os.fspath(entry), entry.inode(), repr(entry),
            answer(entry.is_symlink), *answers)


class Scandir(InScratch):
    def check(self, top):
        theirs = [described(entry) for entry in os.scandir(top)]
        self.same([described(entry) for entry in briskfs.scandir(top)], theirs)

    def test_random_directories(self):
        for seed in range(30):
            root = self.path(str(seed))
            os.mkdir(root)
            for directory in grow(root, seed):
                self.check(directory)
                self.check(os.fsdecode(directory))

    def test_a_directory_of_many_batches(self):
        self.make(*(f"d/{number:05}" for number in range(3000)))
        for number in range(100):
            os.symlink("00000", self.path(f"d/link{number}"))
        self.check(self.path("d"))

    def test_any_path(self):
        self.make("a/file")
        here = os.getcwd()
        os.chdir(self.path("a"))
        self.addCleanup(os.chdir, here)
        for top in (pathlib.Path(self.root), self.root + "/", ".", b"."):
            self.check(top)
        ours = [entry.path for entry in briskfs.scandir()]
        self.assertEqual(ours, [entry.path for entry in os.scandir()])

    def test_a_descriptor(self):
        self.make("a", "b")
        place = os.open(self.root, os.O_RDONLY)
        self.addCleanup(os.close, place)
        for _ in range(2):
            names = [(entry.name, entry.path, entry.stat().st_size) for entry in
                     briskfs.scandir(place)]
            self.assertEqual(sorted(names), sorted(
                (entry.name, entry.path, entry.stat().st_size) for entry in os.scandir(place)))

    def test_an_entry_that_is_kept_holds_no_descriptor(self):
        self.make(*(f"d{one}/f{two}" for one in range(40) for two in range(20)))

        def descriptors():
            return len(os.listdir("/proc/self/fd"))

        before = descriptors()
        lists = [list(briskfs.scandir(self.path(name))) for name in os.listdir(self.root)]
        closed = briskfs.scandir(self.root)
        kept = [next(closed)]
        closed.close()
        with briskfs.scandir(self.root) as entries:
            kept.append(next(entries))
        self.assertEqual(descriptors(), before)
        # Each is asked about by its path, and by more than one request at a time.
        for entry in [*sum(lists, []), *kept]:
            self.assertEqual(answer(entry.stat), answer(functools.partial(os.stat, entry)))
        self.assertEqual(descriptors(), before)

    def test_os_walk_and_copytree_on_top_of_it(self):
        for seed in range(5):
            os.mkdir(self.path(str(seed)))
            grow(self.path(str(seed)), seed)
        theirs = list(os.walk(self.root))
        with mock.patch.object(os, "scandir", briskfs.scandir):
            self.assertEqual(list(os.walk(self.root)), theirs)
            shutil.copytree(self.path("0"), self.path("copy"), symlinks=True)
            shutil.rmtree(self.path("copy"))

    def test_entries_of_a_descriptor_outlive_the_iterator(self):
        self.make("a", "b")
        os.symlink("a", self.path("link"))
        place = os.open(self.root, os.O_RDONLY)
        self.addCleanup(os.close, place)
        entries = sorted(briskfs.scandir(place), key=os.fspath)
        self.assertEqual([entry.stat().st_size for entry in entries],
                         [os.stat(self.path(entry.name)).st_size for entry in entries])
        os.remove(self.path("b"))
        (error,) = [answer(entry.stat) for entry in entries if entry.name == "b"]
        self.assertEqual(error[2], "b")

    def test_an_iterator_that_is_not_closed(self):
        self.make("a", "b")

        def fail():
            entries = briskfs.scandir(self.root)
            next(entries)
            raise KeyError

        with self.assertWarnsRegex(ResourceWarning, "unclosed scandir iterator"):
            with self.assertRaises(KeyError):
                fail()

    def test_arguments_as_os_scandir_takes_them(self):
        class Index:
            def __index__(self):
                return place

        self.make("a")
        place = os.open(self.root, os.O_RDONLY)
        self.addCleanup(os.close, place)
        (entry,) = briskfs.scandir(Index())
        self.assertIs(entry.is_file(follow_symlinks=1), True)
        self.assertIsInstance(entry, (os.DirEntry, briskfs.DirEntry))
        self.assertIs(type(entry), briskfs.DirEntry)
        file = os.open(self.path("a"), os.O_RDONLY)
        self.addCleanup(os.close, file)
        for descriptor in (file, 5000):
            self.assertEqual(answer(lambda: briskfs.scandir(descriptor)),
                             answer(lambda: os.scandir(descriptor)))
        for error, wrong in ((OverflowError, 2**40), (TypeError, 1.5), (ValueError, "a\0b")):
            with self.assertRaises(error):
                briskfs.scandir(wrong)

    def test_errors_have_the_filename(self):
        self.make("file")
        for top in (self.path("gone"), self.path("file"), b"/gone"):
            self.assertEqual(answer(lambda: briskfs.scandir(top)), answer(lambda: os.scandir(top)))
        os.mkdir(self.path("shut"), 0)
        with as_nobody():
            with self.assertRaises(PermissionError) as caught:
                briskfs.scandir(self.path("shut"))
        self.assertEqual(caught.exception.filename, self.path("shut"))

    def test_an_entry_that_vanishes(self):
        self.make(*(str(number) for number in range(20)))
        entries = list(briskfs.scandir(self.root))
        os.remove(entries[0].path)
        os.remove(entries[15].path)
        for entry in entries[:10]:
            answer(entry.stat)
        for entry in (entries[0], entries[15]):
            with self.assertRaises(FileNotFoundError) as caught:
                entry.stat()
            self.assertEqual(caught.exception.filename, entry.path)
            self.assertTrue(entry.is_file())

    def test_few_are_asked_about_one_by_one(self):
        self.make(*(f"{number:04}" for number in range(1000)))
        entries = list(briskfs.scandir(self.root))
        entries[900].stat()
        os.truncate(entries[901].path, 12345)
        self.assertEqual(entries[901].stat().st_size, 12345)

    def test_it_is_a_context_manager(self):
        self.make("a", "b")
        with briskfs.scandir(self.root) as entries:
            next(entries)
        self.assertEqual(list(entries), [])
        entries = briskfs.scandir(self.root)
        entries.close()
        self.assertEqual(list(entries), [])

    def test_a_result_is_as_stat_result(self):
        self.make("file")
        (entry,) = briskfs.scandir(self.root)
        ours = entry.stat()
        theirs = os.stat(entry.path)
        self.assertEqual(ours, theirs)
        self.assertEqual(tuple(ours), tuple(theirs))
        self.assertEqual(ours[stat.ST_SIZE], theirs[stat.ST_SIZE])
        self.assertEqual((len(ours), ours[-1], ours[6:8]), (10, theirs[-1], theirs[6:8]))
        self.assertEqual(hash(ours), hash(tuple(theirs)))
        for other in (copy.copy(ours), pickle.loads(pickle.dumps(ours))):
            self.assertIsInstance(other, os.stat_result)
            self.assertEqual(other.st_mtime_ns, theirs.st_mtime_ns)
            self.assertEqual(other.st_blocks, theirs.st_blocks)


if __name__ == "__main__":
    unittest.main()
