"""rmtree, against shutil.rmtree."""

import errno
import os
import shutil
import stat
import sys
import unittest

import briskfs
from trees import InScratch, as_nobody, grow, large


class Rmtree(InScratch):
    def test_random_trees_are_gone_and_nothing_else(self):
        for seed in range(20):
            root = self.path(str(seed))
            self.make(f"{seed}/", f"kept{seed}/file")
            grow(root, seed)
            os.symlink(self.path(f"kept{seed}"), os.path.join(root, "out"))
            briskfs.rmtree(os.fsencode(root) if seed % 2 else root)
            self.assertFalse(os.path.lexists(root))
            self.assertTrue(os.path.exists(self.path(f"kept{seed}/file")))

    def test_a_large_tree(self):
        large(self.path("tree"))
        self.assertIsNone(briskfs.rmtree(self.path("tree")))
        self.assertEqual(os.listdir(self.root), [])
        self.assertTrue(briskfs.rmtree.avoids_symlink_attacks)

    def answers(self, path, **options):
        """The error of each, with its type, number and filename."""
        found = []
        for rmtree in (shutil.rmtree, briskfs.rmtree):
            try:
                found.append(rmtree(path, **options))
            except OSError as error:
                found.append((type(error), error.errno, error.filename))
        return found

    def test_what_is_no_directory_stays(self):
        self.make("file", "tree/file")
        os.symlink("tree", self.path("link"))
        for name in ("gone", "file"):
            theirs, ours = self.answers(self.path(name))
            self.assertEqual(ours, theirs)
            self.assertIsNone(briskfs.rmtree(self.path(name), ignore_errors=True))
        with self.assertRaisesRegex(OSError, "Cannot call rmtree on a symbolic link"):
            briskfs.rmtree(self.path("link"))
        self.assertEqual(sorted(os.listdir(self.root)), ["file", "link", "tree"])

    def test_relative_to_a_descriptor(self):
        self.make("tree/a/file", "other/file")
        place = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, place)
        briskfs.rmtree("tree", dir_fd=place)
        briskfs.rmtree(b"other", dir_fd=place)
        self.assertEqual(os.listdir(self.root), [])
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.rmtree("tree", dir_fd=place)
        self.assertEqual(caught.exception.filename, "tree")

    def shut(self):
        """A tree with a directory whose entries nobody may remove."""
        self.make("tree/a/file", "tree/shut/file", "tree/z/file")
        for name in ("tree", "tree/a", "tree/z"):
            os.chown(self.path(name), 65534, -1) if os.geteuid() == 0 else None
        os.chmod(self.path("tree/shut"), 0o555)
        if os.geteuid() == 0:
            os.chown(self.path("tree/shut"), 65534, -1)

    def test_the_rest_goes_and_the_first_error_is_raised(self):
        self.shut()
        with as_nobody(), self.assertRaises(PermissionError) as caught:
            briskfs.rmtree(self.path("tree"))
        self.assertEqual(caught.exception.filename, self.path("tree/shut/file"))
        self.assertEqual(os.listdir(self.path("tree")), ["shut"])

    def test_errors_are_ignored_or_reported(self):
        self.shut()
        with as_nobody():
            briskfs.rmtree(self.path("tree"), ignore_errors=True)
            calls = []
            briskfs.rmtree(self.path("tree"), onexc=lambda *call: calls.append(call))
            old = []
            briskfs.rmtree(self.path("tree"), onerror=lambda *call: old.append(call))
        function, path, error = calls[0]
        self.assertEqual((function, path), (os.unlink, self.path("tree/shut/file")))
        self.assertIsInstance(error, PermissionError)
        function, path, (kind, error, _) = old[0]
        self.assertEqual((function, path, kind), (os.unlink, error.filename, PermissionError))
        self.assertEqual([call[:2] for call in old], [call[:2] for call in calls])

    def calls(self, path, **options):
        """What shutil.rmtree and briskfs.rmtree report, in any order."""
        for rmtree in (shutil.rmtree, briskfs.rmtree):
            calls = []

            def report(function, path, triple):
                # shutil tries to remove a directory in which something stays: there are two reasons.
                kind = OSError if function is os.rmdir else triple[0]
                calls.append((function.__name__, path, kind))
                if rmtree is briskfs.rmtree:
                    self.assertEqual(triple[1].filename, path)

            rmtree(path, onerror=report, **options)
            calls.sort(key=str)
            if rmtree is shutil.rmtree:
                theirs = calls
        self.assertEqual(calls, theirs)
        return calls

    def test_functions_and_paths_are_those_of_shutil(self):
        self.shut()
        self.make("tree/shut/inner/x/file", "tree/unread/file", "tree/empty/", "tree/list/file")
        for name in ("unread", "list", "empty", "shut/inner", "shut/inner/x"):
            os.chown(self.path("tree", name), 65534, -1) if os.geteuid() == 0 else None
        os.chmod(self.path("tree/unread"), 0o300)
        os.chmod(self.path("tree/list"), 0o400)
        os.chmod(self.path("tree/shut/inner"), 0o555)
        place = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        self.addCleanup(os.close, place)
        with as_nobody():
            calls = self.calls(self.path("tree"))
            self.assertEqual({call[0] for call in calls}, {"unlink", "rmdir", "open"})
            self.calls(self.path("tree/"))
            if sys.version_info >= (3, 11):
                self.calls("tree", dir_fd=place)
                self.calls("gone", dir_fd=place)
        self.make("file")
        self.calls(self.path("file"))
        self.calls(self.path("gone"))

    def test_all_failures_are_told(self):
        self.make(*(f"tree/shut/{number}" for number in range(1200)))
        self.shut()
        with as_nobody():
            self.assertEqual(len(self.calls(self.path("tree"))), 1200 + 3)

    def test_wrong_arguments(self):
        for error, path, options in ((OSError, "a", {"dir_fd": 9999}), (TypeError, 5, {}),
                                     (TypeError, "a", {"dir_fd": "x"}), (ValueError, "a\0b", {})):
            with self.subTest(path), self.assertRaises(error) as caught:
                briskfs.rmtree(path, **options)
        with self.assertRaises(OSError) as caught:
            briskfs.rmtree("a", dir_fd=9999)
        self.assertEqual(caught.exception.errno, errno.EBADF)

    def test_what_a_callback_repairs_is_removed(self):
        self.shut()

        def repair(function, path, _):
            os.chmod(os.path.dirname(path), 0o755)
            function(path)

        with as_nobody():
            os.chmod(self.path("tree"), 0o700)
            briskfs.rmtree(self.path("tree/shut"), onexc=repair)
        self.assertFalse(os.path.exists(self.path("tree/shut")))

    def test_a_callback_that_raises_ends_the_removal(self):
        self.shut()

        def fail(_function, _path, error):
            raise RuntimeError from error

        with as_nobody(), self.assertRaises(RuntimeError):
            briskfs.rmtree(self.path("tree"), onexc=fail)
        self.assertTrue(stat.S_ISDIR(os.stat(self.path("tree/shut")).st_mode))


if __name__ == "__main__":
    unittest.main()
