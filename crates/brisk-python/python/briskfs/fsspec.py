"""BriskFileSystem: fsspec's local file system, listed by the engine.

Import this module, and fsspec knows the protocol "brisk". With register("file"), what asks for
local files gets it as well.
"""

import os

import fsspec
from briskfs import find, rmtree, scandir
from fsspec.implementations.local import LocalFileSystem

_FIELDS = ["mode", "uid", "gid", "mtime", "ino", "nlink"]
_KINDS = {"d": "directory", "f": "file"}


class BriskFileSystem(LocalFileSystem):
    """As LocalFileSystem. Names and types come from directories; a stat is made only for details."""

    protocol = ("brisk", "file", "local")

    def _detail(self, path, stat, is_link, kind):
        """The dict that LocalFileSystem.info returns for an entry of a directory."""
        size = stat.st_size
        if is_link:
            try:
                size = os.stat(path).st_size
            except OSError:
                size = 0
        info = {
            "name": path,
            "size": size,
            "type": kind,
            "created": stat.st_ctime,
            "islink": is_link,
            **{field: getattr(stat, f"st_{field}") for field in _FIELDS},
        }
        if is_link:
            info["destination"] = os.readlink(path)
        return info

    def ls(self, path, detail=False, **kwargs):
        path = self._strip_protocol(path)
        try:
            entries = scandir(path)
        except NotADirectoryError:
            return super().ls(path, detail=detail, **kwargs)
        with entries:
            prefix = path.rstrip("/") + "/"
            if not detail:
                return [prefix + entry.name for entry in entries]
            infos = []
            for entry in entries:
                try:
                    is_dir = entry.is_dir(follow_symlinks=False)
                    is_file = entry.is_file(follow_symlinks=False)
                    kind = "directory" if is_dir else "file" if is_file else "other"
                    stat = entry.stat(follow_symlinks=False)
                    infos.append(self._detail(prefix + entry.name, stat, entry.is_symlink(), kind))
                except FileNotFoundError:
                    pass
            return infos

    def find(self, path, maxdepth=None, withdirs=False, detail=False, **kwargs):
        if maxdepth is not None and maxdepth < 1:
            raise ValueError("maxdepth must be at least 1")
        path = self._strip_protocol(path)
        # fsspec's paths have slashes, those of briskfs.find the separators of the system.
        if os.sep != "/" or not self.isdir(path):
            return super().find(path, maxdepth, withdirs, detail, **kwargs)
        entries = find(
            path,
            type=None if withdirs else "flpsbcD",
            max_depth=maxdepth,
            fields="stat" if detail else (),
        )
        if not detail:
            return sorted(([path] if withdirs else []) + entries.paths())
        infos = {path: self.info(path)} if withdirs else {}
        for entry in entries:
            try:
                kind = _KINDS.get(entry.type, "other")
                info = self._detail(entry.path, entry.stat(), entry.is_symlink(), kind)
                infos[info["name"]] = info
            except FileNotFoundError:
                pass
        return dict(sorted(infos.items()))

    def du(self, path, total=True, maxdepth=None, withdirs=False, **kwargs):
        found = self.find(path, maxdepth=maxdepth, withdirs=withdirs, detail=True, **kwargs)
        # A link counts as what it leads to, and a path that is a file as that file.
        sizes = {name: (info or self.info(name))["size"] for name, info in found.items()}
        return sum(sizes.values()) if total else sizes

    def rm(self, path, recursive=False, maxdepth=None):
        for each in path if isinstance(path, list) else [path]:
            each = self._strip_protocol(each)
            is_tree = recursive and self.isdir(each) and not self.islink(each)
            if is_tree and os.path.abspath(each) != os.getcwd():
                rmtree(each)
            else:
                super().rm(each, recursive=recursive, maxdepth=maxdepth)


def register(protocol="brisk"):
    """Make fsspec use BriskFileSystem for a protocol: "brisk", or "file" for all local files."""
    fsspec.register_implementation(protocol, BriskFileSystem, clobber=True)


register()
