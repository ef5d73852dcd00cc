# pyright: strict
"""Code that a type checker must accept. It is not run."""

import os
import pathlib
from concurrent.futures import ThreadPoolExecutor

import briskfs
from briskfs import distributed

for root, dirs, files in briskfs.walk(pathlib.Path("a")):
    path: str = os.path.join(root, files[0])
    dirs[:] = [name for name in dirs if name != "target"]
with briskfs.scandir(b"a") as entries:
    names: list[bytes] = [entry.name for entry in entries if entry.is_dir()]
sizes: int = sum(entry.stat().st_size for entry in briskfs.scandir())
briskfs.rmtree("a", onexc=lambda function, path, error: print(error.errno))
found: list[str] = briskfs.glob("**/*.py", recursive=True)
large: list[str] = [entry.path for entry in briskfs.find(".", "*.iso", size=">1G", fields="size")]
usage: int = briskfs.du("a", max_depth=1).directories[0].allocated
state = briskfs.State("state", "a", "b")
changes: list[str] = [change.kind for change in state.changes()]
state.accept()
images: list[str] = briskfs.Index("a", "cache").files(suffix=(".jpg", ".png"))[:10]
names_of_images: list[bytes] = [path for path in briskfs.Index(b"a", cache="cache").files()]
rows: int = len(briskfs.scan(pathlib.Path("a"), columns=["path", "size"]))
changed: int = briskfs.chmod("a", "u=rwX") + briskfs.chown("a", "root", 0)
recorded: int = distributed.scan(["a", pathlib.Path("b")], b"out", ThreadPoolExecutor()).rows
