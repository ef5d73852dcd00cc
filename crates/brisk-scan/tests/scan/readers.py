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
COLUMNS = ("path name parent depth type size blocks mode uid gid user group nlink inode device"
           " atime mtime ctime btime target blake3 below_entries below_bytes below_blocks").split()
# Parquet and Arrow have these behind the texts.
BYTES = ("path", "target")
STORED = [name for column in COLUMNS
          for name in ([column, column + "_bytes"] if column in BYTES else [column])]


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
            "target": target if kind == b"l" else None,
        }
    return rows


def compare(rows):
    """Rows of a reader, as dictionaries, against find."""
    expected = found()
    assert len(rows) == len(expected), (len(rows), len(expected))
    for row in map(exact, rows):
        wanted = expected[row["path"]]
        for key, value in wanted.items():
            assert row[key] == value, (row["path"], key, row[key], value)


def exact(row):
    """The row with the bytes of its path and target, and a check of the texts."""
    row = dict(row)
    for key in BYTES:
        text, inexact = row[key], row.pop(key + "_bytes")
        if inexact is not None:
            row[key] = bytes(inexact)
            assert text == row[key].decode("utf-8", "replace"), (text, row[key])
        elif text is not None:
            assert "\ufffd" not in text, text
            row[key] = text.encode()
    return row


def without_times(names):
    """Times are compared apart: Python's are not as fine."""
    return [name for name in names if not name.endswith("time")]


def rows_of(table):
    """The rows of an Arrow table."""
    return table.select(without_times(STORED)).to_pylist()


def check_pyarrow():
    for table in (pyarrow.parquet.read_table("x.parquet"),
                  pyarrow.ipc.open_file("x.arrow").read_all()):
        assert table.column_names == STORED, table.column_names
        table.validate(full=True)
        compare(rows_of(table))
    schema = pyarrow.parquet.read_schema("x.parquet")
    assert str(schema.field("mtime").type) == "timestamp[ns, tz=UTC]"
    assert str(schema.field("user").type).startswith("dictionary<values=string")
    assert schema.metadata is None or b"brisk.roots" not in schema.metadata
    metadata = pyarrow.parquet.read_metadata("x.parquet").metadata
    assert metadata[b"brisk.schema"] == b"2", metadata
    assert json.loads(metadata[b"brisk.roots"]) == ["t"]
    table = pyarrow.parquet.read_table("x.parquet")
    paths = [exact(row)["path"] for row in rows_of(table)]
    for path, mtime in zip(paths, table["mtime"].cast("int64").to_pylist()):
        assert os.lstat(path).st_mtime_ns == mtime, path


def check_dataset():
    names = [name for name in without_times(STORED) if not name.startswith("below")]
    columns = ", ".join(f'"{name}"' for name in names)
    for out in ("out", "out/", "out/*.parquet"):
        compare(polars.scan_parquet(out).select(names).collect().to_dicts())
    compare(pyarrow.parquet.read_table("out", columns=names).to_pylist())
    relation = duckdb.sql(f"select {columns} from 'out/*.parquet'")
    compare([dict(zip(relation.columns, row)) for row in relation.fetchall()])


def check_polars():
    for table in (polars.read_parquet("x.parquet"),
                  polars.read_ipc("x.arrow")):
        assert table.columns == STORED, table.columns
        compare(table.to_dicts())


def check_duckdb():
    names = ", ".join(f'"{name}"' for name in without_times(STORED))
    relation = duckdb.sql(f"select {names} from 'x.parquet'")
    rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
    compare(rows)
    past = duckdb.sql("select path from 'x.parquet' where mtime::timestamptz < now()").fetchall()
    assert len(past) == len(rows), len(past)


def check_forms():
    rows = map(exact, rows_of(pyarrow.parquet.read_table("x.parquet")))
    rows = {row["path"]: row for row in rows}

    def same(row, other, key):
        value = row[key]
        if isinstance(value, bytes) and key == "blake3":
            value = value.hex()
        if key == "mode":
            value = f"{value:o}"
        if key in ("name", "parent") and isinstance(other, bytes):
            other = other.decode("utf-8", "replace")
        assert value == other, (row["path"], key, value, other)

    keys = without_times(COLUMNS)
    with open("x.jsonl", "rb") as file:
        lines = [json.loads(line) for line in file]
    assert len(lines) == len(rows)
    for line in lines:
        def read(key):
            if f"{key}_b64" in line:
                return base64.b64decode(line[f"{key}_b64"])
            value = line.get(key)
            return value.encode() if key in BYTES and value is not None else value
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
            elif key in BYTES:
                assert value.encode("utf-8", "surrogateescape") == row[key]
            elif key in ("name", "parent"):
                same(row, value.encode("utf-8", "surrogateescape"), key)
            elif isinstance(row[key], int) and key != "mode":
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
