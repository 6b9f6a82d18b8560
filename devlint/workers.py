"""Work on many files in several processes; with few files, or one processor, in this one."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

FILES_FOR_TWO = 50
"""Below this many files the start of a process costs more than it saves."""
FILES_AT_A_TIME = 8
"""Neighbouring files go to one process, which then has the modules that they share."""

OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Python collects after 700, a fifth of the time of a check: a syntax tree is many objects and no garbage."""

T = TypeVar("T")
R = TypeVar("R")

_task: Callable[[Any], Any]


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows
        return os.cpu_count() or 1


def collect_rarely() -> None:
    """Let this process look for cyclic garbage less often; for processes that do nothing but check files."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, 20, 50)


def each(task: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[R]:
    """`task` of every item, in order. jobs: processes at most.

    In another process `task` is a copy: what it changes, beside what it returns, is lost.
    """
    if jobs < 2 or len(items) < FILES_FOR_TWO:
        yield from map(task, items)
        return
    with ProcessPoolExecutor(jobs, initializer=_start, initargs=(task,)) as pool:
        yield from _drained(pool.map(_run, items, chunksize=FILES_AT_A_TIME), pool)


def _drained(results: Iterable[R], pool: ProcessPoolExecutor) -> Iterator[R]:
    try:
        yield from results
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _start(task: Callable[[Any], Any]) -> None:
    global _task
    collect_rarely()
    _task = task


def _run(item: Any) -> Any:
    return _task(item)
