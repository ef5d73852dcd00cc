"""State: what has changed since it was saved."""

import os
import unittest

import briskfs
from trees import InScratch


class Changes(InScratch):
    def setUp(self):
        super().setUp()
        self.make("tree/a", "tree/b", "tree/sub/c")
        self.state = briskfs.State(self.path("state"), self.path("tree"))

    def changes(self, **options):
        top = len(self.path("tree/"))
        return [(change.kind, change.path[top:]) for change in self.state.changes(**options)]

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
        found = self.state.changes()
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
