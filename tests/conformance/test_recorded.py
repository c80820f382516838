"""What the real scheduler decided, decided again: every recorded case whose queue has no cohort."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tenure.conformance.protocol import answer
from tenure.readings import preset_names

RECORDED = Path(__file__).resolve().parents[3] / "shared" / "kueue"
FILES = (
    "preemption.jsonl",
    "fair_preemptions.jsonl",
    "hierarchical_preemptions.jsonl",
    "preemption_misc.jsonl",
    "scheduler_get_targets.jsonl",
    "random.jsonl.gz",
)

pytestmark = pytest.mark.skipif(
    not RECORDED.is_dir(), reason="the recorded decisions are not beside the repository"
)


@cache
def lines() -> list[dict[str, Any]]:
    """Every recorded preemption decision."""
    return [line for name in FILES for line in _lines_of(RECORDED / name)]


def _lines_of(path: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from (json.loads(line) for line in text.splitlines())


def stands_alone(line: dict[str, Any]) -> bool:
    """Whether the preemptor's ClusterQueue has no cohort."""
    (queue,) = (each for each in line["clusterQueues"] if each["metadata"]["name"] == line["targetCQ"])
    return not queue["spec"].get("cohortName")


Recorded = tuple[dict[str, Any], dict[str, Any]]


def given_assignment(line: dict[str, Any]) -> Recorded | None:
    """The input with its assignment, and what was decided."""
    return line, line.get("got") or line["want"]


def derived_assignment(line: dict[str, Any]) -> Recorded | None:
    """The input without its assignment, and what was decided; None where that was not recorded."""
    without = {**line, "assignment": None}
    if "derived" in line:
        return without, {**line["derived"]["got"], "decision": line["derived"]["decision"]}
    # The random lines' own assignment was derived by the real assigner.
    return (without, line["want"]) if "got" not in line else None


def targets(decided: dict[str, Any]) -> list[tuple[str, str]]:
    """Who leaves and why, as a sorted set: the recorded order is no eviction order."""
    return sorted((each["workload"], each["reason"]) for each in decided.get("preempted") or [])


def differences(line: dict[str, Any], said: dict[str, Any], decided: dict[str, Any]) -> Iterator[str]:
    """What is answered otherwise than recorded."""
    if targets(said) != targets(decided):
        yield f"{line['name']}: {targets(said)}, recorded {targets(decided)}"
    if decided.get("decision", said["decision"]) != said["decision"]:
        yield f"{line['name']}: {said['decision']}, recorded {decided['decision']}"


@pytest.mark.parametrize("reading", preset_names())
@pytest.mark.parametrize(
    ("with_assignment", "counts"),
    [
        (given_assignment, {"answered": 269}),
        (derived_assignment, {"answered": 172, "not-modelled flavors": 88}),
    ],
    ids=["given", "derived"],
)
def test_a_queue_without_cohort_is_decided_as_recorded(
    with_assignment: Any, counts: dict[str, int], reading: str
) -> None:
    # No recorded queue sets minAdmitDuration, so every reading must decide as the released scheduler.
    found: Counter[str] = Counter()
    different: list[str] = []
    for line in filter(stands_alone, lines()):
        recorded = with_assignment(line)
        if recorded is None:
            continue
        said = answer({"id": 1, "call": "decide", "input": {**recorded[0], "reading": reading}})
        if "error" in said:
            found[f"{said['error']['code']} {said['error']['field'].rpartition('.')[2]}"] += 1
        else:
            found["answered"] += 1
            different += differences(line, said["output"], recorded[1])
    assert different == []
    assert found == counts


@pytest.mark.parametrize(
    ("with_assignment", "count"),
    [(given_assignment, 976), (derived_assignment, 927)],
    ids=["given", "derived"],
)
def test_a_queue_with_a_cohort_is_refused_as_not_modelled(with_assignment: Any, count: int) -> None:
    inputs = [with_assignment(line) for line in lines() if not stands_alone(line)]
    said = [answer({"id": 1, "call": "decide", "input": each[0]}) for each in inputs if each is not None]
    assert Counter(each["error"]["code"] for each in said) == {"not-modelled": count}
