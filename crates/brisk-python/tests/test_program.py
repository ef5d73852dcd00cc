"""python -m briskfs: which program it becomes, and that it becomes it wholly."""

import os
import pathlib
import signal
import subprocess
import sys
from unittest import mock

from briskfs import _program
from trees import InScratch

# A program that says what it was called with, and ends as its first argument says.
PROGRAM = """#!/bin/sh
echo "$$" "$@"
grep SigIgn /proc/$$/status
case $1 in
kill) kill -s "$2" $$ ;;
*) exit "$1" ;;
esac
"""


class Program(InScratch):
    def setUp(self):
        super().setUp()
        self.program = self.program_in("programs")

    def program_in(self, directory):
        path = pathlib.Path(self.path(directory, "brisk"))
        path.parent.mkdir(parents=True)
        path.write_text(PROGRAM)
        path.chmod(0o755)
        return str(path)

    def call(self, *command, **environment):
        environment = {"PATH": "/usr/bin:/bin", **environment}
        return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_the_process_becomes_the_program(self):
        ends = [(("0", "a b", ""), 0), (("3",), 3), (("kill", "TERM"), -signal.SIGTERM)]
        for words, status in ends:
            with self.subTest(words):
                child = self.call(sys.executable, "-m", "briskfs", *words, BRISK=self.program)
                shown, _ = child.communicate()
                direct = self.call(self.program, *words)
                expected = direct.communicate()[0].replace(str(direct.pid), str(child.pid), 1)
                self.assertEqual((shown, child.returncode), (expected, status))
                self.assertEqual(direct.returncode, status)

    def test_where_the_program_is(self):
        installed = self.program_in("bin")
        module = self.path("briskfs", "_program.py")
        on_path = {"PATH": os.path.dirname(self.program)}
        with mock.patch.dict(os.environ, on_path), mock.patch.object(_program, "__file__", module):
            os.environ.pop("BRISK", None)
            self.assertEqual(_program.find(), installed)
            os.remove(installed)
            self.assertEqual(_program.find(), self.program)
            os.environ["BRISK"] = "/named"
            self.assertEqual(_program.find(), "/named")

    def test_without_a_program(self):
        child = self.call(sys.executable, "-m", "briskfs", "ls", PATH="/nowhere")
        shown, error = child.communicate()
        self.assertEqual((shown, child.returncode), ("", 1))
        self.assertRegex(error, "^briskfs: there is no program brisk: .*BRISK can name it\n$")
