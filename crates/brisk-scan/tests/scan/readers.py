"""What other programs read in a table of brisk scan: readers.py CHECK, in a directory with the tree
`t` and the tables `x.parquet`, `x.arrow`, `x.csv`, `x.jsonl`, which have every column."""

import base64
import csv
import io
import json
import os
import re
import subprocess
import sys

import duckdb
import polars
import pyarrow.ipc
import pyarrow.parquet

FORMAT = r"%p\0%y\0%d\0%s\0%b\0%m\0%U\0%G\0%u\0%g\0%n\0%i\0%D\0%l\0"
WORDS = {"f": "file", "d": "directory", "l": "symlink", "p": "pipe"}
NUMBERS = ("depth", "size", "blocks", "mode", "uid", "gid", "nlink", "inode", "device")
COLUMNS = (b"path text name parent depth type size blocks mode uid gid user group nlink inode device"
           b" atime mtime ctime btime link_target blake3 below_entries below_bytes below_blocks")


def found():
    """What find prints of each path."""
    out = subprocess.run(["find", "t", "-printf", FORMAT], stdout=subprocess.PIPE, check=True).stdout
    words = out.split(b"\0")[:-1]
    rows = {}
    for path, kind, depth, size, blocks, mode, uid, gid, user, group, links, inode, device, target \
            in zip(*[iter(words)] * 14):
        rows[path] = {
            "type": WORDS[kind.decode()], "depth": int(depth), "size": int(size),
            "blocks": int(blocks), "mode": int(mode, 8), "uid": int(uid), "gid": int(gid),
            "user": user.decode(), "group": group.decode(), "nlink": int(links),
            "inode": int(inode), "device": int(device),
            "link_target": target if kind == b"l" else None,
        }
    return rows


def compare(rows):
    """Rows of a reader, as dictionaries, against find."""
    expected = found()
    assert len(rows) == len(expected), (len(rows), len(expected))
    for row in rows:
        wanted = expected[bytes(row["path"])]
        for key, value in wanted.items():
            assert row[key] == value, (row["path"], key, row[key], value)


def columns():
    return COLUMNS.decode().split()


def rows_of(table):
    """The rows of an Arrow table. Times are compared apart: Python's are not as fine."""
    return table.select([name for name in columns() if not name.endswith("time")]).to_pylist()


def check_pyarrow():
    for table in (pyarrow.parquet.read_table("x.parquet"),
                  pyarrow.ipc.open_file("x.arrow").read_all()):
        assert table.column_names == columns(), table.column_names
        table.validate(full=True)
        compare(rows_of(table))
    schema = pyarrow.parquet.read_schema("x.parquet")
    assert str(schema.field("mtime").type) == "timestamp[ns, tz=UTC]"
    assert str(schema.field("user").type).startswith("dictionary<values=string")
    assert schema.metadata is None or b"brisk.roots" not in schema.metadata
    metadata = pyarrow.parquet.read_metadata("x.parquet").metadata
    assert metadata[b"brisk.schema"] == b"1", metadata
    assert json.loads(metadata[b"brisk.roots"]) == ["t"]
    table = pyarrow.parquet.read_table("x.parquet")
    for path, mtime in zip(table["path"].to_pylist(), table["mtime"].cast("int64").to_pylist()):
        assert os.lstat(path).st_mtime_ns == mtime, path


def check_polars():
    for table in (polars.read_parquet("x.parquet"),
                  polars.read_ipc("x.arrow")):
        assert table.columns == columns(), table.columns
        compare(table.to_dicts())


def check_duckdb():
    names = ", ".join(f'"{name}"' for name in columns()
                      if not name.endswith("time"))
    relation = duckdb.sql(f"select {names} from 'x.parquet'")
    rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
    compare(rows)
    past = duckdb.sql("select path from 'x.parquet' where mtime::timestamptz < now()").fetchall()
    assert len(past) == len(rows), len(past)


def check_forms():
    rows = {row["path"]: row for row in rows_of(pyarrow.parquet.read_table("x.parquet"))}

    def same(row, other, key):
        value = row[key]
        if isinstance(value, bytes) and key == "blake3":
            value = value.hex()
        assert value == other, (row["path"], key, value, other)

    keys = [key for key in columns() if not key.endswith("time")]
    with open("x.jsonl", "rb") as file:
        lines = [json.loads(line) for line in file]
    assert len(lines) == len(rows)
    for line in lines:
        def read(key):
            if f"{key}_b64" in line:
                return base64.b64decode(line[f"{key}_b64"])
            value = line.get(key)
            return value.encode() if key in ("path", "link_target") and value is not None else value
        for key in keys:
            same(rows[read("path")], read(key), key)
    with open("x.csv", "rb") as file:
        text = file.read().decode("utf-8", "surrogateescape")
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(lines) == len(rows)
    for line in lines:
        row = rows[line["path"].encode("utf-8", "surrogateescape")]
        for key in keys:
            value = line[key]
            if row[key] is None:
                assert value == "", (key, value)
            elif key in ("path", "link_target"):
                assert value.encode("utf-8", "surrogateescape") == row[key]
            elif isinstance(row[key], int):
                assert int(value) == row[key], (key, value)
            else:
                same(row, value, key)


def check_queries():
    text = open(sys.argv[2], encoding="utf-8").read()
    queries = re.findall(r"```sql\n(.*?)```", text, re.S)
    assert len(queries) >= 5, len(queries)
    for query in queries:
        rows = duckdb.sql(query).fetchall()
        assert rows, query
    directories = duckdb.sql(queries[0]).fetchall()
    assert directories[0][0] == "t", directories
    twins = duckdb.sql(queries[4]).fetchall()
    assert len(twins) == 1 and twins[0][1] == 2, twins


globals()[f"check_{sys.argv[1]}"]()
