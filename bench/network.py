"""The network section: cases that run in a guest (tools/vm), with NFS and SMB servers of its own."""

import json
import os
import platform
import subprocess
import sys

import corpora
import report

MARK = "record: "


def send(name, record):
    """In the guest: a case's record, for the host to read."""
    print(MARK + json.dumps([name, report.with_raw(record, report.packed)]), flush=True)


def run(cases, where, machine, options):
    """Runs the cases in a guest; yields for each its name, machine and record, as soon as it is done."""
    # Each says what it lacks.
    if any(subprocess.run([f"tools/vm/{step}"], check=False).returncode for step in ("setup", "trees")):
        return
    paths = {name.upper(): os.path.abspath(path) for name, path in where.items()}
    paths["BRISK_BENCH_DIR"] = corpora.WORK
    command = ["tools/vm/run", "env", *(f"{name}={path}" for name, path in paths.items()),
               "bench/guest", "serve", sys.executable, "bench/bench.py", "--in-guest",
               "--runs", str(options.runs), *(case.name for case in cases)]
    guest = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                             env=dict(os.environ, VM_SECONDS="14400", VM_NICE="0"))
    for line in guest.stdout:
        if not line.startswith(MARK):
            print(line, end="", flush=True)
            continue
        name, record = json.loads(line[len(MARK):])
        about = dict(machine, kernel=record.pop("kernel"))
        about["file system"] = f"{name.rsplit('-', 1)[0]} in QEMU without KVM, ext4 in memory behind"
        yield name, about, report.with_raw(record, report.unpacked)
    if guest.wait():
        print(f"    the guest ended with {guest.returncode}")


def run_inside(cases, where, options, run_case):
    """In the guest: runs each case."""
    for case in cases:
        record = run_case(case, where, options)
        if record:
            send(case.name, dict(record, kernel=platform.release()))
