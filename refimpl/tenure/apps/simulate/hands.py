"""All settings of some sweeps: one after the other, in processes, or by the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.synchronize import Semaphore
from queue import Empty
from typing import Any, Final, TypeAlias

from tenure.apps.simulate.answer_types import SettingFigures, SimulateAnswer
from tenure.apps.simulate.course import TraceCourse, play_setting, resource_of
from tenure.errors import bad_input
from tenure.lab.campaigns import code
from tenure.lab.pool import begin_worker, connected, end_workers
from tenure.processes import spawning
from tenure.versions import kueue_asked

Setting: TypeAlias = Mapping[str, str]
Played: TypeAlias = Generator[tuple[int, SettingFigures], None, None]
"""The numbers and figures of settings that are done, in any order."""
Progress: TypeAlias = Callable[[int, float], None]
"""Told the number of a setting, and the part of its play that is done."""
_LOOKED_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class PlayHands:
    """Who plays.

    Args:
        jobs: processes on this machine.
        scheduler: the address of a Dask scheduler, whose workers play instead; empty for none.
    """

    jobs: int = 1
    scheduler: str = ""

    def play(self, course: TraceCourse, settings: Sequence[Setting], progress: Progress) -> Played:
        """Play every setting.

        Raises:
            InputError: the objects, the trace or the scheduler are wrong.
            BrokenProcessPool: a process was killed.
        """
        if self.scheduler:
            return _on_machines(course, settings, self.scheduler)
        jobs = min(self.jobs, len(settings))
        if jobs > 1:
            return _in_processes(course, settings, jobs, progress)
        return _in_this_process(course, settings, progress)


def simulated(
    course: TraceCourse,
    settings: Sequence[Setting],
    told: Callable[[int, SettingFigures], None],
    progress: Progress = lambda *_: None,
    hands: PlayHands | None = None,
) -> SimulateAnswer:
    """Play a trace under some settings.

    Args:
        course: what is played.
        settings: see `tenure.apps.simulate.sweep.settings_of`; what is done when the user interrupts is kept.
        told: gets the number and the figures of each setting when it is done.
        progress: told now and then how far a setting is.
        hands: who plays; this process unless they are given.

    Raises:
        InputError: what is wrong with the objects or the trace, or not covered by the trace engine.
        BrokenProcessPool: a process was killed.
    """
    done: dict[int, SettingFigures] = {}
    resource = resource_of(course.objects, course.resource)
    try:
        with closing((hands or PlayHands()).play(course, settings, progress)) as playing:
            for number, figures in playing:
                done[number] = figures
                told(number, figures)
    except KeyboardInterrupt:
        pass
    return SimulateAnswer(
        trace=course.trace.file,
        jobs=len(course.trace.rows),
        resource=resource,
        length=course.length,
        reading=course.reading,
        kueue=kueue_asked(None),
        settings=tuple(done[number] for number in sorted(done)),
        complete=len(done) == len(settings),
    )


def _in_this_process(course: TraceCourse, settings: Sequence[Setting], progress: Progress) -> Played:
    for number, setting in enumerate(settings):
        yield number, _played(course, number, setting, progress)


def _played(course: TraceCourse, number: int, setting: Setting, progress: Progress) -> SettingFigures:
    return play_setting(course, setting, lambda part: progress(number, part))


class _Mine:
    """What a process has been given to play, and where it tells how far it is."""

    course: TraceCourse
    parts: Any


def _begin(stop: Semaphore, parts: Any, course: TraceCourse) -> None:
    begin_worker(stop)
    _Mine.course, _Mine.parts = course, parts


def _play_mine(number: int, setting: Setting) -> SettingFigures:
    return _played(_Mine.course, number, setting, lambda *told: _Mine.parts.put(told))


def _in_processes(course: TraceCourse, settings: Sequence[Setting], jobs: int, progress: Progress) -> Played:
    context = spawning()
    stop, parts = context.Semaphore(0), context.Queue()
    given = (stop, parts, course)
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=given) as pool:
        futures = {
            pool.submit(_play_mine, number, setting): number for number, setting in enumerate(settings)
        }
        try:
            while futures:
                finished, _ = wait(futures, _LOOKED_S, FIRST_COMPLETED)
                _tell(parts, progress)
                for future in finished:
                    yield futures.pop(future), future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_workers(stop, jobs)
            raise


def _tell(parts: Any, progress: Progress) -> None:
    """Pass on how far the processes are."""
    while True:
        try:
            number, part = parts.get_nowait()
        except Empty:
            return
        progress(number, part)


def _on_machines(course: TraceCourse, settings: Sequence[Setting], address: str) -> Played:
    distributed, client = connected(address)
    with client:
        spread = client.scatter(course, broadcast=True)
        futures = {
            client.submit(_play_here, spread, setting, code(), pure=False): number
            for number, setting in enumerate(settings)
        }
        for future in distributed.as_completed(list(futures)):
            yield futures[future], future.result()


def _play_here(course: TraceCourse, setting: Setting, by: str) -> SettingFigures:
    """A setting by a worker on any machine."""
    if code() != by:
        expected = f"the code that was asked, {by}: install the same Tenure"
        raise bad_input("worker", f"code {code()}", expected)
    return play_setting(course, setting)
