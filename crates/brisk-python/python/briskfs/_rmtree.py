"""rmtree, with the arguments of shutil.rmtree."""

import errno
import os
import stat
import sys

from briskfs._briskfs import remove


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
        if dir_fd is not None:
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

    try:
        mode = os.lstat(place).st_mode
        if stat.S_ISLNK(mode):
            raise OSError(errno.ELOOP, "Cannot call rmtree on a symbolic link", place)
        if not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), place)
    except OSError as error:
        report(os.path.islink if error.errno == errno.ELOOP else os.lstat, error)
        return

    reported = set()
    while True:
        errors = [error for error in remove(place) if error.filename not in reported]
        for error in errors:
            reported.add(error.filename)
            is_dir = os.path.isdir(error.filename) and not os.path.islink(error.filename)
            report(os.rmdir if is_dir else os.unlink, error)
        if not errors or ignore_errors or not os.path.lexists(place):
            return


rmtree.avoids_symlink_attacks = True
