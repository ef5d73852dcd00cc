"""scan: a tree that is too large for one run or one machine, on the workers of any executor.

The tree is scanned in units (docs/scale.md). A worker runs each unit as a program of its own, and
the caller of scan records in the journal of the data set what the unit returns. The executor
decides when and where each unit runs.
"""

import base64
import contextlib
import json
import logging
import os
import subprocess
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from datetime import datetime, timezone
from queue import Empty, SimpleQueue
from typing import NamedTuple, TypeAlias

from briskfs import _program
from briskfs._briskfs import Journal

__all__ = ["Scanned", "UnitError", "run_unit", "scan"]

_Path: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]

# The smallest budget, for a unit while other workers have none: it soon hands back work for them.
_SHORT = 1.0
# How many units should wait for each worker. With fewer, workers wait for units; with more, units
# become so small that starting them takes long (crates/brisk-table/examples/synthetic.rs).
_WAITING = 8

_log = logging.getLogger(__name__)


class Scanned(NamedTuple):
    """What is in a data set."""

    rows: int
    parts: int
    bytes: int
    errors: int
    """What could not be read."""


class UnitError(RuntimeError):
    """A unit has failed too often. unit is its JSON, which `brisk scan --unit -` takes."""

    def __init__(self, message: str, unit: str) -> None:
        super().__init__(message, unit)
        self.unit = unit

    def __str__(self) -> str:
        return str(self.args[0])


def run_unit(unit: str, attempt: str = "") -> str:
    """Runs a unit and returns its outcome; both are JSON. Raises ValueError if it has options that
    no unit can have. attempt makes calls differ, for executors
    that do not make equal calls twice."""
    with tempfile.TemporaryFile() as messages:
        command = [_program.find(), "scan", "--unit", "-"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=messages) as child:
            assert child.stdin and child.stdout
            # It stays open until the program has ended. If this process dies, the system closes it,
            # and the program ends.
            rest = memoryview((unit + "\n").encode())
            with contextlib.suppress(BrokenPipeError):
                while rest:
                    rest = rest[child.stdin.write(rest) :]
            outcome = child.stdout.readall()
            code = child.wait()
        if code == 0:
            return outcome.decode()
        messages.seek(0)
        text = messages.read().decode(errors="replace").strip()
    if code == 2:
        raise ValueError(text.removeprefix("brisk: "))
    raise RuntimeError(f"{' '.join(command)}: exit code {code}: {text}")


def _name(text: _Path) -> str | dict[str, str]:
    """A name in the JSON of a unit."""
    raw = os.fsencode(text)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return {"path_b64": base64.b64encode(raw).decode()}


def _check(words: Sequence[str], out: _Path) -> None:
    """Raises ValueError if units cannot have these options. A unit without roots is only checked.
    Other failures are for the units, which are run again."""
    options = [_name(word) for word in words]
    with contextlib.suppress(RuntimeError):
        run_unit(json.dumps({"version": 1, "out": _name(out), "roots": [], "options": options}))


def scan(
    roots: _Path | Iterable[_Path],
    out: _Path,
    executor: Executor,
    *,
    columns: Sequence[str] | None = None,
    options: Sequence[str] = (),
    budget: float = 30.0,
    budget_entries: int | None = None,
    requests: int = 64,
    workers: int | None = None,
    retries: int = 3,
    timeout: float | None = None,
) -> Scanned:
    """Scans the trees roots into the data set out, on the workers of an executor.

    If the executor breaks or the caller is interrupted, this raises. The same call with the same
    out then continues the scan. A unit that fails is run again, retries times before UnitError is
    raised.

    columns and options are those of brisk scan that choose rows and columns; others, such as --sums
    and --output, raise ValueError, as do paths. After budget seconds or budget_entries entries a
    unit enters no other directory, and returns those that are left. workers is how many units run
    at once, by default the number of workers that the executor reports. requests is the maximum of
    requests in flight, for all workers together.

    An executor that has lost all its workers may wait for new ones forever. If no unit ends for
    timeout seconds, this raises TimeoutError. timeout should be several times the budget. By
    default this waits as long as the executor does.
    """
    if isinstance(roots, (str, bytes, os.PathLike)):
        roots = [roots]
    workers = workers or getattr(executor, "_max_workers", None)
    if not workers:
        raise ValueError("the executor does not say how many workers it has: pass workers")
    roots = [os.path.abspath(root) for root in roots]
    words = [*options, *([f"--columns={','.join(columns)}"] if columns else [])]
    # Raises at once if a worker does not find the program, or the options are wrong. It also makes a pool fork its processes
    # now: a process that is forked while the journal is open inherits the journal's lock.
    first = executor.submit(_check, words, out)
    if wait([first], timeout).not_done:
        first.cancel()
        raise TimeoutError(f"no worker has answered for {timeout} seconds")
    first.result()
    began = datetime.now(timezone.utc).isoformat()
    journal = Journal(os.path.abspath(out), roots, words, began, _WAITING * workers)
    share = max(1, requests // workers)
    start = time.monotonic()
    running: dict[Future[str], tuple[str, str]] = {}
    done: SimpleQueue[Future[str]] = SimpleQueue()
    failures: Counter[str] = Counter()
    try:
        while True:
            while len(running) < workers:
                # At the end the workers wait for the last unit: at most for a tenth of the whole.
                is_scarce = journal.pending() < workers
                seconds = 0 if is_scarce else (time.monotonic() - start) / 10
                unit = journal.next(min(budget, max(_SHORT, seconds)), budget_entries, share)
                if unit is None:
                    break
                future = executor.submit(run_unit, unit[1], uuid.uuid4().hex)
                running[future] = unit
                future.add_done_callback(done.put)
            if not running:
                return Scanned(*journal.finish())
            try:
                future = done.get(timeout=timeout)
            except Empty:
                raise TimeoutError(f"no unit has ended for {timeout} seconds") from None
            name, text = running.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor:
                raise
            except Exception as error:
                failures[name] += 1
                if failures[name] > retries:
                    raise UnitError(f"unit {name} has failed {failures[name]} times", text) from error
                _log.warning("unit %s has failed and is run again: %s", name, error)
                journal.give_back(name)
            else:
                journal.record(outcome)
    finally:
        with contextlib.closing(journal):
            # What is complete counts, whatever has happened.
            for future in running:
                if not future.cancel() and future.done() and not future.exception():
                    journal.record(future.result())
