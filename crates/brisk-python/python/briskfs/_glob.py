"""glob, iglob and rglob: the patterns of the standard library, on the engine's walks.

A pattern is taken apart as glob does it. Only listing directories and walking below "**" is done
by the engine.
"""

import contextlib
import fnmatch
import itertools
import os
import re

from briskfs._briskfs import scandir, walk

_MAGIC = re.compile("([*?[])")


def _has_magic(pattern):
    return _MAGIC.search(os.fsdecode(pattern)) is not None


def _is_hidden(name):
    return name[:1] in (".", b".")


class _Globber:
    def __init__(self, root_dir, dir_fd, recursive, include_hidden):
        self.recursive = recursive
        self.include_hidden = include_hidden
        if dir_fd is not None:
            prefix = f"/proc/self/fd/{dir_fd}"
            root_dir = os.path.join(
                os.fsencode(prefix) if isinstance(root_dir, bytes) else prefix, root_dir
            )
        self.root_dir = root_dir

    def place(self, path):
        """Where a path of a result is on this machine."""
        place = os.path.join(self.root_dir, path)
        return place or (b"." if isinstance(path, bytes) else ".")

    def is_recursive(self, pattern):
        return self.recursive and pattern in ("**", b"**")

    def shown(self, names, pattern=""):
        """The names without hidden ones, unless these are meant."""
        if self.include_hidden or _is_hidden(pattern):
            return names
        return [name for name in names if not _is_hidden(name)]

    def names(self, path, only_dirs):
        found = []
        try:
            with scandir(self.place(path)) as entries:
                for entry in entries:
                    # A link that leads to itself is an error.
                    with contextlib.suppress(OSError):
                        if not only_dirs or entry.is_dir():
                            found.append(entry.name)
        except OSError:
            pass
        return found

    def below(self, path):
        """All directories in and below one, with their names, as "**" meets them."""
        place = self.place(path)
        for root, dirs, files in walk(place, followlinks=True):
            dirs[:] = self.shown(dirs)
            sep = os.sep if isinstance(root, str) else os.fsencode(os.sep)
            below = root[len(place) :].lstrip(sep)
            yield below, dirs, files

    def in_dir(self, path, pattern, only_dirs):
        """What the last component of a pattern is in a directory."""
        if self.is_recursive(pattern):
            if not path or os.path.isdir(self.place(path)):
                yield pattern[:0]
            for below, dirs, files in self.below(path):
                names = dirs if only_dirs else dirs + self.shown(files)
                yield from (os.path.join(below, name) for name in names)
        elif _has_magic(pattern):
            yield from fnmatch.filter(self.shown(self.names(path, only_dirs), pattern), pattern)
        elif os.path.lexists(self.place(os.path.join(path, pattern))) if pattern else (
            os.path.isdir(self.place(path))
        ):
            yield pattern

    def iglob(self, pathname, only_dirs=False):
        dirname, basename = os.path.split(pathname)
        if not _has_magic(pathname):
            exists = os.path.lexists(self.place(pathname)) if basename else (
                os.path.isdir(self.place(dirname))
            )
            if exists:
                yield pathname
            return
        if not dirname:
            yield from self.in_dir(dirname, basename, only_dirs)
            return
        above, last = os.path.split(dirname)
        if self.is_recursive(last) and _has_magic(basename) and not self.is_recursive(basename):
            yield from self.recursive_names(above, basename, only_dirs)
            return
        dirs = [dirname]
        if dirname != pathname and _has_magic(dirname):
            dirs = self.iglob(dirname, True)
        for path in dirs:
            for name in self.in_dir(path, basename, only_dirs):
                yield os.path.join(path, name)

    def recursive_names(self, above, pattern, only_dirs):
        """ABOVE/**/PATTERN in one walk, which lists each directory once."""
        for path in self.iglob(above, True) if _has_magic(above) else [above]:
            for below, dirs, files in self.below(path):
                # A hidden directory is a match of ".*", although "**" does not enter it.
                if _is_hidden(pattern) and not self.include_hidden:
                    inside = os.path.join(path, below)
                    names = self.names(inside, only_dirs)
                else:
                    names = dirs if only_dirs else dirs + files
                for name in fnmatch.filter(self.shown(names, pattern), pattern):
                    if only_dirs and not os.path.isdir(
                        self.place(os.path.join(path, below, name))
                    ):
                        continue
                    yield os.path.join(path, below, name)


def iglob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """Iterate over the paths that match a pattern, as glob.iglob of Python 3.11.

    "**" follows links to directories, as glob's does, but does not enter a link that leads to a
    directory above it.
    """
    root_dir = pathname[:0] if root_dir is None else os.fspath(root_dir)
    globber = _Globber(root_dir, dir_fd, recursive, include_hidden)
    found = globber.iglob(pathname)
    if not pathname or recursive and pathname[:2] in ("**", b"**"):
        # The directory itself, which has no name.
        first = next(found, None)
        if first:
            found = itertools.chain((first,), found)
    return found


def glob(pathname, *, root_dir=None, dir_fd=None, recursive=False, include_hidden=False):
    """The list of paths that match a pattern, as glob.glob of Python 3.11."""
    return list(
        iglob(
            pathname,
            root_dir=root_dir,
            dir_fd=dir_fd,
            recursive=recursive,
            include_hidden=include_hidden,
        )
    )


def _matches_below(path, pattern):
    """What matches a pattern without "**" in one of the directories at and below a path."""
    above, last = os.path.split(pattern)
    for root, dirs, files in walk(path):
        if above or last in ("", b"", "..", b".."):
            for name in _Globber(root, None, False, True).iglob(pattern):
                name = os.path.join(root, name)
                yield name if os.path.basename(name) else os.path.dirname(name)
        else:
            yield from (os.path.join(root, name) for name in fnmatch.filter(dirs, last))
            yield from (os.path.join(root, name) for name in fnmatch.filter(files, last))


def rglob(path, pattern):
    """Iterate over what Path(path).rglob(pattern) finds, as paths that begin with path.

    Links to directories are not followed, and hidden entries are found as others are.
    """
    path = os.fspath(path)
    pattern = os.fspath(pattern)
    sep, stars = (os.sep, "**") if isinstance(pattern, str) else (os.fsencode(os.sep), b"**")
    if not pattern:
        raise ValueError(f"Unacceptable pattern: {pattern!r}")
    if os.path.isabs(pattern):
        raise NotImplementedError("Non-relative patterns are unsupported")
    parts = [part for part in pattern.split(sep) if part not in ("", b"", ".", b".")]
    if any(stars in part and part != stars for part in parts):
        raise ValueError("Invalid pattern: '**' can only be an entire path component")
    while parts and parts[0] == stars:
        del parts[0]
    if not parts:
        yield from (root for root, _, _ in walk(path))
        return
    end = sep if pattern.endswith(sep) else pattern[:0]
    if stars not in parts:
        yield from _matches_below(path, sep.join(parts) + end)
        return
    at = parts.index(stars)
    rest = sep.join(parts[at + 1 :]) + end if parts[at + 1 :] else stars
    found = set()
    for top in _matches_below(path, sep.join(parts[:at]) + sep):
        for each in rglob(top, rest):
            if each not in found:
                found.add(each)
                yield each
