"""The stubs, against the package and with mypy and pyright, where they are."""

import importlib.util
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent


class Stubs(unittest.TestCase):
    def check(self, *command):
        done = subprocess.run([sys.executable, *command], cwd=HERE, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_stubs_are_those_of_the_package(self):
        self.check(
            "-m", "mypy.stubtest", "briskfs", "--mypy-config-file", "mypy.ini",
            "--ignore-missing-stub", "--allowlist", "stubtest.allow",
        )

    def test_code_that_uses_them(self):
        self.check("-m", "mypy", "--strict", "typed.py")

    @unittest.skipUnless(importlib.util.find_spec("pyright"), "needs pyright")
    def test_code_that_uses_them_with_pyright(self):
        self.check("-m", "pyright", "--pythonpath", sys.executable, "typed.py")


if __name__ == "__main__":
    unittest.main()
