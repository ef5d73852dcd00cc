"""rmtree, with the arguments of shutil.rmtree."""

import errno
import os
import stat
import sys

from briskfs._briskfs import remove


def _function(path):
    """The function with which shutil.rmtree would have failed to remove what is still there."""
    if not os.path.isdir(path) or os.path.islink(path):
        return os.unlink
    can_read = os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)
    return os.rmdir if can_read else os.open


def _dirs_above(paths, top):
    """The directories from those that hold the paths up to the top, inner ones first."""
    inside = top.rstrip(os.sep if isinstance(top, str) else os.fsencode(os.sep)) or top
    found = set()
    for path in paths:
        while len(path) > len(inside) and path != top:
            path = os.path.dirname(path)
            found.add(path if len(path) > len(inside) else top)
    return sorted(found, key=len, reverse=True)


def rmtree(path, ignore_errors=False, onerror=None, *, onexc=None, dir_fd=None):
    """Remove a directory tree, as shutil.rmtree.

    Entries are removed by the handles of their directories, so no link is followed, whatever
    another process does. The removal continues after a failure, and does not enter mount points.
    Failures are reported at the end: to onexc(function, path, exception), or to onerror with
    sys.exc_info()'s triple; without either, the first error is raised. If a callback
    fixes the cause, the entry is removed after the callback returns.
    """
    path = os.fspath(path)
    place = path
    if dir_fd is not None:
        prefix = f"/proc/self/fd/{dir_fd}/"
        place = (os.fsencode(prefix) if isinstance(path, bytes) else prefix) + path

    def report(function, error):
        if dir_fd is not None and error.filename != path:
            error.filename = os.path.join(path, os.path.relpath(error.filename, place))
            if error.filename.endswith((os.sep + os.curdir, b"/.")[isinstance(path, bytes)]):
                error.filename = path
        if ignore_errors:
            return
        if onexc is not None:
            onexc(function, error.filename, error)
        elif onerror is not None:
            try:
                raise error
            except OSError:
                onerror(function, error.filename, sys.exc_info())
        else:
            raise error

    def failure(code):
        return OSError(code, os.strerror(code), path)

    try:
        mode = os.lstat(path, dir_fd=dir_fd).st_mode
    except OSError as error:
        report(os.lstat, error)
        return
    if stat.S_ISLNK(mode):
        report(os.path.islink, OSError(errno.ELOOP, "Cannot call rmtree on a symbolic link", path))
        return
    if not stat.S_ISDIR(mode):
        report(os.scandir, failure(errno.ENOTDIR))
        report(os.rmdir, failure(errno.ENOTDIR))
        return

    told = set()
    while True:
        errors = [error for error in remove(place) if error.filename not in told]
        for error in errors:
            told.add(error.filename)
            report(_function(error.filename), error)
        if not errors or ignore_errors or not os.path.lexists(place):
            break
    for above in _dirs_above(told, place):
        if os.path.lexists(above):
            report(os.rmdir, OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY), above))


rmtree.avoids_symlink_attacks = True
