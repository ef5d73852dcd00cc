"""glob, iglob and rglob, against the standard library."""

import glob
import os
import pathlib
import sys
import unittest

import briskfs
from trees import InScratch, grow

PATTERNS = ["*", "*/", "**", "**/", "**/*", "**/*/", "*/**", "a/**", "**/a", "**/*.py", "**/.*", "*.py",
            ".*", ".*/*", "[ab]", "[!a]*", "a/b", "a/", "nowhere", "a/*/b", "*/*/*", "**/a/*", "?",
            "**/a/**", "a*/**/*.txt", ""]


def exists(path, dir_fd):
    try:
        os.lstat(path or ".", dir_fd=dir_fd)
        return True
    except OSError:
        return False


class Glob(InScratch):
    def setUp(self):
        super().setUp()
        for seed in range(8):
            root = self.path(f"t{seed}")
            os.mkdir(root)
            grow(root, seed, loops=False)
            os.makedirs(root + "/in/.side", exist_ok=True)
            os.symlink("in", root + "/link")
            os.symlink("gone", root + "/in/dangling")

    def check(self, pattern, **options):
        theirs = glob.glob(pattern, **options)
        if options.get("recursive"):
            # Python 3.11 lets "gone/**" match "gone/", later ones do not.
            place = options.get("root_dir") or pattern[:0]
            dir_fd = options.get("dir_fd")
            theirs = [path for path in theirs if exists(os.path.join(place, path), dir_fd)]
        ours = briskfs.glob(pattern, **options)
        self.assertEqual(sorted(ours), sorted(theirs), (pattern, options))
        self.assertEqual(sorted(briskfs.iglob(pattern, **options)), sorted(theirs))

    def options(self):
        for recursive in (False, True):
            yield {"recursive": recursive}
            if "include_hidden" in glob.glob.__kwdefaults__:
                yield {"recursive": recursive, "include_hidden": True}

    def test_patterns_in_random_trees(self):
        for root in sorted(os.listdir(self.root)):
            for pattern in PATTERNS:
                for options in self.options():
                    self.check(os.path.join(glob.escape(self.path(root)), pattern), **options)

    def test_the_directory_in_which_a_pattern_begins(self):
        root = self.path("t1")
        place = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, place)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        for pattern in PATTERNS:
            for options in self.options():
                self.check(pattern, root_dir=root, **options)
                self.check(os.fsencode(pattern), root_dir=os.fsencode(root), **options)
                self.check(pattern, dir_fd=place, **options)
                self.check(pattern, root_dir="in", dir_fd=place, **options)
                self.check(pattern, root_dir=pathlib.Path(root), **options)
                os.chdir(root)
                self.check(pattern, **options)
                os.chdir(here)

    def test_a_link_to_a_directory_above_is_not_entered(self):
        self.make("loop/a/file")
        os.symlink("..", self.path("loop/a/up"))
        found = briskfs.glob(self.path("loop/**"), recursive=True)
        names = ["", "a", "a/file", "a/up"]
        self.assertEqual(sorted(found), [self.path("loop", name) for name in names])

    def test_rglob(self):
        for root in sorted(os.listdir(self.root)):
            root = self.path(root)
            for pattern in ("*", "*.py", "a*", "[!a]", "a/*", "*/*.txt", ".*"):
                theirs = {os.fspath(path) for path in pathlib.Path(root).rglob(pattern)}
                ours = list(briskfs.rglob(root, pattern))
                self.assertEqual(set(ours), theirs, pattern)
                self.assertEqual(len(ours), len(theirs))

    @unittest.skipUnless((3, 11) <= sys.version_info < (3, 13), "as Python 3.11")
    def test_rglob_with_stars_in_the_pattern(self):
        patterns = ["**/a", "**/*.py", "a/**/*.py", "**/a/**/b", "a/**", "*/**", "**", "**/", "**/a/",
                    "a/", "*/", "a/**/", "**/**/*.txt", "*/**/a*/**", "..", "../*.py", "in/**/side",
                    "link/**/*", "l*/**/.*", "a/./b", "**/./a"]
        for root in sorted(os.listdir(self.root)):
            root = self.path(root)
            for pattern in patterns:
                # Up to Python 3.12, a name without wildcards is not a link that leads nowhere.
                theirs = sorted(str(path) for path in pathlib.Path(root).rglob(pattern) if path.exists())
                ours = briskfs.rglob(root, pattern)
                self.assertEqual(sorted(filter(os.path.exists, ours)), theirs, pattern)
                ours = briskfs.rglob(os.fsencode(root), os.fsencode(pattern))
                self.assertEqual(sorted(map(os.fsdecode, filter(os.path.exists, ours))), theirs)
        for error, pattern in ((NotImplementedError, "/a"), (ValueError, "a**"), (ValueError, ""),
                               (TypeError, 5), (TypeError, b"*")):
            with self.subTest(pattern), self.assertRaises(error):
                list(briskfs.rglob(self.root, pattern))


if __name__ == "__main__":
    unittest.main()
