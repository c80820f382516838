"""The page of published traces, from `docs/data/traces`.

    tenure simulate … --drawn -o json | python -m docs.gen.real_traces philly

records one, as the page shows; it keeps what the page draws.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic.alias_generators import to_camel

from docs.gen.drawing import shown, themed
from docs.gen.markdown import Fills, Pages
from docs.gen.sources import ROOT
from tenure.as_json import Span
from tenure.manifests import parse_duration
from tenure_simulate.answer_types import SettingFigures, SimulateAnswer
from tenure_simulate.page import pictures_of
from tenure_simulate.tables import brief

PAGE: Final = "explanation/real-traces.md"
FOLDER: Final = "explanation/pictures"
DATA: Final = ROOT / "docs" / "data" / "traces"
DRAWN: Final = {
    "philly": (("as-written", "4h"), ("guaranteed", "4h")),
    "wagap": (("as-written", "4h"),),
}
"""By trace: the settings whose ClusterQueues and jobs are drawn over time."""
_HEADS: Final = (
    "reading",
    "minAdmitDuration",
    "total wait p95",
    "preemptions",
    "most of a job",
    "early",
    "lost",
)


def real_traces() -> tuple[Pages, Fills]:
    """The pictures, SVG by path below `docs/`, and what replaces the markers of the page."""
    files: Pages = {}
    fills: dict[str, str] = {}
    for name in DRAWN:
        answer = recorded(name)
        fills[f"{name}-table"] = "\n".join(_table(answer))
        for picture, (title, sketch) in pictures_of(answer).items():
            if not sketch.height or (picture[:5] in ("queue", "lanes") and not _is_drawn(answer, picture)):
                continue
            path = f"{FOLDER}/{name}-{picture}"
            files |= themed(path, sketch, title)
            fills[f"{name}-{_marker(answer, picture)}"] = shown(path, title, "picture")
    return files, {PAGE: fills}


def _is_drawn(answer: SimulateAnswer, picture: str) -> bool:
    kind, _, number = picture.partition("-")
    drawn = answer.settings[int(number) - 1].drawn
    return drawn is not None and bool(drawn.queues if kind == "queues" else drawn.most_preempted)


def _marker(answer: SimulateAnswer, picture: str) -> str:
    """The marker of a picture: a setting's has its reading and duration in place of its number."""
    kind, _, number = picture.partition("-")
    return "-".join([kind, *(answer.settings[int(number) - 1].setting.values() if number else ())])


def _table(answer: SimulateAnswer) -> Iterator[str]:
    yield f"| {' | '.join(_HEADS)} |"
    yield f"|{'---|' * 2}{'--:|' * (len(_HEADS) - 2)}"
    for each in answer.settings:
        yield f"| {' | '.join(_row(each))} |"


def _row(figures: SettingFigures) -> Iterator[str]:
    yield figures.setting["reading"]
    yield figures.setting["minAdmitDuration"]
    yield brief(figures.all_waits.p95)
    yield f"{figures.preemptions:,}"
    yield f"{figures.most_preempted.times if figures.most_preempted else 0:,}"
    yield f"{figures.cut_short:,}"
    yield f"{figures.wasted_hours / figures.held_hours:.1%}"


@cache
def recorded(name: str) -> SimulateAnswer:
    """What was recorded of a trace.

    >>> recorded("wagap").jobs
    17898
    """
    answer = _read(SimulateAnswer, json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")))
    assert isinstance(answer, SimulateAnswer)
    return answer


def written(name: str, answer: Mapping[str, Any]) -> str:
    """An answer without what is not drawn, as the file has it: a line for each setting."""
    head = {key: value for key, value in answer.items() if key not in ("schema", "tenure", "settings")}
    settings = []
    for each in answer["settings"]:
        kept = dict(each["drawn"])
        if tuple(each["setting"].values()) not in DRAWN[name]:
            kept |= {"queues": [], "mostPreempted": []}
        elif name == "wagap":  # of 21 ClusterQueues
            kept["queues"] = []
        settings.append(json.dumps({**each, "drawn": kept}))
    return f'{json.dumps(head)[:-1]}, "settings": [\n' + ",\n".join(settings) + "\n]}\n"


def _read(kind: Any, value: Any) -> Any:
    """A value of JSON as the type that it was written from."""
    if value is None or kind is Any:
        return value
    if kind == Span:
        return parse_duration(value)
    if is_dataclass(kind):
        hints: Mapping[str, Any] = get_type_hints(kind, include_extras=True)
        given = {each.name: _read(hints[each.name], value[to_camel(each.name)]) for each in fields(kind)}
        return kind(**given)  # type: ignore[operator]
    if get_origin(kind) in (Union, UnionType):
        return _read(next(each for each in get_args(kind) if each is not type(None)), value)
    if get_origin(kind) is tuple:
        return tuple(_read(get_args(kind)[0], each) for each in value)
    return value


if __name__ == "__main__":
    (DATA / f"{sys.argv[1]}.json").write_text(written(sys.argv[1], json.load(sys.stdin)), encoding="utf-8")
