"""scan and Index.files as Arrow tables."""

import os
import unittest

import briskfs
from trees import InScratch, grow

try:
    import polars
    import pyarrow
except ImportError:
    pyarrow = None


@unittest.skipUnless(pyarrow, "needs pyarrow and polars")
class Tables(InScratch):
    def setUp(self):
        super().setUp()
        grow(self.root, 3, loops=False)

    def entries(self):
        paths = [self.root]
        for top, dirs, files in os.walk(self.root):
            paths += (os.path.join(top, name) for name in dirs + files)
        return sorted(paths, key=os.fsencode)

    def test_values(self):
        table = pyarrow.table(briskfs.scan(self.root))
        self.assertEqual(table.num_rows, len(briskfs.scan(self.root, ["path"])))
        times = table["mtime"].cast(pyarrow.int64()).to_pylist()
        columns = ["path", "path_bytes", "size", "inode", "nlink"]
        found = zip(table.select(columns).to_pylist(), times)
        rows = {row["path_bytes"] or os.fsencode(row["path"]): (row, time) for row, time in found}
        self.assertEqual(sorted(rows), [os.fsencode(path) for path in self.entries()])
        for path, (row, time) in rows.items():
            stat = os.lstat(path)
            self.assertEqual((row["size"], row["inode"], row["nlink"], time),
                             (stat.st_size, stat.st_ino, stat.st_nlink, stat.st_mtime_ns))
        self.assertEqual(table.schema.field("mtime").type, pyarrow.timestamp("ns", "UTC"))

    def test_columns(self):
        table = pyarrow.table(briskfs.scan(self.root, columns=["size", "name"]))
        self.assertEqual(table.column_names, ["name", "size"])
        for names in (["blake3"], ["below_bytes"], ["frob"], []):
            with self.assertRaises(ValueError):
                briskfs.scan(self.root, names)
        for names in ("path", [5], 5):
            with self.assertRaises(TypeError):
                briskfs.scan(self.root, names)

    def test_polars(self):
        frame = polars.DataFrame(briskfs.scan(self.root, ["path", "type", "size", "mtime"]))
        self.assertEqual(frame.height, len(self.entries()))
        self.assertEqual(frame.schema["mtime"], polars.Datetime("ns", "UTC"))
        self.assertEqual(frame.filter(polars.col("path") == self.root)["type"].to_list(),
                         ["directory"])

    def test_a_table_can_be_read_twice(self):
        table = briskfs.scan(self.root, ["path"])
        self.assertEqual(pyarrow.table(table), pyarrow.table(table))

    def test_an_index(self):
        os.mkdir(self.path("many"))
        for number in range(70_000):
            os.symlink("nowhere", self.path("many", str(number)))
        files = briskfs.Index(self.root, self.path("cache")).files()
        table = pyarrow.table(files)
        found = [row["path_bytes"] or os.fsencode(row["path"]) for row in table.to_pylist()]
        self.same(found, [os.fsencode(path) for path in files])

    def test_errors(self):
        with self.assertRaises(FileNotFoundError) as caught:
            briskfs.scan(self.path("gone"))
        self.assertEqual(caught.exception.filename, self.path("gone"))
        errors = []
        self.assertEqual(len(briskfs.scan(self.path("gone"), onerror=errors.append)), 0)
        self.assertEqual(len(errors), 1)


if __name__ == "__main__":
    unittest.main()
