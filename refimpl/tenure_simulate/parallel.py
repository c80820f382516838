"""All settings of some sweeps: one after the other, in processes, or by the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from queue import Empty
from typing import Any, TypeAlias

from tenure.errors import bad_input
from tenure.keeping import code
from tenure.pools import Hands, pool, workers
from tenure.processes import spawning
from tenure.versions import kueue_version
from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
from tenure_simulate.run import TraceCourse, play_setting, resource_of

Setting: TypeAlias = Mapping[str, str]
Played: TypeAlias = Generator[tuple[int, SettingFigures], None, None]
"""The numbers and figures of settings that are done, in any order."""
Progress: TypeAlias = Callable[[int, float], None]
"""Called with the number of a setting, and the share of its simulation that is done."""


def simulated(
    course: TraceCourse,
    settings: Sequence[Setting],
    done_with: Callable[[int, SettingFigures], None],
    progress: Progress = lambda *_: None,
    hands: Hands = Hands(),  # noqa: B008 - it is frozen
) -> SimulateAnswer:
    """Simulate a trace under some settings.

    Args:
        course: what is simulated.
        settings: see `tenure_simulate.sweep.settings_of`; those that are done when the user interrupts count.
        done_with: called with the number and the figures of each setting when it is done.
        progress: called now and then.
        hands: the processes or machines that simulate.

    Raises:
        InputError: what is wrong with the objects or the trace, or not covered by the trace engine.
        BrokenProcessPool: a process was killed.
    """
    done: dict[int, SettingFigures] = {}
    resource = resource_of(course.objects, course.resource)
    try:
        with closing(_playing(course, settings, progress, hands)) as playing:
            for number, figures in playing:
                done[number] = figures
                done_with(number, figures)
    except KeyboardInterrupt:
        pass
    return SimulateAnswer(
        trace=course.trace.file,
        jobs=len(course.trace.rows),
        resource=resource,
        length=course.length,
        reading=course.reading,
        kueue=kueue_version(None),
        inputs=course.inputs,
        settings=tuple(done[number] for number in sorted(done)),
        complete=len(done) == len(settings),
    )


def _playing(course: TraceCourse, settings: Sequence[Setting], progress: Progress, hands: Hands) -> Played:
    numbers, jobs = range(len(settings)), min(hands.jobs, len(settings))
    if hands.scheduler:
        with workers(hands.scheduler) as spread:
            yield from spread.as_done(_play_here, numbers, spread.share(course), settings, code())
    elif jobs > 1:
        parts = spawning().Queue()
        with pool(jobs, begin=partial(_begin, parts, course, settings)) as processes:
            yield from processes.as_done(_play_mine, numbers, lambda: _pass_on(parts, progress))
    else:
        yield from ((number, _played(course, number, settings, progress)) for number in numbers)


def _played(
    course: TraceCourse, number: int, settings: Sequence[Setting], progress: Progress
) -> SettingFigures:
    return play_setting(course, settings[number], lambda part: progress(number, part))


class _Mine:
    """What a process simulates, and where it puts its progress."""

    course: TraceCourse
    settings: Sequence[Setting]
    parts: Any


def _begin(parts: Any, course: TraceCourse, settings: Sequence[Setting]) -> None:
    _Mine.course, _Mine.settings, _Mine.parts = course, settings, parts


def _play_mine(number: int) -> SettingFigures:
    return _played(_Mine.course, number, _Mine.settings, lambda *part: _Mine.parts.put(part))


def _pass_on(parts: Any, progress: Progress) -> None:
    """Pass on how far the processes are."""
    while True:
        try:
            number, part = parts.get_nowait()
        except Empty:
            return
        progress(number, part)


def _play_here(course: TraceCourse, settings: Sequence[Setting], by: str, number: int) -> SettingFigures:
    """A setting by a worker on any machine."""
    if code() != by:
        expected = f"the code of the command, {by}: install the same Tenure"
        raise bad_input("worker", f"code {code()}", expected)
    return play_setting(course, settings[number])
