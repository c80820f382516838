"""Every place of every kind of object, with something else in it: who reads it says so, and never fails."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tenure.as_json import as_json
from tenure.cli.validate_run import answer_of
from tenure.errors import InputError
from tenure.manifests import SourcedObject
from tenure.manifests.load import build
from tenure.manifests.releases import TargetKueue
from tenure.reports import report_text
from tenure.validation import validate
from tenure.validation.checks import checks_of
from tests.hostile.corpus import objects

VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    7,
    "",
    "x",
    "\x1b[31m",
    "\ud800",
    [],
    [None],
    [[]],
    [{}],
    ["x"],
    {},
    {"x": 1},
)


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with one place changed.

    Args:
        name: kind, path and what is there.
        object: the object.
    """

    name: str
    object: dict[str, Any]


def shapes() -> Iterator[Shape]:
    """Each value at each path of each kind; lists that begin with it, or have everything twice."""
    known: set[str] = set()
    for raw in objects():
        for path in _paths(raw):
            named = f"{raw.get('kind')} {'.'.join('*' if isinstance(key, int) else key for key in path)}"
            if named not in known:
                known.add(named)
                for value in _others(_at(raw, path)):
                    yield Shape(f"{named} = {value!r}"[:200], _with(raw, path, value))


def _others(was: Any) -> Iterator[Any]:
    yield from VALUES
    if isinstance(was, list) and was:
        yield from ([value, *was] for value in VALUES)
        yield was * 2
    if isinstance(was, dict):
        yield {**was, "x": 1, "": [{}]}


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        if isinstance(key, int | str):
            yield from _paths(value[key], (*path, key))


def _at(raw: Any, path: Sequence[Any]) -> Any:
    for key in path:
        raw = raw[key]
    return raw


def _with(raw: dict[str, Any], path: Sequence[Any], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(raw)
    _at(made, path[:-1])[path[-1]] = copy.deepcopy(value)
    return made


def _validated(raw: dict[str, Any]) -> None:
    sourced = [SourcedObject("a.yaml", raw)]
    report = validate(sourced, old=[SourcedObject("b.yaml", raw)])
    as_json(answer_of(report))
    for form in ("junit", "sarif", "github"):
        report_text(checks_of(report, sourced), form)


def _released(raw: dict[str, Any]) -> None:
    validate(list(TargetKueue("0.19").passing([SourcedObject("a.yaml", raw)])))


def _loaded(raw: dict[str, Any]) -> None:
    build([SourcedObject("a.yaml", raw)])


READERS: Final[tuple[Callable[[dict[str, Any]], object], ...]] = (_validated, _released, _loaded)


def fault(shape: Shape) -> str:
    """What a reader fails with; empty where all of them answer."""
    for reader in READERS:
        try:
            reader(shape.object)
        except InputError:
            continue
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what this looks for
            return f"{shape.name}: {reader.__name__}: {type(error).__name__}: {error}"
    return ""
