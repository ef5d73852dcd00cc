"""find and du, against what os.walk and os.lstat find."""

import datetime
import fnmatch
import os
import stat
import subprocess
import time
import unittest
from unittest import mock

import briskfs
from trees import InScratch, as_nobody, grow, large


def all_below(root):
    for directory, dirs, files in os.walk(root):
        for name in dirs + files:
            yield os.path.join(directory, name)


class Find(InScratch):
    def paths(self, *args, **options):
        return sorted(entry.path for entry in briskfs.find(self.root, *args, **options))

    def expected(self, keep):
        return sorted(path for path in all_below(self.root) if keep(path, os.lstat(path)))

    def test_everything_in_batches(self):
        large(self.root, dirs=100, files=60)
        self.same(self.paths(), self.expected(lambda path, st: True))
        iterator = briskfs.find(self.root)
        first = next(iterator).path
        self.assertEqual(sorted([first, *iterator.paths()]), self.paths())

    def test_filters_of_random_trees(self):
        for seed in range(10):
            os.mkdir(self.path(str(seed)))
            grow(self.path(str(seed)), seed)
        cases = [
            ({"type": "f"}, lambda path, st: stat.S_ISREG(st.st_mode)),
            ({"type": "dl"}, lambda path, st: not stat.S_ISREG(st.st_mode)),
            ({"pattern": "*.py"}, lambda path, st: path.endswith(".py")),
            ({"pattern": "[!a-c]*"}, lambda path, st: fnmatch.fnmatchcase(
                os.path.basename(path), "[!a-c]*")),
            ({"pattern": "3/*/*.txt"}, lambda path, st: path.endswith(".txt")
             and path[len(self.root) + 1 :].split("/")[0] == "3"
             and path[len(self.root) + 1 :].count("/") == 2),
            ({"size": ">1k", "type": "f"}, lambda path, st: stat.S_ISREG(st.st_mode)
             and st.st_size > 1024),
            ({"size": ">=1000, <2k"}, lambda path, st: 1000 <= st.st_size < 2048),
            ({"size": 0}, lambda path, st: st.st_size == 0),
            ({"max_depth": 2}, lambda path, st: path[len(self.root) :].count("/") <= 2),
            ({"where": "-type d -o -links +1 -o -name '*.txt' ! -size 0"}, lambda path, st:
             stat.S_ISDIR(st.st_mode) or st.st_nlink > 1
             or path.endswith(".txt") and st.st_size > 0),
            ({"where": f"-path '{self.root}/3' -prune", "type": "f"}, lambda path, st: False),
            ({"where": f"! -path '{self.root}/[3-5]*'", "min_depth": 2}, lambda path, st:
             path[len(self.root) + 1] not in "345" and path[len(self.root) + 1 :].count("/") >= 1),
            ({"hidden": False}, lambda path, st: "/." not in path[len(self.root) :]),
        ]
        for options, keep in cases:
            with self.subTest(options):
                self.assertEqual(self.paths(**options), self.expected(keep))

    def test_times(self):
        self.make("old", "new")
        week = datetime.datetime.now() - datetime.timedelta(days=8)
        os.utime(self.path("old"), (week.timestamp(), week.timestamp()))
        for newer in ("<7d", f">{week + datetime.timedelta(hours=1)}", datetime.timedelta(days=7),
                      week + datetime.timedelta(hours=1), week.timestamp() + 1):
            with self.subTest(newer):
                self.assertEqual(self.paths(mtime=newer), [self.path("new")])
        self.assertEqual(self.paths(mtime=">1w"), [self.path("old")])
        self.assertEqual(self.paths(mtime="<=9d,>7d"), [self.path("old")])
        self.assertEqual(self.paths(mtime=">2020-01-01,<2020-01-02"), [])

    def test_ages_after_clocks_were_set(self):
        self.make("old", "new")
        now = time.time()
        for name, minutes in (("old", 80), ("new", 50)):
            os.utime(self.path(name), (now - 60 * minutes, now - 60 * minutes))
        self.addCleanup(time.tzset)
        # Half an hour ago summer time began, or ended.
        moment = time.strftime("J%j/%H:%M:%S", time.gmtime(now - 1800))
        ended = time.strftime("J%j/%H:%M:%S", time.gmtime(now + 1800))
        for zone in (f"AAA0BBB,{moment},J1/0", f"AAA0BBB,J1/0,{ended}"):
            with mock.patch.dict(os.environ, TZ=zone):
                time.tzset()
                self.assertEqual(self.paths(mtime=datetime.timedelta(hours=1)), [self.path("new")])
                self.assertEqual(self.paths(mtime="<1h"), [self.path("new")])
                self.assertEqual(self.paths(mtime=">1h"), [self.path("old")])

    def test_far_times(self):
        self.make("file")
        os.utime(self.path("file"), (2**33, 2**33))
        self.assertEqual(self.paths(mtime=2**33), [self.path("file")])
        self.assertEqual(self.paths(mtime="<99999999999999d"), [self.path("file")])
        self.assertEqual(self.paths(mtime=datetime.timedelta.max), [self.path("file")])
        self.assertEqual(self.paths(size=2**70), [])

    def test_wrong_arguments(self):
        wrong = [
            (TypeError, {"max_depth": "1"}), (TypeError, {"max_depth": 1.5}),
            (OverflowError, {"max_depth": -1}), (OverflowError, {"min_depth": 2**70}),
            (TypeError, {"type": 5}), (TypeError, {"type": b"f"}), (TypeError, {"size": 1.5}),
            (TypeError, {"size": b">1k"}), (ValueError, {"size": -1}), (TypeError, {"mtime": []}),
            (ValueError, {"mtime": float("nan")}), (OverflowError, {"mtime": float("inf")}),
            (TypeError, {"pattern": 5}), (ValueError, {"pattern": "a\0b"}),
            (TypeError, {"where": 5}), (ValueError, {"where": "-size"}),
            (ValueError, {"where": "-name a -print"}), (TypeError, {"fields": [3]}), (TypeError, {"fields": 5}),
        ]
        for error, options in wrong:
            with self.subTest(options), self.assertRaises(error):
                briskfs.find(self.root, **options)
        for error, options in ((OverflowError, {"max_depth": -1}), (TypeError, {"max_depth": "1"})):
            with self.subTest(options), self.assertRaises(error):
                briskfs.du(self.root, **options)
        self.make(".file")
        self.assertEqual(self.paths(hidden=0), [])

    def test_an_entry_has_the_fields_that_were_asked_for(self):
        self.make("file")
        os.symlink("file", self.path("link"))
        fields = ["size", "mode", "mtime", "target"]
        for entry in briskfs.find(self.root, fields=fields):
            theirs = os.lstat(entry)
            for name in fields[:-1]:
                if name == "mode":
                    self.assertEqual(entry.mode, stat.S_IMODE(theirs.st_mode))
                else:
                    self.assertEqual(getattr(entry, name), getattr(theirs, f"st_{name}"))
            self.assertEqual(entry.target, "file" if entry.type == "l" else None)
            self.assertEqual(entry.is_symlink(), entry.name == "link")
        (entry,) = briskfs.find(self.root, "file", fields="stat")
        self.assertEqual((entry.stat(), entry.depth), (os.stat(entry), 1))
        (entry,) = briskfs.find(os.fsencode(self.root), "file")
        self.assertEqual((entry.size, entry.path), (None, os.fsencode(self.path("file"))))
        self.assertEqual(entry.stat(), os.stat(entry))

    def test_errors(self):
        self.make("shut/file", "open/file")
        os.chmod(self.path("shut"), 0)
        with self.assertRaises(FileNotFoundError):
            list(briskfs.find(self.path("gone")))
        errors = []
        with as_nobody():
            found = list(briskfs.find(self.root, onerror=errors.append))
        self.assertEqual(len(found), 3)
        self.assertEqual([error.filename for error in errors], [self.path("shut")])
        self.assertIsInstance(errors[0], PermissionError)
        for wrong in ({"size": "big"}, {"mtime": "soon"}, {"type": "x"}, {"fields": ["colour"]},
                      {"pattern": "[a"}):
            with self.subTest(wrong), self.assertRaises(ValueError):
                briskfs.find(self.root, **wrong)


class Du(InScratch):
    def gnu(self, *options):
        lines = subprocess.check_output(["du", "-B1", *options, self.root], text=True).split("\n")
        sizes = (line.split("\t", 1) for line in lines if line)
        return {path: int(size) for size, path in sizes}

    def test_sums_of_every_directory(self):
        large(self.root)
        os.link(self.path("d0/e0/f0"), self.path("d1/second"))
        usage = briskfs.du(self.root, max_depth=9)
        ours = {each.path: each.allocated for each in usage.directories}
        theirs = self.gnu()
        self.assertEqual(usage.allocated, theirs.pop(self.root))
        self.assertEqual(sorted(ours), sorted(theirs))
        self.assertEqual(sum(ours.values()), sum(self.gnu().values()) - usage.allocated)
        self.assertEqual(usage.directories[0].allocated, max(theirs.values()))
        self.assertEqual(usage.entries, len(list(all_below(self.root))))
        self.assertEqual(briskfs.du(self.root, count_links=True).entries, usage.entries + 1)
        self.assertEqual(briskfs.du(os.fsencode(self.root)).path, os.fsencode(self.root))

    def test_contents(self):
        self.make("a", "b/c")
        self.assertEqual(briskfs.du(self.root).apparent, 2 * len(self.path("a")) + 2)

    def test_errors(self):
        self.make("shut/file")
        os.chmod(self.path("shut"), 0)
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.du(self.path("gone"))
        self.assertEqual(caught.exception.filename, self.path("gone"))
        errors = []
        with as_nobody():
            with self.assertRaises(PermissionError):
                briskfs.du(self.root)
            briskfs.du(self.root, onerror=errors.append)
        self.assertEqual([error.filename for error in errors], [self.path("shut")])


if __name__ == "__main__":
    unittest.main()
