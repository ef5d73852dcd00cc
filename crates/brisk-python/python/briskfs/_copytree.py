"""copytree, with the arguments of shutil.copytree."""

import os
import shutil
from types import SimpleNamespace

from briskfs._briskfs import copy, walk

_FUNCTIONS = {shutil.copy2: "copy2", shutil.copy: "copy", shutil.copyfile: "copyfile"}


def _ignored(src, ignore, symlinks):
    """The paths below src that ignore answers with. It is not asked about what is below them."""
    below = len(os.path.join(src, src[:0]))
    ignored = []
    for path, dirs, files in walk(src, followlinks=not symlinks):
        names = dirs + files
        answer = set(ignore(path, names))
        ignored += [os.path.join(path, name)[below:] for name in names if name in answer]
        dirs[:] = [name for name in dirs if name not in answer]
    return ignored


def copytree(
    src,
    dst,
    symlinks=False,
    ignore=None,
    copy_function=shutil.copy2,
    ignore_dangling_symlinks=False,
    dirs_exist_ok=False,
    *,
    exclude=(),
    where=None,
):
    """Copy a directory tree, as shutil.copytree, and return dst.

    The tree appears at dst when it is whole. copy_function is shutil's copy2, copy or copyfile, and
    says what copies of files keep. ignore is asked about each directory before anything is copied.
    exclude is a pattern as in .gitignore, or several, of what is left out; where is an expression of
    find(1)'s tests, as find takes it, for which what is copied must hold.
    """
    if copy_function not in _FUNCTIONS:
        name = getattr(copy_function, "__qualname__", repr(copy_function))
        raise ValueError(
            f"copytree calls no copy_function but shutil's copy2, copy and copyfile: {name}"
        )
    src = os.fspath(src)
    with os.scandir(src):
        pass
    options = SimpleNamespace(
        symlinks=bool(symlinks),
        ignore_dangling_symlinks=bool(ignore_dangling_symlinks),
        dirs_exist_ok=bool(dirs_exist_ok),
        function=_FUNCTIONS[copy_function],
        exclude=[exclude] if isinstance(exclude, str) else list(exclude),
        tests=where,
        ignored=[] if ignore is None else _ignored(src, ignore, symlinks),
    )
    top = os.fspath(dst)
    above = os.path.dirname(top.rstrip(os.sep if isinstance(top, str) else os.fsencode(os.sep)))
    if above and not os.path.exists(above):
        os.makedirs(above, exist_ok=True)
    errors = copy(src, top, options)
    for _, path, error in errors:
        if path == top and (isinstance(error, FileExistsError) or not os.path.lexists(top)):
            raise error
    if errors:
        raise shutil.Error([(path, copied, str(error)) for path, copied, error in errors])
    return dst
