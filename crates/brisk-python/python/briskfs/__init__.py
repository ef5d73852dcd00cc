"""Large file trees, as fast as the kernel and the storage allow.

walk, scandir, copytree, rmtree and glob are called as those of os, shutil and glob. find, scan, du, Index and
State are what the command brisk has besides. docs/python.md has examples.
"""

import os
import sys

from briskfs._briskfs import (
    Batch,
    Change,
    DirEntry,
    DiskUsage,
    Files,
    FoundEntry,
    Index,
    State,
    StatResult,
    Table,
    du,
    scan,
    scandir,
    walk,
)
from briskfs._copytree import copytree
from briskfs._find import find
from briskfs._glob import glob, iglob, rglob
from briskfs._rmtree import rmtree
from briskfs._watch import Watch, watch

__all__ = [
    "Batch",
    "Change",
    "DirEntry",
    "DiskUsage",
    "Files",
    "FoundEntry",
    "Index",
    "StatResult",
    "State",
    "Table",
    "Watch",
    "copytree",
    "du",
    "find",
    "glob",
    "iglob",
    "rglob",
    "rmtree",
    "scan",
    "scandir",
    "walk",
    "watch",
]

if sys.platform != "win32":
    # shutil looks there, also for what replaces os.scandir.
    os.supports_fd.add(scandir)

    from briskfs._briskfs import chmod, chown

    __all__ += ["chmod", "chown"]
