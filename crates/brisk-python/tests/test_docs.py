"""The examples of docs/python.md run, and their claims hold."""

import importlib.util
import pathlib
import re
import subprocess
import sys

from trees import InScratch

DOCS = pathlib.Path(__file__).parents[3] / "docs/python.md"


class Docs(InScratch):
    def test_examples(self):
        examples = re.findall(r"^```python\n(.*?)^```", DOCS.read_text(), re.DOTALL | re.MULTILINE)
        self.assertGreater(len(examples), 5)
        self.make("docs/guide.md", "src/main.py", ".git/config")
        for example in examples:
            if "polars" in example and not importlib.util.find_spec("polars"):
                continue
            with self.subTest(example):
                done = subprocess.run([sys.executable, "-c", example], cwd=self.root, text=True,
                                      capture_output=True)
                self.assertEqual(done.returncode, 0, done.stderr)
