"""python -m briskfs is the command brisk."""

import os
import signal
import subprocess
import sys

from briskfs import _program


def main():
    try:
        command = [_program.find(), *sys.argv[1:]]
    except FileNotFoundError as error:
        sys.exit(f"briskfs: {error}")
    if sys.platform == "win32":
        # Ctrl-C reaches the command as well, which decides what it means.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command))
    # The interpreter ignores these signals, and the command would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
