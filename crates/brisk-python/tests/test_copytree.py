"""copytree, against shutil.copytree."""

import fnmatch
import os
import pathlib
import shutil
import signal
import stat
import sys
import threading
import time
import unittest

import briskfs
from trees import InScratch, as_nobody, grow, large


def attributes(path):
    try:
        names = os.listxattr(path, follow_symlinks=False)
        return {name: os.getxattr(path, name, follow_symlinks=False) for name in names}
    except (AttributeError, OSError):
        return {}


def held(root, times=True):
    """Each entry's mode, time, extended attributes, and contents or target."""
    found = {}
    for path, dirs, files in os.walk(os.fsencode(root)):
        for name in [b"", *dirs, *files]:
            whole = os.path.join(path, name) if name else path
            meta = os.lstat(whole)
            what = None
            if stat.S_ISLNK(meta.st_mode):
                what = os.readlink(whole)
            elif stat.S_ISREG(meta.st_mode):
                with open(whole, "rb") as file:
                    what = file.read()
            kept = meta.st_mtime_ns if times else None
            below = os.path.relpath(whole, os.fsencode(root))
            found[below] = (meta.st_mode, kept, attributes(whole), what)
    return found


class Copytree(InScratch):
    def setUp(self):
        super().setUp()
        self.mask = os.umask(0o027)
        self.addCleanup(os.umask, self.mask)

    def both(self, src, **options):
        """What shutil.copytree and briskfs.copytree make and raise."""
        found = []
        for name, copytree in (("theirs", shutil.copytree), ("ours", briskfs.copytree)):
            dst = self.path(name)
            raised = None
            try:
                self.assertEqual(copytree(src, dst, **options), dst)
            except shutil.Error as error:
                places = [(path, os.path.relpath(copy, dst)) for path, copy, _ in error.args[0]]
                raised = sorted(places)
                self.assertTrue(all(isinstance(why, str) for _, _, why in error.args[0]))
            found.append((held(dst, options.get("copy_function") is None), raised))
            shutil.rmtree(dst)
        self.assertEqual(found[1][1], found[0][1])
        self.same(sorted(found[1][0].items()), sorted(found[0][0].items()))
        return found[1]

    def tree(self):
        """A tree with everything that copystat keeps."""
        self.make("src/a/b/file", "src/a/set", "src/empty/", "src/ro/file", "src/private/x")
        for name, mode in (("a/set", 0o4755), ("a/b/file", 0o640), ("ro", 0o555),
                           ("private", 0o700), ("empty", 0o1777), ("", 0o751)):
            os.chmod(self.path("src", name), mode)
        os.symlink("b/file", self.path("src/a/link"))
        os.symlink("a/b", self.path("src/dirlink"))
        for name in ("a/b/file", "a/b"):
            try:
                os.setxattr(self.path("src", name), "user.kind", b"test")
            except (AttributeError, OSError):
                pass
            os.utime(self.path("src", name), ns=(1_000_000_007, 2_000_000_011))
        os.utime(self.path("src/a/link"), ns=(5, 6), follow_symlinks=False)
        return self.path("src")

    def test_random_trees(self):
        for seed in range(12):
            root = self.path(str(seed))
            self.make(f"{seed}/")
            grow(root, seed, loops=False)
            self.both(root, symlinks=True)
            self.both(os.fsdecode(root), ignore_dangling_symlinks=False)

    def test_what_is_kept(self):
        src = self.tree()
        for symlinks in (False, True):
            self.both(src, symlinks=symlinks)
            for function in (shutil.copy2, shutil.copy, shutil.copyfile):
                self.both(src, symlinks=symlinks, copy_function=function)

    def test_times_of_directories_if_files_have_others(self):
        src = self.tree()
        briskfs.copytree(src, self.path("new"), copy_function=shutil.copy)
        self.assertEqual(os.stat(self.path("new/a/b")).st_mtime_ns, 2_000_000_011)
        self.assertGreater(os.stat(self.path("new/a/b/file")).st_mtime_ns, 2_000_000_011)

    def test_paths_of_all_kinds(self):
        src = self.tree()
        new = pathlib.Path(self.path("x/y/new"))
        self.assertIs(briskfs.copytree(pathlib.Path(src), new), new)
        self.assertEqual(held(new), held(src) | {b"dirlink": held(new)[b"dirlink"]} | {
            name: kept for name, kept in held(new).items() if b"link" in name})
        self.assertEqual(briskfs.copytree(os.fsencode(src), os.fsencode(self.path("b/"))),
                         os.fsencode(self.path("b/")))
        os.chdir(self.root)
        self.addCleanup(os.chdir, "/")
        self.assertEqual(briskfs.copytree("src", "relative"), "relative")

    def test_dangling_links(self):
        self.make("src/file")
        os.symlink("/nowhere/at/all", self.path("src/dangling"))
        _, raised = self.both(self.path("src"))
        self.assertEqual(raised, [(self.path("src/dangling"), "dangling")])
        kept, raised = self.both(self.path("src"), ignore_dangling_symlinks=True)
        self.assertEqual((raised, set(kept)), (None, {b".", b"file"}))
        self.both(self.path("src"), symlinks=True, ignore_dangling_symlinks=True)

    def test_all_errors_are_collected(self):
        self.make(*(f"src/{number}" for number in range(1200)), "src/sub/closed")
        os.mkfifo(self.path("src/pipe"))
        for number in range(1200):
            os.chmod(self.path(f"src/{number}"), 0)
        os.chmod(self.root, 0o777)
        if os.geteuid() == 0:
            os.chown(self.path("src"), 65534, -1)
        with as_nobody():
            _, raised = self.both(self.path("src"))
            self.assertEqual(len(raised), 1201)
            with self.assertRaises(shutil.Error) as caught:
                briskfs.copytree(self.path("src"), self.path("new"))
        why = {path: why for path, _, why in caught.exception.args[0]}
        closed = self.path("src/0")
        self.assertEqual(why[closed], f"[Errno 13] Permission denied: '{closed}'")
        self.assertTrue(os.path.exists(self.path("new/sub/closed")))

    def test_what_is_raised_at_once(self):
        self.make("src/file", "there/theirs", "file")
        os.symlink("nowhere", self.path("dangling"))
        for src, dst in (("missing", "new"), ("file", "new"), ("src", "there"), ("src", "file"),
                         ("src", "dangling"), ("src", "file/new")):
            raised = []
            for copytree in (shutil.copytree, briskfs.copytree):
                with self.subTest((src, dst)), self.assertRaises(OSError) as caught:
                    copytree(self.path(src), self.path(dst))
                error = caught.exception
                raised.append((type(error), error.errno, error.filename))
            self.assertEqual(raised[1], raised[0])
        with self.assertRaises(FileExistsError):
            briskfs.copytree(self.path("src"), self.path("file"), dirs_exist_ok=True)
        self.assertEqual(os.listdir(self.path("there")), ["theirs"])

    def test_copies_into_existing_directories_if_told_so(self):
        src = self.tree()
        for name in ("theirs", "ours"):
            self.make(f"{name}/a/set", f"{name}/a/other", f"{name}/ro/")
        shutil.copytree(src, self.path("theirs"), dirs_exist_ok=True)
        briskfs.copytree(src, self.path("ours"), dirs_exist_ok=True)
        for name in ("theirs", "ours"):
            os.remove(self.path(name, "a/other"))
            os.utime(self.path(name, "a"), ns=(1, 1))
        self.assertEqual(held(self.path("ours")), held(self.path("theirs")))

    def test_nothing_is_copied_into_what_another_makes(self):
        large(self.path("src"))
        for _ in range(10):
            rival = threading.Thread(target=self.make, args=("new/theirs",))
            rival.start()
            try:
                briskfs.copytree(self.path("src"), self.path("new"))
            except FileExistsError as error:
                self.assertEqual(error.filename, self.path("new"))
                rival.join()
                self.assertEqual(os.listdir(self.path("new")), ["theirs"])
            rival.join()
            self.assertEqual(sorted(os.listdir(self.root)), ["new", "src"])
            shutil.rmtree(self.path("new"))

    def test_ignore_is_asked_as_by_shutil(self):
        self.make("src/a/x.pyc", "src/a/y.py", "src/cache/z.py", "src/a/cache/z", "src/k.pyc")
        os.symlink("a", self.path("src/link"))
        for symlinks in (False, True):
            asked = []

            def ignore(path, names):
                asked[-1].append((path, sorted(names)))
                return {name for name in names if fnmatch.fnmatch(name, "c*") or name == "k.pyc"}

            for copytree in (shutil.copytree, briskfs.copytree):
                asked.append([])
                copytree(self.path("src"), self.path("new"), symlinks, ignore)
                shutil.rmtree(self.path("new"))
            self.assertEqual(sorted(asked[1]), sorted(asked[0]))
            self.both(self.path("src"), ignore=ignore, symlinks=symlinks)
        patterns = shutil.ignore_patterns("*.pyc", "cache")
        kept, _ = self.both(self.path("src"), ignore=patterns, symlinks=True)
        self.assertEqual(set(kept), {b".", b"a", b"a/y.py", b"link"})
        byname = briskfs.copytree(self.path("src"), self.path("x"), symlinks=True,
                                  exclude=["*.pyc", "cache"])
        self.assertEqual(set(held(byname)), set(kept))

        def fail(path, names):
            raise LookupError(path)

        with self.assertRaises(LookupError):
            briskfs.copytree(self.path("src"), self.path("not"), ignore=fail)
        self.assertFalse(os.path.exists(self.path("not")))

    def test_filters(self):
        self.make("src/a/x.log", "src/a/y.py", "src/b/z.log")
        briskfs.copytree(self.path("src"), self.path("new"), exclude="*.log")
        self.assertEqual(set(held(self.path("new"))), {b".", b"a", b"a/y.py", b"b"})
        briskfs.copytree(self.path("src"), self.path("found"), where="-name '*.log'")
        self.assertEqual(set(held(self.path("found"))), {b".", b"a", b"a/x.log", b"b", b"b/z.log"})
        with self.assertRaisesRegex(ValueError, "^where, "):
            briskfs.copytree(self.path("src"), self.path("not"), where="-nmae x")

    def test_other_functions_are_refused_by_name(self):
        self.make("src/file")

        def hard_link(src, dst):
            os.link(src, dst)

        with self.assertRaisesRegex(ValueError, "hard_link$"):
            briskfs.copytree(self.path("src"), self.path("new"), copy_function=hard_link)
        for error, given in ((TypeError, (5, "b")), (ValueError, ("a\0", "b")), (TypeError, ("a",))):
            with self.assertRaises(error):
                briskfs.copytree(*given)
        self.assertEqual(os.listdir(self.root), ["src"])

    def test_a_tree_is_not_copied_into_itself(self):
        self.make("src/sub/file")
        for dst in ("src/sub/new", "src"):
            with self.assertRaises(shutil.Error) as caught:
                briskfs.copytree(self.path("src"), self.path(dst), dirs_exist_ok=True)
            self.assertEqual([path for path, _, _ in caught.exception.args[0]], [self.path("src")])
        self.assertFalse(os.path.exists(self.path("src/sub/new/sub/new")))

    def test_a_loop_is_an_error(self):
        self.make("src/sub/file")
        os.symlink("..", self.path("src/sub/up"))
        with self.assertRaises(shutil.Error) as caught:
            briskfs.copytree(self.path("src"), self.path("new"))
        [(path, copied, _)] = caught.exception.args[0]
        self.assertEqual((path, copied), (self.path("src/sub/up"), self.path("new/sub/up")))

    @unittest.skipIf(sys.platform == "win32", "needs signals")
    def test_a_signal_ends_the_copy(self):
        os.mkdir(self.path("src"))
        for number in range(20_000):
            with open(self.path(f"src/{number}"), "w"):
                pass

        class Ended(Exception):
            pass

        def end(_number, _frame):
            raise Ended

        previous = signal.signal(signal.SIGALRM, end)
        self.addCleanup(signal.signal, signal.SIGALRM, previous)
        with self.assertRaises(Ended):
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            while True:
                briskfs.copytree(self.path("src"), self.path("new"), dirs_exist_ok=True)


if __name__ == "__main__":
    unittest.main()
