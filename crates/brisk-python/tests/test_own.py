"""chmod and chown, against the programs with -R."""

import os
import pathlib
import shutil
import subprocess
import unittest
from unittest import mock

import briskfs
from trees import InScratch, grow

STATUS = pathlib.Path("/proc/self/status")


def described(root):
    found = []
    for top, dirs, files in os.walk(root):
        for name in [".", *dirs, *files]:
            stat = os.lstat(os.path.join(top, name))
            place = os.path.relpath(os.path.join(top, name), root)
            found.append((place, stat.st_mode, stat.st_uid, stat.st_gid))
    return sorted(set(found))


class Own(InScratch):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("ours"))
        grow(self.path("ours"), 5, loops=False)
        shutil.copytree(self.path("ours"), self.path("theirs"), symlinks=True)

    def check(self, words, call):
        before = described(self.path("ours"))
        subprocess.run([words[0], "-R", *words[1:], self.path("theirs")], check=True)
        changed = call(self.path("ours"))
        after = described(self.path("ours"))
        self.same(after, described(self.path("theirs")))
        self.assertEqual(changed, sum(one != other for one, other in zip(before, after)))

    def test_modes(self):
        for mode in ("u=rwX,go=rX", "g-r", "+w", "700"):
            self.check(["chmod", mode], lambda root: briskfs.chmod(root, mode))
        self.check(["chmod", "00755"], lambda root: briskfs.chmod(root, 0o755))
        for mode in ("frob", "8", ""):
            with self.assertRaises(ValueError):
                briskfs.chmod(self.path("ours"), mode)

    @unittest.skipUnless("Umask:" in STATUS.read_text(), "needs Linux 4.7")
    def test_the_umask_is_read_without_setting_it(self):
        before = os.umask(0o027)
        self.addCleanup(os.umask, before)
        with mock.patch.object(os, "umask", side_effect=AssertionError("umask is called")):
            briskfs.chmod(self.path("ours"), "=rwX")
        self.check(["chmod", "=rwX"], lambda root: 0)

    def test_wrong_modes_and_owners(self):
        ours = self.path("ours")
        wrong = [
            (TypeError, briskfs.chmod, (1.5,)),
            (TypeError, briskfs.chmod, (None,)),
            (TypeError, briskfs.chmod, (b"u+x",)),
            (OverflowError, briskfs.chmod, (-1,)),
            (OverflowError, briskfs.chmod, (2**40,)),
            (ValueError, briskfs.chmod, ("\udcff",)),
            (TypeError, briskfs.chown, (1.5,)),
            (TypeError, briskfs.chown, (b"root",)),
            (OverflowError, briskfs.chown, (-2,)),
            (OverflowError, briskfs.chown, (0, 2**32 - 1)),
            (OverflowError, briskfs.chown, (2**70,)),
            (ValueError, briskfs.chown, (-1,)),
            (LookupError, briskfs.chown, ("no\udcff",)),
            (LookupError, briskfs.chown, (None, "")),
        ]
        for error, call, arguments in wrong:
            with self.subTest(arguments), self.assertRaises(error):
                call(ours, *arguments)
        # As os.chmod, with the bits of the type; and -1 is no owner, as for os.chown.
        self.assertEqual(briskfs.chmod(ours, os.stat(ours).st_mode | 0o7777) > 0, True)
        briskfs.chown(ours, os.getuid(), -1)

    @unittest.skipIf(os.geteuid(), "needs root")
    def test_owners(self):
        for user, group in ((1, 2), ("nobody", None), (None, 3), (0, "root")):
            words = ["chown", f"{'' if user is None else user}:{'' if group is None else group}"]
            if group is None:
                words = ["chown", user]
            self.check(words, lambda root: briskfs.chown(root, user, group))

    def test_links_are_not_followed(self):
        self.make("outside/file")
        os.chmod(self.path("outside"), 0o700)
        os.symlink("../outside", self.path("ours/link"))
        briskfs.chmod(self.path("ours"), 0o755)
        self.assertEqual(os.stat(self.path("outside")).st_mode & 0o777, 0o700)

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.chmod(self.path("gone"), 0o700)
        self.assertEqual(caught.exception.filename, self.path("gone"))
        errors = []
        self.assertEqual(briskfs.chown(self.path("gone"), 0, onerror=errors.append), 0)
        self.assertEqual([error.filename for error in errors], [self.path("gone")])
        with self.assertRaises(LookupError):
            briskfs.chown(self.path("ours"), "no-such-user")
        with self.assertRaises(ValueError):
            briskfs.chown(self.path("ours"))


if __name__ == "__main__":
    unittest.main()
