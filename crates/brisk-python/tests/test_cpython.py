"""CPython's own tests of these functions, with briskfs's in their place; where CPython has them."""

import glob
import os
import shutil
import unittest

import briskfs

try:
    from test import test_glob, test_os, test_shutil
except ImportError:
    raise unittest.SkipTest("this Python comes without its tests") from None


def in_place(module, **functions):
    """A mixin whose tests find these functions in a module."""

    class InPlace:
        def setUp(self):
            for name, function in functions.items():
                self.addCleanup(setattr, module, name, getattr(module, name))
                setattr(module, name, function)
            super().setUp()

    return InPlace


def left_out(reason):
    return unittest.skip(reason)(lambda self: None)


class Walk(in_place(os, walk=briskfs.walk), test_os.WalkTests):
    pass


class BytesWalk(in_place(os, walk=briskfs.walk), test_os.BytesWalkTests):
    pass


class Scandir(in_place(os, scandir=briskfs.scandir), test_os.TestScandir):
    pass


class Glob(in_place(glob, glob=briskfs.glob, iglob=briskfs.iglob), test_glob.GlobTests):
    pass


class Loops(in_place(glob, glob=briskfs.glob, iglob=briskfs.iglob), test_glob.SymlinkLoopGlobTests):
    pass


class Rmtree(in_place(shutil, rmtree=briskfs.rmtree), test_shutil.TestRmTree):
    test_rmtree_fails_on_close = left_out("os.close is replaced, which is not called")
    test_rmtree_uses_safe_fd_version_if_available = left_out("shutil's own functions are replaced")


class Copytree(in_place(shutil, copytree=briskfs.copytree), test_shutil.TestCopyTree):
    test_copytree_custom_copy_function = left_out("other functions are refused by name")
    test_copytree_special_func = test_copytree_custom_copy_function
    test_copytree_named_pipe = left_out("the words are others")
    test_copytree_subdirectory = left_out("a tree is not copied into itself")
    test_copytree_winerror = left_out("os.chmod is replaced, which is not called")
