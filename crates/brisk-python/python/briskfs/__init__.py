"""Large file trees, as fast as the kernel and the storage allow.

walk, scandir, rmtree and glob are called as those of os, shutil and glob. find, du and State are
what the command brisk has besides. docs/python.md has examples.
"""

from briskfs._briskfs import (
    Change,
    DirEntry,
    DiskUsage,
    FoundEntry,
    State,
    StatResult,
    du,
    scandir,
    walk,
)
from briskfs._find import find
from briskfs._glob import glob, iglob, rglob
from briskfs._rmtree import rmtree

__all__ = [
    "Change",
    "DirEntry",
    "DiskUsage",
    "FoundEntry",
    "StatResult",
    "State",
    "du",
    "find",
    "glob",
    "iglob",
    "rglob",
    "rmtree",
    "scandir",
    "walk",
]
