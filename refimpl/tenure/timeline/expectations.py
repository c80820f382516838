"""The expectations of a scenario file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tenure.errors import InputError
from tenure.manifests import Place, did_you_mean, show
from tenure.manifests.checking import check
from tenure.model import Instant
from tenure.readings import preset_names
from tenure.timeline.scenario import Bounds, Expectation, LoopExpected, Share
from tenure.timeline.shapes import (
    DurationBounds,
    ExpectShape,
    LoopShape,
    NumberBounds,
    ShareShape,
)

_AT_ONCE = ("running", "waiting", "evicted", "parked", "priority", "may_go", "kept", "min_runtime")
_WHOLE = ("workloads", "every_workload", "preemptions", "cut_short", "loop")
KUEUE_ONLY = ("parked", "priority", "loop")
"""What says nothing about a play of KAI-Scheduler."""
KAI_ONLY = ("asker", "may_go", "kept", "min_runtime")
"""What says nothing about a play of Kueue."""


class Expectations:
    """Reads them.

    Args:
        keys: the workloads of the scenario, `namespace/name`.
        place: the scenario, for problems.
        instant: reads a time of the scenario, given its text and its field.
        foreign: names of what only another scheduler's plays have.
    """

    def __init__(
        self,
        keys: list[str],
        place: Place,
        instant: Callable[[str, str], Instant],
        foreign: tuple[str, ...] = KAI_ONLY,
    ) -> None:
        self._foreign = foreign
        self._known = set(keys)
        self._short: dict[str, str | None] = {}
        for key in keys:
            name = key.rpartition("/")[2]
            self._short[name] = None if name in self._short else key
        self._place = place
        self._instant = instant

    def read(self, shapes: Iterable[ExpectShape]) -> Iterator[Expectation]:
        """All of them.

        Raises:
            InputError: a reading or a workload that there is not; what only makes sense at an instant said
                of the whole play, or the other way round.
        """
        for number, shape in enumerate(shapes):
            field = f"expect[{number}]"
            self._check_kind(shape, field)
            for name in shape.reading or ():
                if name not in preset_names():
                    expected = f"one of {', '.join(preset_names())}{did_you_mean(name, preset_names())}"
                    raise self._wrong(f"{field}.reading", show(name), expected)
            yield self._one(shape, field)

    def _one(self, shape: ExpectShape, field: str) -> Expectation:
        workloads = {
            self._key(name, f"{field}.workloads"): _share(share)
            for name, share in (shape.workloads or {}).items()
        }
        return Expectation(
            where=field,
            readings=tuple(shape.reading or ()),
            at=None if shape.at is None else self._instant(shape.at, f"{field}.at"),
            running=self._keys(shape.running, f"{field}.running"),
            waiting=self._keys(shape.waiting, f"{field}.waiting"),
            evicted=self._keys(shape.evicted, f"{field}.evicted"),
            parked=self._keys(shape.parked, f"{field}.parked"),
            priority={
                self._key(name, f"{field}.priority"): value for name, value in (shape.priority or {}).items()
            },
            workloads=workloads,
            every=None if shape.every_workload is None else _share(shape.every_workload),
            preemptions=_bounds(shape.preemptions),
            cut_short=_bounds(shape.cut_short),
            loop=self._loop(shape.loop, f"{field}.loop"),
            asker=None if shape.asker is None else self._key(shape.asker, f"{field}.for"),
            may_go=self._keys(shape.may_go, f"{field}.mayGo"),
            kept=self._keys(shape.kept, f"{field}.kept"),
            min_runtime={
                self._key(name, f"{field}.minRuntime"): value
                for name, value in (shape.min_runtime or {}).items()
            },
        )

    def _check_kind(self, shape: ExpectShape, field: str) -> None:
        for name in self._foreign:
            if getattr(shape, name) is not None:
                expected = "nothing: plays of this scheduler have no such thing"
                raise self._wrong(f"{field}.{_camel(name)}", "this", expected)
        said, kind = (_WHOLE, "without at") if shape.at is not None else (_AT_ONCE, "beside at")
        for name in said:
            if getattr(shape, name) is not None:
                raise self._wrong(f"{field}.{_camel(name)}", "this", f"it {kind}")
        known = [name for name in (*_AT_ONCE, *_WHOLE) if name not in self._foreign]
        if not any(getattr(shape, name) is not None for name in known):
            raise self._wrong(field, "nothing", f"one of {', '.join(map(_camel, known))}")

    def _loop(self, raw: Any, field: str) -> LoopExpected | None:
        if raw is None:
            return None
        if raw in ("none", "any"):
            return LoopExpected(exists=raw == "any")
        problems: list[Any] = []
        shape = check(LoopShape, raw, self._place, problems, prefix=field) if isinstance(raw, dict) else None
        if shape is None:
            raise InputError(problems) if problems else self._wrong(field, show(raw), "none, any, or a map")
        stuck = None if shape.stuck is None else tuple(sorted(self._keys(shape.stuck, f"{field}.stuck")))
        return LoopExpected(True, _bounds(shape.period), stuck, shape.futile)

    def _keys(self, names: list[str] | None, field: str) -> tuple[str, ...]:
        return tuple(self._key(name, field) for name in names or ())

    def _key(self, name: str, field: str) -> str:
        key = name if name in self._known else self._short.get(name)
        if key is None:
            hint = did_you_mean(name, [*self._known, *self._short])
            raise self._wrong(field, show(name), f"a workload of the scenario{hint}")
        return key

    def _wrong(self, field: str, found: str, expected: str) -> InputError:
        return InputError([self._place.problem(field, found, expected)])


def _share(shape: ShareShape) -> Share:
    return Share(
        ran=_bounds(shape.ran),
        kept=_bounds(shape.kept),
        runs=_bounds(shape.runs),
        preempted=_bounds(shape.preempted),
        longest_wait=_bounds(shape.longest_wait),
        finished=shape.finished,
    )


def _bounds(shape: NumberBounds | DurationBounds | None) -> Bounds | None:
    return None if shape is None else Bounds(shape.at_least, shape.at_most)


def _camel(name: str) -> str:
    if name == "asker":
        return "for"
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
