"""Index: the names in a tree, kept in a file."""

import os
import random
import shutil
import subprocess
import sys
import unittest

import briskfs
from trees import NAMES, InScratch, grow


def fresh(root):
    """What is not a directory below a directory."""
    files = []
    for entry in os.scandir(root):
        if entry.is_dir(follow_symlinks=False):
            files += fresh(entry.path)
        else:
            files.append(entry.path)
    return sorted(files)


def edit(root, draw):
    """Makes, moves or removes something."""
    dirs = [top for top, _, _ in os.walk(root)]
    top = draw.choice(dirs)
    path = os.path.join(top, draw.choice(NAMES))
    what = draw.randrange(5)
    try:
        if what == 0:
            os.mkdir(path)
        elif what == 1:
            os.symlink(b"a", path)
        elif what == 2:
            os.rename(path, os.path.join(draw.choice(dirs), draw.choice(NAMES)))
        elif what == 3 and os.path.isfile(path):
            os.remove(path)
        elif what == 3 and len(dirs) > 40:
            shutil.rmtree(path)
        else:
            with open(path, "w"):
                pass
    except OSError:
        pass


class Indexes(InScratch):
    def setUp(self):
        super().setUp()
        self.make("tree/a.jpg", "tree/b.png", "tree/sub/c.jpg", "tree/sub/d.txt", "tree/empty/")
        self.cache = self.path("cache")

    def index(self, **options):
        return briskfs.Index(self.path("tree"), cache=self.cache, **options)

    def test_files_and_suffixes(self):
        files = self.index().files()
        self.assertEqual(sorted(files), fresh(self.path("tree")))
        names = [os.path.basename(path) for path in self.index().files(suffix=(".jpg", ".png"))]
        self.assertEqual(sorted(names), ["a.jpg", "b.png", "c.jpg"])
        self.assertEqual(list(self.index().files(".txt")), [self.path("tree/sub/d.txt")])
        self.assertEqual(len(self.index().files(".gif")), 0)
        for suffix in (b".txt", 5, [".txt"], (".txt", b".jpg")):
            with self.assertRaises(TypeError):
                self.index().files(suffix)

    def test_a_sequence(self):
        files = self.index().files()
        paths = list(files)
        self.assertEqual((len(files), files[0], files[-1]), (4, paths[0], paths[3]))
        self.assertEqual((files[1:3], files[::-1]), (paths[1:3], paths[::-1]))
        self.assertIn(paths[2], files)
        for at in (4, -5, 2**70, -(2**70)):
            with self.assertRaises(IndexError):
                files[at]

    def test_random_rounds(self):
        rounds = 1000 if "BRISK_ROUNDS" in os.environ else 60
        root = os.fsencode(self.path("tree"))
        grow(root, 1)
        draw = random.Random(28)
        for _ in range(rounds):
            for _ in range(draw.randrange(4)):
                edit(root, draw)
            index = briskfs.Index(root, self.cache)
            self.same(sorted(index.files()), fresh(root))

    def test_what_is_listed_stays_as_it_was(self):
        files = self.index().files()
        before = list(files)
        shutil.rmtree(self.path("tree/sub"))
        self.assertEqual(len(self.index().files()), 2)
        self.assertEqual(list(files), before)

    def test_a_cache_that_is_cut_short_in_place(self):
        # With so many names that the file has many pages.
        self.make(*(f"tree/many/{'x' * 200}{number}" for number in range(300)))
        script = """
import os, sys, briskfs
for _ in range(2):
    files = briskfs.Index(sys.argv[1], sys.argv[2]).files()
before = list(files)
os.truncate(sys.argv[2], 0)
assert list(files) == before
"""
        command = [sys.executable, "-c", script, self.path("tree"), self.cache]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.index().files()), 304)

    def test_another_tree(self):
        self.index()
        other = briskfs.Index(self.path("tree/sub"), self.cache)
        self.assertEqual(sorted(other.files()), fresh(self.path("tree/sub")))

    def test_the_cache_is_no_entry(self):
        self.cache = self.path("tree/cache")
        for _ in range(2):
            self.assertEqual(len(self.index().files()), 4)

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.Index(self.path("gone"), self.cache)
        self.assertEqual(caught.exception.filename, self.path("gone"))
        with self.assertRaises(OSError) as caught:
            briskfs.Index(self.path("tree"), self.path("tree/a.jpg"))
        self.assertEqual(caught.exception.filename, self.path("tree/a.jpg"))


if __name__ == "__main__":
    unittest.main()
