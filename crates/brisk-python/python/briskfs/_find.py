"""find: reading its arguments. The search itself is in the engine."""

import datetime
import re
import time
from types import SimpleNamespace

from briskfs._briskfs import find_entries

_SIZE = re.compile(r"(>=|<=|>|<|=)?\s*(\d+(?:\.\d+)?)\s*([kmgtKMGT]?)(?:i?[bB])?")
_AGE = re.compile(r"(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*(s|min|h|d|w)")
_DATE = re.compile(r"(>=|<=|>|<)\s*(\d{4}-.*)")
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_MOST = 2**64 - 1
_LAST = (2**63 - 1) * 10**9


def _bounds(number, sign, step, least, most):
    """The least and the most number that a condition allows."""
    bounds = {
        ">": (number + step, most),
        ">=": (number, most),
        "<": (least, number - step),
        "<=": (least, number),
        "=": (number, number),
    }
    return bounds[sign or "="]


def _both(conditions, least, most):
    for low, high in conditions:
        least = max(least, low)
        most = min(most, high)
    return least, most


def _sizes(size):
    if size is None:
        return None
    if isinstance(size, int):
        if size < 0:
            raise ValueError(f"not a size: {size}")
        conditions = [(size, size)]
    elif not isinstance(size, str):
        raise TypeError(f"size should be int or str, not {type(size).__name__}")
    else:
        conditions = []
        for text in size.split(","):
            match = _SIZE.fullmatch(text.strip())
            if match is None:
                raise ValueError(f"not a size: {text!r}")
            sign, number, unit = match.groups()
            number = int(float(number) * 1024 ** " kmgt".index(unit.lower() or " "))
            conditions.append(_bounds(number, sign, 1, 0, _MOST))
    least, most = _both(conditions, 0, _MOST)
    # A condition that nothing meets.
    return (least, most) if 0 <= most and least <= _MOST else (1, 0)


def _nanoseconds(moment):
    """A datetime, a date, or seconds since the epoch."""
    if isinstance(moment, datetime.date) and not isinstance(moment, datetime.datetime):
        moment = datetime.datetime.combine(moment, datetime.time())
    if isinstance(moment, datetime.datetime):
        moment = moment.timestamp()
    return round(moment * 10**9)


def _mtimes(mtime):
    if mtime is None:
        return None
    # Not a datetime: when clocks are set to or from summer time, local times are an hour apart.
    now = time.time_ns()
    if isinstance(mtime, datetime.timedelta):
        conditions = [(now - mtime // datetime.timedelta(microseconds=1) * 1000, _LAST)]
    elif not isinstance(mtime, str):
        conditions = [(_nanoseconds(mtime), _LAST)]
    else:
        conditions = []
        for text in mtime.split(","):
            if match := _AGE.fullmatch(text.strip()):
                sign, number, unit = match.groups()
                moment = now - int(float(number) * _SECONDS[unit] * 10**9)
                # What is younger has a later time.
                sign = sign.translate(str.maketrans("<>", "><"))
            elif match := _DATE.fullmatch(text.strip()):
                sign, date = match.groups()
                moment = _nanoseconds(datetime.datetime.fromisoformat(date))
            else:
                raise ValueError(f"not a time: {text!r}")
            conditions.append(_bounds(moment, sign, 1, -_LAST, _LAST))
    return tuple(divmod(bound, 10**9) for bound in _both(conditions, -_LAST, _LAST))


def find(
    root,
    pattern=None,
    *,
    type=None,
    size=None,
    mtime=None,
    where=None,
    fields=(),
    hidden=True,
    min_depth=1,
    max_depth=None,
    followlinks=False,
    one_file_system=False,
    onerror=None,
):
    """Iterate over the entries below root that match, in no particular order.

    pattern is a glob: of the name, or of the path below root if it has a slash. type is letters of
    find's %y: "f", "d", "l", or several, "fl". size is bytes or conditions such as ">1M" and
    ">=10k,<1G". mtime is what an entry must be modified since (a datetime, a date, a timedelta,
    seconds since the epoch), or conditions such as "<7d" (age) and ">2026-01-31" (time). where is an
    expression of find(1)'s tests, such as "-name *.o -o -links +1", as brisk find --where takes it.
    fields names the metadata that entries are to have; "stat" stands for all of os.stat_result.
    """
    if isinstance(fields, str):
        fields = (fields,)
    filters = SimpleNamespace(
        pattern=pattern,
        types=type,
        sizes=_sizes(size),
        mtimes=_mtimes(mtime),
        tests=where,
        fields=list(fields),
        hidden=bool(hidden),
        min_depth=min_depth,
        max_depth=max_depth,
        followlinks=bool(followlinks),
        one_file_system=bool(one_file_system),
        onerror=onerror,
    )
    return find_entries(root, filters)
