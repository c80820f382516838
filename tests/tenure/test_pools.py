"""Processes of a pool do what they are given, and end with whoever started them."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tenure.pools import AHEAD, pool


def doubled(number: int) -> int:
    return 2 * number


def gone(number: int) -> int:
    os._exit(number)


def waits(started: Path, number: int) -> int:
    waiting = started / "7"
    if number:
        waiting.touch()
        threading.Event().wait()
    while not waiting.exists():
        time.sleep(0.01)
    return number


def test_every_task_is_done_in_order_or_as_it_comes() -> None:
    tasks, looked = range(2 * AHEAD + 1), list[int]()
    with pool(2) as processes:
        assert list(processes.run(doubled, tasks, together=8)) == [2 * number for number in tasks]
        found = dict(processes.as_done(doubled, tasks, lambda: looked.append(1)))
    assert found == {number: 2 * number for number in tasks}
    assert looked


def test_one_that_ended_by_itself_is_not_waited_for() -> None:
    with pytest.raises(BrokenProcessPool), pool(2) as processes:
        list(processes.as_done(gone, [3]))


def test_what_is_left_in_the_middle_ends_the_others_and_what_they_started(tmp_path: Path) -> None:
    started, ended = tmp_path / "started", tmp_path / "ended"
    started.mkdir()
    with suppress(ZeroDivisionError), pool(2, end=partial(Path.touch, ended)) as processes:
        assert next(processes.as_done(partial(waits, started), [7, 0])) == (0, 0)
        raise ZeroDivisionError
    assert ended.exists()
