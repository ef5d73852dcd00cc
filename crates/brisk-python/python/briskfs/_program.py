"""Where the program brisk is."""

import importlib.metadata
import os
import pathlib
import shutil
import sysconfig

_NAME = "brisk" + (sysconfig.get_config_var("EXE") or "")


def _installed():
    """Where an installation of this package may have put the program."""
    try:
        files = importlib.metadata.files("briskfs") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    yield from (file.locate() for file in files if file.name == _NAME)
    # pip install --target moves the folder of programs after it has listed the files.
    yield pathlib.Path(__file__).parents[1] / "bin" / _NAME


def find():
    """The path of brisk: $BRISK, the wheel's own, or the first on PATH.

    Raises FileNotFoundError if there is none.
    """
    if program := os.environ.get("BRISK"):
        return program
    for program in _installed():
        if program.is_file():
            return os.path.normpath(program)
    if program := shutil.which(_NAME):
        return program
    raise FileNotFoundError(
        "there is no program brisk: it is not in this installation of briskfs, and not on PATH; "
        "the environment variable BRISK can name it"
    )
