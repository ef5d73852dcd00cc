"""One run of one command: timed, counted by perf, or compared by its output."""

import hashlib
import os
import subprocess
import tempfile
import time

from corpora import BIN, WORK

TIMED = os.path.join(BIN, "timed")
RESULT_FD = 9  # where timed writes; any number that no child is given otherwise

# The same byte order, messages and colours for all commands.
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith(("BRISK", "RIPGREP", "FD_", "LS_COLORS", "NO_COLOR"))}
ENV["LC_ALL"] = "C"
# Without LS_COLORS, GNU ls paints only on terminals that it knows.
ENV["TERM"] = "xterm"
# Where `rm --background` keeps its journal.
ENV["XDG_STATE_HOME"] = os.path.join(WORK, "state")


def timed(argv, out):
    """Runs argv with its output to /dev/null, or through a pipe that `cat` reads into
    /dev/null; the clock stops when argv ends. Returns the raw figures, in seconds and MiB."""
    null = os.open(os.devnull, os.O_RDWR)
    read_end, result = os.pipe()
    reader = None
    target = null
    if out == "pipe":
        reader = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=null)
        target = reader.stdin.fileno()
    pid = os.posix_spawn(TIMED, [TIMED, str(RESULT_FD), *argv], ENV, file_actions=[
        (os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, target, 1),
        (os.POSIX_SPAWN_DUP2, null, 2), (os.POSIX_SPAWN_DUP2, result, RESULT_FD)])
    os.close(result)
    os.wait4(pid, 0)
    line = os.read(read_end, 4096)
    for fd in (null, read_end):
        os.close(fd)
    if reader:
        reader.stdin.close()
        reader.wait()
    return parse_timed(line)


def parse_timed(line):
    """The figures of one line of `timed`."""
    wall, user, system, peak, waits, preempted, status = (int(word) for word in line.split())
    return {"wall": wall / 1e9, "user": user / 1e6, "sys": system / 1e6, "rss": peak / 1024,
            "waits": waits, "preempted": preempted, "status": status}


def counted(argv, names):
    """How many system calls of these names a command makes, how many in all ("total"), and how many
    threads and processes it starts ("threads"), all threads together, as the kernel counts them.
    Not strace: a command that is stopped at each call takes its storage for slow, and adaptive ones
    adapt. None without perf or the right to use it."""
    events = {"threads": "sched:sched_process_fork", "total": "raw_syscalls:sys_enter"}
    # What this kernel has: there are fewer on 64-bit ARM.
    events |= {name: f"syscalls:sys_enter_{name}" for name in names
               if os.path.exists(f"/sys/kernel/tracing/events/syscalls/sys_enter_{name}")}
    with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as report:
        try:
            subprocess.run(["perf", "stat", "-x", ",", "-e", ",".join(events.values()), "-o",
                            report.name, "--", *argv], env=ENV, check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        found = {words[2]: words[0] for words in (line.split(",") for line in report)
                 if len(words) > 2 and words[0].isdigit()}
    if not all(event in found for event in events.values()):
        return None
    return {name: int(found[event]) for name, event in events.items()}


def printed(argv, root):
    """What argv prints, as (lines, digest, stderr, status).

    The digest does not depend on the order, and is of lines without the trailing slash of
    directories; the root itself does not count. So it is equal for tools that differ in
    these alone, and it takes no memory for ten million lines.
    """
    lines, total = 0, 0
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(argv, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=errors)
        for line in child.stdout:
            line = line.rstrip(b"\n").rstrip(b"/")
            if line == os.fsencode(root):
                continue
            lines += 1
            total += int.from_bytes(hashlib.blake2b(line, digest_size=16).digest(), "little")
        child.stdout.close()
        status = child.wait()
        errors.seek(0)
        message = " ".join(errors.read(300).decode(errors="replace").split())
    return lines, f"{total % (1 << 128):032x}", message, status


def drop_caches():
    """Page, inode and directory caches emptied; needs root."""
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as control:
        control.write("3\n")


def read_binary(argv):
    """Brings a command's binary and libraries back into the cache: the tree alone
    is measured cold."""
    for words in ([TIMED], [argv[0], "--version"]):
        subprocess.run(words, env=ENV, check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def busy_share(seconds=1.0):
    """The share of all cores' time that other programs use during the next moments."""

    def sample():
        with open("/proc/stat", encoding="ascii") as stat:
            fields = [int(word) for word in stat.readline().split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    before = sample()
    time.sleep(seconds)
    after = sample()
    return 1 - (after[1] - before[1]) / max(1, after[0] - before[0])
