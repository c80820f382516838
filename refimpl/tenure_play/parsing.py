"""What scenario files of every scheduler hold: names, times, objects, and what is expected."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tenure.errors import InputError, Problem
from tenure.manifests import (
    Place,
    SourcedObject,
    did_you_mean,
    parse_duration,
    parse_instant,
    show,
)
from tenure.manifests.checking import check
from tenure.manifests.files import read_referenced
from tenure.manifests.structure import dig
from tenure.model import Instant
from tenure.readings import preset_names
from tenure_play.scenario import Between, Expectation, LoopExpected, WorkloadExpected

if TYPE_CHECKING:  # a forecast reads no scenario file
    from tenure_play.scenario_file import DurationBounds, ExpectShape, NumberBounds, ShareShape


def key_of(name: str, keys: list[str]) -> str | None:
    """The full name of a workload that is called by it, or by its last part alone where that is enough.

    >>> key_of("a", ["ml/a", "ml/b"]), key_of("a", ["ml/a", "x/a"])
    ('ml/a', None)
    """
    if name in keys:
        return name
    found = [key for key in keys if key.rpartition("/")[2] == name]
    return found[0] if len(found) == 1 else None


START = "2026-01-05T09:00:00Z"
"""When a play starts by default: a Monday morning."""


class Times:
    """The times of one scenario.

    Args:
        start, until: the window as written; no start for `START`.
        place: the scenario, for problems.

    Raises:
        InputError: no such times, or an end that is not after the start.

    >>> times = Times(None, "1h", Place())
    >>> times.after_start("30m", "at") - times.start == (times.end - times.start) // 2
    True
    """

    def __init__(self, start: str | None, until: str, place: Place) -> None:
        self._place = place
        self.start = self._read(start or START, "start", 0)
        self.end = self.after_start(until, "until")
        if self.end <= self.start:
            raise place.error("until", until, "a time after start")

    def after_start(self, text: str, field: str) -> Instant:
        """A time, ns since the epoch.

        Raises:
            InputError: no such time, with its field.
        """
        return self._read(text, field, self.start)

    def within(self, text: str, field: str) -> Instant:
        """A time of the play, ns since the epoch.

        Raises:
            InputError: no such time, or one outside of the play, at which nothing happens or is looked at.
        """
        found = self.after_start(text, field)
        if not self.start <= found <= self.end:
            raise self._place.error(field, show(text), "a time from start to until")
        return found

    def _read(self, text: str, field: str, start: Instant) -> Instant:
        read: Callable[..., int] = parse_instant if "T" in text else parse_duration
        try:
            return read(text, field=field) + (0 if "T" in text else start)
        except InputError:
            expected = "a time, or a time after start such as 4h30m"
            raise self._place.error(field, show(text), expected) from None


class TimedShape(Protocol):
    """An event as written; each of its fields but the time is a kind of event."""

    at: str


_Timed = TypeVar("_Timed", bound=TimedShape)


def in_order(
    shapes: Sequence[_Timed], kinds: Sequence[str], times: Times, place: Place
) -> Iterator[tuple[_Timed, Instant, str, str]]:
    """Events in the order of time, those of one instant in the order in which they were written.

    Args:
        shapes: the events.
        kinds: of which each event has one.
        times: of the scenario.
        place: the scenario, for problems.

    Returns:
        each event with its time, its path in the scenario, and its kind.

    Raises:
        InputError: a time outside of the play; none of the kinds, or several.
    """
    timed = [
        (times.within(shape.at, f"events[{number}].at"), number, shape) for number, shape in enumerate(shapes)
    ]
    for at, number, shape in sorted(timed, key=lambda event: event[:2]):
        path = f"events[{number}]"
        given = [kind for kind in kinds if getattr(shape, kind) is not None]
        if len(given) != 1:
            raise place.error(path, ", ".join(given) or "nothing", f"one of {', '.join(kinds)}")
        yield shape, at, path, given[0]


@dataclass(slots=True)
class Written:
    """The objects.

    Args:
        file: the scenario's file.
        raw: every object, with the file it came from.
    """

    file: str
    raw: list[SourcedObject] = field(default_factory=list)

    def api_version(self, kind: object) -> str:
        """The kind that is assumed of an object without one."""
        raise NotImplementedError

    def take(self, objects: list[Any], files: list[str]) -> None:
        """Take the objects that the scenario holds, and those in the files that it names.

        Raises:
            InputError: files that cannot be read; an object that is no map.
        """
        for number, entry in enumerate(objects):
            if not isinstance(entry, dict):
                place = f"objects[{number}]"
                raise InputError([Problem(place, show(entry), "a Kubernetes object", file=self.file)])
            self.raw.append(SourcedObject(self.file, self._versioned(entry)))
        names = {f"files[{number}]": name for number, name in enumerate(files)}
        if names:
            self.raw.extend(read_referenced(names, Place(file=self.file)))

    def patch(self, patch: dict[str, Any], place: str, kinds: tuple[str, ...]) -> str:
        """Merge a patch into an object, or add a new one.

        Args:
            patch: with kind and metadata.name; maps are merged, everything else is replaced.
            place: path of the patch in the scenario.
            kinds: which may be changed.

        Returns:
            what changed in words.

        Raises:
            InputError: another kind.
        """
        kind, name = patch.get("kind"), dig(patch, "metadata", "name")
        if kind not in kinds:
            raise InputError(
                [Problem(f"{place}.kind", show(kind), f"one of {', '.join(kinds)}", file=self.file)]
            )
        for number, found_object in enumerate(self.raw):
            if (
                found_object.object.get("kind") == kind
                and dig(found_object.object, "metadata", "name") == name
            ):
                self.raw[number] = SourcedObject(found_object.file, _merged(found_object.object, patch))
                break
        else:
            self.raw.append(SourcedObject(self.file, self._versioned(patch)))
        changes = [
            f"{path} is {value}" for path, value in _leaves(patch) if path.startswith(("spec", "value"))
        ]
        return f"{kind} {name}: {', '.join(changes)}"

    def _versioned(self, raw: dict[str, Any]) -> dict[str, Any]:
        return {"apiVersion": self.api_version(raw.get("kind")), **raw}


def _merged(old: Any, patch: Any) -> Any:
    """A merge patch.

    >>> _merged({"a": {"b": 1, "c": 2}}, {"a": {"b": None, "d": [3]}})
    {'a': {'c': 2, 'd': [3]}}
    """
    if not isinstance(old, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(old)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = _merged(old.get(key), value)
    return result


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    else:
        yield path, show(value)


_AT_ONCE = ("running", "waiting", "evicted", "parked", "priority", "may_be_preempted", "kept", "min_runtime")
_WHOLE = ("workloads", "every_workload", "preemptions", "cut_short", "loop")
KUEUE_ONLY = ("parked", "priority", "loop")
"""Expectations that do not apply to a play of KAI-Scheduler."""
KAI_ONLY = ("asker", "may_be_preempted", "kept", "min_runtime")
"""Expectations that do not apply to a play of Kueue."""


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
            InputError: a reading or a workload that there is not; what only makes sense at an
                instant expected of the whole play, or the other way round.
        """
        for number, shape in enumerate(shapes):
            field = f"expect[{number}]"
            self._check_kind(shape, field)
            for name in shape.reading or ():
                if name not in preset_names():
                    expected = f"one of {', '.join(preset_names())}{did_you_mean(name, preset_names())}"
                    raise self._place.error(f"{field}.reading", show(name), expected)
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
            may_be_preempted=self._keys(shape.may_be_preempted, f"{field}.mayBePreempted"),
            kept=self._keys(shape.kept, f"{field}.kept"),
            min_runtime={
                self._key(name, f"{field}.minRuntime"): value
                for name, value in (shape.min_runtime or {}).items()
            },
        )

    def _check_kind(self, shape: ExpectShape, field: str) -> None:
        for name in self._foreign:
            if getattr(shape, name) is not None:
                expected = "nothing: simulations of this scheduler have no such thing"
                raise self._place.error(f"{field}.{_camel(name)}", "this", expected)
        names, kind = (_WHOLE, "without at") if shape.at is not None else (_AT_ONCE, "beside at")
        for name in names:
            if getattr(shape, name) is not None:
                raise self._place.error(f"{field}.{_camel(name)}", "this", f"it {kind}")
        known = [name for name in (*_AT_ONCE, *_WHOLE) if name not in self._foreign]
        if not any(getattr(shape, name) is not None for name in known):
            raise self._place.error(field, "nothing", f"one of {', '.join(map(_camel, known))}")

    def _loop(self, raw: Any, field: str) -> LoopExpected | None:
        if raw is None:
            return None
        if raw in ("none", "any"):
            return LoopExpected(exists=raw == "any")
        from tenure_play.scenario_file import LoopShape

        problems: list[Any] = []
        shape = check(LoopShape, raw, self._place, problems, prefix=field) if isinstance(raw, dict) else None
        if shape is None:
            raise (
                InputError(problems)
                if problems
                else self._place.error(field, show(raw), "none, any, or a map")
            )
        stuck = None if shape.stuck is None else tuple(sorted(self._keys(shape.stuck, f"{field}.stuck")))
        return LoopExpected(True, _bounds(shape.period), stuck, shape.futile)

    def _keys(self, names: list[str] | None, field: str) -> tuple[str, ...]:
        return tuple(self._key(name, field) for name in names or ())

    def _key(self, name: str, field: str) -> str:
        key = name if name in self._known else self._short.get(name)
        if key is None:
            hint = did_you_mean(name, [*self._known, *self._short])
            raise self._place.error(field, show(name), f"a workload of the scenario{hint}")
        return key


def _share(shape: ShareShape) -> WorkloadExpected:
    return WorkloadExpected(
        ran=_bounds(shape.ran),
        kept=_bounds(shape.kept),
        runs=_bounds(shape.runs),
        preempted=_bounds(shape.preempted),
        longest_wait=_bounds(shape.longest_wait),
        finished=shape.finished,
    )


def _bounds(shape: NumberBounds | DurationBounds | None) -> Between | None:
    return None if shape is None else Between(shape.at_least, shape.at_most)


def _camel(name: str) -> str:
    if name == "asker":
        return "for"
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
