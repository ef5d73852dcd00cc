"""What the tests share: scratch directories, random trees, another user's eyes."""

import contextlib
import os
import random
import shutil
import tempfile
import unittest

NAMES = [b"a", b"b", b".hidden", b"c d", b"e.py", b"f.txt", b"\xff\xfe", "ü".encode(), b"-", b"g\n"]


class InScratch(unittest.TestCase):
    """A test with a directory of its own, whose name is bytes or text as the test likes."""

    def setUp(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.root = tempfile.mkdtemp(prefix="briskfs-", dir=memory)
        os.chmod(self.root, 0o755)
        self.addCleanup(shutil.rmtree, self.root, True)

    def path(self, *names):
        return os.path.join(self.root, *names)

    def same(self, ours, theirs):
        """Compares long lists item by item: a message with all of them takes minutes to make."""
        for one, other in zip(ours, theirs):
            self.assertEqual(one, other)
        self.assertEqual(len(ours), len(theirs))

    def make(self, *paths):
        """Files, and directories where a path ends in a slash."""
        for path in paths:
            path = self.path(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if not path.endswith("/"):
                with open(path, "w") as file:
                    file.write(path)


def grow(root, seed, loops=True, depth=4):
    """A random tree below a directory, with links of all kinds in it."""
    draw = random.Random(seed)
    dirs = [os.fsencode(root)]
    for level in range(depth):
        for directory in list(dirs):
            for name in draw.sample(NAMES, draw.randrange(len(NAMES))):
                path = os.path.join(directory, name)
                if os.path.lexists(path):
                    continue
                what = draw.randrange(8)
                if what < 3 and level < depth - 1:
                    os.mkdir(path)
                    dirs.append(path)
                elif what < 6:
                    with open(path, "wb") as file:
                        file.write(bytes(draw.randrange(3000)))
                elif what == 6:
                    os.symlink(draw.choice([b"nowhere", b"/nowhere/at/all", name]), path)
                else:
                    target = draw.choice(dirs if loops else [os.fsencode(root) + b"/../x"])
                    os.symlink(os.path.relpath(target, directory), path)
        if len(dirs) > 60:
            break
    return dirs


def large(root, dirs=60, files=40):
    """A tree of more entries than a batch has at first."""
    for number in range(dirs):
        path = os.path.join(root, f"d{number % 7}", f"e{number}")
        os.makedirs(path)
        for file in range(files):
            with open(os.path.join(path, f"f{file}"), "w"):
                pass


@contextlib.contextmanager
def as_nobody():
    """As a user whom permissions stop."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
