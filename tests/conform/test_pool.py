"""Processes of a pool are told to end, whatever has become of them."""

from __future__ import annotations

import os
import threading
import time
from multiprocessing.synchronize import Semaphore

from tenure.lab.pool import begin_worker, end_workers
from tenure.processes import spawning
from tests.process import PATIENCE_S


def ended_while_it_waits(stop: Semaphore) -> None:
    begin_worker(stop)
    time.sleep(0.3)
    os._exit(0)


def waits(stop: Semaphore) -> None:
    begin_worker(stop)
    threading.Event().wait()


def test_one_that_has_ended_is_not_waited_for_and_the_others_end() -> None:
    context = spawning()
    stop = context.Semaphore(0)
    gone = context.Process(target=ended_while_it_waits, args=(stop,))
    there = context.Process(target=waits, args=(stop,))
    gone.start()
    there.start()
    gone.join(PATIENCE_S)
    assert gone.exitcode == 0
    telling = threading.Thread(target=end_workers, args=(stop, 2), daemon=True)
    telling.start()
    telling.join(PATIENCE_S)
    assert not telling.is_alive()
    there.join(PATIENCE_S)
    assert there.exitcode == 130
