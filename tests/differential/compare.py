"""One question put to the reference and to the optimized core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tenure.conformance.requests import DecideRequest, read_decide_request
from tenure.errors import InputError
from tenure.fast.arrays import Arrays
from tenure.fast.decide import Answer
from tenure.fast.decide import decide as decide_fast
from tenure.fast.prepared import Prepared
from tenure.fast.uncovered import Uncovered
from tenure.model import Assignment, Cluster, Workload
from tenure.oracle.decide import decide as decide_by_reference
from tenure.readings import Reading, preset, preset_names

Said = tuple[str, tuple[tuple[str, str, str], ...], Assignment]
"""Outcome, then name, ground and reason of every victim in the order of removal, and the assignment."""

REFUSED = "the reading refuses the input"


@dataclass(frozen=True, slots=True)
class Compared:
    """What both said.

    Args:
        reference, core: their answers; None where there is none.
        left: why the core left it to the reference; empty where it answered.
    """

    reference: Said | None
    core: Said | None
    left: str = ""

    @property
    def agree(self) -> bool:
        """Whether both said the same, or the core said that it does not answer."""
        return bool(self.left) or self.reference == self.core


def readings_of(scenario: dict[str, Any]) -> list[Reading]:
    """Every preset, and what the scenario asks for."""
    asked = read_decide_request(scenario).reading
    presets = [preset(name) for name in preset_names()]
    return presets if asked in presets else [*presets, asked]


def compare(request: DecideRequest, reading: Reading, *, given: bool = False) -> Compared:
    """Decide once by each.

    Args:
        request: what is decided.
        reading: under which reading.
        given: whether the core gets the reference's assignment instead of deriving one.
    """
    cluster, preemptor, queue, now = request.cluster, request.preemptor, request.queue, request.now
    try:
        decision = decide_by_reference(cluster, preemptor, queue, now, reading, request.assignment)
    except InputError:
        return Compared(None, None, REFUSED)
    expected: Said = (
        str(decision.outcome),
        tuple((each.workload.key, each.evidence.ground.name, each.reason.label) for each in decision.targets),
        decision.assignment,
    )
    try:
        assignment = decision.assignment if given else request.assignment
        arrays = in_two_steps(cluster)
        answers = [said_by(decide_fast(arrays, preemptor, queue, now, reading, assignment))]
        engine = Prepared(arrays, reading)
        # Others first: the engine has then gone less far, or further, than this decision takes it.
        for other, asked in others(preemptor, decision.assignment) if given else ():
            prepared = said_by(engine.decide(other, queue, now, asked))
            if prepared != said_by(decide_fast(arrays, other, queue, now, reading, asked)):
                return Compared(expected, prepared)
        answers += [said_by(engine.decide(preemptor, queue, now, assignment)) for _ in range(2)]
    except Uncovered as uncovered:
        return Compared(expected, None, uncovered.what)
    different = [answer for answer in answers if answer != expected]
    return Compared(expected, different[0] if different else expected)


def others(preemptor: Workload, assignment: Assignment) -> Iterator[tuple[Workload, Assignment]]:
    """The same workload with half and with twice the request, and one of a higher priority."""
    for factor in (1, 4):
        usage = {at: amount * factor // 2 for at, amount in assignment.usage.items()}
        yield preemptor, replace(assignment, usage=usage)
    yield replace(preemptor, priority=preemptor.priority + 1), assignment


def said_by(answer: Answer) -> Said:
    """The core's answer in the same form."""
    victims = tuple((each.key, each.ground.name, each.reason.label) for each in answer.victims())
    return str(answer.outcome), victims, answer.assignment


def in_two_steps(cluster: Cluster) -> Arrays:
    """The cluster's arrays, every fourth workload added to what was built, and the first put in again."""
    late = [each for place, each in enumerate(cluster.admitted) if place % 4 == 3]
    arrays = Arrays(without(cluster, {each.key for each in late}))
    for each in late:
        arrays.add(each)
    for each in cluster.admitted[:1]:
        arrays.change(each)
    return arrays


def without(cluster: Cluster, gone: set[str]) -> Cluster:
    """The cluster without some workloads that hold quota."""
    return Cluster(
        cluster_queues=cluster.cluster_queues,
        admitted=tuple(each for each in cluster.admitted if each.key not in gone),
        pending=cluster.pending,
        flavors=cluster.flavors,
        local_queues=cluster.local_queues,
        settings=cluster.settings,
        cohorts=cluster.cohorts,
        growing=cluster.growing,
    )
