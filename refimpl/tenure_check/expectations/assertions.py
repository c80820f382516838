"""Assertions of a document about every state of its configuration, and their exceptions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from tenure.errors import InputError
from tenure.explanation.groups import names_text
from tenure.manifests import Place, parse_instant
from tenure.model import MINUTE, Duration, Instant
from tenure.units import format_duration
from tenure_check.choices import Scope
from tenure_check.expectations.all_states import AllStates, Given
from tenure_check.expectations.assertion_file import ExceptionShape, WorkloadsShape
from tenure_check.expectations.check import Check, CheckResult, Status
from tenure_check.expectations.expectation_file import DecisionsShape

_DAY: Final[Duration] = 24 * 60 * MINUTE
_CALLED: Final = {
    "equals": "workloads of equal priority",
    "lower": "workloads of lower priority",
    "higher": "workloads of higher priority",
    "all": "all workloads",
}
_EDITED: Final = {"consistent": "", "edited": ", also after edits of quotas"}


def assertion_checks(shape: DecisionsShape, given: Given, place: Place, *, kept: bool) -> Iterator[Check]:
    """What a document asserts of every state.

    Args:
        shape: the document.
        given: its manifests.
        place: how problems name it.
        kept: whether earlier runs may answer.

    Raises:
        InputError: the end of an exception that is no date.
    """
    states = AllStates(given, place, kept=kept)
    for number, never in enumerate(shape.never or ()):
        field = f"never[{number}]"
        name = f"{_named(never.preemptor)} never preempt {_named(never.victim)}{_EDITED[never.scope]}"
        find = partial(states.answered, never, partial(states.never, never, field))
        yield _check(name, field, find, never.exception, place, never.scope)
    for number, keeps in enumerate(shape.keeps or ()):
        field = f"keeps[{number}]"
        running = WorkloadsShape.model_validate(
            {"clusterQueue": keeps.cluster_queue, "priorityClass": keeps.priority_class}
        )
        length = format_duration(keeps.length)
        name = f"{_named(running)} keep {length} from {_CALLED[keeps.against]}{_EDITED[keeps.scope]}"
        find = partial(states.answered, keeps, partial(states.keeps, keeps, running, field))
        yield _check(name, field, find, keeps.exception, place, keeps.scope)
    if shape.no_loop is not None:
        name = f"no {shape.no_loop.up_to} workloads or fewer preempt each other for ever"
        find = partial(states.answered, shape.no_loop, partial(states.no_loop, shape.no_loop))
        yield _check(name, "noLoop", find, shape.no_loop.exception, place, scope="")
    for number, reaches in enumerate(shape.reaches or ()):
        field = f"reaches[{number}]"
        name = f"workloads of {reaches.cluster_queue} always reach its nominal quota"
        find = partial(states.answered, reaches, partial(states.reaches, reaches, field))
        yield _check(name, field, find, reaches.exception, place)


def _check(
    name: str,
    field: str,
    find: Callable[[], CheckResult],
    exception: ExceptionShape | None,
    place: Place,
    scope: str = Scope.CONSISTENT.value,
) -> Check:
    if exception is None:
        return Check(name, field, find, scope)
    until = end_of(exception, f"{field}.except.until", place)
    return Check(name, field, lambda: _excepted(find(), exception, until, name), scope)


def end_of(exception: ExceptionShape, field: str, place: Place) -> Instant:
    """The first instant at which an exception does not count any more.

    Raises:
        InputError: its end is no date.
    """
    written = exception.until
    is_day = len(written) == len("2027-01-31")
    try:
        instant = parse_instant(f"{written}T00:00:00Z" if is_day else written, field=field)
    except InputError:
        raise place.error(field, written, "a day, as 2027-01-31, or an instant, RFC 3339") from None
    return instant + _DAY if is_day else instant


def _excepted(result: CheckResult, exception: ExceptionShape, until: Instant, name: str) -> CheckResult:
    words = f"exception until {exception.until}: {exception.reason}"
    if result.status == Status.HOLDS:
        return replace(result, warnings=(*result.warnings, f"{name}: it holds without its {words}"))
    if result.status == Status.ERROR:
        return result
    if time.time_ns() < until:
        return replace(result, status=Status.EXCEPTED, lines=(words, *result.lines))
    return replace(result, lines=(f"no longer in force: {words}", *result.lines))


def _named(meant: WorkloadsShape) -> str:
    queues = f"workloads of {names_text(meant.cluster_queue)}" if meant.cluster_queue else "workloads"
    classes = f" of priority {names_text(meant.priority_class)}" if meant.priority_class else ""
    return f"{queues}{classes}"
